// Several fabric benches, one for each combination of values, as one table, one CSV and one picture.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/fabric/fabric_report.h"
#include "platform/console/exit_code.h"

namespace weft {

struct FabricCurve {
    std::vector<std::string> values;  // of the keys
    FabricSweep sweep;
    std::string message;  // why there is no result, or none of some loads; empty: of all
    int code = 0;         // the largest exit code of its runs

    // Points that stand: of all loads, or of those that had no deadlock.
    bool has_points() const { return message.empty() || (code == exit_stuck && !sweep.points.empty()); }
};

// One row a combination: load 1, latency at the lowest load, saturation, what load 1 gives and its limit. After a deadlock saturation is
// not known.
std::string curves_text(const std::vector<std::string>& keys, const std::vector<FabricCurve>& curves);

// One row a load of a combination, load 1 included: plain numbers, times in ns, rates in GB/s of payload an endpoint. A load without a
// result has the message.
std::string curves_csv(const std::vector<std::string>& keys, const std::vector<FabricCurve>& curves);

// Schema "weft.fabric_sweep/1".
std::string curves_json(const std::vector<std::string>& keys, const std::vector<FabricCurve>& curves);

// Mean latency and accepted load against offered load, a curve for each combination that has points; `shown` are the indices of
// keys that name a curve. Where load 1 differs among the combinations, the axis is in GB/s.
std::string curves_svg(const std::vector<std::string>& keys, const std::vector<std::size_t>& shown,
    const std::vector<FabricCurve>& curves, const std::string& title);

}  // namespace weft
