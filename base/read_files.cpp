#include "base/read_files.h"

#include <filesystem>
#include <mutex>
#include <set>

#include "base/diagnostic.h"

namespace weft {

namespace {

struct Files {
    std::mutex mutex;
    std::set<std::string> read;
    std::set<std::string> outputs;  // one_name() of each
};

Files& noted()
{
    static Files files_of_process;
    return files_of_process;
}

// The same for all paths to one file, whether it is there or not.
std::string one_name(const std::string& path)
{
    std::error_code error;
    const std::filesystem::path full = std::filesystem::absolute(path, error);
    const std::filesystem::path real = std::filesystem::weakly_canonical(full, error);
    return (error ? full.lexically_normal() : real).string();
}

[[noreturn]] void refuse_both(const std::string& path)
{
    throw InputError(path, 0, "is an input of this command and one of its outputs", "another file for the output");
}

}  // namespace

void note_read_file(const std::string& path)
{
    Files& all = noted();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (!all.outputs.empty() && all.outputs.count(one_name(path)) > 0) refuse_both(path);
    all.read.insert(path);
}

std::vector<std::string> read_files()
{
    Files& all = noted();
    const std::lock_guard<std::mutex> lock(all.mutex);
    return {all.read.begin(), all.read.end()};
}

OutputClaim claim_output_file(const std::string& path)
{
    Files& all = noted();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const std::string name = one_name(path);
    for (const std::string& read : all.read)
        if (one_name(read) == name) refuse_both(path);
    if (!all.outputs.insert(name).second)
        throw InputError(path, 0, "two outputs of this command go to this file", "a file for each output");
    return OutputClaim(nullptr, [name](const void*) {
        Files& files = noted();
        const std::lock_guard<std::mutex> again(files.mutex);
        files.outputs.erase(name);
    });
}

}  // namespace weft
