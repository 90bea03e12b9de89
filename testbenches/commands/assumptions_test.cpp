// What a system leaves to assume: every command says it, and refuses it with --strict.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace assumptions_test {

using namespace weft::commands_test;

namespace {

// Two accelerators and a link `up` of which nothing is said but figures.
const char* const open_document = R"(name: open
devices:
- name: card
  components:
  - {name: xpu, choice: xpu, count: 2, description: NVIDIA H100}
  links:
  - {name: up, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 80}}}
  edges:
  - {ep1: {component: "xpu[0]"}, ep2: {component: "xpu[1]"}, scheme: one2one, link: up}
instances:
- {name: host, device: card, count: 1}
)";

const std::string taken =
    "1 link `up`: no protocol given, taken as nvlink_4 because it joins xpu and xpu, as the scale-up link of profile "
    "h100 does; set with links: {up: {protocol: nvlink_4}} or --set links.up.protocol=nvlink_4";

std::string refused(const std::string& path)
{
    return path +
        ":7: 1 link `up`: no protocol given (taken as nvlink_4 because it joins xpu and xpu, as the scale-up link of "
        "profile h100 does), which --strict refuses; expected links: {up: {protocol: nvlink_4}} or --set "
        "links.up.protocol=nvlink_4\n";
}

const std::string set = "--set=links.up.protocol=nvlink_4";

}  // namespace

TEST(AssumptionsCommand, CheckListsThem)
{
    const Fixtures files;
    const std::string path = files.write("open.yaml", open_document);
    const Outcome outcome = call({"check", path, "--json", files.path("check.json")});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out.substr(outcome.out.find("assumed")), "assumed      " + taken + "\n");
    const auto json = nlohmann::json::parse(files.read("check.json"));
    ASSERT_EQ(json["assumptions"].size(), 1U);
    EXPECT_EQ(json["assumptions"][0]["what"], "protocol of link up");
    const Outcome strict = call({"check", path, "--strict"});
    EXPECT_EQ(strict.code, 2);
    EXPECT_EQ(strict.out, "");
    EXPECT_EQ(strict.err, refused(path));
    const std::string system = files.write("open_system.yaml",
        "infrastructure: open.yaml\nworkload: {collective: all_reduce, bytes: 4 KiB}\n");
    EXPECT_NE(call({"check", system}).out.find("assumed      " + taken + "\n"), std::string::npos);
    EXPECT_EQ(call({"check", system, "--strict"}).err, refused(path));
    const std::string stated = files.write("stated.yaml",
        "infrastructure: open.yaml\nlinks: {up: {protocol: nvlink_4}}\nworkload: {collective: all_reduce, bytes: 4 "
        "KiB}\n");
    EXPECT_EQ(call({"check", stated, "--strict"}).code, 0);
}

TEST(AssumptionsCommand, ADocumentThatCannotRunIsStillGoodInfraGraph)
{
    const Fixtures files;
    std::string text = open_document;
    text.replace(text.find("gigabytes_per_second: 50"), 24, "gigabits_per_second: 0.000001");
    const std::string path = files.write("slow.yaml", text);
    const Outcome outcome = call({"check", path});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("notice       weft run refuses it: " + path + ":7: bandwidth 125 B/s of link 'up'"),
        std::string::npos)
        << outcome.out;
}

