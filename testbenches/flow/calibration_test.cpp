// The measured number of flow fidelity: what it moves, files of it, and what they are refused for.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "platform/applications/flow/flow_calibration.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/result/report.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace calibration_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup setup_of(const std::string& document, const std::string& profile)
{
    RunSetup out;
    out.document = example(document);
    out.lines = "profile: " + profile + "\n" + collective_lines("all_reduce", "direct", "256 KiB");
    out.options.progress = false;
    return out;
}

std::uint64_t time_at(const std::string& document, double wait, const std::vector<std::string>& sets = {})
{
    RunSetup setup = setup_of(document, "h100");
    setup.sets = sets;
    setup.options.credit_wait = wait;
    return run_flow(resolve_setup(setup), setup.options).simulated_ps;
}

std::string refusal(const ResolvedSystem& system, const std::string& path)
{
    try {
        read_calibration(path, system);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

const std::vector<CalibrationProbe> two_probes{{"all_gather", "ring", "96KiB", 1000, 1030},
    {"all_reduce", "direct", "96KiB", 1000, 960}};

}  // namespace

// Credits that wait longer come back later: data pass more slowly, and only where packets hold acknowledges up.
TEST(FlowCalibration, ALongerWaitOfCreditsMakesARunOverCardsLonger)
{
    // Fewer than links have by themselves: then it matters when they come back.
    const std::vector<std::string> few{"links.server_link.response_credits=100"};
    const std::uint64_t short_wait = time_at("clos_8", 0.5, few);
    const std::uint64_t medium = time_at("clos_8", 0.95, few);
    const std::uint64_t long_wait = time_at("clos_8", 1.3, few);
    EXPECT_LT(short_wait, medium);
    EXPECT_LT(medium, long_wait);
    EXPECT_EQ(time_at("dgx_h100", 0.5), time_at("dgx_h100", 1.3));
}

TEST(FlowCalibration, ResultsNameIt)
{
    RunSetup setup = setup_of("clos_8", "h100");
    const ResolvedSystem system = resolve_setup(setup);
    const RunResult built_in = run_flow(system, setup.options);
    EXPECT_EQ(built_in.calibration, "built in");
    EXPECT_EQ(built_in.simulated_ps, time_at("clos_8", 0.95));
    setup.options.uncalibrated = true;
    const RunResult none = run_flow(system, setup.options);
    EXPECT_EQ(Json::parse(result_json(none, false))["calibration"], "none");
    EXPECT_EQ(none.simulated_ps, time_at("clos_8", 0.5));
    const chakra::testing::Folder folder;
    RunSetup by_file = setup_of("clos_8", "h100");
    by_file.options.calibration =
        folder.write("c.yaml", calibration_text("clos_8", blocks_digest(system), 1.3, two_probes));
    const RunResult file = run_flow(system, by_file.options);
    EXPECT_EQ(file.calibration, "file");
    EXPECT_EQ(file.simulated_ps, time_at("clos_8", 1.3));
}

TEST(FlowCalibration, AFileOfAnotherSystemIsRefusedByName)
{
    const ResolvedSystem clos = resolve_setup(setup_of("clos_8", "h100"));
    const ResolvedSystem dgx = resolve_setup(setup_of("dgx_h100", "h100"));
    const chakra::testing::Folder folder;
    const std::string path = folder.write("c.yaml", calibration_text(clos.name, blocks_digest(clos), 1.05, two_probes));
    EXPECT_EQ(refusal(clos, path), "accepted");
    EXPECT_EQ(refusal(dgx, path),
        fmt::format(
            "{}:1: this calibration is of '{}' with the building blocks {}, but those of '{}' are {}; expected a "
            "calibration of this system: weft calibrate",
            path, clos.name, blocks_digest(clos), dgx.name, blocks_digest(dgx)));
    // One value of one link is another building block; the workload is none.
    RunSetup changed = setup_of("clos_8", "h100");
    changed.sets = {"link.response_credits=64"};
    EXPECT_NE(refusal(resolve_setup(changed), path), "accepted");
    RunSetup other_size = setup_of("clos_8", "h100");
    other_size.lines = "profile: h100\n" + collective_lines("all_gather", "ring", "1 MiB");
    EXPECT_EQ(refusal(resolve_setup(other_size), path), "accepted");
}

TEST(FlowCalibration, DamagedFilesAreRefused)
{
    const ResolvedSystem system = resolve_setup(setup_of("dgx_h100", "h100"));
    const chakra::testing::Folder folder;
    const auto said = [&](const std::string& text) { return refusal(system, folder.write("c.yaml", text)); };
    const std::string head = "schema: weft.calibration/1\nsystem: a\nblocks: b\n";
    EXPECT_NE(said("a: 1\n").find("c.yaml:1: "), std::string::npos) << said("a: 1\n");
    EXPECT_NE(said("[1, 2").find("c.yaml:"), std::string::npos);
    EXPECT_NE(said(head).find("is no calibration of flow fidelity"), std::string::npos);
    for (const char* value : {"-1", "17", "nan", "x", "[1]"})
        EXPECT_NE(said(head + "credit_wait: " + value + "\n").find("c.yaml:4: 'credit_wait' is "), std::string::npos)
            << value;
    EXPECT_NE(said(head + "credit_wait: 1\n").find("with the building blocks b"), std::string::npos);
    EXPECT_NE(refusal(system, folder.path() + "none.yaml"), "accepted");
}

TEST(FlowCalibration, TheErrorOfProbesIsTheRootOfTheMeanSquare)
{
    EXPECT_DOUBLE_EQ(error_of({}), 0);
    EXPECT_NEAR(error_of(two_probes), std::sqrt((0.03 * 0.03 + 0.04 * 0.04) / 2), 1e-12);
}

}  // namespace calibration_test
