#include <map>
#include <set>

#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace routing_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t bandwidth = 25'000'000'000;

// A ring of switches with one endpoint each.
Fabric ring(unsigned count)
{
    Fabric fabric;
    fabric.endpoints = count;
    for (unsigned i = 0; i < count; ++i) fabric.nodes.push_back({"s" + std::to_string(i), -1, true});
    for (unsigned i = 0; i < count; ++i) {
        fabric.nodes.push_back({"e" + std::to_string(i), static_cast<int>(i), false});
        fabric.edges.push_back({i, count + i, bandwidth});
        fabric.edges.push_back({i, (i + 1) % count, bandwidth});
    }
    return fabric;
}

// `leaves` leaf switches of `down` endpoints each, all joined to each of `spines`.
Fabric tree(unsigned leaves, unsigned down, unsigned spines)
{
    Fabric fabric;
    fabric.endpoints = leaves * down;
    for (unsigned s = 0; s < spines; ++s) fabric.nodes.push_back({"spine" + std::to_string(s), -1, true});
    for (unsigned l = 0; l < leaves; ++l) {
        const auto leaf = static_cast<std::uint32_t>(fabric.nodes.size());
        fabric.nodes.push_back({"leaf" + std::to_string(l), -1, true});
        for (unsigned s = 0; s < spines; ++s) fabric.edges.push_back({leaf, s, bandwidth});
        for (unsigned d = 0; d < down; ++d) {
            fabric.edges.push_back({leaf, static_cast<std::uint32_t>(fabric.nodes.size()), bandwidth});
            fabric.nodes.push_back({"e" + std::to_string(l * down + d), static_cast<int>(l * down + d), false});
        }
    }
    return fabric;
}

// Endpoints joined pairwise.
Fabric mesh(unsigned count)
{
    Fabric fabric;
    fabric.endpoints = count;
    for (unsigned i = 0; i < count; ++i) fabric.nodes.push_back({"e" + std::to_string(i), static_cast<int>(i), false});
    for (unsigned i = 0; i < count; ++i)
        for (unsigned k = i + 1; k < count; ++k) fabric.edges.push_back({i, k, bandwidth});
    return fabric;
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string out;
    for (const std::string& part : parts) out += part + "\n";
    return out;
}

// Each channel ends where the next begins, and the last where the first begins.
void expect_closed(const std::vector<std::string>& cycle)
{
    ASSERT_GE(cycle.size(), 2u);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const std::string& next = cycle[(i + 1) % cycle.size()];
        const std::string to = cycle[i].substr(cycle[i].find(" -> ") + 4);
        EXPECT_EQ(to, next.substr(0, next.find(" -> "))) << joined(cycle);
    }
}

}  // namespace

TEST(Routing, ARingOfSixSwitchesIsRefusedWithItsCycle)
{
    const std::vector<std::string> cycle = Routing(ring(6)).dependency_cycle();
    EXPECT_EQ(cycle.size(), 6u) << joined(cycle);
    expect_closed(cycle);
    EXPECT_NE(joined(cycle).find("s3 -> s4\n"), std::string::npos) << joined(cycle);
}

TEST(Routing, TheRefusedRingReallyDeadlocks)
{
    FabricSystem::Options options;
    options.link.request_credits = 1;
    FabricSystem system(ring(6), options);
    for (unsigned i = 0; i < 200; ++i)
        for (unsigned e = 0; e < 6; ++e) system.endpoints[e]->issue(0, LineOp::write, (e + 2) % 6, 64 * i);
    sc_core::sc_start();
    EXPECT_GT(system.pool.live(), 0u);  // and yet the run has ended by itself
    EXPECT_EQ(system.checkers.problems(), 0u);
    std::string blocked;
    for (unsigned s = 0; s < 6; ++s)
        for (unsigned p = 0; p < 3; ++p) blocked += system.switches[s]->output(p).describe() + ";";
    EXPECT_NE(blocked.find("write packets wait for a credit"), std::string::npos) << blocked;
}

TEST(Routing, TreesStarsAndDirectMeshesAreAccepted)
{
    for (const Fabric& fabric : {star(8), tree(4, 4, 1), tree(4, 4, 3), mesh(8), two_ends(), ring(3)}) {
        const Routing routing(fabric);
        EXPECT_EQ(joined(routing.dependency_cycle()), "");
        for (unsigned a = 0; a < fabric.endpoints; ++a)
            for (unsigned b = 0; b < fabric.endpoints; ++b) EXPECT_TRUE(routing.reachable(a, b));
    }
}

