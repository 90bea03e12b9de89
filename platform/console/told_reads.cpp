#include "platform/console/told_reads.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/read_files.h"

namespace weft {

ToldReads::ToldReads()
{
    const char* const file = std::getenv(told_reads_variable);
    if (file == nullptr) return;
    file_ = file;
    ::unsetenv(told_reads_variable);
}

ToldReads::~ToldReads()
{
    if (file_.empty()) return;
    std::ofstream out(file_, std::ios::binary | std::ios::trunc);
    for (const std::string& path : read_files()) out << path << '\0';  // which no path has
}

std::string take_told_reads(const std::string& file)
{
    std::string told;
    {
        std::ifstream in(file, std::ios::binary);
        if (!in) return told;
        told.assign(std::istreambuf_iterator<char>(in), {});
    }
    std::remove(file.c_str());
    return told;
}

void note_told_reads(const std::string& told)
{
    for (std::size_t at = 0; at < told.size();) {
        const std::size_t end = told.find('\0', at);
        if (end == std::string::npos) return;  // cut off
        note_read_file(told.substr(at, end - at));
        at = end + 1;
    }
}

}  // namespace weft
