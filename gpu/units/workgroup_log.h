// What compute units tell an OperationLog: one record at a time for each workgroup that is launched with a number of it.
//
// Owns: the open records. Called by: ProgramFlow when an operation starts or a workgroup ends, UnitNetwork and ComputeUnits for
// each request and response, DmaEngines for those of bulk copies, PacketMoves when packets that were missing are there. A run without a log asks on(), no more.
#pragma once

#include <unordered_map>
#include <vector>

#include "gpu/units/compute_unit.h"
#include "gpu/units/operation_log.h"
#include "gpu/units/workgroup.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

class WorkgroupLog {
public:
    explicit WorkgroupLog(const EventQueue& event_queue) : event_queue_(event_queue) {}

    // Before time starts; `workgroups` is the number of places for them.
    void set(OperationLog& log, std::size_t workgroups)
    {
        log_ = &log;
        open_.resize(workgroups);
    }
    bool on() const { return log_ != nullptr; }

    // Closes the record of the workgroup and begins that of `operation`; null: the end of its program.
    void begin(const Workgroup& group, const Operation* operation);
    void end(const Workgroup& group);
    // The run ends at `now`, before the operation of the workgroup does.
    void cut_off(const Workgroup& group, Time now);

    // A request leaves `delay` from now; the response to a traced one has arrived.
    void trace(const LineIssue& issue, ComputeUnit& unit, Time delay);
    void respond(Line& line, const ComputeUnit& unit);
    // Bulk copies of the workgroup in place `group`. A request leaves now.
    void trace_bulk(std::uint32_t group, const LineIssue& issue);
    // The response to a traced request has arrived.
    void respond_bulk(std::uint32_t group, Line& line);
    // From `since` to now their engine was at its start or its rate, for these copies or for those before them.
    void wait_for_engine(std::uint32_t group, Time since);
    // Packets that a wavefront had found missing are there.
    void detect(const Line& line, const Wavefront& wave);

private:
    struct OpenRecord {
        bool open = false;
        OperationRecord record;
        StallTimes spent{};          // when it began
        std::uint32_t signal = 0;    // number of its signal, which is on its way
        LatencyBreakdown signalled;  // the same, with its response
    };

    static StallTimes spent(const Workgroup& group, Time now);
    void close(const Workgroup& group, Time now);

    const EventQueue& event_queue_;
    OperationLog* log_ = nullptr;
    std::vector<OpenRecord> open_;  // by workgroup
    std::uint32_t signals_ = 0;
    // Records that have ended, by the number of their signal, which is on its way. The response may be another object than the request.
    std::unordered_map<std::uint32_t, std::uint32_t> signalling_;
};

}  // namespace weft
