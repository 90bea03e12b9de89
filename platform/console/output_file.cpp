#include "platform/console/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "base/output_target.h"
#include "base/read_files.h"
#include "base/text_file.h"
#include "platform/console/messages.h"
#include "platform/console/standard_output.h"

namespace weft {

namespace {

InputError unwritable(const std::string& path, int code)
{
    return {path, 0, std::string("cannot be written: ") + std::strerror(code), "a writable path"};
}

}  // namespace

OutputFile::OutputFile(std::string path, Use use) : path_(std::move(path))
{
    if (!wanted()) return;
    const OutputTarget target = is_stdout() ? OutputTarget{path_, true} : output_target(path_);
    if (target.descriptor && is_open_on(path_, STDOUT_FILENO)) path_ = "-";
    if (is_stdout()) {
        static std::weak_ptr<const void> claim_of_stdout;
        if (!claim_of_stdout.expired())
            throw usage_error("two outputs go to the standard output", "'-' for one of them");
        claim_ = std::make_shared<const bool>(true);
        claim_of_stdout = claim_;
        return;
    }
    struct stat info {};
    if (::stat(path_.c_str(), &info) == 0) {
        if (S_ISDIR(info.st_mode)) throw InputError(path_, 0, "is a folder", "a file to write");
        open_elsewhere_ = target.descriptor;
        in_place_ = open_elsewhere_ || !S_ISREG(info.st_mode);
        const int output = ::fileno(results());  // descriptor 1 may be stderr by now
        for (const int stream : {output, STDERR_FILENO})
            if (!in_place_ && is_open_on(path_, stream))
                throw InputError(path_, 0,
                    std::string("the standard ") + (stream == output ? "output" : "error output") +
                        " goes to this file, too",
                    "another file");
        if (::access(path_.c_str(), W_OK) != 0) throw unwritable(path_, errno);
    }
    if (in_place_) return;
    if (use == Use::replaced) claim_ = claim_output_file(path_);
    const std::string trial = target.path + ".try" + std::to_string(::getpid());
    std::FILE* file = std::fopen(trial.c_str(), "wbx");
    if (file == nullptr) throw unwritable(path_, errno);
    std::fclose(file);
    std::remove(trial.c_str());
}

void OutputFile::write(std::string_view text) const
{
    if (!wanted()) return;
    if (is_stdout()) return print(text);
    if (!in_place_) return write_text_file(path_, text);
    std::FILE* file = std::fopen(path_.c_str(), open_elsewhere_ ? "ab" : "wb");
    bool good = file != nullptr;
    if (good) {
        good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
        good = std::fclose(file) == 0 && good;
    }
    if (!good) throw unwritable(path_, errno);
}

}  // namespace weft
