#include "platform/applications/sweep/sweep_store.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "platform/result/input_files.h"

namespace weft {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

}  // namespace

SweepStore::SweepStore(std::string folder) : folder_(std::move(folder))
{
    std::error_code error;
    fs::create_directories(folder_, error);
    if (!fs::is_directory(folder_))
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
    const std::string why = out_of_date(text, files.done_path);
    if (!why.empty()) return {false, 0, why};
    if (!fs::exists(files.json_path)) return {false, 0, "its result is gone"};
    return {true, Json::parse(text).at("exit").get<int>(), ""};
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
