// The layout of packets: data together with flags that show their arrival, so that no other signal is needed.
//
//   ll     8 bytes of data and two flags of 4 in 16 bytes: data, flag, data, flag; stores of 8 bytes are not split
//   ll128  120 bytes of data and a flag of 8 behind them in 128 bytes
//
// The last packet of a piece is stored whole. Every piece begins with a packet of its own, at a multiple of 64 bytes.
// Sizes as in NCCL's protocols of the same names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace weft {

enum class PacketFormat : std::uint8_t { none, ll, ll128 };

struct PacketSizes {
    std::uint32_t data;    // bytes of data in a packet
    std::uint32_t packet;  // bytes that it takes
};
constexpr PacketSizes sizes_of(PacketFormat format)
{
    switch (format) {
    case PacketFormat::ll: return {8, 16};
    case PacketFormat::ll128: return {120, 128};
    case PacketFormat::none: break;
    }
    return {1, 1};
}

// Bytes of packets for `data` bytes.
constexpr std::uint64_t packet_bytes(PacketFormat format, std::uint64_t data)
{
    const PacketSizes sizes = sizes_of(format);
    return (data + sizes.data - 1) / sizes.data * sizes.packet;
}

// Data of an instruction whose lanes move `lane_bytes` bytes of packets together; at least one packet.
constexpr std::uint32_t instruction_data(PacketFormat format, std::uint32_t lane_bytes)
{
    const PacketSizes sizes = sizes_of(format);
    return std::max(1U, lane_bytes / sizes.packet) * sizes.data;
}

// Where share `part` of a slot begins whose data begin at byte `begin` of the slot: a place that no other share of the
// same cut reaches.
constexpr std::uint64_t packet_begin(PacketFormat format, std::uint64_t begin, std::uint32_t part)
{
    constexpr std::uint64_t line = 64;
    const PacketSizes sizes = sizes_of(format);
    const std::uint64_t grain = std::max<std::uint64_t>(line, sizes.packet);
    return (begin / (grain / sizes.packet * sizes.data) + part) * grain;
}

// Bytes of a slot of `data` bytes that is cut into at most `parts` shares.
constexpr std::uint64_t packet_slot_bytes(PacketFormat format, std::uint64_t data, std::uint32_t parts)
{
    return packet_begin(format, data, parts);
}

// Bytes [position, position + size) of the packets that hold `count` bytes of `data`, with every flag set.
void to_packets(PacketFormat format, const std::uint8_t* data, std::uint64_t count, std::uint64_t position,
    std::uint32_t size, std::uint8_t* packets);
// The other way: what these bytes of packets hold, put where it belongs in `data`.
void from_packets(PacketFormat format, const std::uint8_t* packets, std::uint64_t position, std::uint32_t size,
    std::uint8_t* data, std::uint64_t count);

}  // namespace weft
