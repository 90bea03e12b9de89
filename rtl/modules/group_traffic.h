// Transactions of a clocked switch that end in its unit for operations on groups, or begin there.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "rtl/group_switch/group_switch_pins.h"
#include "rtl/modules/flight_table.h"
#include "tlm_interconnect/protocol/line_pool.h"
#include "tlm_interconnect/routing/route_table.h"

namespace weft {

class GroupTraffic {
public:
    // `unit`: the number of the unit's port, behind the outer ones.
    GroupTraffic(unsigned unit, unsigned channels, unsigned groups)
        : unit_(unit), channels_(channels), known_(groups), bound_(std::size_t{unit} * channels)
    {
    }

    // What the configuration pins take for `group`. Throws InputError: no such group fits, a member is behind no port of
    // its own, elements that the unit cannot combine.
    GroupEntry entry(const SwitchGroup& group, const RouteTable& routes) const;
    void add(const SwitchGroup& group, LinePool& pool)
    {
        known_[group.id - first_group] = true;
        pool_ = &pool;
    }
    bool has(std::uint16_t endpoint) const
    {
        return endpoint >= first_group && static_cast<unsigned>(endpoint - first_group) < known_.size() &&
            known_[endpoint - first_group];
    }

    // A line that goes in for the unit; requests have a place in the table of flights.
    struct Bound {
        Line* line;
        LineClass cls;
        std::uint32_t tag;
    };
    void enter(unsigned input, unsigned channel, const Bound& bound)
    {
        bound_[std::size_t{input} * channels_ + channel].push_back(bound);
    }
    // The line whose slot a credit of `input` gives back; false: none is on its way to the unit.
    bool leave(unsigned input, unsigned channel, Bound& bound);

    // The line that the unit made: `bits` are on the pins of an output.
    Line& made(const LineBits& bits, std::uint8_t vc, Time now);
    LinePool& pool() { return *pool_; }
    unsigned unit() const { return unit_; }

private:
    unsigned unit_;
    unsigned channels_;
    std::vector<bool> known_;
    std::vector<std::deque<Bound>> bound_;  // by input and channel
    LinePool* pool_ = nullptr;
};

}  // namespace weft
