// Links: figures of their protocol, how an accelerator's links are shared over its edges, what the document says, and
// buffers that nobody stated.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/configuration/resolution/resolver.h"
#include "platform/configuration/tables/link_rate.h"

namespace weft {

namespace {

std::size_t link_parameter(const char* name) { return *info_of(block_of<LinkSpec>()).find(name); }

// A transfer rate: bytes only with lanes and encoding.
bool is_per_lane(const EdgeKind& kind)
{
    return kind.bandwidth && !kind.bytes_per_second && std::string_view(symbol_of(kind.bandwidth->unit)) == "GT/s";
}

}  // namespace

// That the description says an edge is; 0: it says none, or lanes.
std::uint64_t Resolver::links_described(EdgeId edge)
{
    const auto [entry, fresh] = links_described_.try_emplace({graph_.edge(edge).kind, choice_of_[edge]}, 0);
    const LinkKind& kind = kind_of(edge);
    if (fresh && !describes_lanes(kind, description_of(edge)))
        entry->second = described_links(kind, description_of(edge)).count;
    return entry->second;
}

// Links that no description counts are shared by the edges without such a description. Where descriptions count more links than the
// accelerator has, or leave none for other edges, they speak of all edges together: all share.
Resolver::Share Resolver::share_of(NodeId node, EdgeId edge)
{
    const Profile* profile = profile_of_[node];
    if (!in_scale_up_family(choice_of(edge).family, profile)) return {};
    const auto found = fabric_edges_.find(node);
    if (found == fabric_edges_.end()) return {profile, 0, 0, true};  // a memory, which has no number of links
    const FabricEdges& edges = found->second;
    const bool described = links_described(edge) > 0;
    if (!profile->scale_up.links) return {profile, edges.all, 0, described};
    const std::uint64_t links = profile->scale_up.links->value;
    const std::uint32_t others = edges.all - edges.described;
    if (edges.links > links || (edges.links == links && others > 0)) return {profile, edges.all, links, false};
    return {profile, others, links - edges.links, described};
}

void Resolver::make_links()
{
    for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge) {
        const Share a = share_of(graph_.edge(edge).a, edge);
        const Share b = share_of(graph_.edge(edge).b, edge);
        const auto [entry, fresh] =
            link_variants_.try_emplace(std::make_tuple(graph_.edge(edge).kind, choice_of_[edge], a, b), no_variant);
        if (fresh) entry->second = make_link(edge, a, b);
        system_.link_slot(edge) = entry->second;
        if (system_.has_bandwidth(edge) || is_per_lane(graph_.kind(edge))) continue;
        for (const Share& share : {a, b})
            if (share.profile != nullptr && !(share.profile->scale_up.links && share.profile->scale_up.rate))
                system_.without_rate_.emplace(&graph_.kind(edge), share.profile->name);
    }
}

