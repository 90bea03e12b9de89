// The points of a fabric bench as a table and as JSON.
#pragma once

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

// Where sources begin to offer more than the fabric takes: the first load from which on none is sustained.
struct FabricSaturation {
    bool reached = false;             // false: load 1 is sustained
    double accepted = 0;              // units of load: what the fabric accepts there; not reached: the most accepted
    double load = 0;                  // the lowest load that is not sustained, nor any above it
    std::optional<double> sustained;  // the highest load that is
    double half_width = 0;            // of the 95 % confidence interval of `accepted`
    double most_half_width = 0;       // of that of `most`
    double most = 0;                  // largest accepted load of all
    double most_at = 0;               // load of that
    // `accepted` is the load of the saturation only where all senders are held up alike, as far as the run tells, or the loads around it
    // are near.
    bool alike = true;
    bool near = true;

    bool is_estimate() const { return !reached || alike || near; }
    double at_least() const { return sustained.value_or(0); }
};
constexpr double alike_senders = 0.99;  // Jain's index: rates that differ by a tenth
constexpr double near_loads = 1.1;      // times the load that is sustained
FabricSaturation saturation_of(const FabricSweep& sweep);

// saturated: at or beyond saturation. unsettled: not steady in the simulated time, but a higher load is sustained.
enum class FabricState : std::uint8_t { steady, unsettled, saturated };
const char* name_of(FabricState state);
FabricState state_of(const FabricPoint& point, const FabricSaturation& saturation);

std::string fabric_text(const FabricSweep& sweep);
std::string fabric_json(const FabricSweep& sweep);
// The data that one process passes to the process that collects points.
std::string point_json(const FabricResult& result);
// Throws InputError when `text` is none.
FabricResult point_from_json(const std::string& text);

}  // namespace weft
