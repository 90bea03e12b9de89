// --grain: a size, or an error for which docs/models/grain.md has the grain.
#include <array>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "platform/choice/wide_errors.h"
#include "platform/commands/options/grain_option.h"
#include "testbenches/process/process.h"

namespace grain_test {

using namespace weft;
using namespace weft::commands_test;

TEST(GrainOption, AnErrorTakesTheCoarsestThatIsWithinIt)
{
    EXPECT_EQ(grain_value("256B"), "256B");
    EXPECT_EQ(grain_value("0%"), "64 B");
    for (std::size_t i = 1; i < grain_errors().size(); ++i) {
        EXPECT_GT(grain_errors()[i].grain, grain_errors()[i - 1].grain);
        // A coarser grain with a smaller error would be chosen alone.
        EXPECT_GE(grain_errors()[i].percent, grain_errors()[i - 1].percent);
        std::size_t coarsest = i;
        while (
            coarsest + 1 < grain_errors().size() && grain_errors()[coarsest + 1].percent == grain_errors()[i].percent)
            ++coarsest;
        EXPECT_EQ(grain_value(std::to_string(grain_errors()[i].percent) + "%"),
            std::to_string(grain_errors()[coarsest].grain) + " B");
    }
    EXPECT_EQ(grain_value("100%"), "512 B");
    for (const char* wrong : {"%", "x%", "-1%", "3%%", "nan%"}) EXPECT_THROW(grain_value(wrong), InputError) << wrong;
}

TEST(GrainOption, TheErrorsAreThoseOfThePage)
{
    std::ifstream page(std::string(WEFT_SOURCE_DIR) + "/docs/models/grain.md");
    std::string line;
    std::size_t found = 0;
    while (std::getline(page, line))
        for (const GrainError& error : grain_errors()) {
            const std::string begin = "| " + std::to_string(error.grain) + " B | ";
            if (line.rfind(begin, 0) != 0) continue;
            std::istringstream cells(line.substr(begin.size()));
            std::string median;
            std::getline(cells, median, '|');
            double percent = -1;
            cells >> percent;
            EXPECT_EQ(percent, error.percent) << line;
            ++found;
        }
    EXPECT_EQ(found, grain_errors().size() - 1);  // 64 B has no row
}

TEST(GrainOption, ARunNamesTheGrainAndASweepHasIt)
{
    const std::string system = std::string(WEFT_SOURCE_DIR) + "/examples/rtl_block/system.yaml";
    const auto with = [&system](std::vector<std::string> more) {
        std::vector<std::string> arguments{"run", system, "--bytes", "16KiB", "--quiet", "--json", "-", "--no-timing"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return call(arguments);
    };
    const Outcome run = with({"--grain", "100%"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(nlohmann::json::parse(run.out).at("grain"), 512);
    const Outcome flow = with({"--grain", "128B", "--fidelity", "flow"});
    EXPECT_EQ(flow.code, 2);
    EXPECT_NE(flow.err.find("--grain with --fidelity flow"), std::string::npos) << flow.err;
    const Outcome wrong = with({"--grain", "100B"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find("engine.grain = 100 B is not a power of 2"), std::string::npos) << wrong.err;
    const Outcome sweep =
        call({"sweep", system, "--bytes", "16KiB", "--over", "grain=64B,512B", "--quiet", "--csv", "-"});
    EXPECT_EQ(sweep.code, 0) << sweep.err;
    EXPECT_NE(sweep.out.find("\n512B,"), std::string::npos) << sweep.out;
    EXPECT_NE(sweep.out.find(",message,time_us,grain_B\n"), std::string::npos) << sweep.out;
}

TEST(GrainOption, AnErrorTakesAFinerOneWhereAModelHasNoOthers)
{
    const auto result_of = [](const std::string& example, std::vector<std::string> more) {
        std::vector<std::string> arguments{"run", std::string(WEFT_SOURCE_DIR) + "/examples/" + example, "--bytes",
            "32KiB", "--no-data", "--quiet", "--json", "-", "--no-timing"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return call(arguments);
    };
    // Memory-side caches have lines only.
    const Outcome lines = result_of("mesh_mi300x/system.yaml", {});
    const Outcome allowed = result_of("mesh_mi300x/system.yaml", {"--grain", "100%"});
    ASSERT_EQ(allowed.code, 0) << allowed.err;
    nlohmann::json result = nlohmann::json::parse(allowed.out);
    EXPECT_EQ(result.at("grain"), 64);
    EXPECT_EQ(result.at("simulated_ps"), nlohmann::json::parse(lines.out).at("simulated_ps"));
    const std::string notice = result.at("notices").back();
    EXPECT_EQ(notice.rfind("--grain 100% is 64 B here: no engine.grain = 128 B with the memory-side cache of ", 0), 0U)
        << notice;
    EXPECT_EQ(result_of("mesh_mi300x/system.yaml", {"--grain", "512B"}).code, 2);
    // Credits for four lines, of which one is used while channels wait for four, and three while they wait for two.
    const Outcome credits = result_of("rtl_block/system.yaml", {"--grain", "100%", "--set", "link.request_credits=4"});
    ASSERT_EQ(credits.code, 0) << credits.err;
    result = nlohmann::json::parse(credits.out);
    EXPECT_EQ(result.at("grain"), 128);
    const std::string why = result.at("notices").back();
    EXPECT_EQ(why.rfind("--grain 100% is 128 B here: no engine.grain = 256 B with link.request_credits = 4 of ", 0), 0U)
        << why;
    EXPECT_NE(why.find(": a channel sends once 4 of them are there, so times are up to 300 % longer than at 64 B"),
        std::string::npos)
        << why;
}

TEST(GrainOption, ARefusedGrainNamesTheWidestThatRuns)
{
    for (const auto& [grain, set, widest] :
        std::vector<std::array<std::string, 3>>{{"512B", "link.request_credits=4", "expected a grain of 256 B or less"},
            {"256B", "gpu.outstanding=2", "expected a grain of 128 B or less"},
            {"256B", "gpu.outstanding=1", "expected a grain of 64 B\n"}}) {
        const Outcome run = call({"run", std::string(WEFT_SOURCE_DIR) + "/examples/rtl_block/system.yaml", "--bytes",
            "16KiB", "--quiet", "--grain", grain, "--set", set});
        EXPECT_EQ(run.code, 2) << set;
        EXPECT_NE(run.err.find(widest), std::string::npos) << run.err;
    }
}

TEST(GrainOption, WhatIsNoGrainIsAnsweredWithSizesAndErrors)
{
    for (const char* wrong : {"auto", "fast", "3 per cent", "-1%"}) {
        const Outcome run = call({"run", std::string(WEFT_SOURCE_DIR) + "/examples/rtl_block/system.yaml", "--bytes",
            "16KiB", "--quiet", "--grain", wrong});
        EXPECT_EQ(run.code, 2) << wrong;
        EXPECT_NE(run.err.find("expected 64B, 128B, 256B or 512B, or an error that is allowed, such as 3%"),
            std::string::npos)
            << run.err;
    }
}

TEST(GrainOption, ASweepWithAnErrorHasTheGrainOfEachRun)
{
    const auto table = [](const std::vector<std::string>& more, const char* form) {
        std::vector<std::string> arguments{"sweep", std::string(WEFT_SOURCE_DIR) + "/examples/rtl_block/system.yaml",
            "--bytes", "16KiB", "--no-data", "--over", "link.request_credits=4,512", "-j", "2"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        if (*form != '\0') arguments.insert(arguments.end(), {form, "-"});
        return call(arguments).out;
    };
    const std::string csv = table({"--grain", "100%"}, "--csv");
    EXPECT_NE(csv.find(",message,time_us,grain_B\n4,"), std::string::npos) << csv;
    EXPECT_NE(csv.find(",128\n512,"), std::string::npos) << csv;
    EXPECT_EQ(csv.substr(csv.size() - 5), ",512\n") << csv;
    const std::string text = table({"--grain", "100%"}, "");
    EXPECT_NE(text.find("  grain\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  128 B\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  512 B\n"), std::string::npos) << text;
    // Without an error the columns are those that there have been.
    EXPECT_NE(table({"--grain", "128B"}, "--csv").find(",message,time_us\n4,"), std::string::npos);
}

// Buffers around a ring whose routes may form a cycle fill up, while ranks spin on flags in their own memory for ever.
TEST(GrainOption, ACircleOfFullBuffersEndsARunThoughRanksSpin)
{
    const Outcome run = call({"run", std::string(WEFT_SOURCE_DIR) + "/examples/astra_ring_8/system.yaml",
        "--collective", "all_reduce", "--algorithm", "direct", "--bytes", "768KiB", "--no-data", "--quiet", "--json",
        "-", "--no-timing", "--grain", "128B"});
    EXPECT_EQ(run.code, 3) << run.err;
    const nlohmann::json result = nlohmann::json::parse(run.out);
    EXPECT_EQ(result.at("stop"), "deadlock");
    EXPECT_EQ(result.at("blocked").at(0), "circular wait:");
    EXPECT_LT(result.at("simulated_ps").get<std::uint64_t>(), 400'000'000u);
}

}  // namespace grain_test
