#include "collectives/chakra/wire_node.h"

namespace weft::chakra {

namespace {

AttributeValue value_of(const wire::Attribute& attribute)
{
    using Kind = AttributeValue::Kind;
    switch (attribute.value_case()) {
    case wire::Attribute::VALUE_NOT_SET: return {};
    case wire::Attribute::kDoubleVal:
    case wire::Attribute::kFloatVal: return AttributeValue::of_kind(Kind::floating);
    case wire::Attribute::kInt32Val: return AttributeValue::of_signed(attribute.int32_val());
    case wire::Attribute::kInt64Val: return AttributeValue::of_signed(attribute.int64_val());
    case wire::Attribute::kUint32Val: return AttributeValue::of_unsigned(attribute.uint32_val());
    case wire::Attribute::kUint64Val: return AttributeValue::of_unsigned(attribute.uint64_val());
    case wire::Attribute::kSint32Val: return AttributeValue::of_signed(attribute.sint32_val());
    case wire::Attribute::kSint64Val: return AttributeValue::of_signed(attribute.sint64_val());
    case wire::Attribute::kFixed32Val: return AttributeValue::of_unsigned(attribute.fixed32_val());
    case wire::Attribute::kFixed64Val: return AttributeValue::of_unsigned(attribute.fixed64_val());
    case wire::Attribute::kSfixed32Val: return AttributeValue::of_signed(attribute.sfixed32_val());
    case wire::Attribute::kSfixed64Val: return AttributeValue::of_signed(attribute.sfixed64_val());
    case wire::Attribute::kBoolVal: return AttributeValue::of_unsigned(attribute.bool_val());
    case wire::Attribute::kStringVal: return AttributeValue::of_text(attribute.string_val());
    case wire::Attribute::kBytesVal: return AttributeValue::of_text(attribute.bytes_val());
    case wire::Attribute::kBoolList: {
        AttributeValue value = AttributeValue::of_kind(Kind::bool_list);
        value.bools.assign(attribute.bool_list().values().begin(), attribute.bool_list().values().end());
        return value;
    }
    default: return AttributeValue::of_kind(Kind::list);
    }
}

// The lowest field number up to `last` that the message has and its type does not know (or knows with
// another wire type); 0 = none.
std::uint32_t lowest_unknown_field(const google::protobuf::Message& message, int last)
{
    const auto& unknown = message.GetReflection()->GetUnknownFields(message);
    int lowest = 0;
    for (int i = 0; i < unknown.field_count(); ++i) {
        const int number = unknown.field(i).number();
        if (number <= last && (lowest == 0 || number < lowest)) lowest = number;
    }
    return static_cast<std::uint32_t>(lowest);
}

// A node read as metadata shows by its fields; Chakra's layouts of 2023 numbered node fields up to 20.
constexpr int last_field_of_nodes = 10;
constexpr int last_field_of_old_layouts = 20;

}  // namespace

bool is_metadata(const wire::Metadata& message) { return lowest_unknown_field(message, last_field_of_nodes) == 0; }

TraceMetadata metadata_from_wire(const wire::Metadata& message)
{
    TraceMetadata metadata;
    metadata.version = message.version();
    for (const wire::Attribute& attribute : message.attr()) metadata.attributes.push_back(attribute.name());
    return metadata;
}

Node node_from_wire(const wire::Node& message, const Origin& origin)
{
    Node node;
    node.id = message.id();
    node.name = message.name();
    node.type = static_cast<NodeType>(message.type());
    node.line = origin.line;
    node.data_deps.assign(message.data_deps().begin(), message.data_deps().end());
    node.ctrl_deps.assign(message.ctrl_deps().begin(), message.ctrl_deps().end());
    node.duration_ps = duration_ps_from_micros(message.duration_micros(), node, origin);
    if (node.type == NodeType::metadata) node.inputs = message.inputs().values();
    for (const wire::Attribute& attribute : message.attr())
        apply_attribute(node, attribute.name(), value_of(attribute), origin);
    settle(node);
    node.foreign_field = lowest_unknown_field(message, last_field_of_old_layouts);
    return node;
}

}  // namespace weft::chakra
