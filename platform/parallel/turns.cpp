#include "platform/parallel/turns.h"

#include <algorithm>
#include <tuple>

namespace weft {

Turns::Turns(std::vector<Part> parts, Rules rules) : parts_(std::move(parts)), rules_(std::move(rules))
{
    if (rules_.period > 0) watch_at_ = rules_.period;
    for (Part& part : parts_) {
        part.progress->make_part([this] { return can_go_on(); }, [this] { return stepping_ && anything_busy(); });
        if (rules_.period > 0)
            part.progress->set_watch(rules_.period, [this, &part](Time now) { return overdue(part, now); });
    }
}

Time Turns::longest() const { return rules_.order ? std::min(rules_.reach, std::max<Time>(1, rules_.poll)) : ~Time{0}; }

bool Turns::anything_busy() const
{
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.progress->anything_busy(); });
}

bool Turns::anybody_spins() const
{
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.progress->anybody_spins(); });
}

bool Turns::all_in_vain() const
{
    return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.progress->all_in_vain(); });
}

// Where items do not run one at a time, nobody may look at other parts; the next poll is asked instead.
bool Turns::overdue(Part& part, Time now)
{
    if (!stepping_) {
        part.progress->watch_from(watch_at_);
        return false;
    }
    watch_at_ = now + rules_.period;
    for (const Part& other : parts_) other.progress->watch_from(watch_at_);
    return rules_.overdue(now);
}

// Nothing is busy: polls in vain count from the instant since when that is so.
void Turns::ask_all()
{
    std::uint64_t epochs = 0;
    Time since = 0;
    for (const Part& part : parts_) {
        epochs += part.progress->epoch();
        since = std::max(since, part.progress->quiet_since());
    }
    if (asked_ && epochs == epochs_) return;
    for (const Part& part : parts_) part.progress->ask_again(since, true);
    epochs += parts_.size();
    late_ = all_in_vain();
    if (late_) {  // nobody is left who would be the last: the next round of polls finds it
        for (const Part& part : parts_) part.progress->ask_again(since);
        epochs += parts_.size();
    }
    epochs_ = epochs;
    asked_ = true;
}

bool Turns::steps(Time least)
{
    if (!anybody_spins()) return false;
    if (anything_busy()) return least >= watch_at_;
    ask_all();
    return true;
}

// At a poll in vain of the last who spins in a part.
bool Turns::can_go_on()
{
    if (!stepping_ || anything_busy()) return true;
    if (!all_in_vain()) return true;
    if (!rules_.help) return false;
    for (const Part& part : parts_) {
        const Scheduling by = part.event_queue->scheduling();
        part.event_queue->set_scheduling(now_, by);
    }
    return rules_.help();
}

// Whose front is next among what is due before `end`: devices in the order of names, then the executor.
const Turns::Part* Turns::first(Time end) const
{
    const Part* next = nullptr;
    std::tuple<Time, bool, unsigned, std::uint64_t> least;
    for (const Part& part : parts_) {
        const EventQueue::Front front = part.event_queue->front(end);
        if (front.item == nullptr) continue;
        std::pair<unsigned, std::uint64_t> number(0, front.device);
        if (front.of_all) number = rules_.order(*front.item);
        const auto turn = std::tuple(front.due, front.of_all, number.first, number.second);
        if (next != nullptr && turn >= least) continue;
        least = turn;
        next = &part;
    }
    return next;
}

void Turns::run_instant(Time least)
{
    stepping_ = true;
    now_ = least;
    while (const Part* next = first(least + 1)) {
        next->event_queue->run_front();
        if (next->event_queue->stopped()) break;
        if (!anything_busy() && anybody_spins()) ask_all();
    }
    stepping_ = false;
}

void Turns::take(Time end)
{
    while (rules_.order) {
        for (const Part& part : parts_)
            if (part.event_queue->stopped()) return;
        const Part* next = first(end);
        if (next == nullptr) return;
        next->event_queue->run_front();
        // It may have given other parts something to do within the window, too.
        for (const Part& part : parts_) part.event_queue->run_window(end);
    }
}

}  // namespace weft
