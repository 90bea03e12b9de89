// The state of one wavefront on a compute unit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/program.h"

namespace weft {

// Why a wavefront does not issue. Kept for wavefront zero, which stands for its workgroup: it does what no other one
// does and its share of the moves.
enum class StallCause : std::uint8_t {
    none,         // it issues
    issue,        // another one has the issue slot
    registers,    // as many instructions in flight as it has registers for
    loads,        // everything is issued; the last data are on their way
    outstanding,  // the unit has as many lines in flight as it may
    fence,        // acknowledges of stores
    flag,
    barrier,
    compute,
    queued  // the workgroup waits for a unit
};
constexpr unsigned stall_causes = 10;
const char* name_of(StallCause cause);

// Registers of one instruction of a move: from its first load to its last store.
struct RegisterSet {
    const Operation* move = nullptr;
    std::uint64_t offset = 0;  // in every operand
    std::uint32_t bytes = 0;
    std::uint32_t waiting = 0;  // lines without an answer
    bool loading = false;       // loads are still to be issued
    std::uint16_t missed = 0;   // waiting lines that have found packets missing

    bool complete() const { return waiting == 0 && !loading; }
};

// Where one instruction stands that is being issued: one operand, cut into lines.
struct Cursor {
    std::uint32_t operand = 0;
    std::uint32_t position = 0;  // bytes done
};

struct Wavefront {
    const Operation* operation = nullptr;  // nullptr: nothing left to start
    std::uint32_t next = 0;                // operation to start after it
    std::uint32_t group = 0;
    std::uint64_t instruction = 0;  // move: number of its next instruction
    Cursor load;
    Cursor store;
    std::uint8_t number = 0;  // within the workgroup
    std::uint8_t head = 0;    // ring of register sets in use
    std::uint8_t count = 0;
    bool to_issue = false;  // a line of wavefront zero's operation
    bool at_barrier = false;
    StallCause cause = StallCause::none;
    Time cause_since = 0;
    Time full_before = 0;  // time its unit had been at its limit when the cause began
    std::vector<RegisterSet> sets;
    std::vector<std::uint8_t> data;  // by set and source, with data on
    std::array<Time, stall_causes> spent{};

    unsigned place(unsigned behind_head) const
    {
        const unsigned size = static_cast<unsigned>(sets.size());
        const unsigned place = head + behind_head;
        return place < size ? place : place - size;
    }
    RegisterSet& set(unsigned behind_head) { return sets[place(behind_head)]; }
    const RegisterSet& set(unsigned behind_head) const { return sets[place(behind_head)]; }
    void retire()
    {
        head = static_cast<std::uint8_t>(place(1));
        --count;
    }
};

// The wavefronts of a unit by context: a few at a time, made when the first of them is used. They stay where they are.
class Wavefronts {
public:
    static constexpr std::uint32_t contexts = 64;
    static constexpr std::uint32_t block = 8;

    Wavefront& operator[](std::uint32_t context) { return blocks_[context / block][context % block]; }
    const Wavefront& operator[](std::uint32_t context) const { return blocks_[context / block][context % block]; }
    Wavefront& make(std::uint32_t context)
    {
        std::unique_ptr<Wavefront[]>& of = blocks_[context / block];
        if (!of) of = std::make_unique<Wavefront[]>(block);
        return of[context % block];
    }

private:
    std::array<std::unique_ptr<Wavefront[]>, contexts / block> blocks_;
};

}  // namespace weft
