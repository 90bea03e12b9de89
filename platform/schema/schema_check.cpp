#include "platform/schema/schema_check.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace weft {

namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t most_problems = 50;

bool is_integer(const JsonValue& value)
{
    return value.kind == Kind::number && value.text.find_first_of(".eE") == std::string::npos;
}

bool has_type(const JsonValue& value, const std::string& type)
{
    if (type == "integer") return is_integer(value);
    if (type == "number") return value.kind == Kind::number;
    if (type == "string") return value.kind == Kind::text;
    if (type == "boolean") return value.kind == Kind::boolean;
    if (type == "null") return value.kind == Kind::null;
    if (type == "array") return value.kind == Kind::list;
    return type == "object" && value.kind == Kind::object;
}

bool same_value(const JsonValue& a, const JsonValue& b)
{
    return a.kind == b.kind && a.text == b.text && a.boolean == b.boolean && a.items.empty() && a.members.empty();
}

std::string shown_value(const JsonValue& value)
{
    if (value.kind == Kind::text) return "'" + value.text.substr(0, 40) + "'";
    if (value.kind == Kind::number) return value.text;
    return name_of(value.kind);
}

class SchemaCheck {
public:
    SchemaCheck(const JsonValue& schema, const std::string& file, SchemaFindings& out)
        : root_(schema), file_(file), out_(out)
    {
    }

    void check(const JsonValue& schema, const JsonValue& value, const std::string& place)
    {
        static const std::set<std::string> known{"$schema", "$id", "$defs", "$ref", "title", "description", "type",
            "properties", "required", "additionalProperties", "items", "enum", "const", "minimum", "oneOf"};
        for (const auto& [word, rest] : schema.members)
            if (known.count(word) == 0)
                throw InputError("schema", rest.line, "'" + word + "' is a keyword that the checker does not know",
                    "a keyword that it checks");
        if (out_.problems.size() >= most_problems) return;
        if (const JsonValue* reference = schema.member("$ref")) return check(definition(*reference), value, place);
        if (const JsonValue* branches = schema.member("oneOf"))
            return check(branch(*branches, value, place), value, place);
        if (const JsonValue* type = schema.member("type"); type != nullptr && !check_type(*type, value, place)) return;
        if (const JsonValue* wanted = schema.member("const"); wanted != nullptr && !same_value(*wanted, value))
            problem(value, place + " is " + shown_value(value), shown_value(*wanted));
        if (const JsonValue* choice = schema.member("enum")) check_enum(*choice, value, place);
        if (const JsonValue* least = schema.member("minimum"))
            if (value.kind == Kind::number &&
                std::strtod(value.text.c_str(), nullptr) < std::strtod(least->text.c_str(), nullptr))
                problem(value, place + " is " + value.text, "at least " + least->text);
        if (value.kind == Kind::object) check_members(schema, value, place);
        if (const JsonValue* items = schema.member("items"); items != nullptr && value.kind == Kind::list)
            for (const JsonValue& item : value.items) check(*items, item, place + "[]");
    }

private:
    void problem(const JsonValue& value, std::string what, std::string expected)
    {
        if (out_.problems.size() < most_problems)
            out_.problems.push_back({file_, value.line, std::move(what), std::move(expected)});
    }

    const JsonValue& definition(const JsonValue& reference) const
    {
        const std::string prefix = "#/$defs/";
        const JsonValue* all = root_.member("$defs");
        const JsonValue* found = all != nullptr && reference.text.compare(0, prefix.size(), prefix) == 0
            ? all->member(reference.text.substr(prefix.size()))
            : nullptr;
        if (found == nullptr)
            throw InputError("schema", reference.line, "'" + reference.text + "' is not defined", "#/$defs/NAME");
        return *found;
    }

    // The one whose `schema` is that of the value.
    const JsonValue& branch(const JsonValue& branches, const JsonValue& value, const std::string& place)
    {
        const JsonValue* name = value.member("schema");
        std::string known;
        for (const JsonValue& each : branches.items) {
            const JsonValue& candidate = each.member("$ref") != nullptr ? definition(*each.member("$ref")) : each;
            const JsonValue* properties = candidate.member("properties");
            const JsonValue* own = properties == nullptr ? nullptr : properties->member("schema");
            const JsonValue* wanted = own == nullptr ? nullptr : own->member("const");
            if (wanted == nullptr)
                throw InputError("schema", each.line, "a branch of oneOf without a const 'schema'", "one");
            known += (known.empty() ? "" : ", ") + wanted->text;
            if (name != nullptr && name->text == wanted->text) return candidate;
        }
        problem(name == nullptr ? value : *name,
            place + " has " + (name == nullptr ? "no 'schema'" : "the schema " + shown_value(*name)),
            "one of " + known);
        static const JsonValue nothing;
        return nothing;
    }

    bool check_type(const JsonValue& type, const JsonValue& value, const std::string& place)
    {
        std::string expected;
        for (const JsonValue* each :
            type.kind == Kind::list ? all_of(type.items) : std::vector<const JsonValue*>{&type}) {
            if (has_type(value, each->text)) return true;
            expected += (expected.empty() ? "" : " or ") + each->text;
        }
        problem(value, place + " is " + shown_value(value), expected);
        return false;
    }

    static std::vector<const JsonValue*> all_of(const std::vector<JsonValue>& items)
    {
        std::vector<const JsonValue*> out;
        for (const JsonValue& item : items) out.push_back(&item);
        return out;
    }

    void check_enum(const JsonValue& choice, const JsonValue& value, const std::string& place)
    {
        std::string expected;
        for (const JsonValue& each : choice.items) {
            if (same_value(each, value)) return;
            expected += (expected.empty() ? "" : ", ") + each.text;
        }
        problem(value, place + " is " + shown_value(value), "one of " + expected);
    }

    void check_members(const JsonValue& schema, const JsonValue& value, const std::string& place)
    {
        const JsonValue* properties = schema.member("properties");
        const JsonValue* others = schema.member("additionalProperties");
        if (const JsonValue* required = schema.member("required"))
            for (const JsonValue& name : required->items)
                if (value.member(name.text) == nullptr) problem(value, place + " lacks '" + name.text + "'", "it");
        for (const auto& [name, member] : value.members) {
            const JsonValue* described = properties == nullptr ? nullptr : properties->member(name);
            if (described != nullptr) {
                check(*described, member, place == "the result" ? name : place + "." + name);
            } else if (others != nullptr && others->kind == Kind::object) {
                check(*others, member, place + ".*");
            } else if (seen_.insert(place + "." + name).second) {
                out_.undescribed.push_back(
                    {file_, member.line, "'" + name + "' of " + place + " is not described by the schema", ""});
            }
        }
    }

    const JsonValue& root_;
    const std::string& file_;
    SchemaFindings& out_;
    std::set<std::string> seen_;
};

}  // namespace

SchemaFindings check_against(const JsonValue& schema, const JsonValue& value, const std::string& file)
{
    SchemaFindings out;
    SchemaCheck(schema, file, out).check(schema, value, "the result");
    return out;
}

}  // namespace weft
