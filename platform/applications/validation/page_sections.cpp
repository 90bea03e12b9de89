#include "platform/applications/validation/page_sections.h"

#include <sstream>

#include "base/diagnostic.h"

namespace weft {

namespace {

const std::string opening = "<!-- weft validate: ";
const std::string closing = " -->";
const std::string end_mark = "<!-- end -->";

// The name in an opening line; empty: it is none.
std::string name_in(const std::string& line)
{
    const std::size_t marks = opening.size() + closing.size();
    if (line.size() <= marks || line.compare(0, opening.size(), opening) != 0) return {};
    if (line.compare(line.size() - closing.size(), closing.size(), closing) != 0) return {};
    return line.substr(opening.size(), line.size() - marks);
}

}  // namespace

std::set<std::string> section_names(const std::string& page)
{
    std::set<std::string> out;
    std::istringstream lines(page);
    std::string line;
    while (std::getline(lines, line))
        if (const std::string name = name_in(line); !name.empty()) out.insert(name);
    return out;
}

std::string with_sections(const std::string& file, const std::string& page,
    const std::map<std::string, std::string>& sections)
{
    std::istringstream lines(page);
    std::string out;
    std::string line;
    std::string open;  // section that the lines are in
    int number = 0;
    int opened = 0;
    std::set<std::string> placed;
    while (std::getline(lines, line)) {
        ++number;
        if (!open.empty()) {
            if (line != end_mark) {
                if (sections.count(open) == 0) out += line + "\n";
                continue;
            }
            open.clear();
        }
        out += line + "\n";
        open = name_in(line);
        if (open.empty()) continue;
        opened = number;
        const auto section = sections.find(open);
        if (section == sections.end()) continue;
        placed.insert(open);
        out += "\n" + section->second + "\n";
    }
    if (!open.empty())
        throw InputError(file, opened, "section '" + open + "' is not closed", "a line '" + end_mark + "'");
    for (const auto& section : sections)
        if (placed.count(section.first) == 0)
            throw InputError(file, 0, "the page has no section for '" + section.first + "'",
                "a line '" + opening + section.first + closing + "'");
    return out;
}

}  // namespace weft
