// A link passes one thing at a time: it is busy for no longer than a run lasts, whatever takes turns on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/synthesis/graphs.h"

namespace flow_wires_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Links of 1 GB/s behind cards with packets of 4 KiB, or without cards, by which small messages are mostly headers, signals and acknowledges.
void add_wires(CostGraph& graph, bool cards)
{
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
        CostLink& out = graph.links[link];
        out.reverse = static_cast<std::int32_t>(link ^ 1U);
        out.ps_per_byte = 1000;
        out.packet_time_ps = 4096 * out.ps_per_byte;
        out.answer_credits = 4096;
        out.answer_round_ps = 1000;
        out.buffer = 65536;
        out.signal_ps = 86 * out.ps_per_byte;
        out.signal_back_ps = 0;  // nobody waits for the wire of the last responses, which latencies of a run cover
        if (!cards) {
            out.back_ps_per_byte = out.ps_per_byte / 4;
            continue;
        }
        out.packet_payload = 4096;
        out.packet_ps = 82 * out.ps_per_byte;
        out.message_ps = 16 * out.ps_per_byte;
        out.answer_ps = 86 * out.ps_per_byte;
    }
}

struct Played {
    std::uint64_t end_ps = 0;
    std::uint64_t events = 0;
    double busiest_ps = 0;
};

// A path's latency has the wire of a line or signal by itself at each link, here two.
void add_latency(CostGraph& graph)
{
    for (CostPath& path : graph.paths) {
        if (path.stages.empty()) continue;
        path.put_ps += 2 * 86'000;
        path.answer_ps += 2 * 86'000;
    }
}

// `jobs` of one schedule, which all ranks have in flight from the beginning, each `apart_ps` after the one before.
Played together(const Schedule& schedule, const CostGraph& graph, std::uint64_t bytes, std::uint32_t jobs,
    std::uint64_t apart_ps, bool waits)
{
    FlowProfile rules;
    rules.links.packets = rules.links.conserves = rules.links.turns = true;
    rules.links.waits = waits;  // up to 64 ranks
    rules.most_parts = 16;
    PathBook book = book_of(graph);
    FlowCore core(ranks_of(graph), book, rules);
    const auto program = std::make_shared<const FlowProgram>(program_of(schedule));
    Played out;
    std::uint32_t left = 0;
    for (std::uint32_t number = 0; number < jobs; ++number)
        core.after(number * apart_ps, [&] {
            FlowJob job;
            job.program = program;
            job.bytes = bytes;
            job.members.resize(program->ranks());
            std::iota(job.members.begin(), job.members.end(), 0U);
            const FlowCore::JobId id = core.open(std::move(job));
            for (std::uint32_t rank = 0; rank < program->ranks(); ++rank)
                core.enter(id, rank, [&] {
                    ++left;
                    out.end_ps = std::max(out.end_ps, core.now());
                });
        });
    core.run();
    EXPECT_EQ(left, jobs * program->ranks());
    out.events = core.events();
    for (std::uint32_t link = 0; link < graph.links.size(); ++link)
        out.busiest_ps = std::max(out.busiest_ps, book.busy_ps(link));
    return out;
}

}  // namespace

// Acknowledges and signals of some jobs against data of others, on links of a switch. The exact cases are in flow_links_test.cpp and, of a run,
// in mixed_links_test.cpp; this is the law over many loads.
TEST(FlowWires, WithJobsInFlightALinkIsBusyForAsMuchTimeAsThereIs)
{
    double most = 0;
    for (const char* algorithm : {"direct", "ring"})
        for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather})
            for (const bool cards : {false, true})
                for (const std::uint64_t bytes : {512U, 4096U, 65536U})
                    for (const std::uint32_t jobs : {1U, 2U, 8U})
                        for (const auto& [apart_ps, waits] :
                            {std::pair(0U, true), std::pair(777'000U, true), std::pair(0U, false)}) {
                            CostGraph graph = star_graph(4);
                            add_wires(graph, cards);
                            add_latency(graph);
                            AlgorithmOptions options;
                            options.channels = 4;
                            const Played played =
                                together(make_schedule(algorithm, op, 4, options), graph, bytes, jobs, apart_ps, waits);
                            // Each transfer rounds to 1 ps.
                            ASSERT_GE(static_cast<double>(played.end_ps + played.events), played.busiest_ps)
                                << fmt::format("{} {} {} B, {} jobs, {}, {} ps apart", algorithm, name_of(op), bytes,
                                       jobs, cards ? "cards" : "no cards", apart_ps);
                            most = std::max(most, played.busiest_ps / static_cast<double>(played.end_ps));
                        }
    EXPECT_GT(most, 0.9) << "no link is busy";
}

}  // namespace flow_wires_test
