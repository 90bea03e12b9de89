// Parameters and statistics that a plug-in declares appear wherever those of Weft do.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "base/version.h"
#include "testbenches/plugin/built_examples.h"
#include "testbenches/support/scratch_folder.h"

namespace declarations_test {

using namespace weft::plugin_test;
using Json = nlohmann::json;

namespace {

const std::string dgx = "examples/dgx_h100/system.yaml";

weft::commands_test::Outcome with_switch(std::vector<std::string> arguments)
{
    arguments.insert(arguments.end(), {"--plugin", built_examples().my_switch});
    return weft::plugin_test::weft(arguments);
}

weft::commands_test::Outcome explained(const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"explain", dgx, "--model", "*.nvsw.*=my_switch"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return with_switch(arguments);
}

Json run(const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"run", dgx, "--bytes", "64KiB", "--model", "*.nvsw.*=my_switch", "--quiet",
        "--no-timing", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = with_switch(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
}

}  // namespace

TEST(PluginDeclarations, TheListOfModelsHasThem)
{
    const auto text = with_switch({"models", "switch"});
    EXPECT_EQ(text.code, 0) << text.err;
    for (const char* part : {"\n  my_switch: a switch with priorities, of model my_switch\n",
             "\n    my_switch.urgency              -       control        one of control, data\n      which lines "
             "leave first\n",
             "\n    my_switch.pace                 B/s     0 B/s          0 B/s to 10 TB/s\n",
             "\n  statistics of NODE of model my_switch\n",
             "\n    paced                          ps           time that the pace held outputs"})
        EXPECT_NE(text.out.find(part), std::string::npos) << part << "\nin\n" << text.out;
    const Json all = Json::parse(with_switch({"models", "switch", "--json"}).out, nullptr, false);
    for (const Json& model : all["models"])
        if (model["name"] == "my_switch") {
            EXPECT_EQ(model["parameters"], "my_switch");
        }
    EXPECT_EQ(all["blocks"].back()["name"], "my_switch");
    EXPECT_EQ(all["blocks"].back()["models"], Json({"my_switch"}));
    // Without the plug-in nobody knows them.
    EXPECT_EQ(weft::plugin_test::weft({"models", "switch"}).out.find("my_switch"), std::string::npos);
}

TEST(PluginDeclarations, AnExplanationHasThem)
{
    const auto plain = explained({});
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_NE(plain.out.find("\n    my_switch.urgency          control          default\n"), std::string::npos)
        << plain.out;
    for (const char* path : {"my_switch.urgency", "dgx.0.nvsw.*.my_switch.urgency", "dgx.0.nvsw.*.urgency"}) {
        const auto set = explained({"--set", std::string(path) + "=data"});
        EXPECT_NE(set.out.find("\n    my_switch.urgency          data             --set\n"), std::string::npos)
            << path << set.err;
    }
}

TEST(PluginDeclarations, ErrorsNameFileAndLine)
{
    const weft::test::ScratchFolder folder;
    const std::string file = folder.file("system.yaml");
    weft::write_text_file(file,
        "system: s\ninfrastructure: " WEFT_SOURCE_DIR
        "/examples/dgx_h100/dgx_h100.yaml\nbind: [{nodes: \"*.nvsw.*\", model: my_switch}]\n"
        "parameters:\n  my_switch.pace: 20 TB/s\n");
    const auto outcome = with_switch({"explain", file});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, file + ":5: my_switch.pace = 20 TB/s is out of range; expected 0 B/s to 10 TB/s\n");
    const auto word = explained({"--set", "my_switch.urgency=mine"});
    EXPECT_EQ(word.code, 2);
    EXPECT_EQ(word.err, "--set: 'mine' is not a value of my_switch.urgency; expected one of control, data\n");
}

TEST(PluginDeclarations, ResultsHaveThem)
{
    const Json result = run({"--set", "my_switch.pace=50GB/s"});
    EXPECT_EQ(result["parameters"]["dgx.0.nvsw.[0-3].my_switch.pace"],
        Json({{"value", 50'000'000'000}, {"unit", "B/s"}, {"source", "--set"}}));
    EXPECT_EQ(result["parameters"]["dgx.0.nvsw.[0-3].my_switch.urgency"]["value"], "control");
    unsigned seen = 0;
    for (const Json& module : result["modules"])
        if (module["model"] == "my_switch") {
            ++seen;
            EXPECT_EQ(module["stats"]["paced"]["unit"], "ps");
            EXPECT_GT(module["stats"]["paced"]["value"].get<std::int64_t>(), 0);
            EXPECT_EQ(module["stats"].size(), 4U);
        }
    EXPECT_EQ(seen, 4U);
}

// At 32 GB/s a line of 64 B holds an output for 2 ns, whatever its wire takes.
TEST(PluginDeclarations, ThePaceCounts)
{
    const Json fast = run({});
    const Json slow = run({"--set", "my_switch.pace=32GB/s"});
    EXPECT_EQ(fast["simulated_ps"], 25'832'853);
    EXPECT_EQ(slow["simulated_ps"], 25'909'733);
    const auto expect_paced = [](const Json& result, std::int64_t ps) {
        for (const Json& module : result["modules"])
            if (module["model"] == "my_switch") {
                EXPECT_EQ(module["stats"]["paced"]["value"], ps);
                EXPECT_EQ(module["stats"]["lines"]["value"], 8960);
            }
    };
    expect_paced(fast, 0);
    expect_paced(slow, 14'481'152);
}

// What the package holds is what a plug-in can reach.
TEST(PluginPackage, HoldsThePublicHeadersAndWhatTheyReach)
{
    namespace fs = std::filesystem;
    const fs::path include = fs::path(built_examples().folder) / "prefix" / "include";
    std::vector<std::string> own;
    std::size_t internal = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(include)) {
        if (!entry.is_regular_file()) continue;
        const std::string name = fs::relative(entry.path(), include).string();
        if (name.compare(0, 14, "weft/internal/") != 0) {
            own.push_back(name);
            continue;
        }
        ++internal;
        for (const char* none : {"/collectives/", "/infragraph/", "/rtl/", "/platform/configuration/",
                 "/platform/simulation/", "model_registry", "/gpu/gpu.h"})
            EXPECT_EQ(("/" + name).find(none), std::string::npos) << name;
    }
    std::sort(own.begin(), own.end());
    EXPECT_EQ(own,
        (std::vector<std::string>{"weft/adapters.h", "weft/link.h", "weft/memory.h", "weft/parameters.h",
            "weft/plugin.h", "weft/slice.h", "weft/switch.h", "weft/version.h"}));
    EXPECT_GT(internal, 20U);
    EXPECT_LT(internal, 64U);
}

TEST(PluginPackage, SaysItsVersion)
{
    EXPECT_EQ(std::to_string(WEFT_VERSION_MAJOR) + "." + std::to_string(WEFT_VERSION_MINOR) + "." +
            std::to_string(WEFT_VERSION_PATCH),
        PROJECT_VERSION);
}

}  // namespace declarations_test
