// What holds for every collective on every fabric, and what is said where ranks wait for ever.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/support/thorough.h"
#include "testbenches/synthesis/graphs.h"

namespace property_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Case {
    std::string name;
    Schedule schedule;
    CostGraph graph;
    EstimateOptions options;
};

// Nothing where the algorithm is not for so many ranks, or needs a switch that adds.
std::optional<Case> random_case(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto n = static_cast<std::uint32_t>(2 + random() % 9);
    Case out;
    switch (random() % 4) {
    case 0: out.graph = ring_graph(n); break;
    case 1: out.graph = star_graph(n); break;
    case 2: out.graph = mesh_graph(n); break;
    default: out.graph = random_graph(n, seed); break;
    }
    for (CostRank& rank : out.graph.ranks) {
        rank.load_ps = random() % 400'000;
        rank.own_flag_ps = rank.load_ps / 2;
        rank.cold_ps = random() % 400'000;
        rank.notice_ps = random() % 200'000;
        rank.registers = random() % 2 == 0 ? 0 : 4096.0 * static_cast<double>(1 + random() % 8);
        rank.sets = 2;
        rank.issue_ps_per_byte = static_cast<double>(random() % 8);
    }
    const CollectiveOp ops[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
        CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather,
        CollectiveOp::scatter};
    const CollectiveOp op = ops[random() % std::size(ops)];
    const std::vector<std::string> names = algorithm_names(op);
    const std::string& name = names[random() % names.size()];
    if (algorithm_info(op, name)->carrier == Carrier::in_switch) return std::nullopt;
    AlgorithmOptions options;
    options.channels = static_cast<std::uint32_t>(1 + random() % 3);
    options.pipeline = static_cast<std::uint32_t>(1 + random() % 5);
    try {
        out.schedule = make_schedule(name, op, n, options);
    } catch (const InputError&) {
        return std::nullopt;
    }
    out.options.bytes = std::uint64_t{1} << (8 + random() % 14);
    out.name = fmt::format("seed {}: {} {} of {} ranks", seed, name_of(op), name, n);
    return out;
}

// Bytes that the schedule puts on each link.
std::vector<double> payload_of(const Case& of)
{
    std::vector<double> bytes(of.graph.links.size());
    const double chunk = static_cast<double>(of.options.bytes) / of.schedule.chunks;
    const auto add = [&](std::uint32_t from, std::uint32_t to, double size) {
        for (const PathStage& stage : of.graph.path(from, to).stages)
            for (const LinkShare& part : stage.links) bytes[part.link] += size * part.share;
    };
    for (std::uint32_t rank = 0; rank < of.schedule.size(); ++rank)
        for (const Thread& thread : of.schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                if (!is_data(step.kind)) continue;
                const double size = chunk / step.parts * step.sources.front().count;
                for (const ChunkRef& source : step.sources)
                    if (source.rank != rank) add(source.rank, rank, size);
                for (const ChunkRef& destination : step.destinations)
                    if (destination.rank != rank) add(rank, destination.rank, size);
            }
    return bytes;
}

// Figures of links with long packets, headers and few credits, by which every rule of FlowLinks has something to say.
void add_packets(Case& of, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    for (std::size_t link = 0; link < of.graph.links.size(); ++link) {
        CostLink& out = of.graph.links[link];
        out.reverse = static_cast<std::int32_t>(link ^ 1U);
        out.back_ps_per_byte = out.ps_per_byte / 16;
        out.packet_time_ps = out.ps_per_byte * static_cast<double>(64U << random() % 7);
        out.answer_credits = static_cast<double>(1 + random() % 128);
        out.answer_round_ps = static_cast<double>(random() % 4000);
        out.buffer = static_cast<double>(512U << random() % 8);
        out.signal_ps = 8 * out.ps_per_byte;
        if (random() % 2 == 0) continue;
        out.packet_payload = 4096;
        out.packet_ps = 82 * out.ps_per_byte;
        out.message_ps = 16 * out.ps_per_byte;
        out.answer_ps = 86 * out.ps_per_byte;
    }
}

