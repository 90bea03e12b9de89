// Element types and reductions of collectives, exactly as the modelled hardware performs them.
//
// int32 wraps. fp32 is IEEE-754 binary32, round to nearest even. bf16 is converted to fp32, reduced
// there and rounded back to bf16 to nearest even after every pairwise operation. A NaN that an operation
// gives is always the same one, whatever the operands' were: 0x7fffffff, as bf16 0x7fff. u8 exists for messages
// that are not whole 4-byte elements and wraps.
// min and max of a number and a NaN is the number; of +0 and -0 it is the accumulator's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

enum class ElementType : std::uint8_t { int32, fp32, bf16, u8 };
enum class ReduceOp : std::uint8_t { sum, min, max };

const char* name_of(ElementType type);
const char* name_of(ReduceOp op);
bool element_type_from_name(const std::string& name, ElementType& type);
std::uint32_t size_of(ElementType type);

std::uint16_t fp32_to_bf16(float value);  // round to nearest even; a NaN is made quiet
float bf16_to_fp32(std::uint16_t value);

// accumulator[i] = accumulator[i] op operand[i] over `bytes` bytes (whole elements, any alignment).
void reduce_elements(ElementType type, ReduceOp op, std::uint8_t* accumulator, const std::uint8_t* operand,
    std::size_t bytes);

}  // namespace weft
