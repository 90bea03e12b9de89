// Lines that chunks share, or that a move touches in part: which stores wait for memory, and which reads do not.
//
// A cache fetches the rest of a line from memory before it acknowledges a store to a part of it, unless it has the line. A move stores parts
// of lines at its ends where its bytes do not end at them, and within where it goes to another place of a line than it comes from.
//
// A line is there for what is ordered behind another access of it, whatever that was; for a store also where another access comes earlier by the
// number of data steps between ranks before it, and for a read (of two lines at most: others have lines of their own) behind one of its thread.
// Accesses that no order ties to each other may each be the first: all of them wait for the same line. Slots of packets are left out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

class SharedLines {
public:
    // For a message of `bytes`. `schedule` must pass verify(), and may hold one of several channels (channels.h).
    SharedLines(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes);

    bool none() const { return fetches_.empty() && finds_.empty(); }
    // Whether stores of the step at rank `at` wait for memory. `thread` counts as in the schedule with all channels (whole() in channels.h).
    bool fetches(std::uint32_t rank, std::uint32_t thread, std::uint32_t step, std::uint32_t at) const;
    // Whether what it reads there is in lines that others have brought.
    bool finds(std::uint32_t rank, std::uint32_t thread, std::uint32_t step, std::uint32_t at) const;
    // The same without stores to buffers, by rank and kind, that are in a cache from the beginning.
    using Buffers = std::vector<std::array<bool, buffer_kinds>>;
    SharedLines without(const Buffers& cached) const;

private:
    struct Access {
        std::uint32_t rank = 0;
        std::uint32_t thread = 0;
        std::uint32_t step = 0;
        std::uint32_t at = 0;  // rank
        Buffer memory = Buffer::input;
    };
    static bool comes_before(const Access& a, const Access& b);
    static void sort(std::vector<Access>& list);
    bool has(const std::vector<Access>& list, std::uint32_t rank, std::uint32_t thread, std::uint32_t step,
        std::uint32_t at) const;

    std::uint32_t channels_;
    std::vector<Access> fetches_;  // in that order, each once
    std::vector<Access> finds_;    // the same
};

}  // namespace weft
