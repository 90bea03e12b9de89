// Models as YAML: the library that is compiled into the program (models/*.yaml) and files of a user's.
#pragma once

#include <string>
#include <vector>

#include "collectives/workload/model.h"

namespace weft::workload {

// Throws InputError with every problem of the text: unknown keys, missing ones, sizes that contradict each other.
Model read_model(const std::string& file, const std::string& text);

// A name of the library, or a file when `name` contains '/' or ends in ".yaml". Throws InputError.
Model load_model(const std::string& name);

// The library, by name.
const std::vector<Model>& named_models();

struct ModelFile {
    const char* name;
    const char* text;
};
// Written by the build from models/*.yaml, in the order of their names.
const std::vector<ModelFile>& model_files();

}  // namespace weft::workload
