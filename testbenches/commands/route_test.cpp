#include <gtest/gtest.h>

#include "testbenches/commands/fixtures.h"
#include "testbenches/commands/process.h"

using namespace weft::commands_test;

namespace {

// Two xpus, and three switches between them: two fast ones and a slow one.
const char* const choice_document = R"(name: choice
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 2, description: accelerator}
  - {name: fast, choice: switch, count: 2, description: NVSwitch}
  - {name: slow, choice: switch, count: 1, description: NVSwitch}
  - {name: cpu, choice: cpu, count: 1, description: host}
  links:
  - {name: wide, physical: {bandwidth: {gigabytes_per_second: 100}, latency: {ns: 50}}}
  - {name: narrow, physical: {bandwidth: {gigabytes_per_second: 10}, latency: {ns: 50}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: slow}, scheme: many2many, link: narrow}
  - {ep1: {component: xpu}, ep2: {component: fast}, scheme: many2many, link: wide}
  - {ep1: {component: cpu}, ep2: {component: slow}, scheme: many2many, link: narrow}
instances:
- {name: b, device: box, count: 1}
)";

}  // namespace

TEST(Route, ShowsEachHopTheTotalsAndWhatDecided)
{
    const Fixtures files;
    const std::string path = files.write("choice.yaml", choice_document);
    const Outcome outcome = call({"route", path, "--from", "b.0.xpu.0", "--to", "b.0.xpu.1", "--profile",
        "generic", "--set", "switch.latency=90ns"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out,
        "b.0.xpu.0 to b.0.xpu.1: 2 hops, 2 equal paths\n"
        "\n"
        "  hop  node        link     bandwidth  link latency  node latency\n"
        "    0  b.0.xpu.0\n"
        "    1  b.0.fast.0  wide      100 GB/s         50 ns         90 ns\n"
        "    2  b.0.xpu.1   wide      100 GB/s         50 ns\n"
        "\n"
        "total: 190 ns without load (links 100 ns, nodes 90 ns); narrowest link 100 GB/s\n"
        "choice: 3 paths with the fewest hops (2), of which 2 paths have the widest narrowest link\n"
        "spread: line by line over the equal paths (routing.spread=lines)\n"
        "\n"
        "equal paths:\n"
        "  through b.0.fast.0\n"
        "  through b.0.fast.1\n");
    EXPECT_EQ(outcome.err, "");
}

TEST(Route, SaysWhenANodeIsNoEndpoint)
{
    const Fixtures files;
    const std::string path = files.write("choice.yaml", choice_document);
    const Outcome outcome =
        call({"route", path, "--from", "b.0.cpu.0", "--to", "b.0.xpu.1", "--profile", "generic"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("b.0.cpu.0 to b.0.xpu.1: 2 hops, 1 path\n"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.err, "notice: b.0.cpu.0 is no xpu: no simulated line starts or ends there\n");
}

TEST(Route, ShowsASystemThatWouldBeRefused)
{
    const Outcome outcome =
        call({"route", "examples/switch_ring/system.yaml", "--from", "ring.0.xpu.0", "--to", "ring.2.xpu.0"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("notice: the whole system would be refused: "), std::string::npos)
        << outcome.err;
}

TEST(Route, ShowsPolicyAndLanes)
{
    const auto route = [](const std::string& from, const std::string& to) {
        return call({"route", "examples/switch_ring/system.yaml", "--from", from, "--to", to, "--set",
            "routing.policy=dimension_order", "--set", "link.vc_lanes=2"});
    };
    const Outcome over = route("ring.5.xpu.0", "ring.1.xpu.0");
    EXPECT_EQ(over.code, 0) << over.err;
    EXPECT_NE(over.out.find("    2  ring.0.sw.0   around     1       50 GB/s"), std::string::npos) << over.out;
    EXPECT_NE(over.out.find("    3  ring.1.sw.0   around     0       50 GB/s"), std::string::npos) << over.out;
    EXPECT_NE(over.out.find("policy: dimension_order: first dimension first, the shorter way round"),
        std::string::npos)
        << over.out;
    EXPECT_NE(over.out.find("choice: 1 path of 4 hops by the policy\n"), std::string::npos) << over.out;
    EXPECT_EQ(over.err, "");
    EXPECT_NE(route("ring.0.xpu.0", "ring.3.xpu.0").out.find("choice: 2 paths of 5 hops"), std::string::npos);
}

TEST(Route, RefusesNodesWithoutAPath)
{
    const Fixtures files;
    std::string text = files.read("pair.yaml");
    text.replace(text.find("count: 2"), 8, "count: 3");
    const Outcome outcome = call({"route", files.write("three.yaml", text), "--from", "host.0.xpu.0", "--to",
        "host.0.xpu.2", "--profile", "generic"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("no path between host.0.xpu.0 and host.0.xpu.2"), std::string::npos)
        << outcome.err;
}
