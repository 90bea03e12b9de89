// What is said of latencies, against lists that are sorted and series whose answer is known.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tlm_interconnect/kernel/random_stream.h"
#include "tlm_interconnect/traffic/measurement.h"
#include "testbenches/support/thorough.h"

namespace measurement_test {

using namespace weft;

namespace {

constexpr Time batch = 1'000;
constexpr Time whole = batch * Measurement::batches;

// Ten lines in each batch, whose latency is that of the batch.
template <class Latency>
Measurement series(const Latency& latency)
{
    Measurement out(whole, 1);
    for (Time b = 0; b < Measurement::batches; ++b)
        for (Time i = 0; i < 10; ++i) {
            const Time created = b * batch + i * 100;
            out.created(0, created, 64);
            out.arrived(0, created, created + latency(b, i), 64);
        }
    return out;
}

}  // namespace

TEST(Histogram, PercentilesAgreeWithASortedList)
{
    RandomStream random(11, 0);
    for (const double scale : {50.0, 3e3, 8e5, 2e9}) {
        LatencyHistogram histogram;
        std::vector<Time> list;
        for (int i = 0; i < 5'000; ++i) {
            list.push_back(static_cast<Time>(-scale * std::log1p(-random.uniform())));  // exponential: a long tail
            histogram.add(list.back());
        }
        std::sort(list.begin(), list.end());
        for (const double share : {0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
            SCOPED_TRACE(share);
            const Time exact = list[static_cast<std::size_t>(std::ceil(share * 5'000)) - 1];
            const Time found = histogram.percentile(share);
            EXPECT_GE(found, exact);
            EXPECT_LE(found, exact < 2048 ? exact : exact + exact / 1024);
        }
        EXPECT_EQ(histogram.max(), list.back());
        EXPECT_EQ(histogram.min(), list.front());
        EXPECT_EQ(histogram.count(), 5'000u);
    }
}

TEST(Histogram, OfTwoIsThatOfAll)
{
    RandomStream random(12, 0);
    LatencyHistogram parts[2];
    LatencyHistogram all;
    for (int i = 0; i < 3'000; ++i) {
        const Time value = random.below(i % 2 == 0 ? 1'000 : 1'000'000);
        parts[i % 2].add(value);
        all.add(value);
    }
    parts[0].merge(parts[1]);
    EXPECT_EQ(parts[0].count(), all.count());
    EXPECT_EQ(parts[0].sum(), all.sum());
    EXPECT_EQ(parts[0].min(), all.min());
    EXPECT_EQ(parts[0].max(), all.max());
    for (const double share : {0.1, 0.5, 0.99}) EXPECT_EQ(parts[0].percentile(share), all.percentile(share));
    EXPECT_EQ(LatencyHistogram().percentile(0.5), 0u);
}

// Those that came are the quick ones: up to one in a hundred may be missing.
TEST(Measurement, LatenciesOfSurvivorsAreNone)
{
    const auto with_missing = [](unsigned missing) {
        Measurement out = series([](Time, Time) { return Time{70}; });
        for (unsigned i = 0; i < missing; ++i) out.created(0, whole - 1, 64);
        return out.result();
    };
    EXPECT_EQ(with_missing(10).mean, 70);  // of at least 1000
    EXPECT_EQ(with_missing(10).missing, 10u);
    const Measurement::Result most = with_missing(1'500);
    EXPECT_TRUE(std::isnan(most.mean));
    EXPECT_TRUE(std::isnan(most.half_width));
    EXPECT_EQ(most.p50 + most.p99 + most.max, 0u);
    EXPECT_FALSE(most.steady);
}

TEST(Measurement, WarmUpIsFoundAndLeftOut)
{
    for (const Time warm : {0U, 1U, 7U, 20U, 49U}) {
        const Measurement::Result result = series([&](Time b, Time) { return b < warm ? 900 - 10 * b : 300; }).result();
        EXPECT_EQ(result.dropped, warm);
        EXPECT_EQ(result.mean, 300);
        EXPECT_EQ(result.p99, 300u);
        EXPECT_EQ(result.half_width, 0);
        EXPECT_EQ(result.lines, 10 * (100 - warm));
        EXPECT_TRUE(result.steady);
    }
    // Never more than half, even where that leaves some of it in.
    EXPECT_LE(series([](Time b, Time) { return b < 80 ? 900 : 300; }).result().dropped, 50u);
}

// Two alternating values: mean, percentiles and rates by hand.
TEST(Measurement, KnownSeries)
{
    Measurement measured = series([](Time, Time i) { return i % 2 == 0 ? 40 : 60; });
    const Measurement::Result result = measured.result();
    EXPECT_EQ(result.mean, 50);
    EXPECT_EQ(result.p50, 40u);
    EXPECT_EQ(result.p99, 60u);
    EXPECT_EQ(result.max, 60u);
    EXPECT_EQ(result.half_width, 0);  // every batch has the same mean
    // 64 B in 100 ps.
    EXPECT_DOUBLE_EQ(result.offered, 64e10);
    EXPECT_DOUBLE_EQ(result.accepted, 64e10);
    EXPECT_EQ(result.by_source, std::vector<double>{result.accepted});
}

// Ten parts of the second half that deliver 3,840 and 3,200 B in turn: 3,520 B with a deviation of 320 sqrt(10 / 9).
TEST(Measurement, TheIntervalOfThroughputIsThatOfTenParts)
{
    Measurement measured = series([](Time, Time) { return 0; });
    for (Time part = 0; part < 10; part += 2) measured.add_delivered(0, (50 + 5 * part) * batch, 640);
    const Measurement::Result result = measured.result();
    const double seconds = 50 * batch * 1e-12;
    EXPECT_DOUBLE_EQ(result.accepted, 35'200 / seconds);
    EXPECT_NEAR(result.accepted_half_width * seconds, 2.262 * 320 * std::sqrt(10.0 / 9) / std::sqrt(10.0) * 10, 1e-6);
}

TEST(Measurement, WhatGrowsOrIsLostIsNotSteady)
{
    EXPECT_FALSE(series([](Time b, Time) { return 100 + 10 * b; }).result().steady);
    EXPECT_TRUE(series([](Time, Time i) { return 100 + i; }).result().steady);
    Measurement lost = series([](Time, Time) { return 100; });
    lost.created(0, 90 * batch, 64);
    const Measurement::Result result = lost.result();
    EXPECT_EQ(result.missing, 1u);
    EXPECT_FALSE(result.steady);
}

// Four batches more are under way at the end than in the middle: 8 lines of 100, as chance would have it, or 4000 of 50000.
TEST(Measurement, WhatIsUnderWayByChanceIsNotMissing)
{
    const auto steady = [](Time lines_of_batch) {
        Measurement measured(whole, 1);
        for (Time b = 0; b < Measurement::batches; ++b)
            for (Time i = 0; i < lines_of_batch; ++i) {
                const Time at = b * batch + i;
                measured.created(0, at, 64);
                measured.arrived(0, at, at + (b < Measurement::batches / 2 ? 1 : 5) * batch, 64);
            }
        return measured.result().steady;
    };
    EXPECT_TRUE(steady(2));
    EXPECT_FALSE(steady(1000));
}

// Thirty sources of a line in each of 10,000 slots with chance 0.6; the first can deliver one in two slots. All together lack 0.6 %.
TEST(Measurement, ASourceThatIsHeldUpMakesALoadUnsteady)
{
    constexpr std::uint32_t sources = 30;
    constexpr Time slot = whole / 10'000;
    const auto measured = [](double load, Time service, std::uint64_t seed) {
        Measurement out(whole, sources);
        for (std::uint32_t s = 0; s < sources; ++s) {
            RandomStream random(seed, s);
            Time free = 0;
            for (Time at = slot * random.trials(load); at < whole; at += slot * random.trials(load)) {
                out.created(s, at, 64);
                free = std::max(at, free) + (s == 0 ? service : slot);
                out.arrived(s, at, free, 64);
            }
        }
        return out.result();
    };
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Measurement::Result beyond = measured(0.6, 2 * slot, seed);
        EXPECT_FALSE(beyond.steady) << seed;
        EXPECT_TRUE(beyond.held_up[0]) << seed;
        EXPECT_EQ(std::count(beyond.held_up.begin(), beyond.held_up.end(), true), 1) << seed;
        EXPECT_LT(beyond.offered - beyond.accepted, Measurement::missing_share * beyond.offered) << seed;
        EXPECT_NEAR(beyond.by_source[0], 0.5 * 64 / (static_cast<double>(slot) * 1e-12), 1e10) << seed;
        // 95 % of what the first can deliver, and 19 % of it in a run of 100 lines.
        EXPECT_TRUE(measured(0.475, 2 * slot, seed).steady) << seed;
        EXPECT_TRUE(measured(0.01, 20 * slot, seed).steady) << seed;
    }
}

// A tenth that is missing is no chance, however few messages there are: such a run is too short to tell.
TEST(Measurement, OfLongMessagesATwentiethMayBeMissingAndNoMore)
{
    const auto steady = [](Time late) {  // of 1000 lines of the second half
        Measurement measured(whole, 1);
        for (Time b = 0; b < Measurement::batches; ++b)
            for (Time i = 0; i < 20; ++i) {
                const Time at = b * batch + i;
                const bool last = b * 20 + i >= 2000 - late;
                measured.created(0, at, 64);
                measured.arrived(0, at, last ? whole + 1 : at + batch / 2, 64);
            }
        return measured.result(500).steady;
    };
    EXPECT_TRUE(steady(40));
    EXPECT_FALSE(steady(60));
}

// Lines of one group of batches have no spread from which an interval could come.
TEST(Measurement, AnIntervalOfOneGroupIsNotKnown)
{
    Measurement measured(whole, 1);
    for (Time i = 0; i < 10; ++i) {
        measured.created(0, i, 64);
        measured.arrived(0, i, i + 40 + i, 64);
    }
    EXPECT_TRUE(std::isnan(measured.result().half_width));
}

// Independent latencies of a known mean: 95 of 100 intervals hold it. Dropping batches by their values costs a little
// of that. 600 series: a standard deviation of 0.9 in 100; 300, the default: 1.3.
TEST(Measurement, IntervalHoldsTheMeanAsOftenAsItSays)
{
    unsigned held = 0;
    const std::uint64_t all = test::by_default(300, 600);
    for (std::uint64_t seed = 0; seed < all; ++seed) {
        RandomStream random(seed, 1);
        const Measurement::Result result =
            series([&](Time, Time) { return static_cast<Time>(-1e4 * std::log1p(-random.uniform())); }).result();
        held += std::abs(result.mean - (1e4 - 0.5)) <= result.half_width ? 1 : 0;
    }
    RecordProperty("held", static_cast<int>(held));
    EXPECT_GE(held, static_cast<double>(all) * 0.92) << held;
    EXPECT_LE(held, static_cast<double>(all) * 0.98) << held;
}

TEST(Measurement, JainsIndex)
{
    EXPECT_EQ(jain_index({3, 3, 3, 3}), 1);
    EXPECT_EQ(jain_index({5, 0, 0, 0}), 0.25);
    EXPECT_DOUBLE_EQ(jain_index({1, 2, 3}), 36.0 / 42);
    // A chain in which every router halves what comes from behind.
    EXPECT_DOUBLE_EQ(jain_index({0.5, 0.25, 0.125, 0.125}), 1 / (4 * (0.25 + 0.0625 + 0.03125)));
    EXPECT_EQ(jain_index({0, 0}), 1);
}

}  // namespace measurement_test
