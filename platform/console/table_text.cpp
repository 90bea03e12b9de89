#include "platform/console/table_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {

std::string table_text(const std::vector<std::string>& titles, const std::vector<TextRow>& rows)
{
    std::vector<std::size_t> widths;
    for (const std::string& title : titles) widths.push_back(title.size());
    for (const TextRow& row : rows)
        for (std::size_t i = 0; i < row.cells.size(); ++i) widths[i] = std::max(widths[i], row.cells[i].size());
    const auto line = [&](const std::vector<std::string>& cells, const std::string& rest) {
        std::string out;
        for (std::size_t i = 0; i < cells.size(); ++i) out += fmt::format("{:<{}}  ", cells[i], widths[i]);
        out += rest;
        out.erase(out.find_last_not_of(' ') + 1);
        return out + "\n";
    };
    std::string out = line(titles, "");
    for (const TextRow& row : rows) out += line(row.cells, row.rest);
    return out;
}

std::string csv_field(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

}  // namespace weft
