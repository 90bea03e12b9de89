#include <gtest/gtest.h>

#include "tlm_interconnect/kernel/rate_server.h"
#include "tlm_interconnect/kernel/rate_servers.h"

namespace rate_server_test {

using weft::RateServer;
using weft::RateServers;
using weft::Time;

namespace {

Time end_of(RateServer& server, unsigned lines, std::uint32_t bytes)
{
    for (unsigned i = 0; i < lines; ++i) server.book(0, bytes);
    return server.free_at();
}

}  // namespace

TEST(RateServer, AMillionLinesTakeExactlyTheTimeTheyShould)
{
    RateServer nvswitch(900'000'000'000);
    EXPECT_EQ(end_of(nvswitch, 1'000'000, 64), 71'111'111u);  // 64 MB / 900 GB/s = 71.111 us; 71.1 ps each
    RateServer lane(25'000'000'000);
    EXPECT_EQ(end_of(lane, 1'000'000, 64), 2'560'000'000u);
    RateServer wide(7'200'000'000'000);
    EXPECT_EQ(end_of(wide, 1'000'000, 64), 8'888'888u);
    RateServer odd(3'350'000'000'001);
    EXPECT_EQ(end_of(odd, 200'000, 80), std::uint64_t{16'000'000} * 1'000'000'000'000 / 3'350'000'000'001);
}

TEST(RateServer, RemaindersOfDifferentSizesAddUp)
{
    RateServer server(900'000'000'000);
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        const std::uint32_t amount = i * 37 % 500 + 1;  // some from the table, some computed
        bytes += amount;
        server.book(0, amount);
        ASSERT_EQ(server.free_at(), bytes * 1'000'000'000'000 / 900'000'000'000) << i;
    }
    EXPECT_EQ(server.busy(), server.free_at());
}

TEST(RateServer, BookingStartsWhenTheLineIsThereAndTheResourceIsFree)
{
    RateServer server(64'000'000'000);
    EXPECT_EQ(server.book(500, 64).start, 500u);
    const RateServer::Slot queued = server.book(600, 64);
    EXPECT_EQ(queued.start, 1500u);
    EXPECT_EQ(queued.end, 2500u);
    EXPECT_EQ(server.book(9000, 0).end, 9000u);
    EXPECT_EQ(server.busy(), 2000u);
    server.reset_busy();
    EXPECT_EQ(server.busy(), 0u);
}

TEST(RateServer, AnIdleGapDropsTheRemainder)
{
    RateServer server(3'000'000'000'000);  // a byte takes a third of a picosecond
    EXPECT_EQ(server.book(0, 2).end, 0u);
    EXPECT_EQ(server.book(0, 1).end, 1u);  // without gap the thirds add up
    EXPECT_EQ(server.book(10, 2).end, 10u);
    EXPECT_EQ(server.book(11, 2).end, 11u);  // 2/3 from before are gone
    EXPECT_EQ(server.book(11, 1).end, 12u);
}

TEST(RateServer, AnAmountWhoseDurationIsKnownIsTheSameBooking)
{
    RateServer server(3'000'000'000'000);  // 64 B: 21 1/3 ps
    RateServer again(3'000'000'000'000);
    const RateServer::Duration durations[] = {again.duration_of(64), again.duration_of(80)};
    Time at = 0;
    for (unsigned i = 0; i < 1'000; ++i) {
        at += i * 7 % 41;  // now and then idle
        const RateServer::Slot one = server.book(at, i % 2 == 0 ? 64 : 80);
        const RateServer::Slot other = again.book(at, durations[i % 2]);
        ASSERT_EQ(one.start, other.start) << i;
        ASSERT_EQ(one.end, other.end) << i;
    }
    EXPECT_EQ(server.busy(), again.busy());
}

TEST(RateServer, LargestAmountDoesNotOverflow)
{
    RateServer server(1'000'000'000'000);
    EXPECT_EQ(server.book(0, 1U << 24).end, Time{1} << 24);
}

TEST(RateServers, EachBooksAsARateServerOfItsOwn)
{
    constexpr std::uint64_t rate = 900'000'000'000;
    RateServers many(3, rate);
    std::vector<RateServer> alone(3, RateServer(rate));
    weft::Time now = 0;
    for (std::uint32_t i = 0; i < 10'000; ++i) {
        now += i * 7919 % 130;
        const std::size_t which = i * 31 % 7 % 3;
        const std::uint32_t amount = i % 5 == 0 ? i % 64 + 1 : 64;
        ASSERT_EQ(many.book(which, now, amount), alone[which].book(now, amount).start) << i;
    }
    many.reset_statistics();
    many.book(1, 0, 100);
    EXPECT_EQ(many.bytes(), 100u);
    EXPECT_EQ(many.busiest(), 1u);
    EXPECT_EQ(many.time_of(90), 100);
    EXPECT_FALSE(RateServers().limited());
}

TEST(RateServers, TheNextIsAdmittedAtOnceAndOthersInTheirTurn)
{
    RateServers way(1, 64'000'000'000);  // a line each ns
    EXPECT_EQ(way.admit(0, 100, 64), 100u);
    EXPECT_EQ(way.admit(0, 700, 64), 700u);   // while the first passes; its own time is 1100 to 2100
    EXPECT_EQ(way.admit(0, 900, 64), 2100u);  // the second waits in truth
    EXPECT_EQ(way.admit(0, 1200, 64), 3100u);
    EXPECT_EQ(way.admit(0, 3100, 64), 3100u);  // the fourth has just begun
    EXPECT_EQ(way.admit(0, 9000, 64), 9000u);
}

}  // namespace rate_server_test
