// Slices that hold the bytes of their sectors: where bytes are after fills, writes, evictions; the same times as without.
#include <algorithm>
#include <cstring>
#include <random>

#include "testbenches/sc_models/l2_bench.h"
#include "testbenches/tlm_interconnect/child.h"

namespace l2_contents_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time us = 1'000'000;

L2Spec cached(L2Spec spec = small_l2())
{
    spec.contents = ContentsPolicy::cached;
    return spec;
}

L2Spec two_partitions()
{
    L2Spec spec = small_l2();
    spec.size *= 2;
    spec.slices = 2;
    spec.bandwidth *= 2;
    spec.partitions = 2;
    spec.far_latency = 24'000;
    spec.far_bandwidth = 64'000'000'000;
    return spec;
}

// What transport_dbg moves at a line, without time.
std::uint8_t seen(L2Bench& bench, std::uint64_t line, unsigned offset = 0)
{
    Line& look = bench.pool.take();
    look.begin(LineOp::read, global_address(3, line * 64 + offset), 1);
    EXPECT_EQ(bench.issuer.out.debug(look), 1u);
    const std::uint8_t value = look.data()[0];
    bench.pool.give(look);
    return value;
}
void put(L2Bench& bench, std::uint64_t line, std::uint8_t value)
{
    Line& change = bench.pool.take();
    change.begin(LineOp::write, global_address(3, line * 64), 64);
    std::fill_n(change.data(), 64, value);
    EXPECT_EQ(bench.issuer.out.debug(change), 64u);
    bench.pool.give(change);
}
// The same while time passes.
struct Somebody : TimedComponent {
    Somebody(L2Bench& in, std::uint64_t number, std::uint8_t byte)
        : TimedComponent(in.event_queue, "somebody"), bench(in), line(number), value(byte)
    {
    }
    void run(ScheduledItem&) override { put(bench, line, value); }

    L2Bench& bench;
    std::uint64_t line;
    std::uint8_t value;
    ScheduledItem item;
};
void write(L2Bench& bench, Time at, std::uint64_t line, std::uint8_t value, std::uint32_t size = 64)
{
    std::fill_n(bench.issue(at, LineOp::write, line, size).data(), size, value);
}

