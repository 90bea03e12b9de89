#include "platform/workload/trace_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "collectives/schedule/verification/verify.h"
#include "platform/choice/cost_graph_of.h"
#include "platform/workload/chosen_schedule.h"

namespace weft {

namespace {

constexpr std::size_t most_notices = 16;

}  // namespace

std::shared_ptr<const Schedule> TraceChoice::schedule(CollectiveOp op, const std::vector<std::uint32_t>& members,
    std::uint64_t bytes, std::uint32_t channels)
{
    std::shared_ptr<const Schedule>& made = made_[{op, members, bytes, channels}];
    if (made) return made;
    CostGraph graph = cost_graph_of(system_, plan_, members);
    for (const Chosen& one : by_costs_)
        if (one.op == op && one.bytes == bytes && one.channels == channels && same_costs(one.graph, graph))
            return made = one.schedule;
    CollectiveRequest request;
    request.op = op;
    request.algorithm = system_.workload.algorithm;
    request.bytes = bytes;
    request.members = members;
    request.options.channels = channels;
    ChoiceResult choice;
    auto found = chosen_schedule(system_, graph, request, choice, line_).schedule;
    require_right(*found);
    const ChoiceResult::Priced& taken = choice.priced.front();
    const std::string line = fmt::format("{} of {} among {} ranks: {} chosen, estimated {} = {}", name_of(op),
        format_bytes(bytes), members.size(), found->name, format_time_ps(taken.time_ps), text_of(taken.terms));
    if (std::find(chosen_.begin(), chosen_.end(), line) == chosen_.end()) chosen_.push_back(line);
    by_costs_.push_back({op, bytes, channels, std::move(graph), found});
    return made = std::move(found);
}

std::vector<std::string> TraceChoice::notices() const
{
    std::vector<std::string> out(chosen_.begin(),
        chosen_.begin() + static_cast<std::ptrdiff_t>(std::min(chosen_.size(), most_notices)));
    if (out.size() < chosen_.size()) out.push_back(fmt::format("and {} more choices", chosen_.size() - out.size()));
    return out;
}

}  // namespace weft
