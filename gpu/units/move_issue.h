// The moves of wavefronts: loads and stores of operands as they are in memory.
//
// Owns: nothing but the way to the network; a wavefront's progress is in the Wavefront. Called by: ComputeUnits, when it is a
// wavefront's turn and when the response to a load arrives.
//
// A wavefront instruction covers threads x vector bytes of one operand and becomes one request for each line that it touches
// (`coalesce`: for each 128 bytes). In a run with wide transactions it becomes one of those for each `grain` bytes, unless the L1
// has to know of them. Operands in packets are those of PacketMoves. Loads and stores at the address of a group are
// carried out by switches, line by line (program.h).
#pragma once

#include "gpu/units/cached_access.h"
#include "gpu/units/compute_unit.h"
#include "gpu/units/packet_moves.h"
#include "gpu/units/unit_network.h"
#include "gpu/units/unit_scheduler.h"

namespace weft {

class MoveIssue {
public:
    // `grain`: B, of the widest transaction.
    MoveIssue(bool data_on, std::uint32_t grain, UnitScheduler& scheduler, UnitNetwork& network, CachedAccess& cache,
        PacketMoves& packets)
        : data_on_(data_on), grain_(grain), scheduler_(scheduler), network_(network), cache_(cache), packets_(packets)
    {
    }

    // The wavefront's turn: it issues up to an instruction's requests for one operand.
    void issue(ComputeUnit& unit, Wavefront& wave)
    {
        if (wave.can_store()) {
            issue_stores(unit, wave);
        } else {
            issue_loads(unit, wave);
        }
    }
    // The response to a load. True when its instruction has all of its data.
    bool loaded(Wavefront& wave, Line& line);
    // An instruction has all of its data: they are reduced; sets whose data nobody stores are free again, in order.
    void complete(Wavefront& wave, unsigned place);

private:
    void issue_loads(ComputeUnit& unit, Wavefront& wave);
    void issue_stores(ComputeUnit& unit, Wavefront& wave);
    void store_apart(const LineIssue& issue, ComputeUnit& unit, const Operation& move);

    static Time book(ComputeUnit& unit, Line& line, bool first, Time now)
    {
        return line.wide() ? unit.book_wide(line.size, now, line.tail) : unit.book(line.address, first, now);
    }

    bool data_on_;
    std::uint32_t grain_;
    UnitScheduler& scheduler_;
    UnitNetwork& network_;
    CachedAccess& cache_;
    PacketMoves& packets_;
};

}  // namespace weft
