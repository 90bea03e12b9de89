// Values that are fine alone and wrong together.
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/configuration/resolution/resolver.h"
#include "rtl/modules/slice_block_spec.h"
#include "sc_models/l1_spec.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::uint64_t most_sets = std::uint64_t{1} << 20;  // of one slice
constexpr std::uint64_t most_workgroups = 4096;              // resident on one GPU

}  // namespace

void Resolver::check_values()
{
    // The place to look is the one that a user wrote last, if any did.
    const auto place = [this](std::initializer_list<std::pair<const Variant*, std::size_t>> parts) {
        ValueSource best{"", system_.file.empty() ? system_.infrastructure : system_.file, 0};
        for (const auto& [variant, parameter] : parts) {
            const ValueSource& from = system_.sources_[variant->sources[parameter]];
            if (!from.file.empty()) best = from;
        }
        return best;
    };
    const BlockInfo& gpu_info = info_of(block_of<GpuSpec>());
    const std::size_t units = *gpu_info.find("compute_units");
    const std::size_t groups = *gpu_info.find("workgroups_per_unit");
    std::set<VariantId> seen_gpus;
    for (const NodeId node : with_memory()) {
        const VariantId id = system_.variant(node, block_of<GpuSpec>());
        if (!seen_gpus.insert(id).second) continue;
        const Variant& values = system_.values(block_of<GpuSpec>(), id);
        const GpuSpec gpu = spec_from<GpuSpec>(values.values);
        if (gpu.coalesce % line_bytes != 0) {
            const ValueSource at = place({{&values, *gpu_info.find("coalesce")}});
            problem(at.file, at.line, fmt::format("gpu.coalesce of {} is {} B", graph_.node(node).name, gpu.coalesce),
                "64 B or 128 B");
        }
        if (gpu.compute_units * gpu.workgroups_per_unit <= most_workgroups) continue;
        const ValueSource at = place({{&values, units}, {&values, groups}});
        problem(at.file, at.line,
            fmt::format("{} has {} compute units of {} workgroups each", graph_.node(node).name, gpu.compute_units,
                gpu.workgroups_per_unit),
            fmt::format("at most {} workgroups on a GPU", most_workgroups));
    }
    const BlockInfo& network_info = info_of(block_of<NetworkSpec>());
    std::set<VariantId> seen_networks;
    for (const NodeId node : with_memory()) {
        const VariantId id = system_.variant(node, block_of<NetworkSpec>());
        if (!seen_networks.insert(id).second) continue;
        const Variant& values = system_.values(block_of<NetworkSpec>(), id);
        const NetworkSpec network = spec_from<NetworkSpec>(values.values);
        if (network.columns * network.rows <= NetworkSpec::most_tiles) continue;
        const ValueSource at = place({{&values, *network_info.find("columns")}, {&values, *network_info.find("rows")}});
        problem(at.file, at.line,
            fmt::format("{} has a mesh of {} x {} tiles", graph_.node(node).name, network.columns, network.rows),
            fmt::format("at most {} tiles", NetworkSpec::most_tiles));
    }
    std::set<std::array<VariantId, 3>> seen;
    for (const NodeId node : with_memory()) {
        const std::array<VariantId, 3> ids{system_.variant(node, block_of<L2Spec>()),
            system_.variant(node, block_of<MemorySideSpec>()), system_.variant(node, block_of<HbmSpec>())};
        if (seen.insert(ids).second) check_caches(node);
    }
    check_links();
}

// The built-in link checks this, too, when it is made; flow fidelity and `weft check` make none.
void Resolver::check_links()
{
    const BlockInfo& info = info_of(block_of<LinkSpec>());
    std::set<VariantId> seen;
    for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge) {
        const VariantId id = system_.link_variant(edge);
        if (id == no_variant || !seen.insert(id).second) continue;
        const Variant& values = system_.values(block_of<LinkSpec>(), id);
        const auto link = spec_from<LinkSpec>(values.values);
        if (link.model != 0) continue;  // other models have rules of their own
        try {
            check_link(link);
        } catch (const InputError& error) {
            ValueSource at{"", system_.file.empty() ? system_.infrastructure : system_.file, 0};
            for (const char* part : {"frame", "frame_payload", "bundle", "retry", "bit_error_rate", "header",
                     "response_saving", "ack_every", "replay_buffer", "replay_timeout"}) {
                const ValueSource& from = system_.sources_[values.sources[*info.find(part)]];
                if (!from.file.empty()) at = from;
            }
            const Diagnostic& wrong = error.diagnostics().front();
            problem(at.file, at.line, wrong.what + ", at " + edge_name(graph_, edge), wrong.expected);
        }
    }
}

