// Leaves with members, and spines above all of them: a group over two tiers of switches, with a protocol checker on every
// connection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "testbenches/tlm_interconnect/group_member.h"
#include "tlm_interconnect/link/link.h"
#include "tlm_interconnect/protocol/protocol_checker.h"
#include "tlm_interconnect/switch/switch.h"

namespace weft::testing {

// Between a leaf and its link: it keeps the n-th contribution that comes by.
class ContributionThief : public sc_core::sc_module, public LineInitiator, public LineTarget {
public:
    ContributionThief(sc_core::sc_module_name name, unsigned which)
        : sc_module(name), in("in", *this), out("out", *this), left_(which)
    {
    }
    LineTargetSocket in;
    LineInitiatorSocket out;

private:
    Time on_request(unsigned, Line& line, Time delay) override
    {
        if (line.op == LineOp::reduce && left_-- == 0) return 0;
        return out.send_request(line, delay);
    }
    void on_response_credit(unsigned, Line& line, Time delay) override { out.return_response_credit(line, delay); }
    Time on_response(unsigned, Line& line, Time delay) override { return in.send_response(line, delay); }
    void on_request_credit(unsigned, Line& line, Time delay) override { in.return_request_credit(line, delay); }

    unsigned left_;
};

struct TreeSpec {
    std::vector<unsigned> members = {2, 2};  // of each leaf
    unsigned spines = 1;
    LinkSpec member;
    LinkSpec trunk;
    SwitchSpec leaf;
    SwitchSpec spine;
    int thief = -1;  // keeps the n-th contribution of leaf 1 to spine 0
};

struct GroupTree {
    explicit GroupTree(const TreeSpec& tree);

    // All members, in this order.
    void group(const std::vector<std::uint16_t>& order);
    void group_of_all();
    // Runs to the end; a clean run leaves nothing behind.
    void finish(bool clean = true);

    const TreeSpec spec;
    EventQueue event_queue;
    LinePool pool;
    Checkers checkers;
    std::vector<unsigned> leaf_of;  // by member
    std::vector<std::unique_ptr<GroupMember>> members;
    std::vector<std::unique_ptr<Switch>> leaves;
    std::vector<std::unique_ptr<Switch>> spines;
    std::vector<std::unique_ptr<Link>> member_links;              // direction 0: up
    std::vector<std::vector<std::unique_ptr<Link>>> trunk_links;  // by leaf and spine
    std::unique_ptr<ContributionThief> thief;

private:
    std::vector<std::vector<std::uint16_t>> routes_of_leaf(unsigned leaf) const;
};

double statistic_of(const Switch& module, const std::string& name);

}  // namespace weft::testing
