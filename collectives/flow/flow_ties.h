// Whether one rank can stand for all in a run: where the order of two transfers at a link may follow the numbers of their
// ranks or the links that they come by, it cannot (rank_symmetry.h).
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class FlowTies {
public:
    using Ps = std::uint64_t;

    bool watched() const { return watched_; }
    void watch() { watched_ = true; }
    std::uint64_t count() const { return count_; }

    // `who` comes to a group of links now.
    void come(std::uint32_t group, std::uint64_t who, Ps now)
    {
        if (last_.size() <= group) last_.resize(group + 1);
        Last& last = last_[group];
        if (last.came == now && last.who != who) ++count_;
        last.came = now;
        last.who = who;
    }
    // Data that come now from another link begin to pass this one at `begin`, if they keep their order. Of two that wait, the
    // inputs that they come by decide (input_turns.h), and among all ranks those are others.
    void wait(std::uint32_t group, std::uint64_t who, Ps now, Ps begin)
    {
        Last& last = last_[group];
        if (begin > now && last.begins > now && last.waits != who) ++count_;
        last.begins = begin;
        last.waits = who;
    }

private:
    struct Last {
        Ps came = ~Ps{0};
        std::uint64_t who = 0;
        Ps begins = 0;
        std::uint64_t waits = 0;
    };

    bool watched_ = false;
    std::uint64_t count_ = 0;
    std::vector<Last> last_;  // by group
};

}  // namespace weft
