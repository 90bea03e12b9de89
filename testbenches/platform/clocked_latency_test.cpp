// What is said of the latency of switches with a clock, against lines that come at every picosecond of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "platform/choice/latencies.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/tlm_interconnect/child.h"

namespace clocked_latency_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time clock_ps = 8;

// Least, sum and most of the times that one line after the other takes through a switch, each a picosecond later in its clock.
PassTimes measured(const std::string& model, const SwitchSpec& spec, Time& sum)
{
    const std::string text = in_child([&] {
        FabricSystem::Options options = clocked(reference);
        if (model == "crossbar") options.make = nullptr;
        options.crossbar = model == "crossbar";
        options.switches = spec;
        const Fabric fabric = star(2);
        FabricSystem system(fabric, options);
        constexpr Time apart = 1'000'000;
        for (Time phase = 0; phase < clock_ps; ++phase)
            system.endpoints[0]->issue((phase + 1) * apart + phase, LineOp::write, 1, 64 * phase);
        run_all(system);
        system.expect_clean();
        LinkSpec link = options.link;
        link.bandwidth = fabric.edges[0].bandwidth;
        const Time links = 2 * (wire_time(link, LineOp::write, 64, LineClass::request) + link.latency);
        std::string out;
        for (Time phase = 0; phase < clock_ps; ++phase)
            out +=
                std::to_string(system.endpoints[1]->served.at(phase).at - ((phase + 1) * apart + phase) - links) + " ";
        return out;
    });
    std::istringstream in(text);
    PassTimes out{~Time{0}, 0, 0};
    sum = 0;
    for (Time time = 0; in >> time; sum += time) {
        out.least = std::min(out.least, time);
        out.most = std::max(out.most, time);
    }
    out.mean = (sum + clock_ps / 2) / clock_ps;
    return out;
}

}  // namespace

TEST(ClockedLatency, IsWhatLinesTakeAtEveryPlaceInAClock)
{
    for (const char* model : {"crossbar", "reference_switch"})
        for (const Time latency : {32, 35, 39}) {
            SwitchSpec spec;
            spec.clock = spec.traversal = spec.transfer = spec.credit_delay = clock_ps;
            spec.latency = latency;
            spec.multicast_groups = 0;
            Time sum = 0;
            const PassTimes found = measured(model, spec, sum);
            const PassTimes said = pass_times(model, spec);
            EXPECT_EQ(found.least, said.least) << model << " " << latency;
            EXPECT_EQ(found.most, said.most) << model << " " << latency;
            EXPECT_EQ(found.mean, said.mean) << model << " " << latency;
        }
}

// 250 ns in clocks of 40 ns: 7 of them in a clocked block, and what it waits for the first; model crossbar waits for the next.
TEST(ClockedLatency, OfSwitchesThatRoundIt)
{
    SwitchSpec spec;
    spec.latency = 250'000;
    spec.clock = 40'000;
    const PassTimes block = pass_times("reference_switch", spec);
    EXPECT_EQ(block.least, 281'000U);
    EXPECT_EQ(block.mean, 301'000U);
    const PassTimes crossbar = pass_times("crossbar", spec);
    EXPECT_EQ(crossbar.least, 251'000U);
    EXPECT_EQ(crossbar.mean, 271'000U);
    EXPECT_EQ(crossbar.most, 290'999U);
    EXPECT_EQ(pass_times("switch", spec).most, 250'000U);
}

}  // namespace clocked_latency_test
