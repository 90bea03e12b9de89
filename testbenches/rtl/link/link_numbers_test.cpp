// Latency, efficiency and throughput of a link against their closed forms, of the reference model and of the block.
#include <cmath>

#include "testbenches/rtl/link/link_rig.h"

namespace weft::link_numbers_test {
namespace {

using namespace link_bench;

class LinkNumbers : public LinkKindTest {};

// Credits and replay buffer that never hold anything up.
LinkParams ample(unsigned flit_bytes)
{
    LinkParams params = link_params(flit_bytes, 2, 2048, 12, 4000, 1, 32);
    params.credits.fill(4095);
    return params;
}

struct Cost {
    unsigned flit_bytes, op;
    bool response;
    unsigned size, flits;
};
// 24 bytes and the payload, in whole flits.
constexpr Cost costs[] = {
    {16, op_write, false, 64, 6},
    {16, op_write, false, 57, 6},
    {16, op_write, false, 56, 5},
    {16, op_write, false, 8, 2},
    {16, op_write, false, 9, 3},
    {16, op_write, true, 64, 2},
    {16, op_read, false, 64, 2},
    {16, op_read, true, 64, 6},
    {16, op_read, true, 32, 4},
    {16, op_fetch, true, 8, 2},
    {16, op_reduce, false, 64, 6},
    {16, op_reduce, true, 64, 2},
    {8, op_write, false, 64, 11},
    {8, op_read, false, 64, 3},
    {8, op_write, false, 1, 4},
    {8, op_write, false, 40, 8},
    {32, op_write, false, 64, 3},
    {32, op_write, false, 40, 2},
    {32, op_write, false, 41, 3},
    {32, op_read, false, 64, 1},
    {32, op_write, false, 8, 1},
    {32, op_read, true, 9, 2},
};

TEST_P(LinkNumbers, ALineAloneTakesItsFlitsAndTheWireAndTwoClocks)
{
    std::mt19937_64 random(3);
    for (const unsigned latency : {1U, 7U, 50U})
        for (const Cost& cost : costs) {
            Rig rig(GetParam(), ample(cost.flit_bytes), latency);
            std::uint64_t taken = 0, came = 0;
            rig.pair.on_taken = [&](unsigned, std::uint64_t clock) { taken = clock; };
            rig.pair.on_delivered = [&](unsigned end, const Delivery& delivery) {
                came = end == 1 ? delivery.clock : 0;
            };
            rig.pair.run(5);
            LineBits line = line_of(random, cost.op, cost.response, cost.size);
            line.set_rest(1, cost.op, cost.response, cost.size, 0, 0, 0, false);
            rig.pair.send(0, 1, line);
            ASSERT_TRUE(rig.pair.drain());
            ASSERT_EQ(rig.pair.failure(), "");
            EXPECT_EQ(taken, 5U);
            EXPECT_EQ(came - taken, 2 + cost.flits + latency) << cost.flit_bytes << " " << cost.op << " " << cost.size;
        }
}

TEST_P(LinkNumbers, ACompareAndSwapHasTwoOperands)
{
    std::mt19937_64 random(3);
    for (const auto& [op, response, function, flits] : {std::tuple{op_atomic, false, 2U, 3U}, {op_fetch, false, 2U, 3U},
             {op_fetch, true, 2U, 2U}, {op_atomic, false, 0U, 2U}, {op_write, false, 2U, 2U}}) {
        Rig rig(GetParam(), ample(16), 5);
        std::uint64_t came = 0;
        rig.pair.on_delivered = [&](unsigned, const Delivery& delivery) { came = delivery.clock; };
        LineBits line = line_of(random, op, response, 8);
        line.set_rest(1, op, response, 8, function, 0, 0, false);
        rig.pair.send(0, 0, line);
        ASSERT_TRUE(rig.pair.drain());
        ASSERT_EQ(rig.pair.failure(), "");
        EXPECT_EQ(came, 2 + flits + 5U) << op << " " << response << " " << function;
    }
}

// One after the other without a gap: the wire's share of payload is payload over whole flits.
TEST_P(LinkNumbers, SaturationIsWholeFlitsWithoutAGap)
{
    for (const Cost& cost : costs) {
        Rig rig(GetParam(), ample(cost.flit_bytes), 5);
        rig.pair.behaviour(0).load = 1;
        rig.pair.behaviour(0).line = [&](std::mt19937_64& random) {
            LineBits line = line_of(random, cost.op, cost.response, cost.size);
            line.set_rest(1, cost.op, cost.response, cost.size, 0, 0, 0, false);
            return line;
        };
        rig.pair.run(200);
        const std::uint64_t before = rig.pair.delivered(1);
        const unsigned packets = 150;
        rig.pair.run(packets * cost.flits);
        EXPECT_EQ(rig.pair.delivered(1) - before, packets) << cost.flit_bytes << " " << cost.op << " " << cost.size;
        ASSERT_EQ(rig.pair.failure(), "");
    }
    // The same as a share: 24 bytes a packet, rounded up.
    EXPECT_DOUBLE_EQ(64.0 / (6 * 16), 64.0 / (64 + 32));
    EXPECT_DOUBLE_EQ(64.0 / (11 * 8), 64.0 / (64 + 24));
}

TEST_P(LinkNumbers, BothDirectionsSaturateTogether)
{
    Rig rig(GetParam(), ample(16), 9);
    for (unsigned end = 0; end < 2; ++end) {
        rig.pair.behaviour(end).load = 1;
        rig.pair.behaviour(end).line = writes(64);
    }
    rig.pair.run(300);
    const std::uint64_t before[] = {rig.pair.delivered(0), rig.pair.delivered(1)};
    rig.pair.run(6 * 500);
    for (unsigned end = 0; end < 2; ++end) EXPECT_EQ(rig.pair.delivered(end) - before[end], 500U);
    ASSERT_EQ(rig.pair.failure(), "");
}

// A credit is back n + 6 + 2 latency clocks after its line was taken.
TEST_P(LinkNumbers, CreditsThatDoNotCoverTheRoundTripSetTheRate)
{
    const unsigned latency = 40, flits = 6, round_trip = flits + 6 + 2 * latency;
    for (const unsigned credits : {1U, 2U, 4U, 15U}) {
        LinkParams params = ample(16);
        params.credits = {static_cast<std::uint16_t>(credits), 1};
        Rig rig(GetParam(), params, latency);
        rig.pair.behaviour(0) = {1, 0, 1, 0, writes(64)};
        rig.pair.run(5 * round_trip);
        const std::uint64_t before = rig.pair.delivered(1);
        rig.pair.run(20 * round_trip);
        EXPECT_EQ(rig.pair.delivered(1) - before, 20 * credits);
        ASSERT_EQ(rig.pair.failure(), "");
    }
}

// An acknowledge is back n + 4 + 2 latency clocks after its line was taken.
TEST_P(LinkNumbers, AReplayBufferThatDoesNotCoverTheRoundTripSetsTheRate)
{
    const unsigned latency = 40, flits = 6, round_trip = flits + 4 + 2 * latency;
    for (const unsigned packets : {1U, 3U, 8U}) {
        LinkParams params = ample(16);
        params.replay = packets;
        Rig rig(GetParam(), params, latency);
        rig.pair.behaviour(0) = {1, 0, 1, -1, writes(64)};
        rig.pair.run(5 * round_trip);
        const std::uint64_t before = rig.pair.delivered(1);
        rig.pair.run(20 * round_trip);
        EXPECT_EQ(rig.pair.delivered(1) - before, 20 * packets);
        ASSERT_EQ(rig.pair.failure(), "");
    }
}

// 112.5 GB/s in flits of 16 B: a clock of 142 ps; 70 ns are 493 of them, two of which the endpoints take.
constexpr unsigned nvlink_wire = 491;

// Lines that are delivered in `clocks`, of the steady state.
std::uint64_t steady(LinkPair& pair, std::uint64_t clocks)
{
    pair.run(5000);
    const std::uint64_t before = pair.delivered(1);
    pair.run(clocks);
    return pair.delivered(1) - before;
}

// Credits fill it that cover flits + 6 + 2 latency clocks, a replay buffer that covers flits + 4 + 2 latency; one less
// of either, and the rate is credits, or packets, by the round trip.
TEST_P(LinkNumbers, AnNvlinkIsFilledByARoundTripOfCreditsAndPackets)
{
    struct Case {
        unsigned op, size, flits, credits, packets;
    };
    for (const Case& one :
        {Case{op_write, 64, 6, 166, 166}, Case{op_write, 8, 2, 495, 494}, Case{op_read, 64, 2, 495, 494}}) {
        const unsigned credit_trip = one.flits + 6 + 2 * nvlink_wire, packet_trip = one.flits + 4 + 2 * nvlink_wire;
        EXPECT_EQ(one.credits, (credit_trip + one.flits - 1) / one.flits);
        EXPECT_EQ(one.packets, (packet_trip + one.flits - 1) / one.flits);
        const auto rate = [&](unsigned credits, unsigned packets, std::uint64_t clocks) {
            LinkParams params = ample(16);
            params.credits[0] = static_cast<std::uint16_t>(credits);
            params.credits[1] = 0;
            params.replay = packets;
            Rig rig(GetParam(), params, nvlink_wire);
            rig.pair.behaviour(0) = {1, 0, 1, 0, [one](std::mt19937_64& random) {
                                         LineBits line = line_of(random, one.op, false, one.size);
                                         line.set_rest(1, one.op, false, one.size, 0, 0, 0, false);
                                         return line;
                                     }};
            const std::uint64_t lines = steady(rig.pair, clocks);
            EXPECT_EQ(rig.pair.failure(), "");
            return lines;
        };
        EXPECT_EQ(rate(one.credits, 2048, 1000 * one.flits), 1000U) << one.size;
        EXPECT_EQ(rate(4095, one.packets, 1000 * one.flits), 1000U) << one.size;
        EXPECT_EQ(rate(one.credits - 1, 2048, 10 * credit_trip), 10 * (one.credits - 1)) << one.size;
        EXPECT_EQ(rate(4095, one.packets - 1, 10 * packet_trip), 10 * (one.packets - 1)) << one.size;
        EXPECT_EQ(rate(127, 2048, 10 * credit_trip), 1270U) << one.size;
        EXPECT_EQ(rate(4095, 128, 10 * packet_trip), 1280U) << one.size;
    }
}

// Both ways at once an ack and a credit wait for their packet, up to two, and come with its last flit: one more. Credits of
// several channels take turns: two more for each.
TEST_P(LinkNumbers, BothWaysTakeThreePacketsMoreAndTwoForEachFurtherChannel)
{
    const auto lines = [](unsigned channels, unsigned credits, unsigned packets) {
        LinkParams params = ample(16);
        params.replay = packets;
        params.credits.fill(0);
        for (unsigned v = 0; v < channels; ++v) params.credits[v] = static_cast<std::uint16_t>(credits);
        Rig rig(GetParam(), params, nvlink_wire);
        for (unsigned end = 0; end < 2; ++end) rig.pair.behaviour(end) = {1, 0, 1, channels == 1 ? 0 : -1, writes(64)};
        rig.pair.run(5000);
        const std::uint64_t before[] = {rig.pair.delivered(0), rig.pair.delivered(1)};
        rig.pair.run(6 * 1000);
        EXPECT_EQ(rig.pair.failure(), "");
        EXPECT_EQ(rig.pair.delivered(0) - before[0], rig.pair.delivered(1) - before[1]);
        return rig.pair.delivered(1) - before[1];
    };
    EXPECT_EQ(lines(1, 166 + 3, 166 + 3), 1000U);
    EXPECT_EQ(lines(2, 166 + 5, 166 + 3), 1000U);
    // What fills one way does not fill both.
    EXPECT_LT(lines(1, 166, 166 + 3), 1000U);
    EXPECT_LT(lines(1, 166 + 3, 166), 1000U);
}

// From the first flit of a packet that is hit to that of the one sent in its place: n + 3 + 2 latency clocks, and the
// packet that is on the wire then.
unsigned in_vain(unsigned flits, unsigned latency) { return (flits + 3 + 2 * latency + flits - 1) / flits; }

TEST_P(LinkNumbers, OneErrorCostsTheRoundTripInWholePackets)
{
    for (const unsigned latency : {1U, 4U, 11U, 30U}) {
        Rig rig(GetParam(), ample(16), latency);
        rig.pair.behaviour(0) = {1, 0, 1, -1, writes(64)};
        std::uint64_t last = 0, longest = 0;
        rig.pair.on_delivered = [&](unsigned end, const Delivery& delivery) {
            if (end != 1) return;
            if (last != 0) longest = std::max(longest, delivery.clock - last);
            last = delivery.clock;
        };
        rig.pair.wire_from(0).hit(6 * 20 + 2, 17);
        rig.pair.run(600);
        EXPECT_EQ(longest, 6 + 6 * in_vain(6, latency)) << latency;
        ASSERT_EQ(rig.pair.failure(), "");
    }
}

// p = chance that a packet is hit. One that is sent again and hit again is found missing by the first after it that is
// not, 1 / (1 - p) packets later:
//   packets per line = 1 + p W + p^2 / (1 - p) (W + 1 / (1 - p))
// which is close to the fabric model's efficiency = (1 - p) / (1 - p + p W) while p is small. Packets are hit
// independently, the number in vain before each line is nearly geometric: standard error of packets per line =
// W sqrt(p) / (1 - p) / sqrt(lines).
TEST_P(LinkNumbers, GoodputUnderErrors)
{
    const unsigned latency = 11, flits = 5;
    const double lost = in_vain(flits, latency);
    for (const double rate : {1e-5, 1e-4, 3e-4, 1e-3}) {
        // By default the reference model alone has them all: LinkReferenceBlock has the same errors at every pin.
        const bool few = GetParam() == Kind::block && !test::thorough();
        if (few && rate != 1e-4 && rate != 1e-3) continue;
        Rig rig(GetParam(), GetParam(), ample(16), latency, 5, rate, 0);
        rig.pair.behaviour(0) = {1, 0, 1, -1, writes(56)};
        const std::uint64_t clocks = few ? 60'000 : 600'000;
        rig.pair.run(clocks);
        ASSERT_EQ(rig.pair.failure(), "");
        const double p = 1 - std::pow(1 - rate, 130 * flits);
        const double lines = static_cast<double>(rig.pair.delivered(1));
        const double packets_per_line = static_cast<double>(clocks) / flits / lines;
        const double expected = 1 + p * lost + p * p / (1 - p) * (lost + 1 / (1 - p));
        const double model = (1 - p) / (1 - p + p * lost);
        const double error = lost * std::sqrt(p) / (1 - p) / std::sqrt(lines);
        EXPECT_NEAR(packets_per_line, expected, 4 * error) << "bit error rate " << rate;
        std::printf("bit error rate %.0e: efficiency %.4f, theory %.4f (standard error %.4f), fabric model %.4f\n",
            rate, 1 / packets_per_line, 1 / expected, error / expected / expected, model);
    }
}

// Errors on the wire back hit requests to go back, flits of their own: chance q. One is sent for every hit, p / (1 - p) a line; without it the
// sender goes back TIMEOUT + 1 clocks after the last acknowledge, which came a packet before the request would have:
//   p / (1 - p) q E more packets a line, E = (TIMEOUT + 1 - flits) / flits, rounded up
// Standard error: these come E at a time, sqrt(p / (1 - p) q / lines) E.
TEST_P(LinkNumbers, RequestsThatAreLostCostATimeout)
{
    if (GetParam() == Kind::block && !test::thorough()) return;  // LinkReferenceBlock has the same errors at every pin
    const unsigned latency = 11, flits = 5, timeout = 600;
    const double lost = in_vain(flits, latency), late = std::ceil((timeout + 1.0 - flits) / flits);
    LinkParams params = ample(16);
    params.timeout = timeout;
    for (const double rate : {1e-4, 3e-4}) {
        Rig rig(GetParam(), GetParam(), params, latency, 5, rate, rate);
        rig.pair.behaviour(0) = {1, 0, 1, -1, writes(56)};
        const std::uint64_t clocks = 600'000;
        rig.pair.run(clocks);
        ASSERT_EQ(rig.pair.failure(), "");
        const double p = 1 - std::pow(1 - rate, 130 * flits), q = 1 - std::pow(1 - rate, 130);
        const double lines = static_cast<double>(rig.pair.delivered(1));
        const double packets_per_line = static_cast<double>(clocks) / flits / lines;
        const double without = 1 + p * lost + p * p / (1 - p) * (lost + 1 / (1 - p));
        const double expected = without + p / (1 - p) * q * late;
        const double error = std::sqrt((lost * lost * p / (1 - p) / (1 - p) + late * late * p / (1 - p) * q) / lines);
        EXPECT_NEAR(packets_per_line, expected, 4 * error) << "bit error rate " << rate;
        EXPECT_GT(packets_per_line, without + 4 * error) << "bit error rate " << rate;
        std::printf(
            "bit error rate %.0e both ways: efficiency %.4f, theory %.4f (standard error %.4f), requests never lost "
            "%.4f\n",
            rate, 1 / packets_per_line, 1 / expected, error / expected / expected, 1 / without);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LinkNumbers, ::testing::Values(Kind::reference, Kind::block), kind_name);

}  // namespace
}  // namespace weft::link_numbers_test
