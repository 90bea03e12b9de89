#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace route_policy_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t bandwidth = 25'000'000'000;

void add_endpoint(Fabric& fabric, std::uint32_t router)
{
    const auto node = static_cast<std::uint32_t>(fabric.nodes.size());
    fabric.nodes.push_back({"e" + std::to_string(fabric.endpoints), static_cast<int>(fabric.endpoints), false});
    fabric.edges.push_back({router, node, bandwidth});
    ++fabric.endpoints;
}

// Switches with one endpoint each, first coordinate fastest; `closed`: every dimension is a ring.
Fabric grid(const std::vector<unsigned>& sizes, bool closed)
{
    Fabric fabric;
    unsigned count = 1;
    for (const unsigned size : sizes) count *= size;
    for (unsigned i = 0; i < count; ++i) fabric.nodes.push_back({"s" + std::to_string(i), -1, true});
    unsigned stride = 1;
    for (const unsigned size : sizes) {
        for (unsigned i = 0; i < count; ++i) {
            const unsigned at = i / stride % size;
            if (at + 1 < size) fabric.edges.push_back({i, i + stride, bandwidth});
            if (closed && size > 2 && at + 1 == size) fabric.edges.push_back({i, i - at * stride, bandwidth});
        }
        stride *= size;
    }
    for (unsigned i = 0; i < count; ++i) add_endpoint(fabric, i);
    return fabric;
}

unsigned grid_hops(const std::vector<unsigned>& sizes, bool closed, unsigned from, unsigned to)
{
    unsigned hops = 0;
    for (const unsigned size : sizes) {
        const unsigned a = from % size;
        const unsigned b = to % size;
        const unsigned direct = a > b ? a - b : b - a;
        hops += closed ? std::min(direct, size - direct) : direct;
        from /= size;
        to /= size;
    }
    return hops;
}

// Three tiers: pods of two leaves and two spines; spine s of every pod goes up to core s.
Fabric three_tiers(unsigned pods)
{
    Fabric fabric;
    for (unsigned c = 0; c < 2; ++c) fabric.nodes.push_back({"core" + std::to_string(c), -1, true});
    for (std::uint32_t p = 0; p < pods; ++p) {
        const std::uint32_t first = 2 + 4 * p;
        for (std::uint32_t s = 0; s < 2; ++s) fabric.nodes.push_back({"spine", -1, true});
        for (std::uint32_t l = 0; l < 2; ++l) fabric.nodes.push_back({"leaf", -1, true});
        for (std::uint32_t s = 0; s < 2; ++s) {
            fabric.edges.push_back({first + s, s, bandwidth});
            for (std::uint32_t l = 0; l < 2; ++l) fabric.edges.push_back({first + 2 + l, first + s, bandwidth});
        }
    }
    for (std::uint32_t p = 0; p < pods; ++p)
        for (std::uint32_t l = 0; l < 2; ++l) add_endpoint(fabric, 2 + 4 * p + 2 + l);
    return fabric;
}

RouteRules rules(RoutePolicy policy, std::vector<std::uint32_t> groups = {})
{
    RouteRules out;
    out.policy = policy;
    out.groups = std::move(groups);
    return out;
}

// Every pair of endpoints, over eight path hashes each: links between routers.
template <class Check>
void each_path(const Fabric& fabric, const Routing& routing, const Check& check)
{
    for (std::uint32_t a = 0; a < fabric.endpoints; ++a)
        for (std::uint32_t b = 0; b < fabric.endpoints; ++b)
            for (std::uint32_t line = 0; a != b && line < 8; ++line) {
                const std::vector<std::uint32_t> path = routing.path(a, b, line);
                ASSERT_GE(path.size(), 3u) << a << " to " << b;
                check(a, b, path);
            }
}

std::string mismatch(const Fabric& fabric, const RouteRules& with)
{
    try {
        Routing routing(fabric, with);
        return {};
    } catch (const RouteMismatch& error) {
        return error.what();
    }
}

