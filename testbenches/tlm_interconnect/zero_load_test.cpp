// One line alone takes the sum of its parts, to the picosecond: links, switches and the service at its end, there and
// back, for every operation and size, over every kind of topology, with both models of a switch.
#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace zero_load_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Place {
    const char* name;
    Fabric fabric;
    unsigned from;
    unsigned to;
    unsigned switches;  // on the way
    RouteRules routes;
    unsigned vc_sets;
};

std::vector<Place> places()
{
    RouteRules grid;
    grid.policy = RoutePolicy::dimension_order;
    return {{"chain", chain_of(5), 0, 1, 5, {}, 1}, {"star", star(6), 1, 4, 1, {}, 1},
        {"tree within a leaf", two_tiers(3, 4, 2), 0, 3, 1, {}, 1},
        {"tree across", two_tiers(3, 4, 2), 0, 11, 3, {}, 1},
        {"torus neighbours across the edge", grid_of({4, 4}, true), 0, 3, 2, grid, 2},
        {"torus far", grid_of({4, 5}, true), 1, 15, 1 + 2 + 2, grid, 2}};
}

void expect_sum_of_parts(bool crossbar)
{
    for (const Place& place : places()) {
        for (const LineOp op : {LineOp::read, LineOp::write, LineOp::atomic}) {
            for (const std::uint32_t size : {4U, 8U, 12U, 16U, 24U, 32U, 48U, 60U, 64U}) {
                if (op == LineOp::atomic && size != 8) continue;
                const std::string text = in_child([&] {
                    FabricSystem::Options options;
                    options.service = 13;
                    options.routes = place.routes;
                    options.link.vc_sets = place.vc_sets;
                    options.crossbar = crossbar;
                    options.switches.latency = 100'000;
                    options.switches.clock = 1;  // asynchronous: every picosecond is an edge
                    options.switches.traversal = 2'000;
                    FabricSystem system(place.fabric, options);
                    system.endpoints[place.from]->issue(777, op, place.to, 64, size);
                    sc_core::sc_start();
                    system.expect_clean();
                    return std::to_string(system.endpoints[place.to]->served.at(0).at) + " " +
                        std::to_string(system.endpoints[place.from]->answered.at(0).at);
                });
                Time served = 0;
                Time answered = 0;
                std::istringstream(text) >> served >> answered;
                const LinkSpec link;
                const auto hop = [&](LineClass cls) {
                    return wire_bytes(link, op, size, cls) * 1'000'000'000'000 / link.bandwidth + link.latency;
                };
                const Time inside = place.switches * (100'000 + (crossbar ? 2'000 : 0));
                const Time there = (place.switches + 1) * hop(LineClass::request) + inside;
                const Time back = (place.switches + 1) * hop(LineClass::response) + inside;
                EXPECT_EQ(served, 777 + there) << place.name << " " << name_of(op) << " " << size;
                EXPECT_EQ(answered, 777 + there + 13 + back) << place.name << " " << name_of(op) << " " << size;
            }
        }
    }
}

}  // namespace

TEST(ZeroLoad, LatencyIsTheSumOfItsParts) { expect_sum_of_parts(false); }

TEST(ZeroLoad, LatencyThroughScheduledCrossbarsIsTheSumOfItsParts) { expect_sum_of_parts(true); }

}  // namespace zero_load_test