// By default a part of the systems at random.
int most_cases() { return static_cast<int>(test::by_default(600, 2000)); }

void expect_properties(const Case& of, const FlowProfile& profile)
{
    PathBook book = book_of(of.graph);
    const auto program = std::make_shared<FlowProgram>(program_of(of.schedule));
    const FlowTime time = play(program, ranks_of(of.graph), book, of.options, profile);
    ASSERT_EQ(time.left, of.schedule.size()) << of.name;
    ASSERT_TRUE(time.blocked.empty()) << of.name;
    const std::vector<double> expected = payload_of(of);
    double busiest = 0;
    for (std::uint32_t link = 0; link < of.graph.links.size(); ++link) {
        ASSERT_NEAR(book.payload(link), expected[link], 1e-6 * expected[link] + 1e-6) << of.name << ", link " << link;
        busiest = std::max(busiest, std::max(expected[link] * of.graph.links[link].ps_per_byte, book.busy_ps(link)));
    }
    // A transfer rounds to 1 ps.
    ASSERT_GE(static_cast<double>(time.end_ps) + static_cast<double>(time.events), busiest) << of.name;
    std::uint64_t shortest = ~std::uint64_t{0};
    for (const CostPath& path : of.graph.paths)
        if (!path.stages.empty()) shortest = std::min(shortest, path.put_ps);
    ASSERT_GE(time.end_ps, estimate(of.schedule, of.graph, of.options).steps * shortest) << of.name;
    PathBook again = book_of(of.graph);
    ASSERT_EQ(play(program, ranks_of(of.graph), again, of.options, profile).end_ps, time.end_ps) << of.name;
}

}  // namespace

TEST(FlowProperties, BytesAreKeptAndNothingIsFasterThanTheBusiestLinkOrTheLongestChain)
{
    int cases = 0;
    for (std::uint64_t seed = 1; cases < most_cases(); ++seed) {
        const std::optional<Case> made = random_case(seed);
        if (!made) continue;
        ++cases;
        ASSERT_NO_FATAL_FAILURE(expect_properties(*made, {}));
    }
}

// The same with the rules of a run: packets, headers, waits for packets, and credits of acknowledges that run out.
TEST(FlowProperties, TheyHoldWithPacketsAndWaitsForThem)
{
    FlowProfile rules;
    rules.links.packets = rules.links.waits = rules.links.conserves = rules.links.turns = true;
    rules.most_parts = 16;
    int cases = 0;
    int slower = 0;
    for (std::uint64_t seed = 1; cases < most_cases(); ++seed) {
        std::optional<Case> made = random_case(seed);
        if (!made) continue;
        ++cases;
        add_packets(*made, seed);
        ASSERT_NO_FATAL_FAILURE(expect_properties(*made, rules));
        const auto program = std::make_shared<FlowProgram>(program_of(made->schedule));
        const FlowProfile none;
        if (play(program, made->graph, made->options, rules).end_ps >
            play(program, made->graph, made->options, none).end_ps)
            ++slower;
    }
    EXPECT_GT(slower, cases / 2) << "the rules do nothing";
}

// The same where links stand still while buffers are full.
TEST(FlowProperties, TheyHoldWithFullBuffers)
{
    FlowProfile rules;
    rules.links.packets = rules.links.waits = rules.links.conserves = rules.links.buffers = rules.links.turns = true;
    rules.most_parts = 16;
    FlowProfile without = rules;
    without.links.buffers = false;
    int cases = 0;
    int different = 0;
    for (std::uint64_t seed = 1; cases < most_cases(); ++seed) {
        std::optional<Case> made = random_case(seed);
        if (!made) continue;
        ++cases;
        add_packets(*made, seed);
        for (CostLink& link : made->graph.links) link.answer_credits *= 64;  // or none of them would have buffers
        ASSERT_NO_FATAL_FAILURE(expect_properties(*made, rules));
        const auto program = std::make_shared<FlowProgram>(program_of(made->schedule));
        if (play(program, made->graph, made->options, rules).end_ps !=
            play(program, made->graph, made->options, without).end_ps)
            ++different;
    }
    EXPECT_GT(different, cases / 20) << "the rule does nothing";  // many pass no rank, or fill no buffer
}

