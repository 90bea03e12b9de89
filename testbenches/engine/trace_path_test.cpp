// The critical path of a trace, from logs written by hand.
#include <gtest/gtest.h>

#include "collectives/engine/paths/operation_table.h"

namespace trace_path_test {

using namespace weft;

namespace {

using Kind = NodeRecord::Kind;
constexpr std::size_t none = NodeRecord::none;

class Log {
public:
    std::size_t node(std::uint32_t rank, Kind kind, Picoseconds begin, Picoseconds end, std::size_t released_by = none)
    {
        NodeRecord record;
        record.rank = rank;
        record.node = log.records().size();
        record.kind = kind;
        record.begin = begin;
        record.released_by = released_by;
        if (kind == Kind::collective) record.operation = "all_reduce";
        if (kind == Kind::collective || kind == Kind::send || kind == Kind::receive) record.bytes = 4096;
        record.ranks = kind == Kind::collective ? 3 : kind == Kind::send || kind == Kind::receive ? 2 : 0;
        const std::size_t number = log.begin(record);
        log.end(number, end);
        return number;
    }
    void meet(const std::vector<std::size_t>& nodes)
    {
        const std::size_t exchange = log.open_exchange();
        for (const std::size_t node : nodes) log.join(exchange, node);
    }
    // "record rank begin-end", "-" for idle.
    std::string path() const
    {
        std::string out;
        Picoseconds at = 0;
        for (const TracePathSegment& segment : trace_path(log)) {
            EXPECT_EQ(segment.begin, at);  // no gap
            at = segment.end;
            out += (segment.record == none ? "-" : std::to_string(segment.record)) + " " +
                std::to_string(segment.rank) + " " + std::to_string(segment.begin) + "-" + std::to_string(segment.end) +
                "; ";
        }
        return out;
    }

    NodeLog log;
};

}  // namespace

TEST(TracePath, FollowsWhoLetWhomStart)
{
    Log log;
    const std::size_t a = log.node(0, Kind::compute, 0, 100);
    const std::size_t b = log.node(0, Kind::compute, 100, 150, a);
    log.node(0, Kind::compute, 100, 130, a);
    log.node(1, Kind::cpu, 0, 149);
    EXPECT_EQ(log.path(), "0 0 0-100; 1 0 100-150; ");
    const auto times = times_by_kind(log.log, trace_path(log.log));
    EXPECT_EQ(times.front(), (std::pair<std::string, Picoseconds>("compute", 150)));
    EXPECT_EQ(b, 1U);
}

TEST(TracePath, OfACollectiveTheLastToEnterDecides)
{
    Log log;
    const std::size_t fast = log.node(0, Kind::compute, 0, 10);
    const std::size_t slow = log.node(1, Kind::compute, 0, 70);
    const std::size_t first = log.node(0, Kind::collective, 10, 100, fast);
    const std::size_t last = log.node(1, Kind::collective, 70, 99, slow);
    log.meet({first, last});
    EXPECT_EQ(log.path(), "1 1 0-70; 2 0 70-100; ");
    const std::vector<OperationRow> rows = operation_table(log.log, trace_path(log.log));
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].what, "compute");
    EXPECT_EQ(rows[0].on_path, 70U);
    EXPECT_EQ(rows[1].what, "all_reduce");
    EXPECT_EQ(rows[1].total, 30U);
    EXPECT_EQ(rows[1].waiting, 60U);
    EXPECT_EQ(rows[1].on_path, 30U);
    EXPECT_EQ(rows[1].ranks, 3U);
}

// Times of a run are below 2^64 ps, those of all nodes together perhaps not.
TEST(TracePath, SumsThatAreTooLargeAreNotStated)
{
    constexpr Picoseconds far = Picoseconds{1} << 63;
    Log log;
    log.node(0, Kind::compute, 0, far - 1);
    log.node(1, Kind::compute, 0, far);
    const std::vector<OperationRow> rows = operation_table(log.log, trace_path(log.log));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].total, ~Picoseconds{0});
    log.node(2, Kind::compute, 0, 1);
    const std::vector<OperationRow> more = operation_table(log.log, trace_path(log.log));
    ASSERT_EQ(more.size(), 1U);
    EXPECT_EQ(more[0].total, std::nullopt);
    EXPECT_EQ(more[0].waiting, 0U);
    EXPECT_EQ(more[0].longest, far);
    EXPECT_EQ(more[0].on_path, far);
}

// A receive that was posted early waits for its send, which is no part of the path.
TEST(TracePath, AnEarlyReceiveLeadsToItsSend)
{
    Log log;
    const std::size_t work = log.node(0, Kind::compute, 0, 40);
    const std::size_t send = log.node(0, Kind::send, 40, 60, work);
    const std::size_t receive = log.node(1, Kind::receive, 0, 65);
    log.meet({receive, send});
    EXPECT_EQ(log.path(), "0 0 0-40; 2 1 40-65; ");
}

TEST(TracePath, ALateReceiveIsItsOwnCauseUnlessTheSendIsStillUnderWay)
{
    Log late;
    const std::size_t send = late.node(0, Kind::send, 0, 20);
    const std::size_t work = late.node(1, Kind::compute, 0, 50);
    late.meet({send, late.node(1, Kind::receive, 50, 55, work)});
    EXPECT_EQ(late.path(), "1 1 0-50; 2 1 50-55; ");

    Log under_way;
    const std::size_t before = under_way.node(0, Kind::compute, 0, 10);
    const std::size_t long_send = under_way.node(0, Kind::send, 10, 90, before);
    const std::size_t other = under_way.node(1, Kind::compute, 0, 50);
    under_way.meet({long_send, under_way.node(1, Kind::receive, 50, 92, other)});
    EXPECT_EQ(under_way.path(), "0 0 0-10; 3 1 10-92; ");
}

TEST(TracePath, TimeInWhichNothingRanIsIdle)
{
    Log log;
    const std::size_t a = log.node(0, Kind::compute, 5, 10);
    log.node(0, Kind::memory, 30, 40, a);
    EXPECT_EQ(log.path(), "- 0 0-5; 0 0 5-10; - 0 10-30; 1 0 30-40; ");
    EXPECT_EQ(times_by_kind(log.log, trace_path(log.log)).back(), (std::pair<std::string, Picoseconds>("idle", 25)));
}

TEST(TracePath, TiesGoToTheLowerRankAndAnEmptyLogHasNone)
{
    Log log;
    log.node(1, Kind::compute, 0, 10);
    log.node(0, Kind::compute, 0, 10);
    EXPECT_EQ(log.path(), "1 0 0-10; ");
    EXPECT_TRUE(trace_path(NodeLog()).empty());
}

}  // namespace trace_path_test
