// The measured numbers of flow fidelity, and files of it: how long a credit of acknowledges waits for packets of data
// (LinkRules::credit_wait, credit_wait_of_cards), in transmission times of the longest packet. Every other figure of flow fidelity is a parameter of the
// system.
//
//   built in   0.66, behind network cards 0.95, from probes of other systems (docs/models/flow.md)
//   file       found by `weft calibrate` for one system: a file names the system by a digest of its building blocks
//   none       0.5: an acknowledge comes at any time of a packet with the same probability
#pragma once

#include <string>
#include <vector>

#include "collectives/flow/links/flow_links.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

struct FlowCalibration {
    std::string kind = "built in";                 // of the result: none, built in, file
    double credit_wait = LinkRules{}.credit_wait;  // packets
    double credit_wait_of_cards = LinkRules{}.credit_wait_of_cards;
    std::string source = "63 runs by lines of two other systems (docs/models/flow.md)";

    // One number for all links.
    void set(double packets) { credit_wait = credit_wait_of_cards = packets; }
};

FlowCalibration uncalibrated();

// One run by lines and the same by flow.
struct CalibrationProbe {
    std::string collective;
    std::string algorithm;
    std::string bytes;
    std::uint64_t line_ps = 0;
    std::uint64_t flow_ps = 0;  // with the number that was found
};

// Of the values of all parameters of accelerators, switches and links, each once: equal for systems of the same building
// blocks, whatever their number.
std::string blocks_digest(const ResolvedSystem& system);

// Throws InputError for a file that is damaged, or of other building blocks than those of `system`.
FlowCalibration read_calibration(const std::string& path, const ResolvedSystem& system);

std::string calibration_text(const std::string& system, const std::string& digest, double credit_wait,
    const std::vector<CalibrationProbe>& probes);

// Root mean square of the probes' errors, as a part.
double error_of(const std::vector<CalibrationProbe>& probes);

}  // namespace weft
