#include "base/element.h"

#include <cstring>

namespace weft {

namespace {

constexpr std::size_t block_bytes = 64;  // reductions run over whole lines; a shorter tail is padded

float as_float(std::uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

std::uint32_t as_bits(float value)
{
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

// Branch-free, so that the loops below vectorise.
inline std::uint16_t round_to_bf16(std::uint32_t bits)
{
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const std::uint32_t quiet = (bits >> 16) | 0x40u;
    return static_cast<std::uint16_t>(is_nan(bits) ? quiet : rounded);
}

// A comparison with NaN is false: `operand` replaces a NaN accumulator and never brings one in.
template <typename T>
inline T smaller(T accumulator, T operand)
{
    return operand < accumulator || accumulator != accumulator ? operand : accumulator;
}

template <typename T>
inline T larger(T accumulator, T operand)
{
    return accumulator < operand || accumulator != accumulator ? operand : accumulator;
}

template <typename T>
inline T combine(ReduceOp op, T accumulator, T operand)
{
    if (op == ReduceOp::min) return smaller(accumulator, operand);
    if (op == ReduceOp::max) return larger(accumulator, operand);
    return static_cast<T>(accumulator + operand);
}

struct Int32 {
    using Stored = std::int32_t;
    template <ReduceOp op>
    static Stored apply(Stored a, Stored b)
    {
        if (op != ReduceOp::sum) return combine(op, a, b);
        return static_cast<Stored>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    }
};

struct Fp32 {
    using Stored = std::uint32_t;
    template <ReduceOp op>
    static Stored apply(Stored a, Stored b)
    {
        const std::uint32_t bits = as_bits(combine(op, as_float(a), as_float(b)));
        return is_nan(bits) ? 0x7fffffffu : bits;
    }
};

struct Bf16 {
    using Stored = std::uint16_t;
    template <ReduceOp op>
    static Stored apply(Stored a, Stored b)
    {
        const float wide_a = as_float(static_cast<std::uint32_t>(a) << 16);
        const float wide_b = as_float(static_cast<std::uint32_t>(b) << 16);
        const std::uint32_t bits = as_bits(combine(op, wide_a, wide_b));
        return is_nan(bits) ? std::uint16_t{0x7fff} : round_to_bf16(bits);
    }
};

struct Bytes {
    using Stored = std::uint8_t;
    template <ReduceOp op>
    static Stored apply(Stored a, Stored b)
    {
        return combine(op, a, b);
    }
};

template <typename Type, ReduceOp op>
void reduce_block(std::uint8_t* accumulator, const std::uint8_t* operand, std::size_t bytes)
{
    using Stored = typename Type::Stored;
    constexpr std::size_t count = block_bytes / sizeof(Stored);
    Stored a[count] = {};
    Stored b[count] = {};
    std::memcpy(a, accumulator, bytes);
    std::memcpy(b, operand, bytes);
    for (std::size_t i = 0; i < count; ++i) a[i] = Type::template apply<op>(a[i], b[i]);
    std::memcpy(accumulator, a, bytes);
}

template <typename Type, ReduceOp op>
void reduce_all(std::uint8_t* accumulator, const std::uint8_t* operand, std::size_t bytes)
{
    for (; bytes >= block_bytes; bytes -= block_bytes) {
        reduce_block<Type, op>(accumulator, operand, block_bytes);
        accumulator += block_bytes;
        operand += block_bytes;
    }
    if (bytes > 0) reduce_block<Type, op>(accumulator, operand, bytes);
}

template <typename Type>
void reduce_by(ReduceOp op, std::uint8_t* accumulator, const std::uint8_t* operand, std::size_t bytes)
{
    switch (op) {
    case ReduceOp::sum: return reduce_all<Type, ReduceOp::sum>(accumulator, operand, bytes);
    case ReduceOp::min: return reduce_all<Type, ReduceOp::min>(accumulator, operand, bytes);
    case ReduceOp::max: return reduce_all<Type, ReduceOp::max>(accumulator, operand, bytes);
    }
}

}  // namespace

const char* name_of(ElementType type)
{
    switch (type) {
    case ElementType::int32: return "int32";
    case ElementType::fp32: return "fp32";
    case ElementType::bf16: return "bf16";
    case ElementType::u8: return "u8";
    }
    return "?";
}

const char* name_of(ReduceOp op)
{
    switch (op) {
    case ReduceOp::sum: return "sum";
    case ReduceOp::min: return "min";
    case ReduceOp::max: return "max";
    }
    return "?";
}

bool element_type_from_name(const std::string& name, ElementType& type)
{
    for (ElementType known : {ElementType::int32, ElementType::fp32, ElementType::bf16, ElementType::u8})
        if (name == name_of(known)) {
            type = known;
            return true;
        }
    return false;
}

std::uint32_t size_of(ElementType type)
{
    switch (type) {
    case ElementType::int32:
    case ElementType::fp32: return 4;
    case ElementType::bf16: return 2;
    case ElementType::u8: return 1;
    }
    return 1;
}

std::uint16_t fp32_to_bf16(float value) { return round_to_bf16(as_bits(value)); }

float bf16_to_fp32(std::uint16_t value) { return as_float(static_cast<std::uint32_t>(value) << 16); }

void reduce_elements(ElementType type, ReduceOp op, std::uint8_t* accumulator, const std::uint8_t* operand,
    std::size_t bytes)
{
    switch (type) {
    case ElementType::int32: return reduce_by<Int32>(op, accumulator, operand, bytes);
    case ElementType::fp32: return reduce_by<Fp32>(op, accumulator, operand, bytes);
    case ElementType::bf16: return reduce_by<Bf16>(op, accumulator, operand, bytes);
    case ElementType::u8: return reduce_by<Bytes>(op, accumulator, operand, bytes);
    }
}

}  // namespace weft
