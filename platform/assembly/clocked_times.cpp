#include "platform/assembly/clocked_times.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/time.h"
#include "base/units.h"
#include "platform/configuration/last_word.h"
#include "rtl/modules/link_block_spec.h"
#include "rtl/modules/switch_block_spec.h"

namespace weft {

namespace {

bool is_one_of(const std::string& model, std::initializer_list<const char*> models)
{
    return std::find(models.begin(), models.end(), model) != models.end();
}

bool is_clocked_switch_of(const ResolvedSystem& system, const FabricPlan& plan, NodeId node)
{
    return is_used(plan.used.nodes, node) && system.role(node) == NodeRole::forwarder &&
        is_clocked_switch(system.model(node));
}

std::string rounded(const char* parameter, const char* whose, Time latency, Time clock, Time clocks)
{
    return fmt::format("{} of {} is {:.5g} clocks of {}: {} take {}, {}", parameter, format_time_ps(latency),
        static_cast<double>(latency) / static_cast<double>(clock), format_time_ps(clock), whose, clocks,
        format_time_ps(clocks * clock));
}

}  // namespace

bool is_clocked_link(const std::string& model)
{
    return is_one_of(model, {"reference_link", "rtl_link", "link_lockstep"});
}

bool is_clocked_switch(const std::string& model)
{
    return is_one_of(model, {"reference_switch", "rtl_switch", "switch_lockstep"});
}

void require_clocked_links(const ResolvedSystem& system, const FabricPlan& plan)
{
    const Block block = block_of<LinkSpec>();
    std::set<VariantId> seen;
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge) {
        if (!is_used(plan.used.edges, edge) || !is_clocked_link(system.link_model(edge))) continue;
        if (!seen.insert(system.link_variant(edge)).second) continue;
        const auto wrong = link_block_problem(system.link(edge));
        if (!wrong) continue;
        const Variant& values = system.values(block, system.link_variant(edge));
        std::vector<SourceId> sources;
        for (const char* const parameter : wrong->parameters)
            sources.push_back(values.sources[*info_of(block).find(parameter)]);
        const ValuePlace place =
            last_word(system, sources)
                .value_or(ValuePlace{system.file.empty() ? system.infrastructure : system.file, 0});
        throw InputError(place.file, place.line, wrong->what + ", at " + edge_name(system.graph(), edge),
            wrong->expected);
    }
}

std::vector<std::string> clocked_time_notices(const ResolvedSystem& system, const FabricPlan& plan)
{
    std::set<std::string> out;
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge) {
        if (!is_used(plan.used.edges, edge)) continue;
        if (!is_clocked_link(system.link_model(edge))) continue;
        const LinkSpec& link = system.link(edge);
        const Time clock = link_block_clock(link);
        if (const Time taken = link_block_latency(link); taken * clock != link.latency)
            out.insert(rounded("link.latency", "clocked links", link.latency, clock, taken));
    }
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        if (!is_clocked_switch_of(system, plan, node)) continue;
        const SwitchSpec& spec = system.switch_of(node);
        if (spec.latency % spec.clock != 0)
            out.insert(rounded("switch.latency", "clocked switches", spec.latency, spec.clock,
                (spec.latency + spec.clock - 1) / spec.clock));
    }
    return {out.begin(), out.end()};
}

std::vector<std::string> clocked_group_notices(const ResolvedSystem& system, const FabricPlan& plan)
{
    std::set<std::string> out;
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        if (!is_clocked_switch_of(system, plan, node)) continue;
        const SwitchSpec& spec = system.switch_of(node);
        if (spec.multicast_groups == 0) continue;
        if (spec.queues == QueueKind::fifo)
            out.insert(
                "switch.queues=fifo with operations on groups in clocked switches: a request that finds no room in "
                "the unit holds up the responses behind it, and the run can end in a deadlock; with voq responses have "
                "queues of their own");
        if (spec.group_contexts > most_block_contexts)
            out.insert(fmt::format("switch.group_contexts is {}, but clocked switches have at most {}: they work on {} "
                                   "operations on groups at a time",
                spec.group_contexts, most_block_contexts, most_block_contexts));
    }
    return {out.begin(), out.end()};
}

}  // namespace weft
