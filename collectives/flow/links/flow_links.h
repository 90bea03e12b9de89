// Transfers on links, one stage of their path after the other.
//
// A link serves transfers in the order in which their heads come, or by turns of those who send (LinkRules::turns, which
// needs somebody who keeps what waits: FlowCore). It is occupied for bytes x its rate; the head goes on at
// once (cut-through), or with the last byte under `store_and_forward`. What goes back for a transfer occupies the other
// direction. Where a path passes ranks, several ranks' transfers meet and more waits than the buffer holds, what waits takes
// twice as long (estimate.h); not on paths that flow_buffers.h takes.
//
// Long packets (LinkRules::waits): signals and acknowledges wait for the packet on the wire. Where they wait so long that the
// credits of acknowledges run out, data pass at the rate at which these come back, in place of the factor above.
#pragma once

#include <cstdint>
#include <vector>

#include "base/line_size.h"
#include "collectives/flow/links/card_starts.h"
#include "collectives/flow/links/flat_map.h"
#include "collectives/flow/links/link_series.h"
#include "collectives/flow/links/path_book.h"
#include "collectives/synthesis/context_window.h"
#include "collectives/synthesis/link_packets.h"

namespace weft {

struct FlowFlight {
    std::uint32_t path = 0;
    std::uint32_t sender = 0;  // endpoint
    double bytes = 0;
    double message = 0;  // bytes of each message that these bytes are of, or are part of
    // How many, or which part of one; of signals: how many. Cards may divide each (FlowLinks::pieces_of).
    double messages = 0;
    double packets = -1;        // of a line of a border: that begin with it (FlowLine); below 0: what its message makes
    std::uint32_t stage = 0;    // that its head is at (PathBook::stage)
    std::uint16_t passed = 0;   // stages before it
    std::uint16_t stages = 0;   // of its path
    std::uint64_t head_ps = 0;  // when; behind the last stage, when it has begun to pass it
    std::uint64_t rest_ps = 0;  // latency behind the last stage
    std::uint64_t tail_ps = 0;  // when all of it is there, as far as is known
    bool neighbours = false;    // its path passes no rank
    bool of_group = false;      // a switch carries it out for a group
    bool pushed = false;        // and adds it up
    bool copied = false;        // what was pushed, stored at all
    bool cold = false;          // loads of what members have in memory
    std::uint64_t turn_ps = 0;  // of what is pushed: until copies of it are acknowledged on its link
    bool loaded = false;        // it answers a load: nothing is acknowledged
    bool acknowledges =
        false;  // it is the acknowledge of `bytes` bytes, whose wire time has been booked with them, unless they were buffered
    bool buffered = false;  // by FlowBuffers
    bool started = false;   // by the card in front of the link that it is at
    bool asks = false;      // requests of loads of `bytes` bytes
    bool asked = false;     // it answers requests that have taken the wire by themselves
    bool of_line = false;   // one line of a border (flow_border.h), which takes turns with what waits
};

// Which mechanisms of links count beyond bandwidth and latency.
struct LinkRules {
    std::uint64_t quantum_ps = 0;    // occupancies are cut to multiples of it; 0: rounded to 1 ps
    bool store_and_forward = false;  // a link passes a transfer on when it has all of it
    bool packets = false;            // packets and headers of messages, signals and answers take the wire
    bool waits = false;              // signals and acknowledges wait for the packet of data that is on the wire
    bool conserves = false;  // and for their share of what is booked, so that none ends before its bytes have passed
    // Mean time between the return of a credit of acknowledges and its use, in transmission times of the longest packet of data.
    // Measured (docs/models/flow.md, probes). An acknowledge that comes at any time of a packet would wait for 0.5; a network card
    // sends packets of one message behind each other, so the next one is on the wire at once.
    double credit_wait = 0.66;
    double credit_wait_of_cards = 0.95;
    bool buffers =
        false;  // links behind which buffers are full stand still (flow_buffers.h), in place of the factor for ranks
    bool requests = false;  // requests of loads take wires and buffers before their data do; needs `buffers`
    bool turns = false;   // what waits for a link takes turns by input (input_turns.h); false: first come, first served
    bool starts = false;  // a network card starts one message after the other (CostLink::message_interval_ps)
    double stripe = 64;   // bytes in a row that take the same of several equal paths
};

// A transfer that is always the same, over one link that nothing else uses: what it costs is computed once.
struct LonePass {
    std::uint64_t occupancy_ps = 0;
    std::uint64_t left_ps = 0;  // behind the link
    double busy_ps = 0;
    double bytes = 0;

