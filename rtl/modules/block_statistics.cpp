#include "rtl/modules/block_statistics.h"

#include "sc_models/memory/memory_statistics.h"
#include "tlm_interconnect/link/link_statistics.h"

namespace weft {

const StatisticTable& clocked_switch_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"made", "lines", "requests that the group unit made for members"},
        {"clocks", "", "clocks in which the block was evaluated"},
        {"peak_queue", "lines", "largest number of transactions in the block for one output"}};
    return table;
}

const StatisticTable& clocked_slice_statistics()
{
    static const StatisticTable table =
        StatisticTable{{"hits", "lines", "accesses that hit, whole-line writes included"},
            {"misses", "lines", "fills fetched from memory"},
            {"merged", "lines", "accesses that waited for a fill in progress"},
            {"write_backs", "lines", "dirty lines written to memory"},
            {"flag_operations", "lines", "flag reads, writes, adds and awaits"},
            {"busy", "ps", "time in which the slice accepted requests"},
            {"clocks", "", "clocks in which blocks were evaluated, summed over slices"}} +
        slice_flags_statistics();
    return table;
}

const StatisticTable& clocked_link_statistics()
{
    static const StatisticTable table = link_statistics() +
        both_directions({{"control_packets", "packets", "packets without a transaction"},
            {"repeated_packets", "packets", "packets that were sent again"},
            {"replay_requests", "packets", "control packets that request a retry"},
            {"credit_questions", "packets", "control packets that request credits"},
            {"credits_told", "slots", "credits that were returned to the far end, by packets of any kind"},
            {"wrong_flits", "flits", "flits that arrived with a wrong bit or were lost"}});
    return table;
}

const StatisticTable& dut_switch_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"clocks", "", "edges at which the block was evaluated"},
        {"peak_queue", "lines", "largest number of transactions in the block for one output"}};
    return table;
}

const StatisticTable& dut_link_statistics()
{
    static const StatisticTable table =
        link_statistics() + StatisticTable{{"clocks", "", "edges at which the block was evaluated"}};
    return table;
}

}  // namespace weft
