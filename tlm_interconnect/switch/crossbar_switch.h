// A switch with a scheduled crossbar: input-queued, clocked, one matching per clock.
//
// Sockets: as Switch (switch.h). Model name `crossbar`.
//
// Where Switch lets every output take from any input at any time, here an input (each of its `input_speedup`
// crossbar inputs) sends one line at a time and an output takes one at a time, as matched by `allocator`
// (matching.h). Queues of an input:
//   voq      one for each output and channel: nothing blocks what goes elsewhere
//   channel  one for each virtual channel: a line waits behind those of its channel, wherever they go
//   fifo     one: head-of-line blocking, the textbook case
//
// Timing, on clock edges (multiples of `clock` from time 0):
//   arrival + latency, rounded up to an edge    first edge at which the line takes part in the matching
//   one clock before                            with vc_stage = separate, first edge at which it can win a channel
//   match + traversal                           first bit on the outgoing link
// A channel of the next hop is held from when it is won to when the line is matched. Where a route leaves a choice of
// VC sets (the link has more than the routes need) any of them may be won. The slot of the input buffer is free
// when the line is matched. A credit counts `credit_delay` after it has arrived.
// Without output buffer a line is matched when it will find the wire free; with one, when the buffer has room, and
// the crossbar is held for `transfer` (speed-up = time on the wire / transfer).
//
// It costs nothing while no line could move. Limits: 64 crossbar inputs and outputs.
//
// Statistics: lines forwarded, matchings, requests for an output that were not granted, largest queue for an output.
#pragma once

#include <memory>
#include <vector>

#include "tlm_interconnect/protocol/credit_account.h"
#include "tlm_interconnect/switch/matching.h"
#include "tlm_interconnect/kernel/packed_arrays.h"
#include "tlm_interconnect/switch/switch_shell.h"

namespace weft {

class CrossbarSwitch final : public SwitchShell<CrossbarSwitch> {
public:
    // Throws InputError when there are more ports than the crossbar can have.
    CrossbarSwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec,
        unsigned ports, RouteTable routes);

    void set_credits(unsigned port, const BufferSpace& space) override;
    bool accounts_for_credits() const override { return true; }
    std::uint32_t peak_queue(unsigned port) const override { return outputs_[port].load.peak; }
    std::uint64_t line_hops() const override { return sent_; }
    std::vector<std::string> blocked() const override;
    bool attach(unsigned port, PortWatch& watch) override;
    std::vector<Wait> waits() const override;

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    friend SwitchShell<CrossbarSwitch>;

    struct Queue {
        ScheduledItem* head = nullptr;
        ScheduledItem* tail = nullptr;
        std::uint16_t channels = 0;  // of the output, that the head may use
        std::uint8_t output = 0;
        std::uint8_t channel = 0;      // won
        std::uint8_t input = 0;        // crossbar input, of the head
        std::uint8_t first_input = 0;  // of its port
        std::uint8_t turn = 0;         // among the queues of a crossbar input
        std::uint8_t next_turn = 0;
    };
    // What is looked at in every clock, half a cache line.
    struct Output {
        Time wire_free = 0;
        Time crossbar_free = 0;
        OutputLoad load;
        std::uint16_t held = 0;    // channels won and not yet used
        std::uint8_t turn = 0;     // combined: the channel after the last used
        std::uint8_t vc_sets = 1;  // of the link, for each VC set of the routes
        bool split = true;
    };
    struct Port {
        unsigned vc_sets = 1;
        std::vector<Time> starts;  // of lines in the output buffer, a ring
        std::uint32_t first_start = 0;
        std::uint32_t start_count = 0;
        CreditAccount credits;
    };
    // Lines that arrive within so many clocks wait in a list by edge; others are on the event queue.
    static constexpr unsigned near_edges = 8;
    static constexpr std::uint16_t many_routes = 0xffff;  // no entry: port 4095 does not exist
    static constexpr std::uint8_t tick_kind = 2;
    static constexpr std::uint8_t far_kind = 4;

