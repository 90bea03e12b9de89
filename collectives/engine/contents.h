// The input and the expected output of collectives: the check of results in memory.
//
// Inputs are a function of (rank, element, seed). int32 and u8 use all bits and wrap. fp32 and bf16 hold
// integers so small that every partial sum is exact, so that the expected result does not depend on
// the order of additions (bf16 is exact up to 256: with many ranks only the first 256 contribute).
#pragma once

#include <cstdint>
#include <functional>
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

// Empty when every output chunk holds what the collective demands; otherwise the first difference,
// with rank, byte offset, expected and found. Custom schedules and barriers have nothing to compare.
std::string check_outputs(const Schedule& schedule, const Layout& layout, ElementType type, std::uint64_t seed,
    const ReadOutput& read);

}  // namespace weft
