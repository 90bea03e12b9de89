// In parts: steps that switches carry out, network cards, replay GPUs, late ranks, background kernels, links with retry; and reports.
#include <gtest/gtest.h>

#include "base/text_file.h"
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
    return setup;
}

}  // namespace

TEST(WorkloadParts, StepsInSwitches)
{
    expect_same(dgx("nvls", "65536"), {2, 3, 8}, "nvls");
    expect_same(dgx("push_reduce", "40000").with("engine.channels=3"), {2, 8}, "push_reduce");
    RunSetup tiers;
    tiers.document = example("two_tier_8");
    tiers.lines = collective_lines("all_reduce", "nvls", "32768");
    expect_same(tiers, {2, 4, 8}, "two tiers");
}

// A switch waits for a member that does not take part: nobody but the watch of the run finds out.
TEST(WorkloadParts, AReductionThatWaitsInVain)
{
    RunSetup setup = dgx("nvls", "16384", "delay: {3: 1100us}");
    setup.sets = {"switch.reduce_timeout=1us"};
    expect_same(setup, {2, 8}, "late member");
    setup.options.until = 1'050'000'000;
    expect_same(setup, {2}, "cut off");
}

TEST(WorkloadParts, NetworkCards)
{
    RunSetup setup;
    setup.document = example("two_hosts");
    setup.lines = collective_lines("all_reduce", "ring", "32768");
    setup.sets = {"switch.message=4096"};
    expect_same(setup, {2, 3, 4}, "ring");
    setup.lines = collective_lines("all_to_all", "direct", "32768");
    expect_same(setup.with("engine.mover=copy_engine"), {2, 4}, "copies");
}

TEST(WorkloadParts, LateRanksAndBackgroundKernels)
{
    expect_same(dgx("ring", "32768", "delay: {1: 2us, 6: 1500ns}"), {2, 3, 8}, "late");
    expect_same(dgx("direct", "65536", "beside: \"gemm:256,256,128\""), {2, 3, 8}, "beside");
}

// A replay GPU counts a response when the last module before it sends it, so its link is not cut.
TEST(WorkloadParts, ReplayGpus)
{
    const test::ScratchFolder folder;
    const std::string file = folder.file("rows.csv");
    write_text_file(file,
        "gpu,time,to,kind,at,bytes,gap,repeat,value,after_flag,after_value,jitter\n"
        "*,100000,+1,write,0x1000,4096,2000,1,,,,5000\n*,300000,+3,flag,3,,,1,1,,,\n"
        "*,500000,-1,read,0x4000,2048,1000,2,,3,1,\n");
    RunSetup setup;
    setup.document = pods_document(3, 2, 1, 50, 300);
    setup.lines = collective_lines("all_reduce", "ring", "8192") +
        "bind:\n- {nodes: \"p.0.xpu.1\", model: replay, traffic: \"" + file +
        "\"}\n- {nodes: \"p.2.xpu.0\", model: replay, traffic: \"" + file + "\"}\n";
    setup.sets = {"gpu.replay_in_flight=3"};
    expect_same(setup, {2, 3}, "replay");
    setup.document = star_document(6);
    setup.lines = collective_lines("all_reduce", "ring", "8192") +
        "bind:\n- {nodes: {component: xpu}, model: replay, traffic: \"" + file + "\"}\n";
    EXPECT_NE(refusal_of(setup, 2).find("cannot be cut: a replay GPU"), std::string::npos) << refusal_of(setup, 2);
}

// A link with retry is not cut: pods with such links inside, and longer ones between them.
TEST(WorkloadParts, LinksWithRetryStayWhole)
{
    RunSetup setup;
    setup.document = pods_document(3, 2, 1, 50, 300);
    setup.lines = collective_lines("all_reduce", "ring", "24000");
    setup.sets = {"links.wire.retry=go_back_n", "links.wire.bit_error_rate=1e-6"};
    expect_same(setup, {2, 3}, "retry in pods");
}

}  // namespace workload_parts_test
