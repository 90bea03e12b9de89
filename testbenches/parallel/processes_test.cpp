// One simulation over processes of mpirun gives the bytes of one process.
#include <gtest/gtest.h>

#include "testbenches/process/fixtures.h"
#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/random_systems.h"
#include "testbenches/parallel/same_bytes.h"

namespace processes_test {

using namespace weft;
using namespace weft::commands_test;
using namespace weft::testing;

namespace {

RunSetup dgx(const std::string& algorithm, const std::string& bytes)
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = collective_lines("all_reduce", algorithm, bytes);
    setup.sets = {"engine.channels=4"};
    return setup;
}

// Of systems at random, every fifth one in three processes.
void expect_same_at_random(unsigned begin, unsigned end)
{
    unsigned compared = 0;
    for (unsigned seed = begin; seed < end; ++seed) {
        const chakra::testing::Folder folder;
        const Fixtures files;
        std::string what;
        const RunSetup setup = random_setup(seed, folder, what);
        const Written whole = written_by(1, setup, files);
        if (whole.code == 2) continue;  // as an algorithm may be for a system
        const Written cut = written_by(seed % 5 == 0 ? 3 : 2, setup, files);
        if (cut.err.find("of GPUs that can be apart") != std::string::npos) continue;
        EXPECT_EQ(cut.code, whole.code) << what << cut.err;
        EXPECT_EQ(difference(whole.text, cut.text), "") << what;
        ++compared;
    }
    EXPECT_GE(compared * 2, end - begin) << "most systems are refused: the test says little";
}

using Processes = OverProcesses;
using RandomProcesses = OverProcesses;

}  // namespace

TEST_F(Processes, GiveTheResultOfOne)
{
    expect_same_over({2, 3}, dgx("ring", "16384"), "ring");
    RunSetup direct = dgx("direct", "16384");
    direct.options.data_on = false;
    expect_same_over({4}, direct, "direct without data");
    expect_same_over({2}, dgx("ring", "16384"), "eight parts", {"--partitions", "8", "--threads", "2"});
}

TEST_F(Processes, StopWhereOneStops)
{
    RunSetup setup = dgx("ring", "32768");
    setup.options.until = 3'000'000;
    expect_same_over({2, 3}, setup, "until");
}

// The chain of buffers that wait for each other leads through all processes, and so does the list of those who wait.
TEST_F(Processes, ADeadlockIsReportedAsByOne)
{
    RunSetup setup;
    setup.document = example("switch_ring");
    setup.lines = collective_lines("all_to_all", "direct", "393216");
    setup.sets = {"routing.cycles=allow", "link.request_credits=1", "link.response_credits=1"};
    expect_same_over({2, 3}, setup, "ring of switches");
    const Written outcome = written_by(2, setup, Fixtures());
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_NE(outcome.text.find("\nDEADLOCK "), std::string::npos) << outcome.text;
}

// A switch of somebody else that gives no answer to some requests knows what came in and went out in its own process; so does a
// link with retry, which is in one as a whole.
TEST_F(Processes, AModuleThatKeepsTransactionsIsNamedAsByOne)
{
    RunSetup setup;
    setup.document = example("two_dgx");
    setup.lines = collective_lines("all_reduce", "ring", "131072");
    setup.sets = {"engine.channels=2"};
    const std::vector<std::string> model{"--plugin", WEFT_BINARY_DIR "/plugin_test/plugin_swallowed.so", "--model",
        "dgx.0.nvsw.0=my_switch"};
    const Written whole = written_by(1, setup, Fixtures(), model);
    const Written outcome = written_by(2, setup, Fixtures(), model);
    EXPECT_EQ(whole.code, 3);
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_EQ(difference(whole.text, outcome.text), "");
    EXPECT_NE(outcome.text.find("dgx.0.nvsw.0 (model my_switch): "), std::string::npos) << outcome.text;
}

TEST_F(RandomProcesses, GiveTheBytesOfOne) { expect_same_at_random(0, 4); }

TEST_F(RandomProcesses, GiveTheBytesOfOneInManyMore) { expect_same_at_random(4, 100); }

}  // namespace processes_test
