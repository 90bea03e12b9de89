// Whoever is around a switch with a group unit: senders that hold credits, outputs that stall and give credits back
// late, requesters, members that answer in any order and after any time; all of it random, from a seed. Keeps to the
// protocol of the pins, and to what senders of contributions must not do (docs/rtl/reduction.md, "Waiting").
//
// Traffic changes its character every few hundred clocks, as that of the switch does (switch_traffic.h); in silent stretches
// only what was begun goes on, so that the block runs empty.
#pragma once

#include <string>
#include <vector>

#include "testbenches/rtl/group_switch/group_switch_scoreboard.h"
#include "testbenches/rtl/reduction/operand_source.h"

namespace weft::test {

// Of all lines that are begun, relative weights.
struct GroupTrafficShape {
    unsigned ordinary = 6;  // to outputs
    unsigned multicasts = 2;
    unsigned posted = 2;
    unsigned load_reduces = 3;
    unsigned reduces = 4;
    unsigned delay = 60;  // clocks that a member takes, at most
    double failures = 0.05;
    double settings = 0.002;  // a group is set anew
    bool steady = false;      // outputs are always ready, credits come at once, no silence

    // Drawn from the seed, corners included.
    static GroupTrafficShape of(std::uint64_t seed);
};

class GroupSwitchTraffic {
public:
    GroupSwitchTraffic(const GroupSwitchParameters& parameters, std::uint64_t seed, const GroupTrafficShape& shape);

    // Of all clocks, the share in which an input tries to send, 0 to 1, from now on.
    void set_load(double load) { load_ = load; }
    // Nothing is begun from now on.
    void wind_up() { winding_up_ = true; }
    void go_on() { winding_up_ = false; }
    bool finished() const { return scoreboard_.left().empty(); }

    // The pins of the next clock, and the groups to be set in it.
    const SwitchIn& next();
    const std::vector<GroupEntry>& settings() const { return settings_; }
    // What came out in it.
    void observe(const SwitchOut& out);

    const GroupSwitchScoreboard& scoreboard() const { return scoreboard_; }
    std::uint64_t sent() const { return sent_; }              // lines, of all kinds
    std::uint64_t multicasts() const { return multicasts_; }  // ordinary lines to several outputs
    std::uint64_t without_credit() const { return without_credit_; }
    unsigned groups_set() const { return groups_set_; }

private:
    struct Response {
        std::uint64_t due;
        unsigned operation;
        unsigned member;
        LineBits line;
    };

    void change();
    void drive_outputs();
    std::uint64_t thinned(unsigned level);
    void set_groups();
    void set_group(unsigned group);
    void send(unsigned input);
    bool has_credit(unsigned input, unsigned vc) { return credits_[input * vcs_ + vc] > 0; }
    void put(unsigned input, unsigned vc, std::uint64_t ports);
    bool send_ordinary(unsigned input);
    std::uint64_t choose_ports(unsigned input, unsigned vc);
    bool send_response(unsigned input);
    bool send_contribution(unsigned input);
    bool begin_operation(unsigned input, unsigned op, bool posted);
    void put_request(unsigned input, unsigned number, std::uint16_t source);
    bool certain(const GroupOperation& operation) const;
    bool has_room(unsigned op, unsigned members, const GroupOperation* operation) const;
    bool in_flight(unsigned group, std::uint64_t address, bool read) const;
    std::uint64_t new_address();
    std::uint16_t endpoint_at(unsigned port) const { return static_cast<std::uint16_t>(0x35 + port * 0x101); }

    const GroupSwitchParameters parameters_;
    const unsigned ports_, vcs_;
    const GroupTrafficShape shape_;
    Dice dice_;
    OperandSource operands_;
    std::vector<BenchGroup> groups_;
    GroupSwitchScoreboard scoreboard_;
    SwitchIn in_;
    std::vector<GroupEntry> settings_;
    std::vector<std::uint16_t> credits_;            // of senders, by input and channel
    std::vector<std::uint16_t> owed_;               // to the switch, by output and channel
    std::vector<std::uint64_t> outputs_of_;         // by channel
    std::vector<std::vector<Response>> responses_;  // by input
    double load_ = 0.5;
    bool winding_up_ = false;
    std::uint64_t clock_ = 0;
    std::uint32_t tags_ = 0;
    std::uint64_t last_address_ = 0;
    // Of the present stretch.
    unsigned left_ = 0;
    unsigned hot_ = 0;
    unsigned pattern_ = 0;
    unsigned multicast_ = 0;  // of 16 ordinary lines
    unsigned ready_level_ = 4;
    unsigned credit_level_ = 4;
    bool silent_ = false;
    std::uint64_t sent_ = 0;
    std::uint64_t multicasts_ = 0;
    std::uint64_t without_credit_ = 0;
    unsigned groups_set_ = 0;
};

}  // namespace weft::test
