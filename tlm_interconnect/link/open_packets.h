// The packets that one direction of a link has open, where lines to one destination share packets (merge = destination): one for each
// pair of source and destination in each channel, however many there are. A packet that is over is forgotten when room is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

class OpenPackets {
public:
    struct Packet {
        std::uint64_t key = none;
        bool begun = false;
        std::uint64_t filled = 0;  // B
        Time last = 0;             // when a line joined it
    };

    // A packet is over when no line has joined it for `lifetime`.
    void build(Time lifetime)
    {
        lifetime_ = lifetime;
        packets_.resize(64);
    }

    // The packet of `key`, which is not ~0. Valid until the next call.
    Packet& of(std::uint64_t key, Time now)
    {
        Packet* packet = &find(key);
        if (packet->key == key) return *packet;
        if (2 * (used_ + 1) > packets_.size()) {
            forget_old(now);
            packet = &find(key);
        }
        ++used_;
        packet->key = key;
        return *packet;
    }
    bool over(const Packet& packet, Time now) const { return !packet.begun || now > packet.last + lifetime_; }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    // Where the key is, or is to be.
    Packet& find(std::uint64_t key)
    {
        std::size_t at = (key * 0x9e3779b97f4a7c15ULL >> 32) & (packets_.size() - 1);
        while (packets_[at].key != key && packets_[at].key != none) at = (at + 1) & (packets_.size() - 1);
        return packets_[at];
    }
    void forget_old(Time now)
    {
        std::swap(before_, packets_);
        std::size_t open = 0;
        for (const Packet& packet : before_) open += over(packet, now) ? 0 : 1;
        packets_.assign(4 * open > before_.size() ? 2 * before_.size() : before_.size(), Packet{});
        for (const Packet& packet : before_)
            if (!over(packet, now)) find(packet.key) = packet;
        used_ = open;
    }

    Time lifetime_ = 0;
    std::size_t used_ = 0;
    std::vector<Packet> packets_;  // by hash of the key, at least half of the places free
    std::vector<Packet>
        before_;  // those of before forget_old(): kept, so that lines allocate only where the table grows
};

}  // namespace weft
