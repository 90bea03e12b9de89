#include "collectives/chakra/trace_set.h"

#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "base/diagnostic.h"
#include "base/read_files.h"
#include "base/nearest.h"
#include "collectives/chakra/json_reader.h"

namespace weft::chakra {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> endings = {".et", ".et.gz", ".json", ".json.gz"};

struct FileName {
    std::string base;
    std::uint32_t rank = 0;
};

// BASE.<rank><ending>, the rank in decimal without padding.
std::optional<FileName> split(const std::string& name)
{
    for (const std::string ending : endings) {
        if (name.size() <= ending.size() || name.compare(name.size() - ending.size(), ending.size(), ending) != 0)
            continue;
        const std::string stem = name.substr(0, name.size() - ending.size());
        const std::size_t dot = stem.rfind('.');
        if (dot == std::string::npos) return std::nullopt;
        const std::string digits = stem.substr(dot + 1);
        constexpr std::size_t most_digits = 9;
        const bool decimal = !digits.empty() && digits.size() <= most_digits &&
            digits.find_first_not_of("0123456789") == std::string::npos && (digits.size() == 1 || digits[0] != '0');
        if (!decimal) return std::nullopt;
        return FileName{stem.substr(0, dot), static_cast<std::uint32_t>(std::stoul(digits))};
    }
    return std::nullopt;
}

[[noreturn]] void refuse_prefix(const std::string& prefix, const std::string& base,
    const std::map<std::string, std::size_t>& known)
{
    // A single file in the place of a set: says what else it is, such as a profile of PyTorch.
    if (fs::path(prefix).extension() == ".json" && fs::is_regular_file(prefix) && !split(base)) JsonReader{prefix};
    std::string expected = "PREFIX.0.et and one more file per rank";
    const std::optional<FileName> whole = split(base);
    if (whole && known.count(whole->base) != 0) {
        expected = "the prefix \"" + prefix.substr(0, prefix.size() - base.size()) + whole->base + "\", without rank";
    } else {
        std::vector<std::string> names;
        for (const auto& [name, count] : known) names.push_back(name);
        const std::string nearest = nearest_name(base, names);
        if (!nearest.empty()) expected += "; did you mean \"" + nearest + "\"?";
    }
    throw InputError(prefix, 0, "no trace has this prefix", expected);
}

}  // namespace

TraceSet TraceSet::open(const std::string& prefix, const TraceSetOptions& options)
{
    const fs::path path(prefix);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const std::string base = path.filename().string();

    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error)
        throw InputError(folder.string(), 0, "cannot be listed: " + error.message(), "the folder of a trace set");
    std::map<std::string, std::size_t> known;
    std::map<std::uint32_t, std::string> files;
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
        const std::string name = entries->path().filename().string();
        const std::optional<FileName> parts = split(name);
        if (!parts) continue;
        ++known[parts->base];
        if (parts->base != base) continue;
        const std::string file = (path.has_parent_path() ? folder / name : fs::path(name)).string();
        const auto [at, added] = files.emplace(parts->rank, file);
        if (!added)
            throw InputError(std::max(at->second, file), 0,
                "rank " + std::to_string(parts->rank) + " has two traces; the other is " + std::min(at->second, file),
                "one file per rank");
    }
    if (error)
        throw InputError(folder.string(), 0, "cannot be listed: " + error.message(), "the folder of a trace set");
    if (files.empty()) refuse_prefix(prefix, base, known);

    TraceSet set;
    set.prefix_ = prefix;
    for (const auto& [rank, file] : files) {
        if (options.ranks != 0 && rank >= options.ranks) break;
        if (rank != set.files_.size()) break;
        set.files_.push_back(file);
    }
    const std::uint32_t last = options.ranks != 0 ? options.ranks - 1 : files.rbegin()->first;
    if (set.files_.size() <= last)
        throw InputError(prefix + "." + std::to_string(set.files_.size()) + ".et", 0,
            "the trace of rank " + std::to_string(set.files_.size()) + " is missing",
            "one file for each rank from 0 to " + std::to_string(last));
    // One more file would be one more rank.
    if (options.ranks == 0) note_read_file(prefix + "." + std::to_string(set.files_.size()) + ".et");
    const std::string group_name = fs::path(options.group_file).stem().string();
    // A run of fewer ranks than there are traces may have groups of all of them.
    if (!options.group_file.empty() && group_name != "empty")
        set.groups_ =
            std::make_shared<GroupDefinitions>(read_group_file(options.group_file, files.rbegin()->first + 1));
    return set;
}

}  // namespace weft::chakra
