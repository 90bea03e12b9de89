// Parameters of a GPU's level-2 cache.
#pragma once

#include "base/parameter.h"

namespace weft {

// Who is woken when a flag changes: all waiters that are due, or the first of them.
enum class WakePolicy : std::uint8_t { all, one };

// What the partitions of an L2 are to each other: parts of one cache in which each may hold any line, nearer ones
// and farther ones; or caches of their own in front of a common memory-side cache.
enum class PartitionPolicy : std::uint8_t { mirrored, private_ };

// Where the bytes of a GPU's memory are: in each cache and in DRAM what each of them holds, carried by fills and write-backs;
// or in one image that all accesses change at once.
enum class ContentsPolicy : std::uint8_t { flat, cached };

struct L2Spec {
    std::uint64_t size = 50ULL << 20;             // B, all slices
    std::uint64_t ways = 16;                      // lines per set
    std::uint64_t slices = 32;                    // independent slices, lines interleaved over them
    std::uint64_t bandwidth = 5'500'000'000'000;  // B/s, all slices together
    std::uint64_t latency = 60'000;               // ps, line at the slice to data ready, on a hit
    std::uint64_t outstanding_misses = 256;       // per slice
    std::uint64_t outstanding_write_backs = 256;  // per slice; 0: any number
    std::uint64_t write_back_run = 64;            // lines of a slice, one after the other
    std::uint64_t monitors = 64;                  // waiters of flags in the table of a slice
    std::uint64_t monitor_log_latency = 400'000;  // ps, later wake-up of a waiter beyond it
    std::uint64_t monitor_timeout = 20'000'000;   // ps, after which a monitor gives up; 0: never
    WakePolicy wake = WakePolicy::all;
    std::uint64_t merges = 0;      // accesses that may join one fill; 0: any number
    std::uint64_t line = 64;       // B under one tag, in sectors of 64 B
    std::uint64_t partitions = 1;  // compute units and slices are divided evenly over them
    PartitionPolicy partition_policy = PartitionPolicy::mirrored;
    std::uint64_t far_latency = 25'000;               // ps, from one partition to the other, one way
    std::uint64_t far_bandwidth = 4'000'000'000'000;  // B/s between the partitions, each way
    std::uint64_t model = 0;  // what stands for a slice; beyond the choices: of the registry of a run
    std::uint64_t clock = 0;  // ps, of clocked slices; 0: a line a clock is `bandwidth`

    ContentsPolicy contents = ContentsPolicy::flat;  // of the whole GPU

    std::uint64_t grain = 64;  // B, of the run (engine.grain), no parameter: so much stays in one slice

    // L2Slice, or a clocked block (rtl/modules/clocked_slice.h): its reference model, RTL, or both in lockstep.
    bool ours() const { return model == 0; }
    bool clocked() const { return model >= 1 && model <= 3; }
    bool of_weft() const { return ours() || clocked(); }  // no model of a plug-in
    // A clocked slice holds its bytes in its block and keeps a model of memory beside it.
    bool holds_contents() const { return contents == ContentsPolicy::cached && ours(); }
    bool mirrored() const { return partitions > 1 && partition_policy == PartitionPolicy::mirrored; }
    bool separate() const { return partitions > 1 && partition_policy == PartitionPolicy::private_; }
    // One of several caches of their own.
    L2Spec of_partition() const;
    // Lines of 64 B under one tag, as a shift.
    unsigned sector_shift() const { return line > 64 ? 1 : 0; }
    // Lines in a row in one slice, as a shift: a tag's, or a wide transaction's.
    unsigned interleave_shift() const
    {
        unsigned shift = sector_shift();
        while ((std::uint64_t{64} << shift) < grain) ++shift;
        return shift;
    }

    static const ParameterTable<L2Spec>& parameters();
};

}  // namespace weft
