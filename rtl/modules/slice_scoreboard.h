// The expected responses, contents and write-backs of a cache slice: the scoreboard of a module around a block.
//
// The GPU's memory image changes as requests come, in their order at the slice: that is what programs see, and what
// answers are held against. What DRAM holds is kept apart: contents of before a line's first request, then what the block
// has written back. Fills carry that, so that nothing comes back from memory that the block did not put there.
//
//   answers      to a live request, with its header, the data of that moment, and in order on each line
//   reads        of a line that a request waits for, one at a time, with a tag that is free
//   write-backs  of contents that the line had once all answered requests were carried out, or a later one
//   at the end   DRAM holds what it should, on every line
//
// On the pins a line's address is 64 x its number in the slice. Where memory changes without the slice (an input of a
// later collective in memory that another one has released), the line is a new one to the block: the bits above the number
// count that.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/divider.h"
#include "rtl/common/line_bits.h"
#include "rtl/modules/slice_lines.h"
#include "sc_models/memory/memory_image.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

class SliceScoreboard : public MemoryWatcher {
public:
    using Contents = std::array<std::uint8_t, line_bytes>;

    // Of slice `index` of `slices`, `entries` reads on their way at most.
    SliceScoreboard(MemoryImage& image, std::uint32_t slices, std::uint32_t index, std::uint32_t endpoint,
        std::uint32_t entries);

    struct Flight {
        Line* line = nullptr;
        LineBits request;
        LineBits answer;  // as it should be
        Contents before;  // of its line
        std::uint64_t number = 0;
        Time entered = 0;
        std::uint32_t next = SliceLines::none;  // of the same line
        bool apart = false;                     // its line's memory was released meanwhile, and is in use again
    };

    // A request has come: it is carried out in the memory image. Its tag.
    std::uint32_t enter(Line& line, Time now);
    // The request that `bits` answer; null: `problem` says what is wrong with them.
    Flight* answered(const LineBits& bits, std::string& problem);
    void free(std::uint32_t tag);
    Flight& at(std::uint32_t tag) { return flights_[tag]; }
    std::uint32_t inside() const { return inside_; }

    // What the block asks of memory; what is wrong with it, or nothing.
    std::string read(const LineBits& bits);
    std::string wrote(const LineBits& bits);
    // The line that the block asked for with tag `entry`, as memory sends it; then the block has taken it.
    void fill(std::uint32_t entry, LineBits& bits) const;
    void filled(std::uint32_t entry);

    // A line on the pins, in the GPU's address space.
    std::uint64_t address_of(const LineBits& bits) const;
    // Memory changes, or is forgotten, without the slice: what the block holds of it no longer counts.
    void on_bypass(std::uint64_t local, std::uint64_t bytes) override;
    // When nothing is inside and nothing in the block is dirty: the first line that DRAM lost, empty if none.
    std::string lost_line();

private:
    struct Fill {
        bool busy = false;
        std::uint64_t line = 0;  // on the pins
        Contents data;
    };
    static constexpr std::uint32_t none = SliceLines::none;

    std::uint64_t number_of(std::uint64_t local) const { return slices_.quotient(local / line_bytes); }
    std::uint64_t local_of_number(std::uint64_t number) const;
    std::uint64_t pin_line(std::uint64_t number, const SliceLines::State& state) const;
    SliceLines::State& touch(std::uint64_t number);
    void release(std::uint64_t number, SliceLines::State& state);
    void set_bits(Flight& flight, std::uint32_t tag, const SliceLines::State& state);

    MemoryImage& image_;
    MemoryImage dram_;      // by number in the slice, as all below
    MemoryImage released_;  // contents when memory was
    Divider slices_;
    std::uint32_t index_;
    std::uint16_t endpoint_;
    SliceLines lines_;
    std::vector<Flight> flights_;
    std::uint32_t first_free_ = none;  // by `next`
    std::uint32_t inside_ = 0;
    std::vector<Fill> fills_;  // by entry
};

}  // namespace weft
