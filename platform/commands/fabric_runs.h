// The runs of a fabric bench, each load a process of its own.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/fabric/fabric_curves.h"
#include "platform/console/exit_code.h"

namespace weft {

struct FabricRuns {
    std::vector<double> loads;                     // load 1 is run in any case
    Arguments base;                                // of `weft fabric`, for all runs
    std::vector<Arguments> points;                 // what each combination adds; one without any: no combinations
    std::vector<std::vector<std::string>> values;  // of each combination
    Arguments first;                               // what the run of the first load has besides
    unsigned jobs = 1;
    bool show_progress = false;
};

struct FabricOutcome {
    std::vector<FabricCurve> curves;  // by combination
    std::vector<std::string> errors;  // stderr of what failed, by combination
    bool interrupted = false;
};

FabricOutcome run_loads(const FabricRuns& runs);

}  // namespace weft
