#include "testbenches/rtl/runs/fst_samples.h"

#include <algorithm>

#include <fstapi.h>

namespace weft::test {

namespace {

struct Walk {
    std::map<fstHandle, std::string> name_of;
    std::string clock;
    std::uint64_t ps = 0;
    std::map<std::string, std::string> before, now;
    std::vector<FstSample> samples;

    void go_to(std::uint64_t time)
    {
        if (time == ps) return;
        close();
        before = now;
        ps = time;
    }
    void close()
    {
        if (before[clock] == "0" && now[clock] == "1") samples.push_back({ps, before});
    }
};

void changed(void* user, std::uint64_t time, fstHandle handle, const unsigned char* value)
{
    Walk& walk = *static_cast<Walk*>(user);
    walk.go_to(time);
    walk.now[walk.name_of[handle]] = reinterpret_cast<const char*>(value);
}

}  // namespace

std::vector<FstSample> fst_samples(const std::string& file, const std::string& clock,
    const std::vector<std::string>& names)
{
    void* const reader = fstReaderOpen(file.c_str());
    if (reader == nullptr) return {};
    Walk walk;
    walk.clock = clock;
    fstReaderClrFacProcessMaskAll(reader);
    fstReaderIterateHierRewind(reader);
    while (const fstHier* const entry = fstReaderIterateHier(reader)) {
        if (entry->htyp != FST_HT_VAR || walk.name_of.count(entry->u.var.handle) != 0) continue;
        std::string name = entry->u.var.name;
        name = name.substr(0, name.find(' '));
        if (name != clock && std::find(names.begin(), names.end(), name) == names.end()) continue;
        walk.name_of[entry->u.var.handle] = name;
        fstReaderSetFacProcessMask(reader, entry->u.var.handle);
    }
    fstReaderIterBlocks(reader, changed, &walk, nullptr);
    walk.close();
    fstReaderClose(reader);
    return walk.samples;
}

}  // namespace weft::test
