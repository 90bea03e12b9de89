#include "platform/report/table_page.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "platform/report/page.h"

namespace weft {

namespace {

using TableJson = nlohmann::ordered_json;

// Of a parameter's value such as "64KiB" or "5 us", for the order of rows; empty: it is no quantity.
std::string quantity(const std::string& text)
{
    for (const auto parse : {parse_bytes, parse_time_ps, parse_rate, parse_frequency})
        if (const auto number = parse(text)) return std::to_string(*number);
    return "";
}

HtmlCell cell_of(const TableJson& value)
{
    if (value.is_null()) return {"-"};
    if (value.is_string()) return {value.get<std::string>(), quantity(value.get<std::string>())};
    if (value.is_boolean()) return {value.get<bool>() ? "yes" : "no"};
    if (value.is_number())
        return {value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump(), value.dump()};
    return {value.dump()};
}

// Members of members as "latency_ns.mean"; lists within rows stay in the data.
void flatten(const TableJson& object, const std::string& prefix, std::vector<std::pair<std::string, TableJson>>& out)
{
    for (const auto& [key, value] : object.items()) {
        if (value.is_object())
            flatten(value, prefix + key + ".", out);
        else if (!value.is_array())
            out.emplace_back(prefix + key, value);
    }
}

void add_rows(HtmlPage& page, const std::string& id, const TableJson& list)
{
    HtmlTable table{id, {}, {}, true};
    std::vector<std::vector<std::pair<std::string, TableJson>>> rows;
    for (const TableJson& item : list) {
        rows.emplace_back();
        flatten(item, "", rows.back());
        for (const auto& [key, value] : rows.back()) {
            const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                [&, name = key](const auto& column) { return column.title == name; });
            if (found == table.columns.end())
                table.columns.push_back({key, value.is_number()});
            else
                found->number = found->number || value.is_number();
        }
    }
    for (const auto& row : rows) {
        std::vector<HtmlCell> cells(table.columns.size(), HtmlCell{"-"});
        for (const auto& [key, value] : row)
            for (std::size_t i = 0; i < table.columns.size(); ++i)
                if (table.columns[i].title == key) cells[i] = cell_of(value);
        table.rows.push_back(std::move(cells));
    }
    page.table(table);
}

// Of a list: its key as a heading.
std::string heading(std::string key)
{
    if (!key.empty()) key[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(key[0])));
    return key;
}

// Lists of objects, also below the first level: the rows of each table of a validation.
void add_lists(HtmlPage& page, const TableJson& object, const std::string& name, int depth)
{
    for (const auto& [key, value] : object.items()) {
        if (!value.is_array() || value.empty() || !value[0].is_object()) continue;
        const std::string id = name.empty() ? key : name + "-" + key;
        page.section(id, name.empty() ? heading(key) : object.value("title", object.value("name", name)) + ": " + key);
        add_rows(page, id, value);
        for (std::size_t i = 0; i < value.size() && depth < 1; ++i)
            add_lists(page, value[i], fmt::format("{}-{}", id, i), depth + 1);
    }
}

}  // namespace

std::string table_page(const TablePage& report)
{
    HtmlPage page(report.title, report.subtitle);
    for (const TablePage::Figure& figure : report.figures) page.figure(figure.value, figure.what, figure.state);
    for (std::size_t i = 0; i < report.pictures.size(); ++i) {
        page.section(fmt::format("picture-{}", i), report.pictures[i].title);
        page.picture(report.pictures[i].svg, true);
    }
    page.section("summary", "Summary");
    page.text(report.text);
    add_lists(page, TableJson::parse(report.json), "", 0);
    page.data("result", report.json);
    return page.finish();
}

}  // namespace weft
