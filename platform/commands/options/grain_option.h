// The value of --grain: a size, or the error that the user allows.
#pragma once

#include <optional>
#include <string>

namespace weft {

// The value of engine.grain that the text stands for: itself, or of "3%" the coarsest grain whose error on the page is no larger
// (grain_errors()). Throws InputError for what is neither a size nor a percentage.
std::string grain_value(const std::string& text);

// The error that the user allows, per cent; nothing for a size. Throws InputError for what is no percentage.
std::optional<double> allowed_error(const std::string& text);

// Whether that is an error: then a run takes a finer grain where a model has none as wide, or the system shows that times differ by more.
bool is_allowed_error(const std::string& text);

}  // namespace weft
