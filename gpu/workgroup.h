// The state of one workgroup on a compute unit: what its wavefronts share.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/line_tag.h"
#include "gpu/program.h"

namespace weft {

// Who launched workgroups and wants to know when they end.
class WorkgroupListener {
public:
    virtual ~WorkgroupListener() = default;
    virtual void on_workgroup_done(std::uint64_t token) = 0;
};

// Stores without an acknowledge, those issued before the latest fence apart from those after it.
struct StoreCount {
    std::array<std::uint32_t, 2> open{};
    std::uint8_t epoch = 0;  // of stores that issue now

    void begin_fence() { epoch ^= 1U; }  // the fence before it has ended: nothing is open in the other one
    bool fenced() const { return open[epoch ^ 1U] == 0; }
    std::uint32_t total() const { return open[0] + open[1]; }
};

constexpr Time never_polled = ~Time{0};

struct Workgroup {
    const Program* program = nullptr;
    std::uint32_t unit = 0;
    std::uint32_t wavefronts = 1;
    std::uint32_t instruction_bytes = 512;  // that one wavefront instruction covers
    PacketFormat format = PacketFormat::none;
    OperandCode operands;        // of its loads' tags
    bool aligned = true;         // instructions meet at lines of the first operand
    std::uint64_t contexts = 0;  // places of its wavefronts on the unit
    std::uint32_t zero = 0;      // place of wavefront zero
    std::uint32_t repeat = 0;    // where that one is in a run of signals or waits
    std::uint32_t at_barrier = 0;
    std::uint32_t ended = 0;
    bool active = false;
    bool waiting = false;        // counted in Progress as not busy
    bool lacks_packets = false;  // because nothing but packets can make it go on
    bool fencing = false;
    Scope fence = Scope::unit;
    StoreCount near;               // stores to the own GPU
    StoreCount far;                // and to others
    std::uint32_t posted = 0;      // signals without acknowledge
    std::uint32_t reads = 0;       // words loaded without an answer
    std::uint32_t bulk = 0;        // bulk copies that are not performed
    std::uint64_t chased = 0;      // address of the next load of a chase
    std::uint64_t chase_left = 0;  // loads without an answer
    std::uint64_t* results = nullptr;
    WorkgroupListener* listener = nullptr;
    std::uint64_t token = 0;
    std::uint32_t log = 0;             // number in the OperationLog
    std::uint32_t list = 0;            // that its requests are for
    std::uint32_t first_transfer = 0;  // number of its program's first operand among those of the GPU's workgroups
    std::uint64_t vain_epoch = 0;
    Time polled_at = 0;            // the present look's first line; never_polled: none is issued
    Time interval = 0;             // spin: to the next poll
    bool arm = false;              // monitor: the next lines of the wait arm it
    std::uint32_t poll_lanes = 1;  // waits in a row that are looked at together
    std::uint32_t lanes = 0;       // of them, in the present wait
    std::uint32_t missing = 0;     // bit per lane: its flag has not had its value
    std::uint32_t to_look = 0;     // and whose line of the present look is to be issued
    std::uint32_t looking = 0;     // lines of the present look without an answer
    ScheduledItem wake;            // poll again, end of compute, end of barrier
};

}  // namespace weft
