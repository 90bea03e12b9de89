#include "base/read_files.h"

#include <mutex>
#include <set>

namespace weft {

namespace {

struct ReadFiles {
    std::mutex mutex;
    std::set<std::string> paths;
};

ReadFiles& noted()
{
    static ReadFiles files_of_process;
    return files_of_process;
}

}  // namespace

void note_read_file(const std::string& path)
{
    ReadFiles& all = noted();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.paths.insert(path);
}

std::vector<std::string> read_files()
{
    ReadFiles& all = noted();
    const std::lock_guard<std::mutex> lock(all.mutex);
    return {all.paths.begin(), all.paths.end()};
}

}  // namespace weft
