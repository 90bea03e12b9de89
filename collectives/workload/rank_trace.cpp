#include "collectives/workload/rank_trace.h"

#include <algorithm>

namespace weft::workload {

namespace {

using chakra::CollectiveType;

const char* operation_name(CollectiveType type)
{
    switch (type) {
    case CollectiveType::all_reduce: return "all_reduce";
    case CollectiveType::all_gather: return "all_gather";
    case CollectiveType::reduce_scatter: return "reduce_scatter";
    case CollectiveType::all_to_all: return "all_to_all";
    case CollectiveType::broadcast: return "broadcast";
    case CollectiveType::barrier: return "barrier";
    default: return "other";
    }
}

}  // namespace

const char* name_of(Work work)
{
    constexpr const char* names[work_count] = {"forward", "backward", "recompute", "optimizer"};
    return names[static_cast<std::size_t>(work)];
}

chakra::Node& RankTrace::add(const std::string& name, chakra::NodeType type, const NodeIds& after)
{
    chakra::Node node;
    node.id = nodes_.size() + 1;
    node.name = name;
    node.type = type;
    node.data_deps = after;
    std::sort(node.data_deps.begin(), node.data_deps.end());
    node.data_deps.erase(std::unique(node.data_deps.begin(), node.data_deps.end()), node.data_deps.end());
    nodes_.push_back(std::move(node));
    ++ledger_.nodes;
    return nodes_.back();
}

std::uint64_t RankTrace::compute(const std::string& name, const Kernel& kernel, Work work)
{
    chakra::Node& node = add(name, chakra::NodeType::comp, tail_);
    node.num_ops = kernel.operations;
    node.tensor_size = kernel.bytes();
    node.product = kernel.product;
    ledger_.operations[static_cast<std::size_t>(work)] += kernel.operations;
    ledger_.memory_bytes[static_cast<std::size_t>(work)] += kernel.bytes();
    tail_ = {node.id};
    return node.id;
}

void RankTrace::join(const NodeIds& ids) { tail_.insert(tail_.end(), ids.begin(), ids.end()); }

NodeIds RankTrace::beside(const std::string& name, const Message& message, const NodeIds& after)
{
    const std::uint32_t n = message.group.size();
    if (n < 2) return after;
    chakra::Node& node = add(name, chakra::NodeType::coll, after);
    node.comm_type = message.type;
    node.comm_size = message.bytes;
    node.group = message.group.name;
    const bool gathers = message.type == CollectiveType::all_gather;
    const std::uint64_t whole = gathers ? message.bytes * n : message.bytes;
    CommunicationSum& sum = ledger_.communication[{message.scheme, operation_name(message.type), n}];
    ++sum.count;
    sum.bytes += whole;
    if (message.type == CollectiveType::broadcast)
        sum.sent += rank_ == message.group.ranks.front() ? message.bytes : 0;
    else
        sum.sent += (message.type == CollectiveType::all_reduce ? 2 : 1) *
            (gathers ? message.bytes * (n - 1) : whole / n * (n - 1) + whole % n * (n - 1) / n);
    return {node.id};
}

void RankTrace::in_chain(const std::string& name, const Message& message) { tail_ = beside(name, message, tail_); }

std::uint64_t RankTrace::send(const char* scheme, const std::string& name, std::uint32_t to, std::uint32_t tag,
    std::uint64_t bytes, const NodeIds& after)
{
    chakra::Node& node = add(name, chakra::NodeType::send, after);
    node.src = rank_;
    node.dst = to;
    node.tag = tag;
    node.comm_size = bytes;
    CommunicationSum& sum = ledger_.communication[{scheme, "send", 2}];
    ++sum.count;
    sum.bytes += bytes;
    sum.sent += bytes;
    return node.id;
}

std::uint64_t RankTrace::receive(const std::string& name, std::uint32_t from, std::uint32_t tag, std::uint64_t bytes,
    const NodeIds& after)
{
    chakra::Node& node = add(name, chakra::NodeType::recv, after);
    node.src = from;
    node.dst = rank_;
    node.tag = tag;
    node.comm_size = bytes;
    return node.id;
}

}  // namespace weft::workload
