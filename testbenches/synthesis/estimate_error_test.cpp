// Estimates against simulation over all algorithms that auto may choose: behind switches, on a mesh, in two servers. What is tested
// is the estimate itself; whether the choice is good is in choice_run_test.cpp and in the table of docs/synthesis.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"
#include "testbenches/synthesis/documents.h"

namespace estimate_error_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Case {
    std::string name;
    std::string document;
    std::string lines;
};

// Share of the simulated time by which estimates may be off: each of them, and on the average.
constexpr double most = 0.2;
constexpr double mean = 0.1;
// Every rank loads everything from all others: what meets at one port is left out of the estimate of a long message.
constexpr double most_of_one_shot_loads = 0.55;
bool is_one_shot_load(const std::string& name) { return name == "one_shot_get" || name == "one_shot_staged"; }

RunSetup setup(const Case& at, const std::string& algorithm, const std::string& bytes)
{
    RunSetup out;
    out.document = at.document;
    out.lines = at.lines + collective_lines("all_reduce", algorithm, bytes);
    out.options.data_on = false;
    return out;
}

struct Errors {
    unsigned algorithms = 0;
    double mean = 0;
    double most = 0;            // but for loads of everything
    double one_shot_loads = 0;  // of these
    std::string text;
};

// How far estimates are from simulated times, over the algorithms that have an estimate: all of them, or one in `every`. `sets`: parameters
// of the simulated runs that the estimates do not know.
Errors errors_of(const Case& at, const std::string& bytes, const std::vector<std::string>& sets = {},
    std::uint64_t every = 1)
{
    Errors out;
    const Json chosen = run(setup(at, "auto", bytes));
    if (!chosen.contains("choice")) {
        ADD_FAILURE() << chosen.dump().substr(0, 300);
        return out;
    }
    // By name: which are left out must not depend on prices.
    std::vector<Json> all = chosen["choice"]["priced"].get<std::vector<Json>>();
    std::sort(all.begin(), all.end(), [](const Json& a, const Json& b) { return a["algorithm"] < b["algorithm"]; });
    std::uint64_t number = 0;
    for (const Json& priced : all) {
        if (number++ % every != 0) continue;
        const std::string name = priced["algorithm"];
        if (name.find(' ') != std::string::npos) continue;  // rings along the graph are no algorithm by name
        RunSetup named = setup(at, name, bytes);
        named.sets = sets;
        const Json result = run(named);
        EXPECT_EQ(result.value("stop", ""), "finished") << name;
        const double error = priced["time_ps"].get<double>() / result.value("simulated_ps", 0.0) - 1;
        ++out.algorithms;
        out.mean += std::abs(error);
        double& largest = is_one_shot_load(name) ? out.one_shot_loads : out.most;
        largest = std::max(largest, std::abs(error));
        out.text += fmt::format("{} {:+.1f} %, ", name, 100 * error);
    }
    out.mean /= std::max(1U, out.algorithms);
    return out;
}

Case boxes() { return {"behind switches", example("dgx_h100"), "profile: generic\n"}; }
Case mesh()
{
    return {"mesh", std::string(WEFT_SOURCE_DIR) + "/examples/mesh_mi300x/mesh_mi300x.yaml",
        "bind: [{nodes: {component: xpu}, model: gpu}]\n"};
}
Case two_servers()
{
    return {"two servers", std::string(WEFT_SOURCE_DIR) + "/examples/two_hosts/two_hosts.yaml",
        "bind: [{nodes: {component: nic}, kind: nic}]\nlinks: {ic: {protocol: ic}}\n"};
}

// By default every other algorithm.
void are_near(const Case& at, const std::string& bytes, unsigned algorithms, double loads = most)
{
    const std::uint64_t every = weft::test::by_default(2, 1);
    const Errors errors = errors_of(at, bytes, {}, every);
    EXPECT_GE(errors.algorithms, algorithms / every - 1) << at.name;
    EXPECT_LE(errors.most, most) << at.name << " " << bytes << ": " << errors.text;
    EXPECT_LE(errors.mean, mean) << at.name << " " << bytes << ": " << errors.text;
    EXPECT_LE(errors.one_shot_loads, loads) << at.name << " " << bytes << ": " << errors.text;
}

}  // namespace

TEST(EstimateErrors, OfAllAlgorithmsBehindSwitches) { are_near(boxes(), "16 KiB", 20); }
TEST(EstimateErrors, OfAllAlgorithmsOnAMesh) { are_near(mesh(), "16 KiB", 15); }
TEST(EstimateErrors, OfAllAlgorithmsInTwoServers) { are_near(two_servers(), "16 KiB", 10); }

TEST(EstimateErrors, OfLongMessagesBehindSwitches) { are_near(boxes(), "256 KiB", 20, most_of_one_shot_loads); }
TEST(EstimateErrors, OfLongMessagesInTwoServers) { are_near(two_servers(), "256 KiB", 10); }
TEST(EstimateErrors, OfLongMessagesOnAMesh) { are_near(mesh(), "256 KiB", 15, most_of_one_shot_loads); }

// Two leaves under four spines: with one path for all pairs of a leaf, seven links of eight idle.
TEST(EstimateErrors, FollowWhatSelectsAmongEqualPaths)
{
    for (const char* selection : {"lines", "round_robin", "pairs", "none"}) {
        const auto place = fat_tree_place(2, 4, 4);
        const auto result = [&](const std::string& algorithm) {
            RunSetup out;
            out.document = place.document;
            out.lines = "profile: generic\n" + collective_lines("all_reduce", algorithm, "256 KiB");
            out.sets = place.sets;
            out.sets.push_back(std::string("routing.path_selection=") + selection);
            out.options.data_on = false;
            return run(out);
        };
        const Json chosen = result("auto");
        ASSERT_TRUE(chosen.contains("choice")) << chosen.dump().substr(0, 300);
        double best = chosen["simulated_ps"].get<double>();
        for (const char* name : {"direct", "two_shot_get", "ring", "halving_doubling"})
            for (const Json& priced : chosen["choice"]["priced"]) {
                if (priced["algorithm"] != name) continue;
                const auto simulated = result(name)["simulated_ps"].get<double>();
                best = std::min(best, simulated);
                EXPECT_NEAR(priced["time_ps"].get<double>() / simulated, 1, most) << selection << " " << name;
            }
        EXPECT_LE(chosen["simulated_ps"].get<double>(), 1.1 * best) << selection;
    }
}

TEST(EstimateErrors, OfAnotherSystemAreFound)
{
    // Estimates of one latency of links are none of another: by default a few algorithms show it.
    const Errors errors = errors_of(mesh(), "4 KiB", {"link.latency=2 us"}, weft::test::by_default(4, 1));
    EXPECT_GE(errors.algorithms, 3U);
    EXPECT_GT(errors.most, most);
    EXPECT_GT(errors.mean, mean);
}

}  // namespace estimate_error_test
