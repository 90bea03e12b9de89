// Many node or edge names in few words: "dgx.0.xpu.0" to "dgx.0.xpu.7" become "dgx.0.xpu.[0-7]".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft {

struct NameGroup {
    std::string text;       // elements that vary as "[0-3,8]"
    std::size_t count = 0;  // names in it
};

// Names are elements of letters or numbers joined by '.' and '~'. Exact while that takes at most `most`
// groups; beyond, names that differ only in numbers become one group that may also cover others (its
// count says how many it stands for).
std::vector<NameGroup> group_names(const std::vector<std::string>& names, std::size_t most = 16);

}  // namespace weft
