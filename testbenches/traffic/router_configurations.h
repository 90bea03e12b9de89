// The networks that the scheduled crossbar is measured on.
//
// Mesh and tree are set up as the routers of published measurements with BookSim2 [Jiang 2013]: channels and crossbar
// are allocated in a clock each, a line takes a clock through the crossbar, a credit three clocks from its arrival
// to its use, so that a hop is four clocks.
#pragma once

#include "testbenches/traffic/router_network.h"

namespace weft::testing {

struct Configuration {
    RouterGraph graph;
    NetworkOptions options;

    Configuration& at(double load)
    {
        options.traffic.load = load;
        return *this;
    }
    Configuration& pattern(PatternKind kind)
    {
        options.traffic.pattern.kind = kind;
        return *this;
    }
};

Configuration mesh_of_64();                 // 8 x 8, 4 channels of 8 lines, two crossbar inputs a port
Configuration mesh_of_64_single_channel();  // 1 channel, one crossbar input a port
Configuration tree_of_64();                 // three levels of 4 x 4, 4 channels of 16 lines, input first
// One switch that has no delays but the matching, deep buffers, and all sources at full load.
Configuration saturated_switch(unsigned endpoints, QueueKind queues, AllocatorKind allocator, unsigned iterations);

// run_network() in a process of its own.
NetworkResult run_apart(const Configuration& configuration);

}  // namespace weft::testing
