#include "platform/applications/fabric/fabric_limit.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "platform/assembly/link_results.h"

namespace weft {

namespace {

constexpr double held_up = 0.5;
constexpr double in_queues = 1.5;  // times as long as a transaction by itself

// Adapters are found wherever they stand: a plug-in need not tell of its own.
void find_adapters(const std::vector<sc_core::sc_object*>& objects, std::vector<const AdapterLimits*>& out)
{
    for (const sc_core::sc_object* object : objects) {
        if (const auto* adapter = dynamic_cast<const AdapterLimits*>(object)) out.push_back(adapter);
        find_adapters(object->get_child_objects(), out);
    }
}

// By node, links to the nearest accelerator.
std::vector<unsigned> distances(const Graph& graph)
{
    constexpr unsigned far = ~0U;
    std::vector<unsigned> out(graph.node_count(), far);
    std::vector<NodeId> front;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const Component* const component = graph.node(node).component;
        if (component == nullptr || component->choice != Choice::xpu) continue;
        out[node] = 0;
        front.push_back(node);
    }
    for (std::size_t i = 0; i < front.size(); ++i)
        for (const Neighbour& next : graph.neighbours(front[i])) {
            if (out[next.node] != far) continue;
            out[next.node] = out[front[i]] + 1;
            front.push_back(next.node);
        }
    return out;
}

bool leaves_a_switch(const FabricModules& fabric, const LinkResult& link)
{
    return std::any_of(fabric.switches().begin(), fabric.switches().end(),
        [&](const FabricModules::SwitchPlace& place) { return place.path == link.from; });
}

std::string name_of(const LinkResult& link) { return link.name + " from " + link.from; }

}  // namespace

std::optional<FabricLimit> busiest_link(const FabricModules& fabric, const Graph& graph, Time now, Time span)
{
    constexpr double alike = 0.9;
    const std::vector<unsigned> distance = distances(graph);
    std::vector<LinkResult> links = link_results(fabric, graph, now);
    links.erase(std::remove_if(links.begin(), links.end(),
                    [&](const LinkResult& link) { return !leaves_a_switch(fabric, link); }),
        links.end());
    Time most = 0;
    for (const LinkResult& link : links) most = std::max(most, link.busy_ps);
    std::optional<FabricLimit> out;
    unsigned nearest = ~0U;
    for (const LinkResult& link : links) {
        if (static_cast<double>(link.busy_ps) < alike * static_cast<double>(most)) continue;
        const std::optional<NodeId> to = graph.find(link.to);
        const unsigned left = to ? distance[*to] : 0;
        const double share = static_cast<double>(link.busy_ps) / static_cast<double>(span);
        if (out && (left > nearest || (left == nearest && share <= out->share))) continue;
        nearest = left;
        out = FabricLimit{LimitSide::link, name_of(link), "", share, 0, 0, "", 0};
    }
    return out;
}

const std::vector<std::string>& limit_side_names()
{
    static const std::vector<std::string> names{"unknown", "link", "adapter", "model", "card", "replay"};
    return names;
}

std::string FabricLimit::text() const
{
    const double percent = 100 * share;
    const std::string served = service.empty() ? "" : "; " + service;
    switch (side) {
    case LimitSide::link:
        return fmt::format("link {} is busy {:.1f} % of the time", name, percent) +
            (others == 0 ? ""
                    : share < full_link
                    ? fmt::format("; {} other{} full", others, others == 1 ? " is" : "s are")
                    : fmt::format(", and {} other{} as good as full", others, others == 1 ? " is" : "s are")) +
            (asked == 0 ? "" : fmt::format("; load 1 asks for {:.3g} times what it carries", asked));
    case LimitSide::adapter:
        return fmt::format(
            "adapter {}: {}, {:.1f} % of the time{}; the adapter causes this limit, not the model behind it", name,
            what, percent, served);
    case LimitSide::model:
        return fmt::format("the model behind adapter {}, or what follows it: {}, {:.1f} % of the time{}", name, what,
            percent, served);
    case LimitSide::card:
        return fmt::format("network card {} starts messages {:.1f} % of the time, at its rate (message_interval)", name,
            percent);
    case LimitSide::replay:
        return fmt::format("link {} repeats packets after bit errors: it went back {} times in the second half of the "
                           "run, and was busy "
                           "{:.1f} % of it",
            name, replays, percent);
    case LimitSide::unknown: break;
    }
    return fmt::format("no link is full (the busiest, {}, is busy {:.1f} % of the time) and no adapter delays "
                       "transactions: the switches or the buffer credits are the limit",
        name, percent);
}

LimitProbe::LimitProbe(EventQueue& event_queue, const FabricModules& fabric, const Graph& graph, Time from, Time to)
    : TimedComponent(event_queue, "limit_probe"), fabric_(fabric), graph_(graph), from_(from), to_(to),
      distance_(distances(graph))
{
    begin_.kind = 0;
    end_.kind = 1;
    event_queue.schedule(begin_, *this, from);
    event_queue.schedule(end_, *this, to);
}

