#include <gtest/gtest.h>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace route_test {

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
  - {name: wide, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 100}, latency: {ns: 50}}}
  - {name: narrow, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 10}, latency: {ns: 50}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: slow}, scheme: many2many, link: narrow}
  - {ep1: {component: xpu}, ep2: {component: fast}, scheme: many2many, link: wide}
  - {ep1: {component: cpu}, ep2: {component: slow}, scheme: many2many, link: narrow}
instances:
- {name: b, device: box, count: 1}
)";

// Three pods of two routers with one xpu each; every pod has one link to each other.
const char* const dragonfly_document = R"(name: dragonfly
devices:
- name: pod
  components:
  - {name: xpu, choice: xpu, count: 2, description: accelerator}
  - {name: router, choice: switch, count: 2, description: router}
  links:
  - {name: up, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 70}}}
  - {name: local, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 70}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: router}, scheme: one2one, link: up}
  - {ep1: {component: "router[0]"}, ep2: {component: "router[1]"}, scheme: one2one, link: local}
instances:
- {name: pod, device: pod, count: 3}
links:
- {name: global, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 300}}}
edges:
- {ep1: {instance: "pod[0:2]", component: "router[0]"}, ep2: {instance: "pod[1:3]", component: "router[1]"}, scheme: one2one, link: global}
- {ep1: {instance: "pod[2]", component: "router[0]"}, ep2: {instance: "pod[0]", component: "router[1]"}, scheme: one2one, link: global}
)";

}  // namespace

