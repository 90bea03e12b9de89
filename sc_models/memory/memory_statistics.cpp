#include "sc_models/memory/memory_statistics.h"

namespace weft {

const StatisticTable& slice_flags_statistics()
{
    static const StatisticTable table{{"flag_waiters", "lines", "await and monitor requests that were held"},
        {"flag_waiters_most", "lines", "most requests held at once, summed over slices"},
        {"flag_waiters_logged", "lines", "requests held beyond the slice's table"},
        {"flag_wakes", "lines", "waiters woken by a change"},
        {"flag_timeouts", "lines", "monitors whose time limit was reached"},
        {"flag_reads", "lines", "polls of flags, from any GPU"}};
    return table;
}

const StatisticTable& l2_slice_statistics()
{
    static const StatisticTable table =
        StatisticTable{{"hits", "lines", "accesses that hit, whole-line writes included"},
            {"misses", "lines", "fills fetched from memory"},
            {"merged", "lines", "accesses that waited for a fill in progress"},
            {"write_backs", "lines", "dirty lines written to memory"},
            {"cleaned", "lines", "written back with a displaced line of their run, and still there"},
            {"write_back_waits", "lines", "accesses that waited for room to write back what they displace"},
            {"flag_operations", "lines", "flag reads, writes, adds and awaits"},
            {"busy", "ps", "time the slice was busy"},
            {"sector_misses", "lines", "fills of the second sector of a line in the cache"},
            {"far_hits", "lines", "fills fetched from the other partition"},
            {"copies", "lines", "fills of reads fetched from the other partition: the line is then in both partitions"},
            {"moved_victims", "lines", "displaced lines that moved to the other partition"},
            {"far_bytes", "B", "data between the partitions, both directions"}} +
        slice_flags_statistics();
    return table;
}

const StatisticTable& hbm_statistics()
{
    static const StatisticTable table{{"reads", "lines", "lines read"}, {"writes", "lines", "lines written back"},
        {"row_hits", "lines", "lines whose row was open"}, {"row_closed", "lines", "lines whose bank had no row open"},
        {"row_conflicts", "lines", "lines whose bank had another row open"},
        {"refresh", "ps", "time of refreshes, summed over channels or, with refresh per bank, over banks"},
        {"turnaround", "ps", "time that pins were idle for a change of direction, summed over channels"},
        {"busy", "ps", "time that pins were busy, summed over channels"},
        {"mean_queue", "lines", "requests that waited in all channels, mean over time"}};
    return table;
}

}  // namespace weft
