// A line on the data bus of AXI4: which beats and bytes of it an operation names.
#pragma once

#include <cstring>

#include "rtl/dut/channels/stream_pins.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// Not over AR and R: a write, or what is only acknowledged.
inline bool axi4_writes(LineOp op)
{
    return op == LineOp::write || op == LineOp::atomic || op == LineOp::multicast || op == LineOp::reduce;
}

inline bool axi4_writes(const LineBits& bits) { return axi4_writes(static_cast<LineOp>(bits.op())); }

class Axi4Burst {
public:
    Axi4Burst() = default;
    Axi4Burst(const LineBits& bits, unsigned bus_bits) : bus_(bus_bits / 8)
    {
        const auto op = static_cast<LineOp>(bits.op());
        const bool plain = op == LineOp::read || op == LineOp::write;
        offset_ = plain ? static_cast<unsigned>(bits.address() % line_bytes) : 0;
        bytes_ = plain ? std::min(bits.size(), static_cast<unsigned>(line_bytes) - offset_)
                       : static_cast<unsigned>(line_bytes);
        address_ = plain ? bits.address() : bits.address() / line_bytes * line_bytes;
        first_ = offset_ / bus_;
        beats_ = (offset_ + bytes_ - 1) / bus_ - first_ + 1;
    }

    std::uint64_t address() const { return address_; }
    unsigned beats() const { return beats_; }
    void fill(const LineBits& bits)
    {
        std::memset(lanes_, 0, sizeof lanes_);
        std::memcpy(lanes_ + offset_, bits.data(), bytes_);
    }
    void read(LineBits& bits) const
    {
        std::memset(bits.data(), 0, line_bytes);
        std::memcpy(bits.data(), lanes_ + offset_, bytes_);
    }
    void put(unsigned beat, Signal& data) const
    {
        for (unsigned i = 0; i < bus_; ++i) data.pin.set(data.at + 8 * i, 8, lanes_[(first_ + beat) * bus_ + i]);
    }
    void take(unsigned beat, const Signal& data)
    {
        for (unsigned i = 0; i < bus_; ++i)
            lanes_[(first_ + beat) * bus_ + i] = static_cast<std::uint8_t>(data.pin.get(data.at + 8 * i, 8));
    }
    std::uint64_t strobe(unsigned beat) const
    {
        std::uint64_t out = 0;
        for (unsigned i = 0; i < bus_; ++i) {
            const unsigned lane = (first_ + beat) * bus_ + i;
            if (lane >= offset_ && lane < offset_ + bytes_) out |= std::uint64_t{1} << i;
        }
        return out;
    }

private:
    unsigned bus_ = line_bytes;
    unsigned offset_ = 0;
    unsigned bytes_ = line_bytes;
    std::uint64_t address_ = 0;
    unsigned first_ = 0;
    unsigned beats_ = 1;
    std::uint8_t lanes_[line_bytes] = {};
};

}  // namespace weft
