#include "collectives/chakra/summary.h"

namespace weft::chakra {

namespace {

std::string collective_key(const Node& node)
{
    return (node.comm_type ? name_of(*node.comm_type) : "None") + "/" +
        (node.comm_size ? std::to_string(*node.comm_size) : "None");
}

}  // namespace

Summariser::Summariser(const TraceMetadata& metadata)
{
    summary_.version = metadata.version;
    summary_.metadata = metadata.attributes;
}

void Summariser::reference(const Node& node, std::uint64_t parent, bool control)
{
    if (seen_.contains(parent)) return;
    AbsentParent& absent = open_[parent];
    const bool first = absent.data == 0 && (!control || absent.control == 0);
    if (first) {
        absent.child = label_of(node);
        absent.line = node.line;
    }
    ++(control ? absent.control : absent.data);
}

bool Summariser::add(const Node& node)
{
    constexpr std::uint64_t ps_per_us = 1000000;
    const bool is_new = seen_.insert(node.id);
    if (!is_new) ++summary_.duplicates;
    open_.erase(node.id);
    for (const std::uint64_t parent : node.data_deps) reference(node, parent, false);
    for (const std::uint64_t parent : node.ctrl_deps) reference(node, parent, true);

    ++summary_.nodes;
    ++summary_.types[name_of(node.type)];
    if (node.type == NodeType::coll) {
        ++summary_.collectives[collective_key(node)];
        ++summary_.groups[node.has_group ? node.group : "-"];
    }
    if (node.type == NodeType::send) summary_.send_bytes += node.comm_size.value_or(0);
    if (node.type == NodeType::recv) summary_.recv_bytes += node.comm_size.value_or(0);
    summary_.cpu_nodes += node.on_cpu ? 1 : 0;
    summary_.duration_us += node.duration_ps / ps_per_us;
    summary_.data_deps += node.data_deps.size();
    summary_.ctrl_deps += node.ctrl_deps.size();
    if (node.data_deps.empty() && node.ctrl_deps.empty()) ++summary_.roots;
    return is_new;
}

Summary Summariser::finish()
{
    for (const auto& [id, absent] : open_) summary_.missing += absent.data + absent.control;
    return summary_;
}

Summary summary_of(NodeReader& reader)
{
    Summariser summariser(reader.metadata());
    Node node;
    while (reader.next(node)) summariser.add(node);
    return summariser.finish();
}

}  // namespace weft::chakra
