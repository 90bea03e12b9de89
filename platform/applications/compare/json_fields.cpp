#include "platform/applications/compare/json_fields.h"

#include <cstdlib>

#include "base/diagnostic.h"

namespace weft {

JsonFields::JsonFields(const std::string& file, const JsonValue& object) : file_(file), object_(object)
{
    if (object.kind != JsonValue::Kind::object)
        throw InputError(file, object.line, std::string(name_of(object.kind)) + " in the place of an object",
            "an object");
}

const JsonValue& JsonFields::need(const std::string& key, JsonValue::Kind kind) const
{
    const JsonValue* found = object_.member(key);
    if (found == nullptr) throw InputError(file_, object_.line, "the object lacks '" + key + "'", name_of(kind));
    if (found->kind != kind)
        throw InputError(file_, found->line, "'" + key + "' is " + name_of(found->kind), name_of(kind));
    return *found;
}

const std::string& JsonFields::text(const std::string& key) const { return need(key, JsonValue::Kind::text).text; }

double JsonFields::number(const std::string& key) const { return number_of(need(key, JsonValue::Kind::number)); }

const JsonValue& JsonFields::count(const std::string& key) const
{
    const JsonValue& value = need(key, JsonValue::Kind::number);
    if (value.text.find_first_not_of("0123456789") != std::string::npos)
        throw InputError(file_, value.line, "'" + key + "' is " + value.text, "a whole number of 0 or more");
    return value;
}

const JsonValue& JsonFields::list(const std::string& key) const { return need(key, JsonValue::Kind::list); }

const JsonValue& JsonFields::object(const std::string& key) const { return need(key, JsonValue::Kind::object); }

const JsonValue* JsonFields::maybe(const std::string& key) const
{
    const JsonValue* found = object_.member(key);
    return found == nullptr || found->kind == JsonValue::Kind::null ? nullptr : found;
}

const JsonValue* JsonFields::maybe_count(const std::string& key) const
{
    return maybe(key) == nullptr ? nullptr : &count(key);
}

double number_of(const JsonValue& value) { return std::strtod(value.text.c_str(), nullptr); }

}  // namespace weft
