#include "platform/choice/split_links.h"

#include <algorithm>

#include "platform/choice/link_shares.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

namespace {

bool divides_packets(const ResolvedSystem& system, const FabricPlan& plan)
{
    const std::uint64_t run = bytes_in_a_row(system.routing());
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge)
        if (plan.used.edges[edge] && system.has_bandwidth(edge) && system.link(edge).merge == MergeKind::adjacent &&
            adjacent_block(system.link(edge)) > run)
            return true;
    return false;
}

}  // namespace

std::uint64_t bytes_in_a_row(const RoutingSpec& routing)
{
    return spreads(selection_of(routing)) ? routing.stripe : std::numeric_limits<std::uint64_t>::max();
}

SplitLinks::SplitLinks(const ResolvedSystem& system, const FabricPlan& plan,
    const std::vector<std::uint32_t>& endpoints)
{
    constexpr std::size_t partners = 64;
    if (!divides_packets(system, plan)) return;
    const LinkShares paths(plan, system.routing());
    std::vector<double> all(paths.directions(), 0.0);
    shares_.assign(paths.directions(), 0.0);
    const std::size_t step = std::max<std::size_t>(1, endpoints.size() / partners);
    for (std::size_t from = 0; from < endpoints.size(); ++from)
        for (std::size_t next = 1; next < endpoints.size(); next += step)
            paths.for_each(endpoints[from], endpoints[(from + next) % endpoints.size()], false, 1.0,
                [&](std::uint32_t edge, bool forward, double share) {
                    const std::size_t at = 2 * std::size_t{edge} + (forward ? 0 : 1);
                    all[at] += share;
                    if (is_split(share)) shares_[at] += share;
                });
    for (std::size_t at = 0; at < all.size(); ++at)
        if (all[at] > 0) shares_[at] /= all[at];
}

}  // namespace weft
