#include "gpu/copies/copy_statistics.h"

namespace weft {

namespace {

StatisticTable descriptor_statistics()
{
    return {{"lines", "lines", "transactions issued"}, {"descriptors", "descriptors", "descriptors carried out"},
        {"bytes", "B", "bytes that descriptors load"},
        {"time_queued", "ps", "time that descriptors waited behind others, summed"}};
}

}  // namespace

const StatisticTable& copy_engine_statistics()
{
    static const StatisticTable table = descriptor_statistics() +
        StatisticTable{{"signals", "lines", "flag additions among the transactions"},
            {"flag_reads", "lines", "polls of flags among the transactions"},
            {"time_lists_queued", "ps", "time that command lists waited for a place in an engine, summed"}} +
        only_when("port channels are used",
            {{"requests", "requests", "requests of port channels that the proxy served"},
                {"time_requests_queued", "ps", "time that requests waited for the next poll of the proxy, summed"}});
    return table;
}

const StatisticTable& bulk_engine_statistics()
{
    static const StatisticTable table = descriptor_statistics();
    return table;
}

}  // namespace weft
