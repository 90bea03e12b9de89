// Clocked blocks against the general models: times on their pages, limits, and parameters that they do not read.
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"
#include "testbenches/support/thorough.h"

namespace clocked_blocks_test {

using namespace weft::commands_test;

namespace {

using Words = std::vector<std::string>;

Words nvls(const std::string& bytes, const Words& more)
{
    Words out{"run", "examples/dgx_h100/dgx_h100.yaml", "--profile", "h100", "--collective", "all_reduce",
        "--algorithm", "nvls", "--no-data", "--bytes", bytes};
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

const Words clocked{"--model", "*.nvsw.*=reference_switch", "--set", "switch.clock=500 ps"};

Words with(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string report(const Words& arguments)
{
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(ClockedBlocks, TimesOfOperationsOnGroupsAreThoseOfThePage)
{
    const std::string page = weft::read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/rtl/README.md");
    const auto expect_time = [&page](const Words& run, const std::string& time, const std::string& on_page) {
        const std::string text = report(run);
        EXPECT_TRUE(has(text, "\ntime        " + time + " us\n")) << time << " in\n" << text;
        EXPECT_TRUE(has(page, on_page)) << on_page;
    };
    expect_time(nvls("64KiB", clocked), "7.94414", "takes 7.944 us with the block");
    expect_time(nvls("64KiB", {}), "3.46302", "and 3.463 us with model `switch`");
    expect_time(nvls("256KiB", {}), "4.08648", "| model `switch` | 4.086 us |");
    expect_time(nvls("256KiB", {"--set", "switch.reduce_rate=128GB/s"}), "7.38699",
        "| `switch.reduce_rate=128GB/s` | 7.387 us |");
    if (!weft::test::thorough()) return;  // the longer ones
    expect_time(nvls("256KiB", {"--set", "switch.group_contexts=64"}), "18.4796",
        "| `switch.group_contexts=64` | 18.480 us |");
    expect_time(nvls("256KiB", clocked), "26.0031", "| `reference_switch`, 64 contexts | 26.003 us |");
    expect_time(nvls("256KiB", with(clocked, {"--set", "switch.group_contexts=32"})), "41.0876",
        "| `reference_switch`, 32 contexts | 41.088 us |");
}

TEST(ClockedBlocks, TimesOfSlicesAreThoseOfThePage)
{
    // By default a sixteenth of the message on the page.
    const bool all = weft::test::thorough();
    const std::string bytes = all ? "256KiB" : "16KiB";
    const auto time = [&bytes](const std::string& model) {
        return report({"run", "examples/dgx_h100/dgx_h100.yaml", "--profile", "h100", "--collective", "all_reduce",
            "--algorithm", "one_shot", "--bytes", bytes, "--no-data", "--set", "l2.partitions=1", "--set", "l2.line=64",
            "--set", "l2.outstanding_misses=32", "--set", "l2.merges=15", "--set", "l2.size=40MiB", "--set",
            "l2.model=" + model});
    };
    EXPECT_TRUE(has(time("reference_slice"), all ? "\ntime        7.6961 us\n" : "\ntime        2.39676 us\n"));
    EXPECT_TRUE(has(time("slice"), all ? "\ntime        7.68945 us\n" : "\ntime        2.39529 us\n"));
    const std::string page = weft::read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/rtl/cache.md");
    EXPECT_TRUE(
        has(page, "\n| one_shot, 256 KiB | 524288, 32768, 0, 0 | the same | 7.696 us | 7.689 us | -0.09 % |\n"));
}

TEST(ClockedBlocks, SwitchesTellThatTheyHaveFewerContexts)
{
    const std::string notice = "clocked switches have at most 64: they work on 64 operations on groups at a time";
    const auto told = [&](const Words& run) { return has(report(run), notice); };
    EXPECT_TRUE(told(nvls("16KiB", clocked)));
    EXPECT_TRUE(told(nvls("16KiB", with(clocked, {"--set", "switch.group_contexts=65"}))));
    EXPECT_FALSE(told(nvls("16KiB", with(clocked, {"--set", "switch.group_contexts=64"}))));
    EXPECT_FALSE(told(nvls("16KiB", {})));
    EXPECT_FALSE(told(with({"run", "examples/dgx_h100/dgx_h100.yaml", "--profile", "h100", "--collective", "all_reduce",
                               "--algorithm", "ring", "--no-data", "--bytes", "16KiB"},
        clocked)));
}

TEST(ClockedBlocks, OneQueueAnInputIsToldToDeadlockWithGroups)
{
    const Words fifo = with(clocked, {"--set", "switch.queues=fifo"});
    const std::string notice = "switch.queues=fifo with operations on groups in clocked switches";
    EXPECT_TRUE(has(report(nvls("1KiB", fifo)), notice));
    EXPECT_FALSE(has(report(nvls("1KiB", clocked)), notice));
    const Outcome stuck = call(nvls("64KiB", fifo));
    EXPECT_EQ(stuck.code, 3) << stuck.out;
    EXPECT_TRUE(has(stuck.out, "wait for the group unit, or their group")) << stuck.out;
    EXPECT_TRUE(has(stuck.out, notice)) << stuck.out;
}

TEST(ClockedBlocks, RefusalsNameNodeParameterAndLimit)
{
    const auto refusal = [](const std::string& set) {
        const Outcome outcome = call(nvls("16KiB", {"--model", "*.nvsw.*=reference_switch", "--set", set}));
        EXPECT_EQ(outcome.code, 2);
        return outcome.err.substr(outcome.err.find(": ") + 2);
    };
    EXPECT_EQ(refusal("switch.clock=3ps"),
        "dgx.0.nvsw.0: a clocked switch whose switch.latency of 100 ns is 33334 clocks of switch.clock = 3 ps; "
        "expected at most 1023 clocks: a longer switch.clock or a shorter switch.latency\n");
    EXPECT_EQ(refusal("switch.iterations=17"),
        "dgx.0.nvsw.0: a clocked switch with switch.iterations = 17; expected at most 16\n");
    const std::string age = refusal("switch.allocator=age");
    EXPECT_TRUE(has(age, "dgx.0.nvsw.0: this switch.allocator")) << age;
}

TEST(ClockedBlocks, ParametersThatTheBlocksDoNotReadAreTold)
{
    for (const char* const name :
        {"reduce_rate=1GB/s", "arbiter=age", "control_weight=5", "data_weight=5", "waiting_contributions=1"}) {
        const std::string set = std::string("switch.") + name;
        const std::string notice = set.substr(0, set.find('=')) + " is set and changes nothing";
        EXPECT_TRUE(has(report(nvls("4KiB", with(clocked, {"--set", set}))), notice)) << set;
    }
    for (const char* const name : {"reduce_timeout=1ms", "group_contexts=8", "iterations=2", "traversal=2ns"})
        EXPECT_FALSE(has(report(nvls("4KiB", with(clocked, {"--set", std::string("switch.") + name}))), "is set and"))
            << name;
    const Words slices{"explain", "examples/dgx_h100/system.yaml", "--set", "l2.contents=cached"};
    const std::string contents = "l2.contents is set and changes nothing: it needs l2.model=slice";
    const Words reference{"--set", "l2.model=reference_slice", "--set", "l2.line=64", "--set", "l2.partitions=1",
        "--set", "l2.size=40MiB"};
    EXPECT_TRUE(has(report(with(slices, reference)), contents));
    EXPECT_FALSE(has(report(slices), contents));
}

}  // namespace clocked_blocks_test
