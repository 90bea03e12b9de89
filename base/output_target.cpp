#include "base/output_target.h"

#include <filesystem>

#include <sys/stat.h>

namespace weft {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as the kernel follows

// Names in folders of /proc are those of open files, and links to them at the same time.
bool in_proc(const fs::path& path)
{
    std::error_code error;
    const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
    const auto first = std::next(folder.begin(), folder.has_root_directory() ? 1 : 0);
    return !error && first != folder.end() && *first == "proc";
}

}  // namespace

OutputTarget output_target(const std::string& path)
{
    std::error_code error;
    fs::path at = path;
    for (int link = 0; link < most_links; ++link) {
        if (in_proc(at)) return {path, true};
        if (fs::symlink_status(at, error).type() != fs::file_type::symlink) return {at.string(), false};
        const fs::path next = fs::read_symlink(at, error);
        if (error) break;
        at = next.is_absolute() ? next : at.parent_path() / next;
    }
    return {path, false};
}

bool is_open_on(const std::string& path, int descriptor)
{
    struct stat named {};
    struct stat open {};
    return ::stat(path.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 && named.st_dev == open.st_dev &&
        named.st_ino == open.st_ino;
}

}  // namespace weft
