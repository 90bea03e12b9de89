// Dragonfly routes by way of a random group: their shape, and what they gain and cost under load.
//
// Loads in lines per endpoint and line time, for the canonical dragonfly a = 2p = 2h with links of one rate:
//   all of a group to the next group   minimal: a*p endpoints share the one link between the two groups: 1 / (a p).
//                                      By way of a random group every link between groups carries a first and a
//                                      second hop, p/h of the load each: 1/2.
//   uniform                            minimal: only the endpoints' own links limit, 1. By way of a random group: of the
//                                      lines that leave their group (n - a p of n - 1 destinations) those whose
//                                      random group is not the right one, a h - 1 of a h, take two links between
//                                      groups: 1 / ((n - a p) / (n - 1) * (2 - 1 / (a h))).
#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace valiant_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr unsigned p = 2;
constexpr unsigned a = 4;
constexpr unsigned h = 2;

RouteRules rules(RoutePolicy policy, const std::vector<std::uint32_t>& groups)
{
    RouteRules out;
    out.policy = policy;
    out.groups = groups;
    return out;
}

// Lines per endpoint and line time that arrive while all sources still have lines to send. A line is all that is on
// the wires: answers are free. `most`: no source gets through with its lines before the end at such a load.
double throughput(RoutePolicy policy, bool adversarial, double most = 1)
{
    std::vector<std::uint32_t> groups;
    const Fabric fabric = dragonfly_of(p, a, h, groups);
    FabricSystem::Options options;
    options.link.header = 0;
    options.link.latency = 10'000;
    options.switches.latency = 10'000;
    options.link.vc_sets = policy == RoutePolicy::dragonfly_valiant ? 3 : 2;
    options.link.request_credits = 64;
    options.link.response_credits = 64;
    options.routes = rules(policy, groups);
    FabricSystem system(fabric, options);
    std::mt19937 random(7);
    const auto lines = static_cast<unsigned>(1800 * most);
    for (unsigned i = 0; i < lines; ++i)
        for (std::uint32_t e = 0; e < fabric.endpoints; ++e) {
            std::uint32_t to = 0;
            if (adversarial) {
                to = (e / (a * p) + 1) * a * p % fabric.endpoints + static_cast<std::uint32_t>(random() % (a * p));
            } else {
                to = (e + 1 + static_cast<std::uint32_t>(random() % (fabric.endpoints - 1))) % fabric.endpoints;
            }
            system.endpoints[e]->issue(0, LineOp::write, to, 64 * i);
        }
    sc_core::sc_start();
    system.expect_clean();
    constexpr Time line = 2560;  // 64 B at 25 GB/s
    constexpr Time begin = 700 * line;
    constexpr Time end = 1700 * line;
    double served = 0;
    std::vector<unsigned> begun(fabric.endpoints);  // lines of each source that were there by then
    for (const auto& endpoint : system.endpoints)
        for (const Endpoint::Record& record : endpoint->served)
            if (record.at < end) ++begun.at(record.source);
    for (const unsigned count : begun) EXPECT_LT(count, lines);
    for (const auto& endpoint : system.endpoints)
        for (const Endpoint::Record& record : endpoint->served) served += record.at >= begin && record.at < end ? 1 : 0;
    return served / fabric.endpoints / 1000;
}

}  // namespace

