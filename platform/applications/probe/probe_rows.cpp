#include "platform/applications/probe/probe_rows.h"

namespace weft {

const std::vector<ProbeRow>& probe_rows()
{
    static const std::vector<ProbeRow> rows{
        {"latency.l1", "ns", ProbePart::latency, "dependent load, L1"},
        {"latency.l2", "ns", ProbePart::latency, "dependent load, L2 of the own partition"},
        {"latency.l2_far", "ns", ProbePart::latency, "dependent load, L2 of the other partition"},
        {"latency.memory_side", "ns", ProbePart::latency, "dependent load, memory-side cache"},
        {"latency.dram", "ns", ProbePart::latency, "dependent load, DRAM"},
        {"bandwidth.l1", "GB/s", ProbePart::caches, "reads, L1s of all units"},
        {"bandwidth.l2", "GB/s", ProbePart::caches, "reads, L2 of the own partition"},
        {"bandwidth.l2_far", "GB/s", ProbePart::caches, "reads, L2 of the other partition"},
        {"bandwidth.memory_side", "GB/s", ProbePart::caches, "reads, memory-side cache"},
        {"bandwidth.dram_read", "GB/s", ProbePart::dram, "reads, DRAM"},
        {"bandwidth.dram_copy", "GB/s", ProbePart::dram, "copy, DRAM; both directions counted"},
        {"bandwidth.dram_write", "GB/s", ProbePart::dram, "writes, DRAM"},
        {"bandwidth.unit_read", "GB/s", ProbePart::one_unit, "one unit reads, L2"},
        {"bandwidth.unit_write", "GB/s", ProbePart::one_unit, "one unit writes, L2"},
        {"bandwidth.unit_copy", "GB/s", ProbePart::one_unit, "one unit copies, L2 to L2, payload"},
        {"bandwidth.unit_dram", "GB/s", ProbePart::one_unit, "one unit reads, DRAM"},
        {"time.handoff", "ns", ProbePart::synchronisation, "compare-swap hand-off, units of one partition"},
        {"time.handoff_far", "ns", ProbePart::synchronisation, "compare-swap hand-off, units of two partitions"},
        {"time.kernel", "ns", ProbePart::synchronisation, "small kernels back to back, each"},
        {"time.barrier_counter", "ns", ProbePart::synchronisation, "grid barrier, one counter"},
        {"time.barrier_flags", "ns", ProbePart::synchronisation, "grid barrier, tree of flags"},
        {"latency.peer", "ns", ProbePart::peer_latency, "dependent load from a peer, mean of all pairs"},
        {"latency.signal", "ns", ProbePart::peer_latency, "signal to a waiting peer, one way"},
        {"latency.put_signal", "ns", ProbePart::peer_latency, "64 B put and signal, one way"},
        {"bandwidth.peer_read", "GB/s", ProbePart::peer_bandwidth, "units read from one peer"},
        {"bandwidth.peer_write", "GB/s", ProbePart::peer_bandwidth, "units write to one peer"},
        {"bandwidth.peer_both", "GB/s", ProbePart::peer_bandwidth, "two peers write to each other, per direction"},
        {"bandwidth.peer_all", "GB/s", ProbePart::peer_bandwidth, "one GPU writes to all others"},
        {"bandwidth.peer_incast", "GB/s", ProbePart::peer_bandwidth, "all others write to one GPU"},
        {"bandwidth.all_to_all", "GB/s", ProbePart::peer_bandwidth, "every GPU writes to all others, per GPU"},
    };
    return rows;
}

const ProbeRow* find_probe_row(const std::string& name)
{
    for (const ProbeRow& row : probe_rows())
        if (name == row.name) return &row;
    return nullptr;
}

const std::vector<ProbePart>& probe_parts()
{
    static const std::vector<ProbePart> parts{ProbePart::latency, ProbePart::caches, ProbePart::dram,
        ProbePart::one_unit, ProbePart::synchronisation, ProbePart::peer_latency, ProbePart::peer_bandwidth,
        ProbePart::curve, ProbePart::little};
    return parts;
}

const char* name_of(ProbePart part)
{
    switch (part) {
    case ProbePart::latency: return "latency";
    case ProbePart::caches: return "caches";
    case ProbePart::dram: return "dram";
    case ProbePart::one_unit: return "one_unit";
    case ProbePart::synchronisation: return "synchronisation";
    case ProbePart::peer_latency: return "peer_latency";
    case ProbePart::peer_bandwidth: return "peer_bandwidth";
    case ProbePart::curve: return "curve";
    case ProbePart::little: return "little";
    }
    return "?";
}

}  // namespace weft
