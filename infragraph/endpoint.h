// Endpoint expressions: "xpu", "host[0:4]", "cx5[0:2].pcie_endpoint[0]".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// The indices first, first + step, ... ; `count` of them.
struct IndexRange {
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::uint64_t count = 0;

    std::int64_t at(std::uint64_t i) const { return first + static_cast<std::int64_t>(i) * step; }
    std::int64_t last() const { return at(count - 1); }
};

// The text between the brackets. Not Python's rules: defaults are always 0, n and 1, and negative
// numbers are not counted from the end.
struct Slice {
    bool single = false;  // [k]
    std::optional<std::int64_t> start;
    std::optional<std::int64_t> stop;
    std::int64_t step = 1;

    IndexRange range(std::int64_t n) const;
};

struct PathElement {
    std::string_view name;  // into the expression
    Slice slice;
    bool sliced = false;
};

// Splits an expression at its dots and adds the elements to `path`. On failure says why in `problem` (an
// unclosed bracket, letters or a step of 0 in a slice, an empty name) and returns false.
bool parse_path(std::string_view expression, std::vector<PathElement>& path, std::string& problem);

// The text between the brackets alone.
bool parse_slice(std::string_view text, Slice& slice, std::string& problem);

}  // namespace weft
