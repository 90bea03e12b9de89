#include "collectives/chakra/dry_run.h"

#include <algorithm>

#include "collectives/chakra/node_check.h"

namespace weft::chakra {

namespace {

std::vector<WaitingNode> cycle_among(const std::vector<WaitingNode>& waiting)
{
    std::map<std::uint64_t, const WaitingNode*> by_id;
    for (const WaitingNode& node : waiting) by_id[node.id] = &node;
    // Absent parents count as finished, so each waiting node has a waiting parent: following the lowest
    // one from anywhere ends in a cycle.
    std::map<std::uint64_t, std::size_t> place;
    std::vector<WaitingNode> path;
    const WaitingNode* node = &waiting.front();
    while (place.emplace(node->id, path.size()).second) {
        path.push_back(*node);
        const auto next = by_id.find(node->parents.front());
        if (next == by_id.end()) return path;  // the file changed under our eyes
        node = next->second;
    }
    path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(place.at(node->id)));
    return path;
}

}  // namespace

std::string text_of(const std::vector<WaitingNode>& cycle)
{
    constexpr std::size_t most_named = 12;
    std::string text = "dependency cycle: node ";
    for (std::size_t i = 0; i < std::min(cycle.size(), most_named); ++i)
        text += std::to_string(cycle[i].id) + (i == 0 ? " waits for " : ", which waits for ");
    if (cycle.size() > most_named) text += "(" + std::to_string(cycle.size() - most_named) + " more) ";
    return text + std::to_string(cycle.front().id);
}

DryRun dry_run(const TraceSet& set, const Policy& policy, const Verdict& verdict, const TransferBalance& all,
    std::uint32_t rank)
{
    const NodeContext context{policy, set.file(rank), rank, set.ranks()};
    DryRun result;
    Feeder feeder = make_feeder(set, verdict, rank);
    Node node;
    while (feeder.next(node)) {
        feeder.finish(node.id);
        if (is_matchable_transfer(node, context)) {
            const TransferBalance::Pair pair = pair_of(node, rank);
            if (all.several_sizes(pair)) result.transfers.add(pair, node);
        }
        if (node.type != NodeType::coll || !node.comm_type) continue;
        if (const auto number = verdict.groups[rank].number_of(node))
            result.collectives[*number].add(node, policy.priorities);
    }
    result.transfers.forget_tags();
    if (!feeder.done()) result.cycle = cycle_among(feeder.waiting(feeder.window_size()));
    return result;
}

}  // namespace weft::chakra
