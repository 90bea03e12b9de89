// Schedules that hold one channel stand for exactly those with all of them.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/channels.h"

namespace channels_test {

using namespace weft;

namespace {

constexpr CollectiveOp ops[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
    CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather,
    CollectiveOp::scatter, CollectiveOp::barrier};

std::string text_of(const ChunkRef& ref)
{
    return fmt::format(" {}.{}.{}x{}", ref.rank, name_of(ref.buffer), ref.index, ref.count);
}

std::string text_of(const Step& step)
{
    std::string out = fmt::format("{} peer {} semaphore {} of {}, part {}/{}{} channel {}:", name_of(step.kind),
        step.peer, step.semaphore, step.participants, step.part, step.parts, step.with_previous ? " too" : "",
        static_cast<unsigned>(step.channel));
    for (const ChunkRef& ref : step.sources) out += text_of(ref);
    out += " ->";
    for (const ChunkRef& ref : step.destinations) out += text_of(ref);
    if (step.like) out += " like" + text_of(*step.like);
    for (const StepId& id : step.after) out += fmt::format(" after {}.{}", id.thread, id.step);
    return out;
}

bool same(const ChunkRef& a, const ChunkRef& b)
{
    return a.rank == b.rank && a.buffer == b.buffer && a.index == b.index && a.count == b.count;
}

bool same(const Step& a, const Step& b)
{
    const auto refs = [](const std::vector<ChunkRef>& left, const std::vector<ChunkRef>& right) {
        return std::equal(left.begin(), left.end(), right.begin(), right.end(),
            [](const ChunkRef& one, const ChunkRef& other) { return same(one, other); });
    };
    const auto ids = [](const StepId& one, const StepId& other) {
        return one.thread == other.thread && one.step == other.step;
    };
    return a.kind == b.kind && a.peer == b.peer && a.semaphore == b.semaphore && a.participants == b.participants &&
        a.part == b.part && a.parts == b.parts && a.with_previous == b.with_previous && a.channel == b.channel &&
        refs(a.sources, b.sources) && refs(a.destinations, b.destinations) &&
        a.like.has_value() == b.like.has_value() && (!a.like || same(*a.like, *b.like)) &&
        std::equal(a.after.begin(), a.after.end(), b.after.begin(), b.after.end(), ids);
}

// Where two schedules differ first; empty if nowhere.
std::string difference(const Schedule& a, const Schedule& b)
{
    if (a.name != b.name || a.op != b.op || a.chunks != b.chunks || a.root != b.root || a.in_place != b.in_place ||
        a.size() != b.size() || a.channels != b.channels)
        return "the heads";
    for (std::uint32_t rank = 0; rank < a.size(); ++rank) {
        const RankPlan& left = a.ranks[rank];
        const RankPlan& right = b.ranks[rank];
        if (left.semaphores != right.semaphores || left.input_chunks != right.input_chunks ||
            left.output_chunks != right.output_chunks || left.scratch_chunks != right.scratch_chunks ||
            left.packet_chunks != right.packet_chunks || left.staging_chunks != right.staging_chunks ||
            left.threads.size() != right.threads.size())
            return fmt::format("rank {}", rank);
        for (std::size_t t = 0; t < left.threads.size(); ++t) {
            if (left.threads[t].steps.size() != right.threads[t].steps.size())
                return fmt::format("rank {} thread {}", rank, t);
            for (std::size_t s = 0; s < left.threads[t].steps.size(); ++s) {
                const Step& one = left.threads[t].steps[s];
                const Step& other = right.threads[t].steps[s];
                if (!same(one, other))
                    return fmt::format("rank {} thread {} step {}: {} / {}", rank, t, s, text_of(one), text_of(other));
            }
        }
    }
    return "";
}

AlgorithmOptions with(std::uint32_t channels)
{
    AlgorithmOptions options;
    options.channels = channels;
    options.pipeline = 3;
    return options;
}

}  // namespace

TEST(Channels, WhatIsHeldStandsForAllThreadsOfEveryAlgorithm)
{
    unsigned held = 0;
    for (const CollectiveOp op : ops)
        for (const std::string& algorithm : algorithm_names(op))
            for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 6U, 8U, 13U, 16U})
                for (const std::uint32_t channels : {1U, 2U, 5U, 32U}) {
                    if (channels == 32 && ranks > 8) continue;
                    Schedule all;
                    try {
                        all = make_schedule(algorithm, op, ranks, with(channels));
                    } catch (const InputError&) {
                        continue;  // not for so many ranks
                    }
                    const Schedule one = make_held_schedule(algorithm, op, ranks, with(channels));
                    EXPECT_EQ(difference(whole(one), all), "")
                        << name_of(op) << ' ' << algorithm << ' ' << ranks << ' ' << channels;
                    held += one.channels > 1;
                }
    EXPECT_GT(held, 500U);
}

