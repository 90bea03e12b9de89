// Published tables as a reference page holds them, for a test that every published row is shown or listed as left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

struct PublishedRow {
    std::string series;       // "5.4 us (busbw)": section, and the table's column, row or part of a cell
    std::uint64_t bytes = 0;  // 0: a text without sizes
    double value = 0;         // as published
};

// The rows of the sections "### 5.1" to "### 6.3" of a page.
std::vector<PublishedRow> published_rows(const std::string& page);

// "1.5M", "8 B", "16" in bytes; 0: no size.
std::uint64_t published_bytes(const std::string& text);

}  // namespace weft
