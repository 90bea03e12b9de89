// Requests of one thread that are in flight, loads and stores, and those that wait for the limit of its unit.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "collectives/flow/flow_log.h"

namespace weft {

struct RequestWindow {
    struct Return {
        std::uint64_t time = 0;
        double bytes = 0;
    };

    double most = std::numeric_limits<double>::infinity();  // bytes, that registers hold
    double in_flight = 0;
    bool armed = false;
    FlowCause blocked_for = FlowCause::loads;  // what its thread waits for behind the limit (for the log)
    std::deque<std::uint32_t> waiting;         // transfers, in the order in which they were to be issued
    std::deque<Return> returns;                // data on their last link, the earliest first
    std::vector<std::uint32_t> sleepers;       // threads that go on when nothing waits

    void add(const Return& coming)
    {
        auto at = returns.end();
        while (at != returns.begin() && (at - 1)->time > coming.time) --at;
        returns.insert(at, coming);
    }
    void collect(std::uint64_t now)
    {
        for (; !returns.empty() && returns.front().time <= now; returns.pop_front()) in_flight -= returns.front().bytes;
    }
};

}  // namespace weft
