#include "platform/applications/fabric/fabric_saturation.h"

#include <algorithm>
#include <cmath>

namespace weft {

FabricSaturation saturation_of(const FabricSweep& sweep)
{
    std::vector<const FabricPoint*> all;
    for (const FabricPoint& point : sweep.points) all.push_back(&point);
    if (sweep.whole() && (all.empty() || all.back()->load < sweep.full.load)) all.push_back(&sweep.full);
    if (all.empty()) return {};
    FabricSaturation out;
    std::size_t first = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i]->arrival.steady) {
            first = i + 1;
            out.sustained = all[i]->load;
        }
        if (all[i]->accepted > out.most || i == 0) {
            out.most = all[i]->accepted;
            out.most_half_width = all[i]->accepted_half_width;
            out.most_at = all[i]->load;
        }
    }
    out.reached = first < all.size();
    if (!out.reached) {
        out.accepted = out.most;
        out.half_width = out.most_half_width;
        return out;
    }
    const FabricPoint& beyond = *all[first];
    out.load = beyond.load;
    // Far beyond saturation buffers fill with lines that wait, and let others pass for as long: such loads tell no bound.
    if (beyond.accepted > 0) out.least = beyond.least * std::max(0.0, 1 - beyond.accepted_half_width / beyond.accepted);
    out.half_width = beyond.accepted_half_width;
    // Those that are not held up have what they offer, which tells nothing of the fabric.
    out.accepted = std::min(std::max(out.at_least(), beyond.held_up_accepted.value_or(beyond.accepted)),
        std::min(beyond.offered, beyond.load));
    // Where some senders are held up and others go on, what the former have is no load that all could have.
    out.near = out.load <= near_loads * std::max(out.at_least(), beyond.least);
    // By chance n senders differ sqrt(n) times as much as their sum, of whose deviations an interval is two: of all of them sqrt(2) times
    // that is allowed, of the one that gets least three deviations.
    const double interval = out.accepted > 0 ? out.half_width / out.accepted : 1;
    const double by_chance = std::sqrt(static_cast<double>(sweep.setting.senders)) * interval / 2;
    out.alike = beyond.jain >= std::min(alike_senders, 1 / (1 + 2 * by_chance * by_chance)) &&
        beyond.least >= std::min(least_sender, 1 - 3 * by_chance) * beyond.accepted;
    return out;
}

std::optional<FabricLimit> limit_of(const FabricSweep& sweep)
{
    constexpr double beyond_chance = 1.05;
    constexpr double nearly_full = 0.9;
    std::optional<FabricLimit> out = sweep.full.limit;
    const auto point = std::find_if(sweep.points.rbegin(), sweep.points.rend(),
        [](const FabricPoint& of) { return of.arrival.steady && of.busiest && of.offered > 0; });
    if (!out || point == sweep.points.rend()) return out;
    const double asked = point->busiest->share / point->offered;
    if (asked < beyond_chance) return out;
    if (out->side != LimitSide::link && asked * saturation_of(sweep).accepted < nearly_full) return out;
    unsigned others = 0;
    for (const auto& [name, share] : out->links) {
        if (name == point->busiest->name)
            out->share = share;
        else if (share >= full_link)
            ++others;
    }
    out->side = LimitSide::link;
    out->name = point->busiest->name;
    out->what = out->service = "";
    out->others = others;
    out->asked = asked;
    return out;
}

const char* name_of(FabricState state)
{
    constexpr const char* names[] = {"steady", "unsettled", "saturated"};
    return names[static_cast<std::size_t>(state)];
}

FabricState state_of(const FabricPoint& point, const FabricSaturation& saturation)
{
    if (point.arrival.steady) return FabricState::steady;
    return saturation.reached && point.load >= saturation.load ? FabricState::saturated : FabricState::unsettled;
}

}  // namespace weft
