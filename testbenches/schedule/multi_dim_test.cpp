// multi_dim: the plan against the formula of its loads, and schedules against the verifier, steps and bytes.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/dimension_plan.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/theory/theory.h"
#include "testbenches/schedule/plans.h"
#include "testbenches/support/thorough.h"

namespace multi_dim_test {

using namespace weft;

namespace {

constexpr CollectiveOp sharding[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter};
constexpr DimensionOrder all_orders[] = {DimensionOrder::fixed, DimensionOrder::round_robin,
    DimensionOrder::offline_greedy, DimensionOrder::online_greedy};
constexpr DimensionQueue both_queues[] = {DimensionQueue::fifo, DimensionQueue::smallest_first};

ChunkScheduling scheduling_of(DimensionOrder order, std::uint32_t chunks = 8,
    DimensionQueue queue = DimensionQueue::fifo)
{
    ChunkScheduling scheduling;
    scheduling.order = order;
    scheduling.chunks = chunks;
    scheduling.queue = queue;
    return scheduling;
}

// Units that `order` puts on each dimension, twice for all_reduce.
std::vector<std::uint64_t> units_of(CollectiveOp op, const std::vector<PlannedDimension>& dimensions,
    const std::vector<std::uint32_t>& order)
{
    std::uint64_t left = 1;
    for (const PlannedDimension& dimension : dimensions) left *= dimension.size;
    std::vector<std::uint64_t> units(dimensions.size());
    for (const std::uint32_t d : order) {
        units[d] = (op == CollectiveOp::all_reduce ? 2 : 1) * left / dimensions[d].size * (dimensions[d].size - 1);
        left /= dimensions[d].size;
    }
    return units;
}

const std::vector<std::vector<PlannedDimension>> shapes{{{4, 1024}, {4, 1024}}, {{4, 1024}, {4, 2048}},
    {{4, 1024}, {4, 4096}}, {{4, 4096}, {4, 1024}}, {{2, 1024}, {8, 1024}}, {{8, 1024}, {2, 9000}},
    {{2, 1024}, {2, 1024}, {2, 1024}}, {{4, 1024}, {2, 2048}, {4, 3000}}, {{5, 1024}, {3, 1024}}, {{7, 1024}},
    {{2, 1024}, {2, 2048}, {2, 4096}, {2, 1024}}};

}  // namespace

TEST(DimensionPlan, LoadsAreTheSumsOverChunksOfTheFormula)
{
    for (const auto& dimensions : shapes)
        for (const CollectiveOp op : sharding)
            for (const DimensionOrder order : all_orders)
                for (const DimensionQueue queue : both_queues) {
                    const DimensionPlan plan = plan_dimensions(op, dimensions, scheduling_of(order, 11, queue));
                    ASSERT_EQ(plan.orders.size(), 11u);
                    std::vector<std::uint64_t> loads(dimensions.size(), 0);
                    for (const auto& order : plan.orders) {
                        const std::vector<std::uint64_t> units = units_of(op, dimensions, order);
                        for (std::size_t d = 0; d < loads.size(); ++d) loads[d] += units[d] * dimensions[d].cost;
                    }
                    EXPECT_EQ(plan.loads, loads);
                    std::vector<std::uint64_t> busy(dimensions.size(), 0);
                    for (const DimensionOperation& operation : plan.operations)
                        busy[operation.dimension] += operation.end - operation.start;
                    EXPECT_EQ(busy, loads);
                    EXPECT_GE(plan.end, *std::max_element(loads.begin(), loads.end()));
                }
}

// One operation at a time in a dimension, and those of a chunk in its order and back.
TEST(DimensionPlan, OperationsFollowEachOther)
{
    for (const auto& dimensions : shapes)
        for (const CollectiveOp op : sharding)
            for (const DimensionOrder order : all_orders)
                for (const DimensionQueue queue : both_queues) {
                    const DimensionPlan plan = plan_dimensions(op, dimensions, scheduling_of(order, 6, queue));
                    std::vector<std::uint64_t> free(dimensions.size(), 0);
                    std::vector<std::uint64_t> ready(6, 0);
                    std::vector<std::vector<std::uint32_t>> orders(6);
                    for (const DimensionOperation& operation : plan.operations) {
                        EXPECT_GE(operation.start, free[operation.dimension]);
                        EXPECT_GE(operation.start, ready[operation.chunk]);
                        free[operation.dimension] = ready[operation.chunk] = operation.end;
                        orders[operation.chunk].push_back(operation.dimension);
                    }
                    for (std::uint32_t c = 0; c < 6; ++c) {
                        std::vector<std::uint32_t> back(plan.orders[c].rbegin(), plan.orders[c].rend());
                        std::vector<std::uint32_t> order = op == CollectiveOp::all_gather ? back : plan.orders[c];
                        if (op == CollectiveOp::all_reduce) order.insert(order.end(), back.begin(), back.end());
                        EXPECT_EQ(orders[c], order);
                    }
                }
}

// 4 x 4 of equal rates: 2 (3/4) of the message in the first dimension, an eighth of that in both; turn and turn about, 15/16
// in each. So the gain is 8/5.
TEST(DimensionPlan, EqualDimensionsAreLevelled)
{
    const std::uint64_t message = 16 * 16 * unit_cost;  // at full rate
    const DimensionPlan fixed =
        plan_dimensions(CollectiveOp::all_reduce, shapes[0], scheduling_of(DimensionOrder::fixed, 16));
    EXPECT_EQ(fixed.loads, (std::vector<std::uint64_t>{message * 3 / 2, message * 3 / 8}));
    EXPECT_EQ(fixed.end, message * 3 / 2);
    for (const DimensionOrder order :
        {DimensionOrder::round_robin, DimensionOrder::offline_greedy, DimensionOrder::online_greedy}) {
        const DimensionPlan plan = plan_dimensions(CollectiveOp::all_reduce, shapes[0], scheduling_of(order, 16));
        EXPECT_EQ(plan.loads, (std::vector<std::uint64_t>{message * 15 / 16, message * 15 / 16}));
        EXPECT_EQ(plan.end, message * 15 / 16);
    }
}

// 2:1. With a share x of the chunks in the given order, 3/2 (x + (1 - x)/4) = 3/2 (x/2 + 2 (1 - x)): x = 7/9, and 5/4 in place
// of 3/2. Every chunk is 1/64 of that by itself.
TEST(DimensionPlan, UnequalDimensionsTakeTheSharesThatLevelThem)
{
    const double message = 64 * 16 * unit_cost;
    const DimensionPlan plan =
        plan_dimensions(CollectiveOp::all_reduce, shapes[1], scheduling_of(DimensionOrder::offline_greedy, 64));
    const auto given = std::count(plan.orders.begin(), plan.orders.end(), std::vector<std::uint32_t>{0, 1});
    EXPECT_NEAR(static_cast<double>(given), 64 * 7.0 / 9, 1);
    for (const std::uint64_t load : plan.loads) EXPECT_NEAR(static_cast<double>(load) / message, 1.25, 3.0 / 64);
    EXPECT_NEAR(static_cast<double>(plan.end) / message, 1.25, 1.0 / 64);
}

// Inside four times as fast as across, four ranks each: the given order is level, (3/4) S inside and (3/16) S at a quarter of
// the rate across, so nothing is to be gained; with the slow one first, 3 S take four times as long as 3/4 S would.
TEST(DimensionPlan, OnlyWhatIsUnevenIsChanged)
{
    for (const DimensionOrder order : {DimensionOrder::offline_greedy, DimensionOrder::online_greedy}) {
        const DimensionPlan level = plan_dimensions(CollectiveOp::all_reduce, shapes[2], scheduling_of(order, 16));
        EXPECT_EQ(level.loads[0], level.loads[1]);
        for (const auto& order : level.orders) EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1}));
        const DimensionPlan turned = plan_dimensions(CollectiveOp::all_reduce, shapes[3], scheduling_of(order, 16));
        for (const auto& order : turned.orders) EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 0}));
        const std::vector<std::uint64_t> slow =
            plan_dimensions(CollectiveOp::all_reduce, shapes[3], scheduling_of(DimensionOrder::fixed, 16)).loads;
        EXPECT_EQ(*std::max_element(slow.begin(), slow.end()), 4 * turned.loads[0]);
    }
}

