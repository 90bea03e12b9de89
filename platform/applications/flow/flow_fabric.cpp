#include "platform/applications/flow/flow_fabric.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/flow/rank_symmetry.h"
#include "platform/applications/flow/device_cost_of.h"
#include "platform/applications/flow/run_flow.h"

namespace weft {

namespace {

constexpr std::uint64_t most_entries = std::uint64_t{1} << 25;  // of tables of routes: nodes x ranks

constexpr std::uint32_t parts_of_small = 16;  // of a transfer, where there are events for it
constexpr std::uint32_t parts_of_long = 64;   // of a long one by a link of two ranks

void refuse(const ResolvedSystem& system, const std::string& what)
{
    throw InputError(system.file.empty() ? system.infrastructure : system.file, system.workload.line,
        "flow fidelity has no " + what, "a system without it, or --fidelity line");
}

// Models other than those that the figures are made for.
void refuse_models(const ResolvedSystem& system, const std::vector<NodeId>& members, const UsedParts* used,
    const std::vector<bool>& apart)
{
    const auto is_apart = [&apart](NodeId node) { return !apart.empty() && apart[node]; };
    // Replay GPUs take part beside the ranks.
    for (const NodeId node : system.endpoints())
        if (system.model(node) == "replay")
            refuse(system, "replay GPUs, which " + system.graph().node(node).name + " is");
    for (const NodeId node : members) {
        if (is_apart(node)) continue;
        const std::string& model = system.model(node);
        if (system.role(node) == NodeRole::endpoint && model != "gpu")
            refuse(system, "model '" + model + "', which " + system.graph().node(node).name + " has");
        if (!system.l2(node).ours())
            refuse(system,
                "L2 slices of model '" + system.slice_model(node) + "', which " + system.graph().node(node).name +
                    " has");
        if (!system.hbm(node).ours())
            refuse(system,
                "memory model '" + system.memory_model(node) + "', which " + system.graph().node(node).name + " has");
    }
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        if (system.role(node) != NodeRole::forwarder || (used != nullptr && !used->nodes[node]) || is_apart(node))
            continue;
        if (system.model(node) != "switch")
            refuse(system,
                "switch model '" + system.model(node) + "', which " + system.graph().node(node).name + " has");
    }
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge) {
        if ((used != nullptr && !used->edges[edge]) || !system.has_bandwidth(edge)) continue;
        if (is_apart(system.graph().edge(edge).a) || is_apart(system.graph().edge(edge).b)) continue;
        if (system.link_model(edge) != "link")
            refuse(system,
                "link model '" + system.link_model(edge) + "', which " + edge_name(system.graph(), edge) + " has");
        if (system.link(edge).bit_error_rate > 0)
            refuse(system, "bit errors, which " + edge_name(system.graph(), edge) + " has");
    }
}

}  // namespace

FlowProfile flow_rules(std::size_t ranks, const FlowCalibration& calibration)
{
    FlowProfile out;
    out.links.credit_wait = calibration.credit_wait;
    out.links.credit_wait_of_cards = calibration.credit_wait_of_cards;
    out.links.packets = true;
    out.links.conserves = true;
    out.links.buffers = true;
    out.links.turns = true;
    out.registers_in_order = true;
    out.polls_dependencies = true;
    if (ranks <= most_ranks_whole) {
        out.most_parts = parts_of_small;
        out.most_fine_parts = parts_of_long;
        out.links.waits = true;
        out.links.requests = true;
        out.links.starts = true;
        out.signal_slots = true;
        out.last_flags = true;
        out.lone_threads = true;
        out.poll_phases = true;
        out.devices = true;
        out.places = true;
    }
    return out;
}

FlowProfile FlowFabric::rules(std::size_t ranks, const FlowCalibration& calibration) const
{
    FlowProfile out = flow_rules(ranks, calibration);
    out.links.stripe = static_cast<double>(system_.routing().stripe);
    if (!plan_) {
        // Which of many equal paths fill is not known there, and each question is a search.
        out.links.buffers = false;
        return out;
    }
    // Where accelerators forward, finer parts between neighbours would upset the turns of what passes them.
    const std::vector<bool>& transit = plan_->used.transit;
    if (std::find(transit.begin(), transit.end(), true) != transit.end()) out.most_fine_parts = 0;
    return out;
}