TEST(AssumptionsCommand, RunListsThemAndWritesThem)
{
    const Fixtures files;
    const std::string path = files.write("open.yaml", open_document);
    const std::vector<std::string> run{"run", "--infra", path, "--collective=all_reduce", "--bytes=4KiB"};
    const auto with = [&run](std::vector<std::string> more) {
        std::vector<std::string> all = run;
        all.insert(all.end(), more.begin(), more.end());
        return call(all);
    };
    const Outcome outcome = with({"--json", files.path("r.json")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(taken), std::string::npos) << outcome.out;
    const auto json = nlohmann::json::parse(files.read("r.json"));
    const nlohmann::json expected{{"what", "protocol of link up"}, {"count", 1}, {"taken", "nvlink_4"},
        {"because", "no protocol given; it joins xpu and xpu, as the scale-up link of profile h100 does"},
        {"set_with", "links: {up: {protocol: nvlink_4}} or --set links.up.protocol=nvlink_4"}};
    EXPECT_EQ(json["assumptions"], nlohmann::json::array({expected}));
    const Outcome strict = with({"--strict", "--json", files.path("none.json")});
    EXPECT_EQ(strict.code, 2);
    EXPECT_EQ(strict.err, refused(path));
    const Outcome stated = with({"--strict", set, "--json", files.path("s.json")});
    EXPECT_EQ(stated.code, 0) << stated.err;
    const auto same = nlohmann::json::parse(files.read("s.json"));
    EXPECT_EQ(same["assumptions"].size(), 0U);
    EXPECT_EQ(same["simulated_ps"], json["simulated_ps"]);
}

// Two accelerators at a switch; the description and one more line of the run.
TEST(AssumptionsCommand, OperationsOfASwitchThatNobodyStatesAreAssumed)
{
    const Fixtures files;
    const auto document = [&files](const std::string& description) {
        return files.write("star.yaml",
            "name: star\ndevices:\n- name: card\n  components:\n  - {name: xpu, choice: xpu, count: 2, description: "
            "accelerator}\n  - {name: sw, choice: switch, count: 1, description: " +
                description +
                "}\n  links:\n  - {name: up, description: NVLINK_4, physical: {bandwidth: {gigabytes_per_second: 50}, "
                "latency: {ns: 80}}}\n  edges:\n  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, "
                "link: up}\ninstances:\n- {name: host, device: card, count: 1}\n");
    };
    const std::string path = document("switch");
    const auto run = [&path](const std::string& algorithm, std::vector<std::string> more) {
        std::vector<std::string> all{"run", "--infra", path, "--profile=generic", "--collective=all_reduce",
            "--bytes=4KiB", "--algorithm=" + algorithm, "--set=*.sw.*.switch.latency=100ns"};
        all.insert(all.end(), more.begin(), more.end());
        return call(all);
    };
    const std::string said = "1 switch `sw`: not said whether it multicasts and reduces, which the run uses, taken as "
                             "able to, in 128 groups because that is the default of switch.multicast_groups";
    for (const std::string fidelity : {"--fidelity=line", "--fidelity=flow"}) {
        EXPECT_NE(run("nvls", {fidelity}).out.find(said), std::string::npos);
        EXPECT_EQ(run("direct", {fidelity}).out.find("multicasts"), std::string::npos);
        const Outcome strict = run("nvls", {fidelity, "--strict"});
        EXPECT_EQ(strict.code, 2);
        EXPECT_EQ(strict.out, "");
        EXPECT_NE(strict.err.find("star.yaml:6: 1 switch `sw`: not said whether it multicasts and reduces"),
            std::string::npos)
            << strict.err;
        EXPECT_EQ(run("nvls", {fidelity, "--set=*.sw.*.switch.multicast_groups=128"}).out.find("multicasts"),
            std::string::npos);
    }
    document("NVSwitch");
    const Outcome known = run("nvls", {});
    EXPECT_EQ(known.code, 0) << known.err;
    EXPECT_EQ(known.out.find("multicasts"), std::string::npos);
    document("PCIe Gen5 switch");
    EXPECT_EQ(run("nvls", {}).code, 2);
    const Outcome chosen = run("auto", {"--json=-"});
    EXPECT_EQ(chosen.code, 0) << chosen.err;
    EXPECT_EQ(chosen.out.find("\"algorithm\": \"push_reduce\""), std::string::npos) << chosen.out;
}

TEST(AssumptionsCommand, FabricSweepAndProbeSayThemOnceAndRefuseThem)
{
    const Fixtures files;
    const std::string path = files.write("open.yaml", open_document);
    const std::vector<std::vector<std::string>> commands{{"fabric", "--infra", path, "--loads=0.1", "--quiet"},
        {"sweep", "--infra", path, "--collective=all_reduce", "--over=bytes=1KiB,2KiB", "--quiet"},
        {"probe", "--infra", path}};
    for (const std::vector<std::string>& command : commands) {
        std::vector<std::string> strict = command;
        strict.emplace_back("--strict");
        const Outcome outcome = call(strict);
        EXPECT_EQ(outcome.code, 2) << command.front();
        EXPECT_EQ(outcome.err, refused(path)) << command.front();
        if (command.front() == "probe") continue;  // its measurements take long
        EXPECT_EQ(call(command).err, "notice: " + taken + "\n") << command.front();
        strict.push_back(set);
        const Outcome stated = call(strict);
        EXPECT_EQ(stated.code, 0) << stated.err;
        EXPECT_EQ(stated.err, "");
    }
}

TEST(AssumptionsCommand, OurExamplesStateEverything)
{
    std::size_t count = 0;
    for (const auto& folder : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/examples")) {
        const std::string path = folder.path().string() + "/system.yaml";
        if (!std::filesystem::exists(path) || folder.path().filename() == "switch_ring")
            continue;  // its routes could deadlock
        const Outcome outcome = call({"check", path, "--strict"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        ++count;
    }
    EXPECT_GE(count, 15U);
    for (const char* system : {"gb200_4", "gb300_8", "nvl72", "two_dgx_h100"})
        EXPECT_EQ(call({"check", std::string("examples/validation/systems/") + system + ".yaml", "--strict"}).code, 0)
            << system;
}

// Beyond 64 ranks, where a collective is written rank by rank.
TEST(AssumptionsCommand, DimensionsOfManyRanksAreTold)
{
    const Fixtures files;
    const std::string rack = files.write("rack.yaml",
        "name: rack\ndevices:\n- name: box\n  components:\n  - {name: xpu, choice: xpu, count: 600}\n"
        "  - {name: sw, choice: switch, count: 1}\n"
        "  links: [{name: wire, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 80}}}]\n  edges:\n"
        "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n"
        "instances: [{name: host, device: box, count: 1}]\n");
    const Outcome outcome = call({"run", "--infra", rack, "--profile", "generic", "--collective", "all_gather",
        "--algorithm", "hierarchical", "--bytes", "2400KiB", "--fidelity", "flow"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("hierarchical over dimensions of 25 x 24 ranks, as near to square"), std::string::npos)
        << outcome.out;
}

}  // namespace assumptions_test
