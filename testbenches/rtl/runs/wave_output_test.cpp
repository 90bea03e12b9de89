// The files of --wave among the outputs of a run.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/assembly/model_registry.h"
#include "testbenches/process/process.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/scratch_folder.h"

namespace wave_output_test {

using namespace weft;
using commands_test::call;
using commands_test::Outcome;

namespace {

class WaveOutput : public RtlTest {
protected:
    Outcome run(const std::vector<std::string>& more) const
    {
        std::vector<std::string> arguments{"run", "examples/rtl_block/system.yaml", "--bytes", "4KiB", "--model",
            "*.nvsw.1=rtl_switch", "--set", "switch.clock=500 ps", "--set", "switch.multicast_groups=0", "--set",
            "link.request_credits=8", "--set", "link.response_credits=8", "--quiet"};  // the block of FaultWave
        arguments.insert(arguments.end(), more.begin(), more.end());
        return call(arguments);
    }

    test::ScratchFolder folder_;
};

std::string refusal(const Waves& waves)
{
    try {
        waves.check_taken();
    } catch (const InputError& error) {
        return error.diagnostics().front().what;
    }
    return "";
}

}  // namespace

TEST_F(WaveOutput, APatternAndAnotherOutputInOneFileAreRefused)
{
    const std::string file = folder_.file("w.box.0.nvsw.1.fst");
    const Outcome ran = run({"--wave", "*.nvsw.1=" + folder_.file("w.fst"), "--json", file});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.err, file + ": two outputs of this command go to this file; expected a file for each output\n");
    EXPECT_FALSE(std::filesystem::exists(file));
}

// Also without the summary, in which notices are.
TEST_F(WaveOutput, AWindowAfterTheEndIsTold)
{
    const Outcome ran = run({"--wave", "box.0.nvsw.1=" + folder_.file("w.fst"), "--wave-window", "1s:2s"});
    EXPECT_EQ(ran.code, 0);
    // Behind the lines of verilating, if nobody has done that before.
    EXPECT_NE(ran.err.find("notice: --wave-window 1s:2s: the run ended before it, at "), std::string::npos) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.file("w.fst")));
}

TEST_F(WaveOutput, APatternTakesWhatRunsAsRtl)
{
    const Outcome ran = run({"--wave", "*.nvsw.*=" + folder_.file("w.fst")});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(std::filesystem::exists(folder_.file("w.box.0.nvsw.1.fst")));
    EXPECT_FALSE(std::filesystem::exists(folder_.file("w.box.0.nvsw.0.fst")));
}

// Nothing of it is verilated.
TEST(Waves, ANameThatNoModuleOfRtlHasIsRefusedBeforeTheBlocks)
{
    for (const auto& [wave, named] : std::vector<std::pair<std::string, std::string>>{{"*.nvsw.[0-1]", "*.nvsw.0"},
             {"box.0.nvsw.0", "box.0.nvsw.0"}, {"host.*", "host.*"}}) {
        const test::ScratchFolder folder;
        const std::string blocks = folder.file("blocks");
        ::setenv("WEFT_RTL_CACHE", blocks.c_str(), 1);
        const Outcome ran = call({"run", std::string(WEFT_SOURCE_DIR) + "/examples/rtl_block/system.yaml", "--bytes",
            "4KiB", "--model", "*.nvsw.1=rtl_switch", "--set", "switch.clock=500 ps", "--set",
            "switch.multicast_groups=0", "--quiet", "--wave", wave + "=" + folder.file("w.fst")});
        EXPECT_EQ(ran.code, 2);
        EXPECT_EQ(ran.err.rfind("weft: --wave " + named + ": no RTL block has that name; ", 0), 0U) << ran.err;
        EXPECT_FALSE(std::filesystem::exists(blocks));
    }
}

TEST(Waves, TheFirstEntryThatFitsHasTheBlock)
{
    Waves waves;
    waves.entries = {{"box.0.nvsw.1", "a.fst"}, {"*.nvsw.*", "b.fst"}, {"host.*", "c.fst"}};
    EXPECT_EQ(waves.window("box.0.nvsw.1", 500).file, "a.fst");
    EXPECT_EQ(refusal(waves), "--wave *.nvsw.*: an earlier --wave has every RTL block of that name");
    EXPECT_EQ(waves.window("box.0.nvsw.2", 500).file, "b.box.0.nvsw.2.fst");
    EXPECT_EQ(waves.window("box.0.nvsw.2", 500).file, "b.box.0.nvsw.2.fst");
    EXPECT_EQ(refusal(waves), "--wave host.*: no RTL block has that name");
    waves.entries = {{"box.0.nvsw.[1-2]", "a.fst"}};
    EXPECT_EQ(waves.window("box.0.nvsw.2", 500).file, "a.box.0.nvsw.2.fst");
    EXPECT_EQ(refusal(waves), "--wave box.0.nvsw.1: no RTL block has that name");
}

}  // namespace wave_output_test