VariantId Resolver::make_link(EdgeId edge, const Share& a, const Share& b)
{
    const std::size_t bandwidth = link_parameter("bandwidth");
    const EdgeKind& document = graph_.kind(edge);
    const LinkChoice& choice = choice_of(edge);
    const LinkKind* kind = &kind_of(edge);

    Variant variant = defaults(block_of<LinkSpec>());
    apply(variant, kind->figures, "link table " + kind->name + ": ");
    variant.sources[bandwidth] = unknown_source;
    if (choice.kind != nullptr && choice.rate_of_table) {
        std::optional<StatedLane> per_lane;
        if (is_per_lane(document)) {
            // As many transfers per second as the same number in GBps is bytes per second.
            if (const auto same = parse_bandwidth(document.bandwidth->number + " GBps"))
                per_lane = StatedLane{bytes_per_second(*same).value_or(0), origin_of(edge, true).text};
        }
        if (per_lane) tell_contradiction(*kind, edge, per_lane->transfers);
        if (const auto figure = bandwidth_of(*kind, description_of(edge), per_lane))
            apply(variant, {{bandwidth, *figure}}, "link table " + kind->name + ": ");
    }
    std::uint64_t smallest = 0;
    // Whether the description states lanes, or so many links that each end has as many.
    const bool described = describes_lanes(*kind, description_of(edge)) ||
        (links_described(edge) > 0 && (a.profile == nullptr || a.described) && (b.profile == nullptr || b.described));
    for (const Share& share : {a, b}) {
        // No share stands for a rate that the document states, if only for a lane.
        if (share.profile == nullptr || is_per_lane(document) || described) continue;
        const Profile::ScaleUp& fabric = share.profile->scale_up;
        if (!fabric.links || !fabric.rate) continue;
        // At this end the description holds, at the other one it does not.
        const std::uint64_t links = share.described ? links_described(edge) : share.links;
        const std::uint32_t edges = share.described ? 1 : share.edges;
        if (links == 0) continue;
        // At most 1024 links of 100 TB/s: far from overflow.
        const std::uint64_t rate = std::max<std::uint64_t>(links * fabric.rate->value / edges, 1);
        if (smallest != 0 && rate >= smallest) continue;
        smallest = rate;
        const Figure figure{rate,
            fmt::format("{}{} x {} over {} edge{}: {}",
                links == fabric.links->value ? "" : fmt::format("{} of ", links), fabric.links->value,
                format_rate(fabric.rate->value), edges, edges == 1 ? "" : "s", fabric.rate->source_text()),
            fabric.rate->grade, {}, std::max(fabric.links->line, fabric.rate->line)};
        apply(variant, {{bandwidth, figure}}, *share.profile);
    }
    apply_document(variant, edge);
    return pool(block_of<LinkSpec>()).add(std::move(variant));
}

// Where the document states the bandwidth or the latency of an edge. An annotation, or an earlier link of a repeated edge, may have
// the last word.
ValueSource Resolver::origin_of(EdgeId edge, bool bandwidth) const
{
    const EdgeKind& document = graph_.kind(edge);
    const EdgeKind::Place& annotated = bandwidth ? document.bandwidth_from : document.latency_from;
    if (!annotated.file.empty()) return {"annotation of " + annotated.file, annotated.file, annotated.line};
    const auto& valid = bandwidth ? document.bandwidth : document.latency;
    const std::string& file = system_.infrastructure;
    if (const auto* declared = document.declared; declared != nullptr) {
        const auto& stated = bandwidth ? declared->bandwidth : declared->latency;
        if (stated && valid && stated->text() == valid->text())
            return {fmt::format("{}:{} (InfraGraph link {})", file, declared->line, document.link), file,
                declared->line};
    }
    return {fmt::format("{} (attribute {} of the edge)", file, bandwidth ? "bandwidth" : "latency"), file,
        graph_.edge(edge).line};
}

// The document's rate of a lane holds, and what contradicts it is told.
void Resolver::tell_contradiction(const LinkKind& kind, EdgeId edge, std::uint64_t transfers)
{
    const std::uint64_t other = other_transfers(kind, description_of(edge), transfers);
    if (other == 0) return;
    const ValueSource place = origin_of(edge, true);
    const std::string& description = description_of(edge);
    note_once(fmt::format(
        "link {} has {:g} GT/s a lane ({}:{}), its protocol {}{} {:g} GT/s: it runs at {:g} GT/s a lane "
        "with the encoding of {} ({}/{})",
        in_quotes(graph_.kind(edge).link), static_cast<double>(transfers) / 1e9, place.file, place.line, kind.name,
        description.empty() ? "" : " with the description " + in_quotes(description), static_cast<double>(other) / 1e9,
        static_cast<double>(transfers) / 1e9, kind.name, kind.transfer->payload, kind.transfer->coded));
}

