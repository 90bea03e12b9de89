// The parts of a probe, and what they share.
#pragma once

#include "platform/applications/probe/measure.h"
#include "platform/applications/probe/probe_bench.h"

namespace weft {

// The cache capacity that one unit can use in its GPU, B; 0: there is no such level.
struct Levels {
    explicit Levels(const ResolvedSystem& system);

    std::uint64_t l1 = 0;
    std::uint64_t near = 0;  // L2 of the own partition
    std::uint64_t l2 = 0;    // all of the L2 that holds lines for it
    std::uint64_t memory_side = 0;
    std::uint64_t all = 0;  // caches of the GPU past the L1s
};

// Bytes that each unit reads repeatedly from a cache of which it has `share`: at most half of that, and a whole number of instructions of
// every workgroup; 0: there is no room.
constexpr std::uint64_t usual_piece = 16 << 10;
std::uint64_t cache_piece(const GpuSpec& gpu, std::uint64_t share);
// The share that each unit has of the L2 near to it.
std::uint64_t l2_share(const ResolvedSystem& system);

inline double ns(Time ps) { return static_cast<double>(ps) * 1e-3; }
// GB/s
inline double rate(std::uint64_t bytes, Time ps) { return static_cast<double>(bytes) * 1e3 / static_cast<double>(ps); }

// ns of a dependent load over words in `lines` (local addresses at GPU `home`), by unit 0 of GPU `from`. The order is
// a random one, always the same; everything is loaded once before.
double chase(ProbeBench& bench, std::uint32_t from, std::uint32_t home, std::vector<std::uint64_t> lines, Scope scope);
// The lines of a footprint, or a sample of them that fills every cache as far as all of them would.
std::vector<std::uint64_t> lines_of(const ResolvedSystem& system, std::uint64_t footprint);

// Workgroups of which `workgroups_per_unit` on each unit have as much in flight as the unit can.
ProbeBench::Shape full_shape(const GpuSpec& gpu);
// The same of streams over the DRAM: no more in flight than its pins need, as far as the units have that much.
ProbeBench::Shape stream_shape(const GpuSpec& gpu, const HbmSpec& hbm);

// Bytes that the GPU which bounds a row between peers must move at least in the shorter of two runs, so that the difference is a
// steady state; 0: beginning and end cancel out whatever the length.
std::uint64_t peer_bytes(const ResolvedSystem& system, const std::string& row);

void measure_latency(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);
void measure_curve(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);
void measure_caches(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);
void measure_one_unit(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);
void measure_dram(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);
void measure_synchronisation(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);
void measure_peer_latency(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);
void measure_peer_bandwidth(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);
void measure_little(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out);

}  // namespace weft
