// The delay line of delay_line.h with an sc_event for each direction instead of the event queue: what
// such a module costs on the plain kernel. The baseline of the spine benchmark, and the reference that the
// event queue's traces are compared with.
#pragma once

#include "tlm_interconnect/link/delay_line.h"

namespace weft {

class EventDelayLine : public sc_core::sc_module, public LineInitiator, public LineTarget {
public:
    SC_HAS_PROCESS(EventDelayLine);
    EventDelayLine(sc_core::sc_module_name name, Time latency)
        : sc_module(name), in("in", *this), out("out", *this), latency_(latency)
    {
        SC_METHOD(run_requests);
        sensitive << events_[0];
        dont_initialize();
        SC_METHOD(run_responses);
        sensitive << events_[1];
        dont_initialize();
    }

    LineTargetSocket in;
    LineInitiatorSocket out;

private:
    Time on_request(unsigned, Line& line, Time delay) override { return take(0, line, delay); }
    Time on_response(unsigned, Line& line, Time delay) override { return take(1, line, delay); }
    void on_request_credit(unsigned, Line& line, Time delay) override
    {
        in.return_request_credit(line, delay + latency_);
    }
    void on_response_credit(unsigned, Line& line, Time delay) override
    {
        out.return_response_credit(line, delay + latency_);
    }
    unsigned debug(unsigned, Line& line) override { return out.debug(line); }

    Time take(unsigned direction, Line& line, Time delay)
    {
        DelayRing& ring = rings_[direction];
        if (ring.empty()) events_[direction].notify(to_sc_time(delay + latency_));
        ring.push(line, to_ps(sc_core::sc_time_stamp()) + delay + latency_);
        return 0;
    }

    void run(unsigned direction)
    {
        DelayRing& ring = rings_[direction];
        const Time now = to_ps(sc_core::sc_time_stamp());
        while (!ring.empty() && ring.front().due <= now) {
            Line& line = *ring.front().line;
            ring.pop();
            if (direction == 0) {
                out.send_request(line, 0);
            } else {
                in.send_response(line, 0);
            }
        }
        if (!ring.empty()) events_[direction].notify(to_sc_time(ring.front().due - now));
    }
    void run_requests() { run(0); }
    void run_responses() { run(1); }

    Time latency_;
    sc_core::sc_event events_[2];
    DelayRing rings_[2];
};

}  // namespace weft
