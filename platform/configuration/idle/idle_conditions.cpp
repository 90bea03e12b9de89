// Values that a user has set and that another value of the same block switches off.
#include <algorithm>
#include <vector>

#include "base/line_size.h"
#include "collectives/engine/engine_spec.h"
#include "gpu/interface/gpu_spec.h"
#include "gpu/interface/network_spec.h"
#include "platform/configuration/idle/idle_values.h"
#include "platform/configuration/parameters/routing_spec.h"
#include "sc_models/l1_spec.h"
#include "sc_models/l2/l2_spec.h"
#include "sc_models/memory/hbm_spec.h"
#include "sc_models/memory_side_spec.h"
#include "tlm_interconnect/link/credits_of_message.h"
#include "tlm_interconnect/link/destination_lines.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

namespace {

template <class Spec>
struct Condition {
    const char* parameter;
    bool (*counts)(const Spec&);
    const char* needs;  // "link.retry=timeout or go_back_n"
};

const std::vector<Condition<LinkSpec>>& link_conditions()
{
    const auto retries = [](const LinkSpec& link) { return link.retry != RetryKind::none; };
    const auto extends = [](const LinkSpec& link) { return link.address_extension > 0; };
    const char* const retry = "link.retry=timeout or go_back_n";
    const char* const extension = "link.address_extension above 0";
    static const std::vector<Condition<LinkSpec>> conditions{{"replay_buffer", retries, retry},
        {"replay_timeout", retries, retry}, {"ack_bytes", retries, retry}, {"ack_every", retries, retry},
        {"extension_region", extends, extension}, {"extension_ways", extends, extension},
        {"credit_batch", [](const LinkSpec& link) { return link.credit_bytes > 0; }, "link.credit_bytes above 0"},
        {"bundle_selection", [](const LinkSpec& link) { return link.bundle > 1; }, "link.bundle above 1"},
        {"max_payload", [](const LinkSpec& link) { return link.merge != MergeKind::none; },
            "link.merge=adjacent or destination"},
        {"group_payload", [](const LinkSpec& link) { return link.merge == MergeKind::adjacent; },
            "link.merge=adjacent"}};
    return conditions;
}

const std::vector<Condition<SwitchSpec>>& switch_conditions()
{
    const auto sends_messages = [](const SwitchSpec& spec) { return spec.message > 0; };
    const auto weighs = [](const SwitchSpec& spec) { return spec.arbiter == ArbiterKind::weighted; };
    const char* const message = "switch.message above 0";
    const char* const arbiter = "switch.arbiter=weighted";
    static const std::vector<Condition<SwitchSpec>> conditions{{"message_overhead", sends_messages, message},
        {"message_interval", sends_messages, message}, {"message_hold", sends_messages, message},
        {"message_streams", sends_messages, message}, {"control_weight", weighs, arbiter},
        {"data_weight", weighs, arbiter}};
    return conditions;
}

const std::vector<Condition<SwitchSpec>>& crossbar_conditions()
{
    const auto weighs = [](const SwitchSpec& spec) { return spec.allocator == AllocatorKind::weighted; };
    const char* const allocator = "switch.allocator=weighted";
    static const std::vector<Condition<SwitchSpec>> conditions{{"control_weight", weighs, allocator},
        {"data_weight", weighs, allocator},
        {"iterations", [](const SwitchSpec& spec) { return spec.allocator != AllocatorKind::input_first; },
            "another switch.allocator than input_first"}};
    return conditions;
}

const std::vector<Condition<RoutingSpec>>& routing_conditions()
{
    const auto in_dimensions = [](const RoutingSpec& spec) { return spec.policy == RoutePolicy::dimension_order; };
    const char* const dimensions = "routing.policy=dimension_order";
    static const std::vector<Condition<RoutingSpec>> conditions{{"size_x", in_dimensions, dimensions},
        {"size_y", in_dimensions, dimensions}, {"size_z", in_dimensions, dimensions},
        {"group",
            [](const RoutingSpec& spec) {
                return spec.policy == RoutePolicy::dragonfly_minimal || spec.policy == RoutePolicy::dragonfly_valiant;
            },
            "routing.policy=dragonfly_minimal or dragonfly_valiant"},
        {"stripe",
            [](const RoutingSpec& spec) {
                return spec.path_selection == PathSelection::lines || spec.path_selection == PathSelection::round_robin;
            },
            "routing.path_selection=lines or round_robin"}};
    return conditions;
}

const std::vector<Condition<GpuSpec>>& gpu_conditions()
{
    const auto weighs = [](const GpuSpec& gpu) { return gpu.port_arbiter == ArbiterKind::weighted; };
    const auto arrays = [](const GpuSpec& gpu) { return gpu.compute_model != ComputeModel::roofline; };
    const char* const arbiter = "gpu.port_arbiter=weighted";
    const char* const model = "another gpu.compute_model than roofline";
    static const std::vector<Condition<GpuSpec>> conditions{
        {"backoff_limit", [](const GpuSpec& gpu) { return gpu.wait_policy == WaitPolicy::backoff; },
            "gpu.wait_policy=backoff"},
        {"port_control_weight", weighs, arbiter}, {"port_data_weight", weighs, arbiter}, {"array_rows", arrays, model},
        {"array_columns", arrays, model}, {"arrays", arrays, model}, {"array_clock", arrays, model}};
    return conditions;
}

const std::vector<Condition<NetworkSpec>>& network_conditions()
{
    const auto mesh = [](const NetworkSpec& network) { return network.mesh(); };
    const char* const kind = "network.kind=mesh";
    static const std::vector<Condition<NetworkSpec>> conditions{{"columns", mesh, kind}, {"rows", mesh, kind},
        {"hop_latency", mesh, kind}, {"link_rate", mesh, kind}};
    return conditions;
}

const std::vector<Condition<L1Spec>>& l1_conditions()
{
    const auto present = [](const L1Spec& l1) { return l1.size > 0; };
    const char* const size = "l1.size above 0";
    static const std::vector<Condition<L1Spec>> conditions{{"ways", present, size}, {"line", present, size},
        {"latency", present, size}, {"bandwidth", present, size}, {"outstanding_misses", present, size},
        {"cache_peers", present, size}};
    return conditions;
}

const std::vector<Condition<L2Spec>>& l2_conditions()
{
    const auto divided = [](const L2Spec& l2) { return l2.partitions > 1; };
    const char* const partitions = "l2.partitions above 1";
    static const std::vector<Condition<L2Spec>> conditions{{"partition_policy", divided, partitions},
        {"far_latency", divided, partitions}, {"far_bandwidth", divided, partitions}};
    return conditions;
}

const std::vector<Condition<HbmSpec>>& hbm_conditions()
{
    const auto refreshes = [](const HbmSpec& hbm) { return hbm.refresh != RefreshMode::none; };
    const char* const refresh = "another hbm.refresh than none";
    static const std::vector<Condition<HbmSpec>> conditions{{"t_rfc", refreshes, refresh},
        {"t_refi", refreshes, refresh},
        {"row_idle", [](const HbmSpec& hbm) { return hbm.row_policy == RowPolicy::idle; }, "hbm.row_policy=idle"}};
    return conditions;
}

const std::vector<Condition<MemorySideSpec>>& memory_side_conditions()
{
    const auto present = [](const MemorySideSpec& cache) { return cache.present(); };
    const char* const size = "memory_side.size above 0";
    static const std::vector<Condition<MemorySideSpec>> conditions{{"ways", present, size},
        {"bandwidth", present, size}, {"latency", present, size}, {"hop", present, size},
        {"outstanding_misses", present, size}, {"outstanding_write_backs", present, size},
        {"write_back_run", present, size}, {"line", present, size}};
    return conditions;
}

// Slices of models other than ours declare what they read.
const std::vector<Condition<L2Spec>>& slice_conditions()
{
    static const std::vector<Condition<L2Spec>> conditions{
        {"clock", [](const L2Spec& l2) { return !l2.ours(); }, "clocked slices (l2.model)"},
        {"outstanding_write_backs", [](const L2Spec& l2) { return !l2.clocked(); }, "l2.model=slice"},
        {"write_back_run", [](const L2Spec& l2) { return !l2.clocked(); }, "l2.model=slice"},
        {"contents", [](const L2Spec& l2) { return l2.ours(); }, "l2.model=slice"}};
    return conditions;
}

// Whether the L2 of some GPU holds waits, and whether some of them give up in time.
struct HeldWaits {
    bool any = false;
    bool monitors = false;
};

const std::vector<Condition<HeldWaits>>& wait_conditions()
{
    const auto held = [](const HeldWaits& waits) { return waits.any; };
    const char* const policy = "gpu.wait_policy=monitor or waiting_atomic";
    static const std::vector<Condition<HeldWaits>> conditions{{"monitors", held, policy},
        {"monitor_log_latency", held, policy},
        {"monitor_timeout", [](const HeldWaits& waits) { return waits.monitors; }, "gpu.wait_policy=monitor"},
        {"wake", held, policy}};
    return conditions;
}

HeldWaits held_waits(const ResolvedSystem& system)
{
    HeldWaits out;
    for (const VariantId id : system.variants(block_of<GpuSpec>())) {
        if (id == no_variant) continue;
        const auto policy = spec_from<GpuSpec>(system.values(block_of<GpuSpec>(), id).values).wait_policy;
        out.monitors = out.monitors || policy == WaitPolicy::monitor;
        out.any = out.any || policy == WaitPolicy::monitor || policy == WaitPolicy::waiting_atomic;
    }
    return out;
}

const std::vector<Condition<bool>>& replay_conditions()
{
    static const std::vector<Condition<bool>> conditions{
        {"replay_in_flight", [](const bool& replays) { return replays; }, "accelerators of model replay"}};
    return conditions;
}

const std::vector<Condition<EngineSpec>>& engine_conditions()
{
    const auto staged = [](const EngineSpec& engine) { return engine.staging == StagingMode::fifo; };
    const char* const staging = "engine.staging=fifo";
    static const std::vector<Condition<EngineSpec>> conditions{{"steps_in_flight", staged, staging},
        {"step_bytes", staged, staging},
        {"ll128_fence", [](const EngineSpec& engine) { return engine.protocol == Protocol::ll128; },
            "engine.protocol=ll128"},
        {"slices", [](const EngineSpec& engine) { return engine.protocol == Protocol::simple; },
            "engine.protocol=simple"}};
    return conditions;
}

template <class Spec>
Spec spec_of(std::size_t, const Variant& variant)
{
    return spec_from<Spec>(variant.values);
}

// A card makes messages of what comes by a link without them and leaves by one that carries them.
void note_messages_nobody_makes(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out)
{
    constexpr unsigned both = 3;
    std::vector<unsigned> sides(system.graph().node_count(), 0);
    for (EdgeId id = 0; id < system.graph().edge_count(); ++id) {
        const VariantId values = system.link_variant(id);
        if (!is_used(used.edges, id) || values == no_variant) continue;
        const auto link = spec_from<LinkSpec>(system.values(block_of<LinkSpec>(), values).values);
        const unsigned side = destination_lines(link) > 0 && link.message_header > 0 ? 1 : 2;
        sides[system.graph().edge(id).a] |= side;
        sides[system.graph().edge(id).b] |= side;
    }
    const BlockInfo& info = info_of(block_of<SwitchSpec>());
    const std::size_t message = *info.find("message");
    bool set = false;
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        const VariantId id = system.variant(node, block_of<SwitchSpec>());
        if (id == no_variant || !is_used(used.nodes, node)) continue;
        const Variant& variant = system.values(block_of<SwitchSpec>(), id);
        if (system.role(node) != NodeRole::forwarder || system.model(node) != "switch" ||
            system.source(variant.sources[message]).file.empty() || variant.values[message] == 0)
            continue;
        if (sides[node] == both) return;
        set = true;
    }
    if (set)
        out.push_back(info.path_of(message) +
            " is set and changes nothing: it needs a node between links that carry messages (link.merge=destination "
            "and "
            "link.message_header above 0) and others");
}

