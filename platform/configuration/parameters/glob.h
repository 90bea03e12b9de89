// Shell-like patterns over names and parameter paths: `*` stands for any characters (dots too), `?` for one, and `[0,2-4]` for
// each of these whole numbers, as tables write them. Everything else stands for itself, and so does a list of numbers where a
// name has it: node names may contain brackets.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

bool has_glob(std::string_view text);
bool glob_matches(std::string_view pattern, std::string_view text);

// A pattern that remembers which of its numbers names had.
class NumberedGlob {
public:
    explicit NumberedGlob(std::string_view pattern) : pattern_(pattern) {}

    bool matches(std::string_view text);
    // The pattern with the first number that no name had in place of its list; empty where all occurred.
    std::string missing() const;

private:
    std::string pattern_;
    std::vector<std::set<std::uint64_t>> met_;  // by list
};

// The parts of a list at its commas, those in lists of numbers apart.
std::vector<std::string> split_globs(std::string_view text);

}  // namespace weft
