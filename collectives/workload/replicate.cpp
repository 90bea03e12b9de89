#include <memory>

#include "base/diagnostic.h"
#include "collectives/chakra/node_reader.h"
#include "collectives/workload/trace_job.h"

namespace weft::workload {

namespace {

using chakra::Node;
using chakra::NodeType;

// What one rank did can be said of all only where it names nobody.
void require_anonymous(const Node& node, const std::string& file)
{
    if (node.type == NodeType::send || node.type == NodeType::recv)
        throw InputError(file, node.line, chakra::label_of(node) + " is a message between two ranks",
            "a trace that has only collectives, for --replicate");
    if (node.type == NodeType::coll && !node.group.empty() && node.group != "0")
        throw InputError(file, node.line,
            chakra::label_of(node) + " spans the process group '" + node.group.substr(0, 40) + "'",
            "collectives of all ranks, for --replicate");
}

}  // namespace

TraceJob replicated_job(const std::string& file, std::uint32_t ranks, std::uint32_t group)
{
    if (group > 0 && ranks % group != 0)
        throw InputError("weft", 0, "groups of " + std::to_string(group) + " among " + std::to_string(ranks) + " ranks",
            "a divisor of the ranks");
    const auto nodes = std::make_shared<std::vector<Node>>();
    const auto reader = chakra::open_trace_file(file);
    for (Node node; reader->next(node); node = Node()) {
        require_anonymous(node, file);
        // Definitions of groups are those of the recording.
        if (node.type == NodeType::metadata) node.inputs.clear();
        nodes->push_back(node);
    }
    TraceJob job;
    job.ranks = ranks;
    if (group > 1)
        for (std::uint32_t first = 0; first < ranks; first += group) {
            std::vector<std::uint32_t>& members = job.groups[first / group + 1];
            for (std::uint32_t i = 0; i < group; ++i) members.push_back(first + i);
        }
    job.trace = [nodes, group](std::uint32_t rank) {
        RankTrace trace(rank);
        trace.nodes() = *nodes;
        if (group > 1)
            for (Node& node : trace.nodes())
                if (node.type == NodeType::coll) node.group = std::to_string(rank / group + 1);
        trace.ledger().nodes = nodes->size();
        return trace;
    };
    return job;
}

}  // namespace weft::workload
