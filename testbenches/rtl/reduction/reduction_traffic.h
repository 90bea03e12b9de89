// Whoever is around the reduction unit: requesters, members that answer in any order and after any time, the switch's
// credits and its readiness to take lines; all of it random, from a seed. Keeps to the protocol of the pins.
#pragma once

#include <string>
#include <vector>

#include "testbenches/rtl/reduction/operand_source.h"
#include "testbenches/rtl/reduction/reduction_scoreboard.h"

namespace weft::test {

// What kind of traffic. Weights are relative.
struct TrafficShape {
    unsigned multicasts = 2;
    unsigned posted = 1;
    unsigned load_reduces = 3;
    unsigned reduces = 3;
    unsigned delay = 60;  // clocks that a member takes, at most
    unsigned response_credits = 4;
    double ready = 0.8;    // a channel takes a line
    double stall = 0.002;  // a channel begins to take none for up to 200 clocks
    double failures = 0.05;
    double settings = 0.0005;  // a group is set anew

    // Drawn from the seed, corners included.
    static TrafficShape of(std::uint64_t seed);
};

class ReductionTraffic {
public:
    ReductionTraffic(const ReductionParameters& parameters, std::uint64_t seed, const TrafficShape& shape);

    // Inputs of one clock; `load` is the probability of a line.
    void drive(double load, ReductionIn& in);
    void observe(const ReductionOut& out);
    // No further operations from now on; those begun are brought to their end.
    void wind_up() { winding_up_ = true; }
    void go_on() { winding_up_ = false; }
    bool finished() const { return scoreboard_.started() == scoreboard_.finished(); }

    ReductionScoreboard& scoreboard() { return scoreboard_; }
    // First complaint of the scoreboard and of the bench.
    std::string complaint() const { return scoreboard_.complaint(); }

private:
    struct Response {
        std::uint64_t due = 0;
        LineBits line;
        std::uint8_t port = 0;
        unsigned operation = 0;
        unsigned member = 0;
    };

    void set_group(unsigned group, ReductionIn& in);
    void drive_ready(ReductionIn& in);
    bool send_response(ReductionIn& in);
    bool send_request(ReductionIn& in);
    bool send_contribution(ReductionIn& in);
    bool begin_operation(unsigned op, bool posted, ReductionIn& in);
    void put_request(unsigned number, std::uint16_t source, unsigned port, ReductionIn& in);
    bool may_be_blocked(unsigned op, unsigned number) const;
    bool has_room(unsigned op, unsigned number) const;
    void count_blocked();
    bool in_flight(unsigned group, std::uint64_t address, bool read) const;
    std::uint64_t new_address();
    std::uint16_t endpoint_at(unsigned port) const { return static_cast<std::uint16_t>(0x35 + port * 0x101); }

    ReductionParameters parameters_;
    TrafficShape shape_;
    Dice dice_;
    OperandSource operands_;
    std::vector<BenchGroup> groups_;
    ReductionScoreboard scoreboard_;
    std::vector<Response> responses_;
    std::vector<unsigned> rounds_;     // reduces that lack contributions
    std::vector<unsigned> in_flight_;  // operations
    std::vector<unsigned> stalls_;     // clocks left, by channel
    std::uint64_t clock_ = 0;
    unsigned groups_set_ = 0;
    unsigned group_credits_;
    unsigned response_credits_;
    unsigned blocked_lines_ = 0;  // in slots, of operations that may have to wait for a context
    std::uint32_t tags_ = 0;
    std::uint64_t last_address_ = 0;
    bool winding_up_ = false;
};

}  // namespace weft::test
