// The limits of one row while they are collected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/applications/probe/limits.h"

namespace weft {

class RowLimits {
public:
    void add(const std::string& parameter, double bytes_per_second);
    // `count` of `each` B/s, of which `share` is the row's; a rate of 0 is no limit.
    void add_rate(const std::string& parameter, std::uint64_t each, std::uint64_t count, double share = 1);
    // Little's law: so many lines of 64 B in so much time; no time, no limit.
    void add_in_flight(const std::string& parameter, double lines, double picoseconds);
    std::vector<RateLimit> sorted() const;

private:
    std::vector<RateLimit> limits_;
};

// A load of a unit that finds its line in the L2 of its own partition.
double local_hit_ps(const GpuSpec& gpu, const L2Spec& l2);

}  // namespace weft
