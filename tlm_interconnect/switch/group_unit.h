// The part of a switch that carries out operations on groups: multicast, load-reduce, push reduce.
//
// A request whose destination is a group ends here. Towards the members the unit sends ordinary lines, each to the
// same local address; their answers come back to it.
//
//   multicast    a write to every member; answered when all of them have acknowledged (a posted one: never)
//   load_reduce  a read of every member; answered with the combination of what they hold
//   reduce       one contribution of each member to the same address; when all are in, the combination is written to
//                every member, and all contributions are answered when all of these writes are acknowledged
//
// Combination is in the order of SwitchGroup::members, whatever the order of arrival, element by element as
// base/element.h does it: ((m0 op m1) op m2) ... The same bits every time.
//
// A group over two tiers (group_tier.h) has a unit in each switch of its trees. A leaf forwards a multicast or a load_reduce
// of a member to a spine as it came; the spine sends it to every leaf, and a leaf carries out what comes from above for its
// own members. A leaf combines the contributions of its members and contributes the result to the spine, which combines those
// of the leaves; what comes down as `reduce` is the result. A leaf answers its members when the spine has answered it, which is
// when all leaves have. Combination: at each leaf in the order of its members, then of the leaves in that of their first ones.
//
// Timing: copies join the output queues in the instant in which the request has passed the switch's pipeline, all in
// the same instant; outputs take them as any line. An operand passes the adder (reduce_rate, one for the whole
// switch) when it has passed the pipeline; the result is ready when the last one has. The input slot of a request is
// free when its last copy has left, that of a contribution or an operand when the unit has taken it over.
//
// Limits: multicast_groups groups; group_contexts operations in progress (of one group and address each). A
// request that finds no context free waits, first come, first served: in its input slot, but for contributions. Of these
// waiting_contributions have a place in the unit: the ones that open contexts wait for may come behind. A contribution that finds
// all places taken keeps its input slot, and the slot's credit goes back when it gets a place or a context. Where members push in
// orders so different that the open contexts wait for contributions behind those, nothing moves any more; blocked() says so.
//
// What comes from above has group_contexts contexts of its own, which only answers of members free, and a result needs none: so the
// way down is never blocked by what waits for it. A push whose combination is on its way to the spine gives its context back as long as
// its contributions have room in a store of another waiting_contributions places.
//
// A push that lacks a member lets nobody go on; reduce_timeout says when a run is given up in which all others wait.
//
// Statistics: operations, copies sent, largest number of contexts in use, operations that had to wait, adder time.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/statistic.h"
#include "tlm_interconnect/protocol/line_pool.h"
#include "tlm_interconnect/kernel/rate_server.h"
#include "tlm_interconnect/switch/group_tier.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

// A switch called `path` has no room for a further group.
InputError group_table_full(const std::string& path, std::uint64_t limit);

// What the unit needs of the switch around it.
class GroupHost {
public:
    virtual ~GroupHost() = default;
    // Queues a request for its destination, or an answer for where its path says.
    virtual void group_request(Line& line, unsigned input) = 0;
    virtual void group_response(Line& line, unsigned input) = 0;
    // Queues a request as it came for the switch that carries it out.
    virtual void group_forward(Line& line, unsigned input) = 0;
    // Queues a request for the switch below at the end of one of these routes.
    virtual void group_request_down(Line& line, unsigned input, const std::vector<std::uint16_t>& routes) = 0;
    // The input slot of a line that came in by `input` is free.
    virtual void free_request_slot(Line& line, unsigned input) = 0;
    virtual void free_response_slot(Line& line, unsigned input) = 0;
    // Calls ready(line) at `due`; those of one instant in the order of `rank`, below 4096.
    virtual void group_later(Line& line, Time due, unsigned rank) = 0;
    // Calls retry() for `line` still in this instant.
    virtual void group_retry(Line& line, unsigned input) = 0;
};

class GroupUnit {
public:
    // Ways back to the unit, and lines that it has made, are marked so.
    static constexpr unsigned marker_port = 0xfff;

    GroupUnit(GroupHost& host, std::string path, const SwitchSpec& spec, LinePool& pool);

    // Throws InputError when the table is full or the group makes no sense.
    void add(const SwitchGroup& group) { add(GroupTier(group)); }
    void add(const GroupTier& group);