// Random writes among all endpoints over links with room for one line of each channel.
void expect_drained(const Fabric& fabric, const RouteRules& with, unsigned vc_sets, unsigned lines)
{
    FabricSystem::Options options;
    options.link.request_credits = 1;
    options.link.response_credits = 1;
    options.link.vc_sets = vc_sets;
    options.routes = with;
    FabricSystem system(fabric, options);
    ASSERT_EQ(system.routing.vc_sets(), vc_sets);
    system.issue_random(lines, 7);
    sc_core::sc_start();
    system.expect_clean();
}

}  // namespace

TEST(RoutePolicy, DimensionOrderTakesTheSumOfDistancesAndHasNoCycle)
{
    const std::vector<std::vector<unsigned>> shapes = {{3}, {5}, {6}, {4, 4}, {5, 3}, {2, 6}, {4, 3, 5}, {2, 2, 2}};
    for (const std::vector<unsigned>& sizes : shapes)
        for (const bool closed : {false, true}) {
            const Fabric fabric = grid(sizes, closed);
            const Routing routing(fabric, rules(RoutePolicy::dimension_order));
            const unsigned largest = *std::max_element(sizes.begin(), sizes.end());
            EXPECT_EQ(routing.vc_sets(), closed && largest > 3 ? 2u : 1u);
            EXPECT_TRUE(routing.dependency_cycle().empty()) << sizes.size() << " " << closed;
            each_path(fabric, routing, [&](std::uint32_t a, std::uint32_t b, const std::vector<std::uint32_t>& path) {
                EXPECT_EQ(path.size() - 3, grid_hops(sizes, closed, a, b)) << a << " to " << b;
            });
        }
}

TEST(RoutePolicy, MinimalRoutesOfTheSameRingsHaveCycles)
{
    EXPECT_TRUE(Routing(grid({3}, true)).dependency_cycle().empty());
    for (const auto& sizes : {std::vector<unsigned>{5}, {6}, {4, 4}, {4, 3, 5}})
        EXPECT_FALSE(Routing(grid(sizes, true)).dependency_cycle().empty());
    // Minimal routes may turn everywhere, so a mesh is refused, too; dimension order forbids half of the turns.
    EXPECT_FALSE(Routing(grid({3, 3}, false)).dependency_cycle().empty());
}

TEST(RoutePolicy, FirstDimensionFirstAndVcSetOneUntilTheDateline)
{
    const Fabric fabric = grid({5, 4}, true);
    const Routing routing(fabric, rules(RoutePolicy::dimension_order));
    EXPECT_EQ(grid_sizes(fabric), (std::vector<std::uint32_t>{5, 4}));
    // From (3, 1) to (0, 2): over the dateline of the first dimension, then up the second.
    EXPECT_EQ(routing.path(8, 10, 0), (std::vector<std::uint32_t>{28, 8, 9, 5, 10, 30}));
    EXPECT_EQ(routing.vc_set(8, 10, 0), 1u);
    EXPECT_EQ(routing.vc_set(9, 10, 0), 1u);
    EXPECT_EQ(routing.vc_set(5, 10, 0), 0u);
    // Half way round the second dimension both ways are taken, one of them over its dateline.
    ASSERT_EQ(routing.ports_to(0, 10).size(), 2u);
    EXPECT_NE(routing.vc_set(0, 10, 0), routing.vc_set(0, 10, 1));
}

TEST(RoutePolicy, AllPairsLoadTheLinksOfATorusAlike)
{
    // An odd ring of n: every link direction carries (n^2 - 1) / 8 pairs per row, and every row has as many.
    const Fabric fabric = grid({5, 5}, true);
    const Routing routing(fabric, rules(RoutePolicy::dimension_order));
    std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> load;
    for (std::uint32_t a = 0; a < 25; ++a)
        for (std::uint32_t b = 0; b < 25; ++b) {
            if (a == b) continue;
            const std::vector<std::uint32_t> path = routing.path(a, b, 0);
            for (std::size_t i = 2; i + 1 < path.size(); ++i) ++load[{path[i - 1], path[i]}];
        }
    EXPECT_EQ(load.size(), 100u);
    for (const auto& [link, pairs] : load) EXPECT_EQ(pairs, 5u * 3) << link.first << " to " << link.second;
}