TEST(Route, ShowsEachHopTheTotalsAndWhatDecided)
{
    const Fixtures files;
    const std::string path = files.write("choice.yaml", choice_document);
    const Outcome outcome = call({"route", path, "--from", "b.0.xpu.0", "--to", "b.0.xpu.1", "--profile", "generic",
        "--set", "switch.latency=90ns"});
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
        "selection: line by line over the equal paths (routing.path_selection=lines)\n"
        "\n"
        "line 0:\n"
        "  at b.0.xpu.0: path hash selects index 0 of 2: b.0.fast.0\n"
        "    equal      b.0.fast.1\n"
        "    discarded  b.0.slow.0 (narrowest link has 10 GB/s, not 100 GB/s)\n"
        "  at b.0.fast.0: only b.0.xpu.1\n"
        "    discarded  b.0.xpu.0 (the packet comes from there)\n"
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
    const Outcome outcome = call({"route", path, "--from", "b.0.cpu.0", "--to", "b.0.xpu.1", "--profile", "generic"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("b.0.cpu.0 to b.0.xpu.1: 2 hops, 1 path\n"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.err, "notice: b.0.cpu.0 is not an xpu: no simulated packet starts or ends there\n");
}

// Memory nodes of the trace send there; with their own memory they do not.
TEST(Route, ShowsTheWayToAMemoryThatTheRunUses)
{
    const std::string system = "examples/memory_pool/system.yaml";
    const Outcome there = call({"route", system, "--from", "box.0.xpu.0", "--to", "box.0.pool.0"});
    EXPECT_EQ(there.code, 0) << there.err;
    EXPECT_NE(there.out.find("box.0.xpu.0 to box.0.pool.0: 2 hops, "), std::string::npos) << there.out;
    EXPECT_EQ(there.err.find("no "), std::string::npos) << there.err;
    const Outcome back = call({"route", system, "--from", "box.0.pool.0", "--to", "box.0.xpu.0"});
    EXPECT_EQ(back.code, 0) << back.err;
    EXPECT_NE(back.out.find("box.0.pool.0 to box.0.xpu.0: 2 hops, "), std::string::npos) << back.out;
    EXPECT_EQ(back.err.find("no "), std::string::npos) << back.err;
    const Outcome unused =
        call({"route", system, "--from", "box.0.xpu.0", "--to", "box.0.pool.0", "--set", "engine.memory_nodes=local"});
    EXPECT_EQ(unused.code, 0) << unused.err;
    EXPECT_NE(unused.err.find(
                  "notice: box.0.pool.0 is a memory, which only traces with engine.memory_nodes=remote use: no "
                  "packet of this system's run starts or ends there\n"),
        std::string::npos)
        << unused.err;
}

TEST(Route, ShowsASystemThatWouldBeRefused)
{
    const Outcome outcome =
        call({"route", "examples/switch_ring/system.yaml", "--from", "ring.0.xpu.0", "--to", "ring.2.xpu.0"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("notice: weft run refuses the whole system: "), std::string::npos) << outcome.err;
}

// A policy that does not fit is refused where its sizes are set, or where it is.
TEST(Route, APolicyThatDoesNotFitIsRefusedWhereItIsSet)
{
    const Fixtures files;
    files.write("ring.yaml", R"(name: ring
devices:
- name: box
  components: [{name: xpu, choice: xpu, count: 1}, {name: sw, choice: switch, count: 1}]
  links: [{name: acc, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 50}}}]
  edges: [{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: acc}]
links: [{name: cross, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 25}, latency: {ns: 50}}}]
instances: [{name: box, device: box, count: 4}]
edges: [{ep1: {instance: box, component: sw}, ep2: {instance: box, component: sw}, scheme: ring, link: cross}]
)");
    const std::string start = "infrastructure: ring.yaml\nprofile: generic\nparameters: {link.vc_sets: 2}\n";
    const std::string system = files.write("sized.yaml", start + "routing:\n  policy: dimension_order\n  size_x: 3\n");
    const std::string what =
        "routing.policy=dimension_order: not a mesh, ring or torus of 3: 3 points, but 4 forwarding nodes";
    const auto error = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--collective", "barrier"});
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        return outcome.err;
    };
    EXPECT_EQ(error({"run", system}).rfind(system + ":6: " + what, 0), 0u) << error({"run", system});
    const std::string set = error({"run", files.write("plain.yaml", start), "--set", "routing.policy=dimension_order",
        "--set", "routing.size_x=3"});
    EXPECT_EQ(set.rfind("--set: " + what, 0), 0u) << set;
    const std::string groups = files.write("groups.yaml", start + "routing:\n  policy: dragonfly_minimal\n");
    EXPECT_EQ(error({"run", groups}).rfind(groups + ":5: routing.policy=dragonfly_minimal: not a dragonfly: ", 0), 0u)
        << error({"run", groups});
}

TEST(Route, ShowsPolicyAndVcSets)
{
    const auto route = [](const std::string& from, const std::string& to) {
        return call({"route", "examples/switch_ring/system.yaml", "--from", from, "--to", to, "--set",
            "routing.policy=dimension_order", "--set", "link.vc_sets=2"});
    };
    const Outcome over = route("ring.5.xpu.0", "ring.1.xpu.0");
    EXPECT_EQ(over.code, 0) << over.err;
    EXPECT_NE(over.out.find("    2  ring.0.sw.0   around       1       50 GB/s"), std::string::npos) << over.out;
    EXPECT_NE(over.out.find("    3  ring.1.sw.0   around       0       50 GB/s"), std::string::npos) << over.out;
    EXPECT_NE(over.out.find("policy: dimension_order: first dimension first, in the shorter direction"),
        std::string::npos)
        << over.out;
    EXPECT_NE(over.out.find("choice: 1 path of 4 hops by the policy\n"), std::string::npos) << over.out;
    EXPECT_EQ(over.err, "");
    EXPECT_NE(route("ring.0.xpu.0", "ring.3.xpu.0").out.find("choice: 2 paths of 5 hops"), std::string::npos);
}