    bool operator==(const LonePass& other) const
    {
        return occupancy_ps == other.occupancy_ps && left_ps == other.left_ps && busy_ps == other.busy_ps &&
            bytes == other.bytes;
    }
};

class FlowLinks {
public:
    FlowLinks(PathBook& book, const LinkRules& rules) : book_(book), rules_(rules) {}

    // A put of `sender` that leaves at `now`; what a load brings back that was asked for by `request`, when it is at the owner.
    FlowFlight put(std::uint32_t path, std::uint32_t sender, double bytes, std::uint64_t now) const;
    // The acknowledge of `bytes` bytes that were stored by way of `request`, when the last of them is there.
    FlowFlight acknowledge(std::uint32_t path, std::uint32_t sender, std::uint32_t request, double bytes,
        std::uint64_t now) const;
    FlowFlight answer(std::uint32_t path, std::uint32_t sender, std::uint32_t request, double bytes,
        std::uint64_t now) const;

    // A part of what switches do for a group, with `rest` behind the last stage.
    FlowFlight of_group(std::uint32_t path, std::uint32_t sender, double bytes, std::uint64_t now,
        std::uint64_t rest) const;

    // Counts what links carry from now on, in windows.
    void set_series(LinkSeries& series) { series_ = &series; }
    void count(std::uint32_t group, std::uint64_t begin, std::uint64_t end, double busy_ps, double payload)
    {
        if (__builtin_expect(end > end_, 0)) return count_part(group, begin, end, busy_ps, payload);
        if (__builtin_expect(series_ != nullptr, 0)) series_->add(group, begin, end, busy_ps, payload);
    }
    // Transfers count up to this time; of one that is under way then, its part.
    void set_end(std::uint64_t end) { end_ = end; }

    // Passes the links of the present stage at flight.head_ps. False at the last one. `behind_ps`: for how long the buffer behind it
    // holds a line that waits there; 0: none waits. `waited_ps`: for how long the flight has waited for its turn.
    bool pass(FlowFlight& flight, std::uint64_t behind_ps = 0, std::uint64_t waited_ps = 0);

    // Whether other transfers pass some of a stage's links beside other ones, so that its parts take their turns by themselves.
    bool crossed(const FlowStage& stage);
    // The part of the flight on each link of one whole group of its stage passes it at `now`, and the flight goes on when all
    // have: `head`, the latest time at which one began.
    void pass_part(FlowFlight& flight, const GroupShare& part, std::uint64_t now, std::uint64_t behind_ps,
        std::uint64_t waited_ps, std::uint64_t& head);
    // To the next stage, when its head has begun to pass the present one. False at the last one.
    bool go_on(FlowFlight& flight, std::uint64_t head);
    // pass_one(group, share) for each whole group of the stage: of groups that were split for each part.
    template <class Pass>
    void for_groups(const FlowStage& stage, const Pass& pass_one)
    {
        if (stage.count == 1) return for_parts(stage.first, stage.share, pass_one);
        const std::uint32_t first = stage.first;
        const std::uint32_t count = stage.count;
        for (std::uint32_t i = 0; i < count; ++i) {
            const GroupShare share = book_.share(first + i);
            for_parts(share.group, share.share, pass_one);
        }
    }
    template <class Pass>
    void for_parts(std::uint32_t number, double share, const Pass& pass_one)
    {
        if (!book_.group(number).split) return pass_one(number, share);
        for (std::size_t i = 0; i < book_.parts(number).size(); ++i) for_parts(book_.parts(number)[i], share, pass_one);
    }

