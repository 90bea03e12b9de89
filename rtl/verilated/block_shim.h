// The C++ that stands between a Verilated class and VerilatedBlock: plain functions, found by name.
#pragma once

#include <string>
#include <vector>

#include "rtl/verilated/verilated_block.h"

namespace weft {

// What Verilator wrote about the ports of a top module. Throws InputError when it is not understood.
std::vector<PinInfo> pins_of_header(const std::string& header);

std::string block_shim(const std::vector<PinInfo>& pins, bool trace);

}  // namespace weft
