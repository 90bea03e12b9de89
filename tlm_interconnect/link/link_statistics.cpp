#include "tlm_interconnect/link/link_statistics.h"

namespace weft {

StatisticTable both_directions(const StatisticTable& table)
{
    return prefixed("forward_", table) + prefixed("backward_", table);
}

const StatisticTable& link_statistics()
{
    static const StatisticTable table = both_directions({{"lines", "lines", "transactions carried"},
        {"packets", "packets", "packets sent, retries included"}, {"wire_bytes", "B", "bytes on the wire"},
        {"payload_bytes", "B", "payload bytes on the wire"}, {"flag_reads", "lines", "requests that poll a flag"},
        {"flag_bytes", "B", "bytes on the wire of requests that poll a flag and of their responses"},
        {"credit_messages", "", "messages that return credits; the bytes on the wire include them"},
        {"errors", "packets", "packets hit by a bit error"},
        {"replays", "", "times that the sender went back to an earlier packet"},
        {"repeated_bytes", "B", "bytes of packets sent again"},
        {"duplicates", "packets", "packets that the receiver had already received and dropped"},
        {"busy", "ps", "time the wire was busy"}});
    return table;
}

}  // namespace weft
