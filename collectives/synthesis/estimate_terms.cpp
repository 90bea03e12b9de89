#include "collectives/synthesis/estimate_terms.h"

#include <algorithm>

#include "base/units.h"

namespace weft {

namespace {

void without_links(CostGraph& graph)
{
    for (CostLink& link : graph.links)
        link.ps_per_byte = link.back_ps_per_byte = link.group_ps_per_byte = link.group_back_ps_per_byte =
            link.push_more_ps_per_byte = link.cold_more_ps_per_byte = link.packet_ps = link.message_ps =
                link.answer_ps = link.signal_ps = link.signal_back_ps = 0;
}

void without_issue(CostGraph& graph)
{
    for (CostRank& rank : graph.ranks) {
        rank.registers = rank.outstanding = rank.issue_ps_per_byte = 0;
        rank.sets = 1;
    }
}

void without_flags(CostGraph& graph)
{
    for (CostRank& rank : graph.ranks) {
        rank.notice_ps = rank.poll_ps = rank.poll_slot_ps = 0;
        rank.packets = {};
    }
}

}  // namespace

std::vector<EstimateTerm> estimate_terms(const Estimate& whole, const Schedule& schedule, const CostGraph& graph,
    const EstimateOptions& options)
{
    CostGraph less = graph;
    auto time = static_cast<std::int64_t>(whole.time_ps);
    std::vector<EstimateTerm> out;
    const auto take = [&](const char* name, void (*away)(CostGraph&)) {
        away(less);
        const auto left = static_cast<std::int64_t>(estimate(schedule, less, options).time_ps);
        out.push_back({name, time - left});
        time = left;
    };
    take("links", without_links);
    take("issue", without_issue);
    take("flags", without_flags);
    std::uint64_t launch = 0;
    for (const CostRank& rank : graph.ranks) launch = std::max(launch, rank.launch_ps);
    out.push_back({"latency", time - static_cast<std::int64_t>(launch)});
    out.push_back({"launch", static_cast<std::int64_t>(launch)});
    std::reverse(out.begin(), out.end());
    return out;
}

std::string text_of(const std::vector<EstimateTerm>& terms)
{
    std::string out;
    for (const EstimateTerm& term : terms) {
        if (term.ps == 0) continue;
        if (!out.empty())
            out += term.ps < 0 ? " - " : " + ";
        else if (term.ps < 0)
            out += "-";
        out += term.name + " " + format_time_ps(static_cast<std::uint64_t>(term.ps < 0 ? -term.ps : term.ps));
    }
    return out;
}

}  // namespace weft
