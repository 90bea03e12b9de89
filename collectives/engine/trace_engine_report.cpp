// The reports of a trace engine: the nodes that wait when nothing moves, and the log of all nodes.
#include <fmt/format.h>

#include "collectives/engine/trace_engine.h"

namespace weft {

using chakra::Node;
using chakra::NodeType;

namespace {

constexpr std::size_t most_waits_told = 32;  // lines of a stall report

}  // namespace

// A node that starts at no other's end was kept back by the limits of the look-ahead or by an agreement: the last end let it start.
std::size_t TraceEngine::logged(std::uint32_t rank, const Node& node)
{
    NodeRecord record;
    record.rank = rank;
    record.node = node.id;
    record.name = chakra::printable(node.name, 60);
    record.begin = record.end = executor_.now();
    record.released_by = releasing_ != NodeLog::none ? releasing_ : last_ended_;
    record.bytes = node.comm_size.value_or(0);
    using Kind = NodeRecord::Kind;
    switch (node.type) {
    case NodeType::comp: record.kind = node.on_cpu ? Kind::cpu : Kind::compute; break;
    case NodeType::mem_load:
    case NodeType::mem_store:
        record.kind = Kind::memory;
        record.bytes = node.tensor_size.value_or(0);
        break;
    case NodeType::send: record.kind = Kind::send; break;
    case NodeType::recv: record.kind = Kind::receive; break;
    case NodeType::coll:
        record.kind = chakra::is_launcher(node) ? Kind::cpu : Kind::collective;
        if (node.comm_type) record.operation = name_of(op_of(*node.comm_type));
        break;
    case NodeType::invalid:
    case NodeType::metadata: break;
    }
    if (record.kind == Kind::send || record.kind == Kind::receive) record.ranks = 2;
    if (record.kind == Kind::collective)
        record.ranks = static_cast<std::uint32_t>(verdict_.groups[rank].members(node)->size());
    return log_->begin(std::move(record));
}

void TraceEngine::log_meeting(std::uint32_t rank, std::uint64_t node, Exchange& exchange)
{
    if (log_ == nullptr) return;
    if (exchange.logged == NodeLog::none) exchange.logged = log_->open_exchange();
    log_->join(exchange.logged, running_[rank].at(node).record);
}

std::vector<std::string> TraceEngine::blocked() const
{
    std::vector<std::string> out;
    for (std::uint32_t rank = 0; rank < set_.ranks() && out.size() < most_waits_told; ++rank) {
        for (const auto& [id, started] : running_[rank]) {
            const Node& node = started.node;
            std::string line = fmt::format("rank {}: {} {}", rank, chakra::name_of(node.type), chakra::label_of(node));
            if (node.type == NodeType::recv) {
                line += fmt::format(" waits for a send from rank {} with tag {}", *node.src, node.tag.value_or(0));
            } else if (node.type == NodeType::coll) {
                line += fmt::format(" waits for the other ranks of group '{}'", node.group);
            }
            out.push_back(std::move(line));
        }
        for (const chakra::WaitingNode& waiting : feeders_[rank].waiting(4)) {
            std::string line =
                fmt::format("rank {}: {} node {} waits for node", rank, chakra::name_of(waiting.type), waiting.id);
            for (const std::uint64_t parent : waiting.parents) line += fmt::format(" {}", parent);
            out.push_back(std::move(line));
        }
    }
    const auto ranks_text = [](const CommunicationOrder::Members& ranks) {
        std::string text;
        for (const std::uint32_t rank : ranks) text += fmt::format(" {}", rank);
        return text;
    };
    if (order_)
        for (const CommunicationOrder::Incomplete& entry : order_->incomplete()) {
            if (out.size() >= most_waits_told) return out;
            out.push_back(fmt::format("{} of {} bytes, priority {}: rank{} did not reach it; rank{} wait for it",
                chakra::name_of(static_cast<chakra::CollectiveType>(entry.kind.type)), entry.kind.bytes,
                entry.kind.priority, ranks_text(entry.missing), ranks_text(entry.here)));
        }
    for (const auto& [members, group] : groups_)
        for (const auto& [number, exchange] : group.open) {
            if (out.size() >= most_waits_told) return out;
            std::string ranks[2];  // missing, waiting
            for (std::size_t position = 0; position < members.size(); ++position)
                ranks[exchange.here[position] ? 1 : 0] += fmt::format(" {}", members[position]);
            out.push_back(fmt::format("{} (number {} of its group): rank{} did not reach it; rank{} wait in it",
                chakra::name_of(exchange.type), number + 1, ranks[0], ranks[1]));
        }
    return out;
}

}  // namespace weft
