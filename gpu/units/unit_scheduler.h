// What of the compute units is due when: responses that arrive, loads of packets that poll again, units that can issue, workgroups
// that wake up.
//
// Owns: the list of units that are to be served at the end of this instant. Called by: everything that makes a unit able to
// issue or waits for a time; ComputeUnits, which is the timed component, hands it the ends of instants.
//
// Timing: a response that arrives while its unit is idle can issue in the same instant, after all responses of that instant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/units/compute_unit.h"
#include "gpu/network/die_ports.h"
#include "gpu/units/workgroup.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

// What is due. The first ones are those of DieStage: a response on its way.
enum class UnitItem : std::uint8_t { leaving, entering, through, unit, workgroup, packets };
static_assert(static_cast<int>(UnitItem::leaving) == static_cast<int>(DieStage::leaving) &&
        static_cast<int>(UnitItem::through) == static_cast<int>(DieStage::through),
    "the kind of a response's item is its stage");

class UnitScheduler {
public:
    UnitScheduler(EventQueue& event_queue, TimedComponent& component) : event_queue_(event_queue), component_(component)
    {
    }

    Time now() const { return event_queue_.now(); }
    void stop_run() { event_queue_.stop(); }

    void at(Time due, Line& line, UnitItem kind)
    {
        line.kind = static_cast<std::uint8_t>(kind);
        event_queue_.schedule(line, component_, due, line.tag >> 20U);
    }
    void at(Time due, Workgroup& group) { event_queue_.schedule(group.wake, component_, due, group.index); }
    void at(Time due, ComputeUnit& unit)
    {
        if (!unit.wake_.scheduled) event_queue_.schedule(unit.wake_, component_, due, unit.number_ & 0xfffU);
    }

    // The unit may be able to issue: it is served at the end of this instant.
    void touch(ComputeUnit& unit)
    {
        if (unit.listed_) return;
        unit.listed_ = true;
        touched_.push_back(&unit);
        // A launch comes from outside: the end of the instant needs an item of this timed component.
        if (!running_) at(std::max(now(), unit.free_at()), unit);
    }

    // The timed component runs an item; its instant ends: `serve` gets every unit of the list.
    void begin_instant() { running_ = true; }
    template <class Serve>
    void end_instant(const Serve& serve)
    {
        for (std::size_t i = 0; i < touched_.size(); ++i) {
            ComputeUnit& unit = *touched_[i];
            unit.listed_ = false;
            serve(unit);
        }
        touched_.clear();
        running_ = false;
    }

private:
    EventQueue& event_queue_;
    TimedComponent& component_;
    bool running_ = false;  // between the first item of an instant and its end
    std::vector<ComputeUnit*> touched_;
};

}  // namespace weft
