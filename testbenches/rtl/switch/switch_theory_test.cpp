// Numbers of a switch that are known beforehand: latency in clocks, what credits allow, saturation, multicast.
#include <set>

#include "testbenches/rtl/switch/switch_either_test.h"

namespace weft::test::switch_theory_test {
namespace {

template <class Block>
class SwitchTheoryTest : public SwitchEitherTest<Block> {
};
TYPED_TEST_SUITE(SwitchTheoryTest, ReferenceAndBlock, SwitchBlockName);

SwitchBlockParameters narrow(unsigned ports, unsigned vcs, unsigned depth, unsigned credits)
{
    return switch_of(ports, vcs, depth, credits, 128, 1, 1, 1);
}

// Entered in clock 0: the slot is back in `latency`, the line out in latency + traversal.
TYPED_TEST(SwitchTheoryTest, LatencyWithoutLoad)
{
    for (const auto& [latency, traversal] : {std::pair{1U, 0U}, {1U, 1U}, {2U, 1U}, {3U, 4U}}) {
        SwitchBlockParameters parameters = narrow(4, 4, 8, 8);
        parameters.latency = latency;
        parameters.traversal = traversal;
        const auto block = this->make(parameters);
        for (unsigned input = 0; input < 4; ++input)
            for (unsigned output = 0; output < 4; ++output) {
                SwitchLoop loop(*block, parameters);
                loop.send(input, 2, 1U << output, 77);
                for (unsigned clock = 0; clock <= latency + traversal + 2; ++clock) {
                    loop.step();
                    EXPECT_EQ(loop.out.credit_valid, clock == latency ? 1U << input : 0U) << clock;
                    if (clock == latency) {
                        EXPECT_EQ(loop.out.credit_vc[input], 2);
                    }
                    EXPECT_EQ(loop.out.valid, clock == latency + traversal ? 1U << output : 0U) << clock;
                    // The credit that follows the line wakes it once more.
                    EXPECT_EQ(loop.out.idle, clock > latency + traversal + 1) << clock;
                    if (loop.out.valid == 0) continue;
                    EXPECT_EQ(loop.out.vc[output], 2);
                    EXPECT_EQ(loop.out.data[output].address(), 77U);
                }
            }
    }
}

// A sender's slot is away for latency + 1 clocks, a slot behind an output for traversal + 2: what one stream
// gets.
TYPED_TEST(SwitchTheoryTest, CreditsLimitOneStream)
{
    const auto stream = [](unsigned input) {
        return input == 0 ? std::pair<unsigned, std::uint64_t>{1, 2} : std::pair<unsigned, std::uint64_t>{0, 0};
    };
    for (const unsigned depth : {1U, 2U, 4U, 5U}) {
        SwitchBlockParameters parameters = narrow(4, 4, depth, 8);
        parameters.latency = 3;
        const auto block = this->make(parameters);
        const double measured = 4 * SwitchLoop(*block, parameters).throughput(100, 4000, stream);
        EXPECT_DOUBLE_EQ(measured, std::min(1.0, depth / 4.0));
    }
    for (const unsigned credits : {1U, 2U, 5U, 6U}) {
        SwitchBlockParameters parameters = narrow(4, 4, 8, credits);
        parameters.traversal = 3;
        const auto block = this->make(parameters);
        const double measured = 4 * SwitchLoop(*block, parameters).throughput(100, 5000, stream);
        EXPECT_DOUBLE_EQ(measured, std::min(1.0, credits / 5.0));
    }
}

double uniform(SwitchBlock& block, const SwitchBlockParameters& parameters, std::uint64_t clocks, std::uint64_t seed)
{
    SwitchRandom random(seed);
    return SwitchLoop(block, parameters).throughput(2000, clocks, [&](unsigned) {
        return std::pair<unsigned, std::uint64_t>{0, std::uint64_t{1} << random.below(parameters.ports)};
    });
}

// One queue: 3/4 for two ports, 0.6553 for four, 0.6184 for eight. [Karol, Hluchyj, Morgan 1987]
TYPED_TEST(SwitchTheoryTest, OneQueueSaturates)
{
    for (const auto& [ports, share, off] : {std::tuple{2U, 0.75, 0.005}, {4U, 0.6553, 0.005}, {8U, 0.6184, 0.005}}) {
        SwitchBlockParameters parameters = narrow(ports, 1, 64, 64);
        parameters.one_queue = true;
        const auto block = this->make(parameters);
        const double measured = uniform(*block, parameters, 100'000, ports);
        this->RecordProperty("one_queue_" + std::to_string(ports), std::to_string(measured));
        EXPECT_NEAR(measured, share, off);
    }
}

TYPED_TEST(SwitchTheoryTest, VirtualOutputQueuesSaturateHigher)
{
    double last = 0;
    for (const unsigned depth : {8U, 64U, 256U}) {
        const SwitchBlockParameters parameters = narrow(4, 1, depth, 64);
        const auto block = this->make(parameters);
        const double measured = uniform(*block, parameters, 100'000, 1);
        this->RecordProperty("voq_" + std::to_string(depth), std::to_string(measured));
        EXPECT_GT(measured, last);
        last = measured;
        EXPECT_GT(measured, depth == 64 ? 0.95 : depth == 256 ? 0.97 : 0.75);
    }
}

TYPED_TEST(SwitchTheoryTest, RoundsFillTheMatching)
{
    double last = 0;
    for (const unsigned iterations : {1U, 2U}) {
        SwitchBlockParameters parameters = narrow(4, 1, 16, 64);
        parameters.iterations = iterations;
        const auto block = this->make(parameters);
        const double measured = uniform(*block, parameters, 50'000, 1);
        this->RecordProperty("rounds_" + std::to_string(iterations), std::to_string(measured));
        EXPECT_GT(measured, last);
        last = measured;
    }
}

// With all queues filled iSLIP soon finds a full matching in every clock; with round robin all outputs grant
// the same input in every clock, for ever.
TYPED_TEST(SwitchTheoryTest, IslipDesynchronises)
{
    for (const bool islip : {true, false}) {
        SwitchBlockParameters parameters = narrow(4, 1, 64, 64);
        parameters.islip = islip;
        const auto block = this->make(parameters);
        SwitchLoop loop(*block, parameters);
        unsigned sent[4] = {};
        const auto next = [&](unsigned input) {
            return std::pair<unsigned, std::uint64_t>{0, std::uint64_t{1} << sent[input] % 4};
        };
        const auto fill = [&](unsigned input) {
            const auto line = next(input);
            sent[input] += loop.can_send(input, 0);
            return line;
        };
        loop.in.ready = 0;
        loop.throughput(0, 70, fill);
        loop.in.ready = 0xf;
        EXPECT_DOUBLE_EQ(loop.throughput(20, 1000, fill), islip ? 1.0 : 0.25);
    }
}

TYPED_TEST(SwitchTheoryTest, OneInputToAllOutputs)
{
    for (const bool one_queue : {false, true}) {
        SwitchBlockParameters parameters = narrow(8, 2, 4, 8);
        parameters.one_queue = one_queue;
        const auto block = this->make(parameters);
        EXPECT_DOUBLE_EQ(SwitchLoop(*block, parameters)
                             .throughput(20, 1000,
                                 [](unsigned input) {
                                     return std::pair<unsigned, std::uint64_t>{1, input == 5 ? 0xffU : 0U};
                                 }),
            1.0);
    }
}

// Copies leave where they can; the slot is given back with the last one.
TYPED_TEST(SwitchTheoryTest, CopiesLeaveOneByOne)
{
    const SwitchBlockParameters parameters = narrow(4, 4, 1, 8);
    const auto block = this->make(parameters);
    SwitchLoop loop(*block, parameters);
    loop.in.ready = 0x1;
    loop.send(2, 3, 0xd, 5);
    loop.step();
    loop.step();
    loop.in.ready = 0xc;
    loop.step();
    EXPECT_EQ(loop.out.valid, 0x1U);
    EXPECT_EQ(loop.out.credit_valid, 0x4U);
    loop.step();
    EXPECT_EQ(loop.out.valid, 0xcU);
    EXPECT_EQ(loop.out.credit_valid, 0U);
    EXPECT_EQ(loop.out.data[2].address(), 5U);
    EXPECT_EQ(loop.out.data[3].source(), 2U);
    loop.step();
    EXPECT_EQ(loop.out.valid, 0U);
}

// What blocks multicast does not block lines to one output, nor the other way round; one queue blocks all.
TYPED_TEST(SwitchTheoryTest, WhoWaitsForWhom)
{
    for (const bool one_queue : {false, true}) {
        SwitchBlockParameters parameters = narrow(4, 2, 8, 8);
        parameters.one_queue = one_queue;
        const auto block = this->make(parameters);
        SwitchLoop loop(*block, parameters);
        loop.in.ready = 0xe;
        loop.send(0, 0, 0x3, 1);  // to 0, which is not ready, and 1
        loop.step();
        loop.send(0, 0, 0x4, 2);
        loop.step();
        loop.send(0, 1, 0xa, 3);  // another channel's multicast line
        std::set<std::uint64_t> numbers;
        for (int i = 0; i < 10; ++i) {
            loop.step();
            for (unsigned o = 0; o < 4; ++o)
                if ((loop.out.valid >> o & 1U) != 0) numbers.insert(loop.out.data[o].address());
        }
        EXPECT_EQ(numbers, one_queue ? std::set<std::uint64_t>{1} : std::set<std::uint64_t>({1, 2, 3}));
        loop.in.ready = 0xf;
        for (int i = 0; i < 10; ++i) loop.step();
        EXPECT_TRUE(loop.out.idle);
        EXPECT_EQ(loop.copies, 5U);
    }
}

// Two inputs with multicast to all and lines to each output, everything filled: both kinds and all outputs
// get on.
TYPED_TEST(SwitchTheoryTest, KindsTakeTurns)
{
    SwitchBlockParameters parameters = narrow(4, 2, 16, 16);
    const auto block = this->make(parameters);
    SwitchLoop loop(*block, parameters);
    SwitchRandom random(3);
    // Copies by input, kind and output.
    std::uint64_t served[4][2][4] = {};
    for (int clock = 0; clock < 20'000; ++clock) {
        for (unsigned input = 0; input < 4; ++input)
            // Channel 0: lines to one output; channel 1: to all.
            for (unsigned vc : {static_cast<unsigned>(clock % 2), static_cast<unsigned>(1 - clock % 2)})
                if (loop.can_send(input, vc) && (loop.in.valid >> input & 1U) == 0)
                    loop.send(input, vc, vc == 1 ? 0xfU : 1U << random.below(4), vc);
        loop.step();
        for (unsigned o = 0; o < 4; ++o)
            if ((loop.out.valid >> o & 1U) != 0) ++served[loop.out.data[o].source()][loop.out.vc[o]][o];
    }
    for (unsigned input = 0; input < 4; ++input)
        for (unsigned o = 0; o < 4; ++o) {
            EXPECT_GT(served[input][0][o], 400U) << input << o;
            EXPECT_GT(served[input][1][o], 400U) << input << o;
        }
}

// Channels that wait for one output share it.
TYPED_TEST(SwitchTheoryTest, ChannelsTakeTurns)
{
    const SwitchBlockParameters parameters = narrow(4, 4, 4, 8);
    const auto block = this->make(parameters);
    for (const std::uint64_t ports : {0x4U, 0x6U}) {
        SwitchLoop loop(*block, parameters);
        std::uint64_t served[4] = {};
        for (unsigned clock = 0; clock < 4100; ++clock) {
            if (loop.can_send(1, clock % 4)) loop.send(1, clock % 4, ports, clock);
            loop.step();
            if (clock >= 100 && (loop.out.valid & 4U) != 0) ++served[loop.out.vc[2]];
        }
        for (const std::uint64_t count : served) EXPECT_EQ(count, 1000U);
    }
}

}  // namespace
}  // namespace weft::test::switch_theory_test
