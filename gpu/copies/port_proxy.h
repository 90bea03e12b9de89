// The CPU thread that carries out the requests of a GPU's port channels: a queue in host memory, which it polls again and
// again, and one request at a time.
//
// A request arrives `request_latency` after the unit has issued it. Idle, the proxy polls every `proxy_poll`, counted from
// when it became idle; busy, as soon as it has done. Each request takes it `proxy_service`; then the copy engine has it. Looks
// are counted on, not simulated.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/interface/dma_spec.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class PortProxy {
public:
    explicit PortProxy(const CopySpec& spec)
        : latency_(spec.request_latency), poll_(spec.proxy_poll), service_(spec.proxy_service)
    {
    }

    // When the copy engine has a request that a unit issues at `issued`. Requests come in the order in which they are asked.
    Time handed_on(Time issued)
    {
        arrived_ = std::max(arrived_, issued + latency_);
        Time seen = free_;
        if (arrived_ > free_) seen += (arrived_ - free_ + poll_ - 1) / poll_ * poll_;
        ++requests_;
        queued_ += seen - arrived_;
        return free_ = seen + service_;
    }

    std::uint64_t requests() const { return requests_; }
    Time queued() const { return queued_; }  // arrival to the poll that found it, summed

private:
    Time latency_;
    Time poll_;
    Time service_;
    Time arrived_ = 0;  // the last one
    Time free_ = 0;
    std::uint64_t requests_ = 0;
    Time queued_ = 0;
};

}  // namespace weft