TEST(DimensionPlan, GreedyEndsNoLaterThanFixed)
{
    for (const auto& dimensions : shapes)
        for (const CollectiveOp op : sharding)
            for (const std::uint32_t chunks : {1u, 2u, 3u, 8u, 31u})
                for (const DimensionQueue queue : both_queues) {
                    const std::uint64_t fixed =
                        plan_dimensions(op, dimensions, scheduling_of(DimensionOrder::fixed, chunks, queue)).end;
                    for (const DimensionOrder order : {DimensionOrder::offline_greedy, DimensionOrder::online_greedy})
                        EXPECT_LE(plan_dimensions(op, dimensions, scheduling_of(order, chunks, queue)).end, fixed);
                }
}

TEST(DimensionPlan, RoundRobinBeginsOneDimensionFurtherOnEachTime)
{
    const DimensionPlan plan =
        plan_dimensions(CollectiveOp::reduce_scatter, shapes[7], scheduling_of(DimensionOrder::round_robin, 4));
    const std::vector<std::vector<std::uint32_t>> expected{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 1, 2}};
    EXPECT_EQ(plan.orders, expected);
}

// 4 x 2 x 2 with rates 1024 : 512 : 349: chunks whose small shards go on early keep the slow dimensions at work.
TEST(DimensionPlan, TheSmallestFirstKeepsOtherDimensionsAtWork)
{
    const DimensionPlan fifo =
        plan_dimensions(CollectiveOp::all_reduce, shapes[7], scheduling_of(DimensionOrder::offline_greedy, 64));
    const DimensionPlan smallest = plan_dimensions(CollectiveOp::all_reduce, shapes[7],
        scheduling_of(DimensionOrder::offline_greedy, 64, DimensionQueue::smallest_first));
    EXPECT_EQ(fifo.loads, smallest.loads);
    EXPECT_EQ(smallest.end, *std::max_element(smallest.loads.begin(), smallest.loads.end()));
    EXPECT_GT(static_cast<double>(fifo.end), 1.1 * static_cast<double>(smallest.end));
    for (const DimensionQueue queue : both_queues) {  // of those that wait at the start
        const DimensionPlan plan =
            plan_dimensions(CollectiveOp::all_reduce, shapes[6], scheduling_of(DimensionOrder::fixed, 3, queue));
        EXPECT_EQ(plan.operations[1].chunk, 1u);
    }
}

