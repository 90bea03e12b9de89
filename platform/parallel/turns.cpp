#include "platform/parallel/turns.h"

#include <algorithm>

#include "tlm_interconnect/kernel/module_errors.h"

namespace weft {

namespace {

template <class Action>
void keep_failure(std::exception_ptr& failure, const Action& action)
{
    try {
        action();
    } catch (...) {
        failure = std::current_exception();
    }
}

}  // namespace

Turns::Turns(std::vector<Part> parts, std::uint32_t all, Transport& transport, Rules rules)
    : parts_(std::move(parts)), all_(all), transport_(transport), rules_(std::move(rules))
{
    if (rules_.period > 0) watch_at_ = rules_.period;
    for (Part& part : parts_) {
        part.progress->make_part([this] { return can_go_on(); }, [this] { return stepping_; });
        if (rules_.period > 0)
            part.progress->set_watch(rules_.period, [this, &part](Time now) { return overdue(part, now); });
    }
}

Time Turns::longest() const { return rules_.order ? std::min(rules_.reach, std::max<Time>(1, rules_.poll)) : ~Time{0}; }

Pulse Turns::pulse() const
{
    Pulse out;
    const auto note = [&out](bool so, std::uint64_t flag) { out.flags |= so ? flag : 0; };
    for (const Part& part : parts_) {
        if (part.progress->anything_busy()) out.busy = 1;
        note(part.progress->anybody_spins(), Pulse::spins);
        note(!part.progress->all_in_vain(), Pulse::hopes);
        out.epochs += part.progress->epoch();
        out.since = std::max(out.since, part.progress->quiet_since());
        out.poll = std::min(out.poll, part.progress->first_poll());
        note(part.progress->any_at_once(), Pulse::at_once);
    }
    return out;
}

bool Turns::stopped() const
{
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.event_queue->stopped(); });
}

// Where items do not run one at a time, nobody may look at other parts; the next poll is asked instead.
bool Turns::overdue(Part& part, Time now)
{
    if (stepping_) return ask(Pulse::asks_overdue, now);
    part.progress->watch_from(watch_at_);
    return false;
}

// At a poll in vain of the last who spins in a part.
bool Turns::can_go_on()
{
    if (!stepping_) return true;
    const Pulse own = pulse();
    return own.busy > 0 || own.has(Pulse::hopes) || ask(Pulse::asks_help, now_);
}

// The other processes wait for the next step, and answer.
bool Turns::ask(std::uint64_t question, Time now)
{
    Pulse own = pulse();
    own.flags |= question;
    own.least = now;
    return answer(transport_.agree(own));
}

bool Turns::answer(const Pulse& all)
{
    if (all.has(Pulse::asks_overdue)) {
        watch_at_ = all.least + rules_.period;
        for (const Part& part : parts_) part.progress->watch_from(watch_at_);
        return rules_.overdue(all.least);
    }
    if (all.busy > 0 || all.has(Pulse::hopes)) return true;
    if (!rules_.help) return false;
    for (const Part& part : parts_) {
        const Scheduling by = part.event_queue->scheduling();
        part.event_queue->set_scheduling(now_, by);
    }
    return rules_.help();
}

// Nothing is busy: polls in vain count from the instant since when that is so.
void Turns::ask_all(const Pulse& all)
{
    if (asked_ && all.epochs == epochs_) return;
    for (const Part& part : parts_) part.progress->ask_again(all.since, true);
    epochs_ = all.epochs + all_;
    late_ = !transport_.agree(pulse()).has(Pulse::hopes);
    if (late_) {  // nobody is left who would be the last: the next round of polls finds it
        for (const Part& part : parts_) part.progress->ask_again(all.since);
        epochs_ += all_;
    }
    asked_ = true;
}

// Of a poll that has left, or of the first one that may still leave.
Time Turns::earliest_look(const Pulse& all) const
{
    if (all.has(Pulse::at_once)) return watch_at_;
    const Time issued = std::min(all.poll, std::max(all.least, watch_at_));
    return issued < ~Time{0} - rules_.answer ? issued + rules_.answer : ~Time{0};
}

bool Turns::steps(const Pulse& all)
{
    if (!all.has(Pulse::spins)) return false;
    if (all.busy > 0) return all.least >= earliest_look(all);
    ask_all(all);
    return true;
}

// Whose front is next among what is due before `end`: devices in the order of names, then the executor.
const Turns::Part* Turns::first(Time end, Turn& turn) const
{
    const Part* next = nullptr;
    for (const Part& part : parts_) {
        const EventQueue::Front front = part.event_queue->front(end);
        if (front.item == nullptr) continue;
        Turn own;
        own.number = front.device;
        if (front.of_all) own = rules_.order(*front.item);
        own.due = front.due;
        if (next != nullptr && !own.before(turn)) continue;
        turn = own;
        next = &part;
    }
    return next;
}

void Turns::run(const Part* part, const Turn& own, const Turn& next)
{
    if (part != nullptr && !next.before(own)) {
        keep_errors_of_part(*part->event_queue, [part] { part->event_queue->run_front(); });
    } else if (next.stage > 0) {
        rules_.follow(next);
    }
}

void Turns::run_instant(Time least, std::exception_ptr& failure)
{
    stepping_ = true;
    now_ = least;
    for (;;) {
        Pulse own = pulse();
        const Part* part = nullptr;
        if (failure != nullptr || stopped()) {
            own.flags |= Pulse::stopped;
        } else {
            part = first(least + 1, own.turn);
        }
        const Pulse all = transport_.agree(own);
        if (all.has(Pulse::asks_help) || all.has(Pulse::asks_overdue)) {
            keep_failure(failure, [&] { answer(all); });
            continue;
        }
        if (all.has(Pulse::stopped)) break;
        if (all.busy == 0 && all.has(Pulse::spins)) ask_all(all);
        if (all.turn.none()) break;
        keep_failure(failure, [&] { run(part, own.turn, all.turn); });
    }
    stepping_ = false;
}

void Turns::take(Time end, std::exception_ptr& failure)
{
    while (rules_.order) {
        Pulse own;
        const Part* part = nullptr;
        if (failure != nullptr || stopped()) {
            own.flags |= Pulse::stopped;
        } else {
            part = first(end, own.turn);
        }
        const Pulse all = transport_.agree(own);
        if (all.has(Pulse::stopped) || all.turn.none()) return;
        keep_failure(failure, [&] {
            run(part, own.turn, all.turn);
            // It may have given other parts something to do within the window, too.
            for (const Part& each : parts_)
                keep_errors_of_part(*each.event_queue, [&] { each.event_queue->run_window(end); });
        });
    }
}

}  // namespace weft
