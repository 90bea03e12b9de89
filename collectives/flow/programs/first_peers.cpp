#include "collectives/flow/programs/first_peers.h"

#include <algorithm>
#include <iterator>

namespace weft {

namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

struct Peers {
    std::uint32_t first = nobody;
    bool several = false;  // it stores to others as well
    bool groups = false;   // it stores to some by a switch that copies
    bool loads = false;    // from others
};

Peers peers_of(const FlowProgram& program, std::uint32_t rank, const FlowTemplate& thread)
{
    Peers out;
    for (const FlowOp& op : thread.ops) {
        if (op.kind != FlowKind::move) continue;
        for (std::uint32_t i = 0; i < op.sources && !out.loads; ++i)
            out.loads = program.grid.peer(rank, thread.operands[op.first + i].peer) != rank;
        out.groups = out.groups || op.has(FlowOp::stores_group);
        if (op.has(FlowOp::stores_group)) continue;
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
    out.stores.resize(program.ranks());
    out.moves.resize(program.ranks());
    out.alike.resize(program.ranks());
    std::vector<std::uint32_t> beginners(program.ranks());
    for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
        Peers common;
        bool alike = true;
        bool groups = false;
        bool loads = false;
        for (std::uint32_t t = 0; t < program.threads(rank) && alike; ++t) {
            const Peers peers = peers_of(program, rank, program.templates[program.template_number(rank, t)]);
            groups = groups || peers.groups;
            loads = loads || peers.loads;
            if (peers.first == nobody) continue;
            alike = common.first == nobody || common.first == peers.first;
            common = {peers.first, common.several || peers.several};
        }
        out.stores[rank] = groups || common.first != nobody;
        out.moves[rank] = out.stores[rank] || loads;
        out.alike[rank] = alike && common.several;
        if (out.alike[rank]) ++beginners[common.first];
    }
    out.crowded = program.ranks() > 2 && *std::max_element(beginners.begin(), beginners.end()) * 2 > program.ranks();
    return out;
}

std::shared_ptr<const FirstPeers> FirstPeersOfPrograms::find(const std::shared_ptr<const FlowProgram>& program)
{
    const auto known = known_.find(program);
    if (known != known_.end()) return known->second;
    for (auto each = known_.begin(); each != known_.end();)
        each = each->first.expired() ? known_.erase(each) : std::next(each);
    ++made_;
    return known_[program] = std::make_shared<const FirstPeers>(first_peers_of(*program));
}

}  // namespace weft
