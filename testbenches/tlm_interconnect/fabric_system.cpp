#include "testbenches/tlm_interconnect/fabric_system.h"

#include "tlm_interconnect/card/network_card.h"
#include "tlm_interconnect/link/buffer_space.h"

#include <random>

#include <gtest/gtest.h>

namespace weft::testing {

FabricSystem::FabricSystem(const Fabric& fabric, const Options& options)
    : routing(fabric, options.routes), event_queue("event_queue"), checkers(event_queue, options.checkers)
{
    const auto ports = fabric.ports();
    endpoints.resize(fabric.endpoints);
    switches.resize(fabric.nodes.size());
    crossbars.resize(fabric.nodes.size());
    others.resize(fabric.nodes.size());
    links.resize(fabric.edges.size());
    const auto node_count = static_cast<std::uint32_t>(fabric.nodes.size());
    const auto edge_count = static_cast<std::uint32_t>(fabric.edges.size());
    for (std::uint32_t i = 0; i < node_count; ++i) {
        const std::uint32_t n = options.reversed ? node_count - 1 - i : i;
        const FabricNode& node = fabric.nodes[n];
        const unsigned count = static_cast<unsigned>(ports[n].size());
        if (node.endpoint >= 0) {
            endpoints[static_cast<unsigned>(node.endpoint)] = std::make_unique<Endpoint>(node.name.c_str(), event_queue,
                node.name, pool, static_cast<unsigned>(node.endpoint), count, routing.table(n), options.service);
        } else if (options.make) {
            others[n] = options.make(node.name, event_queue, options.switches, count, routing.table(n));
        } else if (options.crossbar) {
            crossbars[n] = std::make_unique<CrossbarSwitch>(node.name.c_str(), event_queue, node.name, options.switches,
                count, options.tables == nullptr ? routing.table(n) : RouteTable((*options.tables)[n]));
        } else {
            switches[n] = make_switch(node.name.c_str(), event_queue, node.name, options.switches, count,
                options.tables == nullptr ? routing.table(n) : RouteTable((*options.tables)[n]));
        }
    }
    for (std::uint32_t i = 0; i < edge_count; ++i) {
        const std::uint32_t e = options.reversed ? edge_count - 1 - i : i;
        LinkSpec spec = options.link;
        spec.bandwidth = fabric.edges[e].bandwidth;
        if (options.adjust) options.adjust(e, spec);
        BufferSpace space = buffer_space(spec);
        space.transaction = options.transaction;
        const ProtocolChecker::Rules rules = ProtocolChecker::Rules::of(space, spec.bundle == 1);
        const std::string name = "link" + std::to_string(e);
        links[e] = options.make_link ? options.make_link(name, event_queue, spec, options.seed)
                                     : make_link(name.c_str(), event_queue, name, spec, options.seed);
        for (unsigned end = 0; end < 2; ++end) {
            const std::uint32_t n = end == 0 ? fabric.edges[e].a : fabric.edges[e].b;
            unsigned p = 0;
            while (ports[n][p].edge != e) ++p;
            Endpoint* endpoint = fabric.nodes[n].endpoint < 0
                ? nullptr
                : endpoints[static_cast<unsigned>(fabric.nodes[n].endpoint)].get();
            if (endpoint != nullptr) {
                endpoint->output(p).set_credits(rules.space);
                checkers.bind(endpoint->out(p), links[e]->target(end), rules);
                checkers.bind(links[e]->initiator(end), endpoint->in(p), rules);
                continue;
            }
            SwitchModel& model = others[n] != nullptr ? *others[n]
                : switches[n] != nullptr              ? static_cast<SwitchModel&>(*switches[n])
                                                      : *crossbars[n];
            model.set_credits(p, rules.space);
            checkers.bind(model.initiator(p), links[e]->target(end), rules);
            checkers.bind(links[e]->initiator(end), model.target(p), rules);
        }
    }
}

void FabricSystem::issue_random(unsigned lines, unsigned seed)
{
    std::mt19937 random(seed);
    const std::size_t count = endpoints.size();
    for (unsigned i = 0; i < lines; ++i)
        for (std::uint32_t e = 0; e < count; ++e) {
            const auto to = static_cast<std::uint32_t>(random() % count);
            if (to != e) endpoints[e]->issue(0, i % 3 == 0 ? LineOp::read : LineOp::write, to, 64 * i);
        }
}

void FabricSystem::expect_clean()
{
    checkers.finish();
    EXPECT_EQ(checkers.problems(), 0u);
    EXPECT_EQ(pool.live(), 0u);
    for (const auto& endpoint : endpoints) EXPECT_EQ(endpoint->answered.size(), endpoint->issued()) << endpoint->path();
}

std::string FabricSystem::trace() const
{
    std::string out;
    const auto add = [&out](const std::string& node, const char* what, const Endpoint::Record& record) {
        out += std::to_string(record.at) + " " + node + " " + what + " " + std::to_string(record.source) + " " +
            std::to_string(record.tag) + "\n";
    };
    for (const auto& endpoint : endpoints) {
        for (const Endpoint::Record& record : endpoint->served) add(endpoint->path(), "serves", record);
        for (const Endpoint::Record& record : endpoint->answered) add(endpoint->path(), "gets", record);
    }
    return out;
}

Fabric star(unsigned count, std::uint64_t bandwidth)
{
    Fabric fabric;
    fabric.endpoints = count;
    fabric.nodes.push_back({"s", -1, true});
    for (unsigned e = 0; e < count; ++e) {
        fabric.nodes.push_back({"e" + std::to_string(e), static_cast<int>(e), false});
        fabric.edges.push_back({1 + e, 0, bandwidth});
    }
    return fabric;
}

Fabric grid_of(const std::vector<unsigned>& sizes, bool closed, std::uint64_t bandwidth)
{
    Fabric fabric;
    unsigned count = 1;
    for (const unsigned size : sizes) count *= size;
    for (unsigned i = 0; i < count; ++i) fabric.nodes.push_back({"s" + std::to_string(i), -1, true});
    unsigned stride = 1;
    for (const unsigned size : sizes) {
        for (unsigned i = 0; i < count; ++i) {
            const unsigned at = i / stride % size;
            if (at + 1 < size) fabric.edges.push_back({i, i + stride, bandwidth});
            if (closed && size > 2 && at + 1 == size) fabric.edges.push_back({i, i - at * stride, bandwidth});
        }
        stride *= size;
    }
    fabric.endpoints = count;
    for (unsigned i = 0; i < count; ++i) {
        fabric.nodes.push_back({"e" + std::to_string(i), static_cast<int>(i), false});
        fabric.edges.push_back({i, count + i, bandwidth});
    }
    return fabric;
}

Fabric two_tiers(unsigned leaves, unsigned per_leaf, unsigned spines, std::uint64_t bandwidth)
{
    Fabric fabric;
    for (unsigned s = 0; s < spines; ++s) fabric.nodes.push_back({"spine" + std::to_string(s), -1, true});
    for (unsigned l = 0; l < leaves; ++l) {
        fabric.nodes.push_back({"leaf" + std::to_string(l), -1, true});
        for (unsigned s = 0; s < spines; ++s) fabric.edges.push_back({s, spines + l, bandwidth});
    }
    fabric.endpoints = leaves * per_leaf;
    for (unsigned e = 0; e < fabric.endpoints; ++e) {
        fabric.nodes.push_back({"e" + std::to_string(e), static_cast<int>(e), false});
        fabric.edges.push_back({spines + e / per_leaf, spines + leaves + e, bandwidth});
    }
    return fabric;
}

Fabric chain_of(unsigned switches, std::uint64_t bandwidth)
{
    Fabric fabric;
    for (unsigned s = 0; s < switches; ++s) fabric.nodes.push_back({"s" + std::to_string(s), -1, true});
    for (unsigned s = 0; s + 1 < switches; ++s) fabric.edges.push_back({s, s + 1, bandwidth});
    fabric.endpoints = 2;
    for (unsigned e = 0; e < 2; ++e) {
        fabric.nodes.push_back({"e" + std::to_string(e), static_cast<int>(e), false});
        fabric.edges.push_back({e * (switches - 1), switches + e, bandwidth});
    }
    return fabric;
}

Fabric dragonfly_of(unsigned p, unsigned a, unsigned h, std::vector<std::uint32_t>& groups, std::uint64_t bandwidth)
{
    Fabric fabric;
    const unsigned count = a * h + 1;
    for (unsigned g = 0; g < count; ++g)
        for (unsigned r = 0; r < a; ++r)
            fabric.nodes.push_back({"g" + std::to_string(g) + "_r" + std::to_string(r), -1, true});
    for (unsigned g = 0; g < count; ++g) {
        for (unsigned r = 0; r < a; ++r)
            for (unsigned o = r + 1; o < a; ++o) fabric.edges.push_back({g * a + r, g * a + o, bandwidth});
        for (unsigned o = g + 1; o < count; ++o)
            fabric.edges.push_back({g * a + (o - g - 1) / h, o * a + (count - 1 - (o - g)) / h, bandwidth});
    }
    fabric.endpoints = count * a * p;
    for (unsigned e = 0; e < fabric.endpoints; ++e) {
        fabric.edges.push_back({e / p, static_cast<std::uint32_t>(fabric.nodes.size()), bandwidth});
        fabric.nodes.push_back({"e" + std::to_string(e), static_cast<int>(e), false});
    }
    groups.assign(fabric.nodes.size(), 0);
    for (unsigned r = 0; r < count * a; ++r) groups[r] = r / a;
    return fabric;
}

Fabric two_ends(std::uint64_t bandwidth)
{
    Fabric fabric;
    fabric.endpoints = 2;
    fabric.nodes = {{"e0", 0, false}, {"e1", 1, false}};
    fabric.edges = {{0, 1, bandwidth}};
    return fabric;
}

}  // namespace weft::testing
