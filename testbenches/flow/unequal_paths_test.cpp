// Equal paths of unequal latencies: flow fidelity, estimates and the alpha-beta figure take the slowest.
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"

namespace unequal_paths_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Four accelerators, each on two switches by links of their own.
const std::string two_planes = R"(name: planes
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 4, description: accelerator}
  - {name: first, choice: switch, count: 1, description: switch}
  - {name: second, choice: switch, count: 1, description: switch}
  links:
  - {name: near, description: plain, physical: {bandwidth: {gigabytes_per_second: 64}, latency: {ns: 100}}}
  - {name: far, description: plain, physical: {bandwidth: {gigabytes_per_second: 64}, latency: {ns: 100}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: first}, scheme: many2many, link: near}
  - {ep1: {component: xpu}, ep2: {component: second}, scheme: many2many, link: far}
instances:
- {name: b, device: box, count: 1}
)";

struct Times {
    double line = 0;
    double flow = 0;
    double alpha = 0;  // of the alpha-beta figure
};

Times times(const std::string& algorithm, const std::vector<std::string>& sets,
    const std::string& document = two_planes, const std::string& work = "all_gather",
    const std::string& size = "16 KiB")
{
    RunSetup setup;
    setup.document = document;
    setup.lines =
        "profile: generic\nworkload: {collective: " + work + ", algorithm: " + algorithm + ", bytes: " + size + "}\n";
    setup.sets = sets;
    setup.options.data_on = false;
    setup.options.progress = false;
    const std::string text = in_timed_child(
        [&] {
            const double flow = static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps);
            const RunResult line = run_here(setup);
            return std::to_string(line.simulated_ps) + " " + std::to_string(flow) + " " +
                std::to_string(line.theory ? line.theory->alpha_ps : 0);
        },
        60);
    const std::size_t second = text.find(' ');
    const std::size_t third = text.find(' ', second + 1);
    return {std::stod(text), std::stod(text.substr(second)), std::stod(text.substr(third))};
}

}  // namespace

// Whichever of the two is slow, also by its switch.
TEST(UnequalPaths, TakeTheTimeOfTheSlowest)
{
    const Times equal = times("direct", {});
    for (const char* slow : {"links.near.latency=3us", "links.far.latency=3us"}) {
        const Times found = times("direct", {slow});
        EXPECT_NEAR(found.flow / found.line, 1, 0.01) << slow;
        // Data and a signal pass two links each, and so do their acknowledges; the figure leaves out the last one.
        EXPECT_NEAR(found.line - equal.line, 8 * 2.9e6, 0.05e6) << slow;
        EXPECT_NEAR(found.flow - equal.flow, 8 * 2.9e6, 0.05e6) << slow;
        EXPECT_NEAR(found.alpha - equal.alpha, 6 * 2.9e6, 1) << slow;
    }
    for (const char* node : {"b.0.first.0", "b.0.second.0"})
        for (const char* algorithm : {"direct", "direct_get"}) {
            const Times found = times(algorithm, {std::string(node) + ".switch.latency=1us"});
            EXPECT_NEAR(found.flow / found.line, 1, 0.03) << node << " " << algorithm;
        }
}

// Lines that take two links in turn are no neighbours on either: packets of one line, of two, of four.
TEST(UnequalPaths, MakePacketsAsLongAsAStripe)
{
    double before = 1e12;
    for (const char* stripe : {"64", "128", "256"}) {
        const Times found =
            times("direct", {std::string("routing.stripe=") + stripe, "link.max_payload=256", "link.merge=adjacent"},
                two_planes, "all_gather", "1 MiB");
        EXPECT_NEAR(found.flow / found.line, 1, 0.025) << stripe;
        EXPECT_LT(found.flow, 0.98 * before) << stripe;
        before = found.flow;
    }
}

// An operation of a switch on a group is over when its slowest member has answered.
TEST(UnequalPaths, OperationsInProgressWaitForTheSlowestMember)
{
    std::string star = two_planes;
    const std::size_t second = star.find("  - {name: second");
    star.erase(second, star.find("  links:") - second);
    const std::string one = star.substr(0, star.find("  - {ep1: {component: xpu}, ep2: {component: second}")) +
        "instances:\n- {name: b, device: box, count: 1}\n";
    for (const char* algorithm : {"nvls", "push_reduce"}) {
        const Times equal = times(algorithm, {}, one, "all_reduce", "256 KiB");
        const Times slow = times(algorithm, {"b.0.xpu.1~b.0.first.0.link.latency=1us"}, one, "all_reduce", "256 KiB");
        EXPECT_NEAR(equal.flow / equal.line, 1, 0.02) << algorithm;
        EXPECT_NEAR(slow.flow / slow.line, 1, 0.06) << algorithm;
        EXPECT_GT(slow.line, 1.7 * equal.line) << algorithm;
    }
}

}  // namespace unequal_paths_test
