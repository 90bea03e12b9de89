#include "sc_models/l2/l2_spec.h"

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
            {{"slices", Unit::count, 1, 1024, "slices over which addresses are interleaved", {}}, &L2Spec::slices},
            {{"bandwidth", Unit::rate, 1'000'000, 1'000'000'000'000'000, "rate of all slices together", {}},
                &L2Spec::bandwidth},
            {{"latency", Unit::time, 1, ms, "latency from the request at the slice to its data, on a hit", {}},
                &L2Spec::latency},
            {{"outstanding_misses", Unit::count, 1, 65535, "misses in flight for each slice", {}},
                &L2Spec::outstanding_misses},
            {{"outstanding_write_backs", Unit::count, 0, 65535,
                 "lines that each slice has on their way to memory; 0: any number", {}},
                &L2Spec::outstanding_write_backs},
            {{"write_back_run", Unit::count, 1, 4096,
                 "lines of a slice, one after the other, of which all dirty ones are written back with a displaced "
                 "one; "
                 "1: that one alone",
                 {}},
                &L2Spec::write_back_run},
            {{"monitors", Unit::count, 0, 1ULL << 20, "waiters for flags that the table of a slice holds", {}},
                &L2Spec::monitors},
            {{"monitor_log_latency", Unit::time, 0, 1'000'000'000,
                 "additional latency of the wake-up of a waiter beyond the table", {}},
                &L2Spec::monitor_log_latency},
            {{"monitor_timeout", Unit::time, 0, 1'000'000'000'000, "time after which a monitor gives up; 0: never", {}},
                &L2Spec::monitor_timeout},
            {{"wake", Unit::choice, 0, 1, "which waiters are woken when a flag changes", {"all", "one"}},
                &L2Spec::wake},
            {{"merges", Unit::count, 0, 65535, "accesses that may join one fill; 0: any number", {}}, &L2Spec::merges},
            {{"line", Unit::bytes, 64, 128,
                 "bytes under one tag: 64 B, or 128 B in two sectors that are fetched one by one", {}},
                &L2Spec::line},
            {{"partitions", Unit::count, 1, 16, "partitions over which units and slices are divided", {}},
                &L2Spec::partitions},
            {{"partition_policy", Unit::choice, 0, 1,
                 "mirrored: two partitions that look up each other; private: caches that share the memory-side cache",
                 {"mirrored", "private"}},
                &L2Spec::partition_policy},
            {{"far_latency", Unit::time, 1, ms, "latency from one mirrored partition to the other, one way", {}},
                &L2Spec::far_latency},
            {{"far_bandwidth", Unit::rate, 1'000'000, 1'000'000'000'000'000,
                 "rate between two mirrored partitions, each direction", {}},
                &L2Spec::far_bandwidth},
            {{"model", Unit::choice, 0, 3,
                 "what stands for a slice: ours, a clocked block as its reference model or as RTL, both in lockstep, "
                 "or a "
                 "model of a plug-in",
                 {"slice", "reference_slice", "rtl_slice", "slice_lockstep"}, "", "", "slice"},
                &L2Spec::model},
            {{"contents", Unit::choice, 0, 1,
                 "where data are stored: in one image of the GPU's memory, or in each cache and DRAM (not with other "
                 "models of slices)",
                 {"flat", "cached"}},
                &L2Spec::contents},
            {{"clock", Unit::time, 0, 1'000'000,
                 "clock period of clocked slices; 0: one line in each clock at l2.bandwidth", {}},
                &L2Spec::clock},
        });
    return table;
}

}  // namespace weft
