// The output of `weft workload` about its traces and its models.
#pragma once

#include <string>

#include "collectives/workload/model.h"
#include "collectives/workload/trace_report.h"

namespace weft {

struct WorkloadPage {
    std::string title;                    // "training of llama3_70b: 32 ranks = ..."
    std::uint64_t parameters = 0;         // of the model; 0: there is none
    std::uint64_t active_parameters = 0;  // that a token meets; 0: all
    std::uint64_t tokens = 0;             // of the step, all replicas; 0: not counted in tokens
    workload::TraceReport report;
    std::string prefix;  // "": nothing written
};

std::string workload_text(const WorkloadPage& page);
std::string workload_json(const WorkloadPage& page);
// The library: what is computed beside what is published.
std::string models_text();

}  // namespace weft
