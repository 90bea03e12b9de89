// Reference model against block: the same pins in every clock.
#include <algorithm>

#include <gtest/gtest.h>

#include "rtl/link/link_rtl.h"
#include "rtl/link/reference_link_endpoint.h"
#include "testbenches/rtl/link/link_bench.h"
#include "testbenches/rtl/link/parameter_sets.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace weft::link_reference_block_test {
namespace {

using namespace link_bench;

class LinkReferenceBlock : public RtlTest {};

// Load rises from 0.1 to 1 of what the wire takes and further, every other seed with errors, every third with bursts of
// stall, consumers from slow to fast. Errors are fewer where a wire holds more packets that each of them costs.
void compare(const LinkSet& set, std::uint64_t seeds = test::by_default(3, 20),
    std::uint64_t clocks = test::by_default(30'000, 100'000))
{
    const double scale = std::min(1.0, 50.0 / set.latency);
    const double errors[] = {0, 1e-5 * scale, 0, 3e-4 * scale, 0, 2e-3 * scale};
    const std::string library = block_library(link_source(set.params));
    std::uint64_t lines = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        ReferenceLinkEndpoint references[2] = {ReferenceLinkEndpoint(set.params), ReferenceLinkEndpoint(set.params)};
        LinkEndpointRtl blocks[2] = {{set.params, "left", seed}, {set.params, "right", seed + 100}};
        Lockstep left(blocks[0], references[0], set.params.flit_bytes);
        Lockstep right(blocks[1], references[1], set.params.flit_bytes);
        LinkPair pair(left, right, set.params, set.params, set.latency, seed, errors[seed % 6], errors[(seed + 2) % 6]);
        for (unsigned end = 0; end < 2; ++end) {
            Behaviour& does = pair.behaviour(end);
            does.bursts = seed % 3 == 0 ? 0.004 : 0;
            does.credit_rate = (seed + end) % 4 == 0 ? 0.1 : (seed + end) % 4 == 1 ? 0.5 : 1;
            does.only_vc = seed % 5 == 0 ? 0 : -1;
        }
        for (unsigned step = 1; step <= 10; ++step) {
            pair.behaviour(0).load = 0.1 * step / 2;
            pair.behaviour(1).load = seed % 7 == 0 ? 0.02 : 0.1 * (11 - step) / 2;
            pair.run(clocks / 10);
            ASSERT_EQ(left.first_difference(), "") << "left, seed " << seed;
            ASSERT_EQ(right.first_difference(), "") << "right, seed " << seed;
            ASSERT_EQ(pair.failure(), "") << "seed " << seed;
        }
        EXPECT_TRUE(pair.drain(2'000'000)) << "seed " << seed;
        ASSERT_EQ(pair.failure(), "") << "seed " << seed;
        lines += pair.delivered(0) + pair.delivered(1);
    }
    std::printf("%llu lines in %llu seeds of %llu clocks\n", static_cast<unsigned long long>(lines),
        static_cast<unsigned long long>(seeds), static_cast<unsigned long long>(clocks));
}

TEST_F(LinkReferenceBlock, Common) { compare(common_link()); }
TEST_F(LinkReferenceBlock, Narrow) { compare(narrow_link()); }
TEST_F(LinkReferenceBlock, Wide) { compare(wide_link()); }
TEST_F(LinkReferenceBlock, SinglePacket) { compare(single_link()); }
TEST_F(LinkReferenceBlock, Uneven) { compare(uneven_link()); }

}  // namespace
}  // namespace weft::link_reference_block_test
