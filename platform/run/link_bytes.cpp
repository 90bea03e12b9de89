#include "platform/run/link_bytes.h"

#include <cmath>
#include <map>
#include <tuple>

#include "tlm_interconnect/packetiser.h"

namespace weft {

namespace {

struct Amount {
    double lines = 0;
    double payload = 0;
};

// Of two ranks: where the data are, where they go, and whether the latter loads them.
using Way = std::tuple<std::uint32_t, std::uint32_t, bool>;

class LinkWalk {
public:
    LinkWalk(const ResolvedSystem& system, const FabricPlan& plan)
        : system_(system), plan_(plan), ports_(plan.fabric.ports()), wire_(2 * plan.fabric.edges.size()),
          payload_(wire_.size())
    {
    }

    void add(const Way& way, const Amount& amount)
    {
        std::tie(std::ignore, to_, get_) = way;
        walk(plan_.routing.node_of(std::get<0>(way)), 0, amount);
    }

    std::vector<LinkBytes> take() const
    {
        std::vector<LinkBytes> out;
        for (std::size_t c = 0; c < wire_.size(); ++c) {
            if (wire_[c] <= 0) continue;
            const auto& edge = plan_.fabric.edges[c / 2];
            const auto name = [this](std::uint32_t node) { return plan_.fabric.nodes[node].name; };
            const bool forward = c % 2 == 0;
            out.push_back({edge_name(system_.graph(), static_cast<EdgeId>(c / 2)),
                name(forward ? edge.a : edge.b), name(forward ? edge.b : edge.a),
                static_cast<std::uint64_t>(std::llround(payload_[c])), static_cast<std::uint64_t>(std::llround(wire_[c])),
                system_.link(static_cast<EdgeId>(c / 2)).bandwidth});
        }
        return out;
    }

private:
    void walk(std::uint32_t node, unsigned phase, const Amount& amount)
    {
        if (node == plan_.routing.node_of(to_)) return;
        const std::vector<std::uint16_t>& choice = plan_.routing.ports_to(node, to_, phase);
        const auto ways = static_cast<double>(choice.size());
        for (unsigned i = 0; i < choice.size(); ++i) {
            const Fabric::Port& port = ports_[node][choice[i]];
            const LinkSpec& link = system_.link(port.edge);
            const unsigned along = plan_.fabric.edges[port.edge].a == node ? 0 : 1;
            const Amount share{amount.lines / ways, amount.payload / ways};
            const LineOp op = get_ ? LineOp::read : LineOp::write;
            const LineClass there = get_ ? LineClass::response : LineClass::request;
            const LineClass back = get_ ? LineClass::request : LineClass::response;
            wire_[2 * port.edge + along] += share.lines * static_cast<double>(stream_bytes(link, op, there));
            wire_[2 * port.edge + 1 - along] += share.lines * static_cast<double>(stream_bytes(link, op, back));
            payload_[2 * port.edge + along] += share.payload;
            const unsigned then = plan_.routing.phase_after(node, choice[i], plan_.routing.lane(node, to_, i, phase));
            walk(port.peer, then, share);
        }
    }

    const ResolvedSystem& system_;
    const FabricPlan& plan_;
    std::vector<std::vector<Fabric::Port>> ports_;
    std::vector<double> wire_;  // 2e: from edge e's a to its b
    std::vector<double> payload_;
    std::uint32_t to_ = 0;
    bool get_ = false;
};

}  // namespace

std::vector<LinkBytes> link_bytes(const ResolvedSystem& system, const FabricPlan& plan, const Schedule& schedule,
    const Layout& layout)
{
    std::map<Way, Amount> ways;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                if (step.kind != StepKind::move) continue;
                Amount moved;
                for (const Piece& piece : layout.pieces(step)) {
                    moved.payload += static_cast<double>(piece.bytes);
                    moved.lines += static_cast<double>((piece.bytes + line_bytes - 1) / line_bytes);
                }
                const auto add = [&](const Way& way) {
                    ways[way].lines += moved.lines;
                    ways[way].payload += moved.payload;
                };
                for (const ChunkRef& source : step.sources)
                    if (source.rank != rank) add({source.rank, rank, true});
                for (const ChunkRef& destination : step.destinations)
                    if (destination.rank != rank) add({rank, destination.rank, false});
            }
    LinkWalk walk(system, plan);
    for (const auto& [way, amount] : ways) walk.add(way, amount);
    return walk.take();
}

}  // namespace weft
