// Rules of the source tree, checked on the text of the sources: floors, SystemC-free areas, length of
// files, READMEs, left-over notes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::structure {

// A folder and everything below it, up to a longer entry of the table.
struct Area {
    std::string_view folder;  // from the repository root
    int floor;                // may include itself and areas on lower floors
    bool systemc;             // false: no SystemC header, and no area that is allowed one
};

// The one table of what may include what.
const std::vector<Area>& areas();

struct SourceFile {
    std::string path;  // from the repository root, '/' between folders
    std::vector<std::string> lines;
};

struct Finding {
    std::string file;
    int line = 0;  // 1-based; 0 = the file or folder as a whole
    std::string what;

    std::string text() const;  // "file:line: what"
};

// C++, SystemVerilog, CMake and shell sources below the areas, `cmake` and `tools`, sorted by path.
// Throws InputError when one cannot be read.
std::vector<SourceFile> read_sources(const std::string& root);

// An #include of a higher floor, of another area on the same floor, of SystemC where it has no place,
// or one that is not written from the repository root.
std::vector<Finding> check_includes(const SourceFile& source);

// Folders whose files must not reach SystemC by any chain of includes: they can be built and tested without it.
const std::vector<std::string_view>& folders_without_systemc();
std::vector<Finding> check_without_systemc(const std::vector<SourceFile>& sources);

// More than `limit` lines.
std::vector<Finding> check_length(const SourceFile& source, std::size_t limit);

// Variables that a whole process shares and that can change; `what` of a finding is the name.
std::vector<Finding> find_process_state(const SourceFile& source);

// Words that mark unfinished work.
std::vector<Finding> check_words(const SourceFile& source);

// Top folders of the table that hold C++ or SystemVerilog but no README.md.
std::vector<Finding> check_readmes(const std::string& root, const std::vector<SourceFile>& sources);

}  // namespace weft::structure
