#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace graph_test {

using namespace weft::commands_test;

TEST(Graph, IsJsonUnlessToldOtherwise)
{
    const Fixtures files;
    const Outcome outcome = call({"graph", files.pair()});
    EXPECT_EQ(outcome.code, 0);
    const auto json = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(json["nodes"].size(), 2u);
    EXPECT_EQ(json["nodes"][1]["name"], "host.0.xpu.1");
    EXPECT_EQ(json["nodes"][1]["type"], "xpu");
    ASSERT_EQ(json["edges"].size(), 1u);
    EXPECT_EQ(json["edges"][0]["a"], "host.0.xpu.0");
    EXPECT_EQ(json["edges"][0]["b"], "host.0.xpu.1");
    EXPECT_EQ(json["edges"][0]["link"], "wire");
    EXPECT_EQ(call({"graph", files.pair(), "--format", "json"}).out, outcome.out);
    EXPECT_EQ(call({"graph", files.pair_system()}).out, outcome.out);
}

TEST(Graph, GoesToAFileAsAWhole)
{
    const Fixtures files;
    const Outcome outcome = call({"graph", files.pair(), "--format=dot", "-o", files.path("graph.dot")});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(files.read("graph.dot"), call({"graph", files.pair(), "--format", "dot"}).out);
    EXPECT_EQ(files.names(), (std::vector<std::string>{"graph.dot", "pair.yaml", "pair_system.yaml"}));
}

TEST(Graph, LeavesNothingBehindWhenItFails)
{
    const Fixtures files;
    const std::string broken = files.write("broken.yaml", "name: x\ninstances: 4\n");
    EXPECT_EQ(call({"graph", broken, "-o", files.path("graph.json")}).code, 2);
    EXPECT_EQ(files.names(), (std::vector<std::string>{"broken.yaml", "pair.yaml", "pair_system.yaml"}));
}

TEST(Graph, NoticesGoToStderr)
{
    const Fixtures files;
    std::string text = files.read("pair.yaml");
    text.replace(text.find("link: wire"), 10, "link: wir");
    const Outcome outcome = call({"graph", files.write("wrong.yaml", text), "--lenient"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["edges"].size(), 1u);
    EXPECT_EQ(outcome.err.compare(0, 8, "notice: "), 0) << outcome.err;
}

// A switch that is all of its device has its own full name, which --set and routes take.
TEST(Graph, ASwitchAloneInItsDeviceHasItsFullNameAsATooltip)
{
    const Fixtures files;
    const std::string document = files.write("core.yaml", R"(name: core
devices:
- name: card
  components: [{name: xpu, choice: xpu, count: 2, description: accelerator}]
  links: []
  edges: []
- name: box
  components: [{name: mid, choice: switch, count: 1, description: switch}]
  links: []
  edges: []
links:
- {name: up, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 80}}}
instances:
- {name: host, device: card, count: 1}
- {name: core, device: box, count: 1}
edges:
- {ep1: {instance: "host", component: xpu}, ep2: {instance: "core", component: mid}, scheme: many2many, link: up}
)");
    const Outcome svg = call({"graph", document, "--format", "svg"});
    EXPECT_NE(svg.out.find("<title>core.0.mid.0 (switch)"), std::string::npos) << svg.err << svg.out;
}

// A system file may set links other than its document: every format shows those that run.
TEST(Graph, LinksOfASystemFileAreThoseThatRun)
{
    const Fixtures files;
    const std::string system = files.write("set.yaml",
        files.read("pair_system.yaml") + "links:\n  wire: {bandwidth: 112.5 GB/s, latency: 1.25 us}\n");
    const auto edge = nlohmann::json::parse(call({"graph", system}).out)["edges"][0];
    EXPECT_EQ(edge["bytes_per_second"], 112500000000u);
    EXPECT_EQ(edge["latency_ps"], 1250000u);
    EXPECT_EQ(edge["bandwidth"], "112.5 GBps");
    EXPECT_EQ(edge["latency"], "1250 ns");
    const std::string dot = call({"graph", system, "--format", "dot"}).out;
    EXPECT_NE(dot.find("label=\"wire, 112.5 GBps, 1250 ns\""), std::string::npos) << dot;
    EXPECT_NE(call({"graph", system, "--format", "svg"}).out.find("wire: 1 link of 112.5 GB/s each way"),
        std::string::npos);

    // One of the two as the document has it, with its text.
    const std::string half =
        files.write("half.yaml", files.read("pair_system.yaml") + "links:\n  wire: {latency: 1 ns}\n");
    const auto other = nlohmann::json::parse(call({"graph", half}).out)["edges"][0];
    EXPECT_EQ(other["bandwidth"], "50 GBps");
    EXPECT_EQ(other["latency_ps"], 1000u);

    // Of a document that states none.
    std::string text = files.read("pair.yaml");
    const std::size_t at = text.find(", physical:");
    text.erase(at, text.find("}}}", at) + 2 - at);
    files.write("bare.yaml", text);
    const std::string given = files.write("given.yaml",
        "system: bare\ninfrastructure: bare.yaml\nprofile: generic\nworkload: {collective: all_reduce, bytes: 4 KiB}\n"
        "links:\n  wire: {bandwidth: 25 GB/s, latency: 500 ns}\n");
    const auto set = nlohmann::json::parse(call({"graph", given}).out)["edges"][0];
    EXPECT_EQ(set["bytes_per_second"], 25000000000u);
    EXPECT_EQ(set["latency_ps"], 500000u);
    EXPECT_FALSE(nlohmann::json::parse(call({"graph", files.path("bare.yaml")}).out)["edges"][0].contains("bandwidth"));
}

}  // namespace graph_test
