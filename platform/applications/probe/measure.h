// The measurements of a probe, part by part (docs/probe.md describes each row).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/applications/probe/probe_rows.h"
#include "platform/assembly/model_registry.h"

namespace weft {

// The programs of a probe wait for each other.
struct ProbeStuck : std::runtime_error {
    using runtime_error::runtime_error;
};

struct ProbeMatrix {
    std::string name;
    std::string unit;
    std::vector<std::vector<double>> values;  // [from][to]; 0 from an accelerator to itself
};

struct ProbeCurve {
    std::string name;
    std::string x_unit;
    std::string y_unit;
    std::vector<std::pair<double, double>> points;
    std::vector<double> expected;  // for each point; empty: none
};

struct ProbeResult {
    std::vector<std::pair<std::string, double>> values;  // by name of the row, in its unit
    std::vector<ProbeMatrix> matrices;
    std::vector<ProbeCurve> curves;
    std::vector<std::pair<std::string, std::string>> notices;  // by name of the row

    void add(const std::string& row, double value) { values.emplace_back(row, value); }
};

// One simulation per process. Rows that the part does not have (no far partition, no peers) are left out. Throws
// InputError for what cannot be run and ProbeStuck when it cannot progress or a module, or with `check_protocol` a checker on every
// connection, reports a problem.
ProbeResult measure(ProbePart part, const ResolvedSystem& system, const ModelRegistry& registry,
    bool check_protocol = false);

// Why the system has no such row, "there is no L1"; empty: it should have it.
std::string why_absent(const ResolvedSystem& system, const std::string& row);

// The data that one process passes to the process that collects parts. The second throws InputError if `text` has another form.
std::string part_json(const ProbeResult& result);
ProbeResult part_from_json(const std::string& text);

}  // namespace weft
