#include "platform/applications/flow/flow_notices.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/line_size.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/workload/idle_copies.h"

namespace weft {

namespace {

// Up to so many, `one_shot_get` is among the rows that are compared with lines.
constexpr std::uint32_t most_first_loads_compared = 15;
// B a rank. Rows of docs/models/flow_accuracy.md have less; with more, `direct` on rings and tori can be 38 % too fast (flow.md).
constexpr double most_through_ranks_compared = 192 * 1024;

// B. Shorter sends are within a tenth of the lines.
constexpr std::uint64_t long_send_told = 128 * 1024;

// The part of the run that separate packets would add.
constexpr double shared_packets_told = 0.15;

// Exchanges between all ranks at once have two, and are within 2 %.
constexpr std::uint32_t chained_rounds_told = 3;

// The rate of an accelerator's links to switches, added up: the highest of all accelerators over the lowest.
double unlike_links(const ResolvedSystem& resolved)
{
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    for (const NodeId node : resolved.endpoints()) {
        std::uint64_t rate = 0;
        for (const Neighbour& next : resolved.graph().neighbours(node))
            if (resolved.graph().type(next.node) != "xpu") rate += resolved.link(next.edge).bandwidth;
        if (rate == 0) continue;
        least = std::min(least, rate);
        most = std::max(most, rate);
    }
    return most == 0 ? 1 : static_cast<double>(most) / static_cast<double>(least);
}
constexpr double unlike_links_told = 1.2;

bool in_packets(const JobRecord& record) { return record.protocol == "ll" || record.protocol == "ll128"; }

// Bytes that a channel carries in packets, divided by those that its unit may have in flight; the largest ratio of all collectives.
double packets_over_places(const ResolvedSystem& resolved, const std::vector<JobRecord>& records)
{
    std::uint64_t places = ~std::uint64_t{0};
    for (const NodeId node : resolved.endpoints()) places = std::min(places, resolved.gpu(node).outstanding);
    const EngineSpec& engine = resolved.engine();
    double most = 0;
    for (const JobRecord& record : records) {
        // Blocks of a plan are its own.
        if (!in_packets(record) || record.op == CollectiveOp::custom) continue;
        const double packed = record.protocol == "ll" ? 2 : 16.0 / 15;
        most = std::max(most,
            packed * static_cast<double>(record.bytes) /
                static_cast<double>(engine.channels_for(record.bytes, engine.channels)));
    }
    return most / static_cast<double>(places * line_bytes);
}
constexpr double packets_over_places_told = 2;

}  // namespace

std::vector<std::string> flow_notices(const ResolvedSystem& resolved, const FlowCore& core,
    const FlowExecutor& executor, std::size_t ranks, std::uint32_t first_loads, const Schedule* schedule)
{
    std::vector<std::string> out;
    if (schedule != nullptr) out = idle_copies(resolved, *schedule);
    const auto slow_stores = [&resolved](NodeId node) { return resolved.network(node).unit_store_rate > 0; };
    if (std::any_of(resolved.endpoints().begin(), resolved.endpoints().end(), slow_stores))
        out.emplace_back("network.unit_store_rate bounds no copy and no reduction of a collective at flow fidelity");
    if (const FlowCrowd& crowd = core.crowd(); crowd.workgroups > 0)
        out.push_back(
            fmt::format("{} workgroups of a rank run at once, where an accelerator has room for {}: beyond {} ranks "
                        "none waits for a place, so times are too short, and what cannot progress by lines may end "
                        "(docs/models/flow.md)",
                crowd.workgroups, crowd.places, most_ranks_whole));
    if (const double share = executor.in_partial_lines(); share > most_in_partial_lines)
        out.push_back(fmt::format("{:.0f} % of the data go to another place of a line than they come from: by lines, "
                                  "parts of lines are packets of their own, and the run can take up to 1.5 times as "
                                  "long (docs/models/flow.md, Parts of lines)",
            100 * share));
    if (const double share = core.most_shared_ps() / static_cast<double>(std::max<std::uint64_t>(1, core.now()));
        share > shared_packets_told)
        out.push_back(
            fmt::format("messages and signals are shorter than the packets that they share on links: by lines, those "
                        "that come apart are packets of their own, and the run can take up to {:.1f} times as long "
                        "(docs/models/flow_errors.md, Copies, links and engines)",
                1 + share));
    if (const std::uint32_t moves = executor.chained_rounds(); moves >= chained_rounds_told)
        out.push_back(
            fmt::format("{} moves of a thread wait for another rank each and carry more than its registers hold: "
                        "by lines, rings and trees of some MiB can take up to 1.2 times as long "
                        "(docs/models/flow.md, Rounds of registers)",
                moves));
    if (unlike_links(resolved) >= unlike_links_told && !executor.records().empty())
        out.emplace_back("accelerators have links of unlike rates to switches: by lines, data for a slow one fill the "
                         "buffer in front of a switch and hold up those for others, and the run can take up to 1.5 "
                         "times as long (docs/models/flow.md, Engines and units that wait for links)");
    if (const std::uint64_t bytes = executor.instruction_in_parts(); bytes > 0)
        out.push_back(fmt::format("an instruction moves {} B (gpu.lanes x engine.vector), which are no whole lines: by "
                                  "lines, each part of a line is a packet of its own, and the run can take more than "
                                  "twice as long",
            bytes));
    const EngineSpec& engine = resolved.engine();
    const bool traced = resolved.workload.kind == Workload::Kind::trace;
    const bool kernels = !resolved.workload.beside.empty() || (traced && engine.compute == ComputeMode::kernel);
    if (kernels && core.has_devices() && std::any_of(executor.records().begin(), executor.records().end(), in_packets))
        out.emplace_back("packets (engine.protocol = ll or ll128) hardly wait for the accesses of kernels: by lines, "
                         "collectives beside them can take up to 1.6 times as long "
                         "(docs/models/flow.md, Kernels and collectives)");
    if (const double over = packets_over_places(resolved, executor.records()); over >= packets_over_places_told)
        out.push_back(
            fmt::format("a channel carries {:.1f} times as many bytes in packets as its unit may have in flight "
                        "(gpu.outstanding): by lines, polls of packets take part of that, and the run can take "
                        "up to 1.3 times as long (docs/models/flow.md, Packets in few channels)",
                over));
    if (kernels && !core.has_devices())
        out.push_back(fmt::format("beyond {} ranks engine.compute = kernel is as engine.compute = time: compute nodes "
                                  "take no units, and nothing waits for their accesses",
            most_ranks_whole));
    if (core.circles() > 0)
        out.push_back(fmt::format("{} times all transfers under way waited for each other in circles of "
                                  "full buffers, and one of each link "
                                  "was let through: lines can deadlock here",
            core.circles()));
    if (core.through_ranks() > most_through_ranks_compared * static_cast<double>(ranks))
        out.emplace_back("much of the data passes other accelerators: by lines, where buffers are full, "
                         "that can take up to 1.7 times as long "
                         "(docs/models/flow.md, Full buffers)");
    const std::uint64_t longest = core.together().longest_send();
    if (longest >= long_send_told)
        out.push_back(
            fmt::format("sends of a rank were under way together, of up to {} B: by lines the order of single "
                        "lines decides whether long ones stay together from rank to rank, and a pipeline of "
                        "them can take from 0.8 to 1.1 times as long (docs/models/flow.md, Jobs in flight)",
                longest));
    if (first_loads > most_first_loads_compared)
        out.push_back(fmt::format("{} ranks load the same data of one rank first, where flow differs from lines: {} "
                                  "(docs/models/flow.md, Requests of loads)",
            first_loads,
            flow_rules(ranks).links.requests ? "times are up to twice too long or 40 % too short"
                                             : "all owners serve at once, so times are up to three times too short"));
    return out;
}

std::vector<PlaceUse> places_of(const FlowCore& core, std::size_t ranks)
{
    std::vector<PlaceUse> out;
    if (!flow_rules(ranks).places) return out;  // nothing waits for one
    for (std::uint32_t rank = 0; rank < ranks; ++rank) out.push_back(core.places(rank));
    return out;
}

}  // namespace weft