    // A part of the flight passes one link of a stage: when it begins to, which is later where the wire is not free.
    std::uint64_t begin_on(std::uint32_t group, double share, FlowFlight& flight, std::uint32_t stage,
        std::uint64_t now);
    // When cards start the messages of the flight, or the first of them, of which `share` come to each link of the group at `now`. Then
    // end_starts().
    std::uint64_t start_messages(std::uint32_t group, double share, const FlowFlight& flight, std::uint64_t now);
    void end_starts() { starts_.end(); }
    // So many bytes more, or less, wait for their turn at the link (LinkGroup::queued).
    void waits(std::uint32_t number, double bytes);
    // Behind data that have waited, or behind the last of them: signals and acknowledges that came meanwhile.
    void pass_others(std::uint32_t number, std::uint64_t now);
    // Whether packets on the other direction can hold up its acknowledges so long that their credits run out.
    bool waits_for_acknowledges(const CostLink& link) const;
    // How much longer the wire would be busy if each message and signal had packets of its own, ps: on the link where this is most, among
    // those on which lines to one destination share packets.
    double most_shared_ps() const;
    // Bytes that were sent by paths that pass ranks.
    double through_ranks() const { return through_ranks_; }
    // How long a credit of acknowledges waits for packets that take `packet_ps`.
    double credit_wait_ps(const CostLink& link, double packet_ps) const;

    // The cost of a transfer whose path is PathBook::alone(); false where something else depends on it: its link is not at
    // its sender, or something goes back for it.
    bool lone_pass(const FlowFlight& flight, std::uint64_t now, LonePass& out) const;
    // pass() of it at `now`, as long as the path is alone(); when all of it is there.
    std::uint64_t pass_alone(const LonePass& pass, std::uint32_t number, std::uint32_t sender, std::uint32_t path,
        std::uint64_t now)
    {
        LinkGroup& group = book_.group(number);
        const std::uint64_t end = (now > group.free_ps ? now : group.free_ps) + pass.occupancy_ps;
        group.free_ps = end;
        if (rules_.conserves) data_until(number, end);
        group.busy_ps += pass.busy_ps;
        group.payload += pass.bytes;
        group.sender = sender;
        group.path = path;
        return end + pass.left_ps;
    }

    std::uint64_t occupancy_ps(double bytes, double ps_per_byte) const;
    // How long one line of the flight, with the headers of the flight, or its acknowledge takes at the slowest link of its path. A latency has the wire
    // of a line already, and pass() adds that of the bytes.
    std::uint64_t line_ps(const FlowFlight& flight) const;

private:
    FlowFlight begin(const FlowPath& route, std::uint32_t path, std::uint32_t sender, double bytes) const;
    void pass_group(std::uint32_t number, double share, FlowFlight& flight, std::uint64_t now, std::uint64_t left,
        std::uint64_t& head);
    void pass_contexts(std::uint32_t number, double bytes, FlowFlight& flight, std::uint64_t now, std::uint64_t left,
        std::uint64_t& head);
    // Data that have begun to pass the link end then.
    void data_until(std::uint32_t number, std::uint64_t end) { of_group(data_free_, number) = end; }
    // When those that have begun to pass the link have passed.
    std::uint64_t data_end(std::uint32_t number) const
    {
        while (number >= data_free_.size()) {
            if ((number = book_.whole_of(number)) == LinkGroup::none) return 0;
        }
        return data_free_[number];
    }
    // What `list` has for the group. The parts of a group that is split go on from what the whole had.
    template <class T>
    T& of_group(std::vector<T>& list, std::uint32_t number) const
    {
        if (__builtin_expect(list.size() <= number, 0)) grow(list);
        return list[number];
    }
    template <class T>
    void grow(std::vector<T>& list) const
    {
        for (auto next = static_cast<std::uint32_t>(list.size()); next < book_.groups(); ++next) {
            const std::uint32_t whole = book_.whole_of(next);
            list.push_back(whole == LinkGroup::none ? T() : T(list[whole]));
        }
    }
    void book(std::uint32_t number, double ps, std::uint64_t now);
    void take_wire(std::uint32_t number, std::uint64_t occupancy, double busy_ps, std::uint64_t now);
    void occupy_back(std::uint32_t number, double ps, std::uint64_t now);
    std::uint64_t turn_of_line(std::uint32_t number, std::uint64_t now, std::uint64_t free, std::uint64_t occupancy,
        bool loaded);
    std::uint64_t turn_of_acknowledge(std::uint32_t number, std::uint64_t now, std::uint64_t occupancy);

