// What a channel sustains, against formulas.
#include <algorithm>

#include <gtest/gtest.h>

#include "testbenches/sc_models/hbm_bench.h"

namespace hbm_throughput_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Time between the answers of lines `first` and `last` of a backlog.
Time between(const std::vector<Time>& answered, std::size_t first, std::size_t last)
{
    return answered[last] - answered[first];
}

std::vector<HbmAccess> backlog(unsigned count, LineOp op = LineOp::read)
{
    std::vector<HbmAccess> accesses;
    for (unsigned i = 0; i < count; ++i) accesses.push_back(stream(i, op));
    return accesses;
}

// `count` lines, each in a row of its own, banks of all groups in turn.
std::vector<HbmAccess> row_after_row(const HbmSpec& spec, unsigned count)
{
    std::vector<HbmAccess> accesses;
    const unsigned banks = static_cast<unsigned>(spec.bank_groups * spec.banks);
    for (unsigned i = 0; i < count; ++i) {
        const unsigned turn = i % banks;
        const unsigned bank = static_cast<unsigned>(turn % spec.bank_groups * spec.banks + turn / spec.bank_groups);
        accesses.push_back({0, 0, LineOp::read, line_of(spec, 1, bank, i / banks)});
    }
    return accesses;
}

// The default part with 16 of its 128 channels, for 8 slices.
HbmSpec an_eighth()
{
    HbmSpec spec;
    spec.channels /= 8;
    spec.bandwidth /= 8;
    return spec;
}

}  // namespace

