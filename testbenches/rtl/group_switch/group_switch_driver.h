// Drives a switch with a group unit by hand: lines for the next clock at any inputs, outputs that are always ready,
// credits that come back in the clock after a line, and what came out with its clock.
#pragma once

#include <cstring>
#include <vector>

#include "base/element.h"
#include "rtl/group_switch/group_switch_pins.h"
#include "testbenches/rtl/reduction/reduction_scoreboard.h"

namespace weft::test {

class GroupSwitchDriver {
public:
    struct Seen {
        std::uint64_t clock;
        unsigned output;
        unsigned vc;
        LineBits line;
    };

    GroupSwitchDriver(const GroupSwitchParameters& parameters, GroupSwitchBlock& block)
        : parameters_(parameters), block_(block), in_(parameters.outside), out_(parameters.outside),
          credits_(std::size_t{parameters.outside.ports} * parameters.outside.vcs, parameters.outside.depth)
    {
        block_.reset();
        in_.ready = (std::uint64_t{1} << parameters.outside.ports) - 1;
    }

    static std::uint16_t endpoint(unsigned port) { return static_cast<std::uint16_t>(100 + port); }

    // Members at ports 0 .. count - 1, in this order.
    void set_group(unsigned group, unsigned count, ElementType type = ElementType::int32, ReduceOp op = ReduceOp::sum)
    {
        GroupEntry entry{static_cast<std::uint16_t>(group), static_cast<std::uint8_t>(type),
            static_cast<std::uint8_t>(op), {}, {}};
        for (unsigned m = 0; m < count; ++m) {
            entry.members.push_back(static_cast<std::uint8_t>(m));
            entry.endpoints.push_back(endpoint(m));
        }
        block_.set_group(entry);
        step();
    }
    bool can_send(unsigned input, unsigned vc) const { return credits_[input * parameters_.outside.vcs + vc] > 0; }
    void ordinary(unsigned input, unsigned vc, unsigned output, std::uint32_t tag)
    {
        LineBits& line = put(input, vc, std::uint64_t{1} << output);
        line.set_place(endpoint(output), 64);
        line.set_rest(endpoint(input), op_write, false, 64, 0, 0, tag, false);
    }
    // `data`: the first word.
    void request(unsigned input, unsigned op, unsigned group, std::uint64_t address, std::uint32_t tag,
        std::uint32_t data = 0, unsigned flags = 0)
    {
        LineBits& line = put(input, parameters_.vc_group, unit());
        line.set_place(static_cast<std::uint16_t>(group_number + group), address);
        line.set_rest(endpoint(input), op, false, 64, 0, flags, tag, false);
        std::memcpy(line.data(), &data, sizeof data);
    }
    // What the member at the output of `copy` says to it.
    void respond(const Seen& copy, std::uint32_t data = 0)
    {
        LineBits& line = put(copy.output, parameters_.vc_response, unit());
        line = copy.line;
        line.set_rest(copy.line.source(), copy.line.op(), true, copy.line.size(), 0, copy.line.flags(), copy.line.tag(),
            false);
        std::memcpy(line.data(), &data, sizeof data);
    }
    // One clock with what was put in; returns its number.
    std::uint64_t step()
    {
        block_.cycle(in_, out_);
        in_.valid = 0;
        for (unsigned p = 0; p < parameters_.outside.ports; ++p) {
            in_.credit[p] = 0;
            if ((out_.credit_valid >> p & 1U) != 0) ++credits_[p * parameters_.outside.vcs + out_.credit_vc[p]];
            if ((out_.valid >> p & 1U) == 0) continue;
            in_.credit[p] = static_cast<std::uint16_t>(1U << out_.vc[p]);
            lines.push_back({clock, p, out_.vc[p], out_.data[p]});
        }
        return clock++;
    }
    void steps(unsigned count)
    {
        for (unsigned i = 0; i < count; ++i) step();
    }
    const SwitchOut& out() const { return out_; }

    std::uint64_t clock = 0;
    std::vector<Seen> lines;

private:
    std::uint64_t unit() const { return std::uint64_t{1} << parameters_.outside.ports; }
    LineBits& put(unsigned input, unsigned vc, std::uint64_t ports)
    {
        --credits_[input * parameters_.outside.vcs + vc];
        in_.valid |= std::uint64_t{1} << input;
        in_.vc[input] = static_cast<std::uint8_t>(vc);
        in_.ports[input] = ports;
        in_.data[input].clear();
        return in_.data[input];
    }

    GroupSwitchParameters parameters_;
    GroupSwitchBlock& block_;
    SwitchIn in_;
    SwitchOut out_;
    std::vector<unsigned> credits_;
};

}  // namespace weft::test
