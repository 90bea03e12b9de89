// Gives the lines that a GPU issues their digits for the choice among equal paths.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm_interconnect/protocol/line.h"

namespace weft {

class PathChooser {
public:
    PathChooser(std::uint32_t endpoint, SpreadMode spread, unsigned stripe_shift, std::size_t destinations)
        : endpoint_(static_cast<std::uint16_t>(endpoint)), spread_(spread), stripe_shift_(stripe_shift),
          turns_(spread == SpreadMode::round_robin ? destinations : 0, 0)
    {
    }

    // After begin(), before the line leaves. Lines to groups have the same digits at every member.
    void route(const LineIssue& issue)
    {
        Line& line = issue.source(endpoint_);
        line.path_hash >>= stripe_shift_;
        if (spread_ == SpreadMode::round_robin) {
            if (line.destination < turns_.size())
                line.choose_path(spread_, turns_[line.destination]++ >> stripe_shift_);
        } else if (spread_ == SpreadMode::pairs && line.destination >= first_group) {
            line.path_hash = pair_digits(line.destination, line.destination);
        } else if (spread_ != SpreadMode::lines) {
            line.choose_path(spread_);
        }
    }

private:
    std::uint16_t endpoint_;
    SpreadMode spread_;
    unsigned stripe_shift_;
    std::vector<std::uint32_t> turns_;  // round_robin: lines so far, by destination
};

}  // namespace weft
