// The sending side of one fabric port: queues per virtual channel and input, credits, one wire.
//
// Part of a switch or of a GPU's fabric port, not a module: the owner is the TimedComponent that runs its
// wake-ups. Lines queue per (channel, input). When the wire is free the port picks a channel that has a
// line and a credit, then the input, and sends. What it consists of:
//   channel_queues.h   the queues
//   packet_order.h     lines that share a packet stay together, and such a line goes first whatever the arbitration
//   port_arbiter.h     who goes first otherwise
//   credit_account.h   the credits of the link behind
//   port_meter.h       what is measured here
// A wide transaction takes a credit for each of its lines; in a run with such ones a channel that may have some needs the credits of the
// widest to send any. Credits returned with a delay count from the time they arrive; nobody is woken unless the port
// is blocked on them.
//
// Statistics: lines sent, largest queue, time with the wire free and lines waiting for credits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm_interconnect/protocol/credit_account.h"
#include "tlm_interconnect/protocol/protocol.h"
#include "tlm_interconnect/switch/channel_queues.h"
#include "tlm_interconnect/switch/packet_order.h"
#include "tlm_interconnect/switch/port_arbiter.h"
#include "tlm_interconnect/switch/port_meter.h"

namespace weft {

// Credits of a channel that must be there before it sends: those of the widest transaction that it may have. Atomics, and what switches
// carry out, are lines always.
constexpr std::uint32_t credits_needed(std::uint8_t vc, std::uint32_t transaction)
{
    return class_of(vc) == VcClass::atomic ? 1 : transaction;
}

class OutputPortOwner {
public:
    virtual ~OutputPortOwner() = default;
    // `line` of `cls`, which came from `input`, leaves its buffer slot through `port`. `line.vc` still names
    // the channel of that slot.
    virtual void on_sent(unsigned port, Line& line, LineClass cls, unsigned input) = 0;
};

class OutputPort {
public:
    // Item kinds below this are the owner's own; wake-ups of ports use it and those after it.
    static constexpr std::uint8_t wake_kind = 8;

    OutputPort(EventQueue& event_queue, TimedComponent& component, OutputPortOwner& owner, unsigned port,
        unsigned inputs, LineInitiatorSocket& requests, LineTargetSocket& responses,
        const Arbitration& arbitration = {});
    OutputPort(const OutputPort&) = delete;
    OutputPort& operator=(const OutputPort&) = delete;

    // What the far end can hold. Before time starts.
    void set_credits(const BufferSpace& space);

    // `vc_set`: of the channel that the line will use on this port's link.
    void enqueue(Line& line, LineClass cls, unsigned input, unsigned vc_set = 0);
    // A line of this address will be enqueued soon: the host may fetch what that needs.
    void prefetch(std::uint64_t address) const;
    const PacketOrder& packets() const { return packets_; }  // which prefetch() reads
    // The line at the head of the last queue will be sent soon.
    void prefetch_next() const;
    // As many as the transaction has lines.
    void add_credit(std::uint8_t vc, Time due, std::uint32_t lines = 1);
    // Sends what can be sent now; otherwise arranges to be woken. The owner calls it in arbitrate()
    // after enqueueing and for every wake-up item.
    void serve(Time now);

    bool blocked() const { return queues_.queued() > 0; }
    std::uint32_t queued() const { return queues_.queued(); }
    std::uint64_t sent() const { return meter_.lines(); }
    std::uint64_t handed_on() const { return handed_on_; }  // the same since time 0; the sockets do not count these
    std::uint32_t peak_queue() const { return queues_.peak(); }
    Time credit_stall() const { return meter_.stall(); }
    void reset_statistics()
    {
        meter_.reset();
        queues_.reset_peak();
    }
    // After set_credits(): tells `watch` of everything that happens here.
    void attach(PortWatch& watch) { meter_.attach(watch, queues_); }

    // Lines that wait for a credit, by the input and the channel of the slot they sit in.
    struct Wait {
        unsigned input;
        std::uint8_t held;
        std::uint8_t wanted;
        std::uint32_t lines;
    };
    std::vector<Wait> waits() const;

    // "2 write lines wait for a credit" for the report of a run that cannot progress; empty if idle.
    std::string describe() const;

private:
    bool has_credits(std::uint8_t vc, Time now) const
    {
        return transaction_ == 1 ? credits_.available(vc, now)
                                 : credits_.available(vc, now, credits_needed(vc, transaction_));
    }
    Time next_credit(std::uint8_t vc) const
    {
        return transaction_ == 1 ? credits_.next_own(vc) : credits_.next_own(vc, credits_needed(vc, transaction_));
    }
    // Since when the next credits of a channel can be used, by slot.
    auto usable() const
    {
        return [this](unsigned slot) {
            const std::uint8_t vc = queues_[slot].vc;
            return transaction_ == 1 ? credits_.ready(vc) : credits_.next_own(vc, credits_needed(vc, transaction_));
        };
    }
    bool reserve(std::uint8_t vc, Time now);
    int pick(Time now, int& input);
    bool continues_packet(Time now);
    void send(unsigned slot, unsigned input, Time now);
    void arm(ScheduledItem& item, Time due);
    void wait_for_credits(Time now);

    EventQueue& event_queue_;
    TimedComponent& component_;
    OutputPortOwner& owner_;
    LineInitiatorSocket& requests_;
    LineTargetSocket& responses_;
    LineForward* requests_to_ = nullptr;  // what the sockets are bound to, looked up once
    LineBackward* responses_to_ = nullptr;
    Time wire_free_ = 0;
    std::uint64_t handed_on_ = 0;
    unsigned port_;
    unsigned inputs_;
    unsigned vc_sets_ = 1;
    std::uint32_t transaction_ =
        1;  // lines of the widest one: as many credits must be there before the next one leaves
    ChannelQueues queues_;
    PortArbiter arbiter_;
    PacketOrder packets_;
    PortMeter meter_;
    ScheduledItem wire_wake_;
    ScheduledItem pool_wake_;
    CreditAccount credits_;
};

}  // namespace weft
