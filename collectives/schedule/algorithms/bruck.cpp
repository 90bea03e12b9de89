#include "collectives/schedule/algorithms/shapes.h"
#include "collectives/schedule/algorithms/sketch.h"

namespace weft::algorithms {

// Bruck's all_to_all: a block that has to go o ranks on goes in hops of the bits of o, smallest first; in
// step i every rank sends all that have bit i to the rank 2^i further on. On its way a block lies in a
// scratch slot.
// Steps ceil(log2 n); bytes sent S/2 log2 n where n is a power of two.
void bruck_all_to_all(Schedule& schedule, const AlgorithmOptions& options)
{
    const std::uint32_t n = schedule.size();
    Sketch sketch(schedule, options.channels, n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
        Writer writer = sketch.writer(rank);
        writer.move({input(rank, rank)}, {output(rank, rank)});
        std::vector<ChunkRef> held(n);  // by o; the part of o travelled so far is below the bit of the step
        for (std::uint32_t o = 0; o < n; ++o) held[o] = input(rank, (rank + o) % n);
        for (std::uint32_t bit = 1; bit < n; bit *= 2) {
            const std::uint32_t to = (rank + bit) % n;
            const std::uint32_t from = (rank + n - bit) % n;
            std::vector<std::uint32_t> stopping;  // blocks that go on from there
            for (std::uint32_t o = 2 * bit; o < n; ++o)
                if (o & bit) stopping.push_back(o);
            const auto stops = static_cast<std::uint32_t>(stopping.size());
            const ChunkRef slot = stops > 0 ? writer.to(to, stops) : ChunkRef{};
            std::uint32_t stop = 0;
            bool first = bit > 1;  // the first step runs together with the local copy
            for (std::uint32_t o = bit; o < n; ++o) {
                if (!(o & bit)) continue;
                const std::uint32_t origin = (rank + n - (o & (bit - 1))) % n;
                const bool last = o < 2 * bit;
                writer.forward(held[o], last ? output(to, origin) : next(slot, stop++),
                    input(origin, (origin + o) % n));
                if (!first) writer.with_previous();
                first = false;
            }
            writer.signal(to);
            writer.wait(from);
            if (stops == 0) continue;
            const ChunkRef arrived = writer.from(from, stops);
            for (std::uint32_t i = 0; i < stops; ++i) held[stopping[i]] = next(arrived, i);
        }
    }
    sketch.finish();
}

}  // namespace weft::algorithms
