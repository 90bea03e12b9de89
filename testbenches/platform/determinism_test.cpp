// The same input gives the same output, byte for byte, and no order of writing things down matters.
#include <algorithm>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace determinism_test {

using namespace weft;
using namespace weft::testing;
namespace trace = weft::chakra::testing;

namespace {

RunSetup on(const std::string& document, const std::string& op, const std::string& algorithm)
{
    RunSetup setup;
    setup.document = document;
    setup.lines = collective_lines(op, algorithm, "40000");
    setup.sets = {"engine.channels=8"};
    return setup;
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string out;
    for (const std::string& part : parts) out += part;
    return out;
}

// Two kinds of devices, switches in the middle; `order` permutes everything whose order says nothing:
// devices, components, links. Instances keep theirs, which is the order of ranks.
std::string pods(bool reversed)
{
    std::vector<std::string> components{"  - {name: xpu, choice: xpu, count: 3}\n",
        "  - {name: sw, choice: switch, count: 2}\n", "  - {name: cpu, choice: cpu, count: 1}\n"};
    std::vector<std::string> links{"  - {name: wire, description: Ethernet, physical: {bandwidth: "
                                   "{gigabytes_per_second: 30}, latency: {ns: 70}}}\n",
        "  - {name: bus, description: local bus, physical: {bandwidth: {gigabytes_per_second: 20}, latency: {ns: "
        "90}}}\n"};
    std::vector<std::string> devices;
    if (reversed) {
        std::reverse(components.begin(), components.end());
        std::reverse(links.begin(), links.end());
    }
    devices.push_back("- name: pod\n  components:\n" + joined(components) + "  links:\n" + joined(links) +
        "  edges:\n"
        "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n"
        "  - {ep1: {component: xpu}, ep2: {component: cpu}, scheme: many2many, link: bus}\n");
    devices.push_back(
        "- name: core\n  components:\n  - {name: asic, choice: switch, count: 1}\n  - {name: port, choice: "
        "port, count: 1}\n"
        "  links: [{name: ic, description: on-chip}]\n"
        "  edges: [{ep1: {component: asic}, ep2: {component: port}, scheme: one2one, link: ic}]\n");
    if (reversed) std::reverse(devices.begin(), devices.end());
    std::vector<std::string> instances{"- {name: p, device: pod, count: 2}\n", "- {name: c, device: core, count: 2}\n"};
    if (reversed) std::reverse(instances.begin(), instances.end());
    return "name: pods\ndevices:\n" + joined(devices) + "instances:\n" + joined(instances) +
        "links:\n- {name: trunk, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 40}, latency: "
        "{ns: 200}}}\n"
        "edges:\n- {ep1: {instance: p, component: sw}, ep2: {instance: c, component: asic}, scheme: "
        "many2many, link: trunk}\n";
}

// Times and loads by name, whatever their order.
Json by_name(const Json& result)
{
    Json out;
    out["simulated_ps"] = result.at("simulated_ps");
    out["lines"] = result.at("lines");
    for (const Json& rank : result.at("ranks")) out["ranks"][rank.at("node").get<std::string>()] = rank;
    for (const Json& link : result.at("links")) {
        Json copy = link;
        copy.erase("name");
        out["links"][link.at("from").get<std::string>() + ">" + link.at("to").get<std::string>()] = copy;
    }
    for (const Json& module : result.at("modules")) out["modules"][module.at("name").get<std::string>()] = module;
    return out;
}

}  // namespace

TEST(Determinism, TwoProcessesGiveTheSameBytes)
{
    for (const std::string& document : {example("dgx_h100"), star_document(5), example("mesh_mi300x")})
        for (const char* algorithm : {"ring", "direct"}) {
            if (!weft::test::thorough() && document == example("mesh_mi300x") && algorithm == std::string("direct"))
                continue;
            const RunSetup setup = on(document, "all_reduce", algorithm);
            const std::string first = run(setup).dump();
            EXPECT_GT(first.size(), 1000u);
            EXPECT_EQ(first, run(setup).dump()) << document.substr(0, 40) << " " << algorithm;
        }
}

TEST(Determinism, SeedsChangeContentsAndNoTime)
{
    RunSetup setup = on(star_document(4), "all_reduce", "ring");
    Json one = run(setup);
    setup.lines += "seed: 77\n";
    Json other = run(setup);
    EXPECT_EQ(one["seed"], 1);
    EXPECT_EQ(other["seed"], 77);
    EXPECT_EQ(other["verified"], "passed");
    for (Json* result : {&one, &other}) result->erase("seed");
    EXPECT_EQ(one, other);
}

TEST(Determinism, DataOffChangesNothingButTheVerdict)
{
    for (const char* op : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "barrier"}) {
        RunSetup setup = on(example("dgx_h100"), op, "direct");
        Json with = run(setup);
        setup.options.data_on = false;
        Json without = run(setup);
        EXPECT_EQ(without["verified"], "off");
        EXPECT_LT(without["estimate"]["memory_bytes"], with["estimate"]["memory_bytes"]);  // what contents would take
        for (Json* result : {&with, &without}) {
            result->erase("verified");
            result->erase("estimate");
        }
        EXPECT_EQ(with, without) << op;
    }
}

TEST(Determinism, TheOrderOfTheDocumentDoesNotMatter)
{
    for (const char* algorithm : {"ring", "direct"}) {
        const Json one = run(on(pods(false), "all_reduce", algorithm));
        const Json other = run(on(pods(true), "all_reduce", algorithm));
        ASSERT_EQ(one.value("verified", ""), "passed") << one.dump().substr(0, 300);
        EXPECT_EQ(by_name(one), by_name(other)) << algorithm;
    }
}

TEST(Determinism, TheOrderOfNodesInATraceDoesNotMatter)
{
    const trace::Folder folder;
    RunSetup setup;
    setup.document = star_document(2);
    std::vector<std::string> results;
    for (const bool reversed : {false, true}) {
        std::vector<std::vector<std::string>> ranks;
        for (int rank = 0; rank < 2; ++rank) {
            ranks.push_back({trace::comp(1, 3), trace::collective(2, 0, 4096).data({1}), trace::comp(3, 1 + rank),
                trace::collective(4, 2, 2048).data({2, 3})});
            if (reversed) std::reverse(ranks.back().begin(), ranks.back().end());
        }
        setup.lines = trace_lines(folder.write_set(ranks, reversed ? "b" : "a"));
        results.push_back(run(setup).dump());
    }
    EXPECT_EQ(results[0], results[1]);
}

}  // namespace determinism_test