void Resolver::check_caches(NodeId node)
{
    const Variant& l2_values = system_.values(block_of<L2Spec>(), system_.variant(node, block_of<L2Spec>()));
    const Variant& side_values =
        system_.values(block_of<MemorySideSpec>(), system_.variant(node, block_of<MemorySideSpec>()));
    const Variant& hbm_values = system_.values(block_of<HbmSpec>(), system_.variant(node, block_of<HbmSpec>()));
    const auto l2 = spec_from<L2Spec>(l2_values.values);
    const auto side = spec_from<MemorySideSpec>(side_values.values);
    const auto hbm = spec_from<HbmSpec>(hbm_values.values);
    const std::string& name = graph_.node(node).name;
    using Part = std::tuple<Block, const Variant*, const char*>;
    const Part l2_size{block_of<L2Spec>(), &l2_values, "size"};
    const Part l2_slices{block_of<L2Spec>(), &l2_values, "slices"};
    const Part partitions{block_of<L2Spec>(), &l2_values, "partitions"};
    const Part policy{block_of<L2Spec>(), &l2_values, "partition_policy"};
    const Part side_size{block_of<MemorySideSpec>(), &side_values, "size"};
    const Part channels{block_of<HbmSpec>(), &hbm_values, "channels"};
    // The place to look is the one that a user wrote last, if any did.
    const auto refuse = [this](std::initializer_list<Part> parts, const std::string& what,
                            const std::string& expected) {
        ValueSource best{"", system_.file.empty() ? system_.infrastructure : system_.file, 0};
        for (const auto& [block, variant, parameter] : parts) {
            const ValueSource& from = system_.sources_[variant->sources[*info_of(block).find(parameter)]];
            if (!from.file.empty()) best = from;
        }
        problem(best.file, best.line, what, expected);
    };
    const auto text = [](Block block, const char* parameter, std::uint64_t value) {
        return value_text(*info_of(block).parameters[*info_of(block).find(parameter)], value);
    };
    const auto check_cache = [&](Block block, const Variant& values, const L2Spec& cache, const Part& slices) {
        const std::string& cache_name = info_of(block).name();
        if (cache.line != line_bytes && cache.line != 2 * line_bytes) {
            refuse({{block, &values, "line"}},
                fmt::format("{}.line of {} is {}", cache_name, name, text(block, "line", cache.line)), "64 B or 128 B");
            return;
        }
        const std::uint64_t step = cache.slices * cache.ways * cache.line;
        const std::initializer_list<Part> parts{{block, &values, "size"}, {block, &values, "ways"},
            {block, &values, "line"}, slices};
        if (cache.size % step != 0)
            refuse(parts,
                fmt::format("{}.size = {} of {} does not divide into {} slices of {} ways of {} B lines", cache_name,
                    text(block, "size", cache.size), name, cache.slices, cache.ways, cache.line),
                "a multiple of " + format_bytes(step));
        if (cache.size / step > most_sets)
            refuse(parts,
                fmt::format("{}.size = {} of {} makes {} sets in each of {} slices", cache_name,
                    text(block, "size", cache.size), name, cache.size / step, cache.slices),
                fmt::format("at most {} sets: more slices or ways", most_sets));
    };
    check_cache(block_of<L2Spec>(), l2_values, l2, l2_slices);
    const Variant& l1_values = system_.values(block_of<L1Spec>(), system_.variant(node, block_of<L1Spec>()));
    const auto l1 = spec_from<L1Spec>(l1_values.values);
    if (l1.size > 0 && l1.size < l1.ways * l1.line)
        refuse({{block_of<L1Spec>(), &l1_values, "ways"}, {block_of<L1Spec>(), &l1_values, "size"}},
            fmt::format("l1.size = {} of {} holds no set of {} lines of {} B",
                text(block_of<L1Spec>(), "size", l1.size), name, l1.ways, l1.line),
            "0, or at least " + format_bytes(l1.ways * l1.line));
    else if (l1.size % (l1.ways * l1.line) != 0)
        refuse({{block_of<L1Spec>(), &l1_values, "ways"}, {block_of<L1Spec>(), &l1_values, "line"},
                   {block_of<L1Spec>(), &l1_values, "size"}},
            fmt::format("l1.size = {} of {} does not divide into sets of {} lines of {} B",
                text(block_of<L1Spec>(), "size", l1.size), name, l1.ways, l1.line),
            "a multiple of " + format_bytes(l1.ways * l1.line));
    if (side.present())
        check_cache(block_of<MemorySideSpec>(), side_values, side.as_cache(static_cast<unsigned>(hbm.channels)),
            channels);
    if (l2.clocked()) {
        const Part model{block_of<L2Spec>(), &l2_values, "model"};
        try {
            slice_block_spec(l2);
        } catch (const InputError& error) {
            const Diagnostic& problem = error.diagnostics().front();
            refuse({l2_size, l2_slices, partitions, model},
                fmt::format("l2.model = {} of {}: {}", text(block_of<L2Spec>(), "model", l2.model), name, problem.what),
                problem.expected);
        }
        if (hbm.capacity / l2.slices / line_bytes >> slice_number_bits != 0)
            refuse({{block_of<HbmSpec>(), &hbm_values, "capacity"}, model},
                fmt::format("{} lines for each clocked slice of {}", hbm.capacity / l2.slices / line_bytes, name),
                "less memory or more l2.slices");
    }
    if (l2.slices % l2.partitions != 0)
        refuse({l2_slices, partitions},
            fmt::format("l2.slices = {} of {} do not divide each other into {} partitions", l2.slices, name,
                l2.partitions),
            fmt::format("a multiple of {}", l2.partitions));
    if (l2.mirrored() && l2.partitions > 2)
        refuse({policy, partitions}, fmt::format("{} has {} mirrored partitions", name, l2.partitions),
            "2, or l2.partition_policy = private");
    if (l2.separate() && !side.present())
        refuse({side_size, partitions, policy},
            fmt::format("{} has private L2 partitions and no cache that joins them", name),
            "a memory-side cache: memory_side.size");
    if (!side.present() && l2.slices % hbm.channels != 0 && hbm.channels % l2.slices != 0)
        refuse({l2_slices, channels},
            fmt::format("l2.slices = {} and hbm.channels = {} of {} do not divide each other", l2.slices, hbm.channels,
                name),
            "that one is a multiple of the other");
    if (hbm.write_low >= hbm.write_high || hbm.write_high > hbm.write_queue)
        refuse({{block_of<HbmSpec>(), &hbm_values, "write_low"}, {block_of<HbmSpec>(), &hbm_values, "write_high"},
                   {block_of<HbmSpec>(), &hbm_values, "write_queue"}},
            fmt::format("hbm.write_low = {}, write_high = {} and write_queue = {} of {}", hbm.write_low, hbm.write_high,
                hbm.write_queue, name),
            "the low mark below the high one, and that within the queue");
    if (hbm.t_rfc >= hbm.t_refi)
        refuse({{block_of<HbmSpec>(), &hbm_values, "t_rfc"}, {block_of<HbmSpec>(), &hbm_values, "t_refi"}},
            fmt::format("hbm.t_rfc = {} and hbm.t_refi = {} of {} leave no time between refreshes",
                text(block_of<HbmSpec>(), "t_rfc", hbm.t_rfc), text(block_of<HbmSpec>(), "t_refi", hbm.t_refi), name),
            "a refresh shorter than its interval");
    if (hbm.capacity < l2.size)
        refuse({l2_size, {block_of<HbmSpec>(), &hbm_values, "capacity"}},
            fmt::format("hbm.capacity = {} of {} is less than its l2.size = {}",
                text(block_of<HbmSpec>(), "capacity", hbm.capacity), name, text(block_of<L2Spec>(), "size", l2.size)),
            "at least as much memory as cache");
}

}  // namespace weft
