// The inputs of a slice from the on-die network, one for each partition: requests are queued there on arrival.
#pragma once

#include "sc_models/l2/slice_model.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

class SliceInput {
public:
    // Bytes per second of each, a request with `header`; 0: no limit.
    void set(std::size_t partitions, std::uint64_t rate, std::uint32_t header)
    {
        servers_ = RateServers(partitions, rate, line_bytes + header);
        header_ = header;
    }
    bool limited() const { return servers_.limited(); }
    RateServers& servers() { return servers_; }

    // When the request, which has arrived, is through: now, or it comes again then. Where the input is limited.
    Time admit(const Line& line, unsigned partition, Time now)
    {
        const std::uint32_t bytes = header_ * line.lines() + payload_bytes(line.op, line.size, LineClass::request);
        return bytes == 0 ? now : servers_.admit(partition, now, bytes);
    }

private:
    RateServers servers_;
    std::uint32_t header_ = 0;
};

}  // namespace weft
