// What runs at flow fidelity say of their own times: links busier than the run is long, packets that messages share.
#include <gtest/gtest.h>

#include "platform/applications/flow/listed_links.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace flow_told_test {

using namespace weft;
using namespace weft::testing;

namespace {

LinkResult link_of(const char* from, const char* to, Time busy_ps)
{
    LinkResult out;
    out.from = from;
    out.to = to;
    out.busy_ps = busy_ps;
    return out;
}

std::vector<std::string> told(const std::vector<LinkResult>& links, Time simulated_ps)
{
    std::vector<std::string> out;
    tell_overfull(links, simulated_ps, out);
    return out;
}

// One link of 25 GB/s by Ethernet each, at one switch.
std::string ethernet_star(unsigned count)
{
    return "name: star\ndevices:\n- name: box\n  components:\n  - {name: xpu, choice: xpu, count: " +
        std::to_string(count) +
        ", description: accelerator}\n  - {name: sw, choice: switch, count: 1, description: switch}\n  links:\n"
        "  - {name: wire, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 25}, latency: {ns: "
        "500}}}\n"
        "  edges:\n  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n"
        "instances:\n- {name: b, device: box, count: 1}\n";
}

std::string of_packets(unsigned ranks, const std::string& bytes)
{
    RunSetup setup;
    setup.document = ethernet_star(ranks);
    setup.lines = "profile: generic\n" + collective_lines("all_to_all", "direct", bytes);
    setup.options.progress = false;
    for (const std::string& notice : run_flow(resolve_setup(setup), setup.options).notices)
        if (notice.find("messages and signals are shorter") == 0) return notice;
    return "";
}

}  // namespace

TEST(FlowTold, LinksThatWereBusyForLongerThanTheRun)
{
    const std::vector<LinkResult> links{link_of("a", "b", 1'000'000), link_of("b", "a", 1'600'000)};
    EXPECT_EQ(told(links, 1'600'000), std::vector<std::string>());
    EXPECT_EQ(told(links, 1'599'000), std::vector<std::string>()) << "bookings are rounded";
    EXPECT_EQ(told(links, 1'500'000),
        std::vector<std::string>{
            "1 link direction was busy for longer than the run: what b -> a carries takes 1.6 us, so "
            "the time is too short by 100 ns at least"});
    EXPECT_EQ(told(links, 900'000).at(0).find("2 link directions were busy"), 0u);
}

// 15 x 48 messages and signals of a rank among 16; of long messages, packets are full.
TEST(FlowTold, ShortMessagesThatShareTheirPackets)
{
    EXPECT_NE(of_packets(16, "16 KiB").find("up to 1.3 times as long"), std::string::npos) << of_packets(16, "16 KiB");
    EXPECT_EQ(of_packets(16, "16 MiB"), "");
}

}  // namespace flow_told_test
