// The one event queue of timed work.
//
// Purpose: our models do not notify SystemC events; they put items on this event queue, which keeps them in
// a timing wheel with a single sc_event and runs what is due, up to, never past, the next event of
// anybody else in the kernel. A model reads its time from now(), not from sc_time_stamp(), which may
// lag behind while the event queue drains.
//
// Order: items run in order of (due, rank of the timed component, input of the timed component, order of scheduling).
// Ranks follow hierarchical names, so neither the order of construction nor of scheduling at
// different timed components decides anything. A timed component that must see all arrivals of an instant
// before it decides asks for arbitrate(), which runs after its last item of that instant.
//
// Beside foreign SystemC processes: a process that calls into our models does so through an adapter,
// which calls enter(); a model that calls a foreign module does so from a kernel process that it wakes
// with notify_kernel(). Both keep kernel time and event queue time equal at the border.
//
// One part of a run that is cut (platform/parallel/): each part has an event queue, which the kernel does not wake;
// run_window() runs it. The order of scheduling is then the explicit order (time of scheduling, device that scheduled,
// order at that device), because what comes from other parts is scheduled late.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm_interconnect/kernel/time.h"
#include "tlm_interconnect/kernel/timing_wheel.h"

namespace weft {

class EventQueue;
class TimedComponent;

// One piece of timed work: a line on its way, or a timed component's own wake-up. An item is on the event queue at
// most once. When it is due and in which order is kept by the queue alone, so that no component is tempted to keep a time of
// its own there.
struct ScheduledItem {
    // Not an aggregate: a derived class may use the bytes behind the last member.
    ScheduledItem() {}

    ScheduledItem* next = nullptr;  // link of whatever queue holds the item while it is not on the event queue
    std::uint16_t input =
        0;  // by which the item came to its component; schedule() sets it, and it stays until the next time
    std::uint8_t kind = 0;  // what the component does with the item when it is due
    bool scheduled = false;
};

// A wake-up whose component must know for when it is.
struct TimedItem : ScheduledItem {
    Time due = 0;
};

using PrefetchedState = std::array<const void*, 3>;

// Something that is due at times: it holds state in which streams of lines meet.
class TimedComponent {
public:
    // `path` is unique in the event queue; ranks follow its alphabetical order.
    TimedComponent(EventQueue& event_queue, std::string path);
    virtual ~TimedComponent() = default;
    TimedComponent(const TimedComponent&) = delete;
    TimedComponent& operator=(const TimedComponent&) = delete;

    virtual void run(ScheduledItem& item) = 0;
    // Called once after the last item of this timed component at one instant if request_arbitration() was called.
    virtual void arbitrate() {}
    // Called shortly before run(item): a timed component with large tables may prefetch what it will need. Must not
    // change anything.
    virtual void prefetch(const ScheduledItem& /*item*/) const {}

    const std::string& path() const { return path_; }

protected:
    void request_arbitration() { arbitration_requested_ = true; }
    // Once, in the constructor. `state`: what prefetch() itself reads of the component, cache lines of the host that are fetched before it is
    // called.
    void request_prefetch(const PrefetchedState& state = {})
    {
        prefetches_ = true;
        for (std::size_t i = 0; i < state.size(); ++i)
            if (state[i] != nullptr) state_[i] = state[i];
    }
    EventQueue& event_queue() const { return event_queue_; }

private:
    friend class EventQueue;
    EventQueue& event_queue_;
    std::uint32_t rank_ = 0;  // until the end of elaboration: order of construction
    bool arbitration_requested_ = false;
    bool prefetches_ = false;
    PrefetchedState state_{this, this, this};
    std::string path_;
};

class EventQueue : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(EventQueue);
    explicit EventQueue(sc_core::sc_module_name name);

    Time now() const { return running_ ? now_ : to_ps(sc_core::sc_time_stamp()); }

    // Puts `item` on the event queue for `component` at `due` >= now(). `input` < 4096 orders the arrivals of
    // one instant at one timed component.
    void schedule(ScheduledItem& item, TimedComponent& component, Time due, unsigned input = 0);

    // Notifies a foreign event at `due`; the event queue runs no item past it before the kernel got there.
    void notify_kernel(sc_core::sc_event& event, Time due);

    // To be called by code that a kernel process runs, before it calls into our models.
    void enter();

    // Items later than `end` stay on the event queue until the limit is raised.
    void set_end(Time end);
    // set_end(), then the kernel runs until nothing is due. A kernel without work is not started: it would warn (W571).
    void run_kernel(Time end);

    // Called every few thousand items with the event queue's time; returning false stops the run.
    void set_watch(std::function<bool(Time)> watch) { watch_ = std::move(watch); }

    // Ends the run after the item that is running, or at once when a kernel process calls it.
    void stop();
    // A module has found what cannot be right: keeps the line, which names the place, and ends the run.
    void fail(const std::string& problem);
    const std::vector<std::string>& failures() const { return failures_; }