TEST(RoutePolicy, DimensionOrderRefusesWhatIsNoGrid)
{
    Fabric fabric = grid({4, 4}, true);
    RouteRules sized = rules(RoutePolicy::dimension_order);
    sized.sizes = {4, 5};
    EXPECT_NE(mismatch(fabric, sized).find("20 points, but 16"), std::string::npos);
    sized.sizes = {2, 8};
    EXPECT_NE(mismatch(fabric, sized).find("are not neighbours"), std::string::npos);
    sized.sizes = {4, 4};
    EXPECT_EQ(mismatch(fabric, sized), "");
    fabric.edges.erase(fabric.edges.begin() + 3);
    EXPECT_NE(mismatch(fabric, sized), "");
    EXPECT_NE(mismatch(fabric, rules(RoutePolicy::dimension_order)).find("no mesh, ring or torus"), std::string::npos);
    EXPECT_NE(mismatch(three_tiers(3), rules(RoutePolicy::dimension_order)), "");
}

TEST(RoutePolicy, UpDownJoinsAllPairsWithoutACycleOnAnything)
{
    std::vector<std::uint32_t> groups;
    std::vector<Fabric> fabrics = {grid({5}, true), grid({6}, true), grid({4, 4}, true), grid({3, 3}, false),
        three_tiers(4), dragonfly_of(2, 4, 2, groups), star(5)};
    std::mt19937 random(11);
    for (unsigned i = 0; i < 40; ++i) {
        Fabric fabric;
        const unsigned count = 2 + random() % 12;
        for (unsigned s = 0; s < count; ++s) fabric.nodes.push_back({"s" + std::to_string(s), -1, true});
        for (std::uint32_t s = 1; s < count; ++s)
            fabric.edges.push_back({s, static_cast<std::uint32_t>(random() % s), bandwidth});
        for (unsigned extra = random() % 10; extra > 0; --extra) {
            const auto a = static_cast<std::uint32_t>(random() % count);
            const auto b = static_cast<std::uint32_t>(random() % count);
            if (a != b) fabric.edges.push_back({a, b, bandwidth * (1 + random() % 3)});
        }
        for (unsigned e = 0; e < 6; ++e) add_endpoint(fabric, static_cast<std::uint32_t>(random() % count));
        fabrics.push_back(std::move(fabric));
    }
    for (const Fabric& fabric : fabrics) {
        const Routing routing(fabric, rules(RoutePolicy::up_down));
        EXPECT_EQ(routing.vc_sets(), 1u);
        EXPECT_TRUE(routing.dependency_cycle().empty());
        std::vector<std::uint32_t> node_of(fabric.endpoints);
        for (std::uint32_t e = 0; e < fabric.endpoints; ++e) node_of[e] = routing.node_of(e);
        const std::vector<std::uint32_t> rank = up_down_ranks(fabric, node_of);
        each_path(fabric, routing, [&](std::uint32_t, std::uint32_t, const std::vector<std::uint32_t>& path) {
            bool down = false;
            for (std::size_t i = 1; i < path.size(); ++i) {
                const bool now_down = rank[path[i]] > rank[path[i - 1]];
                EXPECT_TRUE(now_down || !down) << "up after down";
                down = now_down;
            }
        });
    }
}

TEST(RoutePolicy, UpDownOfATreeIsMinimalAndUsesEverySpine)
{
    const Fabric fabric = three_tiers(3);
    const Routing up_down(fabric, rules(RoutePolicy::up_down));
    const Routing minimal(fabric);
    for (std::uint32_t n = 0; n < fabric.nodes.size(); ++n)
        for (std::uint32_t d = 0; d < fabric.endpoints; ++d)
            if (fabric.nodes[n].endpoint >= 0) {
                EXPECT_EQ(up_down.ports_to(n, d), minimal.ports_to(n, d));
            }
    EXPECT_EQ(up_down.path(0, 1, 0).size(), 5u);
    EXPECT_EQ(up_down.path(0, 2, 0).size(), 7u);
    EXPECT_EQ(up_down.ports_to(4, 5).size(), 2u);
}

