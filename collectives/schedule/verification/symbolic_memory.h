// The memories of all ranks during a symbolic run: for each byte range of each chunk its value, who
// wrote it last and who has read it since.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/schedule/clocks.h"
#include "collectives/schedule/schedule.h"
#include "collectives/schedule/verification/contribution.h"

namespace weft {

struct Cell {
    std::uint64_t begin = 0;  // to the begin of the next cell or the end of the chunk
    ValueId value = nothing_written;
    Epoch writer;
    std::vector<Epoch> readers;
};

class SymbolicMemory {
public:
    using Chunk = std::vector<Cell>;

    explicit SymbolicMemory(const Schedule& schedule);

    // Chunks that a schedule needs states for.
    static std::uint64_t chunks_needed(const Schedule& schedule);
    // A message of which all chunks and all their parts come out as equal, whole lines.
    static std::uint64_t even_message(const Schedule& schedule);
    // Chunks of its input that a rank has at the beginning.
    static std::uint32_t filled_input(const Schedule& schedule, std::uint32_t rank);

    Chunk& chunk(std::uint32_t rank, Buffer buffer, std::uint32_t index);
    // Chunks from `b` to `a`; smaller than their count in size only if they share memory.
    std::int64_t distance(const ChunkRef& a, const ChunkRef& b) const;

    // The cell that holds byte `offset`.
    static Cell& at(Chunk& chunk, std::uint64_t offset);
    // Makes cells begin at both ends of [begin, end); returns the first and one past the last.
    static std::pair<std::size_t, std::size_t> split(Chunk& chunk, std::uint64_t begin, std::uint64_t end,
        std::uint64_t length);

private:
    std::size_t position(std::uint32_t rank, Buffer buffer, std::uint32_t index) const;

    const Schedule& schedule_;
    std::vector<std::size_t> first_;  // by rank and home buffer
    std::vector<Chunk> chunks_;
};

}  // namespace weft
