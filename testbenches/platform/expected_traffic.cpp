#include "testbenches/platform/expected_traffic.h"

#include <fmt/format.h>

#include "collectives/schedule/layout.h"

namespace weft::testing {

RouteOf dgx_h100_routes()
{
    return [](std::uint32_t from, std::uint32_t to, std::uint64_t line) -> std::vector<std::string> {
        return {fmt::format("dgx_h100.0.xpu.{}", from), fmt::format("dgx_h100.0.nvsw.{}", line % 4),
            fmt::format("dgx_h100.0.xpu.{}", to)};
    };
}

RouteOf mi300x_routes()
{
    return [](std::uint32_t from, std::uint32_t to, std::uint64_t) -> std::vector<std::string> {
        return {fmt::format("mi300x.0.xpu.{}", from), fmt::format("mi300x.0.xpu.{}", to)};
    };
}

RouteOf fat_tree_32_routes()
{
    // Two accelerators per host, four hosts per leaf.
    return [](std::uint32_t from, std::uint32_t to, std::uint64_t line) {
        const std::uint32_t hosts[2] = {from / 2, to / 2};
        const std::uint32_t leaves[2] = {hosts[0] / 4, hosts[1] / 4};
        const auto xpu = [](std::uint32_t rank) { return fmt::format("host.{}.xpu.{}", rank / 2, rank % 2); };
        const auto host = [](std::uint32_t number, const char* part) {
            return fmt::format("host.{}.{}.0", number, part);
        };
        const auto port = [](const char* kind, std::uint32_t number, std::uint64_t place) {
            return fmt::format("{}.{}.port.{}", kind, number, place);
        };
        const auto asic = [](const char* kind, std::uint64_t number) {
            return fmt::format("{}.{}.asic.0", kind, number);
        };

        std::vector<std::string> path{xpu(from), host(hosts[0], "sw")};
        if (hosts[0] != hosts[1]) {
            path.push_back(host(hosts[0], "nic"));
            path.push_back(port("leaf", leaves[0], hosts[0] % 4));
            path.push_back(asic("leaf", leaves[0]));
            if (leaves[0] != leaves[1]) {
                const std::uint64_t spine = line % 4;
                path.push_back(port("leaf", leaves[0], 4 + spine));
                path.push_back(port("spine", static_cast<std::uint32_t>(spine), leaves[0]));
                path.push_back(asic("spine", spine));
                path.push_back(port("spine", static_cast<std::uint32_t>(spine), leaves[1]));
                path.push_back(port("leaf", leaves[1], 4 + spine));
                path.push_back(asic("leaf", leaves[1]));
            }
            path.push_back(port("leaf", leaves[1], hosts[1] % 4));
            path.push_back(host(hosts[1], "nic"));
            path.push_back(host(hosts[1], "sw"));
        }
        path.push_back(xpu(to));
        return path;
    };
}

ExpectedTraffic::ExpectedTraffic(const ResolvedSystem& system, RouteOf routes) : routes_(std::move(routes))
{
    const Graph& graph = system.graph();
    for (EdgeId edge = 0; edge < graph.edge_count(); ++edge) {
        if (!system.has_bandwidth(edge)) continue;
        const LinkSpec& spec = system.link(edge);
        const std::string a = graph.node(graph.edge(edge).a).name;
        const std::string b = graph.node(graph.edge(edge).b).name;
        packets_[{a, b}] = packets_[{b, a}] = {spec.header, spec.flit, spec.byte_enable};
    }
}

const std::vector<ExpectedTraffic::Hop>& ExpectedTraffic::hops(std::uint32_t from, std::uint32_t to, std::uint64_t line)
{
    std::vector<Hop>& found = hops_[{from, to, line % route_period}];
    if (!found.empty()) return found;
    const std::vector<std::string> path = routes_(from, to, line);
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
        found.push_back({&packets_.at({path[i], path[i + 1]}), &carried_[{path[i], path[i + 1]}],
            &carried_[{path[i + 1], path[i]}]});
    return found;
}

void ExpectedTraffic::add(std::uint32_t from, std::uint32_t to, std::uint64_t line, std::uint64_t payload,
    bool partial_store, std::uint64_t count)
{
    if (from == to || count == 0) return;
    for (const Hop& hop : hops(from, to, line)) {
        const Packets& packets = *hop.packets;
        Carried& forward = *hop.forward;
        forward.lines += count;
        forward.payload += count * payload;
        forward.wire += count *
            (packets.header + (payload + packets.flit - 1) / packets.flit * packets.flit +
                (partial_store ? packets.byte_enable : 0));
        Carried& backward = *hop.backward;
        backward.lines += count;
        backward.wire += count * packets.header;
    }
}

void ExpectedTraffic::add_stores(std::uint32_t from, std::uint32_t to, std::uint64_t line, std::uint32_t size,
    std::uint64_t count)
{
    add(from, to, line, size, size < line_bytes, count);
}

void ExpectedTraffic::add_signals(std::uint32_t from, std::uint32_t to, std::uint64_t line, std::uint64_t count)
{
    add(from, to, line, 8, false, count);
}

namespace {

// Signals from one rank to another, for one channel (barriers have no channels).
std::uint64_t signals_between(const TheoryCase& theory, std::uint32_t from, std::uint32_t to)
{
    const std::uint32_t n = theory.ranks;
    const bool neighbour = to == (from + 1) % n;
    if (theory.algorithm == "ring" && theory.op != CollectiveOp::all_to_all) {
        if (!neighbour) return 0;
        switch (theory.op) {
        case CollectiveOp::all_reduce: return 2 * (n - 1);
        case CollectiveOp::broadcast: return to == theory.root ? 0 : theory.pipeline;
        case CollectiveOp::barrier: return from >= n - 2 ? 1 : 2;  // the last release reaches rank n - 2
        default: return n - 1;
        }
    }
    if (theory.op == CollectiveOp::broadcast) return from == theory.root ? 1 : 0;
    return theory.op == CollectiveOp::all_reduce ? 2 : 1;
}

}  // namespace

void ExpectedTraffic::add_by_theory(const TheoryCase& theory, std::uint32_t channels)
{
    constexpr std::uint64_t ways = 4;
    for (std::uint32_t from = 0; from < theory.ranks; ++from)
        for (std::uint32_t to = 0; to < theory.ranks; ++to) {
            if (from == to) continue;
            const std::uint64_t lines = theory_bytes_between(theory, from, to) / line_bytes;
            const std::uint64_t signals = signals_between(theory, from, to);
            for (std::uint64_t way = 0; way < ways; ++way) {
                add_stores(from, to, way, line_bytes, lines / ways);
                if (theory.op != CollectiveOp::barrier) add_signals(from, to, way, signals * channels / ways);
            }
            if (theory.op != CollectiveOp::barrier) continue;
            // One flag for the left neighbour, or one per peer in rank order without the owner.
            const std::uint32_t flag = theory.algorithm == "ring" ? 0 : from < to ? from : from - 1;
            add_signals(from, to, flag, signals);
        }
}

void ExpectedTraffic::add_by_steps(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes)
{
    const Layout layout(schedule, bytes, element_bytes);
    const auto address = [&](const Place& place) {
        std::uint64_t base = 0;
        for (unsigned memory = 0; memory < static_cast<unsigned>(place.memory); ++memory)
            base += (layout.memory_bytes(place.rank, static_cast<Buffer>(memory)) + 63) / 64 * 64;
        return base + place.offset;
    };
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                if (step.kind == StepKind::signal) add_signals(rank, step.peer, step.semaphore);
                if (step.kind != StepKind::move) continue;
                for (const Piece& piece : layout.pieces(step)) {
                    // A store ends at the end of its line or of a wavefront instruction; those are of 512 bytes
                    // from the line on in which the first operand begins.
                    const Place& first = piece.sources.empty() ? piece.destinations[0] : piece.sources[0];
                    const std::uint64_t skew = address(first) % 64;
                    for (const Place& place : piece.destinations)
                        for (std::uint64_t done = 0; done < piece.bytes;) {
                            const std::uint64_t size = std::min(
                                {piece.bytes - done, 512 - (done + skew) % 512, 64 - (address(place) + done) % 64});
                            add_stores(rank, place.rank, (address(place) + done) / 64,
                                static_cast<std::uint32_t>(size));
                            done += size;
                        }
                }
            }
}

