// A wavefront program: what one workgroup does, as operations over address ranges that are cut into
// lines as they issue.
#pragma once

#include <cstdint>
#include <vector>

#include "base/element.h"

namespace weft {

struct Operation {
    enum class Kind : std::uint8_t {
        move,    // loads every source, reduces them in the order listed, stores to every destination
        signal,  // adds 1 to the flag at `address`; earlier stores of the workgroup are acknowledged by then
        wait,    // until the flag at `address` is at least `value`
        compute  // busy for `value` ps
    };

    Kind kind = Kind::move;
    ElementType type = ElementType::u8;
    ReduceOp reduction = ReduceOp::sum;
    bool with_previous = false;       // a move that issues right behind the move before it, without its drain
    std::uint32_t first_operand = 0;  // into Program::operands: sources, then destinations
    std::uint16_t sources = 0;        // 0: zeros are stored
    std::uint16_t destinations = 0;   // 0: loaded data are dropped
    std::uint64_t bytes = 0;          // of every operand
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::uint32_t label = 0;          // of whoever made the program, for reports
};

struct Program {
    std::vector<Operation> operations;
    std::vector<std::uint64_t> operands;  // global addresses

    std::uint32_t most_sources = 1;       // of any move

    static constexpr unsigned max_sources = 255;

    void add_move(const std::vector<std::uint64_t>& sources, const std::vector<std::uint64_t>& destinations,
        std::uint64_t bytes, ElementType type, ReduceOp reduction, std::uint32_t label = 0,
        bool with_previous = false);
    void add_signal(std::uint64_t flag, std::uint32_t label = 0);
    void add_wait(std::uint64_t flag, std::uint64_t value, std::uint32_t label = 0);
    void add_compute(std::uint64_t ps, std::uint32_t label = 0);
};

}  // namespace weft
