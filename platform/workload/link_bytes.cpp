#include "platform/workload/link_bytes.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "collectives/schedule/protocol/protocol.h"
#include "platform/choice/latencies.h"
#include "platform/choice/link_shares.h"
#include "platform/choice/split_links.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

namespace {

struct Amount {
    double lines = 0;
    double payload = 0;
    double wire = 0;
};

std::uint64_t lines_of(std::uint64_t bytes) { return (bytes + line_bytes - 1) / line_bytes; }

// Of two ranks: where the data are, where they go, and whether the latter loads them.
using Pair = std::tuple<std::uint32_t, std::uint32_t, bool>;

}  // namespace

std::vector<LinkBytes> link_bytes(const ResolvedSystem& system, const FabricPlan& plan, const Schedule& schedule,
    const Layout& layout)
{
    const PacketFormat format = format_of(system.engine().protocol);
    std::map<Pair, Amount> pairs;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                if (step.kind != StepKind::move) continue;
                Amount moved;
                for (const Piece& piece : layout.pieces(step)) {
                    moved.payload += static_cast<double>(piece.bytes);
                    moved.lines += static_cast<double>(lines_of(piece.bytes));
                }
                double packet_lines = 0;  // each chunk begins with a packet of its own
                for (const ChunkShare& share : layout.shares(step))
                    packet_lines += static_cast<double>(lines_of(packet_bytes(format, share.end - share.begin)));
                const auto add = [&](const Pair& pair, const ChunkRef& there) {
                    pairs[pair].lines += there.buffer == Buffer::packets ? packet_lines : moved.lines;
                    pairs[pair].payload += moved.payload;
                };
                for (const ChunkRef& source : step.sources)
                    if (source.rank != rank) add({source.rank, rank, true}, source);
                for (const ChunkRef& destination : step.destinations)
                    if (destination.rank != rank) add({rank, destination.rank, false}, destination);
            }
    const LinkShares shares(plan, system.routing());
    const bool by_card = has_cards(system, plan);
    const std::uint64_t in_a_row = bytes_in_a_row(system.routing());
    std::vector<Amount> wire(shares.directions());
    for (const auto& [pair, amount] : pairs) {
        const auto [from, to, get] = pair;
        const LineOp op = get ? LineOp::read : LineOp::write;
        const LineClass data = get ? LineClass::response : LineClass::request;
        const LineClass answer = get ? LineClass::request : LineClass::response;
        const Amount& all = amount;
        shares.for_each(from, to, get, 1.0, [&](std::uint32_t edge, bool forward, double share) {
            const LinkSpec& link = system.link(edge);
            Amount& there = wire[2 * edge + (forward ? 0 : 1)];
            Amount& back = wire[2 * edge + (forward ? 1 : 0)];
            const std::uint64_t run = is_split(share) ? in_a_row : std::numeric_limits<std::uint64_t>::max();
            there.wire += share * all.lines * stream_bytes(link, op, data, false, by_card, run);
            back.wire += share * all.lines * stream_bytes(link, op, answer, false, by_card, run);
            there.payload += share * all.payload;
        });
    }
    std::vector<LinkBytes> out;
    for (std::size_t c = 0; c < wire.size(); ++c) {
        if (wire[c].wire <= 0) continue;
        const auto edge = static_cast<EdgeId>(c / 2);
        const std::string* names[2] = {&plan.fabric.nodes[plan.fabric.edges[edge].a].name,
            &plan.fabric.nodes[plan.fabric.edges[edge].b].name};
        out.push_back({edge_name(system.graph(), edge), *names[c % 2], *names[1 - c % 2],
            static_cast<std::uint64_t>(std::llround(wire[c].payload)),
            static_cast<std::uint64_t>(std::llround(wire[c].wire)), system.link(edge).bandwidth});
    }
    return out;
}

}  // namespace weft
