// The reports of a trace engine: the nodes that wait when nothing moves, and the log of all nodes.
#include <algorithm>

#include <fmt/format.h>

#include "collectives/engine/traces/trace_engine.h"
#include "collectives/schedule/stall_lines.h"

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
    WaitGraph waits(set_.ranks());
    StallLines lines(set_.ranks());
    for (std::uint32_t rank = 0; rank < set_.ranks(); ++rank) {
        for (const auto& [id, started] : running_[rank]) {
            const Node& node = started.node;
            const std::string what = fmt::format(": {} {}", chakra::name_of(node.type), chakra::label_of(node));
            if (node.type == NodeType::recv) {
                waits.wait(rank, *node.src);
                lines.add(rank, what + " waits for a send from rank ", *node.src,
                    fmt::format(" with tag {}", node.tag.value_or(0)));
            } else if (node.type == NodeType::coll) {
                lines.add(rank, what + fmt::format(" waits for the other ranks of group '{}'", node.group));
            } else {
                lines.add(rank, what);
            }
        }
        for (const chakra::WaitingNode& waiting : feeders_[rank].waiting(4)) {
            std::string what = fmt::format(": {} node {} waits for node", chakra::name_of(waiting.type), waiting.id);
            for (const std::uint64_t parent : waiting.parents) what += fmt::format(" {}", parent);
            lines.add(rank, what);
        }
    }
    const auto named = [](const std::vector<std::uint32_t>& ranks) {
        return (ranks.size() == 1 ? "rank " : "ranks ") + ranges_text(ranks);
    };
    std::vector<std::string> meetings;
    if (order_)
        for (const CommunicationOrder::Incomplete& entry : order_->incomplete()) {
            const std::string name = chakra::name_of(static_cast<chakra::CollectiveType>(entry.kind.type));
            waits.meeting(name, entry.here, entry.missing);
            meetings.push_back(
                fmt::format("{} of {} bytes, priority {}, in group {}: {} did not reach it; {} {} for it", name,
                    entry.kind.bytes, entry.kind.priority, chakra::GroupTable::text_of(entry.kind.group),
                    named(entry.missing), named(entry.here), entry.here.size() == 1 ? "waits" : "wait"));
        }
    for (const auto& [communicator, by_members] : groups_)
        for (const auto& [members, group] : by_members)
            for (const auto& [number, exchange] : group.open) {
                std::vector<std::uint32_t> missing;
                std::vector<std::uint32_t> here;
                for (std::size_t position = 0; position < members.size(); ++position)
                    (exchange.here[position] ? here : missing).push_back(members[position]);
                if (!missing.empty()) waits.meeting(chakra::name_of(exchange.type), here, missing);
                meetings.push_back(fmt::format("{} (number {} of group {}): {} did not reach it; {} {} in it",
                    chakra::name_of(exchange.type), number + 1, chakra::GroupTable::text_of(communicator),
                    named(missing), named(here), here.size() == 1 ? "waits" : "wait"));
            }
    std::vector<std::string> out;
    const std::string circle = waits.circle();
    if (!circle.empty()) out.push_back(circle);
    for (std::string& line : lines.text(most_waits_told)) out.push_back(std::move(line));
    const std::size_t told = std::min(meetings.size(), most_waits_told);
    out.insert(out.end(), meetings.begin(), meetings.begin() + static_cast<std::ptrdiff_t>(told));
    if (told < meetings.size()) out.push_back(fmt::format("{} collectives more wait", meetings.size() - told));
    return out;
}

}  // namespace weft
