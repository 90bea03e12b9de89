#include "platform/applications/fabric/fabric_demand.h"

#include <algorithm>
#include <cmath>

#include "platform/applications/fabric/fabric_saturation.h"

namespace weft {

namespace {

bool tells(const FabricPoint& point)
{
    return point.created > 0 &&
        std::any_of(point.uses.begin(), point.uses.end(), [](const FabricLinkUse& use) { return use.needed > 0; });
}

}  // namespace

std::optional<FabricDemand> demand_of(const FabricSweep& sweep)
{
    constexpr double least_allowed = Measurement::missing_share;
    constexpr double deviations = 2;
    constexpr double alike = 3;  // deviations
    std::vector<const FabricPoint*> points;
    for (const FabricPoint* point : points_of(sweep))
        if (tells(*point)) points.push_back(point);
    if (points.empty()) return std::nullopt;
    // At low loads fewer lines share packets, and chance has more weight.
    const double highest = points.back()->created;
    FabricDemand out;
    out.links.resize(points.back()->uses.size());
    out.together = points.back()->together;
    for (const FabricPoint* point : points) {
        if (2 * point->created < highest || point->uses.size() != out.links.size()) continue;
        out.created += point->created;
        for (std::size_t i = 0; i < out.links.size(); ++i) {
            out.links[i].asked += point->uses[i].needed;
            out.links[i].lines += static_cast<double>(point->uses[i].lines);
        }
    }
    const std::vector<FabricLinkUse>& uses = points.back()->uses;
    const FabricDemand::Link* most = nullptr;
    for (std::size_t i = 0; i < out.links.size(); ++i) {
        FabricDemand::Link& link = out.links[i];
        link.name = uses[i].name;
        link.asked /= out.created;
        link.by_chance = link.lines > 0 ? std::sqrt(out.together / link.lines) : 1;
        if (most == nullptr || link.asked > most->asked) most = &link;
    }
    const double still_alike = std::max(least_allowed, alike * most->by_chance);
    double sum = 0;
    unsigned count = 0;
    unsigned nearest = ~0U;
    for (std::size_t i = 0; i < out.links.size(); ++i) {
        const FabricDemand::Link& link = out.links[i];
        if (link.asked < (1 - still_alike) * most->asked) continue;
        sum += link.asked;
        ++count;
        if (uses[i].left >= nearest) continue;
        nearest = uses[i].left;
        out.name = link.name;
    }
    out.asked = sum / count;
    out.interval = deviations * most->by_chance;
    out.allowed = std::max(least_allowed, out.interval);
    return out;
}

bool FabricDemand::keeps(const FabricPoint& point, double load) const
{
    constexpr double least_allowed = 0.05;
    constexpr double deviations = 4;
    for (std::size_t i = 0; i < std::min(links.size(), point.uses.size()); ++i) {
        const Link& link = links[i];
        const double lines = link.lines * load / (2 * created);  // that the half of such a run has there
        if (lines <= 0) continue;
        const double by_chance = std::sqrt(together * (1 / lines + 1 / link.lines));
        if (point.uses[i].carried < (1 - std::max(least_allowed, deviations * by_chance)) * load * link.asked)
            return false;
    }
    return true;
}

}  // namespace weft
