#include "tlm_interconnect/kernel/event_queue.h"

#include <algorithm>
#include <stdexcept>

#include "tlm_interconnect/kernel/kernel_processes.h"

namespace weft {

namespace {

// Items between two calls of the watch.
constexpr std::uint64_t watch_mask = (1U << 12) - 1;

// Items between the preparation of one and its turn.
constexpr std::size_t prefetch_distance = 5;

// Of one that says nothing of itself; all others are told by what they say.
std::string unknown_exception(const std::string& path)
{
    return path + ": an exception of a type that is no std::exception, thrown there or by what it calls";
}

}  // namespace

TimedComponent::TimedComponent(EventQueue& event_queue, std::string path)
    : event_queue_(event_queue), path_(std::move(path))
{
    rank_ = static_cast<std::uint32_t>(event_queue_.components_.size());
    event_queue_.components_.push_back(this);
    event_queue_.states_.push_back(state_);
}

EventQueue::EventQueue(sc_core::sc_module_name name) : sc_module(name)
{
    if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
        SC_REPORT_FATAL("/weft/event_queue", "the time resolution must be 1 ps");
    SC_METHOD(wake);
    sensitive << event_;
    dont_initialize();
}

void EventQueue::end_of_elaboration()
{
    const std::vector<TimedComponent*> constructed = components_;
    std::sort(components_.begin(), components_.end(),
        [](const TimedComponent* a, const TimedComponent* b) { return a->path_ < b->path_; });
    if (components_.size() >= (std::size_t{1} << 20)) SC_REPORT_FATAL("/weft/event_queue", "more than 2^20 components");
    for (std::size_t i = 0; i < components_.size(); ++i) {
        if (i > 0 && components_[i]->path_ == components_[i - 1]->path_)
            SC_REPORT_FATAL("/weft/event_queue", ("two components are called " + components_[i]->path_).c_str());
        components_[i]->rank_ = static_cast<std::uint32_t>(i);
    }
    states_.clear();
    for (const TimedComponent* component : components_) states_.push_back(component->state_);
    // Items scheduled before ranks existed get theirs.
    const auto ranked = [&constructed](
                            std::uint32_t order) { return (constructed[order >> 12]->rank_ << 12) | (order & 0xfffU); };
    if (!part_) {
        wheel_.reorder(ranked);
        return;
    }
    part_->wheel.reorder(ranked);
    for (const TimedComponent* component : components_) {
        part_->devices.push_back(part_->device_of(component->path_));
        // Otherwise devices would not take their turns one after another within an instant.
        if (part_->devices.size() > 1 && part_->devices.end()[-2] > part_->devices.back())
            SC_REPORT_FATAL("/weft/event_queue",
                ("the components of a device are not next to each other by name: " + component->path_).c_str());
    }
    if (part_->pause_path.empty()) return;
    const auto first = std::find_if(components_.begin(), components_.end(),
        [this](const TimedComponent* component) { return component->path_ >= part_->pause_path; });
    part_->pause_rank = static_cast<std::uint32_t>(first - components_.begin());
}

void EventQueue::start_of_simulation() { beside_processes_ = first_foreign_process() != nullptr; }

void EventQueue::set_end(Time end)
{
    end_ = end;
    if (!running_ && !idle()) notify_self();
}

void EventQueue::run_kernel(Time end)
{
    set_end(end);
    // Modules may schedule their first work when the kernel starts.
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION || sc_core::sc_pending_activity()) sc_core::sc_start();
}

void EventQueue::stop()
{
    stopped_ = true;
    if (!running_ && sc_core::sc_is_running()) sc_core::sc_stop();
}

void EventQueue::fail(const std::string& problem)
{
    constexpr std::size_t most = 10;
    if (failures_.size() < most) failures_.push_back(problem + ", at " + std::to_string(now()) + " ps");
    stop();
}

bool EventQueue::only_standing() const
{
    return part_ ? part_->only_standing : stands() && !sc_core::sc_pending_activity();
}

void EventQueue::enter()
{
    if (!running_) now_ = to_ps(sc_core::sc_time_stamp());
}

void EventQueue::notify_kernel(sc_core::sc_event& event, Time due)
{
    const Time kernel = to_ps(sc_core::sc_time_stamp());
    event.notify(to_sc_time(due > kernel ? due - kernel : 0));
    limit_ = std::min(limit_, due);
}

// What the items behind the one that runs will need: one at a time, and at the end of a bucket those that come first in the next one.
template <class Wheel>
inline void EventQueue::prefetch_ahead(const Wheel& wheel) const
{
    const auto prefetch = [this](const typename Wheel::Entry* ahead) {
        const TimedComponent* later = components_[ahead->order() >> 12];
        if (later->prefetches_) later->prefetch(*ahead->item);
    };
    if (const auto* ahead = wheel.peek(prefetch_distance)) {
        prefetch(ahead);
    } else if (wheel.near_end(prefetch_distance)) {
        wheel.each_first_of_next([&prefetch](const typename Wheel::Entry& entry) { prefetch(&entry); });
    }
    if (const auto* ahead = wheel.peek(2 * prefetch_distance))
        for (const void* state : states_[ahead->order() >> 12]) __builtin_prefetch(state);
}

