// Common code of algorithms in which every rank exchanges with every other: pairings, and the order of peers.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/algorithms/builders.h"

namespace weft::algorithms {

// Semaphore of `rank` that `from` signals, for one channel.
inline std::uint32_t semaphore(const Schedule& schedule, std::uint32_t channel, std::uint32_t rank, std::uint32_t from)
{
    return channel * (schedule.size() - 1) + peer_slot(rank, from);
}

inline void signal_all(Program& program, const Schedule& schedule, std::uint32_t rank, std::uint32_t channel)
{
    const std::uint32_t n = schedule.size();
    for (std::uint32_t i = 1; i < n; ++i) {
        const std::uint32_t peer = (rank + i) % n;
        program.signal(peer, semaphore(schedule, channel, peer, rank));
    }
}

inline void wait_all(Program& program, const Schedule& schedule, std::uint32_t rank, std::uint32_t channel)
{
    const std::uint32_t n = schedule.size();
    for (std::uint32_t i = 1; i < n; ++i) {
        const std::uint32_t peer = (rank + n - i) % n;
        program.wait(peer, semaphore(schedule, channel, rank, peer));
    }
}

// All ranks have entered.
inline void meet(Program& program, const Schedule& schedule, std::uint32_t rank, std::uint32_t channel)
{
    signal_all(program, schedule, rank, channel);
    wait_all(program, schedule, rank, channel);
}

// The other ranks from r + 1 on, or from `turn` further on.
inline std::vector<std::uint32_t> peers(std::uint32_t n, std::uint32_t rank, std::uint32_t turn = 0)
{
    std::vector<std::uint32_t> list;
    for (std::uint32_t i = 0; i < n - 1; ++i) list.push_back((rank + 1 + (i + turn) % (n - 1)) % n);
    return list;
}

inline std::vector<std::uint32_t> turned_peers(std::uint32_t n, std::uint32_t rank, std::uint32_t channel,
    std::uint32_t channels)
{
    return peers(n, rank, channel * (n - 1) / channels);
}

}  // namespace weft::algorithms
