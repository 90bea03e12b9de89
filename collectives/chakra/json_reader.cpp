#include "collectives/chakra/json_reader.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "collectives/chakra/attribute.h"
#include "collectives/chakra/json_text.h"

namespace weft::chakra {

namespace {

using nlohmann::json;

AttributeValue value_of(const json& value)
{
    using Kind = AttributeValue::Kind;
    if (value.is_number_unsigned()) return AttributeValue::of_unsigned(value.get<std::uint64_t>());
    if (value.is_number_integer()) return AttributeValue::of_signed(value.get<std::int64_t>());
    if (value.is_boolean()) return AttributeValue::of_unsigned(value.get<bool>() ? 1 : 0);
    if (value.is_number_float()) return AttributeValue::of_kind(Kind::floating);
    if (value.is_string()) return AttributeValue::of_text(value.get<std::string>());
    if (value.is_null()) return {};
    const auto is_bool = [](const json& element) { return element.is_boolean(); };
    if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_bool))
        return AttributeValue::of_kind(Kind::list);
    AttributeValue list = AttributeValue::of_kind(Kind::bool_list);
    for (const json& element : value) list.bools.push_back(element.get<bool>());
    return list;
}

// The members of one node that every node has.
class Members {
public:
    Members(const json& object, const Origin& origin) : object_(object), origin_(origin) {}

    const json& required(const char* key) const
    {
        const auto found = object_.find(key);
        if (found == object_.end())
            throw InputError(origin_.file, origin_.line, std::string("a node without ") + key,
                "Id, NodeType and data_deps in every node");
        return *found;
    }

    std::uint64_t number(const char* key, const json& value, std::uint64_t limit) const
    {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > limit)
            throw InputError(origin_.file, origin_.line, std::string(key) + " is " + brief_text(value),
                "an integer from 0 to " + std::to_string(limit));
        return value.get<std::uint64_t>();
    }

private:
    const json& object_;
    const Origin& origin_;
};

Node node_from_json(const json& object, const Origin& origin)
{
    constexpr auto any = std::numeric_limits<std::uint64_t>::max();
    const Members members(object, origin);
    Node node;
    node.line = origin.line;
    node.id = members.number("Id", members.required("Id"), any);
    node.type = static_cast<NodeType>(
        members.number("NodeType", members.required("NodeType"), std::numeric_limits<std::int32_t>::max()));
    const json& deps = members.required("data_deps");
    if (!deps.is_array())
        throw InputError(origin.file, origin.line, "data_deps is not an array", "an array of node ids");
    for (const json& dep : deps) node.data_deps.push_back(members.number("data_deps", dep, any));
    for (const auto& [key, value] : object.items()) {
        if (key == "Name" && value.is_string()) {
            node.name = value.get<std::string>();
        } else if (key == "runtime") {
            node.duration_ps = duration_ps_from_micros(members.number("runtime", value, any), node, origin);
            node.duration_stated = true;
        } else {
            apply_attribute(node, key, value_of(value), origin);
        }
    }
    settle(node);
    return node;
}

json parse(const std::string& text, const std::string& file, int line)
{
    std::string repeated;
    json value = json::parse(text, note_repeated_key(repeated), false);
    if (value.is_discarded()) throw InputError(file, line, "not valid JSON: " + printable(text, 40), "a JSON value");
    if (!repeated.empty()) throw InputError(file, line, "key " + brief_text(repeated) + " twice", "once");
    return value;
}

bool is_key_of_jsonizer(const std::string& key)
{
    static const char* const keys[] = {"version", "attr", "id", "name", "type", "ctrlDeps", "dataDeps",
        "durationMicros"};
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

constexpr const char* trace_forms = "protobuf traces PREFIX.<rank>.et, or JSON with a \"workload_graph\"";
constexpr const char* conversion =
    "of each rank make one with chakra_trace_link --rank N --chakra-host-trace HOST.json --chakra-device-trace "
    "PROFILE.json "
    "--output-file LINKED.json and chakra_converter PyTorch --input LINKED.json --output PREFIX.N.et";

}  // namespace

JsonReader::JsonReader(const std::string& path) : scanner_(path) { find_graph(); }

std::string JsonReader::read_key()
{
    if (!metadata_.attributes.empty()) scanner_.expect(',');
    const int line = scanner_.line();
    const json key = parse(scanner_.value(), file(), line);
    if (!key.is_string()) throw InputError(file(), line, "a key that is not text", "a JSON object");
    const std::vector<std::string>& earlier = metadata_.attributes;
    if (std::find(earlier.begin(), earlier.end(), key.get<std::string>()) != earlier.end())
        throw InputError(file(), line, "key " + brief_text(key) + " twice", "once");
    scanner_.expect(':');
    metadata_.attributes.push_back(key.get<std::string>());
    return metadata_.attributes.back();
}

void JsonReader::skip_value(const std::string& key)
{
    const int line = scanner_.line();
    if (!json::accept(scanner_.value()))
        throw InputError(file(), line, "the value of \"" + printable(key) + "\" is not valid JSON", "a JSON value");
}

void JsonReader::refuse_without_graph()
{
    scanner_.expect('}');
    const auto& keys = metadata_.attributes;
    if (scanner_.peek() == '{' || std::any_of(keys.begin(), keys.end(), is_key_of_jsonizer))
        throw InputError(file(), 0, "looks like the output of chakra_jsonizer, which simulators cannot read",
            std::string(trace_forms) + "; give the .et file that it was made from");
    throw InputError(file(), 0, "has no \"workload_graph\"", trace_forms);
}

void JsonReader::find_graph()
{
    scanner_.pass_byte_order_mark();
    if (scanner_.peek() < 0) throw InputError(file(), 0, "is empty", trace_forms);
    scanner_.expect('{');
    while (scanner_.peek() != '}') {
        const std::string key = read_key();
        if (key == "workload_graph") {
            scanner_.expect('[');
            return;
        }
        if (key == "nodes")
            throw InputError(file(), scanner_.line(),
                "is a PyTorch host trace (it has \"nodes\"), not a simulator trace",
                std::string(trace_forms) + "; " + conversion);
        if (key == "traceEvents")
            throw InputError(file(), scanner_.line(),
                "is a profile of PyTorch or another program (it has \"traceEvents\"), not a simulator trace",
                std::string(trace_forms) + "; " + conversion);
        skip_value(key);
    }
    refuse_without_graph();
}

void JsonReader::read_tail()
{
    scanner_.expect(']');
    while (scanner_.peek() != '}') skip_value(read_key());
    scanner_.expect('}');
    if (scanner_.peek() >= 0)
        throw InputError(file(), scanner_.line(), "more after the end of the trace", "one object");
    at_end_ = true;
}

bool JsonReader::next(Node& node)
{
    if (at_end_) return false;
    if (scanner_.peek() == ']') {
        read_tail();
        return false;
    }
    if (!first_) scanner_.expect(',');
    first_ = false;
    scanner_.peek();  // past white space: the line is that of the node
    const int line = scanner_.line();
    const json object = parse(scanner_.value(), file(), line);
    if (!object.is_object())
        throw InputError(file(), line, "an element of workload_graph that is not an object", "a node");
    node = node_from_json(object, Origin{file(), line, ""});
    return true;
}

}  // namespace weft::chakra
