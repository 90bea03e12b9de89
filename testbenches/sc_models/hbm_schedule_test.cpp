// Which of several lines comes first.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "testbenches/sc_models/hbm_bench.h"

namespace hbm_schedule_test {

using namespace weft;
using namespace weft::testing;

namespace {

// The accesses, by number, in the order of their answers.
std::vector<unsigned> order(const HbmSpec& spec, const std::vector<HbmAccess>& accesses)
{
    const std::vector<Time> answered = run_hbm(spec, 1, accesses).answered;
    std::vector<unsigned> order(answered.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return answered[a] < answered[b]; });
    return order;
}

HbmAccess access(const HbmSpec& spec, unsigned bank, std::uint32_t row, unsigned n = 0, Time at = 0,
    LineOp op = LineOp::read)
{
    return {at, 0, op, line_of(spec, 1, bank, row, n)};
}

using Order = std::vector<unsigned>;

// R and W in the order of the answers, with their numbers of lines: "R12 W3 R5".
std::string turns(const HbmSpec& spec, const std::vector<HbmAccess>& accesses)
{
    std::string text;
    unsigned count = 0;
    const Order answers = order(spec, accesses);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ++count;
        const bool last = i + 1 == answers.size();
        if (!last && accesses[answers[i]].op == accesses[answers[i + 1]].op) continue;
        text += (accesses[answers[i]].op == LineOp::read ? "R" : "W") + std::to_string(count) + (last ? "" : " ");
        count = 0;
    }
    return text;
}