TEST(Route, SaysWhatAPolicyDiscardsAndWhy)
{
    const auto route = [](const std::string& policy) {
        return call({"route", "examples/switch_ring/system.yaml", "--from", "ring.1.xpu.0", "--to", "ring.5.xpu.0",
            "--set", "routing.policy=" + policy, "--set", "link.vc_sets=2"});
    };
    const Outcome minimal = route("dimension_order");
    EXPECT_NE(minimal.out.find("  at ring.1.sw.0: only ring.0.sw.0\n"
                               "    discarded  ring.1.xpu.0 (the packet comes from there)\n"
                               "    discarded  ring.2.sw.0 (not minimal: 5 hops remain, not 3)\n"),
        std::string::npos)
        << minimal.out;
    const Outcome up_down = route("up_down");
    EXPECT_NE(up_down.out.find("could close a cycle"), std::string::npos) << up_down.out;
}

TEST(Route, ALineAPairOrATurnChoosesThePath)
{
    const Fixtures files;
    const std::string path = files.write("choice.yaml", choice_document);
    const auto taken = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"route", path, "--from", "b.0.xpu.0", "--to", "b.0.xpu.1", "--profile",
            "generic"};
        words.insert(words.end(), more.begin(), more.end());
        const std::string out = call(words).out;
        const std::size_t at = out.find(": b.0.fast.");
        return at == std::string::npos ? out : out.substr(at + 2, out.find('\n', at) - at - 2);
    };
    EXPECT_EQ(taken({"--line", "1"}), "b.0.fast.1");
    EXPECT_EQ(taken({"--line", "2"}), "b.0.fast.0");
    EXPECT_EQ(taken({"--line", "1", "--set", "routing.stripe=128"}), "b.0.fast.0");
    EXPECT_EQ(taken({"--line", "1", "--set", "routing.path_selection=none"}), "b.0.fast.0");
    EXPECT_EQ(taken({"--line", "1", "--set", "routing.path_selection=round_robin"}), "b.0.fast.1");
    const std::string pair = taken({"--set", "routing.path_selection=pairs"});
    for (const char* line : {"1", "2", "3"})
        EXPECT_EQ(taken({"--line", line, "--set", "routing.path_selection=pairs"}), pair);
    EXPECT_EQ(call({"route", path, "--from", "b.0.xpu.0", "--to", "b.0.xpu.1", "--line", "x"}).code, 2);
}

TEST(Route, ByWayOfARandomGroup)
{
    const Fixtures files;
    const std::string path = files.write("dragonfly.yaml", dragonfly_document);
    const auto route = [&](const char* line) {
        return call({"route", path, "--from", "pod.0.xpu.0", "--to", "pod.1.xpu.0", "--profile", "generic", "--set",
            "routing.policy=dragonfly_valiant", "--set", "link.vc_sets=3", "--line", line});
    };
    // Half of the lines draw the destination's own group.
    unsigned direct = 0;
    for (const char* line : {"0", "1", "2", "3", "4", "5", "6", "7"})
        direct += route(line).out.find("pod.0.xpu.0 to pod.1.xpu.0: 4 hops, 2 paths\n") == 0 ? 1 : 0;
    EXPECT_TRUE(direct > 0 && direct < 8) << direct;
    const Outcome around = route("3");
    EXPECT_NE(around.out.find("    3  pod.2.router.0  global       0"), std::string::npos) << around.out;
    EXPECT_NE(around.out.find("    4  pod.2.router.1  local        1"), std::string::npos) << around.out;
    EXPECT_NE(around.out.find("choice: 2 paths of 4 to 6 hops by the policy\n"), std::string::npos) << around.out;
    EXPECT_NE(around.out.find("  at pod.0.router.0: path hash selects index 0 of 2: pod.0.router.1\n"
                              "    equal      pod.1.router.1\n"),
        std::string::npos)
        << around.out;
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
    EXPECT_NE(outcome.err.find("no path between host.0.xpu.0 and host.0.xpu.2"), std::string::npos) << outcome.err;
}

}  // namespace route_test
