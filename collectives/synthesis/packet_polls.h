// How a thread finds packets for which it looks again and again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weft {

// The polls of one accelerator; times in ps. A poll looks at the cache `ask_ps` after its issue, and its answer is back `answer_ps` later.
// If it has found no packets, the next poll is issued `between_ps` after the answer.
struct PacketPolls {
    using Ps = std::uint64_t;

    Ps ask_ps = 0;
    Ps answer_ps = 0;
    Ps between_ps = 0;
    Ps cold_ps = 0;  // more, of a first poll that comes before the packets: no cache has their line, and memory is read
    Ps far_ps = 0;   // more, where the packets have come to the other half of a divided cache; half of all lines do so
    double far_run = 0;  // bytes in a row that are in one half

    Ps period_ps() const { return ask_ps + answer_ps + between_ps; }
    // From packets that have come to their being found, on average.
    Ps mean_ps() const { return answer_ps + far_ps / 2 + period_ps() / 2; }
    // When packets that come at `come` are found whose first poll is issued at `asked`; `far`: the part of them whose lines are far.
    // `longer`: what a poll takes more than on idle units.
    Ps found(Ps asked, Ps come, double far, Ps longer = 0) const
    {
        Ps look = asked + ask_ps;
        if (look < come) {
            look += answer_ps + cold_ps + between_ps + ask_ps;
            const Ps period = period_ps() + longer;
            if (look < come && period > 0) look += (come - look + period - 1) / period * period;
        }
        return std::max(look, come) + answer_ps + far_part(far);
    }
    // The last of `polls` that have phases of their own, on average: behind polls / (polls + 1) periods.
    Ps last_found(double polls, Ps come, double far, Ps longer = 0) const
    {
        const double periods = polls / (polls + 1);
        return come + answer_ps + far_part(far) +
            static_cast<Ps>(std::llround(periods * static_cast<double>(period_ps() + longer)));
    }
    // How often the last one of `bytes` in a row is far: half the time that of a few, which are in one half.
    double far_share(double bytes) const { return bytes >= far_run ? 1 : (1 + bytes / far_run) / 2; }
    Ps far_part(double far) const { return static_cast<Ps>(std::llround(far * static_cast<double>(far_ps))); }

    bool operator==(const PacketPolls& other) const
    {
        return ask_ps == other.ask_ps && answer_ps == other.answer_ps && between_ps == other.between_ps &&
            cold_ps == other.cold_ps && far_ps == other.far_ps && far_run == other.far_run;
    }
};

}  // namespace weft
