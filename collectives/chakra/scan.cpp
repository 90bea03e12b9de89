#include "collectives/chakra/scan.h"

#include <algorithm>

#include "collectives/chakra/node_check.h"

namespace weft::chakra {

namespace {

void note_group(const Node& node, RankScan& scan)
{
    if (is_communication(node) && !is_launcher(node))
        scan.mentions.emplace(node.group, RankScan::Mention{label_of(node), node.line});
}

void check_self_dependency(const Node& node, const NodeContext& context, Findings& findings)
{
    const auto names_itself = [&](const auto& deps) {
        return std::find(deps.begin(), deps.end(), node.id) != deps.end();
    };
    if (names_itself(node.data_deps))
        findings.add(context.file, node.line, label_of(node) + ": depends on itself (data_deps)", "another node");
    if (context.policy.dependencies == Dependencies::data_and_control && names_itself(node.ctrl_deps))
        findings.add(context.file, node.line, label_of(node) + ": depends on itself (ctrl_deps)", "another node");
}

void note_contradiction(const Node& node, const std::string& file, RankScan& scan)
{
    if (!node.num_ops || !node.product.stated() || node.product.agrees_with(*node.num_ops)) return;
    if (++scan.contradictions > 1) return;
    const std::optional<std::uint64_t> operations = node.product.operations();
    scan.contradiction = label_of(node) + " in " + file + ":" + std::to_string(node.line) + ", " +
        (operations ? std::to_string(*operations) : "more than 2^64") + " and " + std::to_string(*node.num_ops);
}

}  // namespace

RankScan scan_rank(const TraceSet& set, std::uint32_t rank, const Policy& policy, TransferBalance& transfers,
    Findings& findings)
{
    const std::unique_ptr<NodeReader> reader = set.reader(rank);
    const NodeContext context{policy, set.file(rank), rank, set.ranks()};
    Summariser summariser(reader->metadata());
    RankScan scan;
    auto read_ahead = std::make_shared<ReadAhead>();
    Node node;
    while (reader->next(node)) {
        if (!summariser.add(node))
            findings.add(context.file, node.line, label_of(node) + ": a second node with this id",
                "ids that occur once");
        read_ahead->add(node);
        check_node(node, context, findings);
        check_self_dependency(node, context, findings);
        note_group(node, scan);
        if (is_matchable_transfer(node, context)) transfers.add(pair_of(node, rank), node);
        if (node.type == NodeType::metadata) {
            if (const auto problem = add_groups_of_metadata(node.inputs, scan.groups))
                findings.add(context.file, node.line, label_of(node) + ": " + *problem,
                    R"(['[{"pg_name": "1", "ranks": [0, 1]}, ...]'])");
        }
        if (is_launcher(node)) ++scan.launchers;
        if (node.type == NodeType::invalid) ++scan.invalid_nodes;
        const auto& dims = node.involved_dim;
        if (std::find(dims.begin(), dims.end(), false) != dims.end()) ++scan.partial_dimensions;
        if (const std::uint64_t mask = left_out(node, policy.dimensions); mask != 0)
            if (const auto number = GroupTable::number_of(node.group)) scan.narrowed.emplace(*number, mask);
        if (node.type == NodeType::comp && node.duration_ps == 0 && !node.duration_stated) {
            if (node.on_cpu)
                ++scan.timeless_on_cpu;
            else if (!policy.roofline && !(node.num_ops && node.tensor_size))
                ++scan.timeless;
        }
        if (node.type == NodeType::comp && !node.on_cpu && node.num_ops.value_or(0) > 0 && node.tensor_size == 0U &&
            (policy.roofline || node.duration_ps == 0))
            ++scan.skipped;
        note_contradiction(node, context.file, scan);
        scan.has_operations = scan.has_operations ||
            (!node.on_cpu && node.num_ops && (*node.num_ops > 0 || node.tensor_size.value_or(0) > 0));
    }
    scan.summary = summariser.finish();
    scan.absent = summariser.absent();
    auto ids = std::make_shared<IdSet>();
    bool counts = false;
    for (const auto& [id, absent] : scan.absent) {
        ids->insert(id);
        counts = counts || absent.data > 0 || policy.dependencies == Dependencies::data_and_control;
        scan.absent_control += absent.control;
    }
    scan.absent_ids = std::move(ids);
    read_ahead->close();
    // A parent that the file does not hold never finishes.
    if (!counts) scan.read_ahead = std::move(read_ahead);
    if (scan.summary.nodes == 0) findings.add(context.file, 0, "holds no nodes", "at least one node");
    return scan;
}

}  // namespace weft::chakra
