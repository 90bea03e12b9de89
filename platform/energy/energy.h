// Energy of a run: events that were counted, each times what it takes (docs/models/energy.md). What is not known is listed and
// not added.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/energy/energy_table.h"

namespace weft {

// What was counted of one kind of event on parts of one kind.
struct EnergyCount {
    EnergyEvent event = EnergyEvent::link_bit;
    std::string name;  // kind of link or profile, as the table knows it
    std::optional<double>
        events;  // bits, bytes, operations; of idle: ps of all such accelerators together. Nothing: not counted
    std::string why_not;  // where nothing was counted
};

struct EnergyPart {
    EnergyEvent event = EnergyEvent::link_bit;
    std::string name;
    double events = 0;
    EnergyFigure each;  // pJ, or W
    double low_J = 0;
    double high_J = 0;
};

struct EnergyResult {
    std::vector<EnergyPart> parts;
    std::vector<std::string> unknown;  // "switches nvlink_3: no figure"
    std::vector<std::string> unused;   // rows of a user's table that name nothing of the run
    double low_J = 0;
    double high_J = 0;
    std::uint64_t time_ps = 0;  // over which events were counted
    double low_W = 0;           // in the mean over it
    double high_W = 0;

    // Whether the sums say anything: something was counted that has a figure, or nothing is missing.
    bool known() const;
};

EnergyResult energy_of(const EnergyTable& table, const std::vector<EnergyCount>& counts, std::uint64_t time_ps);

// "pJ/bit" and the like.
const char* unit_of(EnergyEvent event);

}  // namespace weft
