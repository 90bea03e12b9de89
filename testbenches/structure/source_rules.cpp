#include "testbenches/structure/source_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "base/text_file.h"

namespace weft::structure {

namespace fs = std::filesystem;

const std::vector<Area>& areas()
{
    // clang-format off
    static const std::vector<Area> table = {
        // folder               floor  systemc
        {"base",                0,     false},
        {"infragraph",          1,     false},
        {"tlm_interconnect",    2,     true},
        {"sc_models",           3,     true},
        {"gpu",                 4,     true},
        {"collectives",         5,     true},
        {"collectives/chakra",  5,     false},
        {"collectives/flow",    5,     false},
        {"collectives/plans",   5,     false},
        {"collectives/schedule", 5,    false},
        {"collectives/synthesis", 5,   false},
        {"collectives/workload", 5,    false},
        {"rtl",                 5,     true},
        {"platform",            6,     true},
        {"include",             7,     true},
        {"testbenches",         7,     true},
        {"examples",            7,     true},
    };
    // clang-format on
    return table;
}

namespace {

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool ends_with(std::string_view text, std::string_view suffix)
{
    return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

std::string_view top_folder(std::string_view path) { return path.substr(0, path.find('/')); }

// The longest entry of the table that `path` lies below, or null.
const Area* area_of(std::string_view path)
{
    const Area* best = nullptr;
    for (const Area& area : areas()) {
        const bool below =
            starts_with(path, area.folder) && path.size() > area.folder.size() && path[area.folder.size()] == '/';
        if (below && (best == nullptr || area.folder.size() > best->folder.size())) best = &area;
    }
    return best;
}

struct Include {
    std::string_view path;
    bool quoted = false;
};

// The file named on an #include line; an empty path for any other line.
Include include_on(std::string_view line)
{
    const auto skip_blanks = [&line] {
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.remove_prefix(1);
    };
    skip_blanks();
    if (!starts_with(line, "#")) return {};
    line.remove_prefix(1);
    skip_blanks();
    if (!starts_with(line, "include")) return {};
    line.remove_prefix(std::string_view("include").size());
    skip_blanks();
    if (line.empty() || (line.front() != '"' && line.front() != '<')) return {};
    const bool quoted = line.front() == '"';
    line.remove_prefix(1);
    return {line.substr(0, line.find(quoted ? '"' : '>')), quoted};
}

bool is_systemc(std::string_view header)
{
    static constexpr std::array<std::string_view, 4> names{"systemc", "systemc.h", "tlm", "tlm.h"};
    static constexpr std::array<std::string_view, 4> folders{"sysc/", "tlm_core/", "tlm_utils/", "systemc/"};
    return std::find(names.begin(), names.end(), header) != names.end() ||
        std::any_of(folders.begin(), folders.end(), [&](auto folder) { return starts_with(header, folder); });
}

// Made by protoc or Verilator in the build folder, included by its bare name.
bool is_generated(std::string_view header)
{
    if (header.find("..") != std::string_view::npos) return false;
    return ends_with(header, ".pb.h") || starts_with(header, "V") || starts_with(header, "verilated");
}

// What is wrong with `from` including `include`; empty when nothing is.
std::string include_problem(const Area& from, const Include& include)
{
    const std::string header(include.path);
    if (is_systemc(header)) {
        if (from.systemc) return "";
        return std::string(from.folder) + " is free of SystemC and includes " + header;
    }
    const Area* to = area_of(header);
    if (to == nullptr) {
        if (!include.quoted || is_generated(header)) return "";
        // An example is a project of its own: its own headers lie beside it.
        if (from.folder == "examples" && header.find('/') == std::string::npos) return "";
        return "includes \"" + header + "\"; expected a path from the repository root";
    }
    const std::string both = std::string(from.folder) + " includes " + header;
    if (to->floor > from.floor) return both + ", which is on a higher floor (" + std::string(to->folder) + ")";
    if (to->floor == from.floor && top_folder(to->folder) != top_folder(from.folder))
        return both + ", which stands beside it on the same floor";
    if (to->systemc && !from.systemc) return both + ", which may use SystemC; " + std::string(from.folder) + " may not";
    return "";
}

struct Room {
    std::string_view folder;
    int rank;  // within its floor: may include itself and rooms of lower ranks
};

// Rooms of a floor; the first whose folder a file's path begins with is its own.
constexpr std::array<Room, 41> rooms{{
    {"tlm_interconnect/kernel/", 0},
    {"tlm_interconnect/protocol/", 1},
    {"tlm_interconnect/link/", 2},
    {"tlm_interconnect/routing/", 2},
    {"tlm_interconnect/switch/", 3},
    {"tlm_interconnect/adapters/", 4},
    {"tlm_interconnect/card/", 4},
    {"tlm_interconnect/traffic/", 4},
    {"gpu/interface/", 0},
    {"gpu/network/", 1},
    {"gpu/units/", 2},
    {"gpu/kernels/", 3},
    {"gpu/copies/", 3},
    {"gpu/replay/", 3},
    {"gpu/", 4},
    {"collectives/engine/lines/", 1},
    {"collectives/engine/flow/", 1},
    {"collectives/engine/traces/", 1},
    {"collectives/engine/paths/", 2},
    {"collectives/engine/", 0},
    {"platform/configuration/", 0},
    {"platform/console/", 0},
    {"platform/plotting/", 0},
    {"platform/energy/", 0},
    {"platform/schema/", 0},
    {"platform/assembly/", 2},
    {"platform/result/", 1},
    {"platform/parallel/", 1},
    {"platform/choice/", 3},
    {"platform/report/", 2},
    {"platform/workload/", 4},
    {"platform/simulation/", 5},
    {"platform/applications/compare/", 6},
    {"platform/applications/fabric/", 6},
    {"platform/applications/flow/", 6},
    {"platform/applications/probe/", 6},
    {"platform/applications/sweep/", 6},
    {"platform/applications/validation/", 6},
    {"platform/commands/options/", 7},
    {"platform/commands/texts/", 7},
    {"platform/commands/", 8},
}};

const Room* room_of(std::string_view path)
{
    const auto* found =
        std::find_if(rooms.begin(), rooms.end(), [&](const Room& room) { return starts_with(path, room.folder); });
    return found == rooms.end() ? nullptr : found;
}

// What is wrong with a file of one room including one of another; empty when nothing is.
std::string room_problem(std::string_view path, std::string_view header)
{
    const Room* from = room_of(path);
    const Room* to = room_of(header);
    if (from == nullptr || to == nullptr || from == to || top_folder(path) != top_folder(header) ||
        to->rank < from->rank)
        return "";
    return std::string(from->folder) + " includes " + std::string(header) + ", which is in a room that it stands " +
        (to->rank == from->rank ? "beside" : "below");
}

// Folders inside a room, each with its own order; the first whose folder a file's path begins with is its own.
struct Corner {
    std::string_view room;
    std::string_view folder;
    int rank;
};

constexpr std::array<Corner, 18> corners{{
    {"collectives/flow/", "collectives/flow/devices/", 0},
    {"collectives/flow/", "collectives/flow/links/", 0},
    {"collectives/flow/", "collectives/flow/programs/", 0},
    {"collectives/flow/", "collectives/flow/", 1},
    {"collectives/schedule/", "collectives/schedule/algorithms/", 1},
    {"collectives/schedule/", "collectives/schedule/protocol/", 1},
    {"collectives/schedule/", "collectives/schedule/verification/", 1},
    {"collectives/schedule/", "collectives/schedule/analysis/", 2},
    {"collectives/schedule/", "collectives/schedule/theory/", 2},
    {"collectives/schedule/", "collectives/schedule/", 0},
    {"platform/configuration/", "platform/configuration/parameters/", 0},
    {"platform/configuration/", "platform/configuration/tables/", 1},
    {"platform/configuration/", "platform/configuration/idle/", 3},
    {"platform/configuration/", "platform/configuration/resolution/", 4},
    {"platform/configuration/", "platform/configuration/", 2},
    {"sc_models/", "sc_models/memory/", 0},
    {"sc_models/", "sc_models/l2/", 1},
    {"sc_models/", "sc_models/", 2},
}};

const Corner* corner_of(std::string_view path)
{
    const auto* found = std::find_if(corners.begin(), corners.end(),
        [&](const Corner& corner) { return starts_with(path, corner.folder); });
    return found == corners.end() ? nullptr : found;
}

std::string corner_problem(std::string_view path, std::string_view header)
{
    const Corner* from = corner_of(path);
    const Corner* to = corner_of(header);
    if (from == nullptr || to == nullptr || from == to || from->room != to->room || to->rank < from->rank) return "";
    return std::string(from->folder) + " includes " + std::string(header) + ", which is in a folder that it stands " +
        (to->rank == from->rank ? "beside" : "below");
}

bool is_code(std::string_view path)
{
    static constexpr std::array<std::string_view, 6> suffixes{".h", ".hpp", ".cpp", ".cc", ".sv", ".svh"};
    return std::any_of(suffixes.begin(), suffixes.end(),
        [&](std::string_view suffix) { return ends_with(path, suffix); });
}

bool is_source(std::string_view path)
{
    return is_code(path) || ends_with(path, ".sh") || ends_with(path, ".cmake") || ends_with(path, "CMakeLists.txt");
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view line, std::string_view word)
{
    for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
        const std::size_t after = at + word.size();
        if ((at == 0 || !is_word_character(line[at - 1])) && (after == line.size() || !is_word_character(line[after])))
            return true;
    }
    return false;
}

}  // namespace

std::string Finding::text() const
{
    return file + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + what;
}

std::vector<SourceFile> read_sources(const std::string& root)
{
    std::set<std::string> folders{"cmake", "tools"};
    for (const Area& area : areas()) folders.emplace(top_folder(area.folder));
    std::vector<SourceFile> sources;
    for (const std::string& folder : folders) {
        const fs::path top = fs::path(root) / folder;
        if (!fs::is_directory(top)) continue;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top)) {
            const std::string path = entry.path().lexically_relative(root).generic_string();
            if (!entry.is_regular_file() || !is_source(path)) continue;
            sources.push_back({path, lines_of(read_text_file(entry.path().string()))});
        }
    }
    std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    return sources;
}

