// What breaks the rules is said, by the block's assertions and by the reference model in the same words.
#include "base/diagnostic.h"
#include "testbenches/rtl/switch/switch_either_test.h"

namespace weft::test::switch_protocol_test {
namespace {

template <class Block>
class SwitchProtocolTest : public SwitchEitherTest<Block> {
};
TYPED_TEST_SUITE(SwitchProtocolTest, ReferenceAndBlock, SwitchBlockName);

SwitchBlockParameters three_channels()
{
    SwitchBlockParameters parameters = switch_of(4, 3, 5, 6, 64, 1, 1, 1);
    parameters.credits.assign(12, 6);
    parameters.credits[2 * 3 + 1] = 0;  // output 2 has no channel 1
    return parameters;
}

class Rules {
public:
    explicit Rules(SwitchBlock& block) : loop(block, three_channels()), block_(block) { loop.give_back = false; }

    void expect(const std::string& what)
    {
        EXPECT_EQ(block_.failure(), "");
        EXPECT_FALSE(block_.failed());
        loop.step();
        EXPECT_TRUE(block_.failed());
        EXPECT_NE(block_.failure().find(what), std::string::npos) << block_.failure();
    }
    SwitchLoop loop;

private:
    SwitchBlock& block_;
};

TYPED_TEST(SwitchProtocolTest, ALineWithoutACredit)
{
    const auto block = this->make(three_channels());
    Rules rules(*block);
    rules.loop.in.ready = 0;
    for (int i = 0; i < 5; ++i) {
        rules.loop.send(1, 2, 1, 0);
        rules.loop.step();
    }
    rules.loop.send(1, 2, 1, 0);
    rules.expect("input 1, channel 2: a transaction without a credit");
}

TYPED_TEST(SwitchProtocolTest, ALineToNoOutput)
{
    const auto block = this->make(three_channels());
    Rules rules(*block);
    rules.loop.send(3, 0, 0, 0);
    rules.expect("input 3: a transaction to no output");
}

TYPED_TEST(SwitchProtocolTest, NoSuchChannel)
{
    const auto block = this->make(three_channels());
    Rules rules(*block);
    rules.loop.send(0, 3, 1, 0);
    rules.expect("input 0: there is no channel 3");
}

TYPED_TEST(SwitchProtocolTest, AnOutputWithoutTheChannel)
{
    const auto block = this->make(three_channels());
    Rules rules(*block);
    rules.loop.send(0, 1, 0x6, 0);
    rules.expect("input 0: a transaction for outputs that have no channel 1");
}

TYPED_TEST(SwitchProtocolTest, ACreditTooMany)
{
    const auto block = this->make(three_channels());
    Rules rules(*block);
    rules.loop.send(0, 0, 0x2, 0);
    for (int i = 0; i < 3; ++i) rules.loop.step();
    rules.loop.in.credit[1] = 1;
    rules.loop.step();
    rules.loop.in.credit[1] = 1;
    rules.expect("output 1, channel 0: more credits came back than were given");
}

TYPED_TEST(SwitchProtocolTest, NothingIsSaidOfGoodTraffic)
{
    const auto block = this->make(three_channels());
    SwitchTraffic traffic(three_channels(), 1);
    SwitchOut out(three_channels());
    for (int clock = 0; clock < 10'000; ++clock) block->cycle(traffic.next(out), out);
    EXPECT_EQ(block->failure(), "");
}

TEST(SwitchParametersTest, OutOfRangeIsSaid)
{
    const auto text = [](const SwitchBlockParameters& parameters) {
        try {
            ReferenceSwitch reference(parameters);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(text(SwitchBlockParameters{}), "");
    EXPECT_NE(text(switch_of(65, 4, 8, 8, 640, 1, 1, 1)).find("ports = 65; expected 1 to 64"), std::string::npos);
    EXPECT_NE(text(switch_of(4, 17, 8, 8, 640, 1, 1, 1)).find("vcs = 17"), std::string::npos);
    EXPECT_NE(text(switch_of(4, 4, 1024, 8, 640, 1, 1, 1)).find("depth = 1024"), std::string::npos);
    EXPECT_NE(text(switch_of(4, 4, 8, 0, 640, 1, 1, 1)).find("max_credits = 0"), std::string::npos);
    EXPECT_NE(text(switch_of(4, 4, 8, 8, 100, 1, 1, 1)).find("whole bytes"), std::string::npos);
    EXPECT_NE(text(switch_of(4, 4, 8, 8, 648, 1, 1, 1)).find("width = 648"), std::string::npos);
    EXPECT_NE(text(switch_of(4, 4, 8, 8, 640, 0, 1, 1)).find("latency = 0"), std::string::npos);
    EXPECT_NE(text(switch_of(4, 4, 8, 8, 640, 1, 1, 0)).find("iterations = 0"), std::string::npos);
    SwitchBlockParameters parameters;
    parameters.credits.assign(15, 1);
    EXPECT_NE(text(parameters).find("16"), std::string::npos);
    parameters.credits.assign(16, 9);
    EXPECT_NE(text(parameters).find("credits = 9; expected 0 to 8"), std::string::npos);
}

// The extremes work.
TEST(SwitchParametersTest, SmallestAndLargest)
{
    for (const SwitchBlockParameters& parameters :
        {switch_of(1, 1, 1, 1, 8, 1, 0, 1), switch_of(64, 16, 1023, 1023, 640, 5, 7, 4)}) {
        ReferenceSwitch reference(parameters);
        SwitchTraffic traffic(parameters, 3);
        SwitchScoreboard scoreboard(parameters);
        SwitchOut out(parameters);
        for (int clock = 0; clock < 3000; ++clock) {
            const SwitchIn& in = traffic.next(out);
            reference.cycle(in, out);
            scoreboard.clock(in, out);
        }
        EXPECT_EQ(scoreboard.failure() + reference.failure(), "");
        EXPECT_GT(scoreboard.delivered(), 300U);
    }
}

}  // namespace
}  // namespace weft::test::switch_protocol_test