TEST(Valiant, AtMostFiveLinksTwoOfThemBetweenGroupsAndVcSetsThatRise)
{
    for (const unsigned size : {1U, 2U, 3U}) {
        std::vector<std::uint32_t> groups;
        const Fabric fabric = dragonfly_of(size, 2 * size, size, groups);
        const Routing routing(fabric, rules(RoutePolicy::dragonfly_valiant, groups));
        EXPECT_EQ(routing.vc_sets(), 3U);
        EXPECT_EQ(routing.phases(), 3U);
        EXPECT_TRUE(routing.dependency_cycle().empty());
        EXPECT_FALSE(routing.dependency_cycle(1).empty());
        EXPECT_FALSE(routing.dependency_cycle(2).empty());
        std::size_t longest = 0;
        for (std::uint32_t from = 0; from < fabric.endpoints; ++from)
            for (std::uint32_t to = 0; to < fabric.endpoints; ++to)
                for (std::uint32_t line = 0; from != to && line < 4; ++line) {
                    const std::vector<Routing::Step> steps = routing.steps(from, to, line);
                    const std::vector<std::uint32_t> path = routing.path(from, to, line);
                    ASSERT_EQ(path.size(), steps.size() + 1);
                    ASSERT_EQ(path.back(), routing.node_of(to));
                    longest = std::max(longest, path.size() - 3);
                    unsigned between = 0;
                    for (std::size_t i = 2; i + 1 < path.size(); ++i) {
                        between += groups[path[i - 1]] != groups[path[i]] ? 1 : 0;
                        if (i > 2) {
                            EXPECT_GE(steps[i - 1].vc_set, steps[i - 2].vc_set);
                        }
                    }
                    if (groups[path[1]] == groups[path[path.size() - 2]]) {
                        EXPECT_EQ(between, 0U);
                        EXPECT_LE(path.size() - 3, 1U);
                    } else {
                        EXPECT_TRUE(between == 1 || between == 2) << between;
                    }
                }
        EXPECT_EQ(longest, 5U) << size;
    }
}

// Uniform traffic, lines per endpoint: what a link between groups, and one between switches of a group, carry on the average of their
// kind. Both are the same for all links of a kind, which shows in the busiest one.
TEST(Valiant, LinksInAGroupAndBetweenGroupsCarryWhatTheFormulasSay)
{
    struct Shape {
        unsigned a, p, h;
    };
    for (const Shape& shape : {Shape{2, 1, 1}, Shape{4, 1, 1}, Shape{3, 2, 2}, Shape{4, 2, 2}, Shape{4, 2, 1}}) {
        std::vector<std::uint32_t> groups;
        const Fabric fabric = dragonfly_of(shape.p, shape.a, shape.h, groups);
        for (const bool random : {false, true}) {
            const Routing routing(fabric,
                rules(random ? RoutePolicy::dragonfly_valiant : RoutePolicy::dragonfly_minimal, groups));
            const std::uint32_t n = fabric.endpoints;
            const unsigned lines = random ? 4000 / n : 1;
            std::map<std::pair<std::uint32_t, std::uint32_t>, double> carried;
            for (std::uint32_t from = 0; from < n; ++from)
                for (std::uint32_t to = 0; to < n; ++to)
                    for (std::uint32_t line = 0; from != to && line < lines; ++line) {
                        const std::vector<std::uint32_t> path = routing.path(from, to, line);
                        for (std::size_t i = 2; i + 1 < path.size(); ++i)
                            carried[{path[i - 1], path[i]}] += 1.0 / lines / (n - 1);
                    }
            double between = 0;
            double inside = 0;
            double most_between = 0;
            double most_inside = 0;
            for (const auto& [link, load] : carried) {
                const bool leaves = groups[link.first] != groups[link.second];
                (leaves ? between : inside) += load;
                double& most = leaves ? most_between : most_inside;
                most = std::max(most, load);
            }
            const double group_count = shape.a * shape.h + 1;
            const double leaving = (n - shape.a * shape.p) / (n - 1.0);
            const double turns = random ? 2 - 1.0 / (shape.a * shape.h) : 1;
            const double expected_between = shape.p * leaving * turns / shape.h;
            const double expected_inside =
                shape.p * ((random ? 3 : 2) * leaving / shape.a + static_cast<double>(shape.p) / (n - 1));
            SCOPED_TRACE(::testing::Message() << shape.a << " " << shape.p << " " << shape.h << " " << random);
            EXPECT_NEAR(between / (group_count * shape.a * shape.h), expected_between, 0.01 * expected_between);
            EXPECT_NEAR(inside / (group_count * shape.a * (shape.a - 1)), expected_inside, 0.01 * expected_inside);
            EXPECT_NEAR(most_between, expected_between, 0.1 * expected_between);
            EXPECT_NEAR(most_inside, expected_inside, (random ? 0.1 : 0.5) * expected_inside);
        }
    }
}

