// Flags that lie at the rank that signals: their numbers there, for `engine.flag_home` = signaller.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collectives/engine/engine_spec.h"
#include "collectives/schedule/schedule.h"

namespace weft {

class SignalFlags {
public:
    SignalFlags(const Schedule& schedule, Mover mover);

    // Flags that `signaller` needs for its signals.
    std::uint32_t count(std::uint32_t signaller) const;
    // The flag of its signals to `semaphore` of `waiter`; they come behind those of flags_of(). Throws InputError when
    // it never signals it.
    std::uint32_t number(std::uint32_t signaller, std::uint32_t waiter, std::uint32_t semaphore) const;

private:
    std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>> numbers_;  // by (waiter, semaphore)
};

}  // namespace weft
