#include "collectives/flow/programs/first_peers.h"

#include <algorithm>

namespace weft {

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

struct Peers {
    std::uint32_t first = nobody;
    bool several = false;  // it stores to others as well
};

Peers peers_of(const FlowProgram& program, std::uint32_t rank, const FlowTemplate& thread)
{
    Peers out;
    for (const FlowOp& op : thread.ops) {
        if (op.kind != FlowKind::move || op.has(FlowOp::stores_group)) continue;
        for (std::uint32_t i = 0; i < op.destinations; ++i) {
            const std::uint32_t peer = program.grid.peer(rank, thread.operands[op.first + op.sources + i].peer);
            if (peer == rank) continue;
            if (out.first == nobody) out.first = peer;
            out.several = out.several || peer != out.first;
        }
    }
    return out;
}

}  // namespace

FirstPeers first_peers_of(const FlowProgram& program)
{
    FirstPeers out;
    out.alike.resize(program.ranks());
    std::vector<std::uint32_t> beginners(program.ranks());
    for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
        Peers common;
        bool alike = true;
        for (std::uint32_t t = 0; t < program.threads(rank) && alike; ++t) {
            const Peers peers = peers_of(program, rank, program.templates[program.template_number(rank, t)]);
            if (peers.first == nobody) continue;
            alike = common.first == nobody || common.first == peers.first;
            common = {peers.first, common.several || peers.several};
        }
        out.alike[rank] = alike && common.several;
        if (out.alike[rank]) ++beginners[common.first];
    }
    out.crowded = program.ranks() > 2 && *std::max_element(beginners.begin(), beginners.end()) * 2 > program.ranks();
    return out;
}

}  // namespace weft
