// Random systems and workloads, in 2, 3 and 8 parts: forwards, backwards or in threads.
#include <gtest/gtest.h>

#include "testbenches/parallel/random_systems.h"
#include "testbenches/parallel/same_bytes.h"
#include "testbenches/support/thorough.h"

namespace random_parts_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

class RandomParts : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomParts, GiveTheBytesOfTheWhole)
{
    constexpr unsigned systems = 10;
    unsigned compared = 0;
    for (unsigned seed = GetParam() * systems; seed < (GetParam() + 1) * systems; ++seed) {
        const Folder folder;
        std::string what;
        const RunSetup setup = random_setup(seed, folder, what);
        const std::string whole = bytes_of(setup, {});
        if (whole.substr(0, 8) == "refused:") continue;  // as an algorithm may be for a system
        for (const std::uint32_t parts : {2U, 3U, 8U}) {
            if (!test::thorough() && parts == (seed % 2 == 0 ? 2U : 3U)) continue;
            const std::string cut =
                bytes_of(setup, {parts, (seed + parts) % 3 == 1, (seed + parts) % 3 == 2 ? 2U : 1U});
            if (cut.find("of GPUs that can be apart") != std::string::npos) continue;
            EXPECT_EQ(difference(whole, cut), "") << what << " in " << parts << " parts";
            ++compared;
        }
    }
    EXPECT_GE(compared, systems / 2) << "most systems are refused: the test says little";
}

INSTANTIATE_TEST_SUITE_P(Few, RandomParts, ::testing::Range(0U, 1U));
INSTANTIATE_TEST_SUITE_P(Seeds, RandomParts, ::testing::Range(1U, 50U));

}  // namespace random_parts_test
