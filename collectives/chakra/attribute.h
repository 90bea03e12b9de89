// The value of one attribute, whatever the file form, and what becomes of it in a Node. Integers and
// booleans of every width convert into each other; text or floating point where an integer belongs,
// and negative sizes or ranks, are errors that name node and attribute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/chakra/node.h"

namespace weft::chakra {

struct AttributeValue {
    enum class Kind : std::uint8_t { none, integer, floating, text, bool_list, list };
    Kind kind = Kind::none;
    bool negative = false;
    std::uint64_t magnitude = 0;  // integer: absolute value
    std::string text;
    std::vector<bool> bools;

    static AttributeValue of_signed(std::int64_t value);
    static AttributeValue of_unsigned(std::uint64_t value);
    static AttributeValue of_text(std::string value);
    static AttributeValue of_kind(Kind kind);
};

// Where an attribute was read, for diagnostics. `context` precedes the text ("byte 77: ").
struct Origin {
    const std::string& file;
    int line = 0;
    std::string context;
};

// Sets the member of `node` (whose id, name and type are already set) that `name` stands for; names
// without meaning on this type of node and attributes without value are passed over. Throws InputError.
void apply_attribute(Node& node, const std::string& name, const AttributeValue& value, const Origin& origin);

// To be called when all attributes are set: a barrier moves nothing, whatever its comm_size.
void settle(Node& node);

// Microseconds as ps. Throws InputError when they do not fit.
std::uint64_t duration_ps_from_micros(std::uint64_t micros, const Node& node, const Origin& origin);

}  // namespace weft::chakra
