// Reference models and blocks at the two ends in every combination: every line is taken and comes in the same clock.
// And what each parameter moves.
#include "testbenches/rtl/link/link_rig.h"
#include "testbenches/support/thorough.h"

namespace weft::link_mixed_test {
namespace {

using namespace link_bench;

class LinkMixed : public RtlTest {};

std::vector<std::uint64_t> log_of(Kind left, Kind right, const LinkSet& set, std::uint64_t seed, double errors)
{
    Rig rig(left, right, set.params, set.latency, seed, errors, errors);
    std::vector<std::uint64_t> log;
    rig.pair.on_taken = [&](unsigned end, std::uint64_t clock) { log.push_back(clock << 2 | end << 1); };
    rig.pair.on_delivered = [&](unsigned end, const Delivery& delivery) {
        log.push_back(delivery.clock << 2 | end << 1 | 1);
    };
    for (unsigned end = 0; end < 2; ++end)
        rig.pair.behaviour(end) = {0.1 + 0.05 * static_cast<double>(seed), 0.001, 0.7, -1, {}};
    rig.pair.run(10'000);
    EXPECT_TRUE(rig.pair.drain());
    EXPECT_EQ(rig.pair.failure(), "");
    return log;
}

TEST_F(LinkMixed, EveryLineHasTheSameClock)
{
    // By default the blocks that LinkReferenceBlock has.
    std::vector<LinkSet> sets{common_link(), narrow_link(), single_link()};
    if (test::thorough()) sets.insert(sets.end(), {wide_link(), uneven_link()});
    for (const LinkSet& set : sets)
        for (std::uint64_t seed = 1; seed <= test::by_default(2, 4); ++seed) {
            const double errors = seed % 2 == 0 ? 3e-4 : 0;
            const auto expected = log_of(Kind::reference, Kind::reference, set, seed, errors);
            EXPECT_GT(expected.size(), 100U);
            EXPECT_EQ(log_of(Kind::block, Kind::block, set, seed, errors), expected);
            EXPECT_EQ(log_of(Kind::block, Kind::reference, set, seed, errors), expected);
            EXPECT_EQ(log_of(Kind::reference, Kind::block, set, seed, errors), expected);
        }
}

// Ends that are not alike but for what must be.
TEST_F(LinkMixed, EndsOfDifferentDepth)
{
    LinkParams left = link_params(16, 4, 4, 6, 200, 1, 32), right = link_params(16, 4, 32, 6, 400, 5, 9);
    left.credits.fill(2);
    right.credits.fill(90);
    std::vector<std::vector<std::uint64_t>> logs;
    for (const Kind kind : {Kind::reference, Kind::block}) {
        const auto a = make_end(kind, left), b = make_end(kind, right);
        LinkPair pair(*a, *b, left, right, 13, 5, 1e-4, 1e-4);
        logs.emplace_back();
        pair.on_delivered = [&](unsigned end, const Delivery& delivery) {
            logs.back().push_back(delivery.clock << 1 | end);
        };
        for (unsigned end = 0; end < 2; ++end) pair.behaviour(end) = {0.5, 0.001, 0.7, -1, {}};
        pair.run(30'000);
        EXPECT_TRUE(pair.drain());
        EXPECT_EQ(pair.failure(), "");
    }
    EXPECT_EQ(logs[0], logs[1]);
}

class LinkParameter : public LinkKindTest {
protected:
    // Control packets that answer 200 lines of one direction.
    std::uint64_t answers(unsigned batch, unsigned hold)
    {
        LinkParams params = link_params(16, 2, 32, 8, 500, batch, hold);
        params.credits.fill(64);
        Rig rig(GetParam(), params, 5);
        for (unsigned line = 0; line < 200; ++line) rig.pair.send(0, 0, some_write(64, line));
        EXPECT_TRUE(rig.pair.drain());
        EXPECT_EQ(rig.pair.failure(), "");
        return rig.pair.wire_from(1).flits();
    }
};

TEST_P(LinkParameter, ALargerBatchAnswersLessOften)
{
    // Every line is answered twice: it came, its slot is free.
    EXPECT_EQ(answers(1, 32), 400U);
    EXPECT_EQ(answers(2, 32), 200U);
    EXPECT_EQ(answers(4, 32), 100U);
    EXPECT_EQ(answers(20, 100), 20U);
}

TEST_P(LinkParameter, FewerThanABatchWaitForTheHold)
{
    for (const unsigned hold : {1U, 7U, 32U}) {
        LinkParams params = link_params(16, 2, 32, 8, 500, 10, hold);
        Rig rig(GetParam(), params, 5);
        rig.pair.behaviour(1).credit_rate = 0;
        std::uint64_t came = 0;
        rig.pair.on_delivered = [&](unsigned, const Delivery& delivery) { came = delivery.clock; };
        rig.pair.send(0, 0, some_write(64));
        while (rig.pair.wire_from(1).flits() == 0 && rig.pair.now() < 200) rig.pair.clock();
        EXPECT_EQ(rig.pair.now() - 1 - came, hold + 1);
    }
}

// 320 lines are there, 255 of them acknowledged; then eight slots a clock become free.
TEST_P(LinkParameter, AllThatIsOwedIsWorthABatchTogether)
{
    LinkParams params = link_params(32, 8, 512, 10, 100'000, 255, 90'000);
    params.credits.fill(40);
    Rig rig(GetParam(), params, 5);
    rig.pair.behaviour(1).credit_rate = 0;
    for (unsigned line = 0; line < 320; ++line) rig.pair.send(0, line % 8, some_write(8, line));
    rig.pair.run(400);
    ASSERT_EQ(rig.pair.delivered(1), 320U);
    ASSERT_EQ(rig.pair.wire_from(1).flits(), 1U);
    rig.pair.behaviour(1).credit_rate = 1;
    const std::uint64_t begin = rig.pair.now();
    while (rig.pair.wire_from(1).flits() == 1 && rig.pair.now() < begin + 100) rig.pair.clock();
    // 65 and 8 for each of 24 clocks are 255 for the first time.
    EXPECT_EQ(rig.pair.now() - 1 - begin, 24U + 1);
    ASSERT_EQ(rig.pair.failure(), "");
}

TEST_P(LinkParameter, ChannelsTakeTurnsForTheirCredits)
{
    // Three channels give a slot back in one clock: three packets tell, in turn.
    LinkParams params = link_params(16, 4, 32, 8, 500, 1, 32);
    const auto end = make_end(GetParam(), params);
    const auto other = make_end(Kind::reference, params);
    LinkPair pair(*other, *end, params, params, 3, 1);
    pair.behaviour(1).credit_rate = 0;
    for (const unsigned vc : {3U, 1U, 2U}) pair.send(0, vc, some_write(8, vc));
    pair.run(60);
    ASSERT_EQ(pair.delivered(1), 3U);
    LinkIn in;
    LinkOut out;
    std::vector<unsigned> told;
    for (unsigned clock = 0; clock < 10; ++clock) {
        in.rx_credit = clock == 0 ? 0b1110 : 0;
        end->cycle(in, out);
        if (out.wire_valid) {
            const LinkWord word = LinkWord::read(out.wire.bytes);
            EXPECT_EQ(word.credit, 1U);
            EXPECT_TRUE(word.control);
            EXPECT_EQ(clock, 2 + told.size());
            told.push_back(word.credit_vc);
        }
    }
    // Acknowledges of three lines have moved the turn on to the fourth channel.
    EXPECT_EQ(told, (std::vector<unsigned>{3, 1, 2}));
}

TEST_P(LinkParameter, AnUnusedChannelIsNeverReady)
{
    const auto end = make_end(GetParam(), uneven_link().params);
    LinkIn in;
    LinkOut out;
    end->cycle(in, out);
    EXPECT_EQ(out.tx_ready, 0b101);
    EXPECT_TRUE(out.idle);
}

TEST_P(LinkParameter, OtherPolynomialsDoNotUnderstandEachOther)
{
    LinkParams left, right;
    right.crc_poly = 0x82f63b78;
    const auto a = make_end(GetParam(), left), b = make_end(GetParam(), right);
    LinkPair pair(*a, *b, left, right, 5, 1);
    pair.send(0, 0, some_write(64));
    pair.run(3000);
    EXPECT_EQ(pair.delivered(1), 0U);
}

INSTANTIATE_TEST_SUITE_P(Of, LinkParameter, ::testing::Values(Kind::reference, Kind::block), kind_name);

}  // namespace
}  // namespace weft::link_mixed_test
