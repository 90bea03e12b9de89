// Gives the lines that a GPU issues their path hash for the choice among equal paths.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm_interconnect/protocol/line.h"

namespace weft {

class PathChooser {
public:
    PathChooser(std::uint32_t endpoint, PathSelection selection, unsigned stripe_shift, std::size_t destinations)
        : endpoint_(static_cast<std::uint16_t>(endpoint)), selection_(selection), stripe_shift_(stripe_shift),
          turns_(selection == PathSelection::round_robin ? destinations : 0, 0)
    {
    }

    // After begin(), before the line leaves. Lines to groups have the same path hash at every member.
    void route(const LineIssue& issue)
    {
        Line& line = issue.source(endpoint_);
        line.path_hash >>= stripe_shift_;
        if (selection_ == PathSelection::round_robin) {
            if (line.destination < turns_.size()) {
                std::uint32_t& turn = turns_[line.destination];
                line.choose_path(selection_, turn >> stripe_shift_);
                turn += line.lines();  // a wide transaction is as many lines of its stripe
            }
        } else if (selection_ == PathSelection::pairs && line.destination >= first_group) {
            line.path_hash = pair_hash(line.destination, line.destination);
        } else if (selection_ != PathSelection::lines) {
            line.choose_path(selection_);
        }
    }

private:
    std::uint16_t endpoint_;
    PathSelection selection_;
    unsigned stripe_shift_;
    std::vector<std::uint32_t> turns_;  // round_robin: lines so far, by destination
};

}  // namespace weft
