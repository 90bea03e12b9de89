// A table as aligned text, and fields of comma-separated files.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct TextRow {
    std::vector<std::string> cells;  // from the first column on; may be fewer than the titles
    std::string rest;                // behind them, in no column
};

// Columns as wide as their widest cell, two spaces apart; no line ends in a space.
std::string table_text(const std::vector<std::string>& titles, const std::vector<TextRow>& rows);

// In quotes where it holds a comma, a quote or the end of a line.
std::string csv_field(const std::string& text);

}  // namespace weft
