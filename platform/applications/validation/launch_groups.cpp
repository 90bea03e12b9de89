#include "platform/applications/validation/launch_groups.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/text_file.h"

namespace weft {

namespace {

// Where a table lies, however its path is written.
std::filesystem::path place_of(const std::string& file)
{
    std::error_code ignored;
    const std::filesystem::path place = std::filesystem::weakly_canonical(file, ignored);
    return place.empty() ? std::filesystem::path(file) : place;
}

std::vector<std::filesystem::path> tables_in(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> out;
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable))
        if (entry.path().extension() == ".yaml") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

std::string launch_of(const MeasuredTable& table)
{
    return table.launch_fitted ? "fitted" : fmt::format("{} us", table.launch_us);
}

std::string names_of(const std::vector<MeasuredTable>& tables, const std::string& group, unsigned& count)
{
    std::string out;
    count = 0;
    for (const MeasuredTable& table : tables) {
        if (table.launch_group != group) continue;
        out += (count > 0 ? ", " : "") + table_name(table);
        ++count;
    }
    return out;
}

}  // namespace

std::string table_name(const MeasuredTable& table) { return std::filesystem::path(table.file).stem().string(); }

std::vector<MeasuredTable> absent_tables(const std::vector<MeasuredTable>& tables)
{
    std::set<std::string> groups;
    std::set<std::filesystem::path> seen;
    std::set<std::filesystem::path> folders;
    for (const MeasuredTable& table : tables) {
        const std::filesystem::path place = place_of(table.file);
        seen.insert(place);
        if (table.launch_group.empty()) continue;
        groups.insert(table.launch_group);
        folders.insert(place.parent_path());
    }
    std::vector<MeasuredTable> out;
    for (const std::filesystem::path& folder : folders) {
        for (const std::filesystem::path& file : tables_in(folder)) {
            if (seen.count(file) > 0) continue;
            const std::string text = read_text_file(file.string());
            const bool named = std::any_of(groups.begin(), groups.end(),
                [&](const std::string& group) { return text.find(group) != std::string::npos; });
            if (!named) continue;
            MeasuredTable table = read_measured(file.string(), text);
            if (groups.count(table.launch_group) > 0) out.push_back(std::move(table));
        }
    }
    return out;
}

void check_launch_groups(const std::vector<MeasuredTable>& tables)
{
    std::map<std::string, const MeasuredTable*> first;
    for (const MeasuredTable& table : tables) {
        if (table.launch_group.empty()) continue;
        const MeasuredTable& other = *first.emplace(table.launch_group, &table).first->second;
        if (launch_of(table) == launch_of(other)) continue;
        throw InputError(table.file, table.launch_group_line,
            fmt::format("launch of group '{}' is {} here, but {} in {}", table.launch_group, launch_of(table),
                launch_of(other), other.file),
            "one 'launch' for all tables of a group");
    }
}

std::vector<std::string> launch_notices(const std::vector<MeasuredTable>& tables,
    const std::vector<MeasuredTable>& absent)
{
    std::set<std::string> groups;
    for (const MeasuredTable& table : absent)
        if (table.launch_fitted) groups.insert(table.launch_group);
    std::vector<std::string> out;
    for (const std::string& group : groups) {
        unsigned given = 0;
        unsigned missing = 0;
        const std::string given_names = names_of(tables, group, given);
        const std::string missing_names = names_of(absent, group, missing);
        out.push_back(fmt::format("the launch constant of '{}' is fitted over {} of {} tables: {}; not given: {}",
            group, given, given + missing, given_names, missing_names));
    }
    return out;
}

}  // namespace weft
