#include "collectives/chakra/trace_file.h"

#include <stdexcept>

#include "wire.pb.h"

namespace weft::chakra {

namespace {

wire::Attribute& add_attribute(wire::Node& message, const char* name)
{
    wire::Attribute& attribute = *message.add_attr();
    attribute.set_name(name);
    return attribute;
}

// Small numbers in front of every message, as protobuf writes lengths.
void append_length(std::string& out, std::size_t length)
{
    for (; length >= 0x80; length >>= 7) out.push_back(static_cast<char>(0x80 | (length & 0x7f)));
    out.push_back(static_cast<char>(length));
}

void append_message(std::string& out, const google::protobuf::MessageLite& message)
{
    append_length(out, message.ByteSizeLong());
    message.AppendToString(&out);
}

void add_communication(wire::Node& message, const Node& node)
{
    if (node.comm_type) add_attribute(message, "comm_type").set_int64_val(static_cast<std::int64_t>(*node.comm_type));
    if (node.comm_size) add_attribute(message, "comm_size").set_int64_val(static_cast<std::int64_t>(*node.comm_size));
    if (node.priority != 0)
        add_attribute(message, "comm_priority").set_int32_val(static_cast<std::int32_t>(node.priority));
    if (node.src) add_attribute(message, "comm_src").set_int32_val(static_cast<std::int32_t>(*node.src));
    if (node.dst) add_attribute(message, "comm_dst").set_int32_val(static_cast<std::int32_t>(*node.dst));
    if (node.tag) add_attribute(message, "comm_tag").set_int32_val(static_cast<std::int32_t>(*node.tag));
    if (!node.group.empty()) add_attribute(message, "pg_name").set_string_val(node.group);
    if (!node.involved_dim.empty()) {
        wire::BoolList& dimensions = *add_attribute(message, "involved_dim").mutable_bool_list();
        for (const bool involved : node.involved_dim) dimensions.add_values(involved);
    }
}

}  // namespace

std::string trace_bytes(const std::vector<Node>& nodes)
{
    constexpr std::uint64_t ps_per_microsecond = 1'000'000;
    std::string out;
    wire::Metadata metadata;
    metadata.set_version("0.0.4");
    append_message(out, metadata);
    wire::Node message;
    for (const Node& node : nodes) {
        if (node.duration_ps % ps_per_microsecond != 0)
            throw std::invalid_argument(label_of(node) + ": a duration of " + std::to_string(node.duration_ps) +
                " ps is not a whole number of microseconds");
        message.Clear();
        message.set_id(node.id);
        message.set_name(node.name);
        message.set_type(static_cast<std::uint32_t>(node.type));
        for (const std::uint64_t parent : node.ctrl_deps) message.add_ctrl_deps(parent);
        for (const std::uint64_t parent : node.data_deps) message.add_data_deps(parent);
        message.set_duration_micros(node.duration_ps / ps_per_microsecond);
        if (!node.inputs.empty()) message.mutable_inputs()->set_values(node.inputs);
        add_attribute(message, "is_cpu_op").set_bool_val(node.on_cpu);
        if (node.num_ops) add_attribute(message, "num_ops").set_int64_val(static_cast<std::int64_t>(*node.num_ops));
        if (node.tensor_size) add_attribute(message, "tensor_size").set_uint64_val(*node.tensor_size);
        if (node.product.stated()) {
            add_attribute(message, "gemm_m").set_int64_val(static_cast<std::int64_t>(node.product.m));
            add_attribute(message, "gemm_n").set_int64_val(static_cast<std::int64_t>(node.product.n));
            add_attribute(message, "gemm_k").set_int64_val(static_cast<std::int64_t>(node.product.k));
            add_attribute(message, "gemm_count").set_int64_val(static_cast<std::int64_t>(node.product.count));
        }
        if (node.location) add_attribute(message, "tensor_loc").set_uint64_val(*node.location);
        add_communication(message, node);
        append_message(out, message);
    }
    return out;
}

std::string group_file_text(const GroupDefinitions& groups)
{
    std::string out = "{";
    for (const auto& [number, ranks] : groups) {
        out += (out.size() > 1 ? ",\n \"" : "\n \"") + std::to_string(number) + "\": [";
        for (std::size_t i = 0; i < ranks.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
        out += "]";
    }
    return out + "\n}\n";
}

}  // namespace weft::chakra
