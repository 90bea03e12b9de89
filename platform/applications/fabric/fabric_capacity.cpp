#include "platform/applications/fabric/fabric_capacity.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

// The chances of the destinations of a source.
std::vector<double> chances_of(const PatternSpec& pattern, std::size_t endpoints)
{
    if (endpoints < 2) return {};
    switch (pattern.kind) {
    case PatternKind::uniform:
    case PatternKind::all_to_all: break;
    case PatternKind::hot_spot: {
        const double other = (1 - pattern.fraction) / static_cast<double>(endpoints - 1);
        std::vector<double> out(endpoints - 1, other);
        out.front() += pattern.fraction;
        return out;
    }
    default: return {1};
    }
    return std::vector<double>(endpoints - 1, 1.0 / static_cast<double>(endpoints - 1));
}

// The share of single lines whose region a link direction has not kept: their places are drawn anew for each.
double share_of_missed_regions(const LinkSpec& link, const TrafficSpec& traffic, std::size_t endpoints)
{
    if (link.address_extension == 0) return 0;
    const std::uint64_t bytes = TrafficSpec::region_lines * line_bytes;
    const auto each = static_cast<double>((bytes + link.extension_region - 1) / link.extension_region);
    const std::vector<double> chances = chances_of(traffic.pattern, endpoints);
    const auto ways = static_cast<double>(link.extension_ways);
    if (each * static_cast<double>(chances.size()) <= ways) return 0;
    // Destinations in turn are the least recent ones when they come again.
    if (traffic.pattern.kind == PatternKind::all_to_all)
        return std::max(0.0, 1 - std::floor(ways / static_cast<double>(chances.size())) / each);
    double same = 0;
    for (const double chance : chances) same += chance * chance / each;
    return std::max(0.0, 1 - ways * same);
}

// The lines of the mix on a link, answers included. The address extension is the mean, in whole bytes.
std::vector<FabricCapacity::Part> parts_of(LinkSpec link, const TrafficSpec& traffic, std::size_t endpoints)
{
    link.address_extension = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(link.address_extension) * share_of_missed_regions(link, traffic, endpoints)));
    std::vector<FabricCapacity::Part> out;
    const auto add = [&](const std::string& name, double share, LineOp op, std::uint32_t size, bool answered) {
        if (share <= 0) return;
        out.push_back({name + " request", share, lone_parts(link, op, size, LineClass::request)});
        if (answered) out.push_back({name + " response", share, lone_parts(link, op, size, LineClass::response)});
    };
    add("write", 1 - traffic.reads - traffic.atomics, LineOp::write, traffic.size, !traffic.posted);
    add("read", traffic.reads, LineOp::read, traffic.size, true);
    add("atomic", traffic.atomics, LineOp::atomic, 8, true);
    return out;
}

double mean_bytes(const std::vector<FabricCapacity::Part>& parts)
{
    double out = 0;
    for (const FabricCapacity::Part& part : parts) out += part.share * part.bytes.sum();
    return out;
}

double mean_payload(const TrafficSpec& traffic) { return traffic.atomics * 8 + (1 - traffic.atomics) * traffic.size; }

std::string parts_text(const LoneParts& bytes)
{
    std::string out;
    const auto add = [&](std::uint32_t value, const char* name) {
        if (value > 0) out += fmt::format("{}{} {}", out.empty() ? "" : " + ", value, name);
    };
    add(bytes.payload, "payload");
    add(bytes.header, "header");
    add(bytes.padding, "padding to flits");
    add(bytes.byte_enables, "byte enables");
    add(bytes.atomic, "atomic operands");
    add(bytes.extension, "address extension");
    add(bytes.packet, "packet overhead");
    add(bytes.frames, "frame overhead");
    return out.empty() ? "nothing" : out;
}

}  // namespace

double FabricCapacity::wire_GBps() const
{
    double out = 0;
    for (const Links& group : links) out += group.count * group.GBps;
    return out;
}

double FabricCapacity::wire_bytes() const { return mean_bytes(parts); }

double FabricCapacity::payload_bytes() const { return GBps / wire_GBps() * wire_bytes(); }

FabricCapacity capacity_of(const ResolvedSystem& system, const FabricPlan& plan, const TrafficSpec& traffic,
    const Pattern& pattern)
{
    FabricCapacity out;
    out.single_messages = traffic.message == 1 && has_cards(system, plan);
    double slowest = 0;
    const auto ports = plan.fabric.ports();
    for (std::uint32_t rank = 0; rank < plan.members.size(); ++rank) {
        if (!pattern.takes_part(rank)) continue;
        const NodeId node = plan.members[rank];
        double rate = 0;
        double bytes = 0;
        const LinkSpec* costliest = nullptr;
        std::vector<FabricCapacity::Links> groups;
        for (const Fabric::Port& port : ports[node]) {
            if (!plan.used.edges[port.edge]) continue;
            const LinkSpec& link = system.link(port.edge);
            rate += static_cast<double>(link.bandwidth);
            const double GBps = static_cast<double>(link.bandwidth) * 1e-9;
            const auto group =
                std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.GBps == GBps; });
            if (group == groups.end()) {
                groups.push_back({1, GBps});
            } else {
                ++group->count;
            }
            const double here = mean_bytes(parts_of(link, traffic, plan.members.size()));
            if (here > bytes) costliest = &link;
            bytes = std::max(bytes, here);
        }
        if (rate == 0 || bytes / rate <= slowest) continue;
        slowest = bytes / rate;
        // Thousandths of a byte keep mixes exact enough.
        out.slot_bytes = static_cast<std::uint64_t>(std::llround(bytes * 1000));
        out.slot_rate = static_cast<std::uint64_t>(rate) * 1000;
        out.endpoint = plan.fabric.nodes[node].name;
        out.links = std::move(groups);
        out.parts = parts_of(*costliest, traffic, plan.members.size());
        out.merges = traffic.message > 1 && costliest->merge != MergeKind::none;
    }
    if (slowest == 0) throw InputError(system.file, 0, "no endpoint has a link", "a fabric between endpoints");
    out.GBps =
        mean_payload(traffic) / (static_cast<double>(out.slot_bytes) / static_cast<double>(out.slot_rate)) * 1e-9;
    return out;
}

std::string capacity_text(const FabricCapacity& capacity)
{
    std::string links;
    for (const FabricCapacity::Links& group : capacity.links)
        links += fmt::format("{}{} of {:.6g} GB/s", links.empty() ? "" : " and ", group.count, group.GBps);
    const bool one = capacity.links.size() == 1 && capacity.links.front().count == 1;
    std::string out = fmt::format(
        "  {} has {} {}{} each direction; a transaction of {:.4g} B payload takes {:.4g} B of {}\n", capacity.endpoint,
        one ? "a link" : "links:", one ? fmt::format("of {:.6g} GB/s", capacity.links.front().GBps) : links,
        one ? "" : fmt::format(", {:.6g} GB/s", capacity.wire_GBps()), capacity.payload_bytes(), capacity.wire_bytes(),
        one ? "it" : "them");
    for (const FabricCapacity::Part& part : capacity.parts)
        out += fmt::format("  {:<15} {:>4} B = {}{}\n", part.name, part.bytes.sum(), parts_text(part.bytes),
            part.share < 1 ? fmt::format(", for a share of {:.4g} of the transactions", part.share) : "");
    if (capacity.merges)
        out += "  transactions that share a packet (link.merge) take less, so that more than load 1 may be possible\n";
    if (capacity.single_messages)
        out += "  a network card sends each transaction as a message of its own, with start and headers; --message "
               "makes longer messages\n";
    return out;
}

}  // namespace weft