// Bursts of accesses to words of eight bytes, each of which has one access at a time: what a read finds is then certain, in
// whatever order a burst is served. The times of all answers.
std::string times_under_pressure(const L2Spec& spec)
{
    constexpr unsigned lines = 512;
    constexpr unsigned bursts = 500;
    L2Bench bench(spec);
    std::mt19937 random(7);
    std::vector<std::uint64_t> words(lines * 8, 0);
    std::vector<std::vector<std::uint8_t>> expected[2];
    std::vector<Time> issued[2];
    for (unsigned burst = 0; burst < bursts; ++burst) {
        const std::uint64_t window = random() % (lines - 24);
        std::vector<bool> used(lines * 8, false);
        for (unsigned i = 0; i < 40; ++i) {
            const std::uint64_t line = random() % 4 == 0 ? random() % lines : window + random() % 24;
            const unsigned first = random() % 3 == 0 ? 0 : random() % 8;
            const unsigned count = first > 0 ? 1 : random() % 2 == 0 ? 8 : 2;
            const auto begin = static_cast<std::ptrdiff_t>(line * 8 + first);
            if (std::any_of(used.begin() + begin, used.begin() + begin + count, [](bool u) { return u; })) continue;
            std::fill_n(used.begin() + begin, count, true);
            const unsigned kind = random() % 5;
            // Atomics go to the slice that is home; reads and writes to either.
            const bool atomic = kind == 4 && count == 1 && spec.partitions == 1;
            const unsigned partition = spec.partitions == 1 ? 0 : random() % 2;
            const Time at = burst * 10 * us + random() % 3 * 1000;
            const LineOp op = atomic ? LineOp::fetch : kind < 2 ? LineOp::read : LineOp::write;
            Line& access = (partition == 0 ? bench.issuer : *bench.other)
                               .issue(at, op, global_address(3, line * 64 + first * 8), count * 8);
            std::vector<std::uint8_t> data(count * 8);
            if (op == LineOp::write)
                for (unsigned w = 0; w < count; ++w)
                    words[line * 8 + first + w] = (std::uint64_t{random()} << 32) | burst;
            if (op == LineOp::fetch) {
                access.set_operand(burst + 1);
                words[line * 8 + first] += burst + 1;
            }
            std::memcpy(data.data(), &words[line * 8 + first], data.size());
            if (op == LineOp::write) std::memcpy(access.data(), data.data(), data.size());
            // A fetch answers with the word as it was.
            if (op == LineOp::fetch) {
                const std::uint64_t before = words[line * 8 + first] - (burst + 1);
                std::memcpy(data.data(), &before, 8);
            }
            expected[partition].push_back(data);
            issued[partition].push_back(at);
        }
    }
    bench.run();
    std::string out;
    for (unsigned p = 0; p < (spec.partitions == 1 ? 1U : 2U); ++p) {
        const LineIssuer& issuer = p == 0 ? bench.issuer : *bench.other;
        for (std::size_t i = 0; i < expected[p].size(); ++i) {
            EXPECT_LT(issuer.done[i].at, issued[p][i] + 10 * us) << i;  // or a word would have two accesses
            EXPECT_TRUE(issuer.done[i].data == expected[p][i])
                << "partition " << p << ", access " << i << " of " << issuer.done[i].address;
            out += std::to_string(issuer.done[i].at) + " ";
        }
    }
    // Through the caches everything is there; in memory itself it is not, where caches hold contents.
    unsigned stale = 0;
    for (unsigned word = 0; word < lines * 8; ++word) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&words[word]);
        EXPECT_EQ(seen(bench, word / 8, word % 8 * 8), bytes[0]) << word;
        EXPECT_EQ(seen(bench, word / 8, word % 8 * 8 + 7), bytes[7]) << word;
        const bool at_home =
            spec.partitions == 1 || slice_place(word / 8 >> spec.sector_shift(), Divider(2)).slice == 0;
        stale += (at_home ? bench.memory : *bench.other_memory).bytes[word * 8] != bytes[0] ? 1 : 0;
    }
    if (spec.holds_contents()) {
        EXPECT_GT(stale, 20u);
        EXPECT_LT(stale, lines * 2);
    }
    EXPECT_GT(bench.statistic("merged"), 500);
    EXPECT_GT(bench.statistic("write_backs"), 1000);
    if (spec.partitions == 2) {
        EXPECT_GT(bench.statistic("far_hits"), 500);
        EXPECT_GT(bench.statistic("moved_victims"), 500);
    }
    return out;
}

void expect_the_same_with_contents(L2Spec spec)
{
    const std::string flat = in_child([&] { return times_under_pressure(spec); });
    const std::string held = in_child([&] { return times_under_pressure(cached(spec)); });
    EXPECT_GT(flat.size(), 10'000u);
    EXPECT_EQ(flat, held);
}

}  // namespace