void Resolver::apply_document(Variant& variant, EdgeId edge)
{
    const EdgeKind& document = graph_.kind(edge);
    const SourceId of_bandwidth = source(origin_of(edge, true));
    const SourceId of_latency = source(origin_of(edge, false));
    const auto put = [&](const char* name, std::uint64_t value, SourceId from) {
        const std::size_t parameter = link_parameter(name);
        const ParameterInfo& info = *info_of(block_of<LinkSpec>()).parameters[parameter];
        if (value < info.low || value > info.high) {
            const ValueSource& place = system_.sources_[from];
            problem(place.file, place.line,
                fmt::format("{} {} of link {} is out of range", name, refused_text(info, value),
                    in_quotes(document.link)),
                describe_range(info));
            return;
        }
        variant.values[parameter] = value;
        variant.sources[parameter] = from;
    };
    if (document.bytes_per_second)
        put("bandwidth", *document.bytes_per_second, of_bandwidth);
    else if (document.bandwidth && !is_per_lane(document))
        put("bandwidth", 0, of_bandwidth);  // not positive: refused as out of range
    // A wire without any latency would be no place to cut or to buffer: the smallest one instead.
    if (document.latency_ps && *document.latency_ps == 0) {
        const ValueSource& place = system_.sources_[of_latency];
        const std::string text = fmt::format("the latency of link {} ({}:{}) is below 1 ps, and taken as 1 ps",
            in_quotes(document.link), place.file, place.line);
        note_once(text);
    }
    if (document.latency_ps) put("latency", std::max<std::uint64_t>(*document.latency_ps, 1), of_latency);
}

void Resolver::note_once(const std::string& text)
{
    if (std::find(system_.notices.begin(), system_.notices.end(), text) == system_.notices.end())
        system_.notices.push_back(text);
}

// How long a line stays in the receive buffer of `node` before its slot is free again.
std::uint64_t Resolver::dwell(NodeId node) const
{
    const ResolvedSystem::NodeEntry& entry = system_.nodes_[node];
    if (has_memory(entry.role)) {
        const auto values = [&](Block block) { return system_.values(block, system_.variant(node, block)).values; };
        const auto gpu = spec_from<GpuSpec>(values(block_of<GpuSpec>()));
        const auto network = spec_from<NetworkSpec>(values(block_of<NetworkSpec>()));
        const std::uint64_t across =
            network.mesh() ? (network.columns + network.rows - 2) * network.hop_latency : std::uint64_t{0};
        const std::uint64_t own = std::max(gpu.port_to_l2, gpu.port_to_unit) + across;
        return passes_on(node) ? std::max(own, spec_from<SwitchSpec>(values(block_of<SwitchSpec>())).latency) : own;
    }
    if (entry.role == NodeRole::passive) return 0;
    return spec_from<SwitchSpec>(
        system_.values(block_of<SwitchSpec>(), system_.variant(node, block_of<SwitchSpec>())).values)
        .latency;
}

// An accelerator that is joined to another one by a link can forward for it.
bool Resolver::passes_on(NodeId node) const
{
    if (system_.variant(node, block_of<SwitchSpec>()) == no_variant) return false;
    for (const Neighbour& next : graph_.neighbours(node))
        if (has_memory(system_.nodes_[next.node].role)) return true;
    return false;
}

// Whether the link table infers a value rather than to cite it: such a depth is that of one link at its usual latency.
bool Resolver::is_inferred(EdgeId edge, VariantId variant, std::size_t parameter)
{
    const LinkKind& kind = kind_of(edge);
    const auto figure = kind.figures.find(parameter);
    return figure != kind.figures.end() && figure->second.grade == "inferred" &&
        pool(block_of<LinkSpec>()).at(variant).sources[parameter] ==
        source({"link table " + kind.name + ": " + figure->second.provenance(), "", 0});
}

