// The open-loop traffic of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/console/command_line.h"
#include "tlm_interconnect/traffic/traffic_spec.h"

namespace weft {

class TrafficOptions {
public:
    void add(CommandLine& line);

    // Slot, and where 0 the duration, are for the fabric to fill in. Throws InputError.
    TrafficSpec spec(std::uint64_t seed) const;
    // Throws InputError for an option, or one of the `varied` ones, that the pattern has no use for.
    void refuse_idle(const std::vector<std::string>& varied) const;

private:
    std::string pattern_ = "uniform";
    std::string fraction_;
    std::string sources_;
    std::string burst_;
    std::string reads_;
    std::string atomics_;
    std::string size_;
    std::string message_;
    std::string duration_;
    bool answered_ = false;
};

// Options of it that `--over` can vary, and those of the system.
const std::vector<std::string>& fabric_sweep_options();

// A number of an option. Throws InputError.
double share_option(const std::string& option, const std::string& value, double low, double high);

}  // namespace weft