    void credited(unsigned port, std::uint8_t vc, Time arrival);
    unsigned watch_slot(unsigned output, VcClass cls) const;
    void run(ScheduledItem& item) override;
    void end_of_elaboration() override;

    void arrive(unsigned port, Line& line, LineClass cls, Time delay);
    Exit exit_of(unsigned input, Line& line);
    void enter(unsigned input, Line& line);
    std::uint32_t queue_of(unsigned input, std::uint8_t vc, unsigned output) const;
    void set_head(std::uint32_t number);
    void allocate_channels();
    void request_crossbar(Time now);
    void transfer(std::uint32_t number, unsigned crossbar_input, Time now);
    bool has_room(unsigned output, Time now);
    int usable_channel(unsigned output, std::uint16_t channels, Time now) const;
    Time next_chance(Time now);
    void wake_at(Time time);
    // The first edge that is not before `time`. Most are a few clocks ahead of the last one: no division.
    Time edge(Time time) const
    {
        Time at = last_edge_;
        for (unsigned step = 0; step < 8; ++step, at += clock_)
            if (at >= time && at - time < clock_) return at;
        return (time + clock_ - 1) / clock_ * clock_;
    }
    std::uint16_t vc_set_channels(const Output& output, VcClass cls, unsigned vc_set) const;

    // In every clock.
    Time next_tick_ = CreditAccount::no_time;
    Time last_edge_ = 0;
    unsigned last_slot_ = 0;
    ScheduledItem* arriving_[near_edges] = {};  // by edge
    ScheduledItem* last_arriving_[near_edges] = {};
    std::uint32_t near_lines_ = 0;  // in arriving_
    std::uint32_t lines_ = 0;       // in queues
    bool moved_ = false;
    const Time clock_;
    const Time ready_delay_;  // arrival to the edge at which a line joins its queue
    const Time credit_delay_;
    const Time traversal_;
    const Time transfer_;
    const bool buffered_;
    TimedItem first_ticks_[2];         // one may lie before another that is already on the event queue
    std::vector<PortWatch*> watches_;  // by output, if any is watched
    SwitchSpec spec_;
    bool separate_;
    bool fifo_;
    unsigned speedup_;
    unsigned route_vc_sets_ = 1;
    unsigned slots_ = 1;
    std::uint8_t slot_of_[max_vcs] = {};
    std::uint8_t input_of_[max_vcs] = {};  // of the crossbar inputs of a port, by channel
    std::vector<Port> ports_;
    PackedArrays arrays_;
    std::uint32_t queue_count_ = 0;
    std::uint32_t words_ = 0;                   // of a bit per queue
    std::uint64_t* without_channel_ = nullptr;  // bit per queue whose head has still to win one
    std::uint64_t* ready_ = nullptr;            // bit per queue whose head asks for the crossbar
    std::uint64_t* asking_ = nullptr;           // ready_ as it was before this edge's channels were won
    Output* outputs_ = nullptr;
    Queue* queues_ = nullptr;
    Time* input_free_ = nullptr;             // by crossbar input
    std::uint16_t* candidate_ = nullptr;     // queue, by crossbar input and output
    std::uint8_t* vc_turn_ = nullptr;        // by crossbar input: where to begin among its queues
    std::uint8_t* port_of_ = nullptr;        // by crossbar input
    std::uint16_t* first_asking_ = nullptr;  // queue, by output
    std::uint16_t* only_route_ = nullptr;    // the route's entry by endpoint, where there is one alone
    std::vector<std::vector<ChannelMatching::Request>> channel_requests_;  // by output
    CrossbarMatching matching_;
    std::unique_ptr<ChannelMatching> channel_matching_;
    PackedArrays output_array_;
    std::vector<std::unique_ptr<ScheduledItem>> further_ticks_;
    std::uint64_t sent_ = 0;
    std::uint64_t matchings_ = 0;
    std::uint64_t refused_ = 0;
};

}  // namespace weft