    void on_request(Line& line, unsigned input, Time now);
    void on_response(Line& line, unsigned input, Time now);
    void ready(Line& line);
    void retry(Line& line, unsigned input, Time now);
    // A request that the unit has made has left.
    void on_copy_sent(Line& copy);

    std::vector<std::string> blocked() const;
    // A push has waited for a member for longer than reduce_timeout.
    bool overdue(Time now) const;
    void add_statistics(std::vector<Statistic>& out) const;
    void reset_statistics();

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    // Of a push at a leaf, behind the contributions.
    enum class Stage : std::uint8_t {
        collects,
        raised,  // the spine has the combination, or it is on its way there
        writes,  // the result to members
        written  // waits for the spine's answer
    };
    struct Context {
        LineOp op = LineOp::multicast;
        std::uint16_t group = 0;  // into groups_
        bool open = false;
        Time since = 0;  // reduce
        bool posted = false;
        bool above = false;   // of an operation that came from a spine
        bool parked = false;  // does not count among group_contexts any more
        Stage stage = Stage::collects;
        std::uint32_t chain = none;  // next context in the same bucket
        std::uint64_t address = 0;
        unsigned input = 0;  // that `original` came in by
        std::uint32_t size = 0;
        unsigned unsent = 0;       // copies still in the output queues
        unsigned pending = 0;      // answers or contributions still to come
        Line* original = nullptr;  // reduce: the contribution that completed it, then the result from above
        std::vector<Line*> lines;  // operands or contributions, by member
    };
    struct Waiting {
        Line* line;
        unsigned input;
    };
    // Contexts for operations that come from members, and for those from above.
    struct Share {
        std::size_t taken = 0;
        std::deque<Waiting> waiting;
    };

    Share& share_of(const Line& line, unsigned input);
    Share& from_members() { return shares_[0]; }
    const Share& from_members() const { return shares_[0]; }
    bool is_leaf(const Context& context) const { return groups_[context.group].leaf(); }
    std::uint32_t take_context(Share& share);
    std::uint64_t contexts_in_use() const { return shares_[0].taken + shares_[1].taken; }
    Time add_operand(const Context& context, Time now);
    void combine_later(Line& line, Time due, std::uint32_t index);
    void raise(std::uint32_t index, const std::uint8_t* data);
    void park(Context& context);
    void take_result(Line& line, unsigned input);
    void close_push(std::uint32_t index, unsigned input);
    Line& make_request(std::uint32_t index, LineOp op, std::uint64_t where, std::uint16_t source);
    std::uint32_t group_of(const Line& line) const;
    unsigned member_of(const SwitchGroup& group, std::uint16_t endpoint) const;
    std::uint32_t& bucket(std::uint64_t address);
    std::uint32_t find(std::uint64_t address);
    std::uint32_t find_raised(std::uint64_t address);
    unsigned operand_of(const GroupTier& group, const Line& line, unsigned input) const;
    bool begin(Line& line, unsigned input, Time now, bool again = false);
    void contribute(std::uint32_t index, Line& line, unsigned input, Time now);
    void wait(Line& line);
    void wait_no_more(const Line& line);
    void fill_places();
    bool take_waiting(std::uint32_t index, Time now);
    void retry_next(Share& share);
    void send_copies(std::uint32_t index, LineOp op, const std::uint8_t* data);
    void answer(Line& line, unsigned input);
    void close(std::uint32_t index);
    void unlink(std::uint32_t index);
    void combine(const Context& context, std::uint8_t* into) const;
    std::string missing(const Context& context) const;

    GroupHost& host_;
    std::string path_;
    std::size_t group_limit_;
    std::size_t context_limit_;
    Time timeout_;
    LinePool& pool_;
    RateServer adder_;
    std::vector<GroupTier> groups_;
    std::vector<std::uint32_t> group_at_;  // by number: into groups_
    std::vector<Context> contexts_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> buckets_;  // of contexts of contributions, by address
    Share shares_[2];
    std::size_t widest_ = 0;                 // members of the largest group
    std::size_t contributions_waiting_ = 0;  // among those who wait
    std::size_t placed_ = 0;                 // of these, in the unit
    std::size_t parked_ = 0;                 // contributions of pushes that are parked
    const std::size_t places_;
    std::uint64_t operations_ = 0;
    std::uint64_t copies_ = 0;
    std::uint64_t raised_ = 0;
    std::uint64_t waited_ = 0;
    std::uint64_t added_ = 0;  // bytes, through the adder
    std::uint64_t peak_ = 0;
};

}  // namespace weft
