// What a switch with a group unit owes: every line that comes out is checked against what went in. Ordinary
// lines leave as they came, in order for each input, channel, output and kind; lines that the unit makes have the
// fields, the data (exact_arithmetic.h) and the endpoint that follow from the request; each slot is given back once.
// Independent of the reference model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "rtl/group_switch/group_switch_pins.h"
#include "testbenches/rtl/reduction/reduction_scoreboard.h"

namespace weft::test {

// From the first request to a group to the last answer, or to the last copy of a posted multicast.
struct GroupOperation {
    unsigned op = 0;
    unsigned group = 0;
    std::uint64_t address = 0;
    unsigned size = 0;
    bool posted = false;
    bool failed = false;
    unsigned first_input = 0;  // of its first request
    std::uint64_t rank = 0;    // in order of first arrivals at the unit; 0: none has arrived
    std::uint64_t owed = 0;    // outputs that lack their copy
    int context = -1;          // tag of its copies
    unsigned requests = 0;     // that went in
    unsigned arrived = 0;      // at the unit
    unsigned responses = 0;
    unsigned answers = 0;            // that came out
    std::vector<bool> contributed;   // by member
    std::vector<LineBits> operands;  // by member: contributions or responses; [0] of a multicast
    std::vector<std::uint8_t> result;
};

class GroupSwitchScoreboard {
public:
    // A copy that came out: its member has to answer.
    struct Copy {
        unsigned operation;
        unsigned member;
        LineBits line;
    };

    GroupSwitchScoreboard(const GroupSwitchParameters& parameters, const std::vector<BenchGroup>& groups);

    unsigned begin(unsigned op, unsigned group, std::uint64_t address, unsigned size, bool posted, unsigned input);
    // On the pins in this clock.
    void request(unsigned number, const BenchRequest& request);
    void response(unsigned number, unsigned member, const LineBits& line);
    // One clock: ordinary lines that went in, and all that came out.
    void clock(const SwitchIn& in, const SwitchOut& out);

    const std::map<unsigned, GroupOperation>& operations() const { return operations_; }  // in progress
    GroupOperation& operation(unsigned number) { return operations_.at(number); }
    const std::vector<Copy>& copies() const { return copies_; }  // of the last clock
    const std::vector<unsigned>& finished() const { return finished_; }
    void forget_finished();

    std::uint64_t delivered() const { return delivered_; }  // ordinary copies
    std::uint64_t unit_copies() const { return unit_copies_; }
    std::uint64_t answers() const { return answers_; }
    unsigned started() const { return started_; }
    // What was wrong first; empty: nothing.
    const std::string& failure() const { return failure_; }
    // What has not come out; empty: nothing.
    std::string left() const;

private:
    static constexpr int a_response = -1;

    void fail(const std::string& what);
    std::deque<LineBits>& queue(unsigned input, unsigned vc, unsigned output, bool multicast)
    {
        return expected_[((std::size_t{output} * vcs_ + vc) * ports_ + input) * 2 + multicast];
    }
    bool take_ordinary(unsigned output, unsigned vc, const LineBits& line);
    void take_copy(unsigned output, unsigned vc, const LineBits& line);
    void check_copy(unsigned number, GroupOperation& operation, unsigned output, unsigned vc, const LineBits& line);
    void take_answer(unsigned output, unsigned vc, const LineBits& line);
    void take_credit(unsigned input, unsigned vc);
    const std::uint8_t* result_of(GroupOperation& operation) const;

    const GroupSwitchParameters parameters_;
    const unsigned ports_, vcs_;
    const std::vector<BenchGroup>& groups_;
    std::uint64_t clock_ = 0;
    std::vector<std::deque<LineBits>> expected_;  // ordinary lines, by output, channel, input and kind
    std::vector<std::deque<unsigned>> fan_outs_;  // copies that multicast lines still lack, by input and channel
    std::vector<std::deque<int>> to_unit_;        // by input and channel: operation of a request, or a_response
    std::vector<std::uint8_t> left_ordinary_;     // by input and channel: a line left in this clock with its last copy
    std::map<unsigned, GroupOperation> operations_;
    std::map<std::uint32_t, BenchRequest> requests_;  // not answered, by tag
    // By input, group and operation, and output: the last operation whose copy left there.
    std::map<std::array<unsigned, 4>, unsigned> last_copy_;
    std::vector<Copy> copies_;
    std::vector<unsigned> finished_;
    unsigned started_ = 0;
    std::uint64_t arrivals_ = 0;
    std::uint64_t delivered_ = 0;
    std::uint64_t unit_copies_ = 0;
    std::uint64_t answers_ = 0;
    std::string failure_;
};

}  // namespace weft::test
