// The turns of the executor: what it does for each endpoint, in the part of the run that the endpoint is in.
#include "collectives/engine/executor_parts.h"

namespace weft {

namespace {

constexpr std::uint32_t of_the_executor = ~std::uint32_t{0};  // in place of a device

}  // namespace

// In turns the ends of workgroups come before everything else that the executor does at an instant, as they do where nothing is cut:
// there they are handled within the turn of their device.
void LineExecutor::divide(const std::vector<Site>& sites, bool in_turns)
{
    constexpr const char* path_of_ends = "~ended";
    in_turns_ = in_turns;
    seats_.clear();
    std::map<const EventQueue*, std::pair<TimedComponent*, TimedComponent*>> made;
    for (const Site& site : sites) {
        auto& [turns, ends] = made[site.queue];
        if (turns == nullptr) {
            const auto add = [&](const std::string& at) {
                return stations_.emplace_back(std::make_unique<Station>(*site.queue, at, *this)).get();
            };
            if (site.queue == &event_queue())
                turns = this;
            else
                turns = add(path());
            if (in_turns) ends = add(path_of_ends);
            if (in_turns) site.queue->pause_before(path_of_ends);
        }
        seats_.push_back({site.queue, site.progress, turns, site.device, ends});
    }
    here_ = &seats_.front();
}

std::pair<unsigned, std::uint64_t> LineExecutor::turn_of(const ScheduledItem& item) const
{
    const Part& part = static_cast<const Part&>(item);
    if (part.ended) return {0, seats_[part.endpoint].device};
    return {1, part.number};
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
    if (!in_turns_) {
        seat.queue->schedule(part, *seat.turns, seat.queue->now() + delay);
        return;
    }
    // The order among all parts of the run is that of numbers, and in one of them that of the stamps.
    part.number = ++scheduled_;
    seat.queue->schedule_as({now(), of_the_executor}, part, *seat.turns, now() + delay);
}

void LineExecutor::recycle(Part& part)
{
    part.programs.clear();
    part.threads.clear();
    part.lists.clear();
    part.list_threads.clear();
    part.done = nullptr;
    part.timer = part.of_job = part.open = part.ended = false;
    part.remaining = 0;
    part.bytes = 0;
    part.wavefronts = part.unroll = 0;
    free_parts_.push_back(part.index);
}

}  // namespace weft
