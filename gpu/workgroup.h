// The state of one workgroup on a compute unit.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/program.h"
#include "tlm_interconnect/line.h"

namespace weft {

// Who launched workgroups and wants to know when they end.
class WorkgroupListener {
public:
    virtual ~WorkgroupListener() = default;
    virtual void on_workgroup_done(std::uint64_t token) = 0;
};

// Why a workgroup does not issue.
enum class StallCause : std::uint8_t { none, window, outstanding, issue, drain, flag, compute, queued };
constexpr unsigned stall_causes = 8;
const char* name_of(StallCause cause);

// One piece of a move in flight: what lies in one line of every operand.
struct Slot {
    const Operation* move = nullptr;
    std::uint64_t offset = 0;
    std::uint8_t size = 0;
    std::uint8_t loads = 0;     // without an answer
    std::uint8_t stores = 0;    // without an acknowledge
    std::uint8_t next_store = 0;
};

// Where a workgroup stands in its program, and what it has in flight.
struct Workgroup {
    const Program* program = nullptr;
    const Operation* operation = nullptr;  // nullptr: nothing left to start
    std::size_t next = 0;                  // operation to start after it
    std::uint64_t offset = 0;              // move: bytes whose loads have been issued or begun
    std::uint16_t next_source = 0;         // move: of the piece being loaded
    std::uint16_t loading = 0;             // slot of that piece
    bool piece_open = false;
    bool to_issue = false;                 // signal, wait: a line is to be issued
    bool waiting = false;                  // counted in Progress as not busy
    bool active = false;
    std::uint32_t in_flight = 0;           // pieces
    std::uint32_t posted = 0;              // signals without acknowledge
    std::uint32_t unit = 0;
    std::vector<Slot> slots;
    std::vector<std::uint16_t> free_slots;
    std::vector<std::uint16_t> ready;      // ring of slots whose data are there
    std::uint32_t ready_head = 0;
    std::uint32_t ready_count = 0;
    std::vector<Line*> held;               // loaded lines by slot and source, with data on
    WorkgroupListener* listener = nullptr;
    std::uint64_t token = 0;
    std::uint64_t vain_epoch = 0;
    Time polled_at = 0;
    StallCause cause = StallCause::none;
    Time cause_since = 0;
    std::array<Time, stall_causes> spent{};
    AgendaItem wake;                       // poll again, end of compute

    std::uint64_t operand(const Operation& move, unsigned number) const
    {
        return program->operands[move.first_operand + number];
    }
    // All pieces of the present move have been opened and their loads issued.
    bool exhausted() const { return offset == operation->bytes && !piece_open; }
    Line*& loaded(std::uint32_t slot, std::uint32_t source) { return held[slot * program->most_sources + source]; }

    void set_cause(StallCause next_cause, Time now)
    {
        if (cause == next_cause) return;
        spent[static_cast<unsigned>(cause)] += now - cause_since;
        cause = next_cause;
        cause_since = now;
    }
};

}  // namespace weft
