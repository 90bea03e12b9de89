// Rings, orders, dimensions and pipelines: every variant is verified, and comes to what theory says.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/theory/theory.h"
#include "testbenches/schedule/plans.h"

namespace algorithm_options_test {

using namespace weft;

namespace {

constexpr CollectiveOp sharding[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter};

// All steps in words, for comparison.
std::string steps_of(const Schedule& schedule)
{
    std::string out;
    const auto add = [&out](const std::vector<ChunkRef>& chunks) {
        for (const ChunkRef& chunk : chunks)
            out += fmt::format(" {}.{}.{}+{}", chunk.rank, name_of(chunk.buffer), chunk.index, chunk.count);
    };
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads) {
            for (const Step& step : thread.steps) {
                out += fmt::format("\n{} {} {} {}/{}", name_of(step.kind), step.peer, step.semaphore, step.part,
                    step.parts);
                add(step.sources);
                out += " ->";
                add(step.destinations);
            }
            out += "\n";
        }
    return out;
}

// Verified, in the steps of theory and with its bytes between every pair; returns the traffic.
Traffic check(CollectiveOp op, const std::string& name, std::uint32_t ranks, const AlgorithmOptions& options,
    std::uint64_t bytes = 1000012)
{
    const Schedule schedule = make_schedule(name, op, ranks, options);
    const Verification result = verify(schedule);
    EXPECT_TRUE(result.ok) << name << " " << ranks << "\n" << all_problems(result);
    VerifyOptions odd;
    odd.bytes = 1003;
    EXPECT_TRUE(verify(schedule, odd).ok) << name << " " << ranks;
    const TheoryCase theory = theory_case(op, name, ranks, bytes, 4, options);
    EXPECT_EQ(result.steps, theory_steps(theory)) << name << " " << ranks;
    Traffic traffic = traffic_of(schedule, Layout(schedule, bytes, 4));
    EXPECT_EQ(traffic.pairs, theory_bytes_pairs(theory)) << name << " " << ranks;
    EXPECT_EQ(traffic.sent[ranks - 1], theory_bytes_sent(theory, ranks - 1)) << name << " " << ranks;
    return traffic;
}

std::string refusal(const std::string& name, std::uint32_t ranks, const AlgorithmOptions& options)
{
    try {
        make_schedule(name, CollectiveOp::all_reduce, ranks, options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

AlgorithmOptions in_dimensions(const std::vector<std::uint32_t>& sizes, const std::string& algorithm)
{
    AlgorithmOptions options;
    for (std::uint32_t size : sizes)
        options.dimensions.push_back({"d" + std::to_string(options.dimensions.size()), size, algorithm});
    return options;
}

}  // namespace

TEST(AlgorithmOptions, AnyNumberOfRings)
{
    for (CollectiveOp op : sharding)
        for (std::uint32_t n : {2u, 3u, 4u, 5u, 6u, 8u, 9u, 16u})
            for (std::uint32_t rings : {1u, 2u, n / 2, shapes::most_disjoint_rings(n)}) {
                AlgorithmOptions options;
                options.channels = 2;
                options.rings = rings;
                if (rings > shapes::most_disjoint_rings(n)) continue;
                const Schedule schedule = make_schedule("rings", op, n, options);
                EXPECT_EQ(schedule.ranks[0].threads.size(), 2u * (rings == 0 ? std::min(8u, n - 1) : rings));
                check(op, "rings", n, options);
            }
}

// Seven rings over eight ranks use all 56 links evenly, one only 8.
TEST(AlgorithmOptions, SevenRingsUseEveryLinkOfAMeshOfEight)
{
    AlgorithmOptions options;
    const std::uint64_t bytes = 7 * 8 * 4096;
    const Traffic all = check(CollectiveOp::all_reduce, "rings", 8, options, bytes);
    for (std::uint32_t from = 0; from < 8; ++from)
        for (std::uint32_t to = 0; to < 8; ++to)
            EXPECT_EQ(all.between(from, to), from == to ? 0u : 2 * 7 * 4096u) << from << " " << to;
    options.rings = 1;
    const Traffic one = check(CollectiveOp::all_reduce, "rings", 8, options, bytes);
    EXPECT_EQ(std::count(one.pairs.begin(), one.pairs.end(), 0u), 64 - 8);
    EXPECT_EQ(*std::max_element(one.pairs.begin(), one.pairs.end()), 2 * 7 * 7 * 4096u);
}

TEST(AlgorithmOptions, RingsFollowTheOrdersGiven)
{
    AlgorithmOptions options;
    options.orders = {{0, 2, 4, 1, 3}};
    for (CollectiveOp op : sharding)
        for (const char* name : {"ring", "rings", "bidirectional_ring"}) {
            const Traffic traffic = check(op, name, 5, options);
            EXPECT_GT(traffic.between(0, 2), 0u);
            EXPECT_EQ(traffic.between(0, 1), 0u);
            EXPECT_EQ(traffic.between(2, 0) > 0, std::string(name) == "bidirectional_ring");
        }
    for (CollectiveOp op : {CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather, CollectiveOp::scatter})
        for (options.root = 0; options.root < 5; ++options.root) {
            const Traffic traffic = check(op, "ring", 5, options);
            EXPECT_EQ(traffic.between(1, 2), 0u);
        }
    options.root = 0;
    const Traffic chain = check(CollectiveOp::all_reduce, "chain", 5, options);
    EXPECT_GT(chain.between(4, 1), 0u);
    EXPECT_EQ(chain.between(3, 0), 0u);
    options.orders.push_back({4, 3, 2, 1, 0});
    EXPECT_GT(check(CollectiveOp::all_reduce, "ring", 5, options).between(1, 0), 0u);
}

TEST(AlgorithmOptions, HierarchiesOfAnyShapeAndInnerAlgorithm)
{
    const std::vector<std::vector<std::uint32_t>> shapes = {{8}, {2, 3}, {3, 2}, {8, 4}, {1, 5}, {2, 2, 2}, {3, 1, 4},
        {4, 3, 2}, {5, 5}, {8, 8}, {2, 2, 2, 2, 2, 2}};
    for (const std::vector<std::uint32_t>& sizes : shapes)
        for (const char* inner : {"ring", "direct", "recursive"})
            for (CollectiveOp op : sharding)
                for (std::uint32_t channels : {1u, 3u}) {
                    AlgorithmOptions options = in_dimensions(sizes, inner);
                    options.channels = channels;
                    std::uint32_t n = 1;
                    for (std::uint32_t size : sizes) n *= size;
                    if (channels > 1 && n > 32) continue;
                    check(op, "hierarchical", n, options);
                }
}

// BlueConnect over 8 x 4: 2 (7/8 S) inside, 2 (3/4 S/8) outside, in 2 (7 + 3) steps.
TEST(AlgorithmOptions, OuterDimensionsCarryShards)
{
    const std::uint64_t bytes = 32 * 4096;
    const AlgorithmOptions options = in_dimensions({8, 4}, "ring");
    const Traffic traffic = check(CollectiveOp::all_reduce, "hierarchical", 32, options, bytes);
    EXPECT_EQ(traffic.between(0, 1), bytes * 2 * 7 / 8);
    EXPECT_EQ(traffic.between(0, 8), bytes / 8 * 2 * 3 / 4);
    EXPECT_EQ(theory_steps(theory_case(CollectiveOp::all_reduce, "hierarchical", 32, bytes, 4, options)), 20u);
}

TEST(AlgorithmOptions, NvlsTreesOfAnyShape)
{
    for (std::uint32_t node = 1; node <= 5; ++node)
        for (std::uint32_t nodes = 1; nodes <= 9; ++nodes)
            for (std::uint32_t pipeline : {1u, 2u, 7u}) {
                AlgorithmOptions options = in_dimensions({node, nodes}, "ring");
                options.pipeline = pipeline;
                options.channels = pipeline == 2 ? 3 : 1;
                if (node * nodes > 1) check(CollectiveOp::all_reduce, "nvls_tree", node * nodes, options);
            }
}

TEST(AlgorithmOptions, PiecesOfAPipelineAddSteps)
{
    const std::pair<CollectiveOp, const char*> cases[] = {{CollectiveOp::all_reduce, "tree"},
        {CollectiveOp::all_reduce, "double_tree"}, {CollectiveOp::all_reduce, "chain"},
        {CollectiveOp::broadcast, "tree"}, {CollectiveOp::broadcast, "ring"}, {CollectiveOp::reduce, "tree"},
        {CollectiveOp::reduce, "chain"}};
    for (const auto& [op, name] : cases)
        for (std::uint32_t n : {2u, 6u, 11u}) {
            AlgorithmOptions options;
            options.pipeline = 1;
            const std::uint32_t once = theory_steps(theory_case(op, name, n, 4096, 4, options));
            for (std::uint32_t pipeline : {1u, 2u, 16u}) {
                options.pipeline = pipeline;
                check(op, name, n, options);
                EXPECT_EQ(theory_steps(theory_case(op, name, n, 4096, 4, options)), once + pipeline - 1);
            }
        }
}

TEST(AlgorithmOptions, AreRefusedInOneLine)
{
    AlgorithmOptions options;
    options.rings = 5;
    EXPECT_EQ(refusal("rings", 4, options), "5 rings over 4 ranks; expected at most 2 rings that share no link");
    options.rings = 65;
    EXPECT_NE(refusal("rings", 128, options), "");
    options = {};
    options.orders = {{0, 1, 2, 2}};
    EXPECT_EQ(refusal("ring", 4, options),
        "ring 0 does not contain every rank once; expected ranks 0 to 3 in some order");
    EXPECT_NE(refusal("chain", 4, options), "");
    options.orders = {{}};
    EXPECT_NE(refusal("chain", 4, options), "");
    EXPECT_EQ(refusal("hierarchical", 9, in_dimensions({2, 4}, "ring")),
        "dimensions d0 2 x d1 4 of 9 ranks; expected sizes that multiply to the number of ranks");
    EXPECT_NE(refusal("hierarchical", 8, in_dimensions({0, 8}, "ring")), "");
    EXPECT_NE(refusal("nvls_tree", 9, in_dimensions({2, 4}, "ring")), "");
    EXPECT_EQ(refusal("hierarchical", 8, in_dimensions({8}, "tree")),
        "dimension 'd0' has the algorithm 'tree'; expected ring, direct or recursive");
    for (CollectiveOp op : {CollectiveOp::reduce, CollectiveOp::gather, CollectiveOp::scatter}) {
        options = {};
        options.root = 4;
        EXPECT_THROW(make_schedule("ring", op, 4, options), InputError) << name_of(op);
    }
}

TEST(AlgorithmOptions, DimensionsAreReadFromText)
{
    const auto read = dimensions_from_text("xpu=8:direct,host=4");
    ASSERT_TRUE(read && read->size() == 2);
    EXPECT_EQ((*read)[0].name, "xpu");
    EXPECT_EQ((*read)[0].size, 8u);
    EXPECT_EQ((*read)[0].algorithm, "direct");
    EXPECT_EQ((*read)[1].name, "host");
    EXPECT_EQ((*read)[1].size, 4u);
    EXPECT_EQ((*read)[1].algorithm, "ring");
    for (const char* text : {"", "8", "=8", "xpu=", "xpu=8,", ",xpu=8", "xpu=8x", "xpu=-8", "xpu=99999",
             "xpu=8:", "xpu=8:tree", "xpu=2,xpu=4", "a:b=3"})
        EXPECT_FALSE(dimensions_from_text(text)) << text;
    std::string repeated;
    EXPECT_FALSE(dimensions_from_text("a=4,b=2,a=3", &repeated));
    EXPECT_EQ(repeated, "a");
    repeated.clear();
    EXPECT_FALSE(dimensions_from_text("a=4,b", &repeated));
    EXPECT_EQ(repeated, "");
}

TEST(AlgorithmOptions, DimensionsByDefaultAreNearToSquare)
{
    for (const auto& [n, inner] : {std::pair{8u, 4u}, {16u, 4u}, {12u, 4u}, {7u, 7u}, {64u, 8u}, {2u, 2u}}) {
        const std::vector<Dimension> dimensions = dimensions_of({}, n);
        ASSERT_EQ(dimensions.size(), 2u);
        EXPECT_EQ(dimensions[0].size, inner);
        EXPECT_EQ(dimensions[1].size, n / inner);
    }
}

// Channels of a direct all_reduce begin at different peers, so that all links carry something at any time.
TEST(AlgorithmOptions, DirectAllReduceChannelsBeginAtDifferentPeers)
{
    AlgorithmOptions options;
    options.channels = 7;
    const Schedule schedule = make_schedule("direct", CollectiveOp::all_reduce, 8, options);
    for (std::uint32_t c = 0; c < 7; ++c)
        EXPECT_EQ(schedule.ranks[3].threads[c].steps[0].destinations[0].rank, (4 + c) % 8);
}

TEST(AlgorithmOptions, EveryAlgorithmTellsAboutItself)
{
    for (int op = 0; op <= static_cast<int>(CollectiveOp::custom); ++op)
        for (const std::string& name : algorithm_names(static_cast<CollectiveOp>(op))) {
            const AlgorithmInfo* info = algorithm_info(static_cast<CollectiveOp>(op), name);
            ASSERT_NE(info, nullptr);
            EXPECT_EQ(info->name, name);
            EXPECT_NE(std::string(info->how), "");
            EXPECT_NE(std::string(info->steps), "");
            EXPECT_NE(std::string(info->bytes), "");
            // What it says carries the data is what its steps do.
            bool switches = false;
            bool loads = false;
            const Schedule schedule = make_schedule(name, info->op, 4);
            for (std::uint32_t rank = 0; rank < 4; ++rank)
                for (const Thread& thread : schedule.ranks[rank].threads)
                    for (const Step& step : thread.steps) {
                        switches = switches || in_switch(step.kind);
                        for (const ChunkRef& source : step.sources)
                            loads = loads || (source.rank != rank && !in_switch(step.kind));
                    }
            EXPECT_EQ(switches, info->carrier == Carrier::in_switch) << name;
            EXPECT_EQ(loads, info->carrier == Carrier::get) << name;
        }
    EXPECT_EQ(algorithm_info(CollectiveOp::barrier, "nvls"), nullptr);
}

// An option that an algorithm uses makes another schedule, one that it does not use makes the same.
TEST(AlgorithmOptions, WhatAnAlgorithmUsesIsWhatChangesItsSteps)
{
    for (int op = 0; op <= static_cast<int>(CollectiveOp::custom); ++op)
        for (const std::string& name : algorithm_names(static_cast<CollectiveOp>(op))) {
            const auto text_with = [op, &name](auto change) {
                AlgorithmOptions options;
                options.rings = 1;
                options.dimensions = {{"a", 4}, {"b", 3}};
                change(options);
                return steps_of(make_schedule(name, static_cast<CollectiveOp>(op), 12, options));
            };
            const std::string plain = text_with([](AlgorithmOptions&) {});
            const OptionUse use = option_use(static_cast<CollectiveOp>(op), name);
            EXPECT_EQ(use.rings, text_with([](AlgorithmOptions& o) { o.rings = 3; }) != plain) << op << name;
            EXPECT_EQ(use.pipeline, text_with([](AlgorithmOptions& o) { o.pipeline = 3; }) != plain) << op << name;
            const auto turned = [](AlgorithmOptions& o) { std::swap(o.dimensions[0], o.dimensions[1]); };
            EXPECT_EQ(use.dimensions, text_with(turned) != plain) << op << name;
        }
    EXPECT_FALSE(option_use(CollectiveOp::barrier, "nvls").pipeline);
}

TEST(AlgorithmOptions, TheGuideListsEveryAlgorithmInOrder)
{
    std::ifstream file(WEFT_SOURCE_DIR "/docs/algorithms.md");
    const std::string page((std::istreambuf_iterator<char>(file)), {});
    std::string table;
    for (CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
             CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather,
             CollectiveOp::scatter, CollectiveOp::barrier})
        for (const std::string& name : algorithm_names(op)) {
            const AlgorithmInfo& info = *algorithm_info(op, name);
            table += fmt::format("| {} | {} | {} | {} | {} |\n", name_of(op), name, info.steps, info.bytes, info.how);
        }
    EXPECT_NE(page.find("|---|---|---|---|---|\n" + table + "\n"), std::string::npos) << table;
}

}  // namespace algorithm_options_test