std::vector<Finding> check_includes(const SourceFile& source)
{
    std::vector<Finding> findings;
    const Area* from = area_of(source.path);
    if (from == nullptr) return findings;
    int number = 0;
    for (const std::string& line : source.lines) {
        ++number;
        const Include include = include_on(line);
        if (include.path.empty()) continue;
        std::string problem = include_problem(*from, include);
        if (problem.empty()) problem = room_problem(source.path, include.path);
        if (problem.empty()) problem = corner_problem(source.path, include.path);
        if (!problem.empty()) findings.push_back({source.path, number, problem});
    }
    return findings;
}

const std::vector<std::string_view>& folders_without_systemc()
{
    static const std::vector<std::string_view> folders = {"platform/configuration/", "platform/plotting/",
        "platform/schema/", "platform/energy/", "platform/result/", "platform/report/",
        "platform/applications/compare/", "platform/applications/sweep/", "platform/applications/validation/"};
    return folders;
}

namespace {

// Which file of ours leads to SystemC, for every file that does: the next one on the way, or SystemC's header.
class WaysToSystemC {
public:
    explicit WaysToSystemC(const std::vector<SourceFile>& sources)
    {
        for (const SourceFile& source : sources) sources_.emplace(source.path, &source);
    }

    // "a.h > b.h > systemc"; empty where nothing of SystemC is included.
    const std::string& from(const std::string& path)
    {
        const auto [entry, fresh] = ways_.try_emplace(path);
        if (!fresh) return entry->second;
        const auto source = sources_.find(path);
        if (source == sources_.end()) return entry->second;
        for (const std::string& line : source->second->lines) {
            const Include include = include_on(line);
            if (include.path.empty()) continue;
            const std::string header(include.path);
            const std::string way = is_systemc(header) ? header : from(header);
            if (way.empty()) continue;
            ways_[path] = path + " > " + way;
            break;
        }
        return ways_[path];
    }

private:
    std::map<std::string, const SourceFile*> sources_;
    std::map<std::string, std::string> ways_;
};

}  // namespace

