// A fabric of endpoints, switches and links built from its graph, with a checker at both ends of
// every link.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/tlm_interconnect/endpoint.h"
#include "tlm_interconnect/switch/crossbar_switch.h"
#include "tlm_interconnect/link/link.h"
#include "tlm_interconnect/protocol/protocol_checker.h"
#include "tlm_interconnect/routing/routing.h"
#include "tlm_interconnect/switch/switch.h"

namespace weft::testing {

struct FabricSystem {
    struct Options {
        LinkSpec link;
        SwitchSpec switches;
        Time service = 0;
        bool checkers = true;
        RouteRules routes;
        bool reversed = false;  // modules are constructed in the opposite order
        std::function<void(std::uint32_t edge, LinkSpec& spec)> adjust;  // `link` for one edge
        std::uint64_t seed = 1;
        std::uint32_t transaction = 1;  // lines of the widest one
        // By node that is a switch, in place of routes: by destination, the ports.
        const std::vector<std::vector<std::vector<std::uint16_t>>>* tables = nullptr;
        bool crossbar = false;  // switches are of model `crossbar`
        // Makes the switches, in place of either model.
        std::function<std::unique_ptr<SwitchModel>(const std::string& name, EventQueue& event_queue,
            const SwitchSpec& spec, unsigned ports, RouteTable routes)>
            make;
        // The same of links.
        std::function<std::unique_ptr<LinkModel>(const std::string& name, EventQueue& event_queue, const LinkSpec& spec,
            std::uint64_t seed)>
            make_link;
    };

    FabricSystem(const Fabric& fabric, const Options& options);

    // Nothing is left anywhere: lines answered, checkers content.
    // `lines` reads and writes from every endpoint to endpoints drawn from `seed`, all ready at time 0.
    void issue_random(unsigned lines, unsigned seed);
    void expect_clean();

    // "time node source tag" of every request and answer, by node.
    std::string trace() const;

    Routing routing;
    EventQueue event_queue;
    LinePool pool;
    Checkers checkers;
    std::vector<std::unique_ptr<Endpoint>> endpoints;        // by endpoint index
    std::vector<std::unique_ptr<Switch>> switches;           // by node; null where an endpoint is
    std::vector<std::unique_ptr<CrossbarSwitch>> crossbars;  // by node, in place of `switches`
    std::vector<std::unique_ptr<SwitchModel>> others;        // by node, of Options::make
    std::vector<std::unique_ptr<LinkModel>> links;           // by edge
};

// Endpoints e0.. on one switch "s", each by one link.
Fabric star(unsigned count, std::uint64_t bandwidth = 25'000'000'000);
// A torus or mesh of switches with one endpoint each, first coordinate fastest; `closed`: dimensions are rings.
Fabric grid_of(const std::vector<unsigned>& sizes, bool closed, std::uint64_t bandwidth = 25'000'000'000);
// Leaves with endpoints below spines, every leaf joined to every spine.
Fabric two_tiers(unsigned leaves, unsigned per_leaf, unsigned spines, std::uint64_t bandwidth = 25'000'000'000);
// Endpoints at both ends of a row of switches.
Fabric chain_of(unsigned switches, std::uint64_t bandwidth = 25'000'000'000);
// a routers of p endpoints and h links to other groups each, a * h + 1 groups, one link between any two. `groups`: of
// each node.
Fabric dragonfly_of(unsigned p, unsigned a, unsigned h, std::vector<std::uint32_t>& groups,
    std::uint64_t bandwidth = 25'000'000'000);
// Two endpoints joined directly.
Fabric two_ends(std::uint64_t bandwidth = 25'000'000'000);

}  // namespace weft::testing
