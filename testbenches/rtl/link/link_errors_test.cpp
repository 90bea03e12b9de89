// What a wire can do to a link: nothing is lost, doubled or changed, and every loss costs the time that it must.
#include "testbenches/rtl/link/link_rig.h"

namespace weft::link_errors_test {
namespace {

using namespace link_bench;

class LinkErrors : public LinkKindTest {};

constexpr unsigned latency = 10, timeout = 300, flits = 6;

LinkParams directed()
{
    LinkParams params = link_params(16, 2, 32, 8, timeout, 1, 32);
    params.credits.fill(64);
    return params;
}

// When each line was taken at the left end and came at the right one.
struct Times {
    explicit Times(LinkPair& pair)
    {
        pair.on_taken = [this](unsigned end, std::uint64_t clock) {
            if (end == 0) taken.push_back(clock);
        };
        pair.on_delivered = [this](unsigned end, const Delivery& delivery) {
            if (end == 1) came.push_back(delivery.clock);
        };
    }
    std::uint64_t passage(std::size_t line) const { return came.at(line) - taken.at(line); }
    std::vector<std::uint64_t> taken, came;
};

constexpr std::uint64_t alone = 2 + flits + latency;

TEST_P(LinkErrors, APacketThatVanishesIsSentAgainAfterTheTimeout)
{
    Rig rig(GetParam(), directed(), latency);
    Times times(rig.pair);
    for (unsigned flit = 0; flit < flits; ++flit) rig.pair.wire_from(0).drop(flit);
    rig.pair.send(0, 1, some_write(64));
    ASSERT_TRUE(rig.pair.drain());
    ASSERT_EQ(rig.pair.failure(), "");
    EXPECT_EQ(times.passage(0), alone + timeout + 2);
}

TEST_P(LinkErrors, APacketThatIsHitIsAskedFor)
{
    Rig rig(GetParam(), directed(), latency);
    Times times(rig.pair);
    rig.pair.wire_from(0).hit(4, 77);
    rig.pair.send(0, 1, some_write(64));
    ASSERT_TRUE(rig.pair.drain());
    ASSERT_EQ(rig.pair.failure(), "");
    EXPECT_EQ(times.passage(0), alone + flits + 3 + 2 * latency);
}

TEST_P(LinkErrors, ALostRequestLeavesItToTheTimeout)
{
    Rig rig(GetParam(), directed(), latency);
    Times times(rig.pair);
    rig.pair.wire_from(0).hit(4, 77);
    rig.pair.wire_from(1).hit(0, 21);
    rig.pair.send(0, 1, some_write(64));
    ASSERT_TRUE(rig.pair.drain());
    ASSERT_EQ(rig.pair.failure(), "");
    EXPECT_EQ(times.passage(0), alone + timeout + 2);
}

// Neither the end of a packet nor the beginning of the next is seen: missed at the first flit too many, one clock after
// the end that there was. The first flit outside a packet is missed as well.
TEST_P(LinkErrors, APacketThatRunsIntoTheNextIsTooLong)
{
    for (const unsigned flit_bytes : {8U, 16U, 32U}) {
        LinkParams params = directed();
        params.flit_bytes = flit_bytes;
        const unsigned length = link_flits(some_write(64), flit_bytes), head = 8 * flit_bytes, tail = head + 1;
        const std::uint64_t expected = 2 + length + latency + length + 3 + 2 * latency;
        for (const bool runs_on : {true, false}) {
            Rig rig(GetParam(), params, latency);
            Times times(rig.pair);
            if (runs_on) {
                rig.pair.wire_from(0).hit(length - 1, tail);
                rig.pair.wire_from(0).hit(length, head);
            } else {
                rig.pair.wire_from(0).hit(0, head);
            }
            for (unsigned line = 0; line < 2; ++line) rig.pair.send(0, 1, some_write(64, line));
            ASSERT_TRUE(rig.pair.drain());
            ASSERT_EQ(rig.pair.failure(), "");
            EXPECT_EQ(times.passage(0), runs_on ? expected + 1 : expected - (length - 1)) << flit_bytes;
        }
    }
}

// The second time it is the next packet that tells: its last flit comes `flits` clocks later.
TEST_P(LinkErrors, APacketThatIsHitAgainIsAskedForAgain)
{
    Rig rig(GetParam(), directed(), latency);
    Times times(rig.pair);
    rig.pair.wire_from(0).hit(4, 77);
    rig.pair.wire_from(0).hit(2 * flits + 5, 3);
    for (unsigned line = 0; line < 2; ++line) rig.pair.send(0, 1, some_write(64, line));
    ASSERT_TRUE(rig.pair.drain());
    ASSERT_EQ(rig.pair.failure(), "");
    const std::uint64_t round_trip = flits + 3 + 2 * latency;
    EXPECT_EQ(times.passage(0), alone + round_trip + flits + round_trip);
}

TEST_P(LinkErrors, ALostAcknowledgeIsGivenAgain)
{
    Rig rig(GetParam(), directed(), latency);
    Times times(rig.pair);
    rig.pair.behaviour(1).credit_rate = 0;
    rig.pair.wire_from(1).hit(0, 14);
    rig.pair.send(0, 0, some_write(64));
    rig.pair.run(3 + timeout);
    EXPECT_EQ(times.came.size(), 1U);
    EXPECT_FALSE(rig.pair.out(0).idle);
    rig.pair.run(2 * alone + 6);
    EXPECT_EQ(times.came.size(), 1U);
    EXPECT_TRUE(rig.pair.out(0).idle) << "the second copy was acknowledged";
    ASSERT_TRUE(rig.pair.drain());
    ASSERT_EQ(rig.pair.failure(), "");
}

// The only credit is lost on its way back: asked for after the timeout, answered a round trip later.
TEST_P(LinkErrors, ALostCreditCostsTimeAndNotACredit)
{
    LinkParams params = directed();
    params.credits = {1, 1};
    for (unsigned vc = 0; vc < 2; ++vc) {
        Rig rig(GetParam(), params, latency);
        Times times(rig.pair);
        rig.pair.wire_from(1).hit(1, 5);  // behind the acknowledge
        for (unsigned line = 0; line < 8; ++line) rig.pair.send(0, vc, some_write(64, line));
        ASSERT_TRUE(rig.pair.drain());
        ASSERT_EQ(rig.pair.failure(), "");
        EXPECT_EQ(times.taken[1] - times.taken[0], timeout + 6 + 2 * latency);
        for (unsigned line = 2; line < 8; ++line)
            EXPECT_EQ(times.taken[line] - times.taken[line - 1], flits + 6 + 2 * latency);
    }
}

TEST_P(LinkErrors, AQuestionThatIsLostIsAskedAgain)
{
    LinkParams params = directed();
    params.credits = {1, 1};
    Rig rig(GetParam(), params, latency);
    Times times(rig.pair);
    rig.pair.wire_from(1).drop(1);
    rig.pair.wire_from(0).drop(flits);
    for (unsigned line = 0; line < 2; ++line) rig.pair.send(0, 1, some_write(64, line));
    ASSERT_TRUE(rig.pair.drain());
    ASSERT_EQ(rig.pair.failure(), "");
    EXPECT_EQ(times.taken[1] - times.taken[0], 2 * timeout + 1 + 6 + 2 * latency);
}

TEST_P(LinkErrors, AFullReplayBufferTakesNoMore)
{
    LinkParams params = directed();
    params.replay = 4;
    Rig rig(GetParam(), params, latency);
    Times times(rig.pair);
    for (unsigned flit = 0; flit < 200; ++flit) rig.pair.wire_from(1).drop(flit);
    for (unsigned line = 0; line < 20; ++line) rig.pair.send(0, line % 2, some_write(64, line));
    rig.pair.run(timeout);
    EXPECT_EQ(times.taken.size(), 4U);
    EXPECT_EQ(times.came.size(), 4U);
    EXPECT_EQ(rig.pair.out(0).tx_ready, 0U);
    ASSERT_TRUE(rig.pair.drain());
    ASSERT_EQ(rig.pair.failure(), "");
    EXPECT_EQ(times.came.size(), 20U);
}

// Eight numbers for packets, 4096 for credits: each goes round several times.
TEST_P(LinkErrors, NumbersWrap)
{
    for (const double errors : {0.0, 2e-4}) {
        if (errors == 0 && GetParam() == Kind::block && !test::thorough()) continue;
        Rig rig(GetParam(), GetParam(), narrow_link().params, narrow_link().latency, 9, errors, errors);
        rig.pair.behaviour(0).load = 1;
        rig.pair.behaviour(1).load = 0.5;
        rig.pair.run(150'000);
        ASSERT_TRUE(rig.pair.drain());
        ASSERT_EQ(rig.pair.failure(), "");
        EXPECT_GT(rig.pair.delivered(1), 2 * 4096U);
    }
}

// As many packets without acknowledge as there can be, and as many slots in use; one message tells of all of them.
TEST_P(LinkErrors, AllNumbersAreInUseAtOnce)
{
    constexpr unsigned packets = 2048, slots = 4095, patience = 10'000, margin = 100;
    LinkParams params = link_params(32, 1, packets, 12, patience, 1, 32);
    params.credits[0] = slots;
    Rig rig(GetParam(), params, latency);
    LinkPair& pair = rig.pair;
    pair.behaviour(0) = {1, 0, 1, -1, writes(1)};
    pair.behaviour(1).credit_rate = 0;
    // Nothing comes back.
    for (unsigned flit = 0; flit < packets; ++flit) pair.wire_from(1).drop(flit);
    pair.run(packets + margin);
    EXPECT_EQ(pair.taken(0), packets);
    EXPECT_EQ(pair.delivered(1), packets);
    // It goes back to the first of them and hears of the last.
    pair.run(patience);
    pair.run(slots - packets + margin);
    EXPECT_EQ(pair.taken(0), slots);
    EXPECT_EQ(pair.delivered(1), slots);
    EXPECT_EQ(pair.out(0).tx_ready, 0U);
    // Slots become free, one a clock, and nothing comes back until it asks.
    for (unsigned flit = 0; flit < slots; ++flit) pair.wire_from(1).drop(flit);
    pair.behaviour(1).credit_rate = 1;
    pair.run(slots + margin);
    EXPECT_EQ(pair.taken(0), slots);
    pair.behaviour(1).credit_rate = 0;
    pair.run(patience + slots);
    EXPECT_EQ(pair.taken(0), 2 * slots);
    ASSERT_TRUE(pair.drain());
    ASSERT_EQ(pair.failure(), "");
    EXPECT_EQ(pair.delivered(1), pair.taken(0));
}

// Every bit of a packet, its tags and its CRC among them, is wrong once.
TEST_P(LinkErrors, EveryBitOfAPacketIsGuarded)
{
    for (const unsigned flit_bytes : {8U, 16U, 32U}) {
        LinkParams params = directed();
        params.flit_bytes = flit_bytes;
        params.timeout = 1000;
        Rig rig(GetParam(), params, latency);
        const LineBits line = some_write(45);
        const unsigned bits = 8 * flit_bytes + 2;
        const unsigned packet = link_flits(line, flit_bytes);
        for (unsigned bit = 0; bit < packet * bits; ++bit) {
            rig.pair.wire_from(0).hit(bit / bits, bit % bits);
            rig.pair.send(0, bit % 2, line);
            const std::uint64_t before = rig.pair.now();
            ASSERT_TRUE(rig.pair.drain());
            ASSERT_EQ(rig.pair.failure(), "") << "bit " << bit;
            ASSERT_GT(rig.pair.now() - before, 2 * latency + alone) << "bit " << bit << " was not missed";
        }
        EXPECT_EQ(rig.pair.delivered(1), packet * bits);
    }
}

// Up to 32 bits in a row are always seen.
TEST_P(LinkErrors, BurstsAreGuarded)
{
    Rig rig(GetParam(), directed(), latency);
    std::mt19937_64 random(4);
    for (unsigned round = 0; round < 500; ++round) {
        const unsigned flit = random() % flits, length = 2 + random() % 31, first = random() % (128 - length);
        rig.pair.wire_from(0).hit(flit, first);
        rig.pair.wire_from(0).hit(flit, first + length - 1);
        for (unsigned bit = first + 1; bit < first + length - 1; ++bit)
            if (random() % 2 == 0) rig.pair.wire_from(0).hit(flit, bit);
        rig.pair.send(0, 1, some_write(64, round));
        ASSERT_TRUE(rig.pair.drain());
        ASSERT_EQ(rig.pair.failure(), "");
    }
}

// Up to where nearly every packet is hit: 1 - (1 - 0.003)^780 = 0.9.
TEST_P(LinkErrors, NothingIsLostAtAnyErrorRate)
{
    std::uint64_t before = ~std::uint64_t{0};
    for (const double errors : {1e-6, 1e-5, 1e-4, 1e-3, 3e-3}) {
        Rig rig(GetParam(), GetParam(), directed(), latency, 11, errors, errors);
        for (unsigned end = 0; end < 2; ++end) {
            rig.pair.behaviour(end).load = 0.3;
            rig.pair.behaviour(end).bursts = 0.001;
        }
        rig.pair.run(100'000);
        const std::uint64_t lines = rig.pair.delivered(0) + rig.pair.delivered(1);
        EXPECT_GT(lines, 100U) << errors;
        EXPECT_LT(lines, before) << errors;
        before = lines;
        ASSERT_TRUE(rig.pair.drain(2'000'000)) << errors;
        ASSERT_EQ(rig.pair.failure(), "") << errors;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LinkErrors, ::testing::Values(Kind::reference, Kind::block), kind_name);

}  // namespace
}  // namespace weft::link_errors_test