    void pass_signal(std::uint32_t number, double share, FlowFlight& flight, std::uint64_t now, std::uint64_t left,
        std::uint64_t& head);
    bool shares_packet(std::uint32_t number, const FlowFlight& flight, const CostLink& link, std::uint64_t turn);
    void note_shared(std::uint32_t number, double ps);
    double packets_of_load_ps(std::uint32_t number, const FlowFlight& flight, double share, std::uint64_t now);
    // Bytes that can be without an acknowledge: each takes a credit.
    static double acknowledged_by_credits(const CostLink& link) { return link.answer_credits * line_bytes; }
    double credit_round_ps(const CostLink& link, const FlowFlight& flight) const;
    std::uint64_t credits_ps(std::uint32_t number, const FlowFlight& flight, double bytes, std::uint64_t begin);
    double rate_of_acknowledges(std::uint32_t number, const FlowFlight& flight, std::uint64_t now);
    double packet_in_progress(std::uint32_t number, std::uint64_t at) const;
    void pass_acknowledge(std::uint32_t number, double share, FlowFlight& flight, std::uint64_t now, std::uint64_t left,
        std::uint64_t& head);
    std::uint64_t packet_left(std::uint32_t number, double packet_ps, std::uint64_t at) const;
    std::uint64_t others_between(std::uint32_t number, std::uint64_t own, std::uint64_t at, std::uint64_t booked) const;
    double acknowledges_ahead(std::uint32_t number, const FlowFlight& flight, double bytes, double wait_ps, double ps);
    // Answers take the wire at `now`, and count when what they answer is there, at `answered`.
    void answer_copied(std::uint32_t number, double ps, std::uint64_t now, std::uint64_t answered);
    void answer_back(std::uint32_t number, double ps, std::uint64_t now, std::uint64_t answered);
    // Messages that network cards make of one of the flight: where its lines take several cards, one at each that any come to.
    double pieces_of(const FlowFlight& flight) const;
    double message_headers_ps(const CostLink& link, const FlowFlight& flight, double share) const;

    PathBook& book_;
    LinkRules rules_;
    OpenPacket& open_packet(FlatMap& of, std::uint64_t key);
    FlatMap open_of_;       // of signals, by group and path
    FlatMap load_open_of_;  // of loads, by group, path and whether requests or data
    std::vector<OpenPacket> open_;
    void count_part(std::uint32_t group, std::uint64_t begin, std::uint64_t end, double busy_ps, double payload);
    LinkSeries* series_ = nullptr;
    std::uint64_t end_ = ~std::uint64_t{0};
    CardStarts starts_;
    double through_ranks_ = 0;       // B, by paths that pass ranks
    std::uint64_t behind_ps_ = 0;    // of the present pass()
    std::uint64_t waited_ps_ = 0;    // the same
    std::uint64_t span_ps_ = 0;      // the same: until all of the flight has come from the stage before
    std::uint64_t answered_ps_ = 0;  // of an answer that takes the wire: it counts no earlier
    struct Waiting {
        double data_ps = 0;
        std::uint64_t others_ps = 0;  // signals, acknowledges
        double others_busy_ps = 0;    // the same, not rounded
    };
    struct Answers {
        std::uint64_t end_ps = 0;  // of the latest one
        std::uint32_t lines = 0;   // that have followed each other up to it
    };
    std::vector<ContextWindow> contexts_;    // by group
    std::vector<double> ahead_;              // by group: acknowledges of copies that pushes have booked
    std::vector<Waiting> waiting_;           // by group: what waits for its turn
    std::vector<std::uint64_t> lines_free_;  // by group: when the next line of a border has its turn
    std::vector<double> shared_ps_;          // by group: see most_shared_ps()
    std::vector<std::uint64_t> data_free_;   // by group: end of the last transfer that has begun, no line of a border
    std::vector<Answers> line_answers_;      // by group: of lines of a border
    std::vector<double> credits_used_;  // by group: when acknowledges so far would have credits, one after the other
};

}  // namespace weft
