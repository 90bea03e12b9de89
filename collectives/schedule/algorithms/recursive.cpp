// Recursive halving and doubling: exchanges with the rank whose number differs in one bit. With n not a power
// of two, the r ranks from p = 2^floor(log2 n) on are folded: each hands its part to the rank p below before,
// and gets its result from that one afterwards.
#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/algorithms/sketch.h"

namespace weft::algorithms {

namespace {

// The ranks below p, and which one, if any, is folded into each.
struct Folding {
    explicit Folding(std::uint32_t ranks) : n(ranks), p(1u << shapes::floor_log2(ranks)) {}

    bool folded(std::uint32_t rank) const { return rank >= p; }
    bool has_folded(std::uint32_t rank) const { return rank + p < n; }
    // The block of `size` ranks (a power of two) that holds `rank`, and those folded into them.
    std::vector<std::uint32_t> block(std::uint32_t rank, std::uint32_t size) const
    {
        std::vector<std::uint32_t> ranks;
        const std::uint32_t first = rank & ~(size - 1);
        for (std::uint32_t i = 0; i < size; ++i) ranks.push_back(first + i);
        for (std::uint32_t i = 0; i < size; ++i)
            if (first + i + p < n) ranks.push_back(first + i + p);
        return ranks;
    }

    std::uint32_t n;
    std::uint32_t p;
};

// Terms of sums, by chunk, and slots joined to them.
class Sums {
public:
    Sums(std::uint32_t rank, std::uint32_t chunks)
    {
        for (std::uint32_t c = 0; c < chunks; ++c) terms_.push_back({input(rank, c)});
    }
    const std::vector<ChunkRef>& of(std::uint32_t chunk) const { return terms_[chunk]; }
    void send(Writer& writer, std::uint32_t peer, const std::vector<std::uint32_t>& chunks)
    {
        const ChunkRef slot = writer.to(peer, static_cast<std::uint32_t>(chunks.size()));
        std::vector<Move> moves;
        for (std::uint32_t i = 0; i < chunks.size(); ++i) moves.push_back({terms_[chunks[i]], {next(slot, i)}});
        writer.run(std::move(moves));
        writer.signal(peer);
    }
    void receive(Writer& writer, std::uint32_t peer, const std::vector<std::uint32_t>& chunks)
    {
        writer.wait(peer);
        const ChunkRef slot = writer.from(peer, static_cast<std::uint32_t>(chunks.size()));
        for (std::uint32_t i = 0; i < chunks.size(); ++i) terms_[chunks[i]].push_back(next(slot, i));
    }

private:
    std::vector<std::vector<ChunkRef>> terms_;
};

std::vector<std::uint32_t> all_but(std::uint32_t chunks, std::uint32_t one)
{
    std::vector<std::uint32_t> list;
    for (std::uint32_t c = 0; c < chunks; ++c)
        if (c != one) list.push_back(c);
    return list;
}

// Results, from the own output to that of a peer.
void pass_on(Writer& writer, std::uint32_t rank, std::uint32_t peer, const std::vector<std::uint32_t>& chunks)
{
    std::vector<Move> moves;
    for (std::uint32_t c : chunks) moves.push_back({{output(rank, c)}, {output(peer, c)}});
    writer.run(std::move(moves));
    writer.signal(peer);
}

}  // namespace

// Everybody exchanges whole partial sums, which the own output holds in between.
// Steps log2 p, and 2 if any is folded; bytes sent S log2 p, and S by a folded rank and by the one it is
// folded into.
void recursive_doubling_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const Folding folding(schedule.size());
    Sketch sketch(schedule, options.channels, 1);
    for (std::uint32_t rank = 0; rank < folding.n; ++rank) {
        Writer writer = sketch.writer(rank);
        const std::uint32_t extra = folding.folded(rank) ? rank - folding.p : rank + folding.p;
        if (folding.folded(rank)) {
            writer.move({input(rank, 0)}, {writer.to(extra)});
            writer.signal(extra);
            writer.wait(extra);
            continue;
        }
        std::vector<ChunkRef> sum{input(rank, 0)};
        if (folding.has_folded(rank)) {
            writer.wait(extra);
            sum.push_back(writer.from(extra));
        }
        for (std::uint32_t distance = 1; distance < folding.p; distance *= 2) {
            const std::uint32_t peer = rank ^ distance;
            std::vector<ChunkRef> stored{writer.to(peer)};
            if (sum.size() > 1) stored.insert(stored.begin(), output(rank, 0));
            writer.move(sum, stored);
            writer.signal(peer);
            writer.wait(peer);
            sum = {sum.size() > 1 ? output(rank, 0) : input(rank, 0), writer.from(peer)};
        }
        std::vector<ChunkRef> stored{output(rank, 0)};
        if (folding.has_folded(rank)) stored.push_back(output(extra, 0));
        writer.move(sum, stored);
        if (folding.has_folded(rank)) writer.signal(extra);
    }
    sketch.finish();
}

