#include "tlm_interconnect/switch/switch_statistics.h"

namespace weft {

const StatisticTable& group_unit_statistics()
{
    static const StatisticTable table{{"group_operations", "", "operations on groups that were started"},
        {"group_copies", "lines", "requests made for members of groups"},
        {"group_contexts_peak", "", "most contexts of operations on groups in use"},
        {"group_waits", "", "operations that have waited for a context"},
        {"adder_busy", "ps", "time that the adder took in operands"}};
    return table;
}

const StatisticTable& group_leaf_statistics()
{
    static const StatisticTable table{
        {"group_raised", "lines", "combinations of the own members, sent to the switches above"}};
    return table;
}

const StatisticTable& message_stage_statistics()
{
    static const StatisticTable table{{"messages", "", "messages that left the node"},
        {"single_messages", "", "messages of one transaction that is not part of a transfer"},
        {"message_lines", "lines", "transactions in messages"},
        {"message_busy", "ps", "messages times message_interval: time that the card needs to start them"},
        {"message_wait", "ps", "time that messages waited for their turn to start"}};
    return table;
}

const StatisticTable& switch_statistics()
{
    static const StatisticTable table =
        StatisticTable{{"lines", "lines", "requests and responses forwarded"},
            {"peak_queue", "lines", "largest number of packets that waited for one output"},
            {"credit_stall", "ps", "time with waiting packets, a free wire and no credit, summed over outputs"}} +
        only_when("the switch has operations on groups", group_unit_statistics()) +
        only_when("the switch has members of a group over two tiers", group_leaf_statistics()) +
        only_when("the node is a network card: switch.message is not 0", message_stage_statistics());
    return table;
}

const StatisticTable& crossbar_switch_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"matchings", "", "clocks in which an input requested an output"},
        {"refused", "", "requests of crossbar inputs that were not granted, by clock"},
        {"peak_queue", "lines", "largest number of packets that waited for one output"}};
    return table;
}

}  // namespace weft
