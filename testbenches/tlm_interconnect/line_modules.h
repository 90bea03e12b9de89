// Our side of the adapter tests: a memory with a fixed latency and few buffer slots, and an initiator that
// issues lines when told to.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "tlm_interconnect/adapters/credit_gate.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft::testing {

// Serves one line per `interval`, answers `latency` after its service began; a slot is free when its
// service begins.
class LineMemory : public sc_core::sc_module, public TimedComponent, public LineTarget {
public:
    LineMemory(sc_core::sc_module_name name, EventQueue& event_queue, Time latency, Time interval = 0)
        : sc_module(name), TimedComponent(event_queue, std::string(this->name())), in("in", *this), bytes(1 << 16),
          latency_(latency), interval_(interval)
    {
    }

    LineTargetSocket in;
    std::vector<std::uint8_t> bytes;
    std::vector<Time> arrivals;
    std::vector<const Line*> lines;
    std::vector<std::uint32_t> tags;
    std::vector<std::uint64_t> addresses;
    std::vector<LineOp> operations;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

private:
    Time on_request(unsigned, Line& line, Time delay) override
    {
        event_queue().schedule(line, *this, event_queue().now() + delay);
        return 0;
    }
    unsigned debug(unsigned, Line& line) override
    {
        move(line);
        return line.size;
    }
    void move(Line& line)
    {
        std::uint8_t* place = &bytes[local_of(line.address) % bytes.size()];
        if (line.op == LineOp::read) std::memcpy(line.data(), place, line.size);
        if (line.op == LineOp::write) std::memcpy(place, line.data(), line.size);
        if (line.op == LineOp::atomic) {
            std::uint64_t value = 0;
            std::memcpy(&value, place, 8);
            value += line.operand();
            std::memcpy(place, &value, 8);
        }
    }
    void run(ScheduledItem& item) override
    {
        Line& line = Line::of(item);
        const Time now = event_queue().now();
        arrivals.push_back(now);
        lines.push_back(&line);
        tags.push_back(line.tag);
        addresses.push_back(line.address);
        operations.push_back(line.op);
        free_at_ = std::max(free_at_, now);
        const Time start = free_at_;
        free_at_ += interval_;
        move(line);
        line.set_response_status(status);
        in.return_request_credit(line, start - now);
        const Time tail =
            line.asks(LineHeader::refill_flag) ? line.tail : 0;  // the last line of a wide fetch comes then
        in.send_response(line, start + latency_ + tail - now);
    }

    Time latency_;
    Time interval_;
    Time free_at_ = 0;
};

class LineIssuer : public sc_core::sc_module, public TimedComponent, public LineInitiator {
public:
    LineIssuer(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, std::uint32_t credits = 0)
        : sc_module(name), TimedComponent(event_queue, std::string(this->name())), out("out", *this), pool_(pool),
          gate_(credits)
    {
        wake_.kind = 2;
    }

    LineInitiatorSocket out;

    // What the issuer returns may be asked for more until `at`.
    LineIssue issue(Time at, LineOp op, std::uint64_t address, std::uint32_t size = 64)
    {
        Line& line = pool_.take();
        const LineIssue issue = line.begin(op, address, size).tag(static_cast<std::uint32_t>(done.size()));
        done.push_back({});
        line.kind = 0;
        event_queue().schedule(line, *this, at);
        return issue;
    }

    struct Done {
        Time sent = 0, at = 0;
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
        std::vector<std::uint8_t> data;
        const Line* line = nullptr;
        std::uint64_t address = 0;
        std::uint32_t tail = 0;
    };
    std::vector<Done> done;  // by tag
    std::vector<std::uint32_t> order;

private:
    Time on_response(unsigned, Line& line, Time delay) override
    {
        out.return_response_credit(line, delay);
        line.kind = 1;
        event_queue().schedule(line, *this, event_queue().now() + delay);
        return 0;
    }
    void on_request_credit(unsigned, Line&, Time delay) override
    {
        gate_.give(event_queue().now() + delay);
        pump();
    }
    void run(ScheduledItem& item) override
    {
        if (item.kind == 1) {
            Line& line = Line::of(item);
            Done& entry = done[line.tag];
            entry.at = event_queue().now();
            entry.status = line.get_response_status();
            entry.data.assign(line.data(), line.data() + line.size);
            entry.line = &line;
            entry.address = line.address;
            entry.tail = line.tail;
            order.push_back(line.tag);
            pool_.give(line);
            return;
        }
        if (item.kind == 0) queue_.push_back(&Line::of(item));
        pump();
    }
    void pump()
    {
        const Time now = event_queue().now();
        while (!queue_.empty()) {
            const Time next = gate_.next(now);
            if (next != now) {
                if (next != CreditGate::never && !wake_.scheduled) event_queue().schedule(wake_, *this, next);
                return;
            }
            gate_.take();
            Line& line = *queue_.front();
            queue_.pop_front();
            done[line.tag].sent = now;
            out.send_request(line, 0);
        }
    }

    LinePool& pool_;
    CreditGate gate_;
    ScheduledItem wake_;
    std::deque<Line*> queue_;
};

}  // namespace weft::testing
