#include "platform/console/temporary_folder.h"

#include <cstdlib>
#include <filesystem>

#include "base/diagnostic.h"

namespace weft {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& name)
{
    std::error_code problem;
    const fs::path parent = fs::temp_directory_path(problem);
    path_ = (problem ? fs::path("/tmp") : parent) / (name + "-XXXXXX");
    if (::mkdtemp(path_.data()) == nullptr) throw InputError(path_, 0, "cannot be created", "room for temporary files");
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(std::size_t number, const char* ending) const
{
    return path_ + "/" + std::to_string(number) + ending;
}

}  // namespace weft
