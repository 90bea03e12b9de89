#include "sc_models/l2/sync_monitor.h"

#include <algorithm>

namespace weft {

void SyncMonitor::hold(Line& line, Time now)
{
    const bool logged = in_table_ >= spec_.entries;
    const Time deadline = line.op == LineOp::monitor && spec_.timeout > 0 ? now + spec_.timeout : never;
    waiters_.push_back({local_of(line.address), &line, deadline, logged});
    in_table_ += logged ? 0 : 1;
    ++counts_.held;
    counts_.logged += logged ? 1 : 0;
    counts_.most = std::max<std::uint64_t>(counts_.most, waiters_.size());
}

void SyncMonitor::remove(std::size_t place)
{
    in_table_ -= waiters_[place].logged ? 0 : 1;
    waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(place));
}

Time SyncMonitor::next_deadline() const
{
    Time next = never;
    for (const Waiter& waiter : waiters_) next = std::min(next, waiter.deadline);
    return next;
}

std::vector<SyncMonitor::Waiting> SyncMonitor::waiting() const
{
    std::vector<Waiting> out;
    for (const Waiter& waiter : waiters_) out.push_back({waiter.local, waiter.line});
    return out;
}

}  // namespace weft