// Without a buffer behind it an output of a crossbar is held by its wire, and `transfer` holds inputs alone.
void note_transfers_without_buffer(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out)
{
    const BlockInfo& info = info_of(block_of<SwitchSpec>());
    std::size_t nodes = 0;
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        const VariantId id = system.variant(node, block_of<SwitchSpec>());
        if (id == no_variant || !is_used(used.nodes, node) || system.role(node) != NodeRole::forwarder ||
            system.model(node) != "crossbar")
            continue;
        const auto spec = spec_from<SwitchSpec>(system.values(block_of<SwitchSpec>(), id).values);
        if (spec.transfer > 0 && spec.output_buffer == 0) ++nodes;
    }
    if (nodes > 0)
        out.push_back(info.path_of(*info.find("transfer")) + " of " + std::to_string(nodes) +
            (nodes == 1 ? " node" : " nodes") +
            " without switch.output_buffer: lines hold inputs of the crossbar so long, and outputs as long as their "
            "wires");
}

void note_batches_above_buffers(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out)
{
    const BlockInfo& info = info_of(block_of<LinkSpec>());
    std::size_t links = 0;
    std::uint64_t batch = 0;
    std::uint64_t most = 0;
    for (EdgeId id = 0; id < system.graph().edge_count(); ++id) {
        const VariantId values = system.link_variant(id);
        if (!is_used(used.edges, id) || values == no_variant) continue;
        const auto link = spec_from<LinkSpec>(system.values(block_of<LinkSpec>(), values).values);
        if (link.credit_bytes == 0 || credits_of_message(link) == link.credit_batch) continue;
        ++links;
        batch = link.credit_batch;
        most = credits_of_message(link);
    }
    if (links > 0)
        out.push_back(info.path_of(*info.find("credit_batch")) + " = " + std::to_string(batch) + " of " +
            std::to_string(links) + (links == 1 ? " link" : " links") + ": a message returns " + std::to_string(most) +
            ", no more credits than the smallest buffer has");
}

}  // namespace

