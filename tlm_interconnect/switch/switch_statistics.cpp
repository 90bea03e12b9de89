#include "tlm_interconnect/switch/switch_statistics.h"

namespace weft {

const StatisticTable& group_unit_statistics()
{
    static const StatisticTable table{{"group_operations", "", "operations on groups begun"},
        {"group_copies", "lines", "requests made for members of groups"},
        {"group_contexts_peak", "", "most operations on groups in progress"},
        {"group_waits", "", "operations that found no context free"},
        {"adder_busy", "ps", "time the adder took in operands"}};
    return table;
}

const StatisticTable& message_stage_statistics()
{
    static const StatisticTable table{{"messages", "", "messages that left the node"},
        {"single_messages", "", "messages of one line that is no part of a transfer"},
        {"message_lines", "lines", "lines in messages"},
        {"message_busy", "ps", "messages times message_interval: what the card is busy starting them"},
        {"message_wait", "ps", "time that messages waited for their turn to start"}};
    return table;
}

const StatisticTable& switch_statistics()
{
    static const StatisticTable table =
        StatisticTable{{"lines", "lines", "requests and responses forwarded"},
            {"peak_queue", "lines", "largest number of lines waiting for one output"},
            {"credit_stall", "ps", "time outputs had lines, a free wire and no credit, summed over outputs"}} +
        only_when("it carries out operations on groups", group_unit_statistics()) +
        only_when("it is a network card: switch.message is not 0", message_stage_statistics());
    return table;
}

const StatisticTable& crossbar_switch_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"matchings", "", "clocks in which some input asked for some output"},
        {"refused", "", "requests of crossbar inputs that were not granted, by clock"},
        {"peak_queue", "lines", "largest number of lines waiting for one output"}};
    return table;
}

}  // namespace weft