template <bool processes>
void EventQueue::drain(Time kernel_now, Time limit)
{
    running_ = true;
    limit_ = limit;
    TimedComponent* component = nullptr;
    try {
        for (;;) {
            const Time latest = std::min(limit_ > kernel_now ? limit_ - 1 : kernel_now, end_);
            const TimingWheel::Entry* front = wheel_.front(latest);
            if (front == nullptr) break;
            const TimingWheel::Entry entry = *front;
            const Time due = wheel_.due_of(entry);
            if (due > latest) break;
            before_ = now_;
            now_ = due;
            wheel_.pop();
            prefetch_ahead(wheel_);
            component = components_[entry.order() >> 12];
            entry.item->scheduled = false;
            component->run(*entry.item);
            if (component->arbitration_requested_) {
                const TimingWheel::Entry* next = wheel_.peek();
                if (next == nullptr || next->order() >> 12 != component->rank_ || wheel_.due_of(*next) != due) {
                    component->arbitration_requested_ = false;
                    component->arbitrate();
                }
            }
            if constexpr (processes) look_at_kernel(kernel_now, *component);
            if ((++items_run_ & watch_mask) == 0 && watch_ && !watch_(now_)) stopped_ = true;
            if (stopped_) break;
        }
    } catch (const std::exception&) {
        throw;
    } catch (...) {
        fail(unknown_exception(component->path()));
    }
    running_ = false;
}

// An item may have notified an event of the kernel by itself. The kernel takes that for its own time, at which it wakes the process.
void EventQueue::look_at_kernel(Time kernel_now, const TimedComponent& component)
{
    if (limit_ <= kernel_now) return;
    const Time ahead = to_ps(sc_core::sc_time_to_pending_activity());
    if (ahead >= limit_ - kernel_now) return;
    limit_ = kernel_now + ahead;
    if (now_ == kernel_now) return;
    fail(component.path() +
        ": what it calls has notified an event of the SystemC kernel, or written to a channel of it, whose time is " +
        std::to_string(kernel_now) + " ps; expected EventQueue::notify_kernel(event, due)");
}

void EventQueue::make_part(std::function<std::uint32_t(const std::string&)> device_of)
{
    part_ = std::make_unique<Part>();
    part_->device_of = std::move(device_of);
    running_ = true;  // for good: the kernel is never asked for a time nor for a turn
}

void EventQueue::set_scheduling(Time now, const Scheduling& by)
{
    now_ = now;
    part_->by = by;
}

void EventQueue::act_for(std::uint32_t device)
{
    if (part_) part_->by.device = device;
}

void EventQueue::end_part(Time last, Time last_effect)
{
    now_ = part_->last = last;
    effect_ = last_effect;
    idle_end_ = items_run_;
}

void EventQueue::pause_before(std::string path) { part_->pause_path = std::move(path); }

void EventQueue::run_entry(const StampedWheel::Entry& entry, Time due)
{
    StampedWheel& wheel = part_->wheel;
    wheel.pop();
    before_ = part_->last;
    now_ = part_->last = due;
    prefetch_ahead(wheel);
    TimedComponent* component = components_[entry.order() >> 12];
    part_->by = {due, part_->devices[component->rank_]};
    entry.item->scheduled = false;
    try {
        component->run(*entry.item);
        if (component->arbitration_requested_) {
            const StampedWheel::Entry* next = wheel.peek();
            if (next == nullptr || next->order() >> 12 != component->rank_ || wheel.due_of(*next) != due) {
                component->arbitration_requested_ = false;
                component->arbitrate();
            }
        }
    } catch (const std::exception&) {
        throw;
    } catch (...) {
        fail(unknown_exception(component->path()));
    }
    ++items_run_;
}

bool EventQueue::run_window(Time end)
{
    StampedWheel& wheel = part_->wheel;
    while (!stopped_) {
        const StampedWheel::Entry* front = wheel.front(end - 1);
        if (front == nullptr) return true;
        const StampedWheel::Entry entry = *front;
        const Time due = wheel.due_of(entry);
        if (due >= end) return true;
        if (entry.order() >> 12 >= part_->pause_rank) return false;
        run_entry(entry, due);
    }
    return true;
}

EventQueue::Front EventQueue::front(Time end)
{
    const StampedWheel::Entry* next = stopped_ ? nullptr : part_->wheel.front(end - 1);
    if (next == nullptr || part_->wheel.due_of(*next) >= end) return {};
    const std::uint32_t rank = next->order() >> 12;
    return {next->item, part_->wheel.due_of(*next), part_->devices[rank], rank >= part_->pause_rank};
}

void EventQueue::run_front()
{
    const StampedWheel::Entry entry = *part_->wheel.peek();
    run_entry(entry, part_->wheel.due_of(entry));
}

void EventQueue::wake()
{
    notified_ = ~Time{0};
    if (stopped_) return;
    const Time kernel_now = to_ps(sc_core::sc_time_stamp());
    // now_ stays that of the last item, which without_effect() of the next one asks for. Others have work at this very instant: run what is due now, leave the future to the next round.
    Time limit = kernel_now;
    if (!sc_core::sc_pending_activity_at_current_time()) {
        const Time foreign = to_ps(sc_core::sc_time_to_pending_activity());
        limit = foreign > ~Time{0} - kernel_now ? ~Time{0} : kernel_now + foreign;
    }
    if (beside_processes_)
        drain<true>(kernel_now, limit);
    else
        drain<false>(kernel_now, limit);
    if (stopped_) {
        sc_core::sc_stop();
        return;
    }
    notify_self();
}

void EventQueue::notify_self()
{
    const Time due = wheel_.next_time();
    if (due == ~Time{0} || due > end_) return;
    const Time kernel = to_ps(sc_core::sc_time_stamp());
    notified_ = due;
    event_.notify(to_sc_time(due > kernel ? due - kernel : 0));
}

}  // namespace weft
