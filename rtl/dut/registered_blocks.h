// The blocks that `weft rtl add` has registered: one small file for each model, in a folder of the project.
//
// Folder: WEFT_RTL_MODELS, else .weft/rtl below where the program runs. A file holds the names of the RTL and of the map,
// not their contents: a block that is edited is verilated again when it is next used.
#pragma once

#include <string>
#include <vector>

#include "rtl/dut/port_map.h"

namespace weft {

struct RegisteredBlock {
    std::string name;
    std::string text;
    BlockRole role = BlockRole::switch_;
    std::string map;                 // absolute
    std::vector<std::string> files;  // absolute
    std::string at;                  // the file that says so
};

std::string registered_folder();
// By name. Throws InputError for a file that cannot be understood.
std::vector<RegisteredBlock> registered_blocks();
// Reads the map, verilates the block for the ports that the map names, holds the map against its pins, and only then
// registers it, in place of one of the same name. Throws InputError.
RegisteredBlock register_block(const std::vector<std::string>& files, const std::string& map);
// Throws InputError where none has that name.
void remove_block(const std::string& name);

}  // namespace weft
