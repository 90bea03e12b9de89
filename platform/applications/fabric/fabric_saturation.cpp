#include "platform/applications/fabric/fabric_saturation.h"

#include <algorithm>
#include <cmath>

#include "platform/applications/fabric/fabric_demand.h"

namespace weft {

std::vector<const FabricPoint*> points_of(const FabricSweep& sweep)
{
    std::vector<const FabricPoint*> out;
    for (const FabricPoint& point : sweep.points) out.push_back(&point);
    if (sweep.whole() && (out.empty() || out.back()->load < sweep.full.load)) out.push_back(&sweep.full);
    return out;
}

FabricSaturation saturation_of(const FabricSweep& sweep)
{
    const std::vector<const FabricPoint*> all = points_of(sweep);
    if (all.empty()) return {};
    // With one destination a sender's rate is that of its traffic: there senders tell it all.
    const bool several = sweep.setting.several;
    const std::optional<FabricDemand> of_links = demand_of(sweep);
    const std::optional<FabricDemand> demand = several ? of_links : std::nullopt;
    FabricSaturation out;
    std::size_t first = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i]->arrival.steady && (!demand || demand->can_carry(std::min(all[i]->load, all[i]->created)))) {
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
    out.load = out.above = beyond.load;
    out.known = demand || !several;
    // A load of the pattern, and no less of it anywhere.
    const auto holds = [&](double load) {
        return !several || (demand && demand->can_carry(load) && demand->keeps(beyond, load));
    };
    // Far beyond saturation buffers fill with lines that wait, and let others pass for as long: such loads tell no bound.
    const double least =
        beyond.accepted > 0 ? beyond.least * std::max(0.0, 1 - beyond.accepted_half_width / beyond.accepted) : 0;
    if (holds(least)) out.least = least;
    out.half_width = beyond.accepted_half_width;
    if (of_links && of_links->most() < out.above) {
        out.above = std::max(out.sustained.value_or(0), of_links->most());
        out.least = std::min(out.least, out.above);
        out.full_link = of_links->name;
    }
    // By chance n senders differ sqrt(n) times as much as their sum, of whose deviations an interval is two: of all of them sqrt(2) times
    // that is allowed, of the one that gets least three deviations.
    const double interval = beyond.accepted > 0 ? beyond.accepted_half_width / beyond.accepted : 1;
    const double by_chance = std::sqrt(static_cast<double>(sweep.setting.senders)) * interval / 2;
    const double least_share = std::min(least_sender, 1 - 3 * by_chance);
    out.alike = beyond.jain >= std::min(alike_senders, 1 / (1 + 2 * by_chance * by_chance)) &&
        beyond.least >= least_share * beyond.accepted;
    // Those that are not held up have what they offer, which tells nothing of the fabric. Among senders that are alike it is by chance who is.
    const double held_up = demand && out.alike ? beyond.accepted : beyond.held_up_accepted.value_or(beyond.accepted);
    out.accepted = std::min(std::max(out.at_least(), held_up), std::min(beyond.offered, beyond.load));
    // Where every sender has what fills the link, and no link carried less than that asks of it, unequal senders are no matter.
    const bool link_tells = demand && !out.full_link.empty() && beyond.least >= least_sender * out.above &&
        demand->keeps(beyond, out.above);
    const auto take_link = [&] {
        out.by_link = true;
        out.accepted = out.above;
        out.half_width = demand->interval * out.accepted;
    };
    if (demand && (!demand->can_carry(out.accepted) || (!out.alike && link_tells))) {
        out.alike = beyond.least >= least_sender * out.above;
        take_link();
    }
    // Where some senders are held up and others go on, what the former have is no load that all could have.
    out.near = out.above <= near_loads * std::max(out.at_least(), holds(beyond.least) ? beyond.least : 0);
    out.kept = holds(out.accepted);
    // Between two loads so near to each other, what fills the link is known better than by the lower one.
    if (demand && !out.by_link && out.near && !(out.alike && out.kept) && !out.full_link.empty()) take_link();
    return out;
}

std::optional<FabricLimit> limit_of(const FabricSweep& sweep)
{
    constexpr double beyond_chance = 1.05;
    constexpr double nearly_full = 0.9;
    std::optional<FabricLimit> out = sweep.full.limit;
    const std::optional<FabricDemand> demand = demand_of(sweep);
    if (!out || !demand || demand->asked < beyond_chance) return out;
    if (out->side != LimitSide::link && demand->asked * saturation_of(sweep).accepted < nearly_full) return out;
    unsigned others = 0;
    for (const FabricLinkUse& use : sweep.full.uses) {
        if (use.name == demand->name)
            out->share = use.carried;
        else if (use.carried >= full_link)
            ++others;
    }
    out->side = LimitSide::link;
    out->name = demand->name;
    out->what = out->service = "";
    out->others = others;
    out->asked = demand->asked;
    return out;
}

const char* name_of(FabricState state)
{
    constexpr const char* names[] = {"steady", "unsettled", "saturated"};
    return names[static_cast<std::size_t>(state)];
}

FabricState state_of(const FabricPoint& point, const FabricSaturation& saturation)
{
    if (saturation.reached && point.load >= saturation.load) return FabricState::saturated;
    return point.arrival.steady ? FabricState::steady : FabricState::unsettled;
}

}  // namespace weft
