#include "platform/applications/probe/limits.h"

#include <algorithm>

#include "platform/applications/probe/parts.h"
#include "platform/applications/probe/row_limits.h"
#include "sc_models/memory/hbm_timing.h"

namespace weft {

void RowLimits::add(const std::string& parameter, double bytes_per_second)
{
    limits_.push_back({parameter, bytes_per_second * 1e-9});
}

void RowLimits::add_rate(const std::string& parameter, std::uint64_t each, std::uint64_t count, double share)
{
    if (each > 0) add(parameter, static_cast<double>(each) * static_cast<double>(count) * share);
}

void RowLimits::add_in_flight(const std::string& parameter, double lines, double picoseconds)
{
    if (picoseconds > 0) add(parameter, lines * line_bytes / picoseconds * 1e12);
}

std::vector<RateLimit> RowLimits::sorted() const
{
    std::vector<RateLimit> out = limits_;
    std::stable_sort(out.begin(), out.end(), [](const RateLimit& a, const RateLimit& b) { return a.rate < b.rate; });
    return out;
}

double local_hit_ps(const GpuSpec& gpu, const L2Spec& l2)
{
    return static_cast<double>(gpu.unit_to_l2 + l2.latency + gpu.l2_to_unit);
}

namespace {

// The parts of one GPU, by short names.
struct OneGpu {
    // `some`: the units that work; 0: all.
    explicit OneGpu(const ResolvedSystem& system, std::uint64_t some = 0)
        : units(some > 0 ? some : system.gpu(system.endpoints().at(0)).compute_units),
          gpu(system.gpu(system.endpoints().at(0))), network(system.network(system.endpoints().at(0))),
          l1(system.l1(system.endpoints().at(0))), l2(system.l2(system.endpoints().at(0))),
          side(system.memory_side(system.endpoints().at(0))), hbm(system.hbm(system.endpoints().at(0)))
    {
    }
    std::uint64_t units;
    const GpuSpec& gpu;
    const NetworkSpec& network;
    const L1Spec& l1;
    const L2Spec& l2;
    const MemorySideSpec& side;
    const HbmSpec& hbm;

