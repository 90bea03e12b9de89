#include "gpu/replay/replay_statistics.h"

namespace weft {

const StatisticTable& replay_statistics()
{
    static const StatisticTable table{{"lines", "lines", "transactions issued"},
        {"signals", "lines", "flag additions among the transactions"},
        {"answered", "lines", "requests of other GPUs that were served"},
        {"rows", "rows", "rows of the profile that were issued to the end"},
        {"time_late", "ps", "delay of transactions against the profile, summed"}};
    return table;
}

}  // namespace weft
