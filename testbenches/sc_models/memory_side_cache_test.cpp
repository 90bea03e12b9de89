#include <array>
#include <memory>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "sc_models/memory_side_cache.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/line_modules.h"

namespace memory_side_cache_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time memory_latency = 200'000;
constexpr Time hit = 30'000 + 55'000 + 30'000;
constexpr Time us = 1'000'000;

// Two slices of 16 sets of 4 ways.
MemorySideSpec small()
{
    MemorySideSpec spec;
    spec.size = 8192;
    spec.ways = 4;
    spec.bandwidth = 128'000'000'000;  // 1 ns a line and slice
    spec.latency = 55'000;
    spec.hop = 30'000;
    spec.line = 64;
    return spec;
}

// Two L2 slices above, two memories below, and a way past the L2.
struct Bench {
    explicit Bench(const MemorySideSpec& spec = small(), bool hold_contents = false)
        : image(true), checkers(event_queue),
          cache("cache", event_queue, "cache", spec, 2, 2, true, image, pool, 3, &checkers, hold_contents)
    {
        for (unsigned i = 0; i < 2; ++i) {
            slices[i] = std::make_unique<LineIssuer>(("slice" + std::to_string(i)).c_str(), event_queue, pool);
            memories[i] =
                std::make_unique<LineMemory>(("memory" + std::to_string(i)).c_str(), event_queue, memory_latency);
            checkers.bind(slices[i]->out, cache.target(i));
            checkers.bind(cache.memory(i), memories[i]->in);
        }
        direct = std::make_unique<LineIssuer>("direct", event_queue, pool, 4);
        checkers.bind(direct->out, cache.direct());
    }
    // A miss or a write-back of an L2 slice.
    void refill(unsigned slice, Time at, LineOp op, std::uint64_t line)
    {
        Line& access =
            slices[slice]->issue(at, op, global_address(3, line * 64), 64).source(3).flag(LineHeader::refill_flag);
        std::fill_n(access.data(), 64, std::uint8_t{0xee});
    }
    // A request that passes the L2 by, of the own units or of another GPU.
    Line& request(Time at, LineOp op, std::uint64_t line, std::uint16_t source, std::uint32_t size = 64)
    {
        return direct->issue(at, op, global_address(3, line * 64), size).source(source);
    }
    void run()
    {
        sc_core::sc_start();
        checkers.finish();
        EXPECT_EQ(checkers.problems(), 0u);
        EXPECT_EQ(pool.live(), 0u);
    }
    double statistic(const std::string& name) const
    {
        for (const Statistic& statistic : cache.statistics())
            if (statistic.name == name) return statistic.value;
        ADD_FAILURE() << name;
        return -1;
    }

    EventQueue event_queue{"event_queue"};
    LinePool pool;
    MemoryImage image;
    Checkers checkers;
    MemorySideCache cache;
    std::unique_ptr<LineIssuer> slices[2];
    std::unique_ptr<LineMemory> memories[2];
    std::unique_ptr<LineIssuer> direct;
};

unsigned home_of(std::uint64_t line) { return slice_place(line, Divider(2)).slice; }

}  // namespace

TEST(MemorySideCache, AMissAndAHitFromEitherL2Slice)
{
    Bench bench;
    bench.refill(0, 100, LineOp::read, 7);
    bench.refill(1, us, LineOp::read, 7);
    bench.run();
    EXPECT_EQ(bench.slices[0]->done[0].at, 100 + hit + memory_latency);
    EXPECT_EQ(bench.slices[1]->done[0].at, us + hit);
    ASSERT_EQ(bench.memories[home_of(7)]->arrivals.size(), 1u);
    EXPECT_EQ(bench.memories[home_of(7)]->arrivals[0], 100u + 30'000 + 55'000);
    EXPECT_EQ(bench.statistic("hits"), 1);
    EXPECT_EQ(bench.statistic("misses"), 1);
}

TEST(MemorySideCache, ALineHasOneSliceAndItsMemoryWhoeverAsks)
{
    Bench bench;
    for (unsigned line = 0; line < 40; ++line) bench.refill(line % 2, line * us, LineOp::read, line);
    bench.run();
    for (unsigned m = 0; m < 2; ++m) {
        EXPECT_EQ(bench.memories[m]->addresses.size(), 20u);
        for (const std::uint64_t address : bench.memories[m]->addresses) EXPECT_EQ(home_of(local_of(address) / 64), m);
    }
}

TEST(MemorySideCache, AWriteBackStaysUntilItIsDisplacedAndMovesNoBytes)
{
    Bench bench;
    std::vector<std::uint8_t> data(64, 5);
    bench.image.write(7 * 64, data.data(), 64);
    bench.refill(0, 0, LineOp::write, 7);
    bench.refill(0, us, LineOp::read, 7);
    bench.run();
    EXPECT_EQ(bench.slices[0]->done[0].at, hit);
    EXPECT_EQ(bench.slices[0]->done[1].at, us + hit);
    EXPECT_EQ(bench.memories[0]->addresses.size() + bench.memories[1]->addresses.size(), 0u);
    bench.image.read(7 * 64, data.data(), 64);
    EXPECT_EQ(data, std::vector<std::uint8_t>(64, 5));
}

