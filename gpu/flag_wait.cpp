#include "gpu/flag_wait.h"

namespace weft {

void FlagWait::begin(const std::vector<Operation>& operations, std::size_t first, std::uint32_t most)
{
    const std::size_t end = std::min<std::size_t>(operations.size(), first + most);
    const auto known = [&](std::size_t wait) {
        for (std::size_t i = first; i < wait; ++i)
            if (operations[i].address == operations[wait].address) return true;
        return false;
    };
    std::size_t behind = first + 1;
    while (behind < end && operations[behind].kind == Operation::Kind::wait && !known(behind)) ++behind;
    flags_ = static_cast<std::uint32_t>(behind - first);
    missing_ = static_cast<std::uint32_t>((std::uint64_t{1} << flags_) - 1);
    to_issue_ = in_flight_ = 0;
}

}  // namespace weft