std::string ExpectedTraffic::difference(const Json& result) const
{
    std::map<Direction, Carried> left = carried_;
    for (const Json& link : result.at("links")) {
        const Direction direction{link.at("from"), link.at("to")};
        const Carried wanted = left[direction];
        left.erase(direction);
        const auto differs = [&](const char* key, std::uint64_t expected) {
            if (link.at(key) == expected) return std::string();
            return fmt::format("{} -> {}: {} {}, expected {}", direction.first, direction.second, key,
                link.at(key).get<std::uint64_t>(), expected);
        };
        for (const std::string& text : {differs("lines", wanted.lines), differs("payload_bytes", wanted.payload),
                 differs("wire_bytes", wanted.wire)})
            if (!text.empty()) return text;
    }
    for (const auto& [direction, carried] : left)
        if (carried.lines > 0) return direction.first + " -> " + direction.second + " is no link of the result";
    return {};
}

Json ExpectedTraffic::as_result() const
{
    Json links = Json::array();
    for (const auto& [direction, carried] : carried_)
        links.push_back({{"from", direction.first}, {"to", direction.second}, {"lines", carried.lines},
            {"payload_bytes", carried.payload}, {"wire_bytes", carried.wire}});
    return {{"links", links}};
}

}  // namespace weft::testing
