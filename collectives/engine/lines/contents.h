// The input and the expected output of collectives: the check of results in memory.
//
// Inputs are a function of (rank, element, seed). int32 and u8 use all bits and wrap. fp32 and bf16 hold
// integers so small that every partial sum is exact, so that the expected result does not depend on
// the order of additions (bf16 is exact up to 256: with many ranks only the first 256 contribute).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/element.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// Bytes [begin, begin + bytes) of the input of `rank` (of `ranks`); begin and bytes are whole elements.
void fill_input(ElementType type, std::uint32_t rank, std::uint32_t ranks, std::uint64_t seed, std::uint64_t begin,
    std::uint64_t bytes, std::uint8_t* out);

// Reads a range of the output of a rank.
using ReadOutput = std::function<void(std::uint32_t rank, std::uint64_t begin, std::uint64_t bytes, std::uint8_t* out)>;

// An output chunk that does not hold what the collective demands.
struct OutputMismatch {
    std::uint32_t chunk = 0;
    std::uint32_t rank = 0;
    std::string text;  // with rank, byte offset, expected and found
};

// Nothing when every output chunk holds what the collective demands; otherwise the first one that does not, by chunk and rank. Custom
// schedules and barriers have nothing to compare. `holds`: only ranks for which it is true are compared; null: all.
std::optional<OutputMismatch> check_outputs(const Schedule& schedule, const Layout& layout, ElementType type,
    std::uint64_t seed, const ReadOutput& read, const std::function<bool(std::uint32_t rank)>& holds = nullptr);

}  // namespace weft