    double lines_in_flight() const { return static_cast<double>(units * gpu.outstanding); }
    // Lines that the registers of `shape` hold on them.
    double lines_of(const ProbeBench::Shape& shape) const
    {
        const std::uint64_t groups = units * gpu.workgroups_per_unit;
        return static_cast<double>(groups * shape.wavefronts * shape.unroll * gpu.lanes * shape.vector_bytes) /
            line_bytes;
    }
};

// What loads of the units have in common wherever their data are.
void add_units(RowLimits& out, const OneGpu& one, const ProbeBench::Shape& shape, double latency)
{
    out.add("gpu.clock", static_cast<double>(one.gpu.clock * one.gpu.coalesce * one.units));
    out.add_in_flight("gpu.outstanding", one.lines_in_flight(), latency);
    out.add_in_flight("gpu.wavefronts_per_unit", one.lines_of(shape), latency);
}

// Where a unit's share of a cache is too small for an instruction of each wavefront, fewer requests are in flight.
void add_piece(RowLimits& out, const OneGpu& one, const std::string& parameter, std::uint64_t share, double latency)
{
    ProbeBench::Shape shape = full_shape(one.gpu);
    const std::uint64_t each = one.gpu.workgroups_per_unit * one.gpu.lanes * shape.vector_bytes;
    const std::uint64_t busy = cache_piece(one.gpu, share) / each;
    if (share / 2 >= usual_piece || busy == 0 || busy >= shape.wavefronts) return;
    shape.wavefronts = static_cast<std::uint32_t>(busy);
    out.add_in_flight(parameter, one.lines_of(shape), latency);
}

enum class Moves { loads, stores, both };

// Rates of the ends of the on-die network; `directions`: 2 where as much is read as written and both count, which do not meet.
void add_network(RowLimits& out, const OneGpu& one, Moves moves, double directions = 1, double l2_share = 1)
{
    const double data = static_cast<double>(line_bytes) / static_cast<double>(line_bytes + one.network.header);
    const std::uint64_t stores = one.network.unit_store_rate;
    if (moves != Moves::stores || stores == 0)
        out.add_rate("network.unit_rate", one.network.unit_rate, one.units, directions * data);
    if (moves != Moves::loads) out.add_rate("network.unit_store_rate", stores, one.units, directions * data);
    out.add_rate("network.slice_rate", one.network.slice_rate, one.l2.slices, directions * data);
    out.add_rate("l2.bandwidth", one.l2.bandwidth, 1, l2_share);
}

// The path from an L2 slice to the memory-side cache and back.
double side_ps(const OneGpu& one)
{
    return one.side.present() ? static_cast<double>(2 * one.side.hop + one.side.latency) : 0;
}

// Share of the time that refreshes leave. Bank by bank the other banks go on.
double beside_refresh(const HbmSpec& hbm)
{
    if (hbm.refresh != RefreshMode::all_bank) return 1;
    return 1 - static_cast<double>(hbm.t_rfc) / static_cast<double>(hbm.t_refi);
}

// A load of a row that is open, and the mean wait for a refresh.
double dram_ps(const HbmSpec& hbm)
{
    const double refresh = static_cast<double>(hbm.t_rfc) * (1 - beside_refresh(hbm)) / 2;
    return static_cast<double>(idle_read(hbm) - hbm.t_rcd) + refresh;
}

// Limits by write-backs in flight: a write is in flight until it is in a queue of the DRAM. `sides`: 2 where bytes read count, too.
void add_write_backs(RowLimits& out, const OneGpu& one, double sides)
{
    const bool side = one.side.present();
    if (one.l2.outstanding_write_backs > 0)
        out.add_in_flight("l2.outstanding_write_backs",
            sides * static_cast<double>(one.l2.outstanding_write_backs * one.l2.slices),
            side ? side_ps(one) : static_cast<double>(one.hbm.request_latency));
    if (side && one.side.outstanding_write_backs > 0)
        out.add_in_flight("memory_side.outstanding_write_backs",
            sides * static_cast<double>(one.side.outstanding_write_backs * one.hbm.channels),
            static_cast<double>(one.hbm.request_latency));
}

// Limits by loads from memory in flight. `partitions`: of which a unit has the slices of one.
void add_misses(RowLimits& out, const OneGpu& one, double sides, std::uint64_t partitions = 1)
{
    const std::uint64_t slices = one.l2.slices / partitions;
    out.add_in_flight("l2.outstanding_misses", sides * static_cast<double>(one.l2.outstanding_misses * slices),
        side_ps(one) + dram_ps(one.hbm));
    if (one.side.present())
        out.add_in_flight("memory_side.outstanding_misses",
            sides * static_cast<double>(one.side.outstanding_misses * one.hbm.channels), dram_ps(one.hbm));
}

void add_dram(RowLimits& out, const OneGpu& one, bool turns)
{
    const HbmSpec& hbm = one.hbm;
    const HbmTiming timing(hbm);
    const double share = beside_refresh(hbm);
    const auto lines = static_cast<double>(hbm.channels);
    double pins = static_cast<double>(timing.line);
    // A turn of the wires there and back for as many lines as writes are collected.
    if (turns && hbm.write_high > hbm.write_low)
        pins += static_cast<double>(hbm.t_cl + hbm.t_rtw + hbm.t_wtr) /
            static_cast<double>(2 * (hbm.write_high - hbm.write_low));
    out.add_in_flight("hbm.bandwidth", lines * share, pins);
    out.add_in_flight("hbm.t_ccd_l", lines * share,
        static_cast<double>(timing.group_busy) / static_cast<double>(hbm.bank_groups));
    const double row = static_cast<double>(std::max<std::uint64_t>(1, hbm.row / line_bytes));
    out.add_in_flight("hbm.t_rrd", lines * share * row, static_cast<double>(hbm.t_rrd));
    out.add_in_flight("hbm.t_faw", lines * share * row * 4, static_cast<double>(hbm.t_faw));
}

std::vector<RateLimit> l1_limits(const OneGpu& one)
{
    RowLimits out;
    out.add_rate("l1.bandwidth", one.l1.bandwidth, one.units);
    add_units(out, one, full_shape(one.gpu), static_cast<double>(one.l1.latency));
    add_piece(out, one, "l1.size", one.l1.size, static_cast<double>(one.l1.latency));
    return out.sorted();
}

std::vector<RateLimit> cache_limits(const OneGpu& one, const std::string& row, std::uint64_t l2_share)
{
    RowLimits out;
    double latency = local_hit_ps(one.gpu, one.l2);
    const auto misses = static_cast<double>(one.l2.outstanding_misses * one.l2.slices);
    add_network(out, one, Moves::loads);
    if (row == "bandwidth.l2_far") {
        out.add_rate("l2.far_bandwidth", one.l2.far_bandwidth, 2);
        const auto far = static_cast<double>(2 * one.l2.far_latency + one.l2.latency);
        out.add_in_flight("l2.outstanding_misses", misses, far);
        latency += far;
    } else if (row == "bandwidth.memory_side") {
        out.add_rate("memory_side.bandwidth", one.side.bandwidth, 1);
        out.add_in_flight("l2.outstanding_misses", misses, side_ps(one));
        latency += side_ps(one);
    } else {
        add_piece(out, one, "l2.size", l2_share, latency);
    }
    add_units(out, one, full_shape(one.gpu), latency);
    return out.sorted();
}

// Of copies both directions count: half of the row is loads.
std::vector<RateLimit> dram_limits(const OneGpu& one, const std::string& row)
{
    if (!one.hbm.ours()) return {};  // nobody says what bounds a memory of somebody else
    RowLimits out;
    const bool copies = row == "bandwidth.dram_copy";
    const bool writes = row == "bandwidth.dram_write";
    const double sides = copies ? 2 : 1;
    const double hit = local_hit_ps(one.gpu, one.l2);
    const double below = side_ps(one) + dram_ps(one.hbm);
    add_dram(out, one, copies);
    add_network(out, one, copies ? Moves::both : writes ? Moves::stores : Moves::loads, sides);
    if (one.side.present()) out.add_rate("memory_side.bandwidth", one.side.bandwidth, 1);
    const ProbeBench::Shape shape = stream_shape(one.gpu, one.hbm);
    out.add("gpu.clock", static_cast<double>(one.gpu.clock * one.gpu.coalesce * one.units));
    if (copies || writes) add_write_backs(out, one, sides);
    if (writes) {
        out.add_in_flight("gpu.outstanding", one.lines_in_flight(), hit);
        return out.sorted();
    }
    add_misses(out, one, sides);
    // A line is in flight while it is loaded and while it is stored, its register while it is loaded.
    out.add_in_flight("gpu.outstanding", sides * one.lines_in_flight(), hit + below + (copies ? hit : 0));
    out.add_in_flight("gpu.wavefronts_per_unit", sides * one.lines_of(shape), hit + below);
    return out.sorted();
}

// The limits of one unit. A copy counts its payload once, and takes two requests, two places in flight and twice the L2's rate.
std::vector<RateLimit> unit_limits(const OneGpu& one, const std::string& row)
{
    RowLimits out;
    const double hit = local_hit_ps(one.gpu, one.l2);
    const ProbeBench::Shape shape = full_shape(one.gpu);
    if (row != "bandwidth.unit_copy") {
        double latency = hit;
        if (row == "bandwidth.unit_dram") {
            if (!one.hbm.ours()) return {};
            add_dram(out, one, false);
            add_misses(out, one, 1, one.l2.partitions);
            latency += side_ps(one) + dram_ps(one.hbm);
        }
        add_network(out, one, row == "bandwidth.unit_write" ? Moves::stores : Moves::loads);
        out.add("gpu.clock", static_cast<double>(one.gpu.clock * one.gpu.coalesce));
        out.add_in_flight("gpu.outstanding", one.lines_in_flight(), latency);
        if (row != "bandwidth.unit_write") out.add_in_flight("gpu.wavefronts_per_unit", one.lines_of(shape), latency);
        return out.sorted();
    }
    add_network(out, one, Moves::both, 1, 0.5);
    out.add("gpu.clock", static_cast<double>(one.gpu.clock * one.gpu.coalesce) / 2);
    out.add_in_flight("gpu.outstanding", one.lines_in_flight(), 2 * hit);
    out.add_in_flight("gpu.wavefronts_per_unit", one.lines_of(shape), hit);
    return out.sorted();
}

}  // namespace

std::vector<RateLimit> limits_of(const ResolvedSystem& system, const std::string& row)
{
    if (system.endpoints().empty() || row.rfind("bandwidth.", 0) != 0) return {};
    if (row.rfind("bandwidth.peer_", 0) == 0 || row == "bandwidth.all_to_all") return peer_limits_of(system, row);
    if (row.rfind("bandwidth.unit_", 0) == 0) return unit_limits(OneGpu(system, 1), row);
    const OneGpu one(system);
    if (row == "bandwidth.l1") return one.l1.size > 0 ? l1_limits(one) : std::vector<RateLimit>();
    if (row.rfind("bandwidth.dram_", 0) == 0) return dram_limits(one, row);
    if (row == "bandwidth.l2_far" && !one.l2.mirrored()) return {};
    if (row == "bandwidth.memory_side" && !one.side.present()) return {};
    return cache_limits(one, row, l2_share(system));
}

}  // namespace weft
