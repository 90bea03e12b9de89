// In parts and over processes: steps that switches carry out, network cards, replay GPUs, late ranks, background kernels, links with retry; and reports.
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/same_bytes.h"
#include "testbenches/support/scratch_folder.h"

namespace workload_parts_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup dgx(const std::string& algorithm, const std::string& bytes, const std::string& more = "")
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = collective_lines("all_reduce", algorithm, bytes, more);
    setup.sets = {"engine.channels=4"};
    return setup;
}

RunSetup two_tiers()
{
    RunSetup setup;
    setup.document = example("two_tier_8");
    setup.lines = collective_lines("all_reduce", "nvls", "8192");
    return setup;
}

// A switch waits for a member that does not take part: nobody but the watch of the run finds out.
RunSetup late_member() { return dgx("push_reduce", "16384", "delay: {3: 1100us}").with("switch.reduce_timeout=1us"); }

RunSetup cards(const std::string& operation, const std::string& algorithm)
{
    RunSetup setup;
    setup.document = example("two_hosts");
    setup.lines = collective_lines(operation, algorithm, "16384");
    setup.sets = {"switch.message=4096"};
    return setup;
}

std::string replayed(const test::ScratchFolder& folder)
{
    const std::string file = folder.file("rows.csv");
    write_text_file(file,
        "gpu,time,to,kind,at,bytes,gap,repeat,value,after_flag,after_value,jitter\n"
        "*,100000,+1,write,0x1000,4096,2000,1,,,,5000\n*,300000,+3,flag,3,,,1,1,,,\n"
        "*,500000,-1,read,0x4000,2048,1000,2,,3,1,\n");
    return file;
}

RunSetup replay(const std::string& file)
{
    RunSetup setup;
    setup.document = pods_document(3, 2, 1, 50, 300);
    setup.lines = collective_lines("all_reduce", "ring", "8192") +
        "bind:\n- {nodes: \"p.0.xpu.1\", model: replay, traffic: \"" + file +
        "\"}\n- {nodes: \"p.2.xpu.0\", model: replay, traffic: \"" + file + "\"}\n";
    setup.sets = {"gpu.replay_in_flight=3"};
    return setup;
}

RunSetup retry()
{
    RunSetup setup;
    setup.document = pods_document(3, 2, 1, 50, 300);
    setup.lines = collective_lines("all_reduce", "ring", "24000");
    setup.sets = {"links.wire.retry=go_back_n", "links.wire.bit_error_rate=1e-6"};
    return setup;
}

using WorkloadProcesses = OverProcesses;

}  // namespace

TEST(WorkloadParts, StepsInSwitches)
{
    expect_same(dgx("nvls", "16384"), {2, 3, 8}, "nvls");
    expect_same(dgx("push_reduce", "10000").with("engine.channels=3"), {2, 8}, "push_reduce");
    expect_same(two_tiers(), {2, 4, 8}, "two tiers");
}

TEST_F(WorkloadProcesses, StepsInSwitches)
{
    expect_same_over({2}, dgx("nvls", "16384"), "nvls");
    expect_same_over({3}, two_tiers(), "two tiers");
}

TEST(WorkloadParts, AReductionThatWaitsInVain)
{
    RunSetup setup = late_member();
    expect_same(setup, {2, 8}, "late member");
    setup.options.until = 1'050'000'000;
    expect_same(setup, {2}, "cut off");
}

// Switches of all processes are asked, by the one whose workgroup polls.
TEST_F(WorkloadProcesses, AReductionThatWaitsInVain) { expect_same_over({2}, late_member(), "late member"); }

TEST(WorkloadParts, NetworkCards)
{
    expect_same(cards("all_reduce", "ring"), {2, 3, 4}, "ring");
    expect_same(cards("all_to_all", "direct").with("engine.mover=copy_engine"), {2, 4}, "copies");
}

TEST_F(WorkloadProcesses, NetworkCards)
{
    expect_same_over({2}, cards("all_reduce", "ring"), "ring");
    expect_same_over({3}, cards("all_to_all", "direct").with("engine.mover=copy_engine"), "copies");
}

TEST(WorkloadParts, LateRanksAndBackgroundKernels)
{
    expect_same(dgx("ring", "8192", "delay: {1: 2us, 6: 1500ns}"), {2, 3, 8}, "late");
    expect_same(dgx("direct", "16384", "beside: \"gemm:128,128,64\""), {2, 3, 8}, "beside");
}

TEST_F(WorkloadProcesses, LateRanks)
{
    expect_same_over({3}, dgx("ring", "8192", "delay: {1: 2us, 6: 1500ns}"), "late");
}

TEST_F(WorkloadProcesses, BackgroundKernels)
{
    expect_same_over({2}, dgx("direct", "16384", "beside: \"gemm:128,128,64\""), "beside");
    expect_same_over({2},
        dgx("ring", "2048", "beside: \"gemm:128,128,64\"").with("engine.flag_home=signaller").with("engine.channels=1"),
        "flags at the rank that signals");
}

// A replay GPU counts a response when the last module before it sends it, so its link is not cut.
TEST(WorkloadParts, ReplayGpus)
{
    const test::ScratchFolder folder;
    RunSetup setup = replay(replayed(folder));
    expect_same(setup, {2, 3}, "replay");
    setup.document = star_document(6);
    setup.lines = collective_lines("all_reduce", "ring", "8192") +
        "bind:\n- {nodes: {component: xpu}, model: replay, traffic: \"" + replayed(folder) + "\"}\n";
    EXPECT_NE(refusal_of(setup, 2).find("cannot be cut: a replay GPU"), std::string::npos) << refusal_of(setup, 2);
}

TEST_F(WorkloadProcesses, ReplayGpus)
{
    const test::ScratchFolder folder;
    expect_same_over({2, 3}, replay(replayed(folder)), "replay");
}

// A link with retry is not cut: pods with such links inside, and longer ones between them.
TEST(WorkloadParts, LinksWithRetryStayWhole) { expect_same(retry(), {2, 3}, "retry in pods"); }

TEST_F(WorkloadProcesses, LinksWithRetryStayWhole) { expect_same_over({3}, retry(), "retry in pods"); }

}  // namespace workload_parts_test
