// A process that weft starts tells which files it has read: they are inputs of the command, too.
#pragma once

#include <string>

namespace weft {

// In the environment of such a process: the file that it writes.
constexpr const char* told_reads_variable = "WEFT_READS";

// In the started process, as long as its command runs; nothing in a process without the variable, which goes no further.
class ToldReads {
public:
    ToldReads();
    ~ToldReads();
    ToldReads(const ToldReads&) = delete;
    ToldReads& operator=(const ToldReads&) = delete;

private:
    std::string file_;
};

// The list that an ended process has left in `file`, "" without one. The file is removed.
std::string take_told_reads(const std::string& file);

// Each file of these counts as read by this process. Throws InputError for one that is an output.
void note_told_reads(const std::string& told);

}  // namespace weft
