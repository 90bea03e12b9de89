#include "testbenches/traffic/router_network.h"

#include "base/processor_time.h"
#include "tlm_interconnect/link/buffer_space.h"

namespace weft::testing {

namespace {

constexpr Time cycle = 1'000;

unsigned power(unsigned base, unsigned exponent)
{
    unsigned out = 1;
    while (exponent-- > 0) out *= base;
    return out;
}

}  // namespace

std::vector<std::vector<unsigned>> RouterGraph::edges_of() const
{
    std::vector<std::vector<unsigned>> out(routers);
    for (unsigned e = 0; e < edges.size(); ++e) {
        out[edges[e].a].push_back(e);
        out[edges[e].b].push_back(e);
    }
    return out;
}

RouterGraph mesh(unsigned side)
{
    RouterGraph graph;
    graph.routers = side * side;
    for (unsigned y = 0; y < side; ++y)
        for (unsigned x = 0; x < side; ++x) {
            graph.home.push_back(y * side + x);
            if (x + 1 < side) graph.edges.push_back({y * side + x, y * side + x + 1});
            if (y + 1 < side) graph.edges.push_back({y * side + x, (y + 1) * side + x});
        }
    const auto of = graph.edges_of();
    graph.route = [side, of, edges = graph.edges](unsigned r, unsigned d) -> std::vector<std::uint16_t> {
        if (r == d) return {0};
        const unsigned next =
            r % side != d % side ? (d % side > r % side ? r + 1 : r - 1) : (d > r ? r + side : r - side);
        for (unsigned i = 0; i < of[r].size(); ++i)
            if (edges[of[r][i]].a + edges[of[r][i]].b - r == next) return {static_cast<std::uint16_t>(1 + i)};
        return {};
    };
    return graph;
}

// Level 0 joins endpoints; router (level, position). Position and endpoint are numbers of digits to base `radix`: a
// router at level l reaches, downwards, the endpoints that share its upper digits.
RouterGraph fat_tree(unsigned radix, unsigned levels)
{
    RouterGraph graph;
    const unsigned per_level = power(radix, levels - 1);
    graph.routers = levels * per_level;
    for (unsigned e = 0; e < per_level * radix; ++e) graph.home.push_back(e / radix);
    // Up from (l, p): digit l of the position may change.
    for (unsigned l = 0; l + 1 < levels; ++l)
        for (unsigned p = 0; p < per_level; ++p)
            for (unsigned up = 0; up < radix; ++up) {
                const unsigned step = power(radix, l);
                const unsigned target = p - p / step % radix * step + up * step;
                graph.edges.push_back({l * per_level + p, (l + 1) * per_level + target});
            }
    const auto of = graph.edges_of();
    graph.route = [radix, per_level, of, edges = graph.edges](unsigned r, unsigned d) {
        const unsigned level = r / per_level;
        const unsigned place = r % per_level;
        const unsigned leaf = d / radix;
        const unsigned ends = level == 0 ? radix : 0;
        std::vector<std::uint16_t> out;
        if (place / power(radix, level) == leaf / power(radix, level)) {
            if (level == 0) return std::vector<std::uint16_t>{static_cast<std::uint16_t>(d % radix)};
            const unsigned step = power(radix, level - 1);
            const unsigned down = place - place / step % radix * step + leaf / step % radix * step;
            for (unsigned i = 0; i < of[r].size(); ++i)
                if (edges[of[r][i]].a == (level - 1) * per_level + down && edges[of[r][i]].b == r)
                    out.push_back(static_cast<std::uint16_t>(ends + i));
            return out;
        }
        for (unsigned i = 0; i < of[r].size(); ++i)
            if (edges[of[r][i]].a == r) out.push_back(static_cast<std::uint16_t>(ends + i));
        return out;
    };
    return graph;
}

RouterGraph single(unsigned endpoints)
{
    RouterGraph graph;
    graph.routers = 1;
    graph.home.assign(endpoints, 0);
    graph.route = [](unsigned, unsigned d) { return std::vector<std::uint16_t>{static_cast<std::uint16_t>(d)}; };
    return graph;
}

LinkSpec cycle_link(unsigned vcs, unsigned depth)
{
    LinkSpec link;
    link.header = 0;
    link.flit = 64;
    link.bandwidth = 64'000'000'000;
    link.latency = cycle;
    link.vcs = RequestVcs::shared;
    link.vc_sets = vcs;
    link.request_credits = depth;
    link.response_credits = depth;
    return link;
}

RouterNetwork::RouterNetwork(EventQueue& event_queue, Checkers& checkers, const RouterGraph& graph,
    const SwitchSpec& router, const LinkSpec& link)
    : event_queue_(event_queue), checkers_(checkers), link_(link), space_(buffer_space(link)), home_(graph.home),
      ends_(graph.routers)
{
    const auto endpoints = static_cast<unsigned>(graph.home.size());
    const auto of = graph.edges_of();
    for (unsigned e = 0; e < endpoints; ++e) ends_[home_[e]].push_back(e);
    for (unsigned r = 0; r < graph.routers; ++r) {
        std::vector<std::vector<std::uint16_t>> table;
        for (unsigned d = 0; d < endpoints; ++d) table.push_back(graph.route(r, d));
        const std::string name = "r" + std::to_string(r);
        routers_.push_back(std::make_unique<CrossbarSwitch>(name.c_str(), event_queue, name, router,
            static_cast<unsigned>(ends_[r].size() + of[r].size()), RouteTable(table)));
    }
    for (unsigned e = 0; e < graph.edges.size(); ++e) {
        Link& wire = add_link();
        const unsigned nodes[2] = {graph.edges[e].a, graph.edges[e].b};
        for (unsigned end = 0; end < 2; ++end) {
            unsigned port = 0;
            while (of[nodes[end]][port] != e) ++port;
            attach(wire, end, nodes[end], static_cast<unsigned>(ends_[nodes[end]].size()) + port);
        }
    }
}

Link& RouterNetwork::add_link()
{
    links_.push_back(std::make_unique<Link>(("link" + std::to_string(links_.size())).c_str(), event_queue_, link_));
    return *links_.back();
}

void RouterNetwork::attach(Link& wire, unsigned end, unsigned router, unsigned port)
{
    const ProtocolChecker::Rules rules = ProtocolChecker::Rules::of(buffer_space(link_), true);
    checkers_.bind(routers_[router]->initiator(port), wire.target(end), rules);
    checkers_.bind(wire.initiator(end), routers_[router]->target(port), rules);
    routers_[router]->set_credits(port, space_);
}

void RouterNetwork::connect(unsigned endpoint, LineInitiatorSocket& out, LineTargetSocket& in)
{
    const ProtocolChecker::Rules rules = ProtocolChecker::Rules::of(buffer_space(link_), true);
    Link& wire = add_link();
    checkers_.bind(out, wire.target(0), rules);
    checkers_.bind(wire.initiator(0), in, rules);
    const unsigned router = home_[endpoint];
    unsigned port = 0;
    while (ends_[router][port] != endpoint) ++port;
    attach(wire, 1, router, port);
}

std::uint64_t RouterNetwork::hops() const
{
    std::uint64_t sum = 0;
    for (const auto& router : routers_) sum += router->line_hops();
    return sum;
}

double RouterNetwork::statistic(const std::string& name) const
{
    double sum = 0;
    for (const auto& router : routers_)
        for (const Statistic& statistic : router->statistics())
            if (statistic.name == name) sum += statistic.value;
    return sum;
}

NetworkResult run_network(const RouterGraph& graph, const NetworkOptions& options)
{
    const LinkSpec link = cycle_link(options.vcs, options.depth);
    EventQueue event_queue("event_queue");
    LinePool pool;
    Checkers checkers(event_queue, options.checkers);
    TrafficSpec traffic = options.traffic;
    traffic.pattern.self = true;
    traffic.slot_bytes = 64;
    traffic.slot_rate = link.bandwidth;
    const auto endpoints = static_cast<unsigned>(graph.home.size());
    const Pattern pattern(traffic.pattern, endpoints, traffic.seed);
    Measurement arrivals(traffic.duration, endpoints);
    Measurement round_trips(traffic.duration, endpoints);
    RouterNetwork network(event_queue, checkers, graph, options.router, link);
    std::vector<std::unique_ptr<TrafficEndpoint>> sources;
    for (unsigned e = 0; e < endpoints; ++e) {
        const std::string name = "e" + std::to_string(e);
        sources.push_back(std::make_unique<TrafficEndpoint>(name.c_str(), event_queue, name, pool, e, 1,
            RouteTable(std::vector<std::vector<std::uint16_t>>(endpoints, {0})), traffic, pattern, arrivals,
            round_trips));
        sources.back()->loop_back(true);
        sources.back()->take_all_vc_sets(true);
        network.connect(e, sources[e]->out(0), sources[e]->in(0));
        sources[e]->set_credits(0, network.space());
    }
    const double begin = processor_seconds();
    sc_core::sc_start();

    NetworkResult result;
    result.cpu_s = processor_seconds() - begin;
    result.latency = arrivals.result();
    const double slots = 1e12 / cycle;
    result.load = result.latency.accepted / 64 / endpoints / slots;
    result.cycles = result.latency.mean / cycle;
    std::uint64_t received = 0;
    for (const auto& source : sources) received += source->received();
    result.hops = network.hops();
    result.routers_passed = received == 0 ? 0 : static_cast<double>(result.hops) / static_cast<double>(received);
    result.matchings = network.statistic("matchings");
    result.refused = network.statistic("refused");
    for (unsigned r = 0; r < network.routers(); ++r)
        for (std::string& text : network.router(r).blocked()) result.blocked.push_back(std::move(text));
    checkers.finish();
    result.problems = checkers.problems();
    result.left = pool.live();
    return result;
}

}  // namespace weft::testing
