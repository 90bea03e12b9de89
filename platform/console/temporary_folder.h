// A folder of its own that is gone again when this is.
#pragma once

#include <cstddef>
#include <string>

namespace weft {

class TemporaryFolder {
public:
    // Throws InputError when there is no room for it.
    explicit TemporaryFolder(const std::string& name);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string file(std::size_t number, const char* ending) const;

private:
    std::string path_;
};

}  // namespace weft
