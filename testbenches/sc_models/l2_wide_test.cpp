// Wide transactions at a slice: times, counts and contents are those of their lines.
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "testbenches/sc_models/l2_bench.h"
#include "testbenches/tlm_interconnect/child.h"

namespace l2_wide_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time us = 1'000'000;
constexpr Time latency = 60'000;
constexpr Time miss = latency + memory_latency;

L2Spec wide_l2()
{
    L2Spec spec = small_l2();
    spec.grain = 512;
    return spec;
}

L2Spec two_partitions()
{
    L2Spec spec = wide_l2();
    spec.size *= 2;
    spec.slices = 2;
    spec.bandwidth *= 2;
    spec.partitions = 2;
    spec.line = 128;
    spec.far_latency = 24'000;
    spec.far_bandwidth = 64'000'000'000;
    return spec;
}

// A bench whose lines have room for the data of wide transactions.
struct WideBench : L2Bench {
    explicit WideBench(const L2Spec& spec = wide_l2()) : L2Bench(spec) { pool.hold_wide(512); }
    std::uint32_t tail(std::size_t access) const { return issuer.done[access].tail; }
};

}  // namespace

TEST(L2Wide, MissHitAndWrite)
{
    WideBench bench;
    bench.issue(0, LineOp::read, 0, 512);
    bench.issue(us, LineOp::read, 0, 512);
    bench.issue(2 * us, LineOp::write, 0, 512);
    bench.issue(3 * us, LineOp::write, 8, 512);  // absent: no fill
    bench.run();
    EXPECT_EQ(bench.at(0), 7 * step + miss);  // when the last line is there
    EXPECT_EQ(bench.tail(0), 0u);
    EXPECT_EQ(bench.at(1), us + latency);  // the first line
    EXPECT_EQ(bench.tail(1), 7 * step);
    EXPECT_EQ(bench.at(2), 2 * us + 7 * step + latency);
    EXPECT_EQ(bench.at(3), 3 * us + 7 * step + latency);
    EXPECT_EQ(bench.statistic("misses"), 8);
    EXPECT_EQ(bench.statistic("hits"), 24);
    EXPECT_EQ(bench.statistic("busy"), 32 * step);
    EXPECT_EQ(bench.traffic(), std::vector<std::string>{"read 0 @60000"});  // one fetch of eight lines
}

TEST(L2Wide, TheSliceIsBusyForAllLines)
{
    WideBench bench;
    bench.issue(0, LineOp::write, 0, 512);
    bench.issue(0, LineOp::write, 8, 64);
    bench.issue(0, LineOp::write, 16, 256);
    bench.run();
    EXPECT_EQ(bench.at(1), 8 * step + latency);
    EXPECT_EQ(bench.at(2), (9 + 3) * step + latency);
}

TEST(L2Wide, LinesThatAreThereAreNotFetched)
{
    WideBench bench;
    bench.issue(0, LineOp::read, 3);
    bench.issue(us, LineOp::read, 0, 512);
    bench.run();
    EXPECT_EQ(bench.at(1), us + 7 * step + miss);
    EXPECT_EQ(bench.statistic("hits"), 1);
    EXPECT_EQ(bench.statistic("misses"), 1 + 7);
    EXPECT_EQ(bench.traffic(), (std::vector<std::string>{"read 3 @60000", "read 0 @1060000", "read 4 @1064000"}));
}

