// What the memories and caches of a run have counted, by the rows of the energy table: those of Weft by profile, those of plug-ins
// by the name of their model, since the table's figures are of the parts that a profile names.
#pragma once

#include <map>
#include <string>

#include "platform/configuration/resolved_system.h"
#include "platform/result/run_result.h"

namespace weft {

struct Accesses {
    bool counted = false;  // by some module
    double bytes = 0;
    std::string why_not;  // some module counts none
};

struct AccessesOfRun {
    std::map<std::string, Accesses> hbm;
    std::map<std::string, Accesses> l2;
    std::map<std::string, Accesses> memory_side;
};

AccessesOfRun accesses_of(const RunResult& result, const ResolvedSystem& resolved);

}  // namespace weft
