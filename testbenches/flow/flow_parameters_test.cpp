// Parameters that flow fidelity does not follow: the table is complete and true, and what is set is told.
#include <gtest/gtest.h>

#include <set>

#include "base/diagnostic.h"
#include "platform/applications/flow/flow_parameters.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace flow_parameters_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup ring()
{
    RunSetup out;
    out.document = example("dgx_h100");
    out.lines = "profile: h100\n" + collective_lines("all_reduce", "direct", "64 KiB");
    out.sets = {"engine.channels=2"};
    out.options.progress = false;
    return out;
}

RunResult flow_run(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

std::string unfollowed(const RunResult& result)
{
    for (const std::string& notice : result.notices)
        if (notice.find("flow fidelity does not follow") == 0) return notice;
    return {};
}

// Values other than `value` that may be in range.
std::vector<std::string> others(const ParameterInfo& info, std::uint64_t value)
{
    if (info.unit == Unit::choice) {
        std::vector<std::string> out = info.choices;
        if (value < out.size()) out.erase(out.begin() + static_cast<std::ptrdiff_t>(value));
        return out;
    }
    std::vector<std::string> out;
    for (const std::uint64_t other : {value * 2, value / 2, value + 1})
        if (other != value && other >= info.low && other <= info.high) out.push_back(value_text(info, other));
    return out;
}

}  // namespace

// A new parameter fails here until its row says whether flow fidelity follows it.
TEST(FlowParameters, EveryParameterHasItsRow)
{
    std::set<std::string> declared;
    for (const Block block : BlockTable::built_in()->all()) {
        const BlockInfo& info = info_of(block);
        if (!info.models.empty()) continue;
        for (std::size_t i = 0; i < info.parameters.size(); ++i) declared.insert(info.path_of(i));
    }
    for (const std::string& path : declared) EXPECT_EQ(flow_parameters().count(path), 1U) << path << " has no row";
    for (const auto& [path, follows] : flow_parameters()) EXPECT_EQ(declared.count(path), 1U) << path << " is none";
}

TEST(FlowParameters, WhatIsNotFollowedChangesNoTimeAndIsTold)
{
    const ResolvedSystem system = resolve_setup(ring());
    const std::uint64_t time = flow_run(ring()).simulated_ps;
    std::size_t tried = 0;
    for (const Block block : BlockTable::built_in()->all()) {
        const BlockInfo& info = info_of(block);
        for (std::size_t i = 0; i < info.parameters.size(); ++i) {
            const auto row = flow_parameters().find(info.path_of(i));
            if (row == flow_parameters().end() || row->second != Follows::no) continue;
            for (const std::string& value : others(*info.parameters[i], info.defaults[i])) {
                try {
                    const RunResult result = flow_run(ring().with(row->first + "=" + value));
                    EXPECT_EQ(result.simulated_ps, time) << row->first << "=" << value;
                    EXPECT_NE(unfollowed(result).find(row->first + " = "), std::string::npos) << row->first;
                    ++tried;
                    break;
                } catch (const InputError&) {
                    // A value that does not fit the others: the next one.
                }
            }
        }
    }
    EXPECT_GE(tried, 50U);
}

TEST(FlowParameters, OneNoticeHasAllThatUsersSetAndNothingElse)
{
    EXPECT_EQ(unfollowed(flow_run(ring())), "");
    EXPECT_EQ(unfollowed(flow_run(ring().with("link.latency=100 ns"))), "");
    for (const char* selection : {"lines", "pairs", "none"})
        EXPECT_EQ(unfollowed(flow_run(ring().with(std::string("routing.path_selection=") + selection))), "");
    EXPECT_EQ(unfollowed(flow_run(ring().with("gpu.barrier_latency=2 us").with("link.request_credits=16"))),
        "flow fidelity does not follow gpu.barrier_latency = 2 us, link.request_credits = 16 (followed in part); run "
        "by "
        "lines for what they cost");
    EXPECT_NE(unfollowed(flow_run(ring().with("l2.bandwidth=100 GB/s"))), "");
    EXPECT_EQ(unfollowed(flow_run(ring().with("hbm.burst=64 B").with("hbm.t_ccd_l=4 ns"))),
        "flow fidelity does not follow hbm.burst = 64 B (followed in part), hbm.t_ccd_l = 4 ns (followed in part); run "
        "by lines for what they cost");
}

TEST(FlowParameters, RefreshesAreFollowedInFullBesideKernelsOnly)
{
    RunSetup setup = ring().with("hbm.t_rfc=500 ns");
    EXPECT_EQ(unfollowed(flow_run(setup)),
        "flow fidelity does not follow hbm.t_rfc = 500 ns (followed in part); run by lines for what they cost");
    setup.lines =
        "profile: h100\n" + collective_lines("all_reduce", "direct", "64 KiB", "beside: \"gemm:128,256,128\"");
    EXPECT_EQ(unfollowed(flow_run(setup)), "");
}

// Its time is the same by lines.
TEST(FlowParameters, OfATraceOfComputeNodesNothingIsTold)
{
    const chakra::testing::Folder folder;
    const auto told = [&](const std::string& prefix) {
        RunSetup setup;
        setup.document = example("dgx_h100");
        setup.lines = "profile: h100\n" + trace_lines(prefix);
        setup.options.progress = false;
        return unfollowed(flow_run(setup.with("hbm.bandwidth=1 TB/s").with("engine.channels=1")));
    };
    const std::string alone(
        chakra::testing::NodeText(1, 4, "w").integer("num_ops", 1000).integer("tensor_size", 1 << 20));
    EXPECT_EQ(told(folder.write_set({{alone}, {alone}}, "a")), "");
    EXPECT_NE(told(folder.write_set({{alone, chakra::testing::collective(2, 0, 4096)},
                                        {alone, chakra::testing::collective(2, 0, 4096)}},
                       "b"))
                  .find("hbm.bandwidth = 1000 GB/s (followed in part)"),
        std::string::npos);
}

}  // namespace flow_parameters_test