TEST(RoutePolicy, DragonflyTakesThreeLinksAtMost)
{
    for (const unsigned h : {1u, 2u}) {
        std::vector<std::uint32_t> groups;
        const Fabric fabric = dragonfly_of(h, 2 * h, h, groups);
        const Routing routing(fabric, rules(RoutePolicy::dragonfly_minimal, groups));
        EXPECT_EQ(routing.vc_sets(), 2u);
        EXPECT_TRUE(routing.dependency_cycle().empty());
        each_path(fabric, routing, [&](std::uint32_t, std::uint32_t, const std::vector<std::uint32_t>& path) {
            EXPECT_LE(path.size() - 3, 3u);
            unsigned global = 0;
            for (std::size_t i = 2; i + 1 < path.size(); ++i) global += groups[path[i - 1]] != groups[path[i]];
            EXPECT_EQ(global, groups[path[1]] == groups[path[path.size() - 2]] ? 0u : 1u);
        });
    }
    std::vector<std::uint32_t> groups;
    Fabric fabric = dragonfly_of(2, 4, 2, groups);
    EXPECT_FALSE(Routing(fabric).dependency_cycle().empty());  // the same links without VC sets
    EXPECT_NE(mismatch(fabric, rules(RoutePolicy::dragonfly_minimal)), "");
    EXPECT_NE(mismatch(grid({4, 4}, true), rules(RoutePolicy::dragonfly_minimal, std::vector<std::uint32_t>(32, 0))),
        "");
    fabric.edges.erase(fabric.edges.begin());
    EXPECT_NE(mismatch(fabric, rules(RoutePolicy::dragonfly_minimal, groups)).find("not joined"), std::string::npos);
}

TEST(RoutePolicy, ATorusInOneVcSetIsACycleOfItsOwnLinks)
{
    const Routing ring(grid({5}, true), rules(RoutePolicy::dimension_order));
    EXPECT_TRUE(ring.dependency_cycle().empty());
    const std::vector<std::string> cycle = ring.dependency_cycle(1);
    EXPECT_EQ(std::set<std::string>(cycle.begin(), cycle.end()),
        (std::set<std::string>{"s0 -> s1", "s1 -> s2", "s2 -> s3", "s3 -> s4", "s4 -> s0"}));
    const Routing torus(grid({4, 5}, true), rules(RoutePolicy::dimension_order));
    const std::vector<std::string> along = torus.dependency_cycle(1);
    ASSERT_FALSE(along.empty());
    for (const std::string& link : along) EXPECT_EQ(link.find('e'), std::string::npos) << link;
}

TEST(RoutePolicy, ThousandEndpointsWithinSeconds)
{
    const auto start = std::chrono::steady_clock::now();
    const Routing torus(grid({10, 10, 10}, true), rules(RoutePolicy::dimension_order));
    EXPECT_EQ(torus.path(0, 999, 0).size(), 6u);
    const Routing up_down(grid({10, 10, 10}, true), rules(RoutePolicy::up_down));
    EXPECT_TRUE(up_down.reachable(0, 999));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(RoutePolicy, ATorusWithOneCreditPerChannelDrains)
{
    expect_drained(grid({4, 5}, true), rules(RoutePolicy::dimension_order), 2, 60);
}

TEST(RoutePolicy, ARingWithUpDownAndOneCreditDrains)
{
    expect_drained(grid({6}, true), rules(RoutePolicy::up_down), 1, 200);
}

TEST(RoutePolicy, ADragonflyWithOneCreditPerChannelDrains)
{
    std::vector<std::uint32_t> groups;
    const Fabric fabric = dragonfly_of(2, 4, 2, groups);
    expect_drained(fabric, rules(RoutePolicy::dragonfly_minimal, groups), 2, 30);
}

}  // namespace route_policy_test
