// Data-link frames on a wire: of every `frame` bytes `frame_payload` are packets, and frames follow each other without
// a gap from time 0 on. Without frames (frame = 0) everything is as if it was not there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class Framer {
public:
    explicit Framer(const LinkSpec& spec)
        : frame_(spec.frame), payload_(spec.frame_payload),
          rate_(std::max<std::uint64_t>(1, spec.bandwidth / spec.bundle))
    {
    }

    // `bytes` of packets with the frames' own bytes as they accrue, remainders carried.
    std::uint32_t with_frames(std::uint32_t bytes)
    {
        if (frame_ == 0) return bytes;
        carry_ += bytes * (frame_ - payload_);
        const std::uint64_t extra = carry_ / payload_;
        carry_ %= payload_;
        return bytes + static_cast<std::uint32_t>(extra);
    }

    // The end of the frame in which a byte that ends at `time` travels.
    Time end_of_frame(Time time) const
    {
        if (frame_ == 0) return time;
        __extension__ typedef unsigned __int128 Wide;
        const Wide length = static_cast<Wide>(frame_) * 1'000'000'000'000U;  // ps * B/s
        const Wide frames = (static_cast<Wide>(time) * rate_ + length - 1) / length;
        return static_cast<Time>((frames * length + rate_ - 1) / rate_);
    }

private:
    std::uint64_t frame_;
    std::uint64_t payload_;
    std::uint64_t rate_;
    std::uint64_t carry_ = 0;
};

}  // namespace weft
