#include "platform/workload/link_bytes.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "collectives/schedule/protocol/protocol.h"
#include "platform/choice/latencies.h"
#include "platform/choice/link_shares.h"
#include "platform/choice/split_links.h"
#include "tlm_interconnect/link/destination_lines.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

namespace {

struct Amount {
    double lines = 0;
    double payload = 0;
    double wire = 0;
    std::map<std::uint64_t, double> messages;  // how many of so many lines: a step of a thread is one
};

std::uint64_t lines_of(std::uint64_t bytes) { return (bytes + line_bytes - 1) / line_bytes; }

// Of two ranks: where the data are, where they go, and whether the latter loads them.
using Pair = std::tuple<std::uint32_t, std::uint32_t, bool>;

// What network cards add to the bytes of long streams, on a link that has formats for their messages.
struct Headers {
    double data = 0;     // with what is moved: the rest of last packets, headers
    double answers = 0;  // the other way: an acknowledge, or the request of a load
};

Headers headers_of(const Amount& all, const LinkSpec& link, bool get)
{
    const std::uint64_t packet = destination_lines(link);
    if (packet == 0) return {};
    double packets = 0;
    double messages = 0;
    for (const auto& [lines, count] : all.messages) {
        packets += count * static_cast<double>((lines + packet - 1) / packet);
        messages += count;
    }
    const auto overhead = static_cast<double>(link.packet_overhead);
    const auto header = static_cast<double>(link.message_header);
    const auto answer = static_cast<double>(link.message_answer);
    return {(packets - all.lines / static_cast<double>(packet)) * overhead + messages * (get ? answer : header),
        messages * (overhead + (get ? header : answer))};
}

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
                    const double lines = there.buffer == Buffer::packets ? packet_lines : moved.lines;
                    if (lines <= 0) return;
                    Amount& all = pairs[pair];
                    all.lines += lines;
                    all.payload += moved.payload;
                    all.messages[static_cast<std::uint64_t>(lines)] += 1;
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
            if (!by_card) return;
            const Headers headers = headers_of(all, link, get);
            there.wire += share * headers.data;
            back.wire += share * headers.answers;
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