// The check of bytes above must find a transfer that gets lost.
TEST(FlowProperties, AMissingTransferIsSeen)
{
    Case of{"", make_schedule("ring", CollectiveOp::all_gather, 4, {}), ring_graph(4), {4096, 1}};
    PathBook book = book_of(of.graph);
    Schedule less = of.schedule;
    less.ranks[1].threads[0].steps[0].destinations.pop_back();
    play(std::make_shared<FlowProgram>(program_of(less)), ranks_of(of.graph), book, of.options);
    const std::vector<double> expected = payload_of(of);
    double missing = 0;
    for (std::uint32_t link = 0; link < of.graph.links.size(); ++link) missing += expected[link] - book.payload(link);
    EXPECT_DOUBLE_EQ(missing, 1024);
}

TEST(FlowProperties, RanksThatWaitForEachOtherAreNamed)
{
    // Everybody waits for the rank before it, and only then signals the next one.
    Schedule schedule;
    schedule.name = "crossed";
    schedule.ranks.resize(3);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        schedule.ranks[rank].semaphores = 1;
        schedule.ranks[rank].threads.resize(1);
        schedule.ranks[rank].threads[0].steps = {wait_step((rank + 2) % 3, 0), signal_step((rank + 1) % 3, 0)};
    }
    const FlowTime time = play(schedule, ring_graph(3), {0, 1});
    EXPECT_EQ(time.left, 0U);
    ASSERT_EQ(time.blocked.size(), 4U);
    EXPECT_EQ(time.blocked[0],
        "bench: circular wait: rank 0 waits for rank 2, which waits for rank 1, which waits for rank 0");
    EXPECT_EQ(time.blocked[2], "bench: rank 1 at operation 0 waits for a signal of rank 0");
}

// Two lines of a length that can be read, whatever the number of ranks.
TEST(FlowProperties, ACircularWaitOf1024RanksIsNamed)
{
    constexpr std::uint32_t n = 1024;
    Schedule schedule;
    schedule.name = "crossed";
    schedule.ranks.resize(n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        schedule.ranks[rank].semaphores = 1;
        schedule.ranks[rank].threads.resize(1);
        schedule.ranks[rank].threads[0].steps = {wait_step((rank + n - 1) % n, 0), signal_step((rank + 1) % n, 0)};
    }
    CostGraph nowhere;  // nothing is ever sent
    nowhere.ranks.resize(n);
    const FlowTime time = play(schedule, nowhere, {0, 1});
    EXPECT_EQ(time.left, 0U);
    ASSERT_EQ(time.blocked.size(), 2U);
    EXPECT_EQ(time.blocked[0],
        "bench: circular wait: rank 0 waits for rank 1023, which waits for rank 1022, which waits for rank 1021, which "
        "waits for rank 1020, which waits for rank 1019, which waits for rank 1018, which waits for rank 1017, which "
        "waits, "
        "over 1015 more, for rank 1, which waits for rank 0");
    EXPECT_EQ(time.blocked[1],
        "bench: rank r at operation 0 waits for a signal of rank r-1, for r = 0-1023 (modulo 1024)");
}

TEST(FlowProperties, WhatFlowHasNotIsRefused)
{
    try {
        play(make_schedule("nvls", CollectiveOp::all_reduce, 4, {}), mesh_graph(4), {4096, 1});
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
            "nvls: this algorithm has steps in switches, but no switch of this run combines or copies for its ranks; "
            "expected switches with multicast groups, an algorithm of loads and stores, or --fidelity line");
    }
    Schedule ports = make_schedule("ring", CollectiveOp::all_reduce, 4, {});
    ports.ranks[0].threads[0].steps[0].channel = StepChannel::port;
    EXPECT_THROW(program_of(ports), InputError);
}

}  // namespace property_test
