// Rows between peers: the links at the begin of the routes, fabric ports, and what is in flight.
#include <algorithm>
#include <limits>
#include <set>

#include "platform/applications/probe/parts.h"
#include "platform/applications/probe/row_limits.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

namespace {

// The first links of all routes from endpoint 0 to those that were added, and what one of those routes takes.
struct Paths {
    std::set<EdgeId> first;
    double latency = 0;  // ps, links and the switches between them
    bool known = true;   // models of links on them read link.latency
};

// Models may have a rate and a latency of their own.
bool reads(const ResolvedSystem& system, EdgeId edge, const char* parameter)
{
    const Block block = block_of<LinkSpec>();
    return system.blocks().reads(block, *info_of(block).find(parameter), system.link_model(edge));
}

void add_paths(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t to, Paths& out)
{
    const std::vector<Fabric::Port> ports = plan.fabric.ports()[plan.routing.node_of(0)];
    for (const std::uint16_t port : plan.routing.ports_to(plan.routing.node_of(0), to))
        out.first.insert(ports[port].edge);
    out.latency = 0;
    const std::vector<std::uint32_t> nodes = plan.routing.path(0, to, 0);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const EdgeId edge = *system.graph().find_edge(nodes[i], nodes[i + 1]);
        out.latency += static_cast<double>(system.link(edge).latency);
        out.known = out.known && reads(system, edge, "latency");
        if (i > 0) out.latency += static_cast<double>(system.switch_of(nodes[i]).latency);
    }
}

// Bytes on the wire for a packet of lines of one stream.
struct Packet {
    double payload = 0;
    double data = 0;    // with the payload
    double header = 0;  // of a request without data
    double answer = 0;  // of an acknowledge
    double frames = 1;  // share of the wire that frames leave
};

// `stripe`: bytes that go to one link before the next one has its turn.
Packet packet_of(const LinkSpec& link, std::uint64_t stripe)
{
    Packet out;
    const auto flits = [&](std::uint64_t bytes) { return (bytes + link.flit - 1) / link.flit * link.flit; };
    std::uint64_t lines = 1;
    std::uint64_t headers = 1;
    switch (link.merge) {
    case MergeKind::none: break;
    case MergeKind::adjacent:
        // Neighbours that take different links are no neighbours on a link.
        lines = std::max<std::uint64_t>(1,
            std::min(link.max_payload, std::max(stripe, std::uint64_t{line_bytes})) / line_bytes);
        break;
    case MergeKind::destination:
        lines = headers = std::max<std::uint64_t>(1, link.max_payload / (link.header + flits(line_bytes)));
        break;
    }
    out.payload = static_cast<double>(lines * line_bytes);
    out.data = static_cast<double>(headers * link.header + lines * flits(line_bytes) + link.packet_overhead);
    out.header = static_cast<double>(headers * link.header + link.packet_overhead);
    out.answer = static_cast<double>(
        headers * (link.header - std::min(link.header, link.response_saving)) + link.packet_overhead);
    if (link.frame > 0) out.frames = static_cast<double>(link.frame_payload) / static_cast<double>(link.frame);
    return out;
}

enum class Traffic : std::uint8_t { read, write, both };

// Payload of one direction, B/s: where data go both ways, acknowledges take their share of the wire, too.
double payload_rate(const LinkSpec& link, std::uint64_t stripe, Traffic traffic)
{
    const Packet packet = packet_of(link, stripe);
    const double bytes = traffic == Traffic::read ? packet.data - packet.header + packet.answer
        : traffic == Traffic::write               ? packet.data
                                                  : packet.data + packet.answer;
    return static_cast<double>(link.bandwidth) * packet.frames * packet.payload / bytes;
}

// The limits of a row, and how long a line of it is under way: loaded and stored, and in a register, ps.
struct PeerRow {
    std::vector<RateLimit> limits;
    Traffic traffic = Traffic::write;
    double latency = 0;
    double in_register = 0;
};

