// A wake-up of a timed component that can be moved to an earlier time.
#pragma once

#include <memory>
#include <vector>

#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

class Alarm {
public:
    // `kind` is that of its items, `input` its place among the arrivals of an instant.
    Alarm(std::uint8_t kind, unsigned input) : kind_(kind), input_(input) {}

    void set(EventQueue& event_queue, TimedComponent& component, Time time)
    {
        if (time >= next_) return;
        next_ = time;
        TimedItem* free = nullptr;
        for (const auto& item : items_) {
            if (item->scheduled && item->due == time) return;
            if (!item->scheduled) free = item.get();
        }
        if (free == nullptr) {
            items_.push_back(std::make_unique<TimedItem>());
            free = items_.back().get();
            free->kind = kind_;
        }
        free->due = time;
        event_queue.schedule(*free, component, time, input_);
    }
    // When an item has run: whether it is the one that counts.
    bool rings(Time now)
    {
        if (next_ != now) return false;
        next_ = ~Time{0};
        return true;
    }

private:
    std::uint8_t kind_;
    unsigned input_;
    Time next_ = ~Time{0};
    std::vector<std::unique_ptr<TimedItem>> items_;
};

}  // namespace weft
