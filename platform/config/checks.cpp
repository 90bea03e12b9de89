// Values that are fine alone and wrong together.
#include <set>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/config/resolver.h"

namespace weft {

namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::uint64_t most_sets = std::uint64_t{1} << 20;  // of one L2 slice
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
    const BlockInfo& l2_info = info_of(Block::l2);
    const BlockInfo& hbm_info = info_of(Block::hbm);
    const std::size_t size = *l2_info.find("size");
    const std::size_t ways = *l2_info.find("ways");
    const std::size_t slices = *l2_info.find("slices");
    const std::size_t channels = *hbm_info.find("channels");
    const std::size_t capacity = *hbm_info.find("capacity");
    const BlockInfo& gpu_info = info_of(Block::gpu);
    const std::size_t units = *gpu_info.find("compute_units");
    const std::size_t groups = *gpu_info.find("workgroups_per_unit");
    std::set<VariantId> seen_gpus;
    for (const NodeId node : system_.endpoints_) {
        const VariantId id = system_.variant(node, Block::gpu);
        if (!seen_gpus.insert(id).second) continue;
        const Variant& values = system_.values(Block::gpu, id);
        const GpuSpec gpu = spec_from<GpuSpec>(values.values);
        if (gpu.compute_units * gpu.workgroups_per_unit <= most_workgroups) continue;
        const ValueSource at = place({{&values, units}, {&values, groups}});
        problem(at.file, at.line,
            fmt::format("{} has {} compute units of {} workgroups each", graph_.node(node).name, gpu.compute_units,
                gpu.workgroups_per_unit),
            fmt::format("at most {} workgroups on a GPU", most_workgroups));
    }
    std::set<std::pair<VariantId, VariantId>> seen;
    for (const NodeId node : system_.endpoints_) {
        const VariantId l2_id = system_.variant(node, Block::l2);
        const VariantId hbm_id = system_.variant(node, Block::hbm);
        if (!seen.insert({l2_id, hbm_id}).second) continue;
        const Variant& l2_values = system_.values(Block::l2, l2_id);
        const Variant& hbm_values = system_.values(Block::hbm, hbm_id);
        const L2Spec l2 = spec_from<L2Spec>(l2_values.values);
        const HbmSpec hbm = spec_from<HbmSpec>(hbm_values.values);
        const std::string& name = graph_.node(node).name;
        const std::uint64_t step = l2.slices * l2.ways * line_bytes;
        if (l2.size % step != 0) {
            const ValueSource at = place({{&l2_values, size}, {&l2_values, ways}, {&l2_values, slices}});
            problem(at.file, at.line,
                fmt::format("l2.size = {} of {} does not divide into {} slices of {} ways of {} B lines",
                    value_text(*l2_info.parameters[size], l2.size), name, l2.slices, l2.ways, line_bytes),
                "a multiple of " + format_bytes(step));
        }
        if (l2.size / step > most_sets) {
            const ValueSource at = place({{&l2_values, size}, {&l2_values, ways}, {&l2_values, slices}});
            problem(at.file, at.line,
                fmt::format("l2.size = {} of {} makes {} sets in each of {} slices",
                    value_text(*l2_info.parameters[size], l2.size), name, l2.size / step, l2.slices),
                fmt::format("at most {} sets: more slices or ways", most_sets));
        }
        if (l2.slices % hbm.channels != 0 && hbm.channels % l2.slices != 0) {
            const ValueSource at = place({{&l2_values, slices}, {&hbm_values, channels}});
            problem(at.file, at.line,
                fmt::format("l2.slices = {} and hbm.channels = {} of {} do not divide", l2.slices,
                    hbm.channels, name),
                "one a multiple of the other");
        }
        if (hbm.write_low >= hbm.write_high || hbm.write_high > hbm.write_queue) {
            const ValueSource at = place({{&hbm_values, *hbm_info.find("write_low")},
                {&hbm_values, *hbm_info.find("write_high")}, {&hbm_values, *hbm_info.find("write_queue")}});
            problem(at.file, at.line,
                fmt::format("hbm.write_low = {}, write_high = {} and write_queue = {} of {}", hbm.write_low, hbm.write_high,
                    hbm.write_queue, name),
                "the low mark below the high one, and that within the queue");
        }
        if (hbm.t_rfc >= hbm.t_refi) {
            const ValueSource at =
                place({{&hbm_values, *hbm_info.find("t_rfc")}, {&hbm_values, *hbm_info.find("t_refi")}});
            problem(at.file, at.line,
                fmt::format("hbm.t_rfc = {} and hbm.t_refi = {} of {} leave no time between refreshes",
                    value_text(*hbm_info.parameters[*hbm_info.find("t_rfc")], hbm.t_rfc),
                    value_text(*hbm_info.parameters[*hbm_info.find("t_refi")], hbm.t_refi), name),
                "a refresh shorter than its interval");
        }
        if (hbm.capacity < l2.size) {
            const ValueSource at = place({{&l2_values, size}, {&hbm_values, capacity}});
            problem(at.file, at.line,
                fmt::format("hbm.capacity = {} of {} is less than its l2.size = {}",
                    value_text(*hbm_info.parameters[capacity], hbm.capacity), name,
                    value_text(*l2_info.parameters[size], l2.size)),
                "at least as much memory as cache");
        }
    }
}

}  // namespace weft
