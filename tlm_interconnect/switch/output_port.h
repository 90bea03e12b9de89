// The sending side of one fabric port: queues per virtual channel and input, credits, one wire.
//
// Part of a switch or of a GPU's fabric port, not a module: the owner is the TimedComponent that runs its
// wake-ups. Lines queue per (channel, input). When the wire is free the port picks a channel that has a
// line and a credit, then the input, and sends. Arbitration:
//   round_robin  the next channel in turn, and in it the next input in turn
//   age          the line with the earliest `issued`; ties in turn
//   arrival      the line that was enqueued first: one queue for all; ties in turn
//   weighted     control_weight lines of control channels (request, atomic), then data_weight lines of data
//                channels (write, response), each kind in turn; a kind that has nothing to send gives way
// Where the link merges lines into packets, a line that continues the packet of the one just sent goes first, whatever
// the arbitration: a packet is never interrupted. Where it merges adjacent ones, a line that continues another one of its
// queue stands behind that: what set out as one request and came through the die line by line is one again. Lines to
// the same address never change places. (Those that wait are found by a hash of their address, waiting_lines.h; a packet whose
// beginning shares its place with another line stays in parts.)
// Credits returned with a delay count from the time they arrive; nobody is woken unless the port
// is blocked on them.
//
// Statistics: lines sent, largest queue, time with the wire free and lines waiting for credits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm_interconnect/protocol/credit_account.h"
#include "tlm_interconnect/switch/port_watch.h"
#include "tlm_interconnect/protocol/protocol.h"
#include "tlm_interconnect/switch/switch_spec.h"
#include "tlm_interconnect/switch/waiting_lines.h"

namespace weft {

class OutputPortOwner {
public:
    virtual ~OutputPortOwner() = default;
    // `line` of `cls`, which came from `input`, leaves its buffer slot through `port`. `line.vc` still names
    // the channel of that slot.
    virtual void on_sent(unsigned port, Line& line, LineClass cls, unsigned input) = 0;
};

struct Arbitration {
    ArbiterKind kind = ArbiterKind::round_robin;
    std::uint32_t control_weight = 1;
    std::uint32_t data_weight = 1;
};
Arbitration arbitration(const SwitchSpec& spec);

class OutputPort {
public:
    // Item kinds below this are the owner's own; wake-ups of ports use it and those after it.
    static constexpr std::uint8_t wake_kind = 8;

    OutputPort(EventQueue& event_queue, TimedComponent& component, OutputPortOwner& owner, unsigned port, unsigned inputs,
        LineInitiatorSocket& requests, LineTargetSocket& responses, const Arbitration& arbitration = {});
    OutputPort(const OutputPort&) = delete;
    OutputPort& operator=(const OutputPort&) = delete;

    // What the far end can hold. Before time starts.
    void set_credits(const BufferSpace& space);

    // `lane`: of the channel that the line will use on this port's link.
    void enqueue(Line& line, LineClass cls, unsigned input, unsigned lane = 0);
    // A line of this address will be enqueued soon: the host may fetch what that needs.
    void prefetch(std::uint64_t address) const;
    // The line at the head of the last queue will be sent soon.
    void prefetch_next() const;
    void add_credit(std::uint8_t vc, Time due);
    // Sends what can be sent now; otherwise arranges to be woken. The owner calls it in arbitrate()
    // after enqueueing and for every wake-up item.
    void serve(Time now);

    bool blocked() const { return queued_ > 0; }
    std::uint32_t queued() const { return queued_; }
    std::uint64_t sent() const { return sent_; }
    std::uint32_t peak_queue() const { return peak_; }
    Time credit_stall() const { return stall_; }
    void reset_statistics();
    // After set_credits(): tells `watch` of everything that happens here.
    void attach(PortWatch& watch);

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
    struct Queue {
        ScheduledItem* head = nullptr;
        ScheduledItem* tail = nullptr;
    };
    struct Channel {
        std::uint8_t vc = 0;
        bool control = false;
        std::uint32_t queued = 0;
        std::uint32_t last_input = 0;
        std::vector<Queue> inputs;
        std::vector<std::uint64_t> waiting;  // bit per input with lines
        ScheduledItem wake;
    };
    static constexpr std::uint8_t no_slot = 0xff;

    int pick(Time now);
    void tell_waiting_apart();
    ScheduledItem* begun_packet(const Line& line, unsigned slot, unsigned input) const;
    bool continues_packet(Time now);
    bool same_packet(const Line& line) const;
    int pick_in_turn(std::uint32_t candidates) const;
    int pick_oldest(std::uint32_t candidates, unsigned& input) const;
    int pick_weighted(std::uint32_t candidates);
    unsigned next_input(const Channel& channel) const;
    void send(unsigned slot, Time now);
    void arm(ScheduledItem& item, Time due);
    void wait_for_credits(Time now);
    void note_ready(Time now);
    void note_wait(Line& line, LineClass cls, unsigned slot, Time now) const;

    EventQueue& event_queue_;
    TimedComponent& component_;
    OutputPortOwner& owner_;
    LineInitiatorSocket& requests_;
    LineTargetSocket& responses_;
    Arbitration arbitration_;
    unsigned port_;
    unsigned inputs_;
    unsigned last_slot_ = 0;
    int oldest_input_ = -1;
    std::uint32_t control_left_ = 0;
    std::uint32_t data_left_ = 0;
    std::uint32_t queued_ = 0;
    std::uint32_t occupied_ = 0;  // bit per slot with lines
    std::uint32_t peak_ = 0;
    Time wire_free_ = 0;
    Time stalled_since_ = 0;
    bool stalled_ = false;
    Time stall_ = 0;
    std::uint64_t sent_ = 0;
    PortWatch* watch_ = nullptr;
    std::array<Time, max_vcs> ready_{};  // watched: when the next credit of a channel could be used, by slot
    ScheduledItem wire_wake_;
    ScheduledItem pool_wake_;
    CreditAccount credits_;
    std::array<std::array<std::uint8_t, line_ops>, max_lanes> request_slot_;
    std::array<std::uint8_t, max_vcs> slot_of_;
    std::vector<Channel> channels_;  // those that exist, by vc
    unsigned lanes_ = 1;
    // The packet that the next line could continue, where the link merges.
    std::uint32_t packet_ = 0;        // by address
    std::uint32_t group_packet_ = 0;  // the same of lines of groups
    WaitingLines waiting_lines_;
    std::uint32_t packet_lines_ = 0;  // by destination
    std::uint32_t in_packet_ = 0;     // lines so far
    std::uint64_t next_address_ = 0;
    std::uint16_t packet_source_ = 0;
    std::uint16_t packet_destination_ = 0;
    LineOp packet_op_ = LineOp::read;
};

}  // namespace weft
