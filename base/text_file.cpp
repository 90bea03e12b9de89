#include "base/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "base/output_target.h"
#include "base/plain_or_gzip.h"
#include "base/read_files.h"

namespace weft {

bool is_stream(const std::string& path)
{
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

std::string read_text_file(const std::string& path, std::size_t limit)
{
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0)
        throw InputError(path, 0, std::string("cannot be read: ") + std::strerror(errno), "a readable file");
    if (S_ISDIR(info.st_mode)) throw InputError(path, 0, "is a folder", "a file");
    note_read_file(path);

    static std::map<std::string, std::string> streams;
    const bool stream = !S_ISREG(info.st_mode);
    if (const auto known = streams.find(path); stream && known != streams.end()) return known->second;

    std::string problem;
    PlainOrGzip file(path, problem);
    if (!problem.empty()) throw InputError(path, 0, "cannot be read: " + problem, "a readable file");
    std::string contents;
    char buffer[1U << 16];
    while (const std::size_t count = file.read(buffer, sizeof buffer, problem)) {
        contents.append(buffer, count);
        if (contents.size() > limit) {
            problem = "larger than " + std::to_string(limit) + " bytes";
            break;
        }
    }
    if (!problem.empty()) throw InputError(path, 0, "cannot be read: " + problem, "plain text or whole gzip data");
    if (contents.compare(0, 3, "\xef\xbb\xbf") == 0) contents.erase(0, 3);
    if (stream) streams[path] = contents;
    return contents;
}

void write_text_file(const std::string& path, std::string_view contents)
{
    const std::string target = output_target(path).path;
    const std::string temporary = target + ".tmp" + std::to_string(::getpid());
    // The new file gets the owner and the mode of the one that it replaces, as far as this process may set them.
    struct stat old {};
    const bool replaces = ::stat(target.c_str(), &old) == 0;
    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    int problem = file == nullptr ? errno : 0;
    const auto note = [&problem](bool good) {
        if (!good && problem == 0) problem = errno;
    };
    if (file != nullptr) {
        note(std::fwrite(contents.data(), 1, contents.size(), file) == contents.size());
        if (replaces) {
            [[maybe_unused]] const int owner = ::fchown(::fileno(file), old.st_uid, old.st_gid);
            ::fchmod(::fileno(file), old.st_mode & 07777U);
        }
        note(std::fclose(file) == 0);
        note(problem != 0 || std::rename(temporary.c_str(), target.c_str()) == 0);
    }
    if (problem != 0) {
        const std::string reason = std::strerror(problem);
        std::remove(temporary.c_str());
        throw InputError(path, 0, "cannot be written: " + reason, "a writable path");
    }
}

}  // namespace weft