// Credits that nobody stated cover the round trip: wire there and back, the slower end's dwell, and a
// margin. A link is then limited by its rate, not by buffers that no document mentions. Where the longest packet takes longer than the
// margin, three of them want credits: one on the wire, one whose lines gather, and one the other way that acknowledges wait for. A frame
// is as long as its longest packet at least.
void Resolver::size_credits()
{
    constexpr std::uint64_t margin = 100'000;
    constexpr std::uint64_t packets = 3;
    constexpr std::uint64_t line_bytes = 64;
    constexpr std::uint64_t least = 16;
    std::vector<std::uint64_t> dwells;
    for (NodeId id = 0; id < graph_.node_count(); ++id) dwells.push_back(dwell(id));
    std::map<std::pair<VariantId, std::uint64_t>, VariantId> sized;
    for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge) {
        VariantId& slot = system_.link_slot(edge);
        const std::uint64_t stay = std::max(dwells[graph_.edge(edge).a], dwells[graph_.edge(edge).b]);
        const auto [entry, fresh] = sized.try_emplace({slot, stay}, slot);
        if (fresh && system_.has_bandwidth(edge)) {
            const LinkSpec spec = spec_from<LinkSpec>(pool(block_of<LinkSpec>()).at(slot).values);
            const double packet =
                static_cast<double>(std::max(spec.max_payload + spec.header + spec.packet_overhead, spec.frame) *
                    std::max<std::uint64_t>(1, spec.bundle));
            const auto packet_time = static_cast<std::uint64_t>(packet * 1e12 / static_cast<double>(spec.bandwidth));
            const std::uint64_t trip =
                2 * spec.latency + stay + margin + packets * (std::max(margin, packet_time) - margin);
            const double lines = static_cast<double>(trip) * 1e-12 * static_cast<double>(spec.bandwidth) / line_bytes;
            std::string text =
                fmt::format("sized for a round trip of {} at {}", format_time_ps(trip), format_rate(spec.bandwidth));
            for (const char* name : {"request_credits", "response_credits"}) {
                const std::size_t parameter = link_parameter(name);
                const ParameterInfo& info = *info_of(block_of<LinkSpec>()).parameters[parameter];
                if (pool(block_of<LinkSpec>()).at(entry->second).sources[parameter] != default_source) continue;
                const double most = static_cast<double>(info.high);
                if (lines + 1 > most) {
                    text = fmt::format("the most; a round trip of {} at {} asks for {:.0f}", format_time_ps(trip),
                        format_rate(spec.bandwidth), std::ceil(lines + 1));
                    note_once(fmt::format("link.{} of {} is {}, {}: credits limit such links, not their rate", name,
                        edge_name(graph_, edge), info.high, text));
                }
                const auto credits = static_cast<std::uint64_t>(std::min(lines + 1, most));
                entry->second =
                    pool(block_of<LinkSpec>())
                        .changed(entry->second, parameter, std::clamp(credits, std::max(least, info.low), info.high),
                            source({text, "", 0}));
            }
            // So does a replay buffer, of packets of a line each and as many acknowledges of what comes the other way, which come in
            // bunches: a third more. Clocked links have a limit of their own.
            const std::size_t replay = link_parameter("replay_buffer");
            if (spec.retry != RetryKind::none && spec.model == 0 &&
                (pool(block_of<LinkSpec>()).at(entry->second).sources[replay] == default_source ||
                    is_inferred(edge, entry->second, replay))) {
                const std::uint64_t there_and_back = 2 * (spec.latency + packet_time);
                const double packet_bytes = static_cast<double>(line_bytes + 2 * spec.header) / 2 * 3 / 4;
                const double packets_out = std::ceil(
                    static_cast<double>(there_and_back) * 1e-12 * static_cast<double>(spec.bandwidth) / packet_bytes);
                const std::uint64_t high = info_of(block_of<LinkSpec>()).parameters[replay]->high;
                std::string text = fmt::format("sized for a round trip of {} at {}", format_time_ps(there_and_back),
                    format_rate(spec.bandwidth));
                if (packets_out > static_cast<double>(high)) {
                    text = fmt::format("the most; a round trip of {} at {} asks for {:.0f}",
                        format_time_ps(there_and_back), format_rate(spec.bandwidth), packets_out);
                    note_once(fmt::format("link.replay_buffer of {} is {}, {}: it limits such links, not their rate",
                        edge_name(graph_, edge), high, text));
                }
                if (packets_out > static_cast<double>(spec.replay_buffer))
                    entry->second =
                        pool(block_of<LinkSpec>())
                            .changed(entry->second, replay,
                                static_cast<std::uint64_t>(std::min(packets_out, static_cast<double>(high))),
                                source({std::move(text), "", 0}));
            }
        }
        slot = entry->second;
    }
}

}  // namespace weft
