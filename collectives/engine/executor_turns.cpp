// The turns of the executor: what it does for each endpoint, in the part of the run that the endpoint is in.
#include <algorithm>
#include <stdexcept>

#include "collectives/engine/executor_parts.h"

namespace weft {

void LineExecutor::divide(const std::vector<Site>& sites)
{
    seats_.clear();
    for (const Site& site : sites) {
        TimedComponent* turns = site.queue == &event_queue() ? this : nullptr;
        for (const std::unique_ptr<Station>& station : stations_)
            if (&station->queue() == site.queue) turns = station.get();
        if (turns == nullptr && site.queue != nullptr)
            turns = stations_.emplace_back(std::make_unique<Station>(*site.queue, *this)).get();
        seats_.push_back({site.queue, site.progress, turns, site.device});
    }
    const auto own = std::find_if(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.queue != nullptr; });
    here_ = &*own;
    divided_ = true;
}

// In the order in which ranks leave, unless the run is cut.
void LineExecutor::leave(Running& job, std::uint32_t position)
{
    job.last_left = std::max(job.last_left, now());
    if (divided_ && !told_) leaves_.push_back({job.id, position, now()});
    if (++job.left < job.job.schedule->size()) return;
    if (!divided_) {
        finish(job);
    } else {
        ended_.push_back(job.id);
    }
}

void LineExecutor::tell_leaves(const std::vector<Leave>& leaves)
{
    for (const Leave& told : leaves) {
        const auto found = elsewhere_.find({told.job, told.position});
        if (found == elsewhere_.end()) throw std::logic_error("a rank of another process leaves a job twice");
        const Done done = std::move(found->second);
        elsewhere_.erase(found);
        told_ = told.at;
        leave(*jobs_.at(told.job), told.position);
        if (done) done();
        told_.reset();
    }
}

void LineExecutor::finish_ended()
{
    for (const JobId id : ended_) finish(*jobs_.at(id));
    ended_.clear();
}

LineExecutor::Part& LineExecutor::new_part(std::uint32_t endpoint)
{
    if (free_parts_.empty()) {
        free_parts_.push_back(static_cast<std::uint32_t>(parts_.size()));
        parts_.push_back(std::make_unique<Part>());
        parts_.back()->index = free_parts_.back();
    }
    Part& part = *parts_[free_parts_.back()];
    free_parts_.pop_back();
    part.open = true;
    part.endpoint = endpoint;
    seats_[endpoint].progress->busy();
    return part;
}

void LineExecutor::schedule(Part& part, Time delay)
{
    const Seat& seat = seats_[part.endpoint];
    seat.queue->schedule(part, *seat.turns, seat.queue->now() + delay);
}

void LineExecutor::recycle(Part& part)
{
    part.programs.clear();
    part.threads.clear();
    part.lists.clear();
    part.list_threads.clear();
    part.done = nullptr;
    part.timer = part.of_job = part.open = false;
    part.remaining = 0;
    part.bytes = 0;
    part.wavefronts = part.unroll = 0;
    free_parts_.push_back(part.index);
}

}  // namespace weft
