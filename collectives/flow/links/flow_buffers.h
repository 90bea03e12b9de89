// Back pressure: links whose buffers at the far end are finite: for all that passes where paths pass ranks, and for loads on all
// links, if their requests take the wire (LinkRules::requests).
//
// Parts of transfers wait at the sending end of such a link, in a queue for each virtual channel and for each link that
// they come from (one more for what the own rank sends). When the wire is free, the next channel in turn, and in it the next
// input in turn, sends one part, if the buffer of that channel at the far end has room for it. A part takes its room when it
// begins to pass the link. It gives it back when it begins to pass the next link, or when its lines have passed the last node,
// and the credits have come back over the link. So links stand still where the buffers behind them are full of parts that wait
// for links further on: a ring of which more than every second transfer goes on at each rank carries a part of its bandwidth
// only (docs/models/flow.md, back pressure).
//
// Stores: not on links whose rate follows from the credits of acknowledges (flow_links.h). Requests of loads have a channel of their own.
// Parts of one load follow each other up to the longest packet, and so do acknowledges of one pair. Both take turns with what others have
// booked ahead. Parts of loads, and parts that are less than a line for each of several equal routes, take one of these. After a circle of
// full buffers loads wait for room no more.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "collectives/flow/links/flat_map.h"
#include "collectives/flow/links/flow_links.h"
#include "collectives/flow/links/path_book.h"

namespace weft {

class FlowBuffers {
public:
    using Ps = std::uint64_t;
    struct Event {  // serve(index), or go_on(index) of a piece
        Ps time = 0;
        std::uint32_t index = 0;
        bool piece = false;
    };
    struct Passed {  // a flight that has begun to pass its last link
        std::uint32_t transfer = 0;
        FlowFlight flight;
    };

    FlowBuffers(PathBook& book, FlowLinks& links) : book_(book), links_(links) {}

    // Whether a link of its path has such a buffer. Otherwise FlowLinks::pass() is for it.
    bool takes(const FlowFlight& flight);
    // The flight of `transfer`, which is at its first stage. It is in passed() when it has come to the end.
    void enter(std::uint32_t transfer, const FlowFlight& flight, Ps now);
    void go_on(std::uint32_t number, Ps now);
    // The wire of an output may be free, or credits have come back.
    void serve(std::uint32_t number, Ps now);

    std::uint64_t waiting() const { return waiting_; }
    // All that is left waits for room in a circle of full buffers: lets one piece of each queued link go on without room.
    void break_circle(Ps now);
    std::uint64_t circles() const { return circles_; }

    // What the calls above brought about, to be taken by the caller.
    std::vector<Event>& events() { return events_; }
    std::vector<Passed>& passed() { return passed_; }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t undecided = none - 1;

    struct Queue {  // of pieces
        std::uint32_t first = none;
        std::uint32_t last = none;
    };
    struct Return {
        Ps time = 0;
        double bytes = 0;
    };
    struct Channel {
        double room = 0;
        double capacity = 0;
        std::uint32_t last_input = 0;
        std::vector<Queue> inputs;
        std::array<std::deque<Return>, 2>
            returns;  // from links in between and from the last one, each in order of time
    };
    struct Output {
        std::uint32_t group = 0;
        double links = 1;    // of the group, side by side
        bool waits = false;  // FlowLinks::waits_for_acknowledges(): for loads only
        std::uint32_t last_channel = 0;
        std::uint32_t queued = 0;
        std::uint32_t sharers = 0;  // of these
        Ps armed = ~Ps{0};
        Ps turn = 0;        // of sharers, where others have booked the wire
        Ps answered = 0;    // the last acknowledge has passed
        double packet = 0;  // bytes of the longest packet
        double filled = 0;  // of the last one
        std::uint32_t last_path = none;
        Ps credit_ps = 0;                 // a credit's way back
        Ps passing_ps = 0;                // how long a line of which this is the last link has its room
        std::vector<std::uint32_t> from;  // inputs: outputs of other nodes, the first one the own rank
        std::vector<Channel> channels;
    };
    struct Hold {
        std::uint32_t output = none;
        std::uint32_t channel = 0;
        double bytes = 0;
    };
    // What of a part goes by one of several equal routes.
    struct Piece {
        std::uint32_t part = 0;
        std::uint32_t stage = 0;    // that comes next
        std::uint32_t group = 0;    // link that it waits for, or has come by
        std::uint32_t next = none;  // in the queue
        double share = 1;           // of the part
        bool started = false;       // by the card in front of the link
        Hold held;                  // on the link before
    };
    struct Part {
        std::uint32_t transfer = 0;
        std::uint32_t pieces = 0;
        FlowFlight flight;
    };
    struct Branch {
        std::uint32_t group = 0;
        std::uint32_t set = 0;
        double share = 1;
    };
    // Where a piece that has come by one group of links can go on, at a stage of several links.
    struct Ways {
        std::size_t groups = 0;   // of the book, when they were found
        std::uint32_t turns = 0;  // loads that have chosen one of them
        double sum = 0;           // of shares
        std::vector<Branch> branches;
    };

    Ways& ways_from(const Piece& piece);
    void find_ways(std::uint32_t stage, std::uint32_t from, Ways& ways) const;
    template <class Visit>
    void for_links(std::uint32_t stage, const Visit& visit) const;
    template <class Visit>
    void for_parts(std::uint32_t group, double share, std::uint32_t set, const Visit& visit) const;
    std::uint32_t output_of(std::uint32_t group);
    std::uint32_t make_output(std::uint32_t group);
    Channel& channel(Output& output, std::uint32_t number);
    static std::uint32_t input_of(Output& output, std::uint32_t from);
    void start(std::uint32_t number, const Branch& branch, Ps now);
    void take_link(std::uint32_t number, const Branch& branch, Ps now);
    bool pick(const Output& output, bool sharers_only, std::uint32_t& channel, std::uint32_t& input) const;
    bool continues(const Output& output) const;
    // Takes turns with what others have booked on the wire ahead.
    bool shares_wire(std::uint32_t piece) const
    {
        return of_load(piece) || parts_[pieces_[piece].part].flight.acknowledges;
    }
    bool of_load(std::uint32_t piece) const
    {
        return parts_[pieces_[piece].part].flight.asks || parts_[pieces_[piece].part].flight.asked;
    }
    void begin(std::uint32_t number, std::uint32_t at, std::uint32_t input, Ps now);
    void pass_one(std::uint32_t number, Ps now);
    void pass_link(std::uint32_t number, const Hold& taken, Ps now);
    void give_back(const Hold& hold, Ps time, bool at_end);
    static void collect(Output& output, Ps now);
    void arm(std::uint32_t number, Ps time);
    void arm_for_credits(std::uint32_t number, Ps now);
    std::uint32_t new_piece(const Piece& piece);
    double bytes_of(const Piece& piece) const { return parts_[piece.part].flight.bytes * piece.share; }

    PathBook& book_;
    FlowLinks& links_;
    std::vector<std::uint32_t> output_of_;  // by group
    std::vector<Output> outputs_;
    std::vector<Piece> pieces_;
    std::vector<std::uint32_t> free_pieces_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> free_parts_;
    FlatMap ways_of_;  // by stage and group
    std::vector<Ways> ways_;
    std::vector<Event> events_;
    std::vector<Passed> passed_;
    std::uint64_t waiting_ = 0;
    std::uint64_t circles_ = 0;
};

}  // namespace weft
