#include "collectives/schedule/algorithms/sketch.h"

#include <algorithm>

#include "collectives/schedule/channels.h"

namespace weft::algorithms {

Sketch::Sketch(Schedule& schedule, std::uint32_t channels, std::uint32_t chunks, std::uint32_t streams)
    : schedule_(schedule), channels_(channels), streams_(streams), semaphores_(schedule.size()), slots_(schedule.size())
{
    frame(schedule, chunks, 0, 0, streams * channels);
}

Writer Sketch::writer(std::uint32_t rank, std::uint32_t stream) { return {*this, rank, stream}; }

std::uint32_t Sketch::semaphore(std::uint32_t connection, std::uint32_t to, std::uint32_t from)
{
    const auto [entry, fresh] = semaphore_of_.try_emplace({connection, to, from}, semaphores_[to]);
    if (fresh) ++semaphores_[to];
    return entry->second;
}

std::uint32_t Sketch::slots(std::uint32_t connection, std::uint32_t to, std::uint32_t from, std::uint32_t message,
    std::uint32_t count)
{
    const auto [entry, fresh] = slot_of_.try_emplace({connection, to, from, message}, slots_[to]);
    if (fresh) slots_[to] += count;
    return entry->second;
}

void Sketch::finish()
{
    for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank) {
        RankPlan& plan = schedule_.ranks[rank];
        plan.scratch_chunks = slots_[rank];
        plan.semaphores = semaphores_[rank];
        plan.threads.resize(streams_);  // stream s was written into thread s
        plan = with_channels(std::move(plan), channels_);
    }
}

ChunkRef Writer::to(std::uint32_t peer, std::uint32_t count)
{
    return scratch(peer, sketch_.slots(stream_, peer, rank_, sent_[peer]++, count));
}

ChunkRef Writer::from(std::uint32_t peer, std::uint32_t count)
{
    return scratch(rank_, sketch_.slots(stream_, rank_, peer, received_[peer]++, count));
}

void Writer::step(StepKind kind, std::vector<ChunkRef> sources, std::vector<ChunkRef> destinations)
{
    steps_.push_back(move_step(std::move(sources), std::move(destinations)));
    steps_.back().kind = kind;
}

void Writer::move(std::vector<ChunkRef> sources, std::vector<ChunkRef> destinations)
{
    step(StepKind::move, std::move(sources), std::move(destinations));
}

void Writer::forward(ChunkRef slot, ChunkRef destination, ChunkRef like)
{
    move({slot}, {destination});
    steps_.back().like = like;
}

void Writer::with_previous()
{
    const std::size_t last = steps_.size() - 1;
    steps_[last].with_previous = last > 0 && is_data(steps_[last - 1].kind);
}

void Writer::run(std::vector<Move> moves)
{
    bool first = true;
    for (Move& one : moves) {
        move(std::move(one.sources), std::move(one.destinations));
        if (!first) with_previous();
        first = false;
    }
}

void Writer::signal(std::uint32_t peer, std::uint32_t connection)
{
    steps_.push_back(signal_step(peer, sketch_.semaphore(connection, peer, rank_)));
}

void Writer::wait(std::uint32_t peer, std::uint32_t connection)
{
    steps_.push_back(wait_step(peer, sketch_.semaphore(connection, rank_, peer)));
}

void Writer::meet(const std::vector<std::uint32_t>& ranks, std::uint32_t connection)
{
    const auto self = static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin());
    for (std::size_t i = 1; i < ranks.size(); ++i) signal(ranks[(self + i) % ranks.size()], connection);
    for (std::size_t i = 1; i < ranks.size(); ++i) wait(ranks[(self + ranks.size() - i) % ranks.size()], connection);
}

}  // namespace weft::algorithms
