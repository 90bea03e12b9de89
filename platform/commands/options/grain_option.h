// The value of --grain: a size, or the error that the user allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

// Of the rows of docs/models/grain.md, nine in ten differ from 64 B by no more than this; coarser grains later.
struct GrainError {
    std::uint64_t grain;  // B
    double percent;
};
const std::vector<GrainError>& grain_errors();

// The value of engine.grain that the text stands for: itself, or of "3%" the coarsest grain whose error is no larger. Throws
// InputError for what is no percentage.
std::string grain_value(const std::string& text);

// Whether that is an error: then a run takes a finer grain where a model has none as wide.
bool is_allowed_error(const std::string& text);

}  // namespace weft
