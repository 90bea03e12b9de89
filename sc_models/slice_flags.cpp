#include "sc_models/slice_flags.h"

namespace weft {

std::vector<SliceFlags::Waiting> SliceFlags::waiting() const
{
    std::vector<Waiting> out;
    for (const SyncMonitor::Waiting& entry : monitor_.waiting())
        out.push_back({entry.local, image_.flag(entry.local), entry.line->operand(), entry.line->source, entry.line->tag});
    return out;
}

void SliceFlags::add_statistics(std::vector<Statistic>& out) const
{
    const SyncMonitor::Counts& counts = monitor_.counts();
    const auto add = [&out](const char* name, std::uint64_t value, const char* text) {
        out.push_back({name, static_cast<double>(value), "lines", text});
    };
    add("flag_waiters", counts.held, "awaits and monitors that were held");
    add("flag_waiters_most", counts.most, "held at once, summed over slices");
    add("flag_waiters_logged", counts.logged, "beyond the slice's table");
    add("flag_wakes", counts.wakes, "waiters woken by a change");
    add("flag_timeouts", counts.timeouts, "monitors whose time was over");
    add("flag_reads", reads_, "looks of waits at flags, of any GPU");
}

}  // namespace weft