// `reads` lines of a stream at once, and as many writes as said when they have been under way for 30 ns.
std::vector<HbmAccess> reads_then_writes(unsigned reads, unsigned writes)
{
    std::vector<HbmAccess> accesses;
    for (unsigned i = 0; i < reads; ++i) accesses.push_back({0, 0, LineOp::read, stream(i).address});
    for (unsigned i = 0; i < writes; ++i) accesses.push_back({30'000, 0, LineOp::write, stream(i).address});
    return accesses;
}

}  // namespace

TEST(HbmSchedule, LinesOfTheOpenRowComeFirst)
{
    HbmSpec spec = one_channel();
    const std::vector<HbmAccess> accesses{access(spec, 0, 0), access(spec, 0, 1), access(spec, 0, 0, 1)};
    EXPECT_EQ(order(spec, accesses), (Order{0, 2, 1}));
    // ... if the scheduler sees them.
    spec.read_queue = 2;
    EXPECT_EQ(order(spec, accesses), (Order{0, 1, 2}));
    spec.read_queue = 3;
    EXPECT_EQ(order(spec, accesses), (Order{0, 2, 1}));
}

TEST(HbmSchedule, RowHitsPassAnOlderLineOnlySoLong)
{
    HbmSpec spec = one_channel();
    const std::vector<HbmAccess> accesses{access(spec, 0, 0), access(spec, 0, 1), access(spec, 0, 0, 1)};
    // The hit could go t_rcd and two bursts of its group after the lines arrived.
    spec.age_limit = 14'000 + 4'000;
    EXPECT_EQ(order(spec, accesses), (Order{0, 2, 1}));
    spec.age_limit -= 1;
    EXPECT_EQ(order(spec, accesses), (Order{0, 1, 2}));
}

// What waits outside has no age yet: under a long backlog rows are used up as under a short one.
TEST(HbmSchedule, ALineIsAsOldAsItHasBeenSeen)
{
    HbmSpec spec = one_channel();
    spec.read_queue = 3;
    spec.age_limit = 100'000;
    std::vector<HbmAccess> accesses;
    for (unsigned i = 0; i < 100; ++i) accesses.push_back(access(spec, 0, i == 60 ? 1 : 0, i % 16));
    // One bank group moves a line in 4 ns. Line 60 comes into the queue with the column command of line 57, after more than 200 ns: 25
    // lines pass within 100 ns from there on, two of which are in front of it.
    const Order answers = order(spec, accesses);
    const auto place = std::find(answers.begin(), answers.end(), 60U) - answers.begin();
    EXPECT_EQ(place, 60 + 25 - 2);
}

TEST(HbmSchedule, HitsWithoutEndDoNotStarveALine)
{
    HbmSpec spec = one_channel();
    std::vector<HbmAccess> accesses{access(spec, 0, 0), access(spec, 0, 1)};
    for (unsigned i = 1; i < 400; ++i) accesses.push_back(access(spec, 0, 0, i % 16, 4'000 * i));
    for (const Time limit : {100'000u, 400'000u}) {
        spec.age_limit = limit;
        // Found at the first column command past the limit, a line of 4 ns; then the row is changed.
        const Time late = run_hbm(spec, 1, accesses).answered[1] - (50'000 + limit);
        EXPECT_GT(late, 15'000 + 14'000 + 13'000 + 3'000 + 25'000u);
        EXPECT_LE(late, 15'000 + 14'000 + 13'000 + 3'000 + 25'000 + 4'000 + 5'000u + 2'000);
    }
}

TEST(HbmSchedule, OfReadyLinesTheFirstToArrive)
{
    const HbmSpec spec = one_channel();
    // Rows of banks 0, 4 and 8 are open; a line is on the pins when the others arrive.
    std::vector<HbmAccess> accesses{access(spec, 0, 0), access(spec, 4, 0), access(spec, 8, 0),
        access(spec, 0, 0, 1, 200'000), access(spec, 8, 0, 1, 201'000), access(spec, 4, 0, 1, 201'500)};
    EXPECT_EQ(order(spec, accesses), (Order{0, 1, 2, 3, 4, 5}));
    std::swap(accesses[4].address, accesses[5].address);
    EXPECT_EQ(order(spec, accesses), (Order{0, 1, 2, 3, 4, 5}));
    accesses[5].at = 201'000;  // of one instant as well
    EXPECT_EQ(order(spec, accesses), (Order{0, 1, 2, 3, 4, 5}));
}

TEST(HbmSchedule, BanksWorkWhileOthersWait)
{
    const HbmSpec spec = one_channel();
    // A conflict in bank 0 takes 71 ns; four lines of others, two of them behind an activate, go before it.
    const Order answers = order(spec,
        {access(spec, 0, 0), access(spec, 0, 1), access(spec, 4, 0), access(spec, 8, 0), access(spec, 4, 0, 1),
            access(spec, 8, 0, 1)});
    EXPECT_EQ(answers.back(), 1u);
}

TEST(HbmSchedule, WritesAreCollectedAndDrained)
{
    HbmSpec spec = one_channel();
    spec.write_queue = 8;
    spec.write_high = 6;
    spec.write_low = 2;
    EXPECT_EQ(turns(spec, reads_then_writes(48, 5)), "R48 W5");
    const std::string drained = turns(spec, reads_then_writes(48, 6));
    EXPECT_EQ(drained.substr(drained.find(' ')), " W4 R" + std::to_string(48 - std::stoi(drained.substr(1))) + " W2");
    spec.write_low = 0;
    const std::string all = turns(spec, reads_then_writes(48, 6));
    EXPECT_EQ(all.substr(all.find(' ')), " W6 R" + std::to_string(48 - std::stoi(all.substr(1))));
    // Writes that wait outside the queue do not count.
    spec.write_queue = 5;
    spec.write_high = 5;
    const std::string outside = turns(spec, reads_then_writes(48, 9));
    EXPECT_EQ(outside.substr(outside.find('W'), 2), "W5");
}

TEST(HbmSchedule, UnderPressureFromBothSidesTurnsAreOfHighLessLow)
{
    HbmSpec spec = one_channel();
    spec.write_queue = 16;
    spec.write_high = 12;
    spec.write_low = 4;
    std::vector<HbmAccess> accesses;
    for (unsigned i = 0; i < 32; ++i) accesses.push_back({0, 0, LineOp::write, stream(i).address});
    for (unsigned i = 32; i < 64; ++i) accesses.push_back({1, 0, LineOp::read, stream(i).address});
    // Reads that came a little later, 8 at a time; those left over at the end go in one.
    EXPECT_EQ(turns(spec, accesses), "W8 R8 W8 R8 W8 R16 W8");
}

TEST(HbmSchedule, AWriteThatReadsPassIsServedWhenTheyEnd)
{
    HbmSpec spec = one_channel();
    EXPECT_EQ(turns(spec, reads_then_writes(40, 1)), "R40 W1");
}

TEST(HbmSchedule, RandomTrafficKeepsEveryRuleThatIsSeenOutside)
{
    for (unsigned variant = 0; variant < 9; ++variant) {
        HbmSpec spec = one_channel();
        spec.row_policy = static_cast<RowPolicy>(variant % 3);
        spec.refresh = static_cast<RefreshMode>(variant / 3);
        spec.t_refi = 1'500'000;
        spec.t_rfc = 150'000;
        spec.row_idle = 20'000;
        spec.age_limit = 200'000;
        spec.read_queue = 24;
        spec.write_queue = 16;
        spec.write_high = 12;
        spec.write_low = 4;
        std::vector<HbmAccess> accesses;
        for (unsigned i = 0; i < 6000; ++i) {
            // Bursts and lulls; every other line of a stream, one of 64 rows else.
            HbmAccess next = random_line(i, random_line(i + 7).address / 64 % 3 == 0 ? LineOp::write : LineOp::read);
            next.at = i * 2'500 + i / 1000 * 2'000'000;
            next.address = i % 2 == 0 ? stream(i).address : next.address % (1U << 20);
            accesses.push_back(next);
        }
        const HbmOutcome outcome = run_hbm(spec, 1, accesses);
        const HbmMap map(spec, 1);
        struct Column {
            Time at;
            HbmPlace place;
            bool write;
        };
        std::vector<Column> columns;
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            const bool write = accesses[i].op == LineOp::write;
            const Time answer = 3'000 + spec.response_latency + (write ? spec.t_wl : spec.t_cl);
            columns.push_back({outcome.answered[i] - answer, map.place(0, accesses[i].address / 64), write});
            ASSERT_GE(columns.back().at, accesses[i].at + spec.request_latency);
        }
        std::sort(columns.begin(), columns.end(), [](const Column& a, const Column& b) { return a.at < b.at; });
        std::vector<Time> group(4, 0);
        std::vector<const Column*> bank(16, nullptr);
        for (std::size_t i = 1; i < columns.size(); ++i) {
            const Column& last = columns[i - 1];
            const Column& next = columns[i];
            const Time turn = next.write == last.write ? 0 : next.write ? 13'000 + 4'000 - 7'000 : 7'000 + 8'000;
            ASSERT_GE(next.at, last.at + 2'000 + turn) << variant << " " << i;
            Time& free = group[next.place.bank / 4];
            ASSERT_GE(next.at, free) << variant << " " << i;
            free = next.at + 4'000;
            const Column*& same = bank[next.place.bank];
            if (same != nullptr && same->place.row != next.place.row) {
                ASSERT_GE(next.at, same->at + (same->write ? 7'000 + 3'000 + 16'000 : 2'000 + 5'000) + 15'000 + 14'000);
            }
            same = &next;
        }
        const double found = outcome.statistics.at("row_hits") + outcome.statistics.at("row_closed") +
            outcome.statistics.at("row_conflicts");
        EXPECT_EQ(found, 6000);
        EXPECT_EQ(outcome.statistics.at("busy"), 6000 * 2'000);
        EXPECT_EQ(outcome.statistics.at("refresh") > 0, spec.refresh != RefreshMode::none);
        if (spec.refresh == RefreshMode::all_bank) {
            // Every interval with traffic has its rest.
            std::vector<Time> longest(columns.back().at / spec.t_refi + 1, 0);
            for (std::size_t i = 1; i < columns.size(); ++i) {
                Time& rest = longest[columns[i].at / spec.t_refi];
                rest = std::max(rest, columns[i].at - columns[i - 1].at);
            }
            for (std::size_t interval = 1; interval < longest.size(); ++interval)
                EXPECT_TRUE(longest[interval] == 0 || longest[interval] >= 150'000) << interval;
        }
    }
}

TEST(HbmSchedule, ThereIsProgressWithRefreshesThatLeaveNoTime)
{
    HbmSpec spec = one_channel();
    spec.t_rcd = 1'000'000;
    spec.t_refi = 100'000;
    spec.t_rfc = 99'999;
    for (const RefreshMode mode : {RefreshMode::all_bank, RefreshMode::per_bank}) {
        spec.refresh = mode;
        std::vector<HbmAccess> accesses;
        for (unsigned i = 0; i < 40; ++i) accesses.push_back(random_line(i, i % 4 == 0 ? LineOp::write : LineOp::read));
        const std::vector<Time> answered = run_hbm(spec, 1, accesses).answered;
        EXPECT_LT(*std::max_element(answered.begin(), answered.end()), 40 * 1'300'000u);
    }
}

TEST(HbmSchedule, ClosedRowsAreKeptUntilTheyHaveBeenUsed)
{
    // Opened ahead of a turn: the reads after the writes find their rows open and wait for the data wires
    // only.
    HbmSpec spec = one_channel();
    spec.row_policy = RowPolicy::closed;
    spec.t_wtr = 100'000;
    const Time turn = 2'000 + 7'000 + 100'000;
    const HbmOutcome outcome =
        run_hbm(spec, 1, {access(spec, 0, 0, 0, 0, LineOp::write), access(spec, 4, 0, 0, 20'000)});
    EXPECT_EQ(outcome.answered[1] - 25'000 - 3'000 - 13'000, outcome.answered[0] - 25'000 - 3'000 - 7'000 + turn);
}

TEST(HbmSchedule, IsTheSameEveryTime)
{
    HbmSpec spec;
    spec.channels = 4;
    std::vector<HbmAccess> accesses;
    for (unsigned i = 0; i < 400; ++i) {
        HbmAccess next = random_line(i, i % 3 == 0 ? LineOp::write : LineOp::read);
        next.slice = i % 4;
        next.at = i / 8 * 1'000;
        accesses.push_back(next);
    }
    const std::vector<Time> first = run_hbm(spec, 4, accesses).answered;
    EXPECT_EQ(run_hbm(spec, 4, accesses).answered, first);
}

}  // namespace hbm_schedule_test
