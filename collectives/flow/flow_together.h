// Jobs whose threads share the units of a rank at one time.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

class FlowTogether {
public:
    void enter(std::uint32_t endpoint)
    {
        if (jobs_.size() <= endpoint) jobs_.resize(endpoint + 1, 0);
        ++jobs_[endpoint];
    }
    void leave(std::uint32_t endpoint) { --jobs_[endpoint]; }
    bool several(std::uint32_t endpoint) const { return endpoint < jobs_.size() && jobs_[endpoint] > 1; }

private:
    std::vector<std::uint32_t> jobs_;  // by endpoint
};

}  // namespace weft