// The more another collective has still to do in a dimension, the fewer chunks begin there.
TEST(DimensionPlan, OnlineGreedyKeepsOutOfTheWayOfOthers)
{
    const std::uint64_t message = 16 * 16 * unit_cost;
    std::ptrdiff_t before = 16;
    for (const std::uint64_t busy : {std::uint64_t{0}, message / 4, message / 2, message * 2}) {
        const DimensionPlan plan = plan_dimensions(CollectiveOp::all_reduce, shapes[0],
            scheduling_of(DimensionOrder::online_greedy, 16), {busy, 0});
        const auto first = std::count(plan.orders.begin(), plan.orders.end(), std::vector<std::uint32_t>{0, 1});
        EXPECT_LE(first, before) << busy;
        before = first;
        for (const DimensionOperation& operation : plan.operations)
            EXPECT_GE(operation.start, operation.dimension == 0 ? busy : 0);
        const DimensionPlan offline = plan_dimensions(CollectiveOp::all_reduce, shapes[0],
            scheduling_of(DimensionOrder::offline_greedy, 16), {busy, 0});
        EXPECT_EQ(offline.orders[0], (std::vector<std::uint32_t>{0, 1})) << busy;
    }
    EXPECT_EQ(before, 0);
}

TEST(DimensionPlan, RatesAreTakenAsTheyAre)
{
    AlgorithmOptions options;
    options.dimensions = {{"a", 4, "ring", 400'000'000'000}, {"one", 1, "ring", 7}, {"b", 4, "ring", 100'000'000'000}};
    options.scheduling = scheduling_of(DimensionOrder::fixed, 16);
    const PlannedAxes axes = planned_axes(CollectiveOp::all_reduce, 16, options);
    ASSERT_EQ(axes.dimensions.size(), 2u);
    EXPECT_EQ(axes.dimensions[1].name, "b");
    EXPECT_EQ(axes.plan.loads[0], axes.plan.loads[1]);
    // 3/2 of 1 MB at 400 GB/s: 3.75 us.
    EXPECT_NEAR(static_cast<double>(axes.plan.loads[0]) * ps_of_cost(axes.dimensions, 16, 1'000'000), 3'750'000, 1);
}

