// Where the loads of a fabric bench saturate, and what limits them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/applications/fabric/fabric_bench.h"

namespace weft {

struct FabricSweep {
    FabricSetting setting;
    std::vector<FabricPoint> points;  // in the order of loads
    FabricPoint full;                 // load 1
    std::vector<double> failed;       // loads without a result: a deadlock

    bool whole() const { return full.load > 0; }
};
// In order of load, load 1 included.
std::vector<const FabricPoint*> points_of(const FabricSweep& sweep);

// Where sources begin to offer more than the fabric takes: the first load from which on none is sustained. A load is sustained when it is
// steady and asks no link for more than it carries.
struct FabricSaturation {
    bool reached = false;             // false: load 1 is sustained
    double accepted = 0;              // units of load: what held-up senders have there; not reached: the most accepted
    double load = 0;                  // the lowest load that is not sustained, nor any above it
    std::optional<double> sustained;  // the highest load that is
    double least = 0;  // what every sender has at `load`, less the interval there; 0: not with the pattern's shares
    double half_width = 0;       // of the 95 % confidence interval of `accepted`
    double most_half_width = 0;  // of that of `most`
    double most = 0;             // largest accepted load of all
    double most_at = 0;          // load of that
    double above = 0;            // saturation is no higher: `load`, or what fills the link that is asked for most
    std::string full_link;       // that link, where it sets `above`
    bool by_link =
        false;  // `accepted` is `above`: what senders have at `load` is more, and has other shares than the pattern
    // `accepted` is the load of the saturation only where all senders are held up alike and their traffic has the shares of the pattern, as
    // far as the run tells, or the loads around it are near.
    bool alike = true;
    bool kept = true;
    bool known =
        true;  // false: of no load have all lines arrived, so what links are asked for, and the shares, are not known
    bool near = true;

    bool is_estimate() const { return !reached || (alike && kept) || near; }
    // All senders can have that load.
    double at_least() const { return std::max(sustained.value_or(0), least); }
};
constexpr double alike_senders = 0.99;  // Jain's index: rates that differ by a tenth
constexpr double least_sender = 0.95;   // of the mean
constexpr double near_loads = 1.1;      // times the load that all can have
FabricSaturation saturation_of(const FabricSweep& sweep);

// The limit of load 1. Of full links the one that is asked for most beyond what it carries, as demand_of() tells.
std::optional<FabricLimit> limit_of(const FabricSweep& sweep);

// saturated: at or beyond saturation, though it may look steady in so short a run. unsettled: not steady in the simulated time, but a higher load is sustained.
enum class FabricState : std::uint8_t { steady, unsettled, saturated };
const char* name_of(FabricState state);
FabricState state_of(const FabricPoint& point, const FabricSaturation& saturation);

}  // namespace weft
