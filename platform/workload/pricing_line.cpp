#include "platform/workload/pricing_line.h"

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

void PricingLine::begin(CollectiveOp op, std::uint64_t bytes, std::size_t ranks)
{
    what_ = fmt::format("{} of {} among {} ranks", name_of(op), format_bytes(bytes), ranks);
    if (++choices_ > 1) what_ += fmt::format(", choice {}", choices_);
}

void PricingLine::at(const PricingState& state)
{
    if (!line_.due()) return;
    const std::string where = state.done < state.all
        ? fmt::format("{} of {} algorithms estimated, now {}", state.done, state.all, state.algorithm)
        : fmt::format("all {} algorithms estimated, now the terms of {}", state.all, state.algorithm);
    line_.show(fmt::format("weft: {}: {}, {:.0f} s", what_, where, line_.seconds()));
}

}  // namespace weft
