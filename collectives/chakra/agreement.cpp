#include "collectives/chakra/agreement.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "collectives/chakra/node_check.h"

namespace weft::chakra {

namespace {

struct Open {
    std::int64_t sends_over_receives = 0;
    std::string sender;
    int sender_line = 0;
    std::string receiver;
    int receiver_line = 0;
};

struct Collective {
    std::string text;  // type and size
    std::int64_t priority = 0;
    std::string node;
    int line = 0;
};

std::vector<Collective> collectives_of(const TraceSet& set, const Verdict& verdict, std::uint64_t number,
    std::uint32_t rank)
{
    std::vector<Collective> list;
    Feeder feeder = make_feeder(set, verdict, rank);
    Node node;
    while (feeder.next(node)) {
        feeder.finish(node.id);
        if (node.type != NodeType::coll || !node.comm_type || verdict.groups[rank].number_of(node) != number) continue;
        const bool sized = node.comm_size && node.comm_type != CollectiveType::barrier;
        const std::string size = sized ? " of " + std::to_string(*node.comm_size) + " bytes" : "";
        list.push_back({name_of(*node.comm_type) + size, node.priority, label_of(node), node.line});
    }
    return list;
}

struct Transfer {
    std::int64_t tag = 0;
    std::uint64_t size = 0;
    std::string node;
    int line = 0;
};

// The sends (or receives) of a pair of ranks in the order of issue.
std::vector<Transfer> transfers_of(const TraceSet& set, const Policy& policy, const Verdict& verdict,
    const TransferBalance::Pair& pair, NodeType type)
{
    const std::uint32_t rank = type == NodeType::send ? pair.first : pair.second;
    const NodeContext context{policy, set.file(rank), rank, set.ranks()};
    std::vector<Transfer> list;
    Feeder feeder = make_feeder(set, verdict, rank);
    Node node;
    while (feeder.next(node)) {
        feeder.finish(node.id);
        if (node.type == type && is_matchable_transfer(node, context) && pair_of(node, rank) == pair)
            list.push_back({*node.tag, *node.comm_size, label_of(node), node.line});
    }
    return list;
}

// Names the first collective whose priority differs between two ranks that issue the same collectives.
void report_priorities(const TraceSet& set, std::uint64_t number, const std::vector<Collective>& own,
    const std::vector<Collective>& others, std::uint32_t rank, std::uint32_t other, Findings& findings)
{
    std::size_t at = 0;
    while (at < own.size() && own[at].priority == others[at].priority) ++at;
    if (at == own.size()) return;
    findings.add(set.file(rank), own[at].line,
        own[at].node + ": comm_priority of collective " + std::to_string(at + 1) + " of group " +
            GroupTable::text_of(number) + " is " + std::to_string(own[at].priority) + ", but on rank " +
            std::to_string(other) + " it is " + std::to_string(others[at].priority) + " at " + others[at].node,
        "the same priorities on every member of a group, as engine.collective_order is priority");
}

}  // namespace

void report_unmatched_transfers(const TraceSet& set, const Policy& policy,
    const std::vector<TransferBalance::Pair>& pairs, Findings& findings)
{
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::uint64_t>;
    std::set<std::uint32_t> ranks;
    for (const auto& [source, destination] : pairs) ranks.insert({source, destination});
    std::map<Key, Open> open;
    for (const std::uint32_t rank : ranks) {
        const NodeContext context{policy, set.file(rank), rank, set.ranks()};
        const std::unique_ptr<NodeReader> reader = set.reader(rank);
        Node node;
        while (reader->next(node)) {
            if (!is_matchable_transfer(node, context)) continue;
            const bool send = node.type == NodeType::send;
            const TransferBalance::Pair pair = pair_of(node, rank);
            if (!std::binary_search(pairs.begin(), pairs.end(), pair)) continue;
            Open& entry = open[Key(pair.first, pair.second, *node.tag, *node.comm_size)];
            entry.sends_over_receives += send ? 1 : -1;
            std::string& label = send ? entry.sender : entry.receiver;
            if (!label.empty()) continue;
            label = label_of(node);
            (send ? entry.sender_line : entry.receiver_line) = node.line;
        }
    }
    for (const auto& [key, entry] : open) {
        const auto& [source, destination, tag, size] = key;
        if (entry.sends_over_receives == 0) continue;
        const bool send = entry.sends_over_receives > 0;
        const std::int64_t count = send ? entry.sends_over_receives : -entry.sends_over_receives;
        findings.add(set.file(send ? source : destination), send ? entry.sender_line : entry.receiver_line,
            (send ? entry.sender : entry.receiver) + ": " + std::to_string(count) +
                (send ? " send(s) without receive" : " receive(s) without send") + " from rank " +
                std::to_string(source) + " to rank " + std::to_string(destination) + ", comm_tag " +
                std::to_string(tag) + ", comm_size " + std::to_string(size),
            "as many receives as sends");
    }
}

void report_transfer_difference(const TraceSet& set, const Policy& policy, const Verdict& verdict,
    const TransferBalance::Pair& pair, Findings& findings)
{
    std::map<std::int64_t, std::vector<Transfer>> sends;  // by tag
    for (Transfer& one : transfers_of(set, policy, verdict, pair, NodeType::send))
        sends[one.tag].push_back(std::move(one));
    std::map<std::int64_t, std::size_t> received;
    for (const Transfer& receive : transfers_of(set, policy, verdict, pair, NodeType::recv)) {
        const std::vector<Transfer>& there = sends[receive.tag];
        const std::size_t at = received[receive.tag]++;
        if (at >= there.size() || there[at].size == receive.size) continue;
        findings.add(set.file(pair.second), receive.line,
            receive.node + ": receive " + std::to_string(at + 1) + " from rank " + std::to_string(pair.first) +
                " with comm_tag " + std::to_string(receive.tag) + " has comm_size " + std::to_string(receive.size) +
                ", but send " + std::to_string(at + 1) + ", " + there[at].node + " on rank " +
                std::to_string(pair.first) + ", has " + std::to_string(there[at].size),
            "the same sizes in the same order on both sides, or tags that tell them apart");
        return;
    }
}

void report_collective_difference(const TraceSet& set, const Verdict& verdict, std::uint64_t number, std::uint32_t rank,
    std::uint32_t other, Findings& findings)
{
    const std::vector<Collective> own = collectives_of(set, verdict, number, rank);
    const std::vector<Collective> others = collectives_of(set, verdict, number, other);
    const std::size_t common = std::min(own.size(), others.size());
    std::size_t at = 0;
    while (at < common && own[at].text == others[at].text) ++at;
    if (at == own.size() && at == others.size()) {
        report_priorities(set, number, own, others, rank, other, findings);
        return;
    }
    const auto text_at = [at](const std::vector<Collective>& list) {
        return at < list.size() ? list[at].text + " at " + list[at].node : std::string("missing");
    };
    findings.add(set.file(rank), at < own.size() ? own[at].line : 0,
        "collective " + std::to_string(at + 1) + " of group " + GroupTable::text_of(number) + " is " + text_at(own) +
            ", but on rank " + std::to_string(other) + " it is " + text_at(others),
        "the same collectives in the same order on every member of a group");
}

}  // namespace weft::chakra
