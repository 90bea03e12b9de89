// How messages and signals fill the packets of a link: the rules that estimates (link_clock.h) and flow fidelity (flow_links.h)
// share.
#pragma once

#include <cmath>
#include <cstdint>

#include "collectives/synthesis/cost_graph.h"

namespace weft {

// Time on the wire, ps, that `messages` messages of `bytes` bytes each take from network cards beyond their bytes: the rate of the
// link has the packets of a long stream already.
inline double headers_ps(const CostLink& link, double messages, double bytes)
{
    if (link.packet_payload <= 0) return 0;
    const double packets = bytes / link.packet_payload;
    return messages * ((std::ceil(packets) - packets) * link.packet_ps + link.message_ps);
}

// The same of one line, of `bytes`, with which messages and packets begin: those that follow in a packet have no header.
inline double line_headers_ps(const CostLink& link, double messages, double packets, double bytes)
{
    if (link.packet_payload <= 0) return 0;
    return messages * link.message_ps + (packets - bytes / link.packet_payload) * link.packet_ps;
}

// Where lines to one destination share packets: what a message of `bytes` bytes takes more if no other one is in its last packet.
inline double open_end_ps(const CostLink& link, double bytes)
{
    if (link.packet_time_ps <= 0) return 0;
    const double packets = bytes * link.ps_per_byte / link.packet_time_ps;
    return (std::ceil(packets - 1e-9) - packets) * link.shared_packet_ps;  // sums are not exact
}

// Where lines to one destination share packets: the one that is open for more of them.
class OpenPacket {
public:
    // A part that fills `filling_ps` of a packet passes at `turn`. True if it joins the open packet, which has room for it and had its
    // latest part no longer ago than the longest packet takes; else it opens one.
    bool join(const CostLink& link, double filling_ps, std::uint64_t turn)
    {
        constexpr double exact = 1 + 1e-9;  // of sums
        const bool joins = !fresh_ && filled_ps_ + filling_ps <= link.packet_time_ps * exact &&
            static_cast<double>(turn) <= static_cast<double>(last_ps_) + link.packet_time_ps;
        fresh_ = false;
        last_ps_ = turn;
        filled_ps_ = joins ? filled_ps_ + filling_ps : filling_ps;
        return joins;
    }

private:
    bool fresh_ = true;
    std::uint64_t last_ps_ = 0;
    double filled_ps_ = 0;
};

// A signal finds a packet open if another one of its path has passed shortly before, and then takes CostLink::shared_packet_ps less.
inline bool signal_joins(OpenPacket& open, const CostLink& link, std::uint64_t turn)
{
    return open.join(link, link.signal_ps - link.shared_packet_ps, turn);
}

}  // namespace weft
