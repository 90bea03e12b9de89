// Builds a loadable block from SystemVerilog: runs Verilator and the C++ compiler.
//
// What is built is kept in a folder and used again while sources, parameters, options and Verilator are the same;
// several processes may ask for the same block at once. Folder: WEFT_RTL_CACHE, else $XDG_CACHE_HOME/weft/rtl, else
// ~/.cache/weft/rtl.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace weft {

struct BlockSource {
    std::string top;                                     // module
    std::vector<std::string> files = {};                 // packages first
    std::map<std::string, std::string> parameters = {};  // of the top module, as Verilog literals: "4", "1'b1"
    std::vector<std::string> include_folders = {};
    std::vector<std::string> defines = {};
    bool assertions = true;
    bool trace = false;  // can write FST waveforms; slower
    // Text beside the pins in waveforms: so many inputs note_0, note_1, ... of note_bytes characters, around the block.
    unsigned notes = 0;
    static constexpr unsigned note_bytes = 64;
    // Any warning of Verilator's -Wall is an error; false, or WEFT_RTL_LINT=off: warnings are kept in a log.
    bool lint = true;
};

// Whether Verilator is at hand.
bool verilator_available();

// The shared library of the block; builds it unless it is there, with WEFT_RTL_OPTIMISE (-O2; -O1 is
// built twice as fast and runs slower; -O0, with modules kept apart, is built fastest and runs four to five
// times as long as -O1). Says so on stderr when it builds. Throws InputError with the
// tool's first error, or the first warning where nothing but warnings stopped it.
std::string block_library(const BlockSource& source);

// A file of Weft's own RTL ("switch/weft_switch.sv"): from WEFT_RTL_DIR, else where this program was
// built, else where it is installed.
std::string rtl_file(const std::string& name);

}  // namespace weft
