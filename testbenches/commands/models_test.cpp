// `weft models` and the page of the documentation say what models declare; results hold what is declared.
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "platform/commands/texts/models_text.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace models_test {

using namespace weft::commands_test;
using Json = nlohmann::json;

namespace {

Json models(const std::vector<std::string>& more = {})
{
    std::vector<std::string> arguments{"models", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
}

Json parameter(const Json& all, const std::string& path)
{
    for (const Json& block : all["blocks"])
        for (const Json& entry : block["parameters"])
            if (entry["path"] == path) return entry;
    return {};
}

// "l2 busy", for what modules of results have and what declarations have.
std::set<std::string> declared(const Json& all, const std::string& model)
{
    std::set<std::string> out;
    for (const Json& entry : all["models"])
        for (const Json& module : entry["modules"])
            for (const Json& statistic : module["statistics"])
                if (entry["name"] == model && module["models"].empty())
                    out.insert(module["kind"].get<std::string>() + " " + statistic["name"].get<std::string>());
    return out;
}

std::set<std::string> written(const Json& result)
{
    std::set<std::string> out;
    for (const Json& module : result["modules"])
        for (const auto& [name, value] : module["stats"].items())
            out.insert(module["kind"].get<std::string>() + " " + name);
    return out;
}

Json result_of(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--quiet", "--no-timing", "--json", "-"});
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
}

}  // namespace

TEST(ModelsPage, IsUpToDate)
{
    const std::string path = std::string(WEFT_SOURCE_DIR) + "/docs/models/reference.md";
    const std::string page = weft::models_markdown(weft::ModelRegistry());
    if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) weft::write_text_file(path, page);
    EXPECT_TRUE(weft::read_text_file(path) == page) << "run with WEFT_UPDATE_DOCS=1 to write " << path;
}

TEST(ModelsList, SaysTypesRangesChoicesAndTexts)
{
    const Json all = models();
    EXPECT_EQ(all["schema"], "weft.models/1");
    const Json latency = parameter(all, "switch.latency");
    EXPECT_EQ(latency,
        Json({{"path", "switch.latency"}, {"type", "time"}, {"unit", "ps"}, {"default", 100000}, {"low", 1},
            {"high", 1000000000}, {"text", "latency from the input buffer to the arbitration"}, {"source", ""},
            {"model", ""}}));
    const Json policy = parameter(all, "gpu.wait_policy");
    EXPECT_EQ(policy["default"], "spin");
    EXPECT_EQ(policy["choices"], Json({"spin", "backoff", "monitor", "waiting_atomic"}));
    EXPECT_FALSE(policy.contains("low"));
    EXPECT_EQ(parameter(all, "switch.clock")["model"], "crossbar");

    const Json links = models({"link"});
    for (const Json& model : links["models"]) EXPECT_EQ(model["kind"], "link");
    ASSERT_EQ(links["blocks"].size(), 1U);
    EXPECT_EQ(links["blocks"][0]["name"], "link");
}

TEST(ModelsList, EveryModelOfWeftDeclaresPortsAndStatistics)
{
    const Json all = models();
    EXPECT_GE(all["models"].size(), 11U);
    for (const Json& model : all["models"]) {
        EXPECT_NE(model["ports"], "") << model["name"];
        ASSERT_FALSE(model["modules"].empty()) << model["name"];
        for (const Json& module : model["modules"])
            for (const Json& statistic : module["statistics"])
                EXPECT_NE(statistic["text"], "") << model["name"] << statistic["name"];
    }
}

TEST(ModelsList, TheTextShowsStatisticsOnceForModelsThatShareThem)
{
    const std::string text = call({"models", "switch"}).out;
    EXPECT_NE(text.find("\n  statistics of NODE of model reference_switch, rtl_switch or switch_lockstep\n"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("\n    credit_stall                   ps           time with waiting packets"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("network card: switch.message is not 0)"), std::string::npos) << text;
}

// Every run holds results against declarations (RunResult::problems); here that runs have all of what is declared.
TEST(ModelsList, RunsWriteWhatIsDeclared)
{
    const Json all = models();
    std::set<std::string> seen;
    for (const std::vector<std::string>& run : std::vector<std::vector<std::string>>{
             {"examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--collective", "all_reduce", "--algorithm", "nvls",
                 "--set", "network.kind=mesh", "--set", "network.unit_rate=200GB/s", "--set",
                 "network.slice_rate=100GB/s", "--set", "network.port_rate=200GB/s", "--set",
                 "engine.mover=copy_engine"},
             {"examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--collective", "all_gather", "--algorithm",
                 "direct", "--set", "engine.mover=copy_engine"},
             {"examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--collective", "all_gather", "--algorithm",
                 "direct", "--set", "engine.channel=port", "--set", "engine.channels=2"},
             {"examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--collective", "all_gather", "--algorithm",
                 "direct", "--set", "engine.mover=bulk"},
             {"examples/two_tier_8/system.yaml", "--bytes", "64KiB", "--collective", "all_reduce", "--algorithm",
                 "nvls"}}) {
        const Json result = result_of(run);
        const std::set<std::string> names = written(result);
        for (const std::string& name : names)
            EXPECT_TRUE(declared(all, "gpu").count(name) + declared(all, "switch").count(name) > 0) << name;
        seen.insert(names.begin(), names.end());
    }
    for (const std::string& name : declared(all, "gpu")) {
        if (name.compare(0, 12, "memory_side ") == 0) continue;  // no H100 has one
        EXPECT_EQ(seen.count(name), 1U) << name;
    }
    for (const std::string& name : declared(all, "switch"))
        if (name.find("message") == std::string::npos) {  // no network card is on the way
            EXPECT_EQ(seen.count(name), 1U) << name;
        }
}

}  // namespace models_test