TEST(MultiDim, IsRightInAnyShapeOrderAndQueue)
{
    const std::vector<std::vector<std::uint32_t>> sizes{{8}, {2, 3}, {4, 4}, {1, 5}, {2, 2, 2}, {3, 1, 4}, {4, 3, 2},
        {5, 5}};
    std::uint32_t number = 0;
    for (const std::vector<std::uint32_t>& shape : sizes)
        for (const char* inner : {"ring", "direct", "recursive"})
            for (CollectiveOp op : sharding)
                for (const DimensionOrder order : all_orders)
                    for (const std::uint32_t variant : {0u, 1u}) {
                        // Every fifth by default: shapes, algorithms, operations, orders and variants each in turn.
                        if (number++ % weft::test::by_default(5, 1) != 0) continue;
                        AlgorithmOptions options;
                        std::uint32_t n = 1;
                        for (std::uint32_t size : shape) {
                            options.dimensions.push_back({fmt::format("d{}", options.dimensions.size()), size, inner,
                                (options.dimensions.size() + 1) * 100'000'000'000});
                            n *= size;
                        }
                        options.scheduling = scheduling_of(order, variant == 0 ? 5 : 8, both_queues[variant]);
                        options.scheduling.streams = 1 + variant;
                        options.channels = 1 + 2 * variant;
                        const Schedule schedule = make_schedule("multi_dim", op, n, options);
                        const Verification result = verify(schedule);
                        ASSERT_TRUE(result.ok) << all_problems(result);
                        VerifyOptions odd;
                        odd.bytes = 1003;
                        EXPECT_TRUE(verify(schedule, odd).ok);
                        const TheoryCase theory = theory_case(op, "multi_dim", n, 1000012, 4, options);
                        EXPECT_EQ(result.steps, theory_steps(theory));
                        const Traffic traffic = traffic_of(schedule, Layout(schedule, 1000012, 4));
                        EXPECT_EQ(traffic.pairs, theory_bytes_pairs(theory));
                    }
}

// Over 4 x 4, chunk c in the order (0, 1) or (1, 0): a rank's neighbour inside has 2 (3/4) S of the former and a quarter of the
// latter.
TEST(MultiDim, BytesPerDimensionAreThoseOfTheFormula)
{
    const std::uint64_t bytes = 16 * 8 * 4096;
    for (const auto& [order, inside, across] : {std::tuple{DimensionOrder::fixed, 24u, 6u},
             std::tuple{DimensionOrder::round_robin, 15u, 15u}, std::tuple{DimensionOrder::offline_greedy, 15u, 15u}}) {
        AlgorithmOptions options;
        options.dimensions = {{"a", 4}, {"b", 4}};
        options.scheduling = scheduling_of(order);
        const Schedule schedule = make_schedule("multi_dim", CollectiveOp::all_reduce, 16, options);
        const Traffic traffic = traffic_of(schedule, Layout(schedule, bytes, 4));
        EXPECT_EQ(traffic.between(0, 1), bytes * inside / 16);
        EXPECT_EQ(traffic.between(0, 4), bytes * across / 16);
        EXPECT_EQ(traffic.sent[5], bytes * 30 / 16);
    }
}

// One thread each for every dimension, times streams and channels.
TEST(MultiDim, HasThreadsForEveryDimension)
{
    AlgorithmOptions options;
    options.dimensions = {{"a", 4}, {"one", 1}, {"b", 2}};
    options.channels = 3;
    for (options.scheduling.streams = 1; options.scheduling.streams <= 4; ++options.scheduling.streams)
        EXPECT_EQ(make_schedule("multi_dim", CollectiveOp::all_reduce, 8, options).ranks[0].threads.size(),
            2 * 3 * options.scheduling.streams);
}

// Whoever goes on in another dimension without waiting for the one before is found out.
TEST(MultiDim, DependenciesBetweenDimensionsAreNeeded)
{
    AlgorithmOptions options;
    options.dimensions = {{"a", 2}, {"b", 3}};
    options.scheduling = scheduling_of(DimensionOrder::round_robin, 4);
    for (const CollectiveOp op : sharding) {
        const Schedule whole = make_schedule("multi_dim", op, 6, options);
        std::uint32_t damaged = 0;
        for (std::size_t t = 0; t < whole.ranks[1].threads.size(); ++t)
            for (std::size_t s = 0; s < whole.ranks[1].threads[t].steps.size(); ++s) {
                if (whole.ranks[1].threads[t].steps[s].after.empty()) continue;
                Schedule schedule = whole;
                schedule.ranks[1].threads[t].steps[s].after.clear();
                EXPECT_FALSE(verify(schedule).ok) << name_of(op) << " " << t << " " << s;
                ++damaged;
            }
        EXPECT_EQ(damaged, op == CollectiveOp::all_reduce ? 8u : 4u);
    }
}

TEST(MultiDim, IsRefusedInOneLine)
{
    const auto refusal = [](const AlgorithmOptions& options, std::uint32_t ranks) -> std::string {
        try {
            make_schedule("multi_dim", CollectiveOp::all_reduce, ranks, options);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    AlgorithmOptions options;
    options.scheduling.chunks = 0;
    EXPECT_EQ(refusal(options, 8), "number of chunks 0; expected 1 to 256");
    options.scheduling.chunks = 257;
    EXPECT_NE(refusal(options, 8), "");
    options.scheduling.chunks = 8;
    options.scheduling.streams = 17;
    EXPECT_EQ(refusal(options, 8), "number of streams 17; expected 1 to 16");
    options.scheduling.streams = 1;
    for (int i = 0; i < 7; ++i) options.dimensions.push_back({"d" + std::to_string(i), 2});
    EXPECT_EQ(refusal(options, 128), "7 dimensions for multi_dim; expected at most 6");
    options.dimensions.resize(2);
    EXPECT_EQ(refusal(options, 8),
        "dimensions d0 2 x d1 2 of 8 ranks; expected sizes that multiply to the number of ranks");
}

}  // namespace multi_dim_test
