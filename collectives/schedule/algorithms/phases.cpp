#include "collectives/schedule/algorithms/phases.h"

#include <map>

namespace weft::algorithms {

namespace {

// The thread of one rank in one lane.
class PhaseWriter {
public:
    PhaseWriter(Sketch& sketch, const Lane& lane, const Grid& grid, std::uint32_t index, std::uint32_t lanes,
        std::uint32_t position)
        : lane_(lane),
          grid_(grid),
          writer_(sketch.writer(lane.order[position], index)),
          index_(index),
          lanes_(lanes),
          self_(position),
          rank_(lane.order[position])
    {
    }

    void all_reduce()
    {
        collect();
        distribute(terms_[self_]);
    }
    void reduce_scatter()
    {
        collect();
        writer_.move(terms_[self_], {output(rank_, index_)});
    }
    void all_gather() { distribute({input(rank_, index_)}); }

private:
    std::uint32_t chunk(std::uint32_t position) const { return lane_.order[position] * lanes_ + index_; }

    // What goes to (or comes from) one peer in one step: the blocks of one or more planes.
    struct Group {
        std::uint32_t hop = 0;
        std::vector<std::uint32_t> offsets;
    };

    // The offsets of a step, by hop.
    static std::vector<Group> groups(const Axis& axis, std::uint32_t step)
    {
        std::vector<Group> groups;
        for (std::uint32_t offset : shapes::spread_offsets(axis.spread, axis.size, step)) {
            const std::uint32_t hop = offset - shapes::spread_parent(axis.spread, offset);
            if (groups.empty() || groups.back().hop != hop) groups.push_back({hop, {}});
            groups.back().offsets.push_back(offset);
        }
        return groups;
    }

    // Sums flow the way that blocks spread: the term of the position at -offset from the owner goes to the
    // one at -parent.
    void collect()
    {
        terms_.resize(lane_.order.size());
        for (std::uint32_t q = 0; q < terms_.size(); ++q) terms_[q] = {input(rank_, chunk(q))};
        for (std::uint32_t a = 0; a < grid_.axes(); ++a) {
            const Axis& axis = lane_.axes[a];
            const std::uint32_t here = grid_.coordinate(self_, a);
            for (std::uint32_t step = shapes::spread_steps(axis.spread, axis.size); step-- > 0;) {
                const std::vector<Group> parts = groups(axis, step);
                std::vector<Move> moves;
                for (const Group& part : parts) {
                    std::vector<std::uint32_t> blocks;
                    for (std::uint32_t offset : part.offsets)
                        for (std::uint32_t q : grid_.plane(self_, a, here + offset)) blocks.push_back(q);
                    const ChunkRef slot = writer_.to(peer(a, here + part.hop), size(blocks));
                    for (std::uint32_t i = 0; i < blocks.size(); ++i)
                        moves.push_back({terms_[blocks[i]], {next(slot, i)}});
                }
                writer_.run(std::move(moves));
                for (const Group& part : parts) writer_.signal(peer(a, here + part.hop));
                for (const Group& part : parts) {
                    const std::uint32_t sender = peer(a, here + axis.size - part.hop);
                    std::vector<std::uint32_t> blocks;
                    for (std::uint32_t offset : part.offsets)
                        for (std::uint32_t q : grid_.plane(self_, a, here + offset - part.hop))
                            blocks.push_back(q);
                    writer_.wait(sender);
                    const ChunkRef slot = writer_.from(sender, size(blocks));
                    for (std::uint32_t i = 0; i < blocks.size(); ++i)
                        terms_[blocks[i]].push_back(next(slot, i));
                }
            }
        }
    }

    // The move that sends the own block first forms it, and stores it to the own output too.
    void distribute(const std::vector<ChunkRef>& own)
    {
        bool formed = false;
        for (std::uint32_t a = grid_.axes(); a-- > 0;) {
            const Axis& axis = lane_.axes[a];
            const std::uint32_t here = grid_.coordinate(self_, a);
            for (std::uint32_t step = 0; step < shapes::spread_steps(axis.spread, axis.size); ++step) {
                const std::vector<Group> parts = groups(axis, step);
                std::map<std::uint32_t, Move> moves;  // by chunk
                for (const Group& part : parts)
                    for (std::uint32_t offset : part.offsets)
                        for (std::uint32_t q :
                            grid_.plane(self_, a, here + axis.size - (offset - part.hop))) {
                            Move& move = moves[chunk(q)];
                            if (move.sources.empty() && q == self_ && !formed) {
                                move = {own, {output(rank_, chunk(q))}};
                                formed = true;
                            } else if (move.sources.empty()) {
                                move.sources = {output(rank_, chunk(q))};
                            }
                            move.destinations.push_back(output(peer(a, here + part.hop), chunk(q)));
                        }
                std::vector<Move> list;
                for (auto& [chunk, move] : moves) list.push_back(std::move(move));
                writer_.run(std::move(list));
                for (const Group& part : parts) writer_.signal(peer(a, here + part.hop));
                for (const Group& part : parts) writer_.wait(peer(a, here + axis.size - part.hop));
            }
        }
    }

    std::uint32_t peer(std::uint32_t axis, std::uint32_t coordinate) const
    {
        return lane_.order[grid_.at(self_, axis, coordinate)];
    }
    static std::uint32_t size(const std::vector<std::uint32_t>& list)
    {
        return static_cast<std::uint32_t>(list.size());
    }

    const Lane& lane_;
    const Grid& grid_;
    Writer writer_;
    std::uint32_t index_;
    std::uint32_t lanes_;
    std::uint32_t self_;
    std::uint32_t rank_;
    std::vector<std::vector<ChunkRef>> terms_;  // by owner's position: what has to be added up
};

}  // namespace

Grid::Grid(const Lane& lane)
{
    for (const Axis& axis : lane.axes) {
        sizes_.push_back(axis.size);
        strides_.push_back(ranks_);
        ranks_ *= axis.size;
    }
}

std::uint32_t Grid::at(std::uint32_t position, std::uint32_t axis, std::uint32_t coordinate) const
{
    const std::uint32_t here = this->coordinate(position, axis);
    return position - here * strides_[axis] + coordinate % sizes_[axis] * strides_[axis];
}

std::vector<std::uint32_t> Grid::plane(std::uint32_t position, std::uint32_t axis,
    std::uint32_t coordinate) const
{
    const std::uint32_t stride = strides_[axis] * sizes_[axis];
    std::vector<std::uint32_t> positions;
    for (std::uint32_t q = at(position, axis, coordinate) % stride; q < ranks_; q += stride)
        positions.push_back(q);
    return positions;
}

void phased(Schedule& schedule, const AlgorithmOptions& options, const std::vector<Lane>& lanes)
{
    const auto count = static_cast<std::uint32_t>(lanes.size());
    Sketch sketch(schedule, options.channels, schedule.size() * count, count);
    for (std::uint32_t l = 0; l < count; ++l) {
        const Grid grid(lanes[l]);
        for (std::uint32_t position = 0; position < schedule.size(); ++position) {
            PhaseWriter writer(sketch, lanes[l], grid, l, count, position);
            if (schedule.op == CollectiveOp::all_reduce) writer.all_reduce();
            if (schedule.op == CollectiveOp::reduce_scatter) writer.reduce_scatter();
            if (schedule.op == CollectiveOp::all_gather) writer.all_gather();
        }
    }
    sketch.finish();
}

}  // namespace weft::algorithms
