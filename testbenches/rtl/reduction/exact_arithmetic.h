// What operations on elements give, computed by whole numbers alone: no floating point, nothing of base/element.h.
#pragma once

#include <cstdint>

#include "base/element.h"

namespace weft::test {

std::uint32_t exact_fp32_sum(std::uint32_t a, std::uint32_t b);
std::uint16_t exact_bf16_sum(std::uint16_t a, std::uint16_t b);

// A line of 64 bytes: accumulator op operand, element by element.
void exact_combine(ElementType type, ReduceOp op, std::uint8_t* accumulator, const std::uint8_t* operand);

}  // namespace weft::test
