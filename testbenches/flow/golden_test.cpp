// Flow fidelity without calibration is the estimate of estimate.h to the picosecond: two programs for one set of rules, but that an estimate
// has places of requests in flight that all moves of a thread share, and without calibration each move has them by itself.
#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/protocol/protocol.h"
#include "collectives/synthesis/turned_path.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/support/thorough.h"
#include "testbenches/synthesis/graphs.h"

namespace golden_test {

using namespace weft;
using namespace weft::testing;

namespace {

const CollectiveOp all_ops[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
    CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather,
    CollectiveOp::scatter, CollectiveOp::barrier};

// Figures like those of a real GPU, so that every rule has something to say.
CostGraph with_ranks(CostGraph graph, bool back)
{
    for (CostRank& rank : graph.ranks) {
        rank.load_ps = 271000;
        rank.cold_ps = 310000;
        rank.notice_ps = 140000;
        rank.poll_ps = 273000;
        rank.poll_slot_ps = 571;
        rank.poll_lanes = 32;
        rank.packets = {101'000, 170'000, 20'000, 310'000, 108'000, 5120};
        rank.fence_ps = 30000;
        rank.launch_ps = 2'000'000;
        rank.registers = 16384;
        rank.sets = 2;
        rank.outstanding = 65536;
        rank.issue_ps_per_byte = 4.46;
        rank.units = 132;
        rank.threads = 264;
    }
    for (std::size_t link = 0; link < graph.links.size(); ++link) {
        graph.links[link].ps_per_byte *= 19.7;
        if (!back) continue;
        graph.links[link].back_ps_per_byte = 4.1;
        graph.links[link].reverse = static_cast<std::int32_t>(link ^ 1U);
        graph.links[link].buffer = 16384;
    }
    add_answers(graph);
    return graph;
}

// Four switches between all ranks: equal shares on links that go together.
CostGraph boards(std::uint32_t n)
{
    constexpr std::uint32_t switches = 4;
    CostGraph graph = plain_graph(n);
    for (std::uint32_t rank = 0; rank < n; ++rank)
        for (std::uint32_t s = 0; s < switches; ++s) {
            graph.links.push_back({fmt::format("{} up {}", rank, s), wire_ps, 0, -1});
            graph.links.push_back({fmt::format("{} down {}", rank, s), wire_ps, 0, -1});
        }
    const auto port = [](std::uint32_t rank, std::uint32_t s, std::uint32_t down) {
        return 2 * (rank * switches + s) + down;
    };
    for (std::uint32_t from = 0; from < n; ++from)
        for (std::uint32_t to = 0; to < n; ++to) {
            if (from == to) continue;
            // Some pairs use half of the switches: groups of links are split while transfers are under way.
            const std::uint32_t used = (from + to) % 5 == 0 ? switches / 2 : switches;
            PathStage up{300, {}};
            PathStage down{hop_ps, {}};
            for (std::uint32_t s = 0; s < used; ++s) {
                up.links.push_back({port(from, s, 0), 1.0 / used});
                down.links.push_back({port(to, s, 1), 1.0 / used});
            }
            graph.path(from, to) = {{up, down}, 2 * hop_ps, 2 * hop_ps, true};
        }
    return graph;
}

struct Compared {
    int cases = 0;
    int wrong = 0;
};

void compare(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options, const std::string& name,
    Compared& sum)
{
    EstimateOptions by_move = options;
    by_move.places_by_move =
        std::any_of(graph.ranks.begin(), graph.ranks.end(), [](const CostRank& rank) { return rank.outstanding > 0; });
    const Estimate wanted = estimate(schedule, graph, by_move);
    if (!wanted.runs) return;
    const FlowTime got = play(schedule, graph, options);
    ++sum.cases;
    if (got.end_ps == wanted.time_ps && got.left == schedule.size()) return;
    if (++sum.wrong < 20)
        ADD_FAILURE() << name << ": flow " << got.end_ps << " ps, estimate " << wanted.time_ps << " ps, " << got.left
                      << " ranks left";
}

void compare_all(const CostGraph& graph, const std::string& fabric, Compared& sum, bool with_packets)
{
    for (const CollectiveOp op : all_ops)
        for (const std::string& name : algorithm_names(op)) {
            const AlgorithmInfo* info = algorithm_info(op, name);
            if (info->carrier == Carrier::in_switch) continue;
            for (const std::uint32_t channels : {1U, 3U}) {
                // By default among many ranks one channel or three in turn, and of both sizes one with each.
                if (!weft::test::thorough() && graph.size() > 16 && name.size() % 2 != channels / 2) continue;
                AlgorithmOptions options;
                options.channels = channels;
                Schedule schedule;
                try {
                    schedule = make_schedule(name, op, graph.size(), options);
                } catch (const InputError&) {
                    continue;  // not for so many ranks
                }
                for (const std::uint64_t bytes : {std::uint64_t{4096}, std::uint64_t{1} << 20}) {
                    if (!weft::test::thorough() && (channels == 1) != (bytes == 4096)) continue;
                    const std::string text = fmt::format("{} {} on {} of {} ranks, {} channels, {} B", name_of(op),
                        name, fabric, graph.size(), channels, bytes);
                    compare(schedule, graph, {bytes, channels == 1 ? 8U : 1U}, text, sum);
                    if (!with_packets) continue;
                    try {
                        compare(in_packets(schedule), graph, {bytes, 1}, text + ", ll", sum);
                        compare(in_packets(schedule), graph, {bytes, 1, PacketFormat::ll128, true}, text + ", ll128",
                            sum);
                    } catch (const InputError&) {
                        // It loads from peers.
                    }
                    compare(in_slices(schedule, 3), graph, {bytes, 1}, text + ", 3 slices", sum);
                }
            }
        }
}

}  // namespace

TEST(FlowGolden, EveryAlgorithmTakesItsEstimateOnSmallFabrics)
{
    Compared sum;
    for (const std::uint32_t n : {2U, 3U, 8U}) {
        // By default of eight ranks the boards, whose links go together, alone.
        if (n < 8 || weft::test::thorough()) {
            compare_all(with_ranks(ring_graph(n), false), "a ring", sum, true);
            compare_all(with_ranks(star_graph(n), true), "a star with answers", sum, true);
            compare_all(with_ranks(mesh_graph(n), true), "a mesh", sum, true);
        }
        compare_all(with_ranks(boards(n), false), "boards", sum, true);
    }
    EXPECT_GT(sum.cases, weft::test::thorough() ? 3000 : 1500);
    EXPECT_EQ(sum.wrong, 0);
}

TEST(FlowGolden, EveryAlgorithmTakesItsEstimateOnUnevenFabrics)
{
    Compared sum;
    for (const std::uint32_t n : {6U, 16U})
        compare_all(with_ranks(random_graph(n, n), true), "a random graph", sum, n < 10);
    compare_all(with_ranks(grid_graph(4, 4, true), true), "a torus", sum, false);
    EXPECT_GT(sum.cases, weft::test::thorough() ? 500 : 250);
    EXPECT_EQ(sum.wrong, 0);
}

// More ranks than a poll has lanes; those of a power of two are among the smaller ones.
TEST(FlowGolden, EveryAlgorithmTakesItsEstimateOfManyRanks)
{
    Compared sum;
    compare_all(with_ranks(star_graph(weft::test::thorough() ? 64 : 36), true), "a star", sum, false);
    EXPECT_GT(sum.cases, weft::test::thorough() ? 150 : 37);
    EXPECT_EQ(sum.wrong, 0);
}

// What a comparison like those above must find: a link that is a thousandth slower.
TEST(FlowGolden, ADifferenceOfAThousandthIsSeen)
{
    const CostGraph graph = with_ranks(ring_graph(8), false);
    CostGraph other = graph;
    other.links[0].ps_per_byte *= 1.001;
    const Schedule ring = make_schedule("ring", CollectiveOp::all_reduce, 8, {});
    EXPECT_EQ(play(ring, graph, {1 << 20, 1}).end_ps, estimate(ring, graph, {1 << 20, 1}).time_ps);
    EXPECT_NE(play(ring, other, {1 << 20, 1}).end_ps, estimate(ring, graph, {1 << 20, 1}).time_ps);
}

// The same over two tiers of switches.
TEST(FlowGolden, StepsInTwoTiersOfSwitchesTakeWhatTheEstimateSays)
{
    Compared sum;
    for (const auto& [leaves, each, spines] : {std::array{2U, 2U, 1U}, std::array{2U, 4U, 2U}, std::array{3U, 2U, 2U}})
        for (const bool limited : {false, true}) {
            CostGraph graph = with_ranks(tree_graph(leaves, each, spines, 1.5), false);
            for (CostLink& link : graph.links) link.group_ps_per_byte = link.ps_per_byte * 1.25;
            if (limited)
                for (const CostSwitch& at : graph.switches) {
                    graph.links[at.adder].group_ps_per_byte = 13;
                    graph.links[at.contexts].group_ps_per_byte = 11;
                }
            for (const CollectiveOp op : all_ops)
                for (const std::string& name : algorithm_names(op)) {
                    if (algorithm_info(op, name)->carrier != Carrier::in_switch) continue;
                    for (const std::uint32_t channels : {1U, 4U})
                        for (const std::uint64_t bytes : {4096U, 1U << 20}) {
                            AlgorithmOptions options;
                            options.channels = channels;
                            Schedule schedule;
                            try {
                                schedule = make_schedule(name, op, graph.size(), options);
                            } catch (const InputError&) {
                                continue;
                            }
                            compare(schedule, graph, {bytes, 1},
                                fmt::format("{} {} of {} x {} ranks, {} channels, {} B{}", name_of(op), name, leaves,
                                    each, channels, bytes, limited ? ", limited" : ""),
                                sum);
                        }
                }
        }
    EXPECT_EQ(sum.wrong, 0);
    EXPECT_GT(sum.cases, 60);
    std::printf("%d cases over two tiers\n", sum.cases);
}

// Steps in switches: adders, contexts and both directions of links with rates of groups.
TEST(FlowGolden, StepsInSwitchesTakeWhatTheEstimateSays)
{
    Compared sum;
    for (const std::uint32_t n : {2U, 3U, 8U}) {
        for (const bool limited : {false, true}) {
            CostGraph graph = with_ranks(group_graph(n), false);
            for (std::uint32_t link = 0; link < 2 * n; ++link) {
                graph.links[link].group_ps_per_byte = graph.links[link].ps_per_byte * 1.25;
                graph.links[link].group_back_ps_per_byte = 3.5;
                graph.links[link].back_ps_per_byte = 4.1;
                graph.links[link].reverse = static_cast<std::int32_t>(link ^ 1U);
            }
            if (limited) {
                graph.links[graph.switches[0].adder].group_ps_per_byte = 33;
                graph.links[graph.switches[0].contexts].group_ps_per_byte = 21;
            }
            for (const CollectiveOp op : all_ops)
                for (const std::string& name : algorithm_names(op)) {
                    if (algorithm_info(op, name)->carrier != Carrier::in_switch) continue;
                    for (const std::uint32_t channels : {1U, 4U})
                        for (const std::uint64_t bytes : {4096U, 1U << 20}) {
                            AlgorithmOptions options;
                            options.channels = channels;
                            Schedule schedule;
                            try {
                                schedule = make_schedule(name, op, n, options);
                            } catch (const InputError&) {
                                continue;
                            }
                            compare(schedule, graph, {bytes, 1},
                                fmt::format("{} {} of {} ranks, {} channels, {} B{}", name_of(op), name, n, channels,
                                    bytes, limited ? ", limited" : ""),
                                sum);
                        }
                }
        }
    }
    EXPECT_EQ(sum.wrong, 0);
    EXPECT_GT(sum.cases, 60);
    std::printf("%d cases in switches\n", sum.cases);
}

}  // namespace golden_test
