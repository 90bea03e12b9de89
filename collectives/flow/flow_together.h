// Jobs whose threads share the units of a rank at one time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft {

class FlowTogether {
public:
    // The part that a rank has in a job.
    struct Part {
        bool units = false;      // units carry it out, which may only receive
        bool stores = false;     // they store to others
        bool moves = false;      // they do so, or load from others
        std::uint64_t sent = 0;  // bytes, if they send to another rank by this job; else 0
    };
    void enter(std::uint32_t endpoint, const Part& part)
    {
        if (ranks_.size() <= endpoint) ranks_.resize(endpoint + 1);
        Rank& rank = ranks_[endpoint];
        if (part.units) ++rank.jobs;
        if (part.moves) ++rank.moving;
        if (part.stores) ++rank.storing;
        if (part.sent == 0) return;
        rank.sends.push_back(part.sent);
        if (rank.sends.size() > 1)
            longest_ = std::max(longest_, *std::max_element(rank.sends.begin(), rank.sends.end()));
    }
    // The part with which it entered.
    void leave(std::uint32_t endpoint, const Part& part)
    {
        Rank& rank = ranks_[endpoint];
        if (part.units) --rank.jobs;
        if (part.moves) --rank.moving;
        if (part.stores) --rank.storing;
        if (part.sent > 0) rank.sends.erase(std::find(rank.sends.begin(), rank.sends.end(), part.sent));
    }
    // Whether several jobs of units are under way; in which the rank moves data; in which it stores them.
    bool several(std::uint32_t endpoint) const { return endpoint < ranks_.size() && ranks_[endpoint].jobs > 1; }
    bool several_move(std::uint32_t endpoint) const { return endpoint < ranks_.size() && ranks_[endpoint].moving > 1; }
    bool several_store(std::uint32_t endpoint) const
    {
        return endpoint < ranks_.size() && ranks_[endpoint].storing > 1;
    }
    // Bytes of the longest send that was under way while its rank had another one; 0: there was none.
    std::uint64_t longest_send() const { return longest_; }

private:
    struct Rank {
        std::uint32_t jobs = 0;
        std::uint32_t moving = 0;  // jobs
        std::uint32_t storing = 0;
        std::vector<std::uint64_t> sends;  // bytes of those under way
    };
    std::vector<Rank> ranks_;  // by endpoint
    std::uint64_t longest_ = 0;
};

}  // namespace weft
