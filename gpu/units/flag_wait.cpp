#include "gpu/units/flag_wait.h"

#include <array>

namespace weft {

void FlagWait::begin(const std::vector<Operation>& operations, std::size_t first, std::uint32_t repeat,
    std::uint32_t most)
{
    std::array<std::uint64_t, most_flags> known;
    flags_ = 0;
    while (flags_ < most && first < operations.size()) {
        const Operation& operation = operations[first];
        if (operation.kind != Operation::Kind::wait) break;
        const std::uint64_t flag = operation.address_of(repeat);
        if (std::find(known.begin(), known.begin() + flags_, flag) != known.begin() + flags_) break;
        known[flags_++] = flag;
        if (repeat++ == operation.repeats) {
            ++first;
            repeat = 0;
        }
    }
    missing_ = static_cast<std::uint32_t>((std::uint64_t{1} << flags_) - 1);
    to_issue_ = in_flight_ = 0;
}

}  // namespace weft