TEST(Routing, FewestHopsThenTheWidestPath)
{
    // e0 - a - e1 (narrow first edge), e0 - b - e1 (wide), e0 - c - d - e1 (widest but longer).
    Fabric fabric;
    fabric.endpoints = 2;
    fabric.nodes = {{"e0", 0, false}, {"e1", 1, false}, {"a", -1, true}, {"b", -1, true}, {"c", -1, true},
        {"d", -1, true}};
    fabric.edges = {{0, 2, 50}, {2, 1, 400}, {0, 3, 100}, {3, 1, 100}, {0, 4, 900}, {4, 5, 900}, {5, 1, 900}};
    const Routing routing(fabric);
    EXPECT_EQ(routing.ports_to(0, 1), (std::vector<std::uint16_t>{1}));
    EXPECT_EQ(routing.path(0, 1, 17), (std::vector<std::uint32_t>{0, 3, 1}));
    EXPECT_EQ(routing.path(1, 0, 17), (std::vector<std::uint32_t>{1, 3, 0}));
    const std::vector<bool> nodes = routing.used_nodes();
    EXPECT_EQ(nodes, (std::vector<bool>{true, true, false, true, false, false}));
    const std::vector<bool> edges = routing.used_edges();
    EXPECT_EQ(edges, (std::vector<bool>{false, false, true, true, false, false, false}));
}

TEST(Routing, WidthOfAPathIsItsNarrowestEdgeHoweverFarAway)
{
    // Two routes out of e0 look alike; behind one of them the second hop is narrow.
    Fabric fabric;
    fabric.endpoints = 2;
    fabric.nodes = {{"e0", 0, false}, {"e1", 1, false}, {"a", -1, true}, {"b", -1, true}};
    fabric.edges = {{0, 2, 100}, {0, 3, 100}, {2, 1, 10}, {3, 1, 90}, {3, 1, 90}};
    const Routing routing(fabric);
    EXPECT_EQ(routing.ports_to(0, 1), (std::vector<std::uint16_t>{1}));
    EXPECT_EQ(routing.ports_to(3, 1).size(), 2u);  // parallel edges are equal routes
}

TEST(Routing, EndpointsPassNobodyOn)
{
    Fabric fabric;
    fabric.endpoints = 3;
    fabric.nodes = {{"e0", 0, false}, {"e1", 1, false}, {"e2", 2, false}};
    fabric.edges = {{0, 1, 100}, {1, 2, 100}};
    const Routing routing(fabric);
    EXPECT_TRUE(routing.reachable(0, 1));
    EXPECT_TRUE(routing.reachable(2, 1));
    EXPECT_FALSE(routing.reachable(0, 2));
    EXPECT_TRUE(routing.path(0, 2, 0).empty());
    fabric.nodes[1].forwards = true;
    EXPECT_TRUE(Routing(fabric).reachable(0, 2));
}

TEST(Routing, LinesSpreadExactlyEvenlyOverEqualPaths)
{
    const Fabric fabric = tree(2, 1, 3);
    const Routing routing(fabric);
    std::map<std::uint32_t, unsigned> spine;
    for (std::uint32_t line = 0; line < 3000; ++line) ++spine[routing.path(0, 1, line)[2]];
    ASSERT_EQ(spine.size(), 3u);
    for (const auto& [node, count] : spine) EXPECT_EQ(count, 1000u) << fabric.nodes[node].name;
}

TEST(Routing, ChoicesAtSuccessiveModulesAreIndependent)
{
    // Two parallel edges at each of three hops: eight routes, each taken equally often.
    Fabric fabric;
    fabric.endpoints = 2;
    fabric.nodes = {{"e0", 0, false}, {"e1", 1, false}, {"a", -1, true}, {"b", -1, true}};
    for (unsigned twice = 0; twice < 2; ++twice) {
        fabric.edges.push_back({0, 2, bandwidth});
        fabric.edges.push_back({2, 3, bandwidth});
        fabric.edges.push_back({3, 1, bandwidth});
    }
    FabricSystem::Options options;
    FabricSystem system(fabric, options);
    for (unsigned i = 0; i < 800; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    for (const auto& link : system.links) EXPECT_EQ(link->direction(0).lines, 400u);
    std::map<std::string, unsigned> routes;
    for (std::uint32_t i = 0; i < 8; ++i) {
        Line& line = system.pool.take();
        line.begin(LineOp::read, global_address(1, 64 * i), 64);
        std::string route;
        for (unsigned hop = 0; hop < 3; ++hop) route += std::to_string(line.pick(2));
        ++routes[route];
        system.pool.give(line);
    }
    EXPECT_EQ(routes.size(), 8u);
}

TEST(Routing, MeasuredBytesOnEverySpineAreEqual)
{
    FabricSystem::Options options;
    FabricSystem system(tree(2, 4, 2), options);
    for (unsigned e = 0; e < 4; ++e)
        for (unsigned i = 0; i < 128; ++i) system.endpoints[e]->issue(0, LineOp::write, 4 + e, 64 * i);
    sc_core::sc_start();
    system.expect_clean();
    EXPECT_EQ(system.links[0]->direction(0).wire_bytes, 4u * 64 * 80);
    EXPECT_EQ(system.links[1]->direction(0).wire_bytes, 4u * 64 * 80);
}

}  // namespace routing_test
