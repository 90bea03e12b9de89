// Timed components that pass tokens to each other and to foreign processes, over any way of keeping time: the same
// world under the event queue, with an sc_event for each timed component, or with a broken event queue gives traces to compare.
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

#include "tlm_interconnect/kernel/event_queue.h"

namespace weft::testing {

struct Token {
    std::uint32_t id = 0;
    std::uint32_t hop = 0;
};

// How the world keeps time.
class Clockwork {
public:
    using Run = std::function<void(unsigned component, const Token& token)>;
    using Arbitrate = std::function<void(unsigned component)>;

    virtual ~Clockwork() = default;
    virtual Time now() const = 0;
    virtual void schedule(unsigned component, const Token& token, Time due, unsigned input) = 0;
    virtual void notify(sc_core::sc_event& event, Time due) = 0;
    virtual void enter() {}

    Run run;
    Arbitrate arbitrate;
};

std::unique_ptr<Clockwork> queue_clockwork(unsigned components);
std::unique_ptr<Clockwork> event_clockwork(unsigned components);  // an sc_event and a process for each timed component
std::unique_ptr<Clockwork> deaf_clockwork(unsigned components);   // drains without looking at the kernel's events

// Runs the world for `cycles` clock edges: `components` timed components, a clocked SC_THREAD and `methods` SC_METHODs
// with random waits, which take tokens from timed components and hand new ones in. The trace, in order of time,
// then module; what one module did in one instant stays in its order.
std::string foreign_world(Clockwork& clockwork, unsigned components, unsigned methods, unsigned cycles);

}  // namespace weft::testing
