// Stations that pass tokens to each other and to foreign processes, over any way of keeping time: the same
// world under the agenda, with an sc_event for each station, or with a broken agenda gives traces to compare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tlm_interconnect/agenda.h"

namespace weft::testing {

struct Token {
    std::uint32_t id = 0;
    std::uint32_t hop = 0;
};

// How the world keeps time.
class Clockwork {
public:
    using Run = std::function<void(unsigned station, const Token& token)>;
    using Settle = std::function<void(unsigned station)>;

    virtual ~Clockwork() = default;
    virtual Time now() const = 0;
    virtual void schedule(unsigned station, const Token& token, Time due, unsigned input) = 0;
    virtual void notify(sc_core::sc_event& event, Time due) = 0;
    virtual void enter() {}

    Run run;
    Settle settle;
};

std::unique_ptr<Clockwork> agenda_clockwork(unsigned stations);
std::unique_ptr<Clockwork> event_clockwork(unsigned stations);  // an sc_event and a process for each station
std::unique_ptr<Clockwork> deaf_clockwork(unsigned stations);   // drains without looking at the kernel's events

// Runs the world for `cycles` clock edges: `stations` stations, a clocked SC_THREAD and `methods` SC_METHODs
// with random waits, which take tokens from stations and hand new ones in. The trace, in order of time,
// then module; what one module did in one instant stays in its order.
std::string foreign_world(Clockwork& clockwork, unsigned stations, unsigned methods, unsigned cycles);

}  // namespace weft::testing