TEST(Valiant, TheFirstGroupIsDrawnEvenlyAndTheSameEachTime)
{
    std::vector<std::uint32_t> groups;
    const Fabric fabric = dragonfly_of(p, a, h, groups);
    RouteRules with = rules(RoutePolicy::dragonfly_valiant, groups);
    const Routing routing(fabric, with);
    const Routing again(fabric, with);
    with.seed = 2;
    const Routing other(fabric, with);
    const auto first_group = [&](const std::vector<std::uint32_t>& path) {
        std::size_t i = 1;
        while (groups[path[i]] == groups[path[1]]) ++i;
        return groups[path[i]];
    };
    constexpr std::uint32_t lines = 8000;
    std::map<std::uint32_t, double> drawn;
    unsigned differ = 0;
    for (std::uint32_t line = 0; line < lines; ++line) {
        const std::vector<std::uint32_t> path = routing.path(0, 8 * 4, line);
        EXPECT_EQ(path, again.path(0, 8 * 4, line));
        differ += path != other.path(0, 8 * 4, line) ? 1 : 0;
        drawn[first_group(path)] += 1;
    }
    EXPECT_GT(differ, lines / 2);
    // Each of the 8 other groups, the destination's among them; chi-square of 7 degrees, 1 in 1000: 24.3.
    ASSERT_EQ(drawn.size(), a * h);
    double chi = 0;
    for (const auto& [group, count] : drawn) chi += (count - 1000) * (count - 1000) / 1000;
    EXPECT_LT(chi, 24.3);
}

TEST(Valiant, MinimalGivesAnEighthToTheNextGroup)
{
    const double bound = 1.0 / (a * p);
    const double load = throughput(RoutePolicy::dragonfly_minimal, true, 2 * bound);
    EXPECT_LE(load, bound * 1.001);
    EXPECT_GE(load, bound * 0.98);
    RecordProperty("load", std::to_string(load));
}

TEST(Valiant, ARandomGroupGivesNearlyHalfToTheNextGroup)
{
    const double load = throughput(RoutePolicy::dragonfly_valiant, true, 0.75);
    EXPECT_LE(load, 0.5);
    EXPECT_GE(load, 0.49);
    RecordProperty("load", std::to_string(load));
}

TEST(Valiant, MinimalGivesNearlyAllToUniformTraffic)
{
    const double load = throughput(RoutePolicy::dragonfly_minimal, false);
    EXPECT_LE(load, 1.0);
    EXPECT_GE(load, 0.95);
    RecordProperty("load", std::to_string(load));
}

TEST(Valiant, ARandomGroupCostsUniformTrafficNearlyHalf)
{
    constexpr double n = a * p * (a * h + 1);
    const double bound = 1 / ((n - a * p) / (n - 1) * (2 - 1.0 / (a * h)));
    const double load = throughput(RoutePolicy::dragonfly_valiant, false);
    EXPECT_LE(load, bound * 1.001);
    EXPECT_GE(load, bound * 0.97);
    RecordProperty("load", std::to_string(load));
}

namespace {

void expect_drained(bool crossbar, unsigned vc_sets)
{
    std::vector<std::uint32_t> groups;
    const Fabric fabric = dragonfly_of(p, a, h, groups);
    FabricSystem::Options options;
    options.link.request_credits = 1;
    options.link.response_credits = 1;
    options.link.vc_sets = vc_sets;
    options.routes = rules(RoutePolicy::dragonfly_valiant, groups);
    options.crossbar = crossbar;
    FabricSystem system(fabric, options);
    system.issue_random(60, 3);
    sc_core::sc_start();
    system.expect_clean();
}

}  // namespace

TEST(Valiant, DrainsWithOneCreditPerChannel) { expect_drained(false, 3); }
TEST(Valiant, DrainsThroughScheduledCrossbars) { expect_drained(true, 3); }
TEST(Valiant, DrainsWithAVcSetToSpare) { expect_drained(true, 4); }

}  // namespace valiant_test
