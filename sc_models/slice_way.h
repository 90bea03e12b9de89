// The way from the on-die network into a slice: requests take a place on it when they arrive.
#pragma once

#include "sc_models/slice_model.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

class SliceWay {
public:
    void set(RateServers& ways, unsigned index, unsigned step, std::uint32_t header)
    {
        ways_ = ways.limited() ? &ways : nullptr;
        index_ = index;
        step_ = step;
        header_ = header;
    }
    bool limited() const { return ways_ != nullptr; }

    // When the request, which has arrived, is through: now, or it comes again then. Where the way is limited.
    Time admit(const Line& line, unsigned partition, Time now)
    {
        const std::uint32_t bytes = header_ + payload_bytes(line.op, line.size, LineClass::request);
        return bytes == 0 ? now : ways_->admit(index_ + partition * step_, now, bytes);
    }

private:
    RateServers* ways_ = nullptr;  // null: without a limit
    unsigned index_ = 0;
    unsigned step_ = 0;
    std::uint32_t header_ = 0;
};

}  // namespace weft