TEST(HbmThroughput, AStreamRunsAtTheRateOfThePins)
{
    const HbmSpec spec = one_channel();
    const std::vector<Time> reads = run_hbm(spec, 1, backlog(4000)).answered;
    // Four rows are opened 3 ns apart; from then on every row before it is needed.
    EXPECT_EQ(reads[0], idle_read(spec));
    EXPECT_EQ(between(reads, 100, 3900), 3800 * 2'000u);
    const std::vector<Time> writes = run_hbm(spec, 1, backlog(4000, LineOp::write)).answered;
    EXPECT_EQ(between(writes, 100, 3900), 3800 * 2'000u);
}

TEST(HbmThroughput, RemaindersOfThePinsTimeAreCarried)
{
    HbmSpec spec = one_channel();
    spec.bandwidth = 30'000'000'000;  // 2133.33 ps a line
    EXPECT_EQ(between(run_hbm(spec, 1, backlog(4000)).answered, 100, 3700), 3600 * 6'400 / 3u);
}

TEST(HbmThroughput, OneBankGroupRunsAtItsOwnRate)
{
    HbmSpec spec = one_channel();
    spec.bank_groups = 1;
    EXPECT_EQ(between(run_hbm(spec, 1, backlog(2000)).answered, 100, 1900), 1800 * 2 * 2'000u);
    spec.t_ccd_l = 3'000;
    spec.row = 65536;  // its row changes would show
    EXPECT_EQ(between(run_hbm(spec, 1, backlog(900)).answered, 100, 900 - 1), 799 * 2 * 3'000u);
}

TEST(HbmThroughput, RowAfterRowIsBoundByActivates)
{
    HbmSpec spec = one_channel();
    const std::vector<Time> window = run_hbm(spec, 1, row_after_row(spec, 400)).answered;
    EXPECT_EQ(between(window, 100, 300), 200 / 4 * 20'000u);
    spec.t_faw = 0;
    const std::vector<Time> apart = run_hbm(spec, 1, row_after_row(spec, 400)).answered;
    EXPECT_EQ(between(apart, 100, 300), 200 * 3'000u);
}

TEST(HbmThroughput, ShortRowsNeedMoreActivates)
{
    HbmSpec spec = one_channel();
    const auto answers = [&spec](unsigned count) {
        std::vector<Time> times = run_hbm(spec, 1, backlog(count)).answered;
        std::sort(times.begin(), times.end());
        return times;
    };
    spec.row = 64;  // a line: four activates in 20 ns move four lines
    EXPECT_EQ(between(answers(400), 100, 300), 200 / 4 * 20'000u);
    spec.row = 128;  // eight lines, 16 ns on the pins
    EXPECT_EQ(between(answers(400), 100, 300), 200 / 8 * 20'000u);
    spec.row = 256;  // sixteen lines, 32 ns
    EXPECT_EQ(between(answers(2000), 100, 1900), 1800 * 2'000u);
}

TEST(HbmThroughput, AStreamUsesUpTheRowsOfScarceActivates)
{
    HbmSpec spec = one_channel();
    spec.t_rrd = 60'000;  // sixteen lines of a row take 32 ns on the pins
    std::vector<Time> reads = run_hbm(spec, 1, backlog(4000)).answered;
    std::sort(reads.begin(), reads.end());
    EXPECT_NEAR(static_cast<double>(between(reads, 100, 3900)), 3800 / 16 * 60'000.0, 3800 / 16 * 600.0);
}

// The same number of rows and lines, but the lines of three rows of each bank in turn: a row is opened once while nobody is too old,
// and once for nearly every line when all are older than the age limit before their row has its turn.
TEST(HbmThroughput, ScarceActivatesAndOldLinesLoseTheRows)
{
    HbmSpec spec = one_channel();
    spec.t_rrd = 60'000;
    spec.read_queue = 1024;
    std::vector<HbmAccess> accesses;
    for (unsigned line = 0; line < 16; ++line)
        for (unsigned row = 0; row < 3; ++row)
            for (unsigned bank = 0; bank < 16; ++bank)
                accesses.push_back({0, 0, LineOp::read, line_of(spec, 1, bank, row, line)});
    const auto last = [&accesses](const HbmOutcome& outcome) {
        return *std::max_element(outcome.answered.begin(), outcome.answered.begin() + accesses.size());
    };
    const HbmOutcome old = run_hbm(spec, 1, accesses);
    EXPECT_LT(old.statistics.at("row_hits"), 48 * 15 / 2);
    EXPECT_GT(last(old), 2 * 48 * 60'000u);
    spec.age_limit = 10'000'000;
    const HbmOutcome young = run_hbm(spec, 1, accesses);
    EXPECT_EQ(young.statistics.at("row_hits"), 48 * 15);
    // The last activate, and sixteen lines each of two rows of its bank group.
    EXPECT_LE(last(young), idle_read(spec) + 47 * 60'000 + 32 * 4'000u);
}

TEST(HbmThroughput, OneBankIsBoundByItsRowCycle)
{
    HbmSpec spec = one_channel();
    spec.bank_groups = spec.banks = 1;
    EXPECT_EQ(between(run_hbm(spec, 1, row_after_row(spec, 100)).answered, 10, 90), 80 * (30'000 + 15'000u));
    spec.t_ras = 1;  // t_rcd, second column command, t_rtp, t_rp
    EXPECT_EQ(between(run_hbm(spec, 1, row_after_row(spec, 100)).answered, 10, 90),
        80 * (14'000 + 2'000 + 5'000 + 15'000u));
    spec.row_policy = RowPolicy::closed;
    EXPECT_EQ(between(run_hbm(spec, 1, row_after_row(spec, 100)).answered, 10, 90),
        80 * (14'000 + 2'000 + 5'000 + 15'000u));
}

TEST(HbmThroughput, AlternatingLosesTheGapsOfATurn)
{
    // Reads and writes of the same rows, so that nothing but the turns is lost.
    HbmSpec spec = one_channel();
    std::vector<HbmAccess> accesses;
    for (unsigned i = 0; i < 2048; ++i)
        accesses.push_back({i % 2, 0, i % 2 == 0 ? LineOp::write : LineOp::read, stream(i / 2).address});
    const HbmOutcome outcome = run_hbm(spec, 1, accesses);
    // A turn there and back: 2 x (48 - 16) lines, t_cl + t_rtw - t_wl and t_wl + t_wtr.
    const Time cycle = 64 * 2'000 + 13'000 + 4'000 + 8'000;
    EXPECT_EQ(between(outcome.answered, 2 * (100 + 32), 2 * (100 + 32 * 11)), 10 * cycle);
    // The last 64 reads go in one turn, as fewer than 48 writes are left then.
    EXPECT_EQ(outcome.statistics.at("turnaround"), 31 * (13'000 + 4'000 + 8'000));
    spec.write_low = 32;  // turns half as long
    EXPECT_EQ(between(run_hbm(spec, 1, accesses).answered, 2 * (100 + 32), 2 * (100 + 32 * 11)),
        10 * (64 * 2'000 + 2 * (13'000 + 4'000 + 8'000)));
}

TEST(HbmThroughput, RefreshTakesItsShare)
{
    HbmSpec spec = one_channel();
    spec.t_refi = 2'000'000;
    spec.t_rfc = 300'000;
    spec.refresh = RefreshMode::all_bank;
    // 100 intervals of 1000 lines less what a refresh and getting in and out of it take: t_rfc, and at most a
    // row's t_ras and t_rp before it and its t_rcd after it.
    const HbmRate all = load_hbm(spec, 1, {100'000, 256, [](std::uint64_t i) { return stream(i); }});
    const double peak = 32e9;
    EXPECT_LT(all.bytes_per_second, peak * (1 - 0.3 / 2));
    EXPECT_GT(all.bytes_per_second, peak * (1 - (0.3 + 0.030 + 0.015 + 0.014) / 2));
    spec.refresh = RefreshMode::per_bank;
    // One of 16 banks at a time: the others go on.
    const HbmRate one = load_hbm(spec, 1, {100'000, 256, [](std::uint64_t i) { return random_line(i / 16 * 16); }});
    const HbmRate stop = load_hbm(spec, 1, {100'000, 256, [](std::uint64_t i) { return stream(i); }});
    EXPECT_GT(stop.bytes_per_second, all.bytes_per_second);
    EXPECT_LE(stop.bytes_per_second, peak);
    EXPECT_GT(one.bytes_per_second, 0);
    spec.refresh = RefreshMode::none;
    EXPECT_NEAR(load_hbm(spec, 1, {100'000, 256, [](std::uint64_t i) { return stream(i); }}).bytes_per_second, peak,
        1e6);
}

TEST(HbmThroughput, LittlesLaw)
{
    // 8 slices, 16 channels; rows cost nothing, so that every line has the same latency.
    HbmSpec spec = an_eighth();
    spec.t_rcd = spec.t_rp = spec.t_ras = 1;
    spec.refresh = RefreshMode::none;
    const double latency = static_cast<double>(idle_read(spec));
    const double peak = static_cast<double>(spec.bandwidth);
    const double knee = peak * latency / 64e12;  // 1088 lines
    for (const double part : {0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.1, 1.5, 4.0}) {
        const auto in_flight = static_cast<unsigned>(part * knee);
        const HbmRate rate = load_hbm(spec, 8, {100'000, in_flight, [](std::uint64_t i) { return stream(i); }});
        EXPECT_NEAR(rate.bytes_per_second / std::min(peak, in_flight * 64e12 / latency), 1.0, 0.02) << in_flight;
    }
}

TEST(HbmThroughput, LittlesLawWithRowsAndRefresh)
{
    HbmSpec spec = an_eighth();
    spec.refresh = RefreshMode::none;
    const double latency = static_cast<double>(idle_read(spec));
    for (const unsigned in_flight : {1u, 16u, 64u, 256u}) {  // of 1186 at the knee
        const HbmRate rate = load_hbm(spec, 8, {40'000, in_flight, [](std::uint64_t i) { return stream(i); }});
        EXPECT_NEAR(rate.bytes_per_second / (in_flight * 64e12 / latency), 1.0, 0.02) << in_flight;
    }
    // What refreshes leave, a window of 64 to 128 lines a channel above the knee.
    spec.refresh = RefreshMode::all_bank;
    const double sustained =
        static_cast<double>(spec.bandwidth) * (1 - static_cast<double>(spec.t_rfc) / static_cast<double>(spec.t_refi));
    for (const unsigned in_flight : {2048u, 4096u}) {
        const HbmRate rate = load_hbm(spec, 8, {800'000, in_flight, [](std::uint64_t i) { return stream(i); }});
        EXPECT_NEAR(rate.bytes_per_second / sustained, 1.0, 0.02) << in_flight;
    }
}

TEST(HbmThroughput, RandomLinesReachWhatBanksAndActivatesAllow)
{
    // Of 16 banks with a row cycle of 42 ns, pins of 2.4 ns a line, four activates in 12 ns: activates bind.
    HbmSpec spec = an_eighth();
    spec.refresh = RefreshMode::none;
    const double bound = 16 * 64e12 * std::min({1 / 2445.0, 4 / 12'000.0, 1 / 2'000.0, 16 / 42'000.0});
    const HbmRate rate = load_hbm(spec, 8, {200'000, 2048, [](std::uint64_t i) { return random_line(i); }});
    EXPECT_LT(rate.bytes_per_second, bound * 1.01);  // a line in a hundred finds its row open
    EXPECT_GT(rate.bytes_per_second, bound * 0.85);  // banks are not hit evenly
    EXPECT_LT(rate.statistics.at("row_hits") / rate.statistics.at("reads"), 0.01);
    // Half the window, half the rate.
    spec.t_faw *= 2;
    EXPECT_NEAR(load_hbm(spec, 8, {200'000, 2048, [](std::uint64_t i) { return random_line(i); }}).bytes_per_second,
        bound / 2, bound / 2 * 0.02);
}

TEST(HbmThroughput, ALongerQueueFindsMore)
{
    HbmSpec spec = an_eighth();
    spec.refresh = RefreshMode::none;
    double last = 0;
    for (const std::uint64_t queue : {1u, 4u, 16u, 64u}) {
        spec.read_queue = queue;
        const HbmRate rate = load_hbm(spec, 8, {100'000, 2048, [](std::uint64_t i) { return random_line(i); }});
        EXPECT_GT(rate.bytes_per_second, last * 1.05) << queue;
        last = rate.bytes_per_second;
    }
}

TEST(HbmThroughput, MeanQueueIsLittlesLawToo)
{
    // Lines at rest beyond their latency wait in the queues.
    HbmSpec spec = an_eighth();
    spec.refresh = RefreshMode::none;
    const HbmRate rate = load_hbm(spec, 8, {400'000, 4096, [](std::uint64_t i) { return stream(i); }});
    const double latency = static_cast<double>(idle_read(spec) - spec.t_rcd);
    EXPECT_NEAR(rate.statistics.at("mean_queue"), 4096 - rate.bytes_per_second * latency / 64e12, 4096 * 0.02);
}

}  // namespace hbm_throughput_test