// Rabenseifner: reduce-scatter by halving, far ranks first, then all-gather by doubling; in p chunks.
// Steps 2 log2 p, and 2 if any is folded; bytes sent 2(p-1)/p S, and S by a folded rank and by the one it is
// folded into.
void halving_doubling_all_reduce(Schedule& schedule, const AlgorithmOptions& options)
{
    const Folding folding(schedule.size());
    const std::uint32_t p = folding.p;
    const std::vector<std::uint32_t> all = all_but(p, p);
    const Folding among(p);
    Sketch sketch(schedule, options.channels, p);
    for (std::uint32_t rank = 0; rank < folding.n; ++rank) {
        Writer writer = sketch.writer(rank);
        const std::uint32_t extra = folding.folded(rank) ? rank - p : rank + p;
        Sums sums(rank, p);
        if (folding.folded(rank)) {
            sums.send(writer, extra, all);
            writer.wait(extra);
            continue;
        }
        if (folding.has_folded(rank)) sums.receive(writer, extra, all);
        for (std::uint32_t distance = p / 2; distance > 0; distance /= 2) {
            sums.send(writer, rank ^ distance, among.block(rank ^ distance, distance));
            sums.receive(writer, rank ^ distance, among.block(rank, distance));
        }
        for (std::uint32_t distance = 1; distance < p; distance *= 2) {
            const std::uint32_t peer = rank ^ distance;
            if (distance == 1) {
                writer.move(sums.of(rank), {output(rank, rank), output(peer, rank)});
                writer.signal(peer);
            } else {
                pass_on(writer, rank, peer, among.block(rank, distance));
            }
            writer.wait(peer);
        }
        if (folding.has_folded(rank)) pass_on(writer, rank, extra, all);
    }
    sketch.finish();
}

// Blocks of 1, 2, 4, ... ranks are exchanged with near ranks first. A folded rank hands in its chunk and gets
// the n - 1 others.
// Steps log2 p, and 2 if any is folded; bytes sent (n-1)/n S where n is a power of two.
void recursive_doubling_all_gather(Schedule& schedule, const AlgorithmOptions& options)
{
    const Folding folding(schedule.size());
    Sketch sketch(schedule, options.channels, folding.n);
    for (std::uint32_t rank = 0; rank < folding.n; ++rank) {
        Writer writer = sketch.writer(rank);
        const std::uint32_t extra = folding.folded(rank) ? rank - folding.p : rank + folding.p;
        if (folding.folded(rank)) {
            writer.move({input(rank, 0)}, {output(rank, rank), output(extra, rank)});
            writer.signal(extra);
            writer.wait(extra);
            continue;
        }
        if (folding.has_folded(rank)) writer.wait(extra);
        for (std::uint32_t distance = 1; distance < folding.p; distance *= 2) {
            const std::uint32_t peer = rank ^ distance;
            std::vector<Move> moves;
            for (std::uint32_t c : folding.block(rank, distance))
                moves.push_back({{output(rank, c)}, {output(peer, c)}});
            if (distance == 1) moves.front() = {{input(rank, 0)}, {output(rank, rank), output(peer, rank)}};
            writer.run(std::move(moves));
            writer.signal(peer);
            writer.wait(peer);
        }
        if (folding.has_folded(rank)) pass_on(writer, rank, extra, all_but(folding.n, extra));
    }
    sketch.finish();
}

// The same run backwards: halves of the sums are exchanged, far ranks first. A folded rank hands in its terms
// of the n - 1 other chunks, and adds its own to what it gets.
// Steps log2 p, and 2 if any is folded; bytes sent (n-1)/n S where n is a power of two.
void recursive_halving_reduce_scatter(Schedule& schedule, const AlgorithmOptions& options)
{
    const Folding folding(schedule.size());
    Sketch sketch(schedule, options.channels, folding.n);
    for (std::uint32_t rank = 0; rank < folding.n; ++rank) {
        Writer writer = sketch.writer(rank);
        const std::uint32_t extra = folding.folded(rank) ? rank - folding.p : rank + folding.p;
        Sums sums(rank, folding.n);
        if (folding.folded(rank)) {
            sums.send(writer, extra, all_but(folding.n, rank));
            sums.receive(writer, extra, {rank});
        } else {
            if (folding.has_folded(rank)) sums.receive(writer, extra, all_but(folding.n, extra));
            for (std::uint32_t distance = folding.p / 2; distance > 0; distance /= 2) {
                sums.send(writer, rank ^ distance, folding.block(rank ^ distance, distance));
                sums.receive(writer, rank ^ distance, folding.block(rank, distance));
            }
            if (folding.has_folded(rank)) sums.send(writer, extra, {extra});
        }
        writer.move(sums.of(rank), {output(rank, 0)});
    }
    sketch.finish();
}

}  // namespace weft::algorithms
