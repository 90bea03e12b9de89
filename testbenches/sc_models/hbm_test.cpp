// One or two accesses at a time: every timing parameter to the picosecond.
#include <algorithm>

#include <gtest/gtest.h>

#include "testbenches/sc_models/hbm_bench.h"

namespace hbm_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Times = std::vector<Time>;

constexpr Time there = 50'000;
constexpr Time back = 25'000;
constexpr Time data = 3'000;  // a burst, t_ccd_l later the other one

HbmAccess read_at(Time at, const HbmSpec& spec, unsigned bank, std::uint32_t row, unsigned n = 0)
{
    return {at, 0, LineOp::read, line_of(spec, 1, bank, row, n)};
}
HbmAccess write_at(Time at, const HbmSpec& spec, unsigned bank, std::uint32_t row, unsigned n = 0)
{
    return {at, 0, LineOp::write, line_of(spec, 1, bank, row, n)};
}

// Column command of the second access where the first one opened row 0 of bank 0.
Time column_after(const HbmSpec& spec, const HbmAccess& first, const HbmAccess& second)
{
    return run_hbm(spec, 1, {first, second}).answered[1] - back - data -
        (second.op == LineOp::read ? spec.t_cl : spec.t_wl);
}

}  // namespace

TEST(Hbm, AReadOfAnIdleChannelIsTheSumOfItsParts)
{
    const HbmSpec spec = one_channel();
    EXPECT_EQ(idle_read(spec), there + 14'000 + 13'000 + data + back);
    EXPECT_EQ(run_hbm(spec, 1, {read_at(500, spec, 0, 0)}).answered, Times{500 + 105'000});
    // A write: its latency in place of the read's.
    EXPECT_EQ(run_hbm(spec, 1, {write_at(500, spec, 0, 0)}).answered, Times{500 + 105'000 - 13'000 + 7'000});
}

TEST(Hbm, EveryPartOfTheLatencyMovesIt)
{
    for (std::uint64_t HbmSpec::*part :
        {&HbmSpec::request_latency, &HbmSpec::response_latency, &HbmSpec::t_rcd, &HbmSpec::t_cl, &HbmSpec::t_ccd_l}) {
        HbmSpec spec = one_channel();
        spec.*part += 777;
        EXPECT_EQ(idle_read(spec), 105'777u);
        EXPECT_EQ(run_hbm(spec, 1, {read_at(500, spec, 0, 0)}).answered, Times{500 + 105'777});
    }
    for (std::uint64_t HbmSpec::*part : {&HbmSpec::t_rp, &HbmSpec::t_ras, &HbmSpec::t_wl, &HbmSpec::t_wr,
             &HbmSpec::t_rtp, &HbmSpec::t_wtr, &HbmSpec::t_rtw, &HbmSpec::t_rrd, &HbmSpec::t_faw}) {
        HbmSpec spec = one_channel();
        spec.*part += 777;
        EXPECT_EQ(run_hbm(spec, 1, {read_at(500, spec, 0, 0)}).answered, Times{500 + 105'000});
    }
}

TEST(Hbm, ARowHitSavesTheActivateAConflictAddsThePrecharge)
{
    const HbmSpec spec = one_channel();
    const HbmOutcome outcome = run_hbm(spec, 1,
        {read_at(0, spec, 0, 0), read_at(200'000, spec, 0, 0, 1), read_at(400'000, spec, 0, 1),
            read_at(600'000, spec, 1, 1)});
    EXPECT_EQ(outcome.answered,
        (Times{105'000, 200'000 + 105'000 - 14'000, 400'000 + 105'000 + 15'000, 600'000 + 105'000}));
    EXPECT_EQ(outcome.statistics.at("row_hits"), 1);
    EXPECT_EQ(outcome.statistics.at("row_closed"), 2);
    EXPECT_EQ(outcome.statistics.at("row_conflicts"), 1);
    EXPECT_EQ(outcome.statistics.at("reads"), 4);
    EXPECT_EQ(outcome.statistics.at("writes"), 0);
    EXPECT_EQ(outcome.statistics.at("busy"), 4 * 2'000);
}

TEST(Hbm, APrechargeWaitsForTheRowToHaveBeenOpenAndForItsData)
{
    HbmSpec spec = one_channel();
    const HbmAccess first = read_at(0, spec, 0, 0);
    const HbmAccess other = read_at(0, spec, 0, 1);
    // t_ras from the activate; t_rp, t_rcd.
    EXPECT_EQ(column_after(spec, first, other), there + 30'000 + 15'000 + 14'000);
    // t_rtp from the last column command, which comes t_ccd_l after the first.
    spec.t_ras = 1;
    EXPECT_EQ(column_after(spec, first, other), there + 14'000 + 2'000 + 5'000 + 15'000 + 14'000);
    // t_wr from the last data.
    EXPECT_EQ(column_after(spec, write_at(0, spec, 0, 0), write_at(0, spec, 0, 1)),
        there + 14'000 + 7'000 + data + 16'000 + 15'000 + 14'000);
}

TEST(Hbm, LinesFollowAtTheRateOfThePinsOfABankGroupAtItsOwn)
{
    HbmSpec spec = one_channel();
    const Time first = there + 14'000;
    EXPECT_EQ(column_after(spec, read_at(0, spec, 0, 0), read_at(0, spec, 0, 0, 1)), first + 2 * 2'000);
    // The row of another group has been opened in the meantime.
    const Times two = run_hbm(spec, 1,
        {read_at(0, spec, 4, 0), read_at(100'000, spec, 0, 0), read_at(100'000, spec, 4, 0, 1),
            read_at(100'000, spec, 4, 0, 2)})
                          .answered;
    // The ready group uses the wait for the row of the other.
    EXPECT_EQ(two[2], 100'000 + 105'000 - 14'000u);
    EXPECT_EQ(two[3], two[2] + 4'000);
    EXPECT_EQ(two[1], 100'000 + 105'000u);
    spec.t_ccd_l = 5'000;
    EXPECT_EQ(run_hbm(spec, 1, {read_at(0, spec, 0, 0), read_at(0, spec, 0, 0, 1)}).answered,
        (Times{105'000 + 3'000, 105'000 + 3'000 + 10'000}));
    // Rows of two groups that are open: a line after the other.
    const Times after = run_hbm(spec, 1,
        {read_at(0, spec, 0, 0), read_at(0, spec, 4, 0), read_at(200'000, spec, 0, 0, 1),
            read_at(200'000, spec, 4, 0, 1)})
                            .answered;
    EXPECT_EQ(after[3], after[2] + 2'000);
}

TEST(Hbm, ActivatesKeepTheirDistanceAndFourFillAWindow)
{
    const HbmSpec spec = one_channel();
    std::vector<HbmAccess> accesses;
    for (const unsigned bank : {0u, 4u, 8u, 12u, 1u, 5u}) accesses.push_back(read_at(0, spec, bank, 0));
    const Times times = run_hbm(spec, 1, accesses).answered;
    EXPECT_EQ(times, (Times{105'000, 108'000, 111'000, 114'000, 125'000, 128'000}));
}

TEST(Hbm, TurnsOfTheDataWiresCostTheirGaps)
{
    const HbmSpec spec = one_channel();
    // Read data end t_cl after the pins' time, then t_rtw, then the write's data.
    EXPECT_EQ(column_after(spec, read_at(0, spec, 0, 0), write_at(0, spec, 0, 0, 1)),
        there + 14'000 + 2'000 + 13'000 + 4'000 - 7'000);
    // Write data end t_wl after the pins' time, then t_wtr to the command.
    EXPECT_EQ(column_after(spec, write_at(0, spec, 0, 0), read_at(14'500, spec, 0, 0, 1)),
        there + 14'000 + 2'000 + 7'000 + 8'000);
    EXPECT_EQ(run_hbm(spec, 1, {write_at(0, spec, 0, 0), read_at(14'500, spec, 0, 0, 1)}).statistics.at("turnaround"),
        7'000 + 8'000);
    // Long after there is no gap.
    EXPECT_EQ(column_after(spec, write_at(0, spec, 0, 0), read_at(200'000, spec, 0, 0, 1)), 200'000 + there);
    // A write latency beyond the read's needs no gap but the order of commands.
    HbmSpec late = spec;
    late.t_wl = 40'000;
    EXPECT_EQ(column_after(late, read_at(0, spec, 0, 0), write_at(0, spec, 0, 0, 1)), there + 14'000 + 4'000);
}

TEST(Hbm, RowPolicies)
{
    HbmSpec spec = one_channel();
    const auto second = [&](Time at, std::uint32_t row) {
        return run_hbm(spec, 1, {read_at(0, spec, 0, 0), read_at(at, spec, 0, row, 1)}).answered[1] - at;
    };
    const Time hit = 91'000;
    const Time closed = 105'000;
    const Time conflict = 120'000;
    EXPECT_EQ(second(10'000'000, 0), hit);
    EXPECT_EQ(second(10'000'000, 1), conflict);
    spec.row_policy = RowPolicy::closed;
    EXPECT_EQ(second(10'000'000, 0), closed);
    EXPECT_EQ(second(10'000'000, 1), closed);
    spec.row_policy = RowPolicy::idle;
    spec.row_idle = 100'000;
    const Time used = 14'000;  // the column command, of a time line that begins at the queue
    EXPECT_EQ(second(used + 100'000, 0), hit);
    EXPECT_EQ(second(used + 100'000, 1), conflict);
    // Closing takes t_rp: an access right after it waits for the rest.
    EXPECT_EQ(second(used + 100'001, 0), closed + 14'999);
    EXPECT_EQ(second(used + 100'001, 1), closed + 14'999);
    EXPECT_EQ(second(used + 115'000, 0), closed);
    spec.row_idle = 200'000;
    EXPECT_EQ(second(used + 115'000, 0), hit);
}

TEST(Hbm, ARefreshOfAllBanksHoldsUpTheChannel)
{
    HbmSpec spec = one_channel();
    spec.refresh = RefreshMode::all_bank;
    spec.t_refi = 1'000'000;
    spec.t_rfc = 200'000;
    const auto late = [&](Time at_queue, unsigned bank) {
        return run_hbm(spec, 1, {read_at(at_queue - there, spec, bank, 0)}).answered[0] - (at_queue - there) - 105'000;
    };
    EXPECT_EQ(late(985'999, 0), 0u);
    // A line whose column command has not gone waits; the row that it had opened is closed again.
    EXPECT_EQ(late(986'000, 0), 30'000 + 15'000 + 200'000u);
    for (const unsigned bank : {0u, 15u}) {
        EXPECT_EQ(late(1'000'000, bank), 200'000u);
        EXPECT_EQ(late(1'150'000, bank), 50'000u);
        EXPECT_EQ(late(1'200'000, bank), 0u);
        EXPECT_EQ(late(5'050'000, bank), 150'000u);
    }
    // It closes the row, and waits for one that has just been opened.
    const Times times = run_hbm(spec, 1,
        {read_at(900'000 - there, spec, 0, 0), read_at(1'300'000 - there, spec, 0, 0, 1),
            read_at(1'990'000 - there, spec, 5, 0), read_at(2'000'000 - there, spec, 0, 0, 2)})
                            .answered;
    EXPECT_EQ(times[1], 1'300'000 - there + 105'000);
    // The row of the third access, refreshed away before its line, is opened first again.
    EXPECT_EQ(times[2], 1'990'000 + 30'000 + 15'000 + 200'000 - there + 105'000);
    EXPECT_EQ(times[3], times[2] + 3'000);
    EXPECT_EQ(run_hbm(spec, 1, {read_at(5'050'000, spec, 0, 0)}).statistics.at("refresh"), 5 * 200'000);
}

TEST(Hbm, ChannelsRefreshOneAfterTheOther)
{
    HbmSpec spec = one_channel();
    spec.refresh = RefreshMode::all_bank;
    spec.t_refi = 1'000'000;
    spec.t_rfc = 200'000;
    spec.channels = 4;
    spec.bandwidth *= 4;
    // Four slices, one channel each.
    for (unsigned slice = 0; slice < 4; ++slice)
        EXPECT_EQ(run_hbm(spec, 4, {{1'260'000 - there, slice, LineOp::read, 0}}).answered[0] + there - 1'260'000,
            105'000 + (slice == 1 ? 190'000u : 0u));
}

TEST(Hbm, ARefreshOfOneBankLeavesTheOthersAlone)
{
    HbmSpec spec = one_channel();
    spec.refresh = RefreshMode::per_bank;
    spec.t_refi = 1'600'000;
    spec.t_rfc = 200'000;
    // Bank b is due at 1600 + 100 b ns.
    const auto late = [&](Time at_queue, unsigned bank) {
        return run_hbm(spec, 1, {read_at(at_queue - there, spec, bank, 0)}).answered[0] - (at_queue - there) - 105'000;
    };
    EXPECT_EQ(late(1'650'000, 0), 150'000u);
    EXPECT_EQ(late(1'650'000, 1), 0u);
    EXPECT_EQ(late(1'750'000, 1), 150'000u);
    EXPECT_EQ(late(1'750'000, 0), 50'000u);
    EXPECT_EQ(late(1'600'000 * 3 + 1'550'000, 15), 150'000u);
    // Lines for an open row put it off: one every 3 ns, from 50 ns before it is due to 40 ns after.
    std::vector<HbmAccess> accesses;
    for (unsigned i = 0; i < 30; ++i) accesses.push_back(read_at(1'500'000 + i * 3'000, spec, 0, 0, i % 16));
    const HbmOutcome outcome = run_hbm(spec, 1, accesses);
    for (unsigned i = 1; i < 30; ++i)
        EXPECT_EQ(outcome.answered[i], std::max<Time>(outcome.answered[i - 1] + 4'000, 1'500'000 + i * 3'000 + 91'000))
            << i;
    EXPECT_EQ(outcome.statistics.at("row_hits"), 29);
    spec.t_refi = 100'000;
    spec.t_rfc = 20'000;
    const HbmOutcome forced = run_hbm(spec, 1, accesses);
    EXPECT_GT(forced.statistics.at("row_closed"), 1);
    EXPECT_EQ(forced.statistics.at("row_conflicts"), 0);
}

TEST(Hbm, ASlowChannelAnswersWhenTheLineHasBeenRead)
{
    HbmSpec spec = one_channel();
    spec.bandwidth = 1'000'000;  // 32 us a burst, 64 us a line
    EXPECT_EQ(run_hbm(spec, 1, {read_at(0, spec, 0, 0)}).answered[0], 105'000 - data + 64'000'000);
}

TEST(Hbm, WideBurstsMoveMoreThanALine)
{
    HbmSpec spec = one_channel();
    spec.burst = 128;  // 4000 ps on the pins, of which a line is half
    const HbmOutcome outcome = run_hbm(spec, 1, {read_at(0, spec, 0, 0), read_at(0, spec, 0, 0, 1)});
    EXPECT_EQ(outcome.answered, (Times{105'000 - data + 4'000, 105'000 - data + 4'000 + 4'000}));
    EXPECT_EQ(outcome.statistics.at("busy"), 8'000);
    spec.burst = 64;
    EXPECT_EQ(run_hbm(spec, 1, {read_at(0, spec, 0, 0)}).answered[0], 105'000 - data + 2'000);
}

// Eight lines in a row, two of each bank group, in the time of eight; counts are in lines.
TEST(Hbm, AWideAccessTakesThePinsForAllOfItsLines)
{
    const HbmSpec spec = one_channel();
    const HbmAccess first{0, 0, LineOp::read, 0, 512};
    const HbmAccess second{0, 0, LineOp::read, 512, 512};
    const HbmOutcome outcome = run_hbm(spec, 1, {first, second});
    EXPECT_EQ(outcome.answered, (Times{105'000 + 7 * 2'000, 105'000 + 15 * 2'000}));
    EXPECT_EQ(outcome.statistics.at("reads"), 16);
    EXPECT_EQ(outcome.statistics.at("busy"), 16 * 2'000);
    EXPECT_EQ(outcome.statistics.at("row_closed") + outcome.statistics.at("row_hits"), 16);
    EXPECT_EQ(run_hbm(spec, 1, {{0, 0, LineOp::write, 0, 128}}).statistics.at("writes"), 2);

    HbmSpec slow = spec;  // each group by itself takes longer than the pins: 8 ns a group, 2 ns a line of four groups
    slow.t_ccd_l = 8'000;
    const Time line = 2 * slow.t_ccd_l / slow.bank_groups;
    const Time idle = idle_read(slow);
    EXPECT_EQ(run_hbm(slow, 1, {first}).answered, Times{idle + 7 * line});
    EXPECT_EQ(run_hbm(slow, 1, {first, second}).answered, (Times{idle + 7 * line, idle + 15 * line}));
}

// What comes behind a wide access is not nearer to it than the lines of a stream are to each other.
TEST(Hbm, WideAccessesKeepTheTimesOfBankGroups)
{
    HbmSpec spec = one_channel();
    spec.t_ccd_l = 20'000;
    const auto ends = [](const HbmSpec& with, std::uint32_t bytes) {
        std::vector<HbmAccess> accesses;
        for (std::uint64_t at = 0; at < 1024; at += bytes) accesses.push_back({0, 0, LineOp::read, at, bytes});
        return run_hbm(with, 1, accesses).answered.back() - idle_read(with);
    };
    for (const std::uint64_t groups : {1, 2, 4}) {
        spec.bank_groups = groups;
        for (const std::uint32_t bytes : {128, 256, 512})  // lines are 40 ns apart in each group
            EXPECT_EQ(ends(spec, bytes), 15 * 40'000 / groups) << groups << " " << bytes;
    }
}

// Lines in a row are in the channels of a slice in turn: each serves its part, of two lines or more.
TEST(Hbm, AWideAccessUsesTheChannelsOfItsSlice)
{
    HbmSpec spec = one_channel();
    for (const std::uint64_t channels : {2, 4, 8}) {
        spec.bandwidth = one_channel().bandwidth * channels;
        spec.channels = channels;
        const HbmOutcome outcome = run_hbm(spec, 1, {{0, 0, LineOp::read, 0, 512}});
        const Time lines = std::max<Time>(2, 8 / channels);
        EXPECT_EQ(outcome.answered, Times{105'000 + (lines - 1) * 2'000}) << channels;
        EXPECT_EQ(outcome.statistics.at("reads"), 8);
        EXPECT_EQ(run_hbm(spec, 1, {{0, 0, LineOp::read, 0, 128}}).answered, Times{105'000 + 2'000});
    }
}

// The scheduler sees so many lines, whatever they come in: with the room taken, the row of the next line is opened when the
// first access has left, not when it comes.
TEST(Hbm, AWideAccessTakesTheRoomOfItsLines)
{
    HbmSpec spec = one_channel();
    const HbmAccess wide{0, 0, LineOp::read, 0, 128};
    const HbmAccess next = read_at(1'000, spec, 1, 0);
    EXPECT_EQ(run_hbm(spec, 1, {wide, next}).answered, (Times{105'000 + 2'000, 105'000 + 2 * 2'000}));
    spec.read_queue = 2;
    EXPECT_EQ(run_hbm(spec, 1, {wide, next}).answered, (Times{105'000 + 2'000, 105'000 + spec.t_rcd}));
}

TEST(Hbm, LinesOfOneInstantAreTakenInSliceOrder)
{
    HbmSpec spec = one_channel();
    spec.channels = 2;
    spec.bandwidth *= 2;
    // Slices 0 and 1 share channel 0, 2 and 3 channel 1; line 0 of each lies in the same row of its channel.
    const Times times = run_hbm(spec, 4,
        {{0, 1, LineOp::read, 0}, {0, 0, LineOp::read, 0}, {0, 3, LineOp::read, 0},
            {0, 2, LineOp::read,
                0}}).answered;
    EXPECT_EQ(times[1], 105'000u);
    EXPECT_EQ(times[3], 105'000u);
    EXPECT_GT(times[0], times[1]);
    EXPECT_EQ(times[2], times[0]);
}

}  // namespace hbm_test
