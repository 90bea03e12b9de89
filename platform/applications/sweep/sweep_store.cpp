#include "platform/applications/sweep/sweep_store.h"

#include <cstdint>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/read_files.h"
#include "base/text_file.h"
#include "platform/result/input_files.h"

namespace weft {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Whether a JSON file does not end as an object does. Whole results are large, so that they are read once, for the table.
bool is_cut(const std::string& path)
{
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    const auto size = static_cast<std::int64_t>(in.tellg());
    char end[2] = {0, 0};
    if (size >= 2) in.seekg(size - 2).read(end, 2);
    return !(end[0] == '}' && end[1] == '\n');
}

}  // namespace

SweepStore::SweepStore(std::string folder) : folder_(std::move(folder))
{
    std::error_code error;
    std::error_code unknown;
    fs::create_directories(folder_, error);
    // The paths of results may be too long where that of the folder is not.
    if (!fs::is_directory(folder_, unknown) || (!fs::exists(point({}).inputs_path, error) && error))
        throw InputError(folder_, 0, error ? "cannot be made: " + error.message() : "is no folder",
            "a folder for the results of the sweep");
}

SweepStore::Point SweepStore::point(const Arguments& run) const
{
    std::string all;
    for (const std::string& argument : run) all += argument + '\0';
    const std::string path = (fs::path(folder_) / text_digest(all)).string();
    return {path + ".json", path + ".txt", path + ".inputs", path + ".done"};
}

SweepStore::Kept SweepStore::find(const Arguments& run) const
{
    const Point files = point(run);
    if (!fs::exists(files.done_path)) return {false, 0, never};
    const std::string text = read_text_file(files.done_path);
    std::string why;
    int code = 0;
    try {
        why = out_of_date(text, files.done_path);
        code = Json::parse(text).at("exit").get<int>();
    } catch (const std::exception&) {
        why = "the record of it is damaged";
    }
    if (!why.empty()) return {false, 0, why};
    if (!fs::exists(files.json_path)) return {false, 0, "its result is gone"};
    if (is_cut(files.json_path)) return {false, 0, "its result is damaged"};
    return {true, code, ""};
}

void SweepStore::note_inputs(const Arguments& run) const
{
    const Json done = Json::parse(read_text_file(point(run).done_path));
    for (const Json& file : done.at("files")) note_read_file(file.at("path").get<std::string>());
}

void SweepStore::clear(const Arguments& run) const
{
    const Point files = point(run);
    std::error_code ignored;
    for (const std::string& path : {files.done_path, files.json_path, files.error_path, files.inputs_path})
        fs::remove(path, ignored);
}

void SweepStore::keep(const Arguments& run, ProcessEnd end) const
{
    const Point files = point(run);
    if (end.code < 0 || end.code == exit_interrupted || !fs::exists(files.json_path) || !fs::exists(files.inputs_path))
        return;
    Json done = Json::parse(read_text_file(files.inputs_path));
    done["exit"] = end.code;
    done["arguments"] = run;
    write_text_file(files.done_path, done.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    fs::remove(files.inputs_path);
}

}  // namespace weft
