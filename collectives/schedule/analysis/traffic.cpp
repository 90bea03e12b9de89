#include "collectives/schedule/analysis/traffic.h"

namespace weft {

namespace {

std::uint64_t bytes_of(const Layout& layout, const Step& step)
{
    std::uint64_t bytes = 0;
    for (const ChunkShare& share : layout.shares(step)) bytes += share.end - share.begin;
    return bytes;
}

class Tally {
public:
    explicit Tally(std::uint32_t ranks)
    {
        traffic_.ranks = ranks;
        traffic_.sent.resize(ranks);
        traffic_.received.resize(ranks);
        traffic_.signals.resize(ranks);
        traffic_.pairs.resize(std::size_t{ranks} * ranks);
    }

    void add(std::uint32_t rank, const Step& step, std::uint64_t bytes)
    {
        const bool from_switch = step.kind == StepKind::load_reduce || step.kind == StepKind::reduce_multicast;
        const bool to_switch = step.kind == StepKind::multicast || step.kind == StepKind::reduce_multicast;
        if (step.kind == StepKind::push_reduce) {
            for (const ChunkRef& member : step.destinations)
                if (member.rank != rank) pair(rank, member.rank, bytes);
            traffic_.sent[rank] += bytes;
            traffic_.received[rank] += bytes;
            return;
        }
        for (const ChunkRef& source : step.sources) {
            if (source.rank == rank && !from_switch) continue;
            pair(source.rank, rank, bytes);
            traffic_.sent[source.rank] += bytes;
            if (!from_switch) traffic_.received[rank] += bytes;
        }
        if (from_switch) traffic_.received[rank] += bytes;
        for (const ChunkRef& destination : step.destinations) {
            if (destination.rank == rank && !to_switch) continue;
            pair(rank, destination.rank, bytes);
            traffic_.received[destination.rank] += bytes;
            if (!to_switch) traffic_.sent[rank] += bytes;
        }
        if (to_switch) traffic_.sent[rank] += bytes;
    }

    void signal(std::uint32_t rank) { ++traffic_.signals[rank]; }
    Traffic take() { return std::move(traffic_); }

private:
    void pair(std::uint32_t from, std::uint32_t to, std::uint64_t bytes)
    {
        traffic_.pairs[std::size_t{from} * traffic_.ranks + to] += bytes;
    }

    Traffic traffic_;
};

}  // namespace

Traffic traffic_of(const Schedule& schedule, const Layout& layout)
{
    Tally tally(schedule.size());
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                if (step.kind == StepKind::signal) tally.signal(rank);
                if (is_data(step.kind)) tally.add(rank, step, bytes_of(layout, step));
            }
    return tally.take();
}

}  // namespace weft
