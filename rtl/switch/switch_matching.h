// Matching of inputs to outputs as the switch does it in one clock (weft_matching.sv says the same).
//
// An input asks for outputs on behalf of lines to one output, and of one multicast line. In a round every
// output that is left grants the first input from its pointer on that asks for it, and every input accepts: a
// multicast line all outputs that have granted it, lines to one output the first from the input's pointer on.
// Of the two kinds that one whose turn it is, if it was granted anything; the turn goes on when its kind has
// sent. In further rounds inputs without a match ask again, and multicast lines that are sent ask for what
// they lack. Without multicast this is CrossbarMatching's islip and round_robin.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class SwitchMatching {
public:
    // `islip`: pointers move behind the matches of the first round; else those of outputs with every grant.
    SwitchMatching(unsigned ports, unsigned iterations, bool islip);

    void reset();
    // Once per match and input; at least one output.
    void ask(unsigned input, std::uint64_t unicast, std::uint64_t multicast);
    // Matches, and forgets what was asked.
    void match();

    std::uint64_t inputs() const { return matched_; }  // of the last match
    std::uint64_t outputs_of(unsigned input) const { return inputs_[input].outputs; }
    bool is_multicast(unsigned input) const { return (several_ >> input & 1U) != 0; }

private:
    struct Input {
        std::uint64_t unicast = 0;
        std::uint64_t multicast = 0;
        std::uint64_t granted = 0;
        std::uint64_t outputs = 0;
        unsigned pointer = 0;
    };
    struct Output {
        std::uint64_t asked_by = 0;
        std::uint64_t multicast_of = 0;
        unsigned pointer = 0;
    };

    std::uint64_t grant(std::uint64_t& open);
    void accept(unsigned input, bool first_round);
    unsigned behind(unsigned port) const { return port + 1 == ports_ ? 0 : port + 1; }

    const unsigned ports_;
    const unsigned iterations_;
    const bool islip_;
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
    std::uint64_t asked_ = 0;           // outputs
    std::uint64_t matched_ = 0;         // inputs
    std::uint64_t several_ = 0;         // inputs that send a multicast line
    std::uint64_t multicast_turn_ = 0;  // inputs where it is multicast's turn
};

}  // namespace weft
