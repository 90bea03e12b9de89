#include "rtl/modules/block_statistics.h"

#include "sc_models/memory_statistics.h"
#include "tlm_interconnect/link/link_statistics.h"

namespace weft {

const StatisticTable& clocked_switch_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"made", "lines", "lines that the unit for groups made for members"},
        {"clocks", "", "clocks in which the block was evaluated"},
        {"peak_queue", "lines", "largest number of lines inside for one output"}};
    return table;
}

const StatisticTable& clocked_slice_statistics()
{
    static const StatisticTable table =
        StatisticTable{{"hits", "lines", "accesses that found their line, whole-line writes included"},
            {"misses", "lines", "fills fetched from memory"},
            {"merged", "lines", "accesses that waited for a fill already on its way"},
            {"write_backs", "lines", "dirty lines written to memory"},
            {"flag_operations", "lines", "flag reads, writes, adds and awaits"},
            {"busy", "ps", "time the slice took requests"},
            {"clocks", "", "clocks in which blocks were evaluated, summed over slices"}} +
        slice_flags_statistics();
    return table;
}

const StatisticTable& clocked_link_statistics()
{
    static const StatisticTable table = link_statistics() +
        both_directions({{"control_packets", "packets", "packets without a line"},
            {"repeated_packets", "packets", "packets of lines sent again"},
            {"replay_requests", "packets", "control packets that ask to go back"},
            {"credit_questions", "packets", "control packets that ask for credits"},
            {"credits_told", "slots", "slots that the far end was told of, by packets of any kind"},
            {"wrong_flits", "flits", "flits that arrive with a wrong bit, or not at all"}});
    return table;
}

const StatisticTable& dut_switch_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"clocks", "", "edges at which the block was evaluated"},
        {"peak_queue", "lines", "largest number of lines inside for one output"}};
    return table;
}

const StatisticTable& dut_link_statistics()
{
    static const StatisticTable table =
        link_statistics() + StatisticTable{{"clocks", "", "edges at which the block was evaluated"}};
    return table;
}

}  // namespace weft
