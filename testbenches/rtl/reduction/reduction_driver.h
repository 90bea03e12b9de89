// Drives the unit by hand: one line a clock, and what came out with its clock.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "testbenches/rtl/reduction/reduction_bench.h"

namespace weft::test {

struct SeenLine {
    std::uint64_t clock = 0;
    ReductionOut out;
};

class ReductionDriver {
public:
    ReductionDriver(const ReductionParameters& parameters, ReductionBlock& block)
        : parameters_(parameters), block_(block)
    {
        in.out_ready = (1U << parameters.vcs) - 1;
    }

    // Members 0 .. count - 1 at ports of these numbers, endpoints 100 and up.
    void set_group(unsigned group, unsigned count, ElementType type = ElementType::int32, ReduceOp op = ReduceOp::sum)
    {
        in.cfg_valid = true;
        in.cfg_group = static_cast<std::uint16_t>(group);
        in.cfg_type = static_cast<std::uint8_t>(type);
        in.cfg_op = static_cast<std::uint8_t>(op);
        in.cfg_members.clear();
        in.cfg_endpoints.clear();
        for (unsigned m = 0; m < count; ++m) {
            in.cfg_members.push_back(static_cast<std::uint8_t>(m));
            in.cfg_endpoints.push_back(static_cast<std::uint16_t>(100 + m));
        }
        step();
    }
    // Lines for the next clock; data: the first word.
    void request(unsigned op, unsigned group, std::uint16_t source, std::uint64_t address, std::uint32_t tag,
        std::uint32_t data = 0, unsigned flags = 0)
    {
        in.valid = true;
        in.vc = static_cast<std::uint8_t>(parameters_.vc_group);
        in.port = source >= 100 && source < 100U + parameters_.ports ? static_cast<std::uint8_t>(source - 100) : 0;
        in.line.clear();
        in.line.set_place(static_cast<std::uint16_t>(group_number + group), address);
        in.line.set_rest(source, op, false, 64, 0, flags, tag, false);
        std::memcpy(in.line.data(), &data, sizeof data);
    }
    void respond(const LineBits& copy, unsigned member, std::uint32_t data = 0)
    {
        in.valid = true;
        in.vc = static_cast<std::uint8_t>(parameters_.vc_response);
        in.port = static_cast<std::uint8_t>(member);
        in.line = copy;
        in.line.set_place(static_cast<std::uint16_t>(100 + member), copy.address());
        in.line.set_rest(copy.source(), copy.op(), true, copy.size(), 0, copy.flags(), copy.tag(), false);
        std::memcpy(in.line.data(), &data, sizeof data);
    }
    // One clock with what was put in; returns its number.
    std::uint64_t step()
    {
        block_.cycle(in, out);
        if (out.valid) lines.push_back({clock, out});
        group_credits += out.credit >> parameters_.vc_group & 1U;
        in.valid = false;
        in.cfg_valid = false;
        return clock++;
    }
    void steps(unsigned count)
    {
        for (unsigned i = 0; i < count; ++i) step();
    }

    ReductionIn in;
    ReductionOut out;
    std::uint64_t clock = 0;
    std::vector<SeenLine> lines;
    unsigned group_credits = 0;  // given back so far

private:
    ReductionParameters parameters_;
    ReductionBlock& block_;
};

inline std::uint32_t first_word(const LineBits& line)
{
    std::uint32_t word;
    std::memcpy(&word, line.data(), sizeof word);
    return word;
}

}  // namespace weft::test
