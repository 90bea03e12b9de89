// A folder with small systems for the command tests.
#pragma once

#include <string>
#include <vector>

#include "testbenches/support/scratch_folder.h"

namespace weft::commands_test {

class Fixtures {
public:
    // pair.yaml: two xpus with one link. pair_system.yaml: the same with an all_reduce of 4 KiB.
    Fixtures();

    std::string path(const std::string& name) const { return folder_.file(name); }
    std::string write(const std::string& name, const std::string& text) const;
    std::string read(const std::string& name) const;
    std::vector<std::string> names() const;  // of all files, sorted

    std::string pair() const { return path("pair.yaml"); }
    std::string pair_system() const { return path("pair_system.yaml"); }

private:
    test::ScratchFolder folder_;
};

}  // namespace weft::commands_test
