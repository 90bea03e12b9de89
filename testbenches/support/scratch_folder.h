// A folder of a test's own, gone again with it: tests run side by side, so no two may share a file.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace weft::test {

class ScratchFolder {
public:
    ScratchFolder()
    {
        path_ = (std::filesystem::temp_directory_path() / "weft-test-XXXXXX").string();
        if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error(path_ + ": no temporary folder");
    }

    ~ScratchFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace weft::test
