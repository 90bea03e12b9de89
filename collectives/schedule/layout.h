// The byte range of every chunk of a schedule, for a message of a given size.
//
// `bytes` means what it means in nccl-tests: all_gather and gather: the total output; reduce_scatter
// and scatter: the total input; all_to_all: the input of one rank; everything else: the buffer.
// The message is divided into `chunks` chunks that differ by at most one element. The chunks of a
// buffer lie one behind the other:
//   all_gather, gather       input chunk i of rank r is as long as output chunk r * k + i
//   reduce_scatter, scatter  output chunk i of rank r is as long as input chunk r * k + i
//   all_to_all               output chunk q * k + i of rank r is as long as input chunk r * k + i, so the
//                            output is n blocks, each as long as input block r
//   custom                   chunks beyond `chunks` repeat the lengths of the first ones
// (k = chunks per rank). Scratch and packets consist of slots of equal size, a multiple of 64 bytes that holds
// the data of the longest chunk. A move of `count` chunks pairs chunk by chunk; the length of each pair is that of
// its operands outside slots, which must agree; where all are slots, that of the chunk
// they are `like`, or else the slot. A cell of staging holds the longest share that any step puts there, from its
// begin on, in whole lines.
//
// Memories must be allocated at addresses that are a multiple of 64.
//
// Shares: a step that handles `part` of `parts` gets one of `parts` byte ranges that cover its range
// exactly and meet on 64-byte lines. Every step that touches a chunk must cut it at the same
// bytes, or two channels would own one byte; so the lines counted are those of the message (the
// buffer that holds it whole: the output of all_gather, the input of reduce_scatter and of all_to_all,
// either buffer of all_reduce), not those of one operand. Operands that are aligned like the
// message are cut at lines of their own; an operand aligned otherwise has partial lines anyhow.
// Moves between scratch slots count the lines of the slot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/line_size.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// Share `part` of `parts` of a range of `length` bytes whose first byte is `phase` bytes after a line
// boundary, relative to the range. Shares cover the range, in order, and differ by at most a line.
ByteRange share_of(std::uint64_t length, std::uint64_t phase, std::uint32_t part, std::uint32_t parts);

// The chunk of the message that is as long as a chunk of an input or output.
std::uint32_t message_chunk(const Schedule& schedule, std::uint32_t rank, Buffer buffer, std::uint32_t index);

// The bytes [begin, end) of the `chunk`-th chunk of every operand that a step handles.
struct ChunkShare {
    std::uint32_t chunk = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// A place in one memory of one rank.
struct Place {
    std::uint32_t rank = 0;
    Buffer memory = Buffer::input;
    std::uint64_t offset = 0;
};

// `bytes` bytes, contiguous in every operand of a step, in the order of its sources and destinations.
struct Piece {
    std::uint64_t bytes = 0;
    std::vector<Place> sources;
    std::vector<Place> destinations;
};

class Layout {
public:
    // Throws InputError when the message cannot be laid out: `bytes` not a multiple of the element,
    // above 2^48, chunks that the ranks cannot share, or an all_to_all in place whose chunks differ.
    // Keeps no reference to the schedule.
    Layout(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes);

    std::uint64_t bytes() const { return bytes_; }
    std::uint32_t element_bytes() const { return element_bytes_; }
    std::uint64_t slot_bytes() const { return slot_bytes_; }
    std::uint64_t cell_bytes() const { return cell_bytes_; }  // of staging
    // The room of a share of a chunk there, in lines, as one of `parts`.
    std::uint64_t cell_lines(std::uint32_t parts) const;

    // Bytes to allocate for a memory of a rank: 0 for a buffer that is not used or lies in another.
    std::uint64_t memory_bytes(std::uint32_t rank, Buffer memory) const;
    // Where the first byte of a buffer lies (in itself at 0, unless in place).
    Place place_of(std::uint32_t rank, Buffer buffer) const;
    // Bytes of a buffer, in its own coordinates, whether or not it has a memory to itself.
    std::uint64_t buffer_bytes(std::uint32_t rank, Buffer buffer) const;
    // One chunk in the coordinates of its buffer; a scratch chunk is its whole slot, a staging chunk its cell.
    ByteRange range(std::uint32_t rank, Buffer buffer, std::uint32_t index) const;

    // Why the operands of a data step do not fit each other, empty if they do.
    std::string mismatch(const Step& step) const;
    // The data of a step: by chunk, or as contiguous pieces. Empty shares are left out. The step
    // must be well formed (structure.h) and without mismatch.
    std::vector<ChunkShare> shares(const Step& step) const;
    std::vector<Piece> pieces(const Step& step) const;

private:
    struct Declared {
        std::uint32_t chunks[buffer_kinds] = {};
        std::uint32_t offset[buffer_kinds] = {};  // in place: first chunk in the home memory
    };

    std::uint32_t message_chunk(std::uint32_t rank, Buffer buffer, std::uint32_t index) const;
    ByteRange bounds(std::uint32_t chunk) const { return chunk_bounds(bytes_, element_bytes_, chunks_, chunk); }
    std::uint64_t chunk_bytes(const Step& step, std::uint32_t chunk) const;
    std::uint64_t phase(const Step& step) const;

    CollectiveOp op_;
    std::uint64_t bytes_;
    std::uint32_t element_bytes_;
    std::uint32_t chunks_;
    std::uint32_t per_rank_;
    std::uint64_t slot_bytes_;
    std::uint64_t cell_bytes_ = 0;
    Buffer home_[buffer_kinds];
    std::vector<Declared> ranks_;
};

}  // namespace weft
