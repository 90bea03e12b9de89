#include "collectives/schedule/algorithms/phase_writer.h"

#include <map>

namespace weft::algorithms {

namespace {

// What goes to (or comes from) one peer in one step: the blocks of one or more planes.
struct Group {
    std::uint32_t hop = 0;
    std::vector<std::uint32_t> offsets;
};

// The offsets of a step, by hop.
std::vector<Group> groups_of(const Axis& axis, std::uint32_t step)
{
    std::vector<Group> groups;
    for (std::uint32_t offset : shapes::pattern_offsets(axis.pattern, axis.size, step)) {
        const std::uint32_t hop = offset - shapes::pattern_parent(axis.pattern, offset);
        if (groups.empty() || groups.back().hop != hop) groups.push_back({hop, {}});
        groups.back().offsets.push_back(offset);
    }
    return groups;
}

std::uint32_t size(const std::vector<std::uint32_t>& list) { return static_cast<std::uint32_t>(list.size()); }

}  // namespace

PhaseWriter::PhaseWriter(CollectiveOp op, const Stripe& stripe, const Grid& grid, std::uint32_t index,
    std::uint32_t stripes, std::uint32_t position)
    : stripe_(stripe), grid_(grid), index_(index), stripes_(stripes), self_(position), rank_(stripe.order[position]),
      terms_(stripe.order.size())
{
    if (op == CollectiveOp::all_gather) {
        terms_[self_] = {input(rank_, index_)};
        return;
    }
    for (std::uint32_t q = 0; q < terms_.size(); ++q) terms_[q] = {input(rank_, chunk(q))};
}

// Sums flow the way that blocks spread: the term of the position at -offset from the owner goes to the one at
// -parent.
void PhaseWriter::collect(Writer& writer, std::uint32_t a)
{
    const Axis& axis = stripe_.axes[a];
    const std::uint32_t here = grid_.coordinate(self_, a);
    for (std::uint32_t step = shapes::pattern_steps(axis.pattern, axis.size); step-- > 0;) {
        const std::vector<Group> parts = groups_of(axis, step);
        std::vector<Move> moves;
        for (const Group& part : parts) {
            std::vector<std::uint32_t> blocks;
            for (std::uint32_t offset : part.offsets)
                for (std::uint32_t q : grid_.plane(self_, a, here + offset)) blocks.push_back(q);
            const ChunkRef slot = writer.to(peer(a, here + part.hop), size(blocks));
            for (std::uint32_t i = 0; i < blocks.size(); ++i) moves.push_back({terms_[blocks[i]], {next(slot, i)}});
        }
        writer.run(std::move(moves));
        for (const Group& part : parts) writer.signal(peer(a, here + part.hop));
        for (const Group& part : parts) {
            const std::uint32_t sender = peer(a, here + axis.size - part.hop);
            std::vector<std::uint32_t> blocks;
            for (std::uint32_t offset : part.offsets)
                for (std::uint32_t q : grid_.plane(self_, a, here + offset - part.hop)) blocks.push_back(q);
            writer.wait(sender);
            const ChunkRef slot = writer.from(sender, size(blocks));
            for (std::uint32_t i = 0; i < blocks.size(); ++i) terms_[blocks[i]].push_back(next(slot, i));
        }
    }
}

void PhaseWriter::keep(Writer& writer) const { writer.move(terms_[self_], {output(rank_, index_)}); }

void PhaseWriter::distribute(Writer& writer, std::uint32_t a)
{
    const Axis& axis = stripe_.axes[a];
    const std::uint32_t here = grid_.coordinate(self_, a);
    for (std::uint32_t step = 0; step < shapes::pattern_steps(axis.pattern, axis.size); ++step) {
        const std::vector<Group> parts = groups_of(axis, step);
        std::map<std::uint32_t, Move> moves;  // by chunk
        for (const Group& part : parts)
            for (std::uint32_t offset : part.offsets)
                for (std::uint32_t q : grid_.plane(self_, a, here + axis.size - (offset - part.hop))) {
                    Move& move = moves[chunk(q)];
                    if (move.sources.empty() && q == self_ && !formed_) {
                        move = {terms_[self_], {output(rank_, chunk(q))}};
                        formed_ = true;
                    } else if (move.sources.empty()) {
                        move.sources = {output(rank_, chunk(q))};
                    }
                    move.destinations.push_back(output(peer(a, here + part.hop), chunk(q)));
                }
        std::vector<Move> list;
        for (auto& [chunk, move] : moves) list.push_back(std::move(move));
        writer.run(std::move(list));
        for (const Group& part : parts) writer.signal(peer(a, here + part.hop));
        for (const Group& part : parts) writer.wait(peer(a, here + axis.size - part.hop));
    }
}

}  // namespace weft::algorithms
