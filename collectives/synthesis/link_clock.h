// Transfers on the links of a cost graph, one stage of their path after the other: the part of an estimate (estimate.h) that
// knows when a link is free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "collectives/synthesis/context_window.h"
#include "collectives/synthesis/cost_graph.h"
#include "collectives/synthesis/link_packets.h"

namespace weft {

struct Flight {
    const CostPath* path = nullptr;
    std::uint32_t sender = 0;   // rank
    double bytes = 0;           // 0: a signal, which waits for other signals only
    double messages = 0;        // signals, or messages whose bytes these are, or which part of one
    double message = 0;         // bytes of each
    bool of_group = false;      // lines that a switch carries out for a group
    std::uint32_t stage = 0;    // that its head is at
    std::uint64_t head_ps = 0;  // when; behind the last stage, when it has begun to pass it
    std::uint64_t rest_ps = 0;  // latency behind the last stage
    std::uint64_t tail_ps = 0;  // when all of it is there, as far as is known
    bool pushed = false;        // of lines of a group: contributions that a switch adds up
    bool cold = false;          // loads of what members have in memory
};

class LinkClock {
public:
    explicit LinkClock(const CostGraph& graph)
        : graph_(graph), free_(graph.links.size()), signals_free_(graph.links.size()), queues_(graph.links.size()),
          busy_(graph.links.size()), payload_(graph.links.size())
    {
    }

    // A put or a signal of `sender` that leaves at `now`; what a load brings back that was asked for by `request`, when it is at
    // the owner; a part of what a switch does for a group, with `rest` behind the last stage.
    static Flight put(const CostPath& path, std::uint32_t sender, double bytes, std::uint64_t now);
    static Flight answer(const CostPath& path, std::uint32_t sender, const CostPath& request, double bytes,
        std::uint64_t now);
    static Flight of_group(const CostPath& path, std::uint32_t sender, double bytes, std::uint64_t now,
        std::uint64_t rest);

    // Passes the links of the present stage at flight.head_ps. False at the last one.
    bool pass(Flight& flight);

    // Time and payload of each link so far.
    const std::vector<double>& busy() const { return busy_; }
    // From its first byte to its last one at least: operations that begin at once wait for no context.
    double least_ps(std::uint32_t link) const
    {
        return std::max(0.0, busy_[link] - graph_.links[link].at_once * graph_.links[link].group_ps_per_byte);
    }
    const std::vector<double>& payload() const { return payload_; }

private:
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    // What has passed a link since it was idle.
    struct Queue {
        std::uint32_t sender = nobody;
        bool mixed = false;  // some of it came from another rank
    };

    void pass_contexts(const LinkShare& part, Flight& flight, std::uint64_t left, std::uint64_t span,
        std::uint64_t& head);
    void pass_signal(const LinkShare& part, Flight& flight, std::uint64_t left, std::uint64_t& head);
    bool shares_packet(std::uint32_t link, const CostPath* path, std::uint64_t turn);
    void occupy(std::uint32_t link, double ps, std::uint64_t now);

    const CostGraph& graph_;
    std::vector<std::uint64_t> free_;
    std::vector<std::uint64_t> signals_free_;
    std::unordered_map<std::uint64_t, OpenPacket> open_;  // of signals, by link and path
    std::vector<Queue> queues_;
    std::map<std::uint32_t, ContextWindow> contexts_;  // by link
    std::vector<double> busy_;
    std::vector<double> payload_;
};

}  // namespace weft
