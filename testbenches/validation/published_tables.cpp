#include "testbenches/validation/published_tables.h"

#include <cstdlib>
#include <regex>
#include <sstream>

namespace weft {

namespace {

std::string trimmed(const std::string& text)
{
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> divided(const std::string& text, const std::string& by)
{
    std::vector<std::string> out;
    std::size_t from = 0;
    for (std::size_t at = text.find(by); at != std::string::npos; at = text.find(by, from)) {
        out.push_back(trimmed(text.substr(from, at - from)));
        from = at + by.size();
    }
    out.push_back(trimmed(text.substr(from)));
    return out;
}

// "a / b" or "a, b"; the latter not within parentheses.
std::vector<std::string> parts_of(const std::string& cell)
{
    if (cell.find(" / ") != std::string::npos) return divided(cell, " / ");
    if (cell.find('(') == std::string::npos || cell.find(", ") < cell.find('(')) return divided(cell, ", ");
    return {cell};
}

std::vector<std::string> cells_in(const std::string& line)
{
    std::vector<std::string> cells = divided(line, "|");
    if (cells.size() < 3) return {};
    return {cells.begin() + 1, cells.end() - 1};
}

struct Lines {
    std::string section;
    std::vector<std::vector<std::string>> rows;  // the header first
};

std::vector<Lines> tables_of(const std::string& page)
{
    std::vector<Lines> out;
    std::istringstream text(page);
    std::string line;
    std::string section;
    bool inside = false;
    while (std::getline(text, line)) {
        if (line.rfind("## ", 0) == 0) section.clear();
        if (line.rfind("### ", 0) == 0) section = line.substr(4, line.find(' ', 4) - 4);
        const bool row = !line.empty() && line[0] == '|' && (section[0] == '5' || section[0] == '6');
        if (row && line.find("|---") == 0) continue;
        if (row && !inside) out.push_back({section, {}});
        if (row) out.back().rows.push_back(cells_in(line));
        inside = row;
    }
    return out;
}

void add(std::vector<PublishedRow>& out, const std::string& series, std::uint64_t bytes, const std::string& value)
{
    const double number = std::atof(value.c_str());
    if (number > 0) out.push_back({series, bytes, number});
}

// Columns of sizes, each with columns of values behind it.
void read_sizes(const Lines& table, const std::string& name, std::vector<PublishedRow>& out)
{
    const std::vector<std::string>& header = table.rows.front();
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
        const std::vector<std::string>& row = table.rows[i];
        std::size_t size = 0;
        for (std::size_t column = 0; column < row.size() && column < header.size(); ++column) {
            if (header[column].rfind("Size", 0) == 0) {
                size = column;
                continue;
            }
            const std::vector<std::string> sizes = parts_of(row[size]);
            const std::vector<std::string> values = parts_of(row[column]);
            const bool several = header[column].find(" / ") != std::string::npos;
            for (std::size_t part = 0; part < values.size(); ++part)
                add(out, name + " " + header[column] + (several ? " #" + std::to_string(part) : ""),
                    published_bytes(several || part >= sizes.size() ? sizes.front() : sizes[part]), values[part]);
        }
    }
}

// System, collective, numbers of GPUs, then a column for each size.
void read_systems(const Lines& table, std::vector<PublishedRow>& out)
{
    const std::vector<std::string>& header = table.rows.front();
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
        const std::vector<std::string>& row = table.rows[i];
        const std::vector<std::string> ranks = parts_of(row[2]);
        for (std::size_t column = 3; column < row.size(); ++column) {
            const std::vector<std::string> values = parts_of(row[column]);
            for (std::size_t part = 0; part < values.size(); ++part)
                add(out, table.section + " " + row[0] + ", " + row[1] + ", " + ranks[part],
                    published_bytes(header[column].substr(0, header[column].find(' '))), values[part]);
        }
    }
}

// "AR 8K 6.51, 24K 7.24 (0.9 busbw); AG ...": numbers that are neither sizes nor counts nor bandwidths, without their sizes.
void read_points(const Lines& table, std::vector<PublishedRow>& out)
{
    static const std::regex number(R"((^|[ ~])(\d+(?:\.\d+)?)(?= *(?:[,;/)]|->|$| us)))");
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
        const std::vector<std::string>& row = table.rows[i];
        const std::string points = std::regex_replace(row[1], std::regex(R"( *\([^)]*\))"), "");
        const std::vector<std::string> parts = divided(points, ";");
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const std::string series = table.section + " " + row[0] + " #" + std::to_string(part);
            bool any = false;
            for (std::sregex_iterator at(parts[part].begin(), parts[part].end(), number), end; at != end; ++at) {
                add(out, series, 0, (*at)[2]);
                any = true;
            }
            if (!any) out.push_back({series, 0, 0});
        }
    }
}

}  // namespace

std::uint64_t published_bytes(const std::string& text)
{
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const std::string unit = trimmed(end);
    const double factor = unit.rfind('K', 0) == 0 ? 1024.0
        : unit.rfind('M', 0) == 0                 ? 1048576.0
        : unit.rfind('G', 0) == 0                 ? 1073741824.0
                                                  : 1.0;
    return static_cast<std::uint64_t>(number * factor);
}

std::vector<PublishedRow> published_rows(const std::string& page)
{
    std::vector<PublishedRow> out;
    std::string section;
    unsigned tables = 0;  // of the section
    for (const Lines& table : tables_of(page)) {
        tables = table.section == section ? tables + 1 : 0;
        section = table.section;
        const std::string name = section + (tables > 0 ? " second" : "");
        const std::string& first = table.rows.front().front();
        if (first.rfind("Size", 0) == 0)
            read_sizes(table, name, out);
        else if (table.rows.front().size() > 3)
            read_systems(table, out);
        else
            read_points(table, out);
    }
    return out;
}

}  // namespace weft
