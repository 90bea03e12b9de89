// One workgroup on a compute unit: what its wavefronts share.
//
// Each part is kept by one object: `open` by those that issue accesses, `fence` by Fences, `wait` by FlagPolls, `chase` by
// WordAccess, `at_barrier` and `ended` by ProgramFlow, the packets' by PacketMoves. The rest is set when it is placed.
#pragma once

#include <cstdint>

#include "base/held_places.h"
#include "gpu/units/flag_wait.h"
#include "gpu/network/line_tag.h"
#include "gpu/units/open_accesses.h"
#include "gpu/units/program.h"
#include "gpu/interface/workgroup_listener.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

class ComputeUnit;
struct Wavefront;

struct Workgroup {
    // Set when it is placed.
    const Program* program = nullptr;
    ComputeUnit* unit = nullptr;
    std::uint32_t index = 0;  // its place among those of all units; never changes
    std::uint32_t wavefronts = 1;
    std::uint32_t instruction_bytes = 512;  // that one wavefront instruction covers
    PacketFormat format = PacketFormat::none;
    OperandCode operands;  // of its loads' tags
    bool aligned = true;   // instructions meet at lines of the first operand
    bool active = false;
    bool background = false;           // beside the workload
    std::uint32_t first_transfer = 0;  // number of its program's first operand among those of the GPU's workgroups
    std::uint64_t contexts = 0;        // of its wavefronts on the unit
    Wavefront* zero = nullptr;
    std::uint32_t poll_flags = 1;  // waits in a row that are polled together, at most
    std::uint32_t log = 0;         // number in the OperationLog; 0: not logged
    std::uint32_t list = 0;        // that its requests are for
    TransferSide side = TransferSide::none;
    std::uint64_t* results = nullptr;
    WorkgroupListener* listener = nullptr;
    std::uint64_t token = 0;

    std::uint32_t at_barrier = 0;  // wavefronts
    std::uint32_t ended = 0;       // wavefronts
    OpenAccesses open;
    struct {
        bool open = false;
        Scope scope = Scope::unit;
    } fence;
    FlagWait wait;
    struct {
        std::uint64_t address = 0;  // of the next load
        std::uint64_t left = 0;     // loads without a response
    } chase;
    bool spinning = false;       // counted in Progress as not busy
    bool stores_tell = false;    // others may wait for what it stores: packets, words
    bool drains = false;         // waits for its last acknowledges: to end, or to be counted as not busy
    bool lacks_packets = false;  // because nothing but packets can make it go on
    std::uint64_t vain_epoch = 0;
    ScheduledItem wake;  // next poll, end of compute, end of barrier, end of fence

    bool all_at_barrier() const { return at_barrier == wavefronts; }
    bool all_ended() const { return ended == wavefronts; }

    std::uint64_t operand(const Operation& move, unsigned number) const
    {
        return program->operands[move.first_operand + number];
    }
    std::uint32_t transfer_of(const Operation& move, unsigned number) const
    {
        return unit_transfer(first_transfer + move.first_operand + number);
    }
    bool in_packets(const Operation& move, unsigned number) const
    {
        return format != PacketFormat::none && program->in_packets.size() > move.first_operand + number &&
            program->in_packets[move.first_operand + number];
    }
    // Where an instruction of a move begins. Instructions meet where the first operand reaches the end of a line, so that
    // aligned operands are not cut twice.
    std::uint64_t begin_of(const Operation& move, std::uint64_t instruction) const
    {
        if (instruction == 0) return 0;
        const std::uint64_t skew = aligned ? operand(move, 0) % line_bytes : 0;
        return instruction * instruction_bytes - skew;
    }
    // Where a source of an instruction is among the data of a wavefront's registers.
    std::size_t register_begin(unsigned set, unsigned source) const
    {
        return (std::size_t{set} * program->most_sources + source) * instruction_bytes;
    }
};

}  // namespace weft
