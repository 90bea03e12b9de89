#include "platform/applications/flow/sparse_paths.h"

#include <algorithm>
#include <limits>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "platform/choice/cost_graph_of.h"
#include "platform/choice/latencies.h"
#include "platform/choice/split_links.h"

namespace weft {

SparsePaths::SparsePaths(const ResolvedSystem& system, std::vector<NodeId> members, bool collapse)
    : system_(system), members_(std::move(members)), collapse_(collapse)
{
    const std::uint32_t nodes = system.graph().node_count();
    for (Side* side : {&near_, &far_}) {
        side->stamp.resize(nodes);
        side->hops.resize(nodes);
    }
    layer_stamp_.resize(nodes);
    layer_.resize(nodes);
    width_.resize(nodes);
    share_.resize(nodes);
    numbers_.assign(2 * std::size_t{system.graph().edge_count()}, far);
    for (NodeId node = 0; node < nodes; ++node)
        by_card_ = by_card_ || (passes(node) && system.switch_of(node).message > 0);
}

void SparsePaths::begin(Side& side, NodeId node)
{
    side.levels.assign(1, {node});
    side.stamp[node] = search_;
    side.hops[node] = 0;
}

// One link further. Whether the other side has been met.
bool SparsePaths::expand(Side& side, const Side& other)
{
    bool met = false;
    std::vector<NodeId> next;
    const auto hops = static_cast<std::uint32_t>(side.levels.size());
    for (const NodeId node : side.levels.back()) {
        if (hops > 1 && !passes(node)) continue;
        for (const Neighbour& neighbour : system_.graph().neighbours(node)) {
            if (reached(side, neighbour.node)) continue;
            // Routes end at the other end, or go on.
            if (!passes(neighbour.node) && !(reached(other, neighbour.node) && other.hops[neighbour.node] == 0))
                continue;
            side.stamp[neighbour.node] = search_;
            side.hops[neighbour.node] = hops;
            next.push_back(neighbour.node);
            met = met || reached(other, neighbour.node);
        }
    }
    side.levels.push_back(std::move(next));
    return met;
}

std::vector<std::vector<NodeId>> SparsePaths::layers(NodeId from, NodeId to)
{
    ++search_;
    begin(near_, from);
    begin(far_, to);
    bool met = false;
    while (!met) {
        Side& side = near_.levels.back().size() <= far_.levels.back().size() ? near_ : far_;
        if (side.levels.back().empty()) return {};
        met = expand(side, &side == &near_ ? far_ : near_);
    }
    const auto there = static_cast<std::uint32_t>(near_.levels.size() - 1);
    const auto length = static_cast<std::uint32_t>(there + far_.levels.size() - 1);
    std::vector<std::vector<NodeId>> out(length + 1);
    const auto add = [&](NodeId node, std::uint32_t layer) {
        if (layer_stamp_[node] == search_) return;
        layer_stamp_[node] = search_;
        layer_[node] = layer;
        out[layer].push_back(node);
    };
    for (const NodeId node : near_.levels.back())
        if (reached(far_, node) && far_.hops[node] == length - there) add(node, there);
    for (std::uint32_t layer = there; layer-- > 0;)
        for (const NodeId node : out[layer + 1])
            for (const Neighbour& neighbour : system_.graph().neighbours(node))
                if (reached(near_, neighbour.node) && near_.hops[neighbour.node] == layer &&
                    (layer == 0 || passes(neighbour.node)))
                    add(neighbour.node, layer);
    for (std::uint32_t layer = there + 1; layer <= length; ++layer)
        for (const NodeId node : out[layer - 1])
            for (const Neighbour& neighbour : system_.graph().neighbours(node))
                if (reached(far_, neighbour.node) && far_.hops[neighbour.node] == length - layer &&
                    (layer == length || passes(neighbour.node)))
                    add(neighbour.node, layer);
    return out;
}

// Of every node on a shortest route: the narrowest link of the widest route to the end.
void SparsePaths::find_widths(const std::vector<std::vector<NodeId>>& layers)
{
    width_[layers.back().front()] = std::numeric_limits<std::uint64_t>::max();
    for (auto layer = static_cast<std::uint32_t>(layers.size() - 1); layer-- > 0;)
        for (const NodeId node : layers[layer]) {
            width_[node] = 0;
            for (const Neighbour& neighbour : system_.graph().neighbours(node))
                if (layer_stamp_[neighbour.node] == search_ && layer_[neighbour.node] == layer + 1)
                    width_[node] = std::max(width_[node], std::min(width_[neighbour.node], bandwidth(neighbour.edge)));
        }
}

std::uint32_t SparsePaths::link(EdgeId edge, bool forward, bool split)
{
    std::uint32_t& number = numbers_[2 * std::size_t{edge} + (forward ? 0 : 1)];
    if (number != far) return number;
    const auto first = static_cast<std::uint32_t>(links_.size());
    for (const bool there : {true, false}) {
        CostLink made = link_cost_of(system_, edge, by_card_, split ? 1 : 0);
        made.reverse = static_cast<std::int32_t>(first + (there ? 1 : 0));
        const NodeId near = there ? system_.graph().edge(edge).a : system_.graph().edge(edge).b;
        made.card = by_card_ && made.packet_payload > 0 && passes(near) && system_.switch_of(near).message > 0;
        made.from = static_cast<std::int32_t>(near);
        links_.push_back(std::move(made));
        places_.push_back({edge, there});
        numbers_[2 * std::size_t{edge} + (there ? 0 : 1)] = first + (there ? 0 : 1);
    }
    return number;
}

CostPath SparsePaths::path(std::uint32_t from, std::uint32_t to)
{
    const NodeId sender = members_[from];
    const NodeId home = members_[to];
    std::vector<std::vector<NodeId>> found = layers(sender, home);
    if (found.empty())
        throw InputError(system_.infrastructure, 0,
            "no path between " + system_.graph().node(sender).name + " and " + system_.graph().node(home).name +
                "; on a document of this size xpu nodes do not forward packets",
            "a connected fabric, or fewer ranks");
    find_widths(found);
    CostPath out;
    out.neighbours = true;
    std::vector<NodeId> first{sender};  // route of the first line
    for (const auto& layer : found)
        for (const NodeId node : layer) share_[node] = 0;
    share_[sender] = 1;
    std::vector<Neighbour> next_hops;
    for (std::uint32_t layer = 0; layer + 1 < found.size(); ++layer) {
        PathStage stage;
        NodeId next = 0;
        for (const NodeId node : found[layer]) {
            if (share_[node] == 0) continue;
            next_hops.clear();
            for (const Neighbour& neighbour : system_.graph().neighbours(node))
                if (layer_stamp_[neighbour.node] == search_ && layer_[neighbour.node] == layer + 1 &&
                    std::min(width_[neighbour.node], bandwidth(neighbour.edge)) == width_[node])
                    next_hops.push_back(neighbour);
            if (node == first.back()) next = next_hops.front().node;
            const double part = share_[node] / static_cast<double>(next_hops.size());
            for (const Neighbour& next_hop : next_hops) {
                stage.links.push_back(
                    {link(next_hop.edge, system_.graph().edge(next_hop.edge).a == node, is_split(part)), part});
                share_[next_hop.node] += part;
            }
        }
        first.push_back(next);
        out.stages.push_back(std::move(stage));
    }
    const GpuSpec& gpu = system_.gpu(sender);
    Time before = gpu.unit_to_port;
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
        if (i > 0) before += system_.switch_of(first[i]).latency;
        out.stages[i].before_ps = before;
        const LinkSpec& spec = system_.link(*system_.graph().find_edge(first[i], first[i + 1]));
        before = wire_time(spec, LineOp::write, line_bytes, LineClass::request) + spec.latency;
    }
    const auto time = [&](const std::vector<NodeId>& nodes, LineClass cls) {
        return path_time(system_, nodes, {false, false}, LineOp::write, line_bytes, cls);
    };
    out.put_ps =
        gpu.unit_to_port + time(first, LineClass::request) + system_.gpu(home).port_to_l2 + home_time(system_, home);
    const std::vector<NodeId> back(first.rbegin(), first.rend());
    out.answer_ps = system_.gpu(home).l2_to_port + time(back, LineClass::response) + gpu.port_to_unit;
    if (collapse_) join_chains(found, out);
    return out;
}

// Of two stages with nothing but nodes of two links between them, the one with the slower links stays.
void SparsePaths::join_chains(const std::vector<std::vector<NodeId>>& layers, CostPath& path) const
{
    std::vector<PathStage> kept{std::move(path.stages.front())};
    std::uint64_t left_out = 0;  // latency of a stage that went, which the next one gets
    for (std::size_t s = 1; s < path.stages.size(); ++s) {
        PathStage& stage = path.stages[s];
        stage.before_ps += left_out;
        left_out = 0;
        const auto& between = layers[s];
        const bool chain = kept.back().links.size() == stage.links.size() &&
            std::all_of(between.begin(), between.end(),
                [this](NodeId node) { return system_.graph().neighbours(node).size() == 2; });
        if (!chain) {
            kept.push_back(std::move(stage));
        } else if (links_[stage.links.front().link].ps_per_byte > links_[kept.back().links.front().link].ps_per_byte) {
            stage.before_ps += kept.back().before_ps;
            kept.back() = std::move(stage);
        } else {
            left_out = stage.before_ps;
        }
    }
    path.stages = std::move(kept);
}

}  // namespace weft