void LimitProbe::run(ScheduledItem& item)
{
    (item.kind == 0 ? before_ : after_) = look(event_queue().now());
    event_queue().without_effect();
}

std::vector<FabricLinkUse> LimitProbe::uses(std::optional<Time> end) const
{
    std::vector<FabricLinkUse> out;
    const std::vector<Held> all = end ? look(*end) : std::vector<Held>{};
    for (std::size_t i = 0; i < std::min(before_.size(), after_.size()); ++i) {
        const Held& held = after_[i];
        if (held.side != LimitSide::link) continue;
        const double carried = static_cast<double>(held.time - before_[i].time) / static_cast<double>(to_ - from_);
        const Held& last = end ? all[i] : held;
        const double needed = end ? static_cast<double>(last.time) / static_cast<double>(to_) : 0;
        out.push_back({held.name, std::min(carried, 1.0), needed, last.lines, held.left});
    }
    return out;
}

std::vector<LimitProbe::Held> LimitProbe::look(Time now) const
{
    std::vector<Held> out;
    for (const LinkResult& link : link_results(fabric_, graph_, now)) {
        const bool inner = leaves_a_switch(fabric_, link);
        const std::optional<NodeId> to = graph_.find(link.to);
        out.push_back({LimitSide::link, name_of(link), "", link.busy_ps, inner, to ? distance_[*to] : 0, {},
            link.retry ? link.retry->replays : 0, link.lines});
    }
    for (const FabricModules::SwitchPlace& place : fabric_.switches())
        for (const Statistic& statistic : place.module->statistics())
            if (statistic.name == "message_busy")
                out.push_back(
                    {LimitSide::card, place.path, "", static_cast<Time>(statistic.value), false, 0, {}, 0, 0});
    std::vector<const AdapterLimits*> adapters;
    find_adapters(sc_core::sc_get_top_level_objects(), adapters);
    for (const AdapterLimits* adapter : adapters)
        for (const AdapterLimit& limit : adapter->limits(now))
            out.push_back({limit.own ? LimitSide::adapter : LimitSide::model, limit.name, limit.what, limit.held, false,
                0, limit.service, 0, 0});
    return out;
}

// Says how long transactions took in between, and whether they queued.
void LimitProbe::tell_service(FabricLimit& limit, const ServiceTime& before, const ServiceTime& after)
{
    const auto transactions = static_cast<double>(after.transactions() - before.transactions());
    if (limit.name.empty() || transactions == 0) return;
    const double taken = static_cast<double>(after.taken() - before.taken());
    const double alone = static_cast<double>(after.alone() - before.alone());
    if (limit.side == LimitSide::adapter && taken > in_queues * alone) limit.side = LimitSide::model;
    limit.service = fmt::format("transactions take {:.4g} ns behind it, {:.4g} ns where none waits",
        taken / transactions / 1e3, alone / transactions / 1e3);
}

FabricLimit LimitProbe::result() const
{
    FabricLimit busiest;
    FabricLimit inner;  // busiest of the full links that leave switches, of those nearest to an accelerator
    FabricLimit card;
    FabricLimit holder;
    FabricLimit repeats;
    std::size_t held_by = 0;
    unsigned full = 0;  // links that leave switches
    unsigned nearest = ~0U;
    for (std::size_t i = 0; i < std::min(before_.size(), after_.size()); ++i) {
        const Held& held = after_[i];
        const double share = static_cast<double>(held.time - before_[i].time) / static_cast<double>(to_ - from_);
        // What a line takes of the wire counts when it is sent: the last one may reach beyond the span.
        const std::uint64_t replays = held.replays - before_[i].replays;
        const FabricLimit limit{held.side, held.name, held.what, std::min(share, 1.0), 0, replays, "", 0};
        if (replays > repeats.replays) repeats = limit;
        const auto take = [&](FabricLimit& largest) {
            if (share > largest.share || largest.name.empty()) largest = limit;
        };
        FabricLimit& largest = held.side == LimitSide::link ? busiest : held.side == LimitSide::card ? card : holder;
        if (&largest == &holder && (share > holder.share || holder.name.empty())) held_by = i;
        take(largest);
        if (!held.inner || share < full_link) continue;
        ++full;
        if (held.left > nearest) continue;
        if (held.left < nearest) inner = limit;
        nearest = held.left;
        take(inner);
    }
    // At load 1 sources fill their own links whatever else is full.
    if (full > 0) {
        inner.others = full - 1;
        return inner;
    }
    if (card.share >= full_link) return card;
    if (busiest.share >= full_link) return busiest;
    if (repeats.replays > 0) {
        repeats.side = LimitSide::replay;
        return repeats;
    }
    if (holder.share >= held_up) {
        tell_service(holder, before_[held_by].service, after_[held_by].service);
        return holder;
    }
    busiest.side = LimitSide::unknown;
    return busiest;
}

}  // namespace weft