// The same accesses with contents of its own: the same times, and the write-back brings its bytes.
TEST(MemorySideCache, AWriteBackBringsItsBytesWhereContentsAreHeld)
{
    Bench bench(small(), true);
    bench.memories[home_of(8)]->bytes[8 * 64] = 3;
    bench.refill(0, 0, LineOp::write, 7);
    bench.refill(0, us, LineOp::read, 7);
    bench.request(2 * us, LineOp::read, 7, 2);
    bench.request(3 * us, LineOp::read, 8, 2);
    bench.run();
    EXPECT_EQ(bench.slices[0]->done[0].at, hit);
    EXPECT_EQ(bench.slices[0]->done[1].at, us + hit);
    EXPECT_EQ(bench.direct->done[0].data, std::vector<std::uint8_t>(64, 0xee));
    EXPECT_EQ(bench.direct->done[1].data[0], 3);
    EXPECT_EQ(bench.direct->done[1].at, 3 * us + 55'000 + memory_latency);
    EXPECT_EQ(bench.memories[home_of(7)]->bytes[7 * 64], 0);
}

TEST(MemorySideCache, WhatPassesTheL2ByReadsAndWritesMemory)
{
    Bench bench;
    Line& write = bench.request(0, LineOp::write, 7, 2);
    std::fill_n(write.data(), 64, std::uint8_t{9});
    bench.request(us, LineOp::read, 7, 2);      // another GPU: the crossbar has its latencies
    bench.request(2 * us, LineOp::read, 7, 3);  // an own unit
    bench.run();
    EXPECT_EQ(bench.direct->done[0].at, 55'000u);
    EXPECT_EQ(bench.direct->done[1].at, us + 55'000);
    EXPECT_EQ(bench.direct->done[2].at, 2 * us + hit);
    EXPECT_EQ(bench.direct->done[1].data, std::vector<std::uint8_t>(64, 9));
}

TEST(MemorySideCache, FlagsLiveHere)
{
    Bench bench;
    const std::uint64_t flag = MemoryImage::flag_base / 64;
    bench.request(0, LineOp::await, flag, 3, 8).set_operand(7);
    bench.request(us, LineOp::atomic, flag, 2, 8).set_operand(7);
    bench.run();
    EXPECT_EQ(bench.direct->done[0].at, us + 55'000 + 30'000);
    EXPECT_EQ(bench.direct->done[1].at, us + 55'000);
    EXPECT_EQ(bench.statistic("flag_operations"), 2);
}

TEST(MemorySideCache, EveryParameterMovesTheRightNumber)
{
    // Last answer of two rounds over 128 lines, one at a time, and of a burst over one of them; then misses.
    const auto run = [](const MemorySideSpec& spec) {
        const std::string text = in_child([&spec] {
            Bench bench(spec);
            for (unsigned i = 0; i < 256; ++i) bench.refill(0, i * us, LineOp::read, i % 128);
            for (unsigned i = 0; i < 10; ++i) bench.refill(1, 300 * us, LineOp::read, 127);
            for (unsigned i = 0; i < 300; ++i) bench.refill(1, 400 * us, LineOp::read, 1000 + i);
            bench.run();
            std::uint64_t last = 0;
            for (const auto& done : bench.slices[1]->done) last = std::max(last, done.at);
            return std::to_string(bench.slices[1]->done[9].at) + " " + std::to_string(last) + " " +
                std::to_string(static_cast<int>(bench.statistic("misses")));
        });
        std::istringstream in(text);
        std::array<std::uint64_t, 3> out{};
        in >> out[0] >> out[1] >> out[2];
        return out;
    };
    const auto base = run(small());
    EXPECT_EQ(base[0], 300 * us + hit + 9 * 1000);
    EXPECT_EQ(base[2], 128 + 300u);
    MemorySideSpec spec = small();
    spec.bandwidth *= 2;
    EXPECT_EQ(run(spec)[0], 300 * us + hit + 9 * 500);
    spec = small();
    spec.latency += 11;
    EXPECT_EQ(run(spec)[0], base[0] + 11);
    spec = small();
    spec.hop += 11;
    EXPECT_EQ(run(spec)[0], base[0] + 22);
    spec = small();
    spec.size /= 2;
    EXPECT_EQ(run(spec)[2], 256 + 300u);
    spec = small();
    spec.line = 128;  // half the tags: the same footprint of pairs
    EXPECT_EQ(run(spec)[2], 128 + 300u);
    spec = small();
    spec.outstanding_misses = 8;
    EXPECT_GT(run(spec)[1], base[1] + memory_latency);
    spec = small();
    spec.size /= 16;
    spec.ways = 1;
    EXPECT_EQ(run(spec)[2], 256 + 300u);
}

TEST(MemorySideCache, TheSameRandomRunGivesTheSameTimes)
{
    const auto run = [] {
        return in_child([] {
            MemorySideSpec spec = small();
            spec.line = 128;
            spec.outstanding_misses = 4;
            Bench bench(spec);
            std::mt19937 random(3);
            Time at = 0;
            for (unsigned i = 0; i < 5000; ++i) {
                at += random() % 20'000;
                bench.refill(random() % 2, at, random() % 3 == 0 ? LineOp::write : LineOp::read, random() % 300);
            }
            bench.run();
            EXPECT_EQ(bench.statistic("hits") + bench.statistic("misses") + bench.statistic("merged"), 5000);
            std::string out;
            for (const auto& slice : bench.slices)
                for (const auto& done : slice->done) out += std::to_string(done.at) + " ";
            return out;
        });
    };
    EXPECT_EQ(run(), run());
}

}  // namespace memory_side_cache_test
