#include "testbenches/traffic/router_configurations.h"

#include <sstream>

#include "testbenches/tlm_interconnect/child.h"

namespace weft::testing {

namespace {

constexpr Time router_cycle = 1'000;

NetworkOptions four_clock_router()
{
    NetworkOptions options;
    options.router.latency = options.router.clock = options.router.traversal = router_cycle;
    options.router.vc_stage = VcStage::separate;
    options.router.queues = QueueKind::channel;
    options.router.credit_delay = 3 * router_cycle;
    options.traffic.duration = 20'000 * router_cycle;
    options.traffic.seed = 7;
    return options;
}

}  // namespace

Configuration mesh_of_64()
{
    Configuration out{mesh(8), four_clock_router()};
    out.options.router.input_speedup = 2;
    out.options.traffic.pattern.side = 8;
    return out;
}

Configuration mesh_of_64_single_channel()
{
    Configuration out{mesh(8), four_clock_router()};
    out.options.vcs = 1;
    out.options.router.credit_delay = 2 * router_cycle;
    return out;
}

Configuration tree_of_64()
{
    Configuration out{fat_tree(4, 3), four_clock_router()};
    out.options.depth = 16;
    out.options.router.allocator = AllocatorKind::input_first;
    return out;
}

Configuration saturated_switch(unsigned endpoints, QueueKind queues, AllocatorKind allocator, unsigned iterations)
{
    Configuration out{single(endpoints), {}};
    out.options.vcs = 1;
    out.options.depth = 512;
    out.options.router.latency = out.options.router.clock = router_cycle;
    out.options.router.traversal = out.options.router.credit_delay = 0;
    out.options.router.queues = queues;
    out.options.router.allocator = allocator;
    out.options.router.iterations = iterations;
    out.options.traffic.load = 1;
    out.options.traffic.duration = 20'000 * router_cycle;
    out.options.traffic.seed = 7;
    return out;
}

NetworkResult run_apart(const Configuration& configuration)
{
    std::istringstream text(in_child([&] {
        const NetworkResult result = run_network(configuration.graph, configuration.options);
        std::ostringstream out;
        out << std::hexfloat << result.load << ' ' << result.cycles << ' ' << result.routers_passed << ' '
            << result.latency.mean << ' ' << result.latency.half_width << ' ' << result.matchings << ' '
            << result.refused << ' ' << result.hops << ' ' << result.problems << ' ' << result.left << ' '
            << result.latency.p99 << ' ' << result.latency.max << ' ' << result.latency.steady << ' '
            << result.latency.by_source.size();
        for (const double rate : result.latency.by_source) out << ' ' << rate;
        return out.str();
    }));
    NetworkResult result;
    std::size_t sources = 0;
    std::string real;
    for (double* value : {&result.load, &result.cycles, &result.routers_passed, &result.latency.mean,
             &result.latency.half_width, &result.matchings, &result.refused}) {
        text >> real;
        *value = std::strtod(real.c_str(), nullptr);
    }
    text >> result.hops >> result.problems >> result.left >> result.latency.p99 >> result.latency.max >>
        result.latency.steady >> sources;
    while (sources-- > 0 && text >> real) result.latency.by_source.push_back(std::strtod(real.c_str(), nullptr));
    return result;
}

}  // namespace weft::testing