bool has_tables(const ResolvedSystem& system, std::size_t ranks)
{
    return std::uint64_t{system.graph().node_count()} * ranks <= most_entries;
}

FlowFabric::FlowFabric(const ResolvedSystem& system, std::vector<NodeId> members, const std::vector<bool>& apart)
    : system_(system), members_(std::move(members))
{
    if (has_tables(system, members_.size())) {
        plan_.emplace(plan_fabric(system, members_, RouteUse::transfers));
        refuse_models(system, members_, &plan_->used, apart);
        std::vector<std::uint32_t> all(members_.size());
        std::iota(all.begin(), all.end(), 0U);
        routed_ = std::make_unique<CostPaths>(system, *plan_, std::move(all));
        book_ = std::make_unique<PathBook>(routed_->links(),
            [this](std::uint32_t from, std::uint32_t to) { return routed_->path(from, to); });
    } else {
        if (system.routing().policy != RoutePolicy::minimal)
            throw InputError(system.infrastructure, 0,
                fmt::format("routing.policy other than minimal for {} ranks on {} nodes", members_.size(),
                    system.graph().node_count()),
                "routing.policy=minimal on a document of this size");
        refuse_models(system, members_, nullptr, apart);
        sparse_ = std::make_unique<SparsePaths>(system, members_);
        book_ = std::make_unique<PathBook>(sparse_->links(),
            [this](std::uint32_t from, std::uint32_t to) { return sparse_->path(from, to); });
    }
    // What decides on the costs of an accelerator are the variants of its blocks.
    std::map<std::vector<VariantId>, std::uint16_t> kinds;
    for (const NodeId node : members_) {
        const std::vector<VariantId> key{system.variant(node, block_of<GpuSpec>()),
            system.variant(node, block_of<L2Spec>()), system.variant(node, block_of<HbmSpec>()),
            system.variant(node, block_of<MemorySideSpec>()), system.variant(node, block_of<CopySpec>()),
            system.variant(node, block_of<BulkSpec>()), system.variant(node, block_of<L1Spec>()),
            system.variant(node, block_of<NetworkSpec>())};
        const auto [entry, fresh] = kinds.try_emplace(key, static_cast<std::uint16_t>(ranks_.kinds.size()));
        if (fresh) {
            ranks_.kinds.push_back(rank_cost_of(system, node));
            devices_.push_back(device_cost_of(system, node));
            ranks_.memory_line_ps.push_back(devices_.back().memory_line_ps);
            const HbmSpec& hbm = system.hbm(node);
            ranks_.memory_channels.push_back(static_cast<double>(hbm.channels));
            const bool whole = hbm.refresh == RefreshMode::all_bank;
            ranks_.refreshes.push_back(whole ? FlowRefresh{hbm.t_rfc, hbm.t_refi} : FlowRefresh{});
        }
        ranks_.kind_of.push_back(entry->second);
    }
}

std::string FlowFabric::fold_links(const FlowProgram& program)
{
    RankSymmetry found = find_symmetry(program, ranks_, routed_ ? routed_->links() : sparse_->links(),
        [this](std::uint32_t from, std::uint32_t to) {
            return routed_ ? routed_->path(from, to) : sparse_->path(from, to);
        });
    if (found.why.empty()) book_->fold(std::move(found.stands_for));
    return found.why;
}

std::vector<FlowEndpoint> FlowFabric::endpoints() const
{
    std::vector<FlowEndpoint> out;
    for (std::size_t e = 0; e < members_.size(); ++e)
        out.push_back({static_cast<double>(system_.gpu(members_[e]).peak_flops),
            static_cast<double>(system_.hbm(members_[e]).bandwidth), ranks_.of(static_cast<std::uint32_t>(e)).cold_ps,
            system_.gpu(members_[e]), system_.hbm(members_[e]).capacity, system_.l2(members_[e]).size,
            static_cast<double>(system_.l2(members_[e]).bandwidth),
            static_cast<double>(system_.network(members_[e]).unit_rate),
            static_cast<double>(system_.network(members_[e]).out_of_unit()), ranks_.of(static_cast<std::uint32_t>(e)),
            write_places_of(system_, members_[e]) * line_bytes});
    return out;
}

