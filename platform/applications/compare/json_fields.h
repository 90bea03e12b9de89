// Members of JSON objects that a reader needs. All throw InputError with file and line.
#pragma once

#include <string>

#include "collectives/plans/json_tree.h"

namespace weft {

class JsonFields {
public:
    JsonFields(const std::string& file, const JsonValue& object);

    const JsonValue& need(const std::string& key, JsonValue::Kind kind) const;
    const std::string& text(const std::string& key) const;
    double number(const std::string& key) const;
    // A whole number, 0 or more.
    const JsonValue& count(const std::string& key) const;
    const JsonValue& list(const std::string& key) const;
    const JsonValue& object(const std::string& key) const;
    // Null where the member is missing or null.
    const JsonValue* maybe(const std::string& key) const;
    const JsonValue* maybe_count(const std::string& key) const;

private:
    const std::string& file_;
    const JsonValue& object_;
};

double number_of(const JsonValue& value);

}  // namespace weft