TEST(L2Wide, LinesOnTheirWayAreWaitedFor)
{
    WideBench bench;
    bench.issue(0, LineOp::read, 7);
    bench.issue(100'000, LineOp::read, 6, 128);
    bench.issue(110'000, LineOp::write, 4, 256);
    bench.run();
    EXPECT_EQ(bench.at(1), 100'000 + miss);   // line 6; line 7 came before
    EXPECT_EQ(bench.statistic("merged"), 3);  // one line of the read, two of the write
    EXPECT_EQ(bench.at(2), 100'000 + miss);
    EXPECT_EQ(bench.statistic("misses"), 2);
}

TEST(L2Wide, LinesBeyondTheLimitOfMissesWait)
{
    L2Spec spec = wide_l2();
    spec.outstanding_misses = 2;
    WideBench bench(spec);
    bench.issue(0, LineOp::read, 0, 256);
    bench.run();
    EXPECT_EQ(bench.at(0), step + 2 * memory_latency + latency);
    EXPECT_EQ(bench.statistic("misses"), 4);
}

// What leaves goes to memory as one transaction for a tag.
TEST(L2Wide, DirtyLinesOfATagLeaveTogether)
{
    L2Spec spec = wide_l2();
    spec.line = 128;
    WideBench bench(spec);
    const std::uint64_t lines = spec.size / line_bytes;
    for (std::uint64_t i = 0; i < 2 * lines; i += 8) bench.issue(i * us, LineOp::write, i, 512);
    bench.run();
    EXPECT_EQ(bench.statistic("write_backs"), static_cast<double>(lines));
    EXPECT_EQ(bench.memory.operations.size(), lines / 2);
}

TEST(L2Wide, ItsCreditsReturnWhenItsLastLineIsServed)
{
    in_child([] {
        EventQueue event_queue("event_queue");
        LinePool pool;
        MemoryImage image(false);
        L2Slice slice("slice", event_queue, "slice", wide_l2(), 0, image, pool, 3);
        LineIssuer issuer("issuer", event_queue, pool, 1);
        LineMemory memory("memory", event_queue, memory_latency);
        pool.hold_wide(512);
        issuer.out.bind(slice.target);
        slice.memory.bind(memory.in);
        for (unsigned i = 0; i < 2; ++i) issuer.issue(0, LineOp::write, global_address(3, i * 512), 512);
        sc_core::sc_start();
        EXPECT_EQ(issuer.done[1].sent, 7 * step);
        return std::string();
    });
}

TEST(L2Wide, WhatTheOtherPartitionHoldsCrossesAsOne)
{
    WideBench bench(two_partitions());
    bench.issue_in(0, 0, LineOp::write, 0, 512);
    bench.issue_in(1, us, LineOp::read, 0, 512);
    bench.issue_in(1, 2 * us, LineOp::read, 0, 512);
    bench.issue_in(0, 3 * us, LineOp::write, 0, 512);
    bench.issue_in(1, 4 * us, LineOp::read, 0, 128);  // gone by the write
    bench.run();
    // The request, the service there up to its last line, the way back up to its last line.
    EXPECT_EQ(bench.at_other(0), us + latency + 24'000 + 7 * step + latency + 24'000 + 7 * step);
    EXPECT_EQ(bench.at_other(1), 2 * us + latency);
    EXPECT_EQ(bench.at_other(2), 4 * us + latency + 24'000 + step + latency + 24'000 + step);
    EXPECT_EQ(bench.statistic("far_hits"), 10);
    EXPECT_EQ(bench.statistic("copies"), 10);
    EXPECT_EQ(bench.statistic("far_bytes"), 10 * 64);
    EXPECT_EQ(bench.statistic("misses"), 0);
}

// Lines that the other partition has take no time of this one's service: those behind them begin as if they were the first.
TEST(L2Wide, FarLinesDoNotDelayTheNearOnesBehindThem)
{
    WideBench bench(two_partitions());
    bench.issue_in(0, 0, LineOp::write, 0, 128);
    bench.issue_in(1, us, LineOp::read, 0, 256);
    bench.run();
    EXPECT_EQ(bench.memory.arrivals, std::vector<Time>{us + latency});
    EXPECT_EQ(bench.statistic("far_hits"), 2);
    EXPECT_EQ(bench.statistic("misses"), 2);
}

TEST(L2Wide, WhatHasLeftTheOtherPartitionOnTheWayIsFetchedLineByLine)
{
    WideBench bench(two_partitions());
    bench.issue_in(0, 0, LineOp::write, 0, 512);
    bench.issue_in(1, us, LineOp::read, 0, 512);
    // Reaches the lines there before the request does.
    bench.issue_in(1, us + 1000, LineOp::write, 2, 64);
    bench.run();
    EXPECT_EQ(bench.issuer.done.size(), 1u);
    EXPECT_EQ(bench.other->done.size(), 2u);
    EXPECT_EQ(bench.statistic("far_hits"), 8);
}

// Sequences of accesses, wide and narrow: every read has the bytes that were written last, whatever the slice holds.
TEST(L2Wide, ReadsHaveTheBytesThatWereWrittenLast)
{
    for (const bool mirrored : {false, true})
        for (const ContentsPolicy contents : {ContentsPolicy::flat, ContentsPolicy::cached})
            for (unsigned seed = 1; seed <= 4; ++seed)
                in_child([=] {
                    L2Spec spec = mirrored ? two_partitions() : wide_l2();
                    spec.contents = contents;
                    spec.outstanding_misses = 3 + seed;
                    spec.outstanding_write_backs = seed;
                    spec.write_back_run = std::uint64_t{1} << (seed - 1);
                    WideBench bench(spec);
                    std::mt19937 random(seed);
                    constexpr std::uint64_t area = 256;  // lines, four times the slice
                    std::vector<std::uint8_t> memory(area * 64);
                    struct Expected {
                        bool second;
                        std::size_t access;
                        std::vector<std::uint8_t> bytes;
                    };
                    std::vector<Expected> expected;
                    std::size_t count[2] = {};
                    for (unsigned i = 0; i < 400; ++i) {
                        const std::uint32_t most = 8 - static_cast<std::uint32_t>(random() % 8);
                        const std::uint64_t first = random() % area;
                        const auto lines = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 8 - first % 8));
                        const bool second = mirrored && random() % 2 == 1;
                        const bool reads = random() % 2 == 1;
                        Line& line = bench.issue_in(second ? 1 : 0, i * us, reads ? LineOp::read : LineOp::write, first,
                            lines * 64);
                        std::uint8_t* const at = memory.data() + first * 64;
                        if (reads) {
                            expected.push_back({second, count[second], {at, at + lines * 64}});
                        } else {
                            for (std::uint32_t b = 0; b < lines * 64; ++b) at[b] = static_cast<std::uint8_t>(random());
                            std::memcpy(line.data(), at, lines * 64);
                        }
                        ++count[second];
                    }
                    if (contents == ContentsPolicy::cached) {
                        bench.memory.bytes.assign(1 << 16, 0);
                        if (bench.other_memory) bench.other_memory->bytes.assign(1 << 16, 0);
                    }
                    bench.run();
                    for (const Expected& read : expected)
                        EXPECT_EQ((read.second ? *bench.other : bench.issuer).done[read.access].data, read.bytes)
                            << mirrored << " " << static_cast<int>(contents) << " " << seed << " " << read.access;
                    return std::string();
                });
}

}  // namespace l2_wide_test