PeerRow peer_row(const ResolvedSystem& system, const std::string& row)
{
    const std::vector<NodeId>& ends = system.endpoints();
    if (ends.size() < 2) return {};
    const NodeId own = ends[0];
    const bool loads = row == "bandwidth.peer_read";
    const bool all = row == "bandwidth.peer_all" || row == "bandwidth.peer_incast" || row == "bandwidth.all_to_all";
    const Traffic traffic = loads                                       ? Traffic::read
        : row == "bandwidth.peer_both" || row == "bandwidth.all_to_all" ? Traffic::both
                                                                        : Traffic::write;
    const FabricPlan plan = plan_fabric(system, ends);
    Paths paths;
    for (std::uint32_t to = 1; to < (all ? ends.size() : 2); ++to) add_paths(system, plan, to, paths);
    if (paths.first.empty()) return {};

    RowLimits out;
    const std::uint64_t stripe =
        paths.first.size() > 1 ? system.routing().stripe : std::numeric_limits<std::uint64_t>::max();
    double wire = 0;
    double credits = 0;
    bool known = true;  // the models of the first links read link.bandwidth
    for (const EdgeId edge : paths.first) {
        const LinkSpec& link = system.link(edge);
        wire += payload_rate(link, stripe, traffic);
        known = known && reads(system, edge, "bandwidth");
        const auto lines =
            static_cast<double>((loads ? link.response_credits : link.request_credits) + link.pool_credits);
        credits += lines * line_bytes / (2 * static_cast<double>(link.latency)) * 1e12;
    }
    if (known) out.add("link.bandwidth", wire);
    if (paths.known) out.add(loads ? "link.response_credits" : "link.request_credits", credits);
    const GpuSpec& gpu = system.gpu(own);
    const L2Spec& l2 = system.l2(own);
    out.add_rate("network.port_rate", system.network(own).port_rate, paths.first.size());
    const double hit = local_hit_ps(gpu, l2);
    const double peer =
        static_cast<double>(gpu.unit_to_port + gpu.port_to_l2 + l2.latency + gpu.l2_to_port + gpu.port_to_unit) +
        2 * paths.latency;
    const double in_register = loads ? peer : hit;
    // In incast every sender brings its own units. One sender to several peers divides its units evenly among them.
    const std::uint64_t peers = ends.size() - 1;
    const bool shared = all && row != "bandwidth.peer_incast" && gpu.compute_units >= peers;
    const auto units = static_cast<double>(row == "bandwidth.peer_incast" ? peers * gpu.compute_units
            : shared                                                      ? gpu.compute_units / peers * peers
                                                                          : gpu.compute_units);
    out.add("gpu.clock", units * static_cast<double>(gpu.clock * gpu.coalesce) / 2);  // a load and a store each
    if (!paths.known) return {out.sorted(), traffic, hit + peer, in_register};
    out.add_in_flight("gpu.outstanding", units * static_cast<double>(gpu.outstanding), hit + peer);
    const ProbeBench::Shape shape = full_shape(gpu);
    out.add_in_flight("gpu.wavefronts_per_unit",
        units * static_cast<double>(shape.wavefronts * shape.unroll * gpu.lanes * shape.vector_bytes) / line_bytes,
        in_register);
    return {out.sorted(), traffic, hit + peer, in_register};
}

}  // namespace

std::vector<RateLimit> peer_limits_of(const ResolvedSystem& system, const std::string& row)
{
    return peer_row(system, row).limits;
}

// Where data go one way and the wire is the bound, the acknowledges are in nobody's way. Else they slow what follows them, and a run
// must be longer than what is sent before the first of them is back: a quarter longer where they share the wire, four times where they
// make room for the next requests, which then come in bursts.
std::uint64_t peer_bytes(const ResolvedSystem& system, const std::string& row)
{
    const PeerRow found = peer_row(system, row);
    if (found.limits.empty()) return 0;
    const std::string& bound = found.limits[0].parameter;
    const bool requests = bound.rfind("gpu.", 0) == 0 && bound != "gpu.clock";
    const bool credits = bound == "link.request_credits" || bound == "link.response_credits";
    if (found.traffic != Traffic::both && !requests && !credits) return 0;
    const double windows = requests || credits ? 4 : 1.25;
    const double latency = bound == "gpu.wavefronts_per_unit" ? found.in_register : found.latency;
    return static_cast<std::uint64_t>(windows * found.limits[0].rate * latency * 1e-3);
}

}  // namespace weft
