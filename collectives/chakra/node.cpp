#include "collectives/chakra/node.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace weft::chakra {

namespace {

constexpr std::array<const char*, 8> node_names = {"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE",
    "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
constexpr std::array<const char*, 10> collective_names = {"ALL_REDUCE", "REDUCE", "ALL_GATHER", "GATHER", "SCATTER",
    "BROADCAST", "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};

constexpr std::uint64_t ps_per_ns = 1000;

}  // namespace

std::optional<std::uint64_t> MatrixProduct::operations() const
{
    std::uint64_t out = 2;
    for (const std::uint64_t factor : {m, n, k, count})
        if (__builtin_mul_overflow(out, factor, &out)) return std::nullopt;
    return out;
}

bool MatrixProduct::agrees_with(std::uint64_t num_ops) const
{
    const std::optional<std::uint64_t> all = operations();
    if (!all || num_ops > *all) return false;
    const std::uint64_t most_rounding = count == 1 ? 0 : *all / std::min({m, n, k});
    return num_ops == *all || *all - num_ops < most_rounding;
}

bool is_known(NodeType type) { return static_cast<std::size_t>(type) < node_names.size(); }

bool is_known(CollectiveType type) { return static_cast<std::size_t>(type) < collective_names.size(); }

std::string name_of(NodeType type)
{
    const auto number = static_cast<std::size_t>(type);
    return is_known(type) ? node_names[number] : std::to_string(number);
}

std::string name_of(CollectiveType type)
{
    const auto number = static_cast<std::size_t>(type);
    return is_known(type) ? collective_names[number] : std::to_string(number);
}

std::string printable(const std::string& text, std::size_t limit)
{
    std::string out = text.substr(0, limit);
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
    if (text.size() > limit) out += "...";
    return out;
}

std::string label_of(const Node& node)
{
    std::string label = "node " + std::to_string(node.id);
    if (!node.name.empty()) label += " (" + printable(node.name, 60) + ")";
    return label;
}

bool is_communication(const Node& node)
{
    return node.type == NodeType::coll || node.type == NodeType::send || node.type == NodeType::recv;
}

bool is_memory(const Node& node) { return node.type == NodeType::mem_load || node.type == NodeType::mem_store; }

bool is_launcher(const Node& node)
{
    return node.type == NodeType::coll && node.on_cpu && !node.comm_type && !node.comm_size;
}

Resource resource_of(const Node& node)
{
    switch (node.type) {
    case NodeType::comp: return node.on_cpu ? Resource::cpu : Resource::compute;
    case NodeType::mem_load:
    case NodeType::mem_store:
    case NodeType::coll:
    case NodeType::send: return node.on_cpu ? Resource::cpu : Resource::communication;
    case NodeType::recv: return Resource::receive;
    default: return Resource::none;
    }
}

std::uint64_t recorded_time_ps(const Node& node)
{
    return node.duration_ps == 0 && !node.duration_stated ? ps_per_ns : node.duration_ps;
}

std::uint64_t roofline_time_ps(std::uint64_t num_ops, std::uint64_t tensor_size, double peak_ops_per_s,
    double memory_bytes_per_s)
{
    if (!(peak_ops_per_s > 0) || !(memory_bytes_per_s > 0))
        throw std::invalid_argument("roofline rates must be positive");
    if (tensor_size == 0) return 0;
    const double operations = static_cast<double>(num_ops);
    const double intensity = operations / static_cast<double>(tensor_size);
    const double rate = std::min(memory_bytes_per_s * intensity, peak_ops_per_s);
    const double seconds = num_ops == 0 ? static_cast<double>(tensor_size) / memory_bytes_per_s : operations / rate;
    const double picoseconds = seconds * 1e12;
    if (picoseconds > 9e18) throw std::overflow_error("roofline time beyond 2^63 ps");
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(picoseconds)));
}

std::uint64_t collective_bytes(CollectiveType type, std::uint64_t comm_size, std::uint32_t ranks)
{
    if (type != CollectiveType::all_gather && type != CollectiveType::gather) return comm_size;
    if (ranks != 0 && comm_size > std::numeric_limits<std::uint64_t>::max() / ranks)
        throw std::overflow_error("total size of an all-gather beyond 2^64 bytes");
    return comm_size * ranks;
}

}  // namespace weft::chakra
