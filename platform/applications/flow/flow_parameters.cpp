#include "platform/applications/flow/flow_parameters.h"

#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platform/choice/link_shares.h"

namespace weft {

namespace {

struct Rows {
    const char* block;
    Follows follows;
    const char* names;
};

// A new parameter needs its place here (FlowParameters.EveryParameterHasItsRow). docs/models/flow.md lists the rest of `yes`.
// `network.unit_store_rate` has a notice of its own.
constexpr Rows rows[] = {
    {"gpu", Follows::yes,
        "compute_units clock lanes coalesce outstanding workgroups_per_unit wavefronts_per_unit unit_to_l2 l2_to_unit "
        "unit_to_port port_to_l2 "
        "l2_to_port port_to_unit fence_latency launch_latency spin_interval peak_flops compute_model "
        "array_rows array_columns arrays array_clock replay_in_flight"},
    {"gpu", Follows::in_part, "wait_policy"},
    {"gpu", Follows::no, "barrier_latency port_arbiter port_control_weight port_data_weight backoff_limit"},
    {"network", Follows::yes, "unit_store_rate"},
    {"network", Follows::kernels, "unit_rate slice_rate"},
    {"network", Follows::no, "kind port_rate header columns rows hop_latency link_rate"},
    {"l1", Follows::kernels, "size latency bandwidth"},
    {"l1", Follows::no, "ways line outstanding_misses cache_peers"},
    {"l2", Follows::yes, "latency partitions partition_policy far_latency contents model"},
    {"l2", Follows::kernels, "size slices bandwidth line"},
    {"l2", Follows::in_part, "outstanding_write_backs"},
    {"l2", Follows::no,
        "ways outstanding_misses write_back_run monitors monitor_log_latency monitor_timeout "
        "wake merges "
        "far_bandwidth clock"},
    {"memory_side", Follows::yes, "latency hop"},
    {"memory_side", Follows::no, "size ways bandwidth outstanding_misses outstanding_write_backs write_back_run line"},
    {"hbm", Follows::yes, "capacity request_latency response_latency t_rcd t_cl model"},
    {"hbm", Follows::kernels, "write_high"},
    {"hbm", Follows::in_part, "bandwidth channels burst t_ccd_l write_queue"},
    {"hbm", Follows::in_part_without_kernels, "t_rfc t_refi refresh"},
    {"hbm", Follows::no,
        "bank_groups banks row t_rp t_wl t_ras t_rrd t_faw t_wr t_rtp t_wtr t_rtw row_policy row_idle "
        "read_queue write_low age_limit"},
    {"copy", Follows::yes, "engines queues start rate poll_interval request_latency proxy_poll proxy_service"},
    {"copy", Follows::in_part, "in_flight"},
    {"bulk", Follows::yes, "start rate"},
    {"bulk", Follows::in_part, "in_flight"},
    {"bulk", Follows::no, "queue"},
    {"switch", Follows::yes,
        "latency multicast_groups group_contexts reduce_rate message_overhead message_interval clock "
        "queues allocator iterations vc_stage traversal credit_delay input_speedup transfer "
        "output_buffer"},
    {"switch", Follows::in_part, "message"},
    {"switch", Follows::no,
        "arbiter control_weight data_weight waiting_contributions reduce_timeout message_hold "
        "message_streams"},
    {"link", Follows::yes,
        "bandwidth latency flit header response_saving atomic_extra merge group_payload "
        "packet_overhead message_header message_answer frame frame_payload credit_bytes credit_batch "
        "bit_error_rate model"},
    {"link", Follows::in_part,
        "max_payload request_credits response_credits pool_credits vc_sets address_extension extension_region "
        "bundle"},
    {"link", Follows::no,
        "byte_enable vcs extension_ways bundle_selection retry replay_buffer "
        "replay_timeout ack_bytes ack_every"},
    {"engine", Follows::yes,
        "mover channel channels channel_bytes wavefronts unroll vector grain flag_home poll_lanes "
        "protocol ll128_fence slices staging steps_in_flight step_bytes compute_in_flight "
        "communication_in_flight collective_order channel_share memory_nodes dimension_order "
        "dimension_queue dimension_chunks dimension_streams compute compute_time compute_workgroups"},
    {"routing", Follows::yes, "path_selection policy cycles size_x size_y size_z group"},
    {"routing", Follows::in_part, "stripe"},
};

}  // namespace

const std::map<std::string, Follows>& flow_parameters()
{
    static const std::map<std::string, Follows> table = [] {
        std::map<std::string, Follows> out;
        for (const Rows& each : rows) {
            std::istringstream names(each.names);
            for (std::string name; names >> name;) out.emplace(std::string(each.block) + "." + name, each.follows);
        }
        return out;
    }();
    return table;
}

std::string unfollowed_notice(const ResolvedSystem& system, bool kernels, bool tables, const std::vector<bool>& apart)
{
    std::map<std::string, std::set<std::string>> told;  // by path: values
    // Paths that are known in part, or pair by pair, spread over all that are equal.
    const PathSelection selection = selection_of(system.routing());
    if (!spreads(selection) && (!tables || !apart.empty()))
        told["routing.path_selection"].insert(selection == PathSelection::pairs ? "pairs" : "none");
    std::set<std::pair<Block, VariantId>> seen;
    const auto add = [&](Block block, VariantId id) {
        if (id == no_variant || !seen.emplace(block, id).second) return;
        const BlockInfo& info = system.blocks()[block];
        const Variant& variant = system.values(block, id);
        for (std::size_t i = 0; i < info.parameters.size(); ++i) {
            if (system.source(variant.sources[i]).file.empty()) continue;
            const auto row = flow_parameters().find(info.path_of(i));
            if (row == flow_parameters().end() || row->second == Follows::yes) continue;
            // The default is the least value, which switches the mechanism off.
            if (variant.values[i] == info.defaults[i] && info.defaults[i] == info.parameters[i]->low) continue;
            const bool by_kernels = row->second == Follows::kernels || row->second == Follows::in_part_without_kernels;
            if (by_kernels && kernels) continue;
            std::string value = value_text(*info.parameters[i], variant.values[i]);
            if (row->second == Follows::in_part || row->second == Follows::in_part_without_kernels)
                value += " (followed in part)";
            told[row->first].insert(std::move(value));
        }
    };
    const auto is_apart = [&apart](NodeId node) { return !apart.empty() && apart[node]; };
    for (const Block block : system.blocks().all()) {
        const BlockInfo& info = system.blocks()[block];
        if (on_nodes(info)) {
            for (NodeId node = 0; node < system.graph().node_count(); ++node)
                if (!is_apart(node)) add(block, system.variant(node, block));
        } else if (info.title.owner == BlockOwner::link) {
            for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge)
                if (!is_apart(system.graph().edge(edge).a) && !is_apart(system.graph().edge(edge).b))
                    add(block, system.link_variant(edge, block));
        } else {
            add(block, system.system_variant(block));
        }
    }
    if (told.empty()) return {};
    std::vector<std::string> list;
    for (const auto& [path, values] : told) list.push_back(fmt::format("{} = {}", path, fmt::join(values, " or ")));
    return fmt::format("flow fidelity does not follow {}; run by lines for what they cost", fmt::join(list, ", "));
}

}  // namespace weft
