#include "collectives/synthesis/thread_pace.h"

#include <algorithm>
#include <cmath>

namespace weft {

ThreadPace::ThreadPace(const CostRank& rank, std::size_t threads, std::uint32_t each)
    : issue_ps_per_byte_(rank.issue_ps_per_byte / each), registers_(rank.registers * each), sets_(rank.sets)
{
    const double sharing = std::max(1.0, std::ceil(static_cast<double>(threads * each) / rank.units));
    outstanding_ = rank.outstanding * each / sharing;
}

std::uint64_t ThreadPace::issue_ps(const MoveLoad& move) const
{
    double time = move.bytes * move.operands * issue_ps_per_byte_;
    const auto window = [&](double in_flight, double size, std::uint64_t latency) {
        if (size > 0 && in_flight > size)
            time = std::max(time, (in_flight - size) / size * static_cast<double>(latency));
    };
    window(move.bytes, registers_, move.load_ps);
    window(move.bytes * move.remote, outstanding_, move.round_ps);
    return static_cast<std::uint64_t>(std::llround(time));
}

std::uint64_t ThreadPace::turn_ps(const MoveLoad& move) const
{
    const std::uint64_t issue = issue_ps(move);
    if (registers_ <= 0) return issue;
    const double shares = std::max(1.0, std::ceil(move.bytes / (registers_ / sets_)));
    return std::max(issue, static_cast<std::uint64_t>(std::llround(shares / sets_ * static_cast<double>(move.load_ps))));
}

}  // namespace weft
