// Waiting times of the command lists of copy engines, and the log of their operations; workgroups have StallAccount and
// WorkgroupLog for the same.
//
// Owns: one account for each list that is on an engine, and its open record. Called by: DmaEngines where a list begins an operation, waits
// or goes on, and for each request and response of its copies and signals. Lists that are proxied are not counted: their workgroups are.
//
// Causes: `queued` no place on an engine; `issue` descriptors of other lists are before its own; `none` its descriptor starts or
// is loaded at the engine's rate; `outstanding` the engine is at its limit of requests in flight; `fence` acknowledges of copies
// before a fence, a signal or the end; `flag` a wait. They add up to the life of the list.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gpu/units/operation_log.h"
#include "gpu/units/stall_account.h"

namespace weft {

class ListLog {
public:
    // Before time starts.
    void set(OperationLog& log) { log_ = &log; }

    // A list has a place now, after it was queued for so long; `work` is its number in the log, 0: none.
    void place(std::uint32_t list, std::uint32_t work, Time queued, Time now);
    // It comes to operation `next` of its program, or is still there.
    void begin(std::uint32_t list, const Program& program, std::size_t next, Time now);
    // From now on it waits for this.
    void wait(std::uint32_t list, StallCause cause, Time now);
    void end(std::uint32_t list, Time now);
    // The run ends now: lists that are not done count up to then, and so does one that is queued for so long.
    void cut_off(Time now);
    void cut_off_queued(Time queued);

    // A request of the list leaves now; the response to a traced one has arrived.
    void trace(std::uint32_t list, const LineIssue& issue, Time now);
    void respond(std::uint32_t list, Line& line, Time now);

    std::uint64_t lists() const { return lists_; }  // ever placed, or queued at the end of the run
    // Sums over all lists. A list counts up to the latest change of its cause, or up to the end of a run that was cut off.
    StallTimes stalls() const;

private:
    struct Account {
        bool active = false;
        StallCause cause = StallCause::none;
        Time since = 0;
        StallTimes spent{};
        std::uint32_t work = 0;  // 0: not logged
        bool open = false;       // the record
        OperationRecord record;
        StallTimes before{};       // spent when it began
        std::uint32_t signal = 0;  // number of its signal, which is on its way
    };
    void close(Account& account);

    OperationLog* log_ = nullptr;
    std::vector<Account> accounts_;  // by list
    std::uint64_t lists_ = 0;
    StallTimes ended_{};
    std::uint32_t signals_ = 0;
    std::unordered_map<std::uint32_t, std::uint32_t>
        signalling_;  // closed records, by the number of their signal on its way
};

}  // namespace weft
