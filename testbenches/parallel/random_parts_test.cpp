// Random systems and workloads, in 2, 3 and 8 parts: forwards, backwards or in threads.
#include <gtest/gtest.h>

#include "testbenches/parallel/random_systems.h"
#include "testbenches/parallel/same_bytes.h"

namespace random_parts_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

// A scheduled crossbar that hears of a credit wakes itself for its arrival if it holds a line at that moment, which is another one where the
// credit comes from another part. A tick that finds nothing to do may be the last item of the run, up to which the mean queue of a DRAM counts.
std::string without_mean_queues(std::string text)
{
    const std::string key = "\"mean_queue\": {";
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + key.size()))
        text.erase(at + key.size(), text.find('}', at) - at - key.size());
    return text;
}

}  // namespace

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
            const std::string cut =
                bytes_of(setup, {parts, (seed + parts) % 3 == 1, (seed + parts) % 3 == 2 ? 2U : 1U});
            if (cut.find("of GPUs that can be apart") != std::string::npos) continue;
            const bool crossbar = setup.lines.find("crossbar") != std::string::npos;
            EXPECT_EQ(crossbar ? difference(without_mean_queues(whole), without_mean_queues(cut))
                               : difference(whole, cut),
                "")
                << what << " in " << parts << " parts";
            ++compared;
        }
    }
    EXPECT_GE(compared, systems);
}

INSTANTIATE_TEST_SUITE_P(Few, RandomParts, ::testing::Range(0U, 1U));
INSTANTIATE_TEST_SUITE_P(Seeds, RandomParts, ::testing::Range(1U, 50U));

}  // namespace random_parts_test
