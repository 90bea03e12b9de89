// Loads over equal paths that differ there and back: data come back over the links of their requests, by lines, in the theory of links,
// in plans and at flow fidelity.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "collectives/schedule/algorithms/algorithms.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/workload/link_bytes.h"
#include "testbenches/platform/runs.h"

namespace answered_paths_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Two accelerators, each on a leaf. Four nodes are next to the one leaf; three of them lead to n.0 and one to n.1, which are next to the
// other leaf.
const std::string unlike = R"(name: unlike
devices:
- name: end
  components:
  - {name: xpu, choice: xpu, count: 1, description: accelerator}
  - {name: leaf, choice: switch, count: 1, description: switch}
  links:
  - {name: d, physical: {bandwidth: {gigabytes_per_second: 200}, latency: {ns: 10}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: leaf}, scheme: many2many, link: d}
- name: mid
  components:
  - {name: sw, choice: switch, count: 1, description: switch}
  links: []
  edges: []
instances:
- {name: e, device: end, count: 2}
- {name: m, device: mid, count: 4}
- {name: n, device: mid, count: 2}
links:
- {name: x, physical: {bandwidth: {gigabytes_per_second: 20}, latency: {ns: 20}}}
edges:
- {ep1: {instance: "e[0]", component: leaf}, ep2: {instance: "m", component: sw}, scheme: many2many, link: x}
- {ep1: {instance: "m[0:3]", component: sw}, ep2: {instance: "n[0]", component: sw}, scheme: many2many, link: x}
- {ep1: {instance: "m[3]", component: sw}, ep2: {instance: "n[1]", component: sw}, scheme: many2many, link: x}
- {ep1: {instance: "n", component: sw}, ep2: {instance: "e[1]", component: leaf}, scheme: many2many, link: x}
)";

RunSetup gather(const std::string& algorithm, const std::string& bytes)
{
    RunSetup setup;
    setup.document = unlike;
    setup.lines = "profile: generic\nlinks: {d: {protocol: nvlink_4}, x: {protocol: nvlink_4}}\n" +
        collective_lines("all_gather", algorithm, bytes);
    setup.options.data_on = false;
    setup.options.progress = false;
    return setup;
}

using Bytes = std::map<std::string, double>;  // by "from -> to"

// Parts of what goes from e.0 to e.1 and back, on the links between the leaves. `loads`: of loads. What e.1 sends is divided at its leaf in
// two and at n.0 in three, what e.0 sends at its leaf in four; data that are loaded go against that.
Bytes by_hand(double each, bool loads)
{
    Bytes out;
    const auto both = [&](const std::string& a, const std::string& b, double from_e0, double from_e1) {
        out[a + " -> " + b] += each * (loads ? from_e1 : from_e0);
        out[b + " -> " + a] += each * (loads ? from_e0 : from_e1);
    };
    for (const char* mid : {"m.0.sw.0", "m.1.sw.0", "m.2.sw.0"}) {
        both("e.0.leaf.0", mid, 1 / 4.0, 1 / 6.0);
        both(mid, "n.0.sw.0", 1 / 4.0, 1 / 6.0);
    }
    both("e.0.leaf.0", "m.3.sw.0", 1 / 4.0, 1 / 2.0);
    both("m.3.sw.0", "n.1.sw.0", 1 / 4.0, 1 / 2.0);
    both("n.0.sw.0", "e.1.leaf.0", 3 / 4.0, 1 / 2.0);
    both("n.1.sw.0", "e.1.leaf.0", 1 / 4.0, 1 / 2.0);
    return out;
}

Bytes payload_of(const Json& links, const char* key)
{
    Bytes out;
    for (const Json& link : links)
        if (link.contains(key))
            out[link["from"].get<std::string>() + " -> " + link["to"].get<std::string>()] = link[key];
    return out;
}

void expect_near(const Bytes& found, const Bytes& wanted, double error, const std::string& what)
{
    for (const auto& [link, bytes] : wanted) {
        ASSERT_EQ(found.count(link), 1U) << what << " " << link;
        EXPECT_NEAR(found.at(link), bytes, error) << what << " " << link;
    }
}

// What comes to a switch leaves it.
void expect_conserved(const Bytes& found, double error, const std::string& what)
{
    std::map<std::string, double> more;
    for (const auto& [link, bytes] : found) {
        const std::size_t arrow = link.find(" -> ");
        more[link.substr(0, arrow)] -= bytes;
        more[link.substr(arrow + 4)] += bytes;
    }
    for (const auto& [node, bytes] : more) {
        if (node.find("xpu") != std::string::npos) continue;
        EXPECT_NEAR(bytes, 0, error) << what << " " << node;
    }
}

}  // namespace

TEST(AnsweredPaths, LoadedDataGoBackOverTheLinksOfTheirRequests)
{
    constexpr double each = 65536;
    for (const std::string algorithm : {"direct_get", "direct"}) {
        const RunSetup setup = gather(algorithm, "128 KiB");
        const Bytes wanted = by_hand(each, algorithm == "direct_get");
        const Json line = run(setup);
        expect_near(payload_of(line["links"], "theory_payload_bytes"), wanted, 1e-6 * each, algorithm + " theory");
        // Flags of 8 B beside the data; 1024 lines in sixths.
        expect_near(payload_of(line["links"], "payload_bytes"), wanted, 640, algorithm + " by lines");
    }
}

TEST(AnsweredPaths, APlanHasThemThereAndItsLeastTimeIsNoLongerThanARun)
{
    for (const std::string algorithm : {"direct_get", "direct"}) {
        const RunSetup setup = gather(algorithm, "128 KiB");
        const ResolvedSystem system = resolve_setup(setup);
        const FabricPlan plan = plan_fabric(system, members_of(system, 2));
        const Schedule schedule = make_schedule(algorithm, CollectiveOp::all_gather, 2);
        Bytes found;
        double least = 0;
        for (const LinkBytes& link : link_bytes(system, plan, schedule, Layout(schedule, 131072, 4))) {
            found[link.from + " -> " + link.to] = static_cast<double>(link.payload);
            least = std::max(least, link.seconds());
        }
        expect_near(found, by_hand(65536, algorithm == "direct_get"), 0.5, algorithm);
        expect_conserved(found, 2, algorithm);
        EXPECT_LE(least * 1e12, run(setup)["simulated_ps"].get<double>()) << algorithm;
    }
}

// Parts of loads take one way as a whole: the sums are those of the shares but for a part or two.
TEST(AnsweredPaths, FlowHasThemThereAndLosesNoByte)
{
    constexpr double each = 524288;
    constexpr double part = 4096;
    for (const std::string algorithm : {"direct_get", "direct"}) {
        const RunSetup setup = gather(algorithm, "1 MiB");
        const Json flow = result_of([&] { return run_flow(resolve_setup(setup), setup.options); });
        const Bytes found = payload_of(flow["links"], "payload_bytes");
        const bool loads = algorithm == "direct_get";
        expect_near(found, by_hand(each, loads), loads ? part : 1, algorithm);
        expect_conserved(found, loads ? part : 4, algorithm);
    }
}

}  // namespace answered_paths_test