TEST(L2Contents, AFillBringsTheBytesOfMemoryAndAnEvictionTakesThemThere)
{
    L2Bench bench(cached());
    bench.memory.bytes[16 * 64] = 5;
    bench.issue(0, LineOp::read, 16);
    write(bench, us, 16, 9, 4);
    bench.issue(2 * us, LineOp::read, 16);
    // Four more of its set of four displace it.
    for (unsigned i = 1; i <= 4; ++i) bench.issue((2 + i) * us, LineOp::read, 16 + 16 * i);
    bench.run();
    EXPECT_EQ(bench.issuer.done[0].data[0], 5);
    EXPECT_EQ(bench.issuer.done[2].data[0], 9);
    EXPECT_EQ(bench.issuer.done[2].data[3], 9);
    EXPECT_EQ(bench.issuer.done[2].data[4], 0);
    EXPECT_EQ(bench.memory.bytes[16 * 64], 9);
    EXPECT_EQ(bench.at(0), 60'000 + memory_latency);
}

TEST(L2Contents, BytesOfADirtyLineAreInTheCacheOnly)
{
    L2Bench bench(cached());
    write(bench, 0, 3, 7);
    bench.run();
    EXPECT_EQ(bench.memory.bytes[3 * 64], 0);
    EXPECT_EQ(seen(bench, 3), 7);
    // From outside: every copy, and memory; the line is as dirty as before, a clean one as clean.
    put(bench, 3, 8);
    EXPECT_EQ(seen(bench, 3), 8);
    EXPECT_EQ(bench.memory.bytes[3 * 64], 8);
    bench.image.stored_write(3 * 64, bench.memory.bytes.data(), 1);  // no part of it
    EXPECT_EQ(seen(bench, 3), 8);
}

TEST(L2Contents, AnAccessWithoutTimeReachesAFlag)
{
    L2Bench bench(cached());
    const std::uint64_t flag = MemoryImage::flag_base / 64;
    bench.image.flag(MemoryImage::flag_base) = 0x1234;
    Line& look = bench.pool.take();
    look.begin(LineOp::read, global_address(3, flag * 64), 8);
    EXPECT_EQ(bench.issuer.out.debug(look), 8u);
    EXPECT_EQ(look.operand(), 0x1234u);
    look.begin(LineOp::write, global_address(3, flag * 64), 8);
    look.set_operand(77);
    EXPECT_EQ(bench.issuer.out.debug(look), 8u);
    EXPECT_EQ(bench.image.flag(MemoryImage::flag_base), 77u);
    bench.pool.give(look);
}

// A line that was displaced a moment ago is fetched again before its write-back is acknowledged.
TEST(L2Contents, AFillBehindItsWriteBackHasItsBytes)
{
    L2Bench bench(cached());
    write(bench, 0, 0, 6);
    for (unsigned i = 1; i <= 4; ++i) write(bench, 1000 * i, 16 * i, 1);  // the last one displaces line 0
    bench.issue(4'500, LineOp::read, 0);
    bench.run();
    EXPECT_EQ(bench.issuer.done[5].data[63], 6);
    EXPECT_EQ(bench.statistic("misses"), 1);
}

TEST(L2Contents, WhatWasWrittenFromOutsideWhileItsFillIsOnTheWayStays)
{
    L2Bench bench(cached());
    bench.issue(0, LineOp::read, 5);
    Somebody somebody(bench, 5, 4);
    bench.event_queue.schedule(somebody.item, somebody, 200'000);  // memory was asked at 60'000
    bench.run();
    EXPECT_EQ(bench.issuer.done[0].data[10], 4);
    EXPECT_EQ(bench.at(0), 60'000 + memory_latency);
}

TEST(L2Contents, UnderPressureBytesAndTimesAreAsWithOneImage)
{
    L2Spec spec = small_l2();
    spec.outstanding_misses = 3;
    expect_the_same_with_contents(spec);
}
TEST(L2Contents, TheSameWithSectors)
{
    L2Spec spec = small_l2();
    spec.line = 128;
    spec.outstanding_misses = 5;
    expect_the_same_with_contents(spec);
}
TEST(L2Contents, TheSameWithFewMerges)
{
    L2Spec spec = small_l2();
    spec.merges = 1;
    expect_the_same_with_contents(spec);
}
TEST(L2Contents, TheSameWithLittleRoomForWriteBacks)
{
    for (const std::uint64_t line : {64U, 128U})
        for (L2Spec spec : {small_l2(), two_partitions()}) {
            spec.line = line;
            spec.outstanding_misses = 3;
            spec.outstanding_write_backs = 2;
            expect_the_same_with_contents(spec);
        }
}
TEST(L2Contents, TheSameWithRunsOfWriteBacks)
{
    for (const std::uint64_t line : {64U, 128U})
        for (L2Spec spec : {small_l2(), two_partitions()}) {
            spec.line = line;
            spec.outstanding_misses = 3;
            spec.write_back_run = 8;
            expect_the_same_with_contents(spec);
        }
}
TEST(L2Contents, TheSameInMirroredPartitions) { expect_the_same_with_contents(two_partitions()); }
TEST(L2Contents, TheSameInMirroredPartitionsOfSectorsThatAreFar)
{
    L2Spec spec = two_partitions();
    spec.line = 128;
    spec.size /= 2;
    spec.ways = 2;
    spec.outstanding_misses = 5;
    spec.far_latency = 150'000;  // much happens while a line is on its way
    expect_the_same_with_contents(spec);
}

}  // namespace l2_contents_test
