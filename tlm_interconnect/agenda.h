// The one agenda of timed work.
//
// Purpose: our models do not notify SystemC events; they put items on this agenda, which keeps them in
// a timing wheel with a single sc_event and runs what is due, up to, never past, the next event of
// anybody else in the kernel. A model reads its time from now(), not from sc_time_stamp(), which may
// lag behind while the agenda drains.
//
// Order: items run in order of (due, rank of the station, input of the station, order of scheduling).
// Ranks follow hierarchical names, so neither the order of construction nor of scheduling at
// different stations decides anything. A station that must see all arrivals of an instant
// before it decides asks for settle(), which runs after its last item of that instant.
//
// Beside foreign SystemC processes: a process that calls into our models does so through an adapter,
// which calls enter(); a model that calls a foreign module does so from a kernel process that it wakes
// with notify_kernel(). Both keep kernel time and agenda time equal at the border.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tlm_interconnect/time.h"
#include "tlm_interconnect/timing_wheel.h"

namespace weft {

class Agenda;
class Station;

// One piece of timed work: a line on its way, or a station's own wake-up. An item is on the agenda at
// most once.
struct AgendaItem {
    virtual ~AgendaItem() = default;

    AgendaItem* next = nullptr;  // link of whatever queue holds the item while it is not on the agenda
    Time due = 0;
    std::uint32_t order = 0;  // rank of the station, then input
    std::uint8_t kind = 0;    // for the station
    bool scheduled = false;
};

// Something that is due at times: it holds state in which streams of lines meet.
class Station {
public:
    // `path` is unique in the agenda; ranks follow its alphabetical order.
    Station(Agenda& agenda, std::string path);
    virtual ~Station() = default;
    Station(const Station&) = delete;
    Station& operator=(const Station&) = delete;

    virtual void run(AgendaItem& item) = 0;
    // Called once after the last item of this station at one instant if request_settle() was called.
    virtual void settle() {}
    // Called shortly before run(item): a station with large tables may prefetch what it will need. Must not
    // change anything.
    virtual void prepare(const AgendaItem& /*item*/) const {}

    const std::string& path() const { return path_; }

protected:
    void request_settle() { settle_requested_ = true; }
    void request_prepare() { prepares_ = true; }  // once, in the constructor
    Agenda& agenda() const { return agenda_; }

private:
    friend class Agenda;
    Agenda& agenda_;
    std::uint32_t rank_ = 0;  // until the end of elaboration: order of construction
    bool settle_requested_ = false;
    bool prepares_ = false;
    std::string path_;
};

class Agenda : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(Agenda);
    explicit Agenda(sc_core::sc_module_name name);

    Time now() const { return running_ ? now_ : to_ps(sc_core::sc_time_stamp()); }

    // Puts `item` on the agenda for `station` at `due` >= now(). `input` < 4096 orders the arrivals of
    // one instant at one station.
    void schedule(AgendaItem& item, Station& station, Time due, unsigned input = 0);

    // Notifies a foreign event at `due`; the agenda runs no item past it before the kernel got there.
    void notify_kernel(sc_core::sc_event& event, Time due);

    // To be called by code that a kernel process runs, before it calls into our models.
    void enter();

    // Items later than `end` stay on the agenda until the limit is raised.
    void set_end(Time end);
    // set_end(), then the kernel runs until nothing is due. A kernel without work is not started: it would warn (W571).
    void run_kernel(Time end);

    // Called every few thousand items with the agenda's time; returning false stops the run.
    void set_watch(std::function<bool(Time)> watch) { watch_ = std::move(watch); }

    // Ends the run after the item that is running, or at once when a kernel process calls it.
    void stop();

    // Time of the last item that ran.
    Time last() const { return now_; }
    std::uint64_t items_run() const { return items_run_; }
    bool idle() const { return wheel_.size() == 0; }
    bool stopped() const { return stopped_; }

    static constexpr unsigned bucket_bits = TimingWheel::bucket_bits;
    static constexpr unsigned wheel_bits = TimingWheel::wheel_bits;

private:
    friend class Station;

    void end_of_elaboration() override;
    void wake();
    void drain(Time kernel_now, Time limit);
    void notify_self();

    TimingWheel wheel_;
    Time now_ = 0;
    Time limit_ = 0;
    bool running_ = false;
    std::uint64_t items_run_ = 0;
    Time end_ = ~Time{0};
    Time notified_ = ~Time{0};
    bool stopped_ = false;
    sc_core::sc_event event_;
    std::function<bool(Time)> watch_;
    std::vector<Station*> stations_;
};

inline void Agenda::schedule(AgendaItem& item, Station& station, Time due, unsigned input)
{
    item.due = due;
    item.order = (station.rank_ << 12) | input;
    item.scheduled = true;
    wheel_.push(due, item.order, &item);
    if (!running_ && due < notified_) notify_self();
}

}  // namespace weft
