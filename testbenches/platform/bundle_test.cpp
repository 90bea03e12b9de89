// A bundle of links has the bandwidth of all of them, whatever the choice of paths before it takes of the lines.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"

namespace bundle_test {

using namespace weft;
using namespace weft::testing;

namespace {

double us_of(const std::string& bundle, const std::vector<std::string>& more = {})
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = collective_lines("all_reduce", "direct", "1MiB", "");
    setup.sets = more;
    setup.sets.push_back("link.bundle=" + bundle);
    setup.options.data_on = false;
    return run(setup).at("simulated_ps").get<double>() * 1e-6;
}

}  // namespace

TEST(Bundle, HasTheBandwidthOfAllItsLinks)
{
    const double one = us_of("1");
    // A line takes longer on its physical link, by 0.7 ns for each further one; packets stay whole.
    EXPECT_NEAR(us_of("2"), one, 0.02 * one);
    EXPECT_NEAR(us_of("4"), one, 0.02 * one);
    // In turn, the two lines of a packet part: 16 B of header for each.
    const double in_turn = us_of("2", {"link.bundle_selection=round_robin"});
    EXPECT_GT(in_turn, 1.05 * one);
    EXPECT_LT(in_turn, 1.35 * one);
}

}  // namespace bundle_test