std::vector<Finding> check_without_systemc(const std::vector<SourceFile>& sources)
{
    WaysToSystemC ways(sources);
    std::vector<Finding> findings;
    for (const SourceFile& source : sources) {
        const auto& folders = folders_without_systemc();
        const bool listed = std::any_of(folders.begin(), folders.end(),
            [&](std::string_view folder) { return starts_with(source.path, folder); });
        if (!listed || !is_code(source.path)) continue;
        if (const std::string& way = ways.from(source.path); !way.empty())
            findings.push_back({source.path, 0, "is to be free of SystemC and reaches it: " + way});
    }
    return findings;
}

std::vector<Finding> check_length(const SourceFile& source, std::size_t limit)
{
    if (source.lines.size() <= limit) return {};
    return {{source.path, static_cast<int>(source.lines.size()),
        "has more than " + std::to_string(limit) + " lines: one concept per file, please split it"}};
}

std::vector<Finding> find_process_state(const SourceFile& source)
{
    // What a namespace holds is not indented here; within a function only `static` lasts.
    static const std::regex outside(
        R"(^(?:(?:volatile|thread_local|static|inline) )*[A-Za-z_][\w:<>,\*& ]* \*?(\w+)(?: = [^;]*|\{.*\})?;.*)");
    static const std::regex inside(
        R"(^\s+(?:static|thread_local) [A-Za-z_][\w:<>,\*& ]* (\w+)(?: = [^;(]*|\{.*\})?;.*)");
    static const std::regex fixed(
        R"(\b(?:const|constexpr|using|typedef|return|namespace|struct|class|enum|union|extern|friend|template|case|goto|delete|throw|static_assert)\b)");
    std::vector<Finding> findings;
    int number = 0;
    for (const std::string& line : source.lines) {
        ++number;
        std::smatch match;
        if (line.empty() || line.front() == '#' || line.find("//") == 0 || std::regex_search(line, fixed)) continue;
        if (std::regex_match(line, match, outside) || std::regex_match(line, match, inside))
            findings.push_back({source.path, number, match[1]});
    }
    return findings;
}

std::vector<Finding> check_words(const SourceFile& source)
{
    // Written in two halves: this file is checked too.
    static const std::array<std::string, 3> words{std::string("TO") + "DO", std::string("FIX") + "ME",
        std::string("X") + "XX"};
    std::vector<Finding> findings;
    int number = 0;
    for (const std::string& line : source.lines) {
        ++number;
        for (const std::string& word : words)
            if (has_word(line, word)) findings.push_back({source.path, number, "left-over note: " + word});
    }
    return findings;
}

std::vector<Finding> check_readmes(const std::string& root, const std::vector<SourceFile>& sources)
{
    std::set<std::string> folders;
    for (const SourceFile& source : sources)
        if (area_of(source.path) != nullptr && is_code(source.path)) folders.emplace(top_folder(source.path));
    std::vector<Finding> findings;
    for (const std::string& folder : folders)
        if (!fs::is_regular_file(fs::path(root) / folder / "README.md"))
            findings.push_back(
                {folder, 0, "holds code but no README.md (what lives here, what it may include, where to start)"});
    return findings;
}

}  // namespace weft::structure
