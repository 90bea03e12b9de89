// A file that a command will write at its end, tried at its beginning.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace weft {

class OutputFile {
public:
    enum class Use { replaced, updated };  // updated: the command reads the file first

    // Empty: nowhere. "-", or /dev/stdout: stdout. Throws InputError when the path cannot be written, and where it is the place of another
    // output or an input of the command.
    explicit OutputFile(std::string path, Use use = Use::replaced);

    // Throws InputError when `path` cannot be written; another program or module writes it.
    static void try_path(const std::string& path) { const OutputFile tried(path, Use::updated); }

    bool wanted() const { return !path_.empty(); }
    bool is_stdout() const { return path_ == "-"; }
    const std::string& path() const { return path_; }

    // All of `text` or nothing; devices, pipes and what is open already (/dev/fd/3) are written in place. Throws InputError.
    void write(std::string_view text) const;

private:
    std::string path_;
    bool in_place_ = false;
    bool open_elsewhere_ = false;        // what is there stays
    std::shared_ptr<const void> claim_;  // of the file, or of stdout
};

}  // namespace weft
