#include "platform/workload/run_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gpu/kernels/gemm_programs.h"
#include "gpu/units/wavefront.h"
#include "platform/workload/chosen_schedule.h"
#include "platform/workload/collective_shape.h"
#include "sc_models/memory/flag_stride.h"
#include "sc_models/memory/hbm_channel.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/switch/waiting_lines.h"

namespace weft {

namespace {

// Bytes of structures of a kind: sizeof where a header shows them, else of a heap profile of runs with the profiles h100 and
// mi300x, 8 to 64 GPUs, x86-64, GCC 12, -O2 (docs/commands.md#what-a-run-will-take).
constexpr double process_bytes = 14e6;                       // program, libraries, kernel
constexpr double bytes_of_tag = 4;                           // a word of TagArray
constexpr double lines_of_page = 64 * 16;                    // that it has at once, of 16 ways
constexpr double begins = 0.5;                               // pages of a slice that are begun
constexpr double bytes_of_miss = 40;                         // an entry of a slice's misses,
constexpr double most_misses_reserved = 1024;                // as many as a slice makes room for
constexpr double bytes_of_unit = 1.2e3;                      // a compute unit with its network end,
constexpr double bytes_of_slice = 2.2e3;                     // with both sockets, its peers in network and memory
constexpr double bytes_of_gpu = 0.5e6;                       // the rest
constexpr double bytes_of_replay = 0.8e6;                    // a replay GPU
constexpr double bytes_of_link = 11e3;                       // both directions: wires, sockets
constexpr double place_bytes = sizeof(WaitingLines::Place);  // in an output port's table of lines that wait
constexpr double first_places = 16;  // of the table; it doubles where lines that wait take three quarters of it
constexpr double places_of_line = 2;
constexpr double share_in_flight = 0.5;  // of what units may load for moves: threads wait for each other
constexpr double request_bytes = 32;     // of the smallest request on a wire
// A transaction's operand takes about 10 hops, and a core does some 3 million hops a second (2.1 to 4.2 measured).
constexpr double operands_per_second = 0.3e6;
// Transactions of 128, 256 and 512 B: 1.6, 2.7 and 4.5 times as many lines a second (docs/performance.md), as a power of their width.
constexpr double gain_of_width = 0.72;
constexpr double seconds_of_gpu = 0.012;  // to build
constexpr double schedule_bytes_per_second = 250e6;

// Tags are made a page at a time, which stands for neighbouring lines of a slice: of the buffers and flags that are `touched`, and
// where each of these begins.
double tag_bytes(std::uint64_t size, std::uint64_t line, double slices, double touched)
{
    const double lines = static_cast<double>(size) / static_cast<double>(std::max<std::uint64_t>(1, line));
    const double used =
        touched / static_cast<double>(std::max<std::uint64_t>(1, line)) + slices * begins * lines_of_page;
    return bytes_of_tag * std::min(lines, used);
}

// `touched`: bytes of its memory that the run touches.
double bytes_of(const ResolvedSystem& system, NodeId node, double touched)
{
    const GpuSpec& gpu = system.gpu(node);
    const bool memory = system.role(node) == NodeRole::memory;  // without units
    const L2Spec& l2 = system.l2(node);
    const MemorySideSpec& side = system.memory_side(node);
    const double misses = std::min(most_misses_reserved, static_cast<double>(l2.outstanding_misses));
    double out = bytes_of_gpu + (memory ? 0 : bytes_of_unit * static_cast<double>(gpu.compute_units));
    out += static_cast<double>(l2.slices) * (bytes_of_slice + bytes_of_miss * misses);
    const HbmSpec& hbm = system.hbm(node);
    out += static_cast<double>(hbm.channels * HbmChannel::bytes(hbm));
    out += tag_bytes(l2.size, l2.line, static_cast<double>(l2.slices), touched);
    out += tag_bytes(side.size, side.line, static_cast<double>(system.hbm(node).channels), touched);
    return out;
}

// Rings of credits: a power of two of due times for each channel.
double credit_bytes(const BufferSpace& space)
{
    const auto ring = [](std::uint32_t count) {
        double capacity = 1;
        while (capacity < count) capacity *= 2;
        return capacity * sizeof(Time);
    };
    double out = ring(space.shared);
    for (const std::uint32_t lines : space.lines) out += ring(lines);
    return out;
}

// An output port's table beyond what a link begins with, where up to `waiting` lines wait.
double more_places(double waiting)
{
    double places = first_places;
    while (places < waiting * places_of_line) places *= 2;
    return (places - first_places) * place_bytes;
}

// The links of the endpoints that take part, and of all between switches.
struct Wires {
    double bytes = 0;         // of modules and ports
    double ports = 0;         // of endpoints, together
    double merging = 0;       // of these, ports whose links merge lines to packets
    double request_rate = 0;  // smallest requests a second that an endpoint can be sent, the most of any
};

Wires wires_of(const ResolvedSystem& system, const FabricPlan& plan, std::size_t endpoints)
{
    Wires out;
    std::vector<double> rate(plan.members.size(), 0);
    std::vector<std::size_t> number(plan.fabric.nodes.size(), plan.members.size());
    for (std::size_t member = 0; member < plan.members.size(); ++member) number[plan.members[member]] = member;
    for (std::uint32_t number_of_edge = 0; number_of_edge < plan.fabric.edges.size(); ++number_of_edge) {
        if (!plan.used.edges[number_of_edge] || !system.has_bandwidth(number_of_edge)) continue;
        const FabricEdge& edge = plan.fabric.edges[number_of_edge];
        const std::size_t ends[2] = {number[edge.a], number[edge.b]};
        // Endpoints that the request leaves out, of a smaller run that is considered.
        const auto left_out = [&](std::size_t end) { return end < plan.members.size() && end >= endpoints; };
        if (left_out(ends[0]) || left_out(ends[1])) continue;
        const LinkSpec& link = system.link(number_of_edge);
        const BufferSpace space = buffer_space(link);
        out.bytes += bytes_of_link + 2 * (credit_bytes(space) + (space.packet > 0 ? first_places * place_bytes : 0));
        for (const std::size_t end : ends) {
            if (end == plan.members.size()) continue;
            out.ports += 1;
            out.merging += space.packet > 0 ? 1 : 0;
            rate[end] += static_cast<double>(link.bandwidth) / request_bytes;
            out.request_rate = std::max(out.request_rate, rate[end]);
        }
    }
    return out;
}

// Lines in flight at once, and where they wait.
struct Flight {
    double lines = 0;
    double table_bytes = 0;
};

Flight flight_of(const ResolvedSystem& system, const FabricPlan& plan, const CollectiveShape& shape, const Wires& wires,
    double ranks, double loads_of_rank)
{
    const HbmSpec& hbm = system.hbm(plan.members.front());
    const L2Spec& l2 = system.l2(plan.members.front());
    double contexts = 0;
    for (std::size_t node = 0; node < plan.fabric.nodes.size(); ++node)
        if (plan.used.nodes[node] && system.role(static_cast<NodeId>(node)) == NodeRole::forwarder)
            contexts += static_cast<double>(system.switch_of(static_cast<NodeId>(node)).group_contexts);
    const double moves = std::min(shape.move_lines, ranks * loads_of_rank) * share_in_flight;
    const double operations = std::min(shape.switch_lines, ranks * loads_of_rank);
    const double copies = std::min(operations, contexts) * shape.members;
    // Lines that caches fetch for those that come: what the links bring while DRAM is read, and what the units load themselves.
    const double latency = static_cast<double>(hbm.request_latency + hbm.response_latency + l2.latency) * 1e-12;
    const auto fetches = [&](double coming) { return std::min(coming, ranks * wires.request_rate * latency); };
    Flight out;
    // Signals come before and after data.
    out.lines = std::max(shape.burst + fetches(shape.burst), moves + operations + copies + fetches(moves + copies));
    const double busiest = std::max({shape.burst, moves, copies}) / std::max(1.0, wires.ports);
    out.table_bytes = wires.merging * more_places(busiest);
    if (copies > 0)
        out.table_bytes += wires.merging * more_places(copies / std::max(1.0, wires.ports));  // at the switches
    return out;
}

}  // namespace

RunEstimate estimate_run(const ResolvedSystem& system, const FabricPlan& plan, const CollectiveRequest* request,
    bool data_on)
{
    RunEstimate out;
    out.gpus = request == nullptr ? plan.members.size() : request->members.size();
    out.gpu_bytes = process_bytes;
    std::vector<NodeId> nodes;
    for (std::size_t member = 0; member < plan.members.size(); ++member) {
        const NodeId node = plan.members[member];
        if (system.role(node) != NodeRole::memory && system.model(node) == "replay")
            out.gpu_bytes += bytes_of_replay;
        else if (member < out.gpus || system.role(node) == NodeRole::memory)
            nodes.push_back(node);
    }
    const Wires wires = wires_of(system, plan, out.gpus);
    out.gpu_bytes += wires.bytes;
    if (const std::optional<Gemm> kernel = Gemm::parse(system.workload.beside))
        out.schedule_bytes += static_cast<double>(out.gpus) * gemm_program_bytes(*kernel);
    const auto add_nodes = [&](double touched) {
        for (const NodeId node : nodes) out.gpu_bytes += bytes_of(system, node, touched);
    };
    if (request == nullptr || out.gpus < 2) {
        add_nodes(std::numeric_limits<double>::max());  // nobody knows what a trace touches
        return out;
    }

    const auto ranks = static_cast<double>(out.gpus);
    CollectiveShape shape;
    if (request->schedule) {
        shape = shape_of_plan(*request);
    } else {
        const std::vector<std::string> names = algorithm_names(request->op);
        if (names.empty()) {
            add_nodes(std::numeric_limits<double>::max());
            return out;
        }
        if (is_choice(request->algorithm))
            shape = shape_of_choice(*request, names, out.schedule_bytes);
        else
            shape = shape_of(*request, request->algorithm.empty() ? names.front() : request->algorithm);
    }
    add_nodes((shape.buffer_bytes + shape.flags * flag_stride) / ranks);
    const EngineSpec& engine = system.engine();
    const GpuSpec& gpu = system.gpu(plan.members.front());
    const double units = std::min(shape.threads, static_cast<double>(gpu.compute_units));
    const double instruction = static_cast<double>(gpu.lanes * engine.vector);
    const double windows = static_cast<double>(engine.wavefronts * engine.unroll);
    const double resident = std::min(shape.threads, static_cast<double>(gpu.compute_units * gpu.workgroups_per_unit));
    const double loads = std::min(static_cast<double>(gpu.outstanding),
        windows * shape.most_sources * instruction / line_bytes * resident / std::max(1.0, units));
    const double of_unit = resident / std::max(1.0, units) * static_cast<double>(engine.wavefronts);
    const double contexts = std::min(std::ceil(of_unit / Wavefronts::block) * Wavefronts::block,
        static_cast<double>(Wavefronts::contexts));  // that are made
    const Flight flight = flight_of(system, plan, shape, wires, ranks, units * loads);
    out.gpu_bytes += ranks * (units * contexts * sizeof(Wavefront) + resident * windows * sizeof(RegisterSet));
    out.transactions = shape.requested / line_bytes;
    out.schedule_bytes += shape.schedule_bytes() + shape.program_bytes() + shape.flag_bytes();
    const bool roomy = data_on || shape.switch_lines > 0;  // switches combine data, whether they count or not
    out.flight_bytes = flight.lines * static_cast<double>(sizeof(Line) + (roomy ? line_bytes : 0)) + flight.table_bytes;
    if (data_on) {
        out.content_bytes = shape.buffer_bytes;
        out.flight_bytes += ranks * resident * windows * shape.most_sources * instruction;
    }
    const double width = static_cast<double>(engine.grain) / line_bytes;
    // A switch makes a copy for each member, which takes its hops too.
    out.seconds = shape.moved / line_bytes / (operands_per_second * std::pow(width, gain_of_width)) +
        ranks * seconds_of_gpu + out.schedule_bytes / schedule_bytes_per_second;
    return out;
}

}  // namespace weft
