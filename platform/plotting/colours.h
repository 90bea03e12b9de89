// Colours that people with any colour vision tell apart.
#pragma once

#include <string>

namespace weft {

// A magnitude from 0 to 1: light blue over orange to a dark red. Blue and orange are told apart by all, and each stands out on white as
// on black.
std::string colour_of_share(double share);
// Kinds, by number: the eight colours of Okabe and Ito without black; they repeat.
std::string colour_of_kind(std::size_t number);
// A cause of waiting, of a breakdown or of a critical path: the same in all pictures.
std::string colour_of_cause(const std::string& cause);

}  // namespace weft
