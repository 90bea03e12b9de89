// Places of the workgroups of an accelerator: where more are asked for than its units have room for at once, the rest wait in order and
// begin when others have ended. For runs without kernels; with them flow_devices.h has the units one by one.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace weft {

// Workgroups of a rank, and the places that it has for them.
struct FlowCrowd {
    std::uint64_t workgroups = 0;
    std::uint32_t places = 0;
};

class FlowPlaces {
public:
    using Ps = std::uint64_t;
    struct Waiting {
        std::uint32_t thread = 0;
        std::uint32_t workgroups = 0;  // that the thread stands for
        Ps since = 0;
    };

    // Whether the thread has its place at once. What stands for more workgroups than there are places takes all of them.
    bool enter(std::uint32_t endpoint, std::uint32_t places, const Waiting& who)
    {
        if (ranks_.size() <= endpoint) ranks_.resize(endpoint + 1);
        Rank& rank = ranks_[endpoint];
        if (rank.queue.empty() && fits(rank, places, who)) {
            rank.taken += who.workgroups;
            return true;
        }
        rank.queue.push_back(who);
        return false;
    }
    // `start(waiting)` for those that have a place now.
    template <class Start>
    void leave(std::uint32_t endpoint, std::uint32_t places, std::uint32_t workgroups, const Start& start)
    {
        ranks_[endpoint].taken -= workgroups;
        while (!ranks_[endpoint].queue.empty() && fits(ranks_[endpoint], places, ranks_[endpoint].queue.front())) {
            const Waiting next = ranks_[endpoint].queue.front();
            ranks_[endpoint].queue.pop_front();
            ranks_[endpoint].taken += next.workgroups;
            start(next);
        }
    }

private:
    struct Rank {
        std::uint32_t taken = 0;
        std::deque<Waiting> queue;
    };
    static bool fits(const Rank& rank, std::uint32_t places, const Waiting& who)
    {
        return rank.taken == 0 || rank.taken + who.workgroups <= places;
    }

    std::vector<Rank> ranks_;
};

}  // namespace weft
