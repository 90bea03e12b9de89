// One wavefront on a compute unit: where it is in its program, and its instructions in flight.
//
// ProgramFlow starts its operations; MoveIssue and PacketMoves carry out its moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "gpu/units/program.h"
#include "gpu/units/register_sets.h"
#include "gpu/units/stall_account.h"
#include "gpu/units/workgroup.h"

namespace weft {

// The progress of one instruction that is being issued: one operand, cut into requests.
struct Cursor {
    std::uint32_t operand = 0;
    std::uint32_t position = 0;  // bytes done
};

struct Wavefront {
    const Operation* operation = nullptr;  // nullptr: nothing left to start
    Workgroup* group = nullptr;
    std::uint64_t instruction = 0;  // move: number of its next instruction
    Cursor load;
    Cursor store;
    std::uint32_t next = 0;    // operation to start after it
    std::uint32_t repeat = 0;  // where it is in a run of signals or waits; of wavefront zero
    std::uint8_t number = 0;   // within the workgroup
    std::uint8_t context = 0;  // on the unit
    bool to_issue = false;     // a request of wavefront zero's operation
    bool at_barrier = false;
    RegisterSets sets;
    StallAccount stall;

    // It is number `of` in its workgroup, and starts its first operation next.
    void begin(Workgroup& workgroup, std::uint32_t of)
    {
        operation = nullptr;
        group = &workgroup;
        load = store = Cursor{};
        next = repeat = 0;
        number = static_cast<std::uint8_t>(of);
        to_issue = false;
    }

    bool at(Operation::Kind kind) const { return operation != nullptr && operation->kind == kind; }

    // Begins its next operation, or the next of a run; false when there is none.
    bool begin_next()
    {
        const std::vector<Operation>& operations = group->program->operations;
        if (number == 0 && operation != nullptr && repeat < operation->more()) {
            ++repeat;
            return true;
        }
        if (next == operations.size()) return false;
        operation = &operations[next++];
        repeat = 0;
        return true;
    }
    // The present signal or wait, or the `ahead`-th behind it.
    struct Word {
        std::uint64_t address;
        std::uint64_t value;
        std::uint32_t label;
    };
    Word word(std::uint32_t ahead = 0) const
    {
        const Operation* at = operation;
        std::uint32_t place = repeat + ahead;
        while (place > at->more()) {
            place -= at->more() + 1;
            ++at;
        }
        return {at->address_of(place), at->value, at->label_of(place)};
    }
    // Past `count` of them, the present one not among them.
    void skip_words(std::uint32_t count)
    {
        repeat += count;
        while (repeat > operation->more()) {
            repeat -= operation->more() + 1;
            operation = &group->program->operations[next++];
        }
    }

    // The number of its first one in the present move.
    std::uint64_t first_instruction() const
    {
        if (operation->turn == 0) return number;
        const std::uint32_t wavefronts = group->wavefronts;
        return (number + wavefronts - operation->turn % wavefronts) % wavefronts;
    }

    bool has_instruction() const
    {
        return at(Operation::Kind::move) && group->begin_of(*operation, instruction) < operation->bytes;
    }
    bool can_store() const { return !sets.empty() && sets.oldest().complete() && sets.oldest().move->destinations > 0; }
    bool can_issue() const
    {
        if (to_issue || can_store()) return true;
        if (!sets.empty() && sets.newest().loading) return true;
        return !sets.full() && has_instruction();
    }
    // All of the present move is issued and has its data.
    bool move_over() const { return sets.empty() && at(Operation::Kind::move) && !has_instruction(); }

    // Takes registers for the next instruction of the move.
    void open_instruction()
    {
        const std::uint64_t begin = group->begin_of(*operation, instruction);
        const std::uint64_t end = std::min(operation->bytes, group->begin_of(*operation, instruction + 1));
        instruction += group->wavefronts;
        sets.open({operation, begin, static_cast<std::uint32_t>(end - begin), 0, operation->sources > 0});
    }
    // Goes on to the next move if that one need not wait for the data of this one.
    void pass_on()
    {
        const std::vector<Operation>& operations = group->program->operations;
        while (!has_instruction() && next < operations.size() && operations[next].with_previous) {
            operation = &operations[next++];
            instruction = first_instruction();
        }
    }
    // All loads of an operand, and all stores of one, are issued.
    void operand_loaded(RegisterSet& set)
    {
        load.position = 0;
        if (++load.operand < set.move->sources) return;
        load.operand = 0;
        set.loading = false;
        pass_on();
    }
    void operand_stored(const Operation& move)
    {
        store.position = 0;
        if (++store.operand < move.destinations) return;
        store.operand = 0;
        sets.retire();
    }
    std::uint8_t* registers(unsigned set, unsigned source) { return sets.data(group->register_begin(set, source)); }
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
