#include "rtl/modules/group_traffic.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/modules/line_pins.h"

namespace weft {

GroupEntry GroupTraffic::entry(const SwitchGroup& group, const RouteTable& routes) const
{
    GroupEntry out;
    out.number = static_cast<std::uint16_t>(group.id - first_group);
    if (out.number >= known_.size())
        throw InputError("", 0,
            fmt::format("group {} of a clocked switch that has {} groups", out.number + 1, known_.size()),
            "a larger switch.multicast_groups");
    if (group.type == ElementType::u8)
        throw InputError("", 0, "a clocked switch that combines u8", "elements of int32, fp32 or bf16");
    out.type = static_cast<std::uint8_t>(group.type);
    out.op = static_cast<std::uint8_t>(group.op);
    for (const std::uint16_t member : group.members) {
        const RouteTable::Choice choice = routes.ports_to(member);
        const auto port = static_cast<std::uint8_t>(choice.count == 1 ? choice.port(0) : 0);
        if (choice.count != 1 || std::find(out.members.begin(), out.members.end(), port) != out.members.end())
            throw InputError("", 0,
                fmt::format("endpoint {} of a group behind {} ports of a clocked switch", member, choice.count),
                "a port of its own for each member");
        out.members.push_back(port);
        out.endpoints.push_back(member);
    }
    return out;
}

bool GroupTraffic::leave(unsigned input, unsigned channel, Bound& bound)
{
    std::deque<Bound>& waiting = bound_[std::size_t{input} * channels_ + channel];
    if (waiting.empty()) return false;
    bound = waiting.front();
    waiting.pop_front();
    return true;
}

Line& GroupTraffic::made(const LineBits& bits, std::uint8_t vc, Time now)
{
    Line& line = pool_->take();
    line.begin(static_cast<LineOp>(bits.op()), global_address(bits.destination(), bits.address()), bits.size())
        .source(bits.source())
        .tag(bits.tag())
        .flag(bits.flags());
    line.vc = vc;
    line.issued = now;
    line.push_hop(unit_, 0);
    data_of(bits, LineClass::request, line);
    return line;
}

}  // namespace weft
