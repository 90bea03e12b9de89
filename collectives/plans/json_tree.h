// JSON as a tree with line numbers, for messages that name the place.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft {

struct JsonValue {
    enum class Kind : std::uint8_t { null, boolean, number, text, list, object };
    Kind kind = Kind::null;
    int line = 0;  // where the value begins; of a number or word, where it ends
    bool boolean = false;
    bool whole = false;  // a number without sign or fraction below 2^64, in `number`
    std::uint64_t number = 0;
    std::string text;  // of a text, or of a number as written
    std::vector<JsonValue> items;
    std::vector<std::pair<std::string, JsonValue>> members;  // in the order of the file

    const JsonValue* member(const std::string& name) const;  // null when there is none
};

const char* name_of(JsonValue::Kind kind);
// A text of the file in a message: in quotes, short, '?' for what is no printable ASCII.
std::string shown(const std::string& text);

// Throws InputError that names `file` and the line.
JsonValue read_json(const std::string& text, const std::string& file);

}  // namespace weft
