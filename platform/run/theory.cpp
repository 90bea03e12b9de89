#include "platform/run/theory.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "collectives/schedule/theory.h"
#include "tlm_interconnect/link.h"

namespace weft {

namespace {

constexpr std::uint64_t ps_per_s = 1'000'000'000'000;

// Time of one line over all links and switches between two endpoints, one way.
Time path_time(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from, std::uint32_t to, LineOp op,
    std::uint32_t size, LineClass cls)
{
    const std::vector<std::uint32_t> nodes = plan.routing.path(from, to, 0);
    Time time = 0;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const LinkSpec& link = system.link(*system.graph().find_edge(nodes[i], nodes[i + 1]));
        time += wire_bytes(link, op, size, cls) * ps_per_s / link.bandwidth + link.latency;
        if (i > 0 || plan.used.transit[nodes[i]]) time += system.switch_of(nodes[i]).latency;
    }
    if (plan.used.transit[nodes.back()]) time += system.switch_of(nodes.back()).latency;
    return time;
}

// Payload and packets that rank 0 sends, and the rate at which its links take them.
struct Load {
    std::uint64_t wire_bytes = 0;
    std::uint64_t rate = 0;
};

Load load_of(const ResolvedSystem& system, const FabricPlan& plan, const TheoryCase& theory)
{
    Load load;
    const std::uint32_t node = plan.routing.node_of(0);
    const std::vector<std::vector<Fabric::Port>> ports = plan.fabric.ports();
    std::vector<bool> counted(plan.fabric.edges.size(), false);
    for (std::uint32_t to = 1; to < theory.ranks; ++to) {
        const std::uint64_t payload = theory_bytes_between(theory, 0, to);
        if (payload == 0) continue;
        std::uint64_t per_line = 0;
        for (const std::uint16_t port : plan.routing.ports_to(node, to)) {
            const std::uint32_t edge = ports[node][port].edge;
            const LinkSpec& spec = system.link(edge);
            per_line = wire_bytes(spec, LineOp::write, line_bytes, LineClass::request);
            if (!counted[edge]) load.rate += spec.bandwidth;
            counted[edge] = true;
        }
        load.wire_bytes += (payload + line_bytes - 1) / line_bytes * per_line;
    }
    // Acknowledges of what it receives leave over the same wires.
    for (std::uint32_t from = 1; from < theory.ranks; ++from) {
        const std::uint64_t payload = theory_bytes_between(theory, from, 0);
        for (EdgeId edge = 0; edge < counted.size(); ++edge) {
            if (!counted[edge]) continue;
            const std::uint32_t ack = wire_bytes(system.link(edge), LineOp::write, line_bytes, LineClass::response);
            load.wire_bytes += (payload + line_bytes - 1) / line_bytes * ack;
            break;
        }
    }
    return load;
}

}  // namespace

std::optional<AlphaBeta> alpha_beta(const ResolvedSystem& system, const FabricPlan& plan,
    const CollectiveRequest& request, const Schedule& schedule)
{
    if (schedule.size() < 2) return std::nullopt;
    TheoryCase theory;
    theory.op = schedule.op;
    theory.algorithm = schedule.name;
    theory.ranks = schedule.size();
    theory.bytes = request.bytes;
    theory.element_bytes = size_of(request.type);
    theory.root = request.options.root;
    theory.pipeline = request.options.pipeline;

    const NodeId self = plan.members[0];
    const GpuSpec& gpu = system.gpu(self);
    const L2Spec& l2 = system.l2(self);
    const std::uint32_t peer = 1;
    const Time home = gpu.port_to_l2 + l2.latency;
    const Time load = schedule.op == CollectiveOp::barrier ? 0 : gpu.unit_to_l2 + l2.latency + gpu.l2_to_unit;
    Time put = gpu.unit_to_port + path_time(system, plan, 0, peer, LineOp::write, line_bytes, LineClass::request) + home;
    Time answer = gpu.l2_to_port + path_time(system, plan, peer, 0, LineOp::write, line_bytes, LineClass::response) +
                  gpu.port_to_unit;
    if (schedule.op == CollectiveOp::barrier) put = answer = 0;
    const Time signal = gpu.unit_to_port + path_time(system, plan, 0, peer, LineOp::add, 8, LineClass::request) + home;
    Time notice = gpu.l2_to_unit;
    if (static_cast<WaitPolicy>(gpu.wait_policy) == WaitPolicy::spin)
        notice += (gpu.unit_to_l2 + l2.latency + gpu.l2_to_unit + gpu.spin_interval) / 2;

    AlphaBeta out;
    try {
        out.steps = theory_steps(theory);
        const Load traffic = load_of(system, plan, theory);
        out.wire_bytes = traffic.wire_bytes;
        out.rate = traffic.rate;
    } catch (const std::exception&) {
        return std::nullopt;
    }
    out.alpha_ps = load + put + answer + signal + notice;
    out.time_ps = gpu.launch_latency +
                  alpha_beta_ps(out.steps, out.alpha_ps, out.wire_bytes, std::max<std::uint64_t>(1, out.rate));
    out.explanation = fmt::format("load {} + put {} + answer {} + signal {} + notice {}", format_time_ps(load),
        format_time_ps(put), format_time_ps(answer), format_time_ps(signal), format_time_ps(notice));
    return out;
}

}  // namespace weft