SwitchRoutes* FlowFabric::switches()
{
    if (!routed_) return nullptr;
    if (!switch_routes_) {
        if (ranks_.size() > most_ranks_priced)
            throw InputError(system_.file.empty() ? system_.infrastructure : system_.file, system_.workload.line,
                fmt::format("flow fidelity has steps in switches for up to {} ranks, and this run has {}",
                    most_ranks_priced, ranks_.size()),
                "an algorithm of loads and stores, or --fidelity line");
        const CostGraph& graph = routed_->with_switches();
        if (graph.switches.empty()) return nullptr;
        switch_routes_ = std::make_unique<SwitchRoutes>(graph, true);
    }
    return switch_routes_.get();
}

std::vector<std::string> FlowFabric::notices() const
{
    if (plan_) return plan_->notices;
    return {
        fmt::format("{} ranks on {} nodes: paths are computed pair by pair; cycles of waiting buffers are not checked",
            members_.size(), system_.graph().node_count())};
}

std::optional<LinkResult> FlowFabric::use(std::uint32_t number) const
{
    if (book_->busy_ps(number) <= 0) return std::nullopt;
    const Graph& graph = system_.graph();
    SparsePaths::LinkPlace place;
    if (sparse_) {
        place = sparse_->places()[number];
    } else {
        // "a -> b"
        const std::string& name = routed_->links()[number].name;
        const std::size_t arrow = name.find(" -> ");
        if (arrow == std::string::npos) return std::nullopt;  // an adder or the contexts of a switch
        const NodeId a = *graph.find(name.substr(0, arrow));
        place.edge = *graph.find_edge(a, *graph.find(name.substr(arrow + 4)));
        place.forward = graph.edge(place.edge).a == a;
    }
    const Edge& edge = graph.edge(place.edge);
    LinkResult link;
    link.name = edge_name(graph, place.edge);
    link.from = graph.node(place.forward ? edge.a : edge.b).name;
    link.to = graph.node(place.forward ? edge.b : edge.a).name;
    const auto bandwidth = static_cast<double>(system_.link(place.edge).bandwidth);
    link.GBps = bandwidth / 1e9;
    // Parts that were let in before others that had booked the wire overlap with these up to the end.
    const double busy = std::min(book_->busy_ps(number), static_cast<double>(end_));
    link.busy_ps = static_cast<Time>(std::llround(busy));
    link.wire_bytes = static_cast<std::uint64_t>(std::llround(busy * bandwidth / 1e12));
    link.payload_bytes =
        static_cast<std::uint64_t>(std::llround(book_->payload(number) * busy / book_->busy_ps(number)));
    link.lines = link.payload_bytes / line_bytes;
    return link;
}

std::vector<LinkResult> FlowFabric::links() const
{
    std::vector<LinkResult> out;
    for (std::uint32_t number = 0; number < book_->links(); ++number)
        if (std::optional<LinkResult> link = use(number)) out.push_back(std::move(*link));
    std::stable_sort(out.begin(), out.end(),
        [](const LinkResult& a, const LinkResult& b) { return a.name != b.name ? a.name < b.name : a.from < b.from; });
    return out;
}

std::size_t FlowFabric::link_count() const
{
    if (plan_) return static_cast<std::size_t>(std::count(plan_->used.edges.begin(), plan_->used.edges.end(), true));
    return sparse_->links().size() / 2;
}

std::size_t FlowFabric::switch_count() const
{
    std::size_t count = 0;
    for (NodeId node = 0; node < system_.graph().node_count(); ++node)
        if (system_.role(node) == NodeRole::forwarder && (!plan_ || plan_->used.nodes[node])) ++count;
    return count;
}

}  // namespace weft
