// Places of workgroups of all accelerators at flow fidelity: which threads and kernels hold some, and which wait for one
// (base/held_places.h).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/held_places.h"

namespace weft {

class FlowHeld {
public:
    using Ps = std::uint64_t;

    void take(std::uint32_t endpoint, TransferSide side, Ps now, std::uint64_t workgroups = 1)
    {
        at(endpoint).take(side, now, workgroups);
    }
    void give_back(std::uint32_t endpoint, TransferSide side, Ps now, std::uint64_t workgroups = 1)
    {
        at(endpoint).give_back(side, now, workgroups);
    }
    // `who` waits until begin().
    void wait(std::uint32_t endpoint, std::uint64_t who, TransferSide side, Ps now, std::uint64_t workgroups = 1)
    {
        waiting_[who] = {endpoint, side, at(endpoint).wait(side, now, workgroups), workgroups};
    }
    // Nothing happens if it does not wait.
    void begin(std::uint64_t who, Ps now)
    {
        const auto found = waiting_.find(who);
        if (found == waiting_.end()) return;
        const Waiting& waiting = found->second;
        at(waiting.endpoint).begin(waiting.side, waiting.waited, now, waiting.workgroups);
        waiting_.erase(found);
    }
    // The run ends.
    void cut_off(Ps end)
    {
        for (const auto& [who, waiting] : waiting_) at(waiting.endpoint).cut_off(waiting.side, waiting.waited, end);
    }
    PlaceUse use(std::uint32_t endpoint) const
    {
        return endpoint < places_.size() ? places_[endpoint].use() : PlaceUse{};
    }

private:
    struct Waiting {
        std::uint32_t endpoint = 0;
        TransferSide side = TransferSide::none;
        Ps waited = 0;
        std::uint64_t workgroups = 1;
    };
    HeldPlaces& at(std::uint32_t endpoint)
    {
        if (places_.size() <= endpoint) places_.resize(endpoint + 1);
        return places_[endpoint];
    }

    std::vector<HeldPlaces> places_;  // by endpoint
    std::unordered_map<std::uint64_t, Waiting> waiting_;
};

}  // namespace weft