    // Before elaboration ends: the queue is that of one part. `device_of` gives the number of the device that the component of a
    // path belongs to; numbers follow the order of names.
    void make_part(std::function<std::uint32_t(const std::string&)> device_of);
    // The same: run_window() stops in front of items of components that are called so or come behind it. What they do concerns all parts.
    void pause_before(std::string path);
    // Of a part: runs what is due before `end`. False: it stopped in front of an item that concerns all parts.
    bool run_window(Time end);
    // The item that is next, null where nothing is due before `end`; run_front() runs it.
    struct Front {
        ScheduledItem* item = nullptr;
        Time due = 0;
        std::uint32_t device = 0;
        bool of_all = false;  // concerns all parts
    };
    Front front(Time end);
    void run_front();
    // Of a part: as schedule(), and counts as scheduled so.
    void schedule_as(const Scheduling& by, ScheduledItem& item, TimedComponent& component, Time due)
    {
        item.input = 0;
        item.scheduled = true;
        part_->wheel.push(due, component.rank_ << 12, &item, by);
    }
    // Of a part, between windows: it is `now`, and what is scheduled from here on counts as scheduled so.
    void set_scheduling(Time now, const Scheduling& by);
    // The same while an item runs: what a component of no device does for `device`.
    void act_for(std::uint32_t device);
    // Of a part, behind the last window: the last item of any part ran at `last`, the last with an effect at `last_effect`.
    void end_part(Time last, Time last_effect);
    Time next_time() const { return part_ ? part_->wheel.next_time() : wheel_.next_time(); }
    // Whether anything is due after `time`, which lies farther ahead than the wheel reaches.
    bool far_after(Time time) const { return part_ ? part_->wheel.far_after(time) : wheel_.far_after(time); }
    // When and by whom what is scheduled now counts as scheduled.
    const Scheduling& scheduling() const { return part_->by; }

    // Time of the last item that ran.
    Time last() const { return part_ ? part_->last : now_; }
    // The item that runs has changed nothing. Such an item may be there in a run and not in the same run in parts, so it does not count in
    // last_effect(), the time of the last item that did.
    void without_effect()
    {
        if (idle_end_ != items_run_) effect_ = before_;
        idle_end_ = items_run_ + 1;
    }
    Time last_effect() const { return idle_end_ == items_run_ ? effect_ : last(); }

    // One more, or less, of the items on the queue is the clock of a block that stands still, which may yet move by itself.
    void add_standing() { ++standing_; }
    void remove_standing() { --standing_; }
    // Nothing else is due, in the kernel neither. Of a part: in no part, when the window began.
    bool only_standing() const;
    // Of a part: whether that is so in it; whether it is so in all of them.
    bool stands() const { return size() <= standing_; }
    void set_only_standing(bool so) { part_->only_standing = so; }
    std::uint64_t items_run() const { return items_run_; }
    bool idle() const { return size() == 0; }
    bool stopped() const { return stopped_; }

    static constexpr unsigned bucket_bits = TimingWheel::bucket_bits;
    static constexpr unsigned wheel_bits = TimingWheel::wheel_bits;

private:
    friend class TimedComponent;

    void end_of_elaboration() override;
    void start_of_simulation() override;
    std::uint64_t size() const { return part_ ? part_->wheel.size() : wheel_.size(); }
    void wake();
    template <bool processes>
    void drain(Time kernel_now, Time limit);
    void look_at_kernel(Time kernel_now, const TimedComponent& component);
    void notify_self();
    void run_entry(const StampedWheel::Entry& entry, Time due);
    template <class Wheel>
    void prefetch_ahead(const Wheel& wheel) const;

    struct Part {
        StampedWheel wheel;
        Scheduling by;
        Time last = 0;
        std::function<std::uint32_t(const std::string&)> device_of;
        std::vector<std::uint32_t> devices;  // by rank of the component
        std::string pause_path;              // empty: it never stops
        std::uint32_t pause_rank = ~std::uint32_t{0};
        bool only_standing = false;
    };

    TimingWheel wheel_;
    std::unique_ptr<Part> part_;  // null: the queue of a run as a whole
    Time now_ = 0;
    Time limit_ = 0;
    bool running_ = false;
    Time before_ = 0;  // time of the item before the one that runs
    std::uint64_t items_run_ = 0;
    std::uint64_t idle_end_ = ~std::uint64_t{0};  // behind the latest items without effect: number of the next item
    Time effect_ = 0;                             // time of the item before those
    Time end_ = ~Time{0};
    Time notified_ = ~Time{0};
    bool stopped_ = false;
    sc_core::sc_event event_;
    std::function<bool(Time)> watch_;
    std::vector<TimedComponent*> components_;
    std::vector<PrefetchedState> states_;  // by rank
    std::vector<std::string> failures_;
    std::uint64_t standing_ = 0;
    bool beside_processes_ = false;  // of others, in the kernel
};

inline void EventQueue::schedule(ScheduledItem& item, TimedComponent& component, Time due, unsigned input)
{
    item.input = static_cast<std::uint16_t>(input);
    item.scheduled = true;
    const std::uint32_t order = (component.rank_ << 12) | input;
    if (__builtin_expect(part_ != nullptr, 0)) {
        part_->wheel.push(due, order, &item, part_->by);
        return;
    }
    wheel_.push(due, order, &item);
    if (!running_ && due < notified_) notify_self();
}

}  // namespace weft
