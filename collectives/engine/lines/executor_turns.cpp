// The turns of the executor: what it does for each endpoint, in the part of the run that the endpoint is in.
#include <algorithm>
#include <stdexcept>

#include "collectives/engine/lines/executor_parts.h"
#include "gpu/interface/absent_accelerator.h"

namespace weft {

namespace {

constexpr std::uint32_t of_the_executor = ~std::uint32_t{0};  // in place of a device
constexpr std::uint64_t behind_devices = std::uint64_t{1} << 32U;
constexpr const char* path_of_ends = "~ended";

}  // namespace

// In turns the ends of workgroups come before everything else that the executor does at an instant, as they do where nothing is cut:
// there they are handled within the turn of their device.
void LineExecutor::divide(const std::vector<Site>& sites, bool in_turns)
{
    in_turns_ = in_turns;
    seats_.clear();
    std::map<const EventQueue*, std::pair<TimedComponent*, TimedComponent*>> made;
    for (const Site& site : sites) {
        TimedComponent* turns = nullptr;
        TimedComponent* ends = nullptr;
        if (site.queue != nullptr) {
            auto& [made_turns, made_ends] = made[site.queue];
            if (made_turns == nullptr) {
                const auto add = [&](const std::string& at) {
                    return stations_.emplace_back(std::make_unique<Station>(*site.queue, at, *this)).get();
                };
                if (site.queue == &event_queue())
                    made_turns = this;
                else
                    made_turns = add(path());
                if (in_turns) made_ends = add(path_of_ends);
                if (in_turns) site.queue->pause_before(path_of_ends);
            }
            turns = made_turns;
            ends = made_ends;
        }
        seats_.push_back({site.queue, site.progress, turns, site.device, ends});
    }
    const auto own = std::find_if(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.queue != nullptr; });
    here_ = &*own;
    divided_ = true;
}

void LineExecutor::set_delegate(Delegate* delegate, std::vector<bool> endpoints)
{
    delegate_ = delegate;
    delegated_ = std::move(endpoints);
    if (divided_ || delegate == nullptr) return;
    const auto ends = stations_.emplace_back(std::make_unique<Station>(event_queue(), path_of_ends, *this)).get();
    for (std::size_t endpoint = 0; endpoint < seats_.size(); ++endpoint)
        if (delegated_[endpoint]) seats_[endpoint].ends = ends;
}

void LineExecutor::ended(Delegate::Token token)
{
    Part& part = *parts_[token];
    const Seat& seat = seats_[part.endpoint];
    part.ended = true;
    part.number = ++delegated_ends_;
    seat.progress->busy();
    seat.queue->schedule(part, *seat.ends, seat.queue->now());
}

const AbsentAccelerator& LineExecutor::absent_one(std::uint32_t endpoint) const
{
    return dynamic_cast<const AbsentAccelerator&>(*endpoints_[endpoint]);
}

bool LineExecutor::replays(std::uint32_t endpoint) const
{
    return replays_[endpoint] != nullptr || (absent(endpoint) && absent_one(endpoint).size().replays);
}

void LineExecutor::set_logs(OperationLog& numbers, const std::vector<OperationLog*>& by_endpoint)
{
    log_ = &numbers;
    for (std::size_t e = 0; e < gpus_.size(); ++e)
        if (gpus_[e] != nullptr) {
            gpus_[e]->units().set_log(*by_endpoint[e]);
            gpus_[e]->dma_engines().set_log(*by_endpoint[e]);
        }
}

bool LineExecutor::ends_at_once(const Part& part) const
{
    const bool replay = part.of_job && replays_[part.endpoint] != nullptr;
    return part.timer || (!replay && part.programs.size() + part.lists.size() == 0);
}

LineExecutor::TurnOf LineExecutor::turn_of(const ScheduledItem& item) const
{
    const Part& part = static_cast<const Part&>(item);
    if (part.ended) {
        const std::uint64_t number =
            delegated(part.endpoint) ? behind_devices + part.number : seats_[part.endpoint].device;
        return {1, number, part.index, true};
    }
    return {2, part.number, part.index, ends_at_once(part)};
}

void LineExecutor::follow_turn(const TurnOf& turn, Picoseconds at)
{
    const bool known = turn.part < parts_.size() && parts_[turn.part]->open && absent(parts_[turn.part]->endpoint);
    const Part* const part = known ? parts_[turn.part].get() : nullptr;
    const auto fits = [&] {
        if (delegated(part->endpoint)) return turn.stage == 1;  // only its process counts their ends
        return turn.number == (turn.stage == 1 ? seats_[part->endpoint].device : part->number);
    };
    if (part == nullptr || !fits()) throw std::logic_error("processes of one run do not take the same turns");
    Part& followed = *parts_[turn.part];
    if (!turn.ends) {  // what it launched is elsewhere, and has its numbers here, too
        if (log_ == nullptr) return;
        if (!proxied(followed))
            for (const std::uint32_t thread : followed.list_threads) number_of_work(followed, thread, true);
        for (const std::uint32_t thread : followed.threads) number_of_work(followed, thread, false);
        return;
    }
    told_ = at;
    end_one(followed);
    told_.reset();
}

bool LineExecutor::proxied(const Part& part) const { return part.of_job && jobs_.at(part.job)->ports; }

std::uint32_t LineExecutor::number_of_work(const Part& part, std::uint32_t thread, bool list)
{
    works_.push_back({part.job, part.position, thread, part.endpoint, part.entered, list});
    return log_->open();
}

std::pair<std::uint64_t, std::uint32_t> LineExecutor::flags(JobId id, std::uint32_t rank) const
{
    const Running& job = *jobs_.at(id);
    return {job.addresses[rank].flags, job.flags[rank]};
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
    if (!absent(endpoint)) seats_[endpoint].progress->busy();
    return part;
}

void LineExecutor::schedule(Part& part, Time delay)
{
    const Seat& seat = seats_[part.endpoint];
    if (!in_turns_ && absent(part.endpoint)) return;
    if (!in_turns_) {
        seat.queue->schedule(part, *seat.turns, seat.queue->now() + delay);
        return;
    }
    // The order among all parts of the run is that of numbers, and in one of them that of the stamps.
    part.number = ++scheduled_;
    if (absent(part.endpoint)) return;  // the process that has it tells its turn
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
