// A file that a command will write at its end, tried at its beginning.
#pragma once

#include <string>
#include <string_view>

namespace weft {

class OutputFile {
public:
    // Empty: nowhere. "-": stdout. Throws InputError when the path cannot be written.
    explicit OutputFile(std::string path);

    bool wanted() const { return !path_.empty(); }
    bool is_stdout() const { return path_ == "-"; }
    const std::string& path() const { return path_; }

    // All of `text` or nothing; devices and pipes are written in place. Throws InputError.
    void write(std::string_view text) const;

private:
    std::string path_;
    bool in_place_ = false;
};

}  // namespace weft
