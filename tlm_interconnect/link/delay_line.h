// A delay line: a wire without bandwidth that hands every request and every response on `latency`
// after it came in, in order.
//
// Lines wait in a ring of (line, due); because due times are monotonic, one event queue item per direction
// serves any number of lines in flight. Use it where a line must really wait (a stage that others may
// watch, the spine benchmark); a plain latency is cheaper as annotated delay. Credits pass with
// `latency` annotated.
//
// A caller must not hand lines of one direction over out of order of their arrival times.
#pragma once

#include <vector>

#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

// First in, first out, growing by doubling: no allocation in steady state.
class DelayRing {
public:
    struct Entry {
        Line* line;
        Time due;
    };

    bool empty() const { return head_ == tail_; }
    const Entry& front() const { return entries_[head_ & mask_]; }
    void pop() { ++head_; }
    void push(Line& line, Time due)
    {
        if (tail_ - head_ == entries_.size()) grow();
        entries_[tail_++ & mask_] = {&line, due};
    }

private:
    void grow()
    {
        std::vector<Entry> larger(entries_.size() * 2);
        for (std::size_t i = head_; i != tail_; ++i) larger[i - head_] = entries_[i & mask_];
        tail_ -= head_;
        head_ = 0;
        entries_ = std::move(larger);
        mask_ = entries_.size() - 1;
    }

    std::vector<Entry> entries_ = std::vector<Entry>(8);
    std::size_t mask_ = 7;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
};

class DelayLine final : public sc_core::sc_module, public TimedComponent, public LineInitiator, public LineTarget {
public:
    // `path` is unique in the event queue; latency in ps, at least 1.
    DelayLine(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, Time latency)
        : sc_module(name), TimedComponent(event_queue, std::move(path)), in("in", *this), out("out", *this),
          latency_(latency)
    {
        items_[0].kind = 0;
        items_[1].kind = 1;
    }

    LineTargetSocket in;
    LineInitiatorSocket out;

    // What comes in by the sockets.
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

private:
    unsigned debug(unsigned, Line& line) override { return out.debug(line); }

    Time take(unsigned direction, Line& line, Time delay)
    {
        const Time due = event_queue().now() + delay + latency_;
        rings_[direction].push(line, due);
        if (!items_[direction].scheduled) event_queue().schedule(items_[direction], *this, due, direction);
        return 0;
    }

    void run(ScheduledItem& item) override
    {
        const unsigned direction = item.kind;
        DelayRing& ring = rings_[direction];
        const Time now = event_queue().now();
        while (!ring.empty() && ring.front().due <= now) {
            Line& line = *ring.front().line;
            ring.pop();
            if (direction == 0) {
                out.send_request(line, 0);
            } else {
                in.send_response(line, 0);
            }
        }
        if (!ring.empty() && !item.scheduled) event_queue().schedule(item, *this, ring.front().due, direction);
    }

    Time latency_;
    ScheduledItem items_[2];
    DelayRing rings_[2];
};

}  // namespace weft
