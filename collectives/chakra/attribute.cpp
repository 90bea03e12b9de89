#include "collectives/chakra/attribute.h"

#include <limits>
#include <utility>

#include "base/diagnostic.h"

namespace weft::chakra {

namespace {

using Kind = AttributeValue::Kind;

// One attribute of one node under conversion.
struct Conversion {
    const Node& node;
    const std::string& name;
    const AttributeValue& value;
    const Origin& origin;

    [[noreturn]] void refuse(const std::string& is, const std::string& expected) const
    {
        throw InputError(origin.file, origin.line,
            origin.context + label_of(node) + ": attribute " + name + " is " + is, expected);
    }

    std::string number() const { return (value.negative ? "-" : "") + std::to_string(value.magnitude); }

    void require_integer() const
    {
        switch (value.kind) {
        case Kind::integer: return;
        case Kind::floating: refuse("a floating-point number", "an integer");
        case Kind::text: refuse("text \"" + printable(value.text, 40) + "\"", "an integer");
        default: refuse("a list", "an integer");
        }
    }

    std::uint64_t count(std::uint64_t limit = std::numeric_limits<std::uint64_t>::max()) const
    {
        require_integer();
        if (value.negative) refuse("negative: " + number(), "an integer of at least 0");
        if (value.magnitude > limit) refuse(number(), "at most " + std::to_string(limit));
        return value.magnitude;
    }

    std::uint64_t positive() const
    {
        const std::uint64_t number = count();
        if (number == 0) refuse("0", "an integer of at least 1");
        return number;
    }

    std::uint32_t rank() const { return static_cast<std::uint32_t>(count(std::numeric_limits<std::int32_t>::max())); }

    std::int64_t signed_number() const
    {
        require_integer();
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (value.magnitude > most) refuse(number(), "an integer of 64 bits with sign");
        const auto magnitude = static_cast<std::int64_t>(value.magnitude);
        return value.negative ? -magnitude : magnitude;
    }

    const std::string& text() const
    {
        if (value.kind != Kind::text) refuse(value.kind == Kind::integer ? number() : "not text", "text");
        return value.text;
    }

    const std::vector<bool>& bool_list() const
    {
        if (value.kind != Kind::bool_list)
            refuse(value.kind == Kind::integer ? "the integer " + number() : "of another type",
                "a list of booleans, one per network dimension");
        return value.bools;
    }
};

// Weft's own: what kernel a compute node is (docs/workloads.md).
void apply_to_product(chakra::MatrixProduct& product, const Conversion& conversion)
{
    const std::string& name = conversion.name;
    if (name == "gemm_m")
        product.m = conversion.positive();
    else if (name == "gemm_n")
        product.n = conversion.positive();
    else if (name == "gemm_k")
        product.k = conversion.positive();
    else if (name == "gemm_count")
        product.count = conversion.positive();
}

void apply_to_collective(Node& node, const Conversion& conversion)
{
    const std::string& name = conversion.name;
    if (name == "comm_type")
        node.comm_type = static_cast<CollectiveType>(conversion.count());
    else if (name == "comm_priority")
        node.priority = conversion.signed_number();
    else if (name == "involved_dim")
        node.involved_dim = conversion.bool_list();
}

void apply_to_transfer(Node& node, const Conversion& conversion)
{
    const std::string& name = conversion.name;
    if (name == "comm_src")
        node.src = conversion.rank();
    else if (name == "comm_dst")
        node.dst = conversion.rank();
    else if (name == "comm_tag")
        node.tag = conversion.signed_number();
}

}  // namespace

AttributeValue AttributeValue::of_signed(std::int64_t value)
{
    AttributeValue out = of_kind(Kind::integer);
    out.negative = value < 0;
    // Unsigned negation: defined for the smallest number as well.
    out.magnitude = out.negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    return out;
}

AttributeValue AttributeValue::of_unsigned(std::uint64_t value)
{
    AttributeValue out = of_kind(Kind::integer);
    out.magnitude = value;
    return out;
}

AttributeValue AttributeValue::of_text(std::string value)
{
    AttributeValue out = of_kind(Kind::text);
    out.text = std::move(value);
    return out;
}

AttributeValue AttributeValue::of_kind(Kind kind)
{
    AttributeValue out;
    out.kind = kind;
    return out;
}

void apply_attribute(Node& node, const std::string& name, const AttributeValue& value, const Origin& origin)
{
    if (value.kind == Kind::none) return;
    const Conversion conversion{node, name, value, origin};
    if (name == "is_cpu_op") {
        conversion.require_integer();
        node.on_cpu = value.magnitude != 0;
    } else if (name == "tensor_size" && (node.type == NodeType::comp || is_memory(node))) {
        node.tensor_size = conversion.count();
    } else if (name == "tensor_loc" && is_memory(node)) {
        node.location = conversion.count();
    } else if (name == "num_ops" && node.type == NodeType::comp) {
        node.num_ops = conversion.count();
    } else if (node.type == NodeType::comp) {
        apply_to_product(node.product, conversion);
    } else if (is_communication(node)) {
        if (name == "comm_size") {
            node.comm_size = conversion.count();
        } else if (name == "pg_name") {
            node.group = conversion.text();
            node.has_group = true;
        } else if (node.type == NodeType::coll) {
            apply_to_collective(node, conversion);
        } else {
            apply_to_transfer(node, conversion);
        }
    }
}

void settle(Node& node)
{
    if (node.comm_type == CollectiveType::barrier && node.comm_size) node.comm_size = 0;
}

std::uint64_t duration_ps_from_micros(std::uint64_t micros, const Node& node, const Origin& origin)
{
    constexpr std::uint64_t ps_per_us = 1000000;
    constexpr std::uint64_t limit = (std::uint64_t{1} << 62) / ps_per_us;
    if (micros > limit)
        throw InputError(origin.file, origin.line,
            origin.context + label_of(node) + ": duration of " + std::to_string(micros) + " us",
            "at most " + std::to_string(limit) + " us");
    return micros * ps_per_us;
}

}  // namespace weft::chakra
