// What every link must have carried, worked out without the simulator: routes from the names of the three
// documents, packets from the rule in tlm_interconnect/link/link.h, payload from the formulas or the steps of
// the algorithm.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "collectives/schedule/theory/theory.h"
#include "testbenches/platform/runs.h"

namespace weft::testing {

// Names of the nodes that line number `line` of a rank passes on its way to another; of the number, the remainder by 4 may count.
using RouteOf = std::function<std::vector<std::string>(std::uint32_t from, std::uint32_t to, std::uint64_t line)>;

RouteOf dgx_h100_routes();     // four switches, the line number modulo 4 says which
RouteOf mi300x_routes();       // a link of its own for every pair
RouteOf fat_tree_32_routes();  // examples/fat_tree_32: the line number modulo 4 says which spine

class ExpectedTraffic {
public:
    ExpectedTraffic(const ResolvedSystem& system, RouteOf routes);
    ExpectedTraffic(const ExpectedTraffic&) = delete;
    ExpectedTraffic& operator=(const ExpectedTraffic&) = delete;

    // `count` requests of `size` bytes and their acknowledges.
    void add_stores(std::uint32_t from, std::uint32_t to, std::uint64_t line, std::uint32_t size,
        std::uint64_t count = 1);
    void add_signals(std::uint32_t from, std::uint32_t to, std::uint64_t line, std::uint64_t count = 1);

    // Everything that the algorithm sends by its formulas, for messages that divide into whole lines, a
    // multiple of four between every two ranks and for every channel.
    void add_by_theory(const TheoryCase& theory, std::uint32_t channels);
    // Everything that the schedule sends, walked step by step and cut into lines. Its buffers are the first
    // that a run allocates.
    void add_by_steps(const Schedule& schedule, std::uint64_t bytes, std::uint32_t element_bytes);

    // Empty when the links of the result carried exactly this; otherwise the first that did not.
    std::string difference(const Json& result) const;
    // The `links` of a result that would be without difference.
    Json as_result() const;

private:
    struct Packets {
        std::uint64_t header = 0;
        std::uint64_t flit = 0;
        std::uint64_t byte_enable = 0;
    };
    struct Carried {
        std::uint64_t lines = 0;
        std::uint64_t payload = 0;
        std::uint64_t wire = 0;
    };
    using Direction = std::pair<std::string, std::string>;
    struct Hop {
        const Packets* packets;
        Carried* forward;
        Carried* backward;
    };
    static constexpr std::uint64_t route_period = 4;

    // Worked out once: a route is asked for again and again, and its names take far longer than its sums.
    const std::vector<Hop>& hops(std::uint32_t from, std::uint32_t to, std::uint64_t line);
    void add(std::uint32_t from, std::uint32_t to, std::uint64_t line, std::uint64_t payload, bool partial_store,
        std::uint64_t count);

    RouteOf routes_;
    std::map<Direction, Packets> packets_;
    std::map<Direction, Carried> carried_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::vector<Hop>> hops_;
};

}  // namespace weft::testing