void note_idle_conditions(const ResolvedSystem& system, const UsedParts& used, std::vector<std::string>& out)
{
    // `takes_part`: instances whose model reads these parameters at all.
    const auto note = [&](Block block, const auto& conditions, auto takes_part, auto spec_at) {
        const BlockInfo& info = info_of(block);
        static const std::vector<bool> everywhere;
        const BlockOwner owner = info.title.owner;
        const std::vector<bool>& parts = owner == BlockOwner::link            ? used.edges
            : owner == BlockOwner::endpoint || owner == BlockOwner::forwarder ? used.nodes
                                                                              : everywhere;
        for (const auto& condition : conditions) {
            const std::size_t parameter = *info.find(condition.parameter);
            bool set = false;
            bool counts = false;
            for (std::size_t i = 0; i < system.variants(block).size(); ++i) {
                const VariantId id = system.variants(block)[i];
                if (id == no_variant || !is_used(parts, i)) continue;
                const Variant& variant = system.values(block, id);
                if (system.source(variant.sources[parameter]).file.empty() || !takes_part(i, variant)) continue;
                set = true;
                counts = counts || condition.counts(spec_at(i, variant));
            }
            if (set && !counts)
                out.push_back(info.path_of(parameter) + " is set and changes nothing: it needs " + condition.needs);
        }
    };
    note(
        block_of<LinkSpec>(), link_conditions(),
        [](std::size_t, const Variant& variant) { return spec_from<LinkSpec>(variant.values).model == 0; },
        spec_of<LinkSpec>);
    const auto of_model = [&system](const char* name) {
        return [&system, name](std::size_t node, const Variant&) {
            return system.role(node) == NodeRole::forwarder && system.model(node) == name;
        };
    };
    note(block_of<SwitchSpec>(), switch_conditions(), of_model("switch"), spec_of<SwitchSpec>);
    note(block_of<SwitchSpec>(), crossbar_conditions(), of_model("crossbar"), spec_of<SwitchSpec>);
    note_messages_nobody_makes(system, used, out);
    note_transfers_without_buffer(system, used, out);
    note_batches_above_buffers(system, used, out);
    std::size_t cards = 0;
    for (std::size_t i = 0; i < system.variants(block_of<SwitchSpec>()).size(); ++i)
        if (const VariantId id = system.variants(block_of<SwitchSpec>())[i];
            id != no_variant && is_used(used.nodes, i)) {
            const Variant& variant = system.values(block_of<SwitchSpec>(), id);
            if (of_model("crossbar")(i, variant) && spec_of<SwitchSpec>(i, variant).message > 0) ++cards;
        }
    if (cards > 0)
        out.push_back(std::to_string(cards) + (cards == 1 ? " network card has" : " network cards have") +
            " model crossbar, which makes no messages");
    const auto always = [](std::size_t, const Variant&) { return true; };
    const auto ours = [](std::size_t, const Variant& variant) { return spec_from<L2Spec>(variant.values).ours(); };
    const auto our_memory = [](std::size_t, const Variant& variant) {
        return spec_from<HbmSpec>(variant.values).ours();
    };
    note(block_of<GpuSpec>(), gpu_conditions(), always, spec_of<GpuSpec>);
    note(block_of<NetworkSpec>(), network_conditions(), always, spec_of<NetworkSpec>);
    note(block_of<L1Spec>(), l1_conditions(), always, spec_of<L1Spec>);
    note(block_of<L2Spec>(), l2_conditions(), ours, spec_of<L2Spec>);
    note(block_of<L2Spec>(), slice_conditions(), always, spec_of<L2Spec>);
    note(block_of<L2Spec>(), wait_conditions(), ours,
        [waits = held_waits(system)](std::size_t, const Variant&) { return waits; });
    note(block_of<GpuSpec>(), replay_conditions(), always,
        [&system](std::size_t node, const Variant&) { return system.model(static_cast<NodeId>(node)) == "replay"; });
    note(block_of<MemorySideSpec>(), memory_side_conditions(), always, spec_of<MemorySideSpec>);
    note(block_of<HbmSpec>(), hbm_conditions(), our_memory, spec_of<HbmSpec>);
    note(block_of<EngineSpec>(), engine_conditions(), always, spec_of<EngineSpec>);
    note(block_of<RoutingSpec>(), routing_conditions(), always, spec_of<RoutingSpec>);
}

}  // namespace weft
