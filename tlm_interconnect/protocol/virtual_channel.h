// Virtual channels: what shares a wire but not a buffer.
//
// Every message class has buffers of its own, so that none can hold up another: requests that read, writes,
// atomics and in-switch operations, responses. The whole set may exist several times, in VC sets, for routes that
// would otherwise close a circle of waiting (a dateline on a ring). A link may also be told to keep all
// requests in one channel (`vcs` = shared).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace weft {

class CreditHolders;
enum class VcClass : std::uint8_t { request, write, atomic, response };
constexpr unsigned vc_classes = 4;
constexpr unsigned max_vc_sets = 4;
constexpr unsigned max_vcs = vc_classes * max_vc_sets;

constexpr std::uint8_t vc_of(VcClass cls, unsigned vc_set)
{
    return static_cast<std::uint8_t>(vc_set * vc_classes + static_cast<unsigned>(cls));
}
constexpr unsigned vc_set_of(std::uint8_t vc) { return vc / vc_classes; }
constexpr VcClass class_of(std::uint8_t vc) { return static_cast<VcClass>(vc % vc_classes); }

// "response", "write of VC set 1"
std::string vc_name(std::uint8_t vc, unsigned vc_sets);

// How the lines of a packet that a network card makes choose among equal paths.
struct PacketPaths {
    bool turns = false;        // a packet takes the next path to its destination
    std::uint32_t stripe = 1;  // else the path of its address: so many path hashes in a row, and
    std::uint64_t below = 0;   // local addresses behind those of data choose by themselves
};

// What a sender is told of its link: the room of the receiver, in lines, and which lines to keep together.
struct BufferSpace {
    std::array<std::uint32_t, max_vcs> lines{};  // of a channel's own; 0: the channel does not exist
    std::uint32_t shared = 0;                    // beyond that, for whichever channel takes it
    bool split = true;                           // writes and atomics have channels of their own
    std::uint32_t packet = 0;                    // B of adjacent lines that share a packet if sent in a row; 0: none
    std::uint32_t group_packet = 0;              // the same of lines of groups
    std::uint32_t packet_lines = 0;              // whole lines to one destination that share one likewise: a network
    std::uint32_t path_lines = 0;                // packet_lines of the network's narrowest link: its path MTU
    PacketPaths paths;                           // of packets that a card makes for it
    std::uint32_t transaction = 1;               // lines of the widest transaction that may come
    std::shared_ptr<CreditHolders> holders;      // where an account that is granted these enters itself; null: nowhere

    // One channel of requests and one of responses.
    static BufferSpace of(std::uint32_t requests, std::uint32_t responses);
    // All channels with room that never runs out: for connections within a device.
    static BufferSpace ample();

    unsigned vc_sets() const;
};

}  // namespace weft