// Two rings over orders of ranks, dimensions, and a root that is not the first.
TEST(Channels, TheSameWithOptions)
{
    AlgorithmOptions options = with(4);
    options.orders = {{0, 2, 4, 1, 3, 5}, {5, 4, 3, 2, 1, 0}};
    for (const char* algorithm : {"ring", "rings"})
        EXPECT_EQ(difference(whole(make_held_schedule(algorithm, CollectiveOp::all_reduce, 6, options)),
                      make_schedule(algorithm, CollectiveOp::all_reduce, 6, options)),
            "");
    options = with(3);
    options.dimensions = {{"xpu", 4, "direct", 0}, {"host", 3, "ring", 0}};
    for (const char* algorithm : {"hierarchical", "multi_dim", "nvls_tree"})
        EXPECT_EQ(difference(whole(make_held_schedule(algorithm, CollectiveOp::all_reduce, 12, options)),
                      make_schedule(algorithm, CollectiveOp::all_reduce, 12, options)),
            "");
    options = with(3);
    options.root = 5;
    EXPECT_EQ(difference(whole(make_held_schedule("tree", CollectiveOp::broadcast, 7, options)),
                  make_schedule("tree", CollectiveOp::broadcast, 7, options)),
        "");
}

// The comparison sees each field that channels() sets.
TEST(Channels, ADifferenceIsFound)
{
    const Schedule all = make_schedule("nvls", CollectiveOp::all_reduce, 4, with(2));
    Schedule other = all;
    other.ranks[2].threads[1].steps[0].semaphore ^= 1;
    EXPECT_NE(difference(other, all).find("rank 2 thread 1 step 0"), std::string::npos);
    other = all;
    other.ranks[3].threads[0].steps[6].part ^= 1;
    EXPECT_NE(difference(other, all).find("rank 3 thread 0 step 6"), std::string::npos);
    Schedule one = make_held_schedule("nvls", CollectiveOp::all_reduce, 4, with(2));
    EXPECT_NE(difference(one, all), "");
    one.channels = 3;
    EXPECT_NE(difference(whole(one), all), "");
}

// Where channels begin at peers of their own (direct), all are held.
TEST(Channels, ThoseThatDifferAreHeldAll)
{
    EXPECT_FALSE(channels_alike("direct", CollectiveOp::all_reduce));
    EXPECT_FALSE(channels_alike("no_such", CollectiveOp::all_reduce));
    const Schedule direct = make_held_schedule("direct", CollectiveOp::all_reduce, 8, with(32));
    EXPECT_EQ(direct.channels, 1U);
    EXPECT_EQ(direct.ranks[0].threads.size(), 32U);
}

// Bytes of a rank: two meetings of 63 signals and 63 waits, and one step with an operand of every rank on both sides; the
// number of channels costs nothing. The arrays of steps have grown by doubling.
TEST(Channels, ARankTakesTheMemoryOfOneChannel)
{
    for (const std::uint32_t channels : {1U, 32U}) {
        const Schedule nvls = make_held_schedule("nvls", CollectiveOp::all_reduce, 64, with(channels));
        EXPECT_LE(memory_bytes(nvls), 64U * (256 * sizeof(Step) + 2 * 64 * sizeof(ChunkRef)));
        EXPECT_GE(memory_bytes(nvls), 64U * (253 * sizeof(Step) + 2 * 64 * sizeof(ChunkRef)));
    }
    const Schedule all = make_schedule("nvls", CollectiveOp::all_reduce, 64, with(32));
    EXPECT_GE(memory_bytes(all), 32 * 64U * 253 * sizeof(Step));
    EXPECT_LE(sizeof(Step), 144U);
}

}  // namespace channels_test
