// The registers of one wavefront: a set for each instruction of a move that is in flight, in order.
//
// Owns: the ring of sets and, with data on, what they hold. Called by: Wavefront, MoveIssue, PacketMoves.
// An instruction has its set from its first load to its last store.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/units/program.h"

namespace weft {

struct RegisterSet {
    const Operation* move = nullptr;
    std::uint64_t offset = 0;  // in every operand
    std::uint32_t bytes = 0;
    std::uint32_t waiting = 0;  // requests without a response
    bool loading = false;       // loads are still to be issued
    std::uint16_t missed = 0;   // waiting requests that have found packets missing

    bool complete() const { return waiting == 0 && !loading; }
};

class RegisterSets {
public:
    // A wavefront starts that has `sets` of them with `data_bytes` of data in all (none with data off).
    void begin(std::uint32_t sets, std::size_t data_bytes)
    {
        head_ = count_ = 0;
        if (sets_.size() != sets) sets_.resize(sets);
        if (data_bytes > 0) data_.resize(data_bytes);
    }

    unsigned in_flight() const { return count_; }
    bool empty() const { return count_ == 0; }
    bool full() const { return count_ == sets_.size(); }

    // The i-th instruction in flight, and the place of its set, which its requests carry in their tags.
    unsigned place(unsigned i) const
    {
        const unsigned size = static_cast<unsigned>(sets_.size());
        const unsigned place = head_ + i;
        return place < size ? place : place - size;
    }
    const RegisterSet& operator[](unsigned i) const { return sets_[place(i)]; }
    const RegisterSet& oldest() const { return sets_[head_]; }
    const RegisterSet& newest() const { return sets_[place(count_ - 1U)]; }
    unsigned newest_place() const { return place(count_ - 1U); }
    unsigned oldest_place() const { return head_; }
    RegisterSet& at(unsigned place) { return sets_[place]; }

    void open(const RegisterSet& set) { sets_[place(count_++)] = set; }
    void retire()
    {
        head_ = static_cast<std::uint8_t>(place(1));
        --count_;
    }

    // Data start at this byte.
    std::uint8_t* data(std::size_t begin) { return data_.data() + begin; }

private:
    std::uint8_t head_ = 0;
    std::uint8_t count_ = 0;
    std::vector<RegisterSet> sets_;
    std::vector<std::uint8_t> data_;  // by set and source
};

}  // namespace weft
