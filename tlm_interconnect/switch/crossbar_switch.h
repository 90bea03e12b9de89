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

#include <algorithm>
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
        std::uint8_t channel = 0;  // won
        std::uint8_t input = 0;    // crossbar input, of the head
        std::uint8_t turn = 0;     // among the queues of a crossbar input
        std::uint8_t next_turn = 0;
    };
    // What is looked at in every clock, half a cache line.
    struct Output {
        Time wire_free = 0;
        Time crossbar_free = 0;
        OutputLoad load;
        std::uint16_t held = 0;     // channels won and not yet used
        std::uint16_t waiting = 0;  // heads that have still to win a channel
        std::uint8_t turn = 0;      // combined: the channel after the last used
        std::uint8_t vc_sets = 1;   // of the link, for each VC set of the routes
        bool split = true;
    };
    struct Port {
        CreditAccount credits;
        unsigned vc_sets = 1;
        std::vector<Time> starts;  // of lines in the output buffer, a ring
        std::uint32_t first_start = 0;
        std::uint32_t start_count = 0;
    };
    // A line that has come and joins its queue at an edge to come. What it needs there is found out while its header is at hand.
    struct Arrival {
        Line* line = nullptr;
        std::uint8_t port = 0;
        std::uint8_t output = 0;  // no_output: the way is looked for at the edge
        std::uint8_t input = 0;   // crossbar input
        std::uint16_t queue = 0;
        std::uint16_t channels = 0;  // as in Queue
    };
    // Those of one edge. Their places stay from edge to edge, with what was in them.
    struct Arrivals {
        std::uint32_t count = 0;
        std::vector<Arrival> all;

        Arrival& add()
        {
            if (__builtin_expect(count == all.size(), 0)) grow();
            return all[count++];
        }
        [[gnu::noinline]] [[gnu::cold]] void grow() { all.resize(std::max<std::size_t>(4, 2 * all.size())); }
    };
    static constexpr std::uint8_t no_output = 0xff;
    static constexpr std::uint16_t no_way = 0xffff;
    // An output and a VC set of the routes, as a line sees it that goes there.
    struct Way {
        std::uint16_t channels = 0;  // of the VC set, for reads: those of other classes are next to them
        std::uint8_t output = no_output;
        bool split = true;  // as in Output
    };
    // What the sockets of a port are bound to, looked up once.
    struct Ends {
        LineForward* forward = nullptr;
        LineBackward* backward = nullptr;
    };
    // Where a line of a channel waits.
    struct Place {
        std::uint16_t queue = 0;  // behind the first one of its port
        std::uint8_t input = 0;   // of the crossbar inputs of the port
    };
    // Lines that arrive within so many clocks wait in a list by edge; others are on the event queue.
    static constexpr unsigned near_edges = 8;
    static constexpr std::uint8_t tick_kind = 2;
    static constexpr std::uint8_t far_kind = 4;

    void credited(unsigned port, std::uint8_t vc, Time arrival);
    // Transactions of one line only come here: a run with wide ones has no scheduled crossbars.
    void credited_lines(unsigned port, std::uint8_t vc, Time due, std::uint32_t) { credited(port, vc, due); }
    unsigned edges_to(Time time) const;
    void watch_credit(unsigned port, std::uint8_t vc, Time due);
    unsigned watch_slot(unsigned output, VcClass cls) const;
    void run(ScheduledItem& item) override;
    void end_of_elaboration() override;

    void arrive(unsigned port, Line& line, LineClass cls, Time delay);
    [[gnu::cold]] void arrive_late(unsigned port, Line& line, Time ready);
    Exit exit_of(unsigned input, Line& line);
    void place(Arrival& arrival, const Way& way);
    Way way_to(Exit exit) const;
    void find_ways();
    void enter(Arrival& arrival);
    void set_head(Queue& queue, std::uint8_t output, std::uint16_t channels, std::uint8_t input);
    void next_head(Queue& queue);
    void match_and_move(Time now);
    void allocate_channels();
    void win(std::uint32_t number, unsigned channel);
    unsigned find_requests(Time now, bool& conflict);
    template <bool watched>
    void grant_requests(Time now);
    template <bool watched>
    unsigned match_requests(unsigned count, Time now);
    template <bool watched>
    void transfer(std::uint32_t number, unsigned crossbar_input, Time now);
    static void free_slot_of(Line& line, LineClass cls, const Ends& input);
    bool has_room(unsigned output, Time now);
    int usable_channel(unsigned output, std::uint16_t channels, Time now) const;
    Time next_chance(Time now);
    void wake_at(Time time);
    // The first edge that is not before `time`.
    Time edge(Time time) const { return (time + clock_ - 1) / clock_ * clock_; }
    static std::uint16_t vc_set_channels(const Output& output, VcClass cls, unsigned vc_set);

    // In every clock and for every line.
    alignas(64) Time next_tick_ =
        CreditAccount::no_time;  // 0 while one runs, which sees itself when the next one is wanted
    Time last_edge_ = 0;
    unsigned last_slot_ = 0;
    std::uint32_t near_lines_ = 0;  // in arriving_
    std::uint32_t lines_ = 0;       // in queues
    std::uint32_t words_ = 0;       // of a bit per queue
    const Time clock_;
    const std::uint64_t per_clock_;  // 2^63 / clock, rounded up
    const Time ready_delay_;         // arrival to the edge at which a line joins its queue
    const Time credit_delay_;
    const Time traversal_;
    const Time transfer_;
    std::uint64_t sent_ = 0;
    std::uint64_t matchings_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t asking_inputs_ = 0;
    std::uint64_t* without_channel_ = nullptr;  // bit per queue whose head has still to win one
    std::uint64_t* ready_ = nullptr;            // bit per queue whose head asks for the crossbar
    Output* outputs_ = nullptr;
    Queue* queues_ = nullptr;
    Time* input_free_ = nullptr;           // by crossbar input
    std::uint16_t* request_of_ = nullptr;  // the last queue that asks in this edge, by crossbar input
    std::uint16_t* requests_ = nullptr;    // all of them, ascending
    Ends* ends_ = nullptr;                 // by port
    std::uint8_t* vc_turn_ = nullptr;      // by crossbar input: where to begin among its queues
    std::uint8_t* port_of_ = nullptr;      // by crossbar input
    std::uint16_t* way_of_ = nullptr;      // by endpoint: which of ways_, where there is one way alone
    Way* ways_ = nullptr;
    std::uint32_t ways_known_ = 0;     // endpoints that way_of_ has
    std::uint32_t input_queues_ = 0;   // queues of an input
    std::uint32_t output_queues_ = 0;  // from the queue for an output to that for the next one
    unsigned speedup_;
    bool moved_ = false;
    bool watched_ = false;
    const bool buffered_;
    bool separate_;
    std::vector<Port> ports_;
    Place places_[max_vcs];          // by channel
    Arrivals arriving_[near_edges];  // by edge
    TimedItem first_ticks_[2];       // one may lie before another that is already on the event queue
    CrossbarMatching matching_;
    ChannelMatching channel_matching_;
    std::uint16_t* candidate_ = nullptr;                                   // queue, by crossbar input and output
    std::vector<std::vector<ChannelMatching::Request>> channel_requests_;  // by output
    std::vector<std::unique_ptr<ScheduledItem>> further_ticks_;
    std::vector<PortWatch*> watches_;  // by output, if any is watched
    SwitchSpec spec_;
    bool fifo_;
    bool exists_[max_vcs] = {};  // channels that some link has
    unsigned route_vc_sets_ = 1;
    unsigned slots_ = 1;
    std::uint32_t queue_count_ = 0;
    PackedArrays arrays_;
    PackedArrays output_array_;
};

inline void CrossbarSwitch::credited(unsigned port, std::uint8_t vc, Time arrival)
{
    const Time due = arrival + credit_delay_;
    if (__builtin_expect(!ports_[port].credits.give(vc, due), 0)) return report_extra_credit(path());
    if (__builtin_expect(watched_, 0)) watch_credit(port, vc, due);
    if (due < next_tick_ && lines_ > 0) wake_at(edge(due));
}

}  // namespace weft
