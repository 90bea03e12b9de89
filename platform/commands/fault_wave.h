// Waveforms of what went before a fault, without a waveform of all that went well: the same run is made again, up to there.
#pragma once

#include <string>
#include <vector>

#include "platform/commands/command.h"
#include "rtl/modules/block_host.h"

namespace weft {

// Clocks before the fault that are in the waveform.
constexpr Time fault_wave_clocks = 200;

// `run`: the arguments of `weft run` that led to the fault, without its outputs. Runs are deterministic, so a process
// of its own finds the same again, with waveforms of the instances from 200 clocks before it on. Returns the files
// that it wrote: `file`, or, where several instances have to do with the fault, one each with a number before the
// suffix. Reference models have no waveform.
std::vector<std::string> write_fault_waves(const BlockFault& fault, const Arguments& run, const std::string& file);

}  // namespace weft
