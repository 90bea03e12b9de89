// A trace job carried out: files written, and what they add up to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/workload/ledger.h"
#include "collectives/workload/trace_job.h"

namespace weft::workload {

struct TraceReport {
    std::uint32_t ranks = 0;
    std::uint64_t groups = 0;
    std::uint64_t nodes = 0;
    std::uint64_t file_bytes = 0;
    std::vector<double> operations;                              // by Work, of all ranks
    Ledger first;                                                // of rank 0
    std::map<CommunicationKey, CommunicationSum> communication;  // of all ranks: each member counts
    std::optional<double> bubble;  // of the pipeline if communication took no time, and by formula
    double bubble_formula = 0;
    std::vector<std::string> notices;
};

// Calls `write` with each file's name behind the prefix (".0.et", "_groups.json") and its bytes, if there is a `write`.
// `progress` hears of each rank that is done.
TraceReport carry_out(const TraceJob& job, const std::function<void(const std::string&, const std::string&)>& write,
    const std::function<void(std::uint32_t)>& progress = {});

}  // namespace weft::workload
