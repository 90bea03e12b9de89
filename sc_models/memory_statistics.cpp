#include "sc_models/memory_statistics.h"

namespace weft {

const StatisticTable& slice_flags_statistics()
{
    static const StatisticTable table{{"flag_waiters", "lines", "awaits and monitors that were held"},
        {"flag_waiters_most", "lines", "held at once, summed over slices"},
        {"flag_waiters_logged", "lines", "beyond the slice's table"},
        {"flag_wakes", "lines", "waiters woken by a change"},
        {"flag_timeouts", "lines", "monitors whose time was over"},
        {"flag_reads", "lines", "looks of waits at flags, of any GPU"}};
    return table;
}

const StatisticTable& l2_slice_statistics()
{
    static const StatisticTable table =
        StatisticTable{{"hits", "lines", "accesses that found their line, whole-line writes included"},
            {"misses", "lines", "fills fetched from memory"},
            {"merged", "lines", "accesses that waited for a fill already on its way"},
            {"write_backs", "lines", "dirty lines written to memory"},
            {"flag_operations", "lines", "flag reads, writes, adds and awaits"},
            {"busy", "ps", "time the slice was busy"},
            {"sector_misses", "lines", "fills beside a sector that was there"},
            {"far_hits", "lines", "fills fetched from the other partition"},
            {"copies", "lines", "of these by reads: the line is then in both partitions"},
            {"moved_victims", "lines", "displaced lines that moved to the other partition"},
            {"far_bytes", "B", "data between the partitions, both ways"}} +
        slice_flags_statistics();
    return table;
}

const StatisticTable& hbm_statistics()
{
    static const StatisticTable table{{"reads", "lines", "lines read"}, {"writes", "lines", "lines written back"},
        {"row_hits", "lines", "lines whose row was open"}, {"row_closed", "lines", "lines whose bank had no row open"},
        {"row_conflicts", "lines", "lines whose bank had another row open"},
        {"refresh", "ps", "time of refreshes, summed over channels or, per bank, banks"},
        {"turnaround", "ps", "time pins were idle for a change of direction, summed"},
        {"busy", "ps", "time pins were busy, summed over channels"},
        {"mean_queue", "lines", "lines waiting in all channels, mean over time"}};
    return table;
}

}  // namespace weft
