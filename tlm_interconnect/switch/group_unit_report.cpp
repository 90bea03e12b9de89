// What the unit for groups says of itself: operations that wait, statistics.
#include <algorithm>

#include <fmt/format.h>

#include "tlm_interconnect/switch/group_unit.h"
#include "tlm_interconnect/switch/switch_statistics.h"

namespace weft {

std::string GroupUnit::missing(const Context& context) const
{
    const GroupTier& group = groups_[context.group];
    if (context.stage == Stage::raised) return "the combination of all switches";
    if (context.stage == Stage::written) return "the members of other switches";
    if (context.op == LineOp::multicast || context.unsent > 0)
        return fmt::format("{} copies to leave and {} acknowledgements", context.unsent, context.pending);
    std::string out;
    for (std::size_t m = 0; m < group.members.size(); ++m)
        if (context.lines[m] == nullptr)
            out += (out.empty()            ? group.spine() ? "the switch of endpoint " : "endpoint "
                           : group.spine() ? ", of endpoint "
                                           : ", ") +
                std::to_string(group.members[m]);
    return out;
}

std::vector<std::string> GroupUnit::blocked() const
{
    std::vector<std::string> out;
    for (const Context& context : contexts_)
        if (context.open && context.pending > 0)
            out.push_back(fmt::format("{} at {:#x} of group {:#x} waits for {}", name_of(context.op),
                local_of(context.address), groups_[context.group].id, missing(context)));
    for (const Share& share : shares_)
        if (!share.waiting.empty())
            out.push_back(fmt::format("{} operations on groups wait for one of {} contexts", share.waiting.size(),
                context_limit_));
    if (contributions_waiting_ > placed_)
        out.push_back(fmt::format(
            "{} of their contributions keep their input slots; all switch.waiting_contributions = {} places are in use",
            contributions_waiting_ - placed_, places_));
    return out;
}

bool GroupUnit::overdue(Time now) const
{
    if (timeout_ == 0) return false;
    return std::any_of(contexts_.begin(), contexts_.end(), [&](const Context& context) {
        return context.open && context.op == LineOp::reduce && context.pending > 0 && now - context.since > timeout_;
    });
}

void GroupUnit::add_statistics(std::vector<Statistic>& out) const
{
    StatisticWriter write(group_unit_statistics(), out);
    write("group_operations", operations_);
    write("group_copies", copies_);
    write("group_contexts_peak", peak_);
    write("group_waits", waited_);
    // Bookings drop parts of a picosecond where the adder is idle between them.
    write("adder_busy", static_cast<Time>(static_cast<double>(added_) * 1e12 / static_cast<double>(adder_.rate())));
    if (std::any_of(groups_.begin(), groups_.end(), [](const GroupTier& group) { return group.leaf(); }))
        StatisticWriter(group_leaf_statistics(), out)("group_raised", raised_);
}

void GroupUnit::reset_statistics()
{
    operations_ = copies_ = raised_ = waited_ = added_ = 0;
    peak_ = contexts_in_use();
}

}  // namespace weft
