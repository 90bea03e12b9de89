// Values that are fine alone and wrong together.
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/configuration/last_word.h"
#include "platform/configuration/resolution/resolver.h"
#include "rtl/modules/slice_block_spec.h"
#include "sc_models/l1_spec.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::uint64_t most_sets = std::uint64_t{1} << 20;  // of one slice
constexpr std::uint64_t most_workgroups = 4096;              // resident on one GPU

// Where the value of one parameter comes from.
SourceId from(Block block, const Variant& variant, const char* parameter)
{
    return variant.sources[*info_of(block).find(parameter)];
}

}  // namespace

void Resolver::problem_between(const std::vector<SourceId>& values, std::string what, std::string expected)
{
    const auto said = last_word(system_, values);
    const ValuePlace place = said.value_or(ValuePlace{system_.file.empty() ? system_.infrastructure : system_.file, 0});
    problem(place.file, place.line, std::move(what), std::move(expected));
}

void Resolver::check_values()
{
    std::set<VariantId> seen_gpus;
    for (const NodeId node : with_memory()) {
        const VariantId id = system_.variant(node, block_of<GpuSpec>());
        if (!seen_gpus.insert(id).second) continue;
        const Variant& values = system_.values(block_of<GpuSpec>(), id);
        const GpuSpec gpu = spec_from<GpuSpec>(values.values);
        if (gpu.coalesce % line_bytes != 0) {
            problem_between({from(block_of<GpuSpec>(), values, "coalesce")},
                fmt::format("gpu.coalesce of {} is {} B", graph_.node(node).name, gpu.coalesce), "64 B or 128 B");
        }
        if (gpu.compute_units * gpu.workgroups_per_unit <= most_workgroups) continue;
        problem_between({from(block_of<GpuSpec>(), values, "compute_units"),
                            from(block_of<GpuSpec>(), values, "workgroups_per_unit")},
            fmt::format("{} has {} compute units of {} workgroups each", graph_.node(node).name, gpu.compute_units,
                gpu.workgroups_per_unit),
            fmt::format("at most {} workgroups on a GPU", most_workgroups));
    }
    std::set<VariantId> seen_networks;
    for (const NodeId node : with_memory()) {
        const VariantId id = system_.variant(node, block_of<NetworkSpec>());
        if (!seen_networks.insert(id).second) continue;
        const Variant& values = system_.values(block_of<NetworkSpec>(), id);
        const NetworkSpec network = spec_from<NetworkSpec>(values.values);
        if (network.columns * network.rows <= NetworkSpec::most_tiles) continue;
        problem_between(
            {from(block_of<NetworkSpec>(), values, "columns"), from(block_of<NetworkSpec>(), values, "rows")},
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
    check_power_of_two(block_of<RoutingSpec>(), "stripe", "64 B, 128 B, 256 B, ...");
    check_power_of_two(block_of<EngineSpec>(), "grain", "64 B, 128 B, 256 B or 512 B");
}

// Of the system.
void Resolver::check_power_of_two(Block block, const char* parameter, const char* expected)
{
    const Variant& values = system_.values(block, system_.system_variant(block));
    const std::uint64_t value = values.values[*info_of(block).find(parameter)];
    if ((value & (value - 1)) == 0) return;
    problem_between({from(block, values, parameter)},
        fmt::format("{}.{} = {} B is not a power of 2", info_of(block).name(), parameter, value), expected);
}

// The built-in link checks this, too, when it is made; flow fidelity and `weft check` make none.
void Resolver::check_links()
{
    std::set<VariantId> seen;
    for (EdgeId edge = 0; edge < graph_.edge_count(); ++edge) {
        const VariantId id = system_.link_variant(edge);
        if (id == no_variant || !seen.insert(id).second) continue;
        const Variant& values = system_.values(block_of<LinkSpec>(), id);
        const auto link = spec_from<LinkSpec>(values.values);
        if (link.model != 0) continue;  // other models have rules of their own
        const auto wrong = link_problem(link);
        if (!wrong) continue;
        std::vector<SourceId> sources;
        for (const char* parameter : wrong->parameters)
            sources.push_back(from(block_of<LinkSpec>(), values, parameter));
        problem_between(sources, wrong->what + ", at " + edge_name(graph_, edge), wrong->expected);
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
    const auto of_l2 = [&l2_values](const char* name) { return from(block_of<L2Spec>(), l2_values, name); };
    const auto of_hbm = [&hbm_values](const char* name) { return from(block_of<HbmSpec>(), hbm_values, name); };
    const auto text = [](Block block, const char* parameter, std::uint64_t value) {
        return value_text(*info_of(block).parameters[*info_of(block).find(parameter)], value);
    };
    const auto check_cache = [&](Block block, const Variant& values, const L2Spec& cache, SourceId slices) {
        const std::string& cache_name = info_of(block).name();
        if (cache.line != line_bytes && cache.line != 2 * line_bytes) {
            problem_between({from(block, values, "line")},
                fmt::format("{}.line of {} is {}", cache_name, name, text(block, "line", cache.line)), "64 B or 128 B");
            return;
        }
        const std::uint64_t step = cache.slices * cache.ways * cache.line;
        const std::vector<SourceId> parts{from(block, values, "size"), from(block, values, "ways"),
            from(block, values, "line"), slices};
        if (cache.size % step != 0)
            problem_between(parts,
                fmt::format("{}.size = {} of {} does not divide into {} slices of {} ways of {} B lines", cache_name,
                    text(block, "size", cache.size), name, cache.slices, cache.ways, cache.line),
                "a multiple of " + format_bytes(step));
        if (cache.size / step > most_sets)
            problem_between(parts,
                fmt::format("{}.size = {} of {} makes {} sets in each of {} slices", cache_name,
                    text(block, "size", cache.size), name, cache.size / step, cache.slices),
                fmt::format("at most {} sets: more slices or ways", most_sets));
    };
    check_cache(block_of<L2Spec>(), l2_values, l2, of_l2("slices"));
    const Variant& l1_values = system_.values(block_of<L1Spec>(), system_.variant(node, block_of<L1Spec>()));
    const auto l1 = spec_from<L1Spec>(l1_values.values);
    const std::vector<SourceId> l1_sets{from(block_of<L1Spec>(), l1_values, "ways"),
        from(block_of<L1Spec>(), l1_values, "line"), from(block_of<L1Spec>(), l1_values, "size")};
    if (l1.size > 0 && l1.size < l1.ways * l1.line)
        problem_between(l1_sets,
            fmt::format("l1.size = {} of {} holds no set of {} lines of {} B",
                text(block_of<L1Spec>(), "size", l1.size), name, l1.ways, l1.line),
            "0, or at least " + format_bytes(l1.ways * l1.line));
    else if (l1.size % (l1.ways * l1.line) != 0)
        problem_between(l1_sets,
            fmt::format("l1.size = {} of {} does not divide into sets of {} lines of {} B",
                text(block_of<L1Spec>(), "size", l1.size), name, l1.ways, l1.line),
            "a multiple of " + format_bytes(l1.ways * l1.line));
    if (side.present())
        check_cache(block_of<MemorySideSpec>(), side_values, side.as_cache(static_cast<unsigned>(hbm.channels)),
            of_hbm("channels"));
    if (l2.clocked()) {
        try {
            slice_block_spec(l2);
        } catch (const SliceBlockRefused& refused) {
            std::vector<SourceId> parts{of_l2("model")};
            for (const char* parameter : refused.parameters) parts.push_back(of_l2(parameter));
            const Diagnostic& wrong = refused.diagnostics().front();
            problem_between(parts,
                fmt::format("l2.model = {} of {}: {}", text(block_of<L2Spec>(), "model", l2.model), name, wrong.what),
                wrong.expected);
        }
        if (hbm.capacity / l2.slices / line_bytes >> slice_number_bits != 0)
            problem_between({of_hbm("capacity"), of_l2("slices"), of_l2("model")},
                fmt::format("{} lines for each clocked slice of {}", hbm.capacity / l2.slices / line_bytes, name),
                "less memory or more l2.slices");
    }
    if (l2.slices % l2.partitions != 0)
        problem_between({of_l2("slices"), of_l2("partitions")},
            fmt::format("l2.slices = {} of {} do not divide each other into {} partitions", l2.slices, name,
                l2.partitions),
            fmt::format("a multiple of {}", l2.partitions));
    if (l2.mirrored() && l2.partitions > 2)
        problem_between({of_l2("partition_policy"), of_l2("partitions")},
            fmt::format("{} has {} mirrored partitions", name, l2.partitions), "2, or l2.partition_policy = private");
    if (l2.separate() && !side.present())
        problem_between(
            {from(block_of<MemorySideSpec>(), side_values, "size"), of_l2("partitions"), of_l2("partition_policy")},
            fmt::format("{} has private L2 partitions and no cache that joins them", name),
            "a memory-side cache: memory_side.size");
    if (!side.present() && l2.slices % hbm.channels != 0 && hbm.channels % l2.slices != 0)
        problem_between({of_l2("slices"), of_hbm("channels")},
            fmt::format("l2.slices = {} and hbm.channels = {} of {} do not divide each other", l2.slices, hbm.channels,
                name),
            "that one is a multiple of the other");
    if (hbm.write_low >= hbm.write_high || hbm.write_high > hbm.write_queue)
        problem_between({of_hbm("write_low"), of_hbm("write_high"), of_hbm("write_queue")},
            fmt::format("hbm.write_low = {}, write_high = {} and write_queue = {} of {}", hbm.write_low, hbm.write_high,
                hbm.write_queue, name),
            "the low mark below the high one, and that within the queue");
    if (hbm.t_rfc >= hbm.t_refi)
        problem_between({of_hbm("t_rfc"), of_hbm("t_refi")},
            fmt::format("hbm.t_rfc = {} and hbm.t_refi = {} of {} leave no time between refreshes",
                text(block_of<HbmSpec>(), "t_rfc", hbm.t_rfc), text(block_of<HbmSpec>(), "t_refi", hbm.t_refi), name),
            "a refresh shorter than its interval");
    if (hbm.capacity < l2.size)
        problem_between({of_l2("size"), of_hbm("capacity")},
            fmt::format("hbm.capacity = {} of {} is less than its l2.size = {}",
                text(block_of<HbmSpec>(), "capacity", hbm.capacity), name, text(block_of<L2Spec>(), "size", l2.size)),
            "at least as much memory as cache");
}

}  // namespace weft
