#include "sc_models/l2_spec.h"

namespace weft {

L2Spec L2Spec::of_partition() const
{
    L2Spec part = *this;
    part.size /= partitions;
    part.slices /= partitions;
    part.bandwidth /= partitions;
    part.partitions = 1;
    return part;
}

const ParameterTable<L2Spec>& L2Spec::parameters()
{
    constexpr std::uint64_t ms = 1'000'000'000;
    static const ParameterTable<L2Spec> table({"l2", BlockOwner::endpoint, "second-level cache"},
        {
            {{"size", Unit::bytes, 64, 1ULL << 36, "capacity of all slices", {}}, &L2Spec::size},
            {{"ways", Unit::count, 1, 64, "lines per set", {}}, &L2Spec::ways},
            {{"slices", Unit::count, 1, 1024, "slices that lines are interleaved over", {}}, &L2Spec::slices},
            {{"bandwidth", Unit::rate, 1'000'000, 1'000'000'000'000'000, "all slices together", {}},
                &L2Spec::bandwidth},
            {{"latency", Unit::time, 1, ms, "line at the slice to data ready, on a hit", {}}, &L2Spec::latency},
            {{"outstanding_misses", Unit::count, 1, 65535, "misses in flight per slice", {}},
                &L2Spec::outstanding_misses},
            {{"monitors", Unit::count, 0, 1ULL << 20, "waiters of flags in the table of a slice", {}},
                &L2Spec::monitors},
            {{"monitor_log_latency", Unit::time, 0, 1'000'000'000, "later wake-up of a waiter beyond the table", {}},
                &L2Spec::monitor_log_latency},
            {{"monitor_timeout", Unit::time, 0, 1'000'000'000'000, "after which a monitor gives up; 0: never", {}},
                &L2Spec::monitor_timeout},
            {{"wake", Unit::choice, 0, 1, "who is woken when a flag changes", {"all", "one"}}, &L2Spec::wake},
            {{"merges", Unit::count, 0, 65535, "accesses that may join one fill, 0: any number", {}}, &L2Spec::merges},
            {{"line", Unit::bytes, 64, 128, "under one tag: 64 B, or 128 B in two sectors fetched one by one", {}},
                &L2Spec::line},
            {{"partitions", Unit::count, 1, 16, "partitions that units and slices are divided over", {}},
                &L2Spec::partitions},
            {{"partition_policy", Unit::choice, 0, 1,
                 "mirrored: two that look in each other; private: caches that meet in the memory-side cache",
                 {"mirrored", "private"}},
                &L2Spec::partition_policy},
            {{"far_latency", Unit::time, 1, ms, "from one mirrored partition to the other, one way", {}},
                &L2Spec::far_latency},
            {{"far_bandwidth", Unit::rate, 1'000'000, 1'000'000'000'000'000,
                 "between two mirrored partitions, each way", {}},
                &L2Spec::far_bandwidth},
            {{"model", Unit::choice, 0, 3,
                 "what stands for a slice: ours, a clocked block as its reference model or as RTL, or both in lockstep",
                 {"slice", "reference_slice", "rtl_slice", "slice_lockstep"}},
                &L2Spec::model},
            {{"contents", Unit::choice, 0, 1,
                 "where bytes are: one image of the GPU's memory, or each cache and DRAM holds its own (slice models "
                 "but clocked ones)",
                 {"flat", "cached"}},
                &L2Spec::contents},
            {{"clock", Unit::time, 0, 1'000'000, "of clocked slices; 0: of one line a clock at l2.bandwidth", {}},
                &L2Spec::clock},
        });
    return table;
}

}  // namespace weft
