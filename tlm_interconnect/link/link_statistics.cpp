#include "tlm_interconnect/link/link_statistics.h"

namespace weft {

StatisticTable both_directions(const StatisticTable& table)
{
    return prefixed("forward_", table) + prefixed("backward_", table);
}

const StatisticTable& link_statistics()
{
    static const StatisticTable table = both_directions({{"lines", "lines", "lines carried"},
        {"packets", "packets", "packets sent, repetitions included"}, {"wire_bytes", "B", "bytes on the wire"},
        {"payload_bytes", "B", "payload among them"}, {"flag_reads", "lines", "requests that look at a flag"},
        {"flag_bytes", "B", "bytes on the wire of these and of answers to them"},
        {"credit_messages", "", "messages that return credits, among the bytes on the wire"},
        {"errors", "packets", "packets hit by a bit error"}, {"replays", "", "times that the sender went back"},
        {"repeated_bytes", "B", "bytes of packets sent again"},
        {"duplicates", "packets", "packets that the receiver had already, and dropped"},
        {"busy", "ps", "time the wire was busy"}});
    return table;
}

}  // namespace weft
