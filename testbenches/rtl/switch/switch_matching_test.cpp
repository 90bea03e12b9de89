// The reference model's matching against the one of the fabric's scheduled crossbar, and its rule for multicast by
// hand.
#include <gtest/gtest.h>

#include "rtl/switch/switch_matching.h"
#include "testbenches/rtl/switch/switch_traffic.h"
#include "tlm_interconnect/switch/matching.h"

namespace weft::test::switch_matching_test {
namespace {

TEST(SwitchMatchingTest, GrantsAsTheCrossbarDoes)
{
    for (const bool islip : {true, false})
        for (const unsigned ports : {1U, 2U, 4U, 8U, 9U, 16U, 64U})
            for (const unsigned iterations : {1U, 2U, 4U}) {
                SwitchSpec spec;
                spec.allocator = islip ? AllocatorKind::islip : AllocatorKind::round_robin;
                spec.iterations = iterations;
                CrossbarMatching crossbar(spec, ports, ports);
                SwitchMatching own(ports, iterations, islip);
                SwitchRandom random(ports * 100 + iterations);
                for (int clock = 0; clock < 5000; ++clock) {
                    const unsigned density = random.below(4);
                    for (unsigned input = 0; input < ports; ++input) {
                        std::uint64_t outputs = random.next() & ~std::uint64_t{0} >> (64 - ports);
                        for (unsigned i = 0; i < density; ++i) outputs &= random.next();
                        if (outputs == 0) continue;
                        own.ask(input, outputs, 0);
                        for (unsigned output = 0; output < ports; ++output)
                            if ((outputs >> output & 1U) != 0) crossbar.request(input, output);
                    }
                    own.match();
                    crossbar.match();
                    ASSERT_EQ(own.inputs(), crossbar.matched_inputs()) << ports << " ports, clock " << clock;
                    for (unsigned input = 0; input < ports; ++input) {
                        if ((own.inputs() >> input & 1U) == 0) continue;
                        ASSERT_EQ(own.outputs_of(input), std::uint64_t{1} << crossbar.output_of(input));
                        ASSERT_FALSE(own.is_multicast(input));
                    }
                }
            }
}

TEST(SwitchMatchingTest, TheKindWhoseTurnItIs)
{
    SwitchMatching matching(4, 1, true);
    const auto once = [&] {
        matching.ask(0, 0x1, 0xe);
        matching.match();
        return std::pair{matching.is_multicast(0), matching.outputs_of(0)};
    };
    // Lines to one output begin; each time the turn passes.
    EXPECT_EQ(once(), (std::pair<bool, std::uint64_t>{false, 0x1}));
    EXPECT_EQ(once(), (std::pair<bool, std::uint64_t>{true, 0xe}));
    EXPECT_EQ(once(), (std::pair<bool, std::uint64_t>{false, 0x1}));
    // It is multicast's turn. Without it the others send, and the turn waits.
    matching.ask(0, 0x1, 0);
    matching.match();
    EXPECT_FALSE(matching.is_multicast(0));
    EXPECT_EQ(once(), (std::pair<bool, std::uint64_t>{true, 0xe}));
}

TEST(SwitchMatchingTest, OutputsAreSplitAmongMulticastLines)
{
    // Both inputs ask for all: input 0 is granted everything, its outputs' pointers pass to 1.
    SwitchMatching matching(4, 1, true);
    for (const unsigned winner : {0U, 1U, 0U}) {
        matching.ask(0, 0, 0xf);
        matching.ask(1, 0, 0xf);
        matching.match();
        EXPECT_EQ(matching.inputs(), 1U << winner);
        EXPECT_EQ(matching.outputs_of(winner), 0xfU);
    }
    // A copy that is sent alone moves the pointer of its output alone: 2 is input 1's, the rest 1's too.
    matching.ask(0, 0, 0x4);
    matching.match();
    matching.ask(0, 0, 0xf);
    matching.ask(3, 0, 0x6);
    matching.match();
    EXPECT_EQ(matching.outputs_of(0), 0x9U);
    EXPECT_EQ(matching.outputs_of(3), 0x6U);
}

// In a further round a multicast line that is sent takes outputs that somebody has refused.
TEST(SwitchMatchingTest, FurtherRoundsServeLinesThatAreSent)
{
    for (const unsigned rounds : {1U, 2U}) {
        SwitchMatching matching(3, rounds, true);
        // Outputs 0 and 1 grant input 0, which takes 0; output 2 grants input 1.
        matching.ask(0, 0x3, 0);
        matching.ask(1, 0, 0x6);
        matching.match();
        EXPECT_EQ(matching.outputs_of(0), 0x1U);
        EXPECT_EQ(matching.outputs_of(1), rounds == 1 ? 0x4U : 0x6U);
    }
}

}  // namespace
}  // namespace weft::test::switch_matching_test
