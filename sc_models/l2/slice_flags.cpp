#include "sc_models/l2/slice_flags.h"

#include "sc_models/memory/memory_statistics.h"

namespace weft {

std::vector<SliceFlags::Waiting> SliceFlags::waiting() const
{
    std::vector<Waiting> out;
    for (const SyncMonitor::Waiting& entry : monitor_.waiting())
        out.push_back(
            {entry.local, image_.flag(entry.local), entry.line->operand(), entry.line->source, entry.line->tag});
    return out;
}

void SliceFlags::add_statistics(std::vector<Statistic>& out) const
{
    const SyncMonitor::Counts& counts = monitor_.counts();
    StatisticWriter write(slice_flags_statistics(), out);
    write("flag_waiters", counts.held);
    write("flag_waiters_most", counts.most);
    write("flag_waiters_logged", counts.logged);
    write("flag_wakes", counts.wakes);
    write("flag_timeouts", counts.timeouts);
    write("flag_reads", reads_);
}

}  // namespace weft
