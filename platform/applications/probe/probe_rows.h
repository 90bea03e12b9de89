// The rows of a probe: what is measured, in which unit, and which simulation measures it.
#pragma once

#include <string>
#include <vector>

namespace weft {

// One simulation each, in a process of its own: SystemC elaborates once.
enum class ProbePart : std::uint8_t {
    latency,
    caches,
    dram,
    one_unit,
    synchronisation,
    peer_latency,
    peer_bandwidth,
    curve,
    little
};

struct ProbeRow {
    const char* name;
    const char* unit;  // "ns" or "GB/s"
    ProbePart part;
    const char* text;  // what it is, for the table
};

// In the order of the table.
const std::vector<ProbeRow>& probe_rows();
// Null for an unknown name.
const ProbeRow* find_probe_row(const std::string& name);

const std::vector<ProbePart>& probe_parts();
const char* name_of(ProbePart part);

}  // namespace weft
