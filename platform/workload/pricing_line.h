// The progress line of a choice among algorithms, which can take minutes on large systems.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/synthesis/choose.h"
#include "platform/workload/progress_line.h"

namespace weft {

class PricingLine {
public:
    explicit PricingLine(bool enabled) : line_(enabled, 0) {}

    // A choice begins: of this collective among so many ranks.
    void begin(CollectiveOp op, std::uint64_t bytes, std::size_t ranks);
    void at(const PricingState& state);

private:
    ProgressLine line_;
    std::string what_;
    std::size_t choices_ = 0;  // that have begun
};

}  // namespace weft
