// Networks of scheduled crossbars under open-loop traffic, in router cycles: meshes, fat trees, one switch.
//
// A cycle is 1 ns, a line takes one cycle on a wire and one more to arrive.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm_interconnect/switch/crossbar_switch.h"
#include "tlm_interconnect/link/link.h"
#include "tlm_interconnect/protocol/protocol_checker.h"
#include "tlm_interconnect/traffic/traffic_endpoint.h"

namespace weft::testing {

// Routers and endpoints by number; an endpoint has one link.
struct RouterGraph {
    struct Edge {
        unsigned a;  // routers
        unsigned b;
    };
    unsigned routers = 0;
    std::vector<Edge> edges;
    std::vector<unsigned> home;  // router of each endpoint
    // Output ports of router r towards endpoint d. Ports: its endpoints in order, then its edges in order.
    std::function<std::vector<std::uint16_t>(unsigned r, unsigned d)> route;

    std::vector<std::vector<unsigned>> edges_of() const;
};

RouterGraph mesh(unsigned side);                        // dimension order, x first
RouterGraph fat_tree(unsigned radix, unsigned levels);  // radix^levels endpoints, random way up, one way down
RouterGraph single(unsigned endpoints);                 // one router

// The link between any two neighbours: a line takes a cycle, and a cycle more until it is there.
LinkSpec cycle_link(unsigned vcs, unsigned depth);

// Routers and links of a graph, for endpoints of the caller.
class RouterNetwork {
public:
    RouterNetwork(EventQueue& event_queue, Checkers& checkers, const RouterGraph& graph, const SwitchSpec& router,
        const LinkSpec& link);

    // The sockets that an endpoint's own are bound to, and the room it may count on there.
    void connect(unsigned endpoint, LineInitiatorSocket& out, LineTargetSocket& in);
    const BufferSpace& space() const { return space_; }
    CrossbarSwitch& router(unsigned r) { return *routers_[r]; }
    unsigned routers() const { return static_cast<unsigned>(routers_.size()); }
    std::uint64_t hops() const;
    double statistic(const std::string& name) const;  // summed over the routers

private:
    Link& add_link();
    void attach(Link& wire, unsigned end, unsigned router, unsigned port);

    EventQueue& event_queue_;
    Checkers& checkers_;
    LinkSpec link_;
    BufferSpace space_;
    std::vector<unsigned> home_;
    std::vector<std::vector<unsigned>> ends_;  // by router
    std::vector<std::unique_ptr<CrossbarSwitch>> routers_;
    std::vector<std::unique_ptr<Link>> links_;
};

struct NetworkOptions {
    SwitchSpec router;
    unsigned vcs = 4;
    unsigned depth = 8;  // lines per channel
    TrafficSpec traffic;
    bool checkers = true;
};

struct NetworkResult {
    Measurement::Result latency;  // ps
    double load = 0;              // accepted, lines per endpoint and cycle
    double cycles = 0;            // mean latency
    std::uint64_t hops = 0;       // lines forwarded by routers
    double routers_passed = 0;
    std::uint64_t problems = 0;
    std::uint64_t left = 0;  // lines that are still somewhere when nothing moves
    double cpu_s = 0;        // of the simulation, building apart
    double matchings = 0;    // summed over the routers
    double refused = 0;
    std::vector<std::string> blocked;
};

// One simulation; once per process.
NetworkResult run_network(const RouterGraph& graph, const NetworkOptions& options);

}  // namespace weft::testing
