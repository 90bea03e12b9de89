// The figures of an accelerator at flow fidelity that kernels and collectives share: compute units, caches and memory.
#pragma once

#include <cstdint>

namespace weft {

struct DeviceCost {
    // Units: how many, workgroups and wavefronts that each has room for, an issue slot per line, lines without a response.
    std::uint32_t units = 1;
    std::uint32_t groups = 4;
    std::uint32_t wavefronts = 64;
    double issue_line_ps = 0;
    double outstanding = 512;
    double network_line_ps = 0;  // a line from the cache at its unit; 0: no limit
    double store_line_ps = 0;    // a line from a unit; the same
    double flop_ps = 0;          // one operation of a unit
    // The L2: latencies to it, of it, and from it.
    std::uint64_t to_cache_ps = 0;
    std::uint64_t cache_ps = 0;
    std::uint64_t from_cache_ps = 0;
    std::uint64_t port_to_cache_ps = 0;  // of what comes from peers
    double cache_line_ps = 0;            // of all slices together
    std::uint32_t slices = 1;
    std::uint32_t slice_lines = 1;  // in a row in one slice
    std::uint64_t cache_bytes = 0;
    std::uint32_t copies = 1;  // that the cache has of a line which all units load
    // Memory: beyond a hit, and a line at the rate that it sustains.
    std::uint64_t memory_ps = 0;
    std::uint64_t side_ps = 0;  // of it, up to the memory-side cache behind private partitions
    double memory_line_ps = 0;
    double queued_writes = 0;  // lines that wait until no read does
    double write_places = 0;   // lines that the L2 has displaced and memory has not written: as many as find a place
    // The L1 of a unit; 0 B: none.
    std::uint64_t l1_bytes = 0;
    std::uint64_t l1_ps = 0;
    double l1_line_ps = 0;
    // A thread of a collective: its wavefronts, and the lines of one of their instructions.
    std::uint32_t thread_wavefronts = 1;
    std::uint32_t instruction_lines = 1;
};

}  // namespace weft
