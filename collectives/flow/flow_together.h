// Jobs whose threads share the units of a rank at one time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft {

class FlowTogether {
public:
    // `sent`: bytes, if the rank sends them to another one by this job, else 0.
    void enter(std::uint32_t endpoint, std::uint64_t sent)
    {
        if (ranks_.size() <= endpoint) ranks_.resize(endpoint + 1);
        ++ranks_[endpoint].jobs;
        if (sent == 0) return;
        if (ranks_[endpoint].sends++ > 0) longest_ = std::max(longest_, sent);
    }
    void leave(std::uint32_t endpoint, std::uint64_t sent)
    {
        --ranks_[endpoint].jobs;
        if (sent > 0) --ranks_[endpoint].sends;
    }
    bool several(std::uint32_t endpoint) const { return endpoint < ranks_.size() && ranks_[endpoint].jobs > 1; }
    // Bytes of the longest send that began while its rank had another one under way; 0: there was none.
    std::uint64_t longest_send() const { return longest_; }

private:
    struct Rank {
        std::uint32_t jobs = 0;
        std::uint32_t sends = 0;
    };
    std::vector<Rank> ranks_;  // by endpoint
    std::uint64_t longest_ = 0;
};

}  // namespace weft
