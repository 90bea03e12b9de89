#include "gpu/units/unit_statistics.h"

#include "gpu/units/wavefront.h"

namespace weft {

namespace {

StatisticTable unit_statistics()
{
    StatisticTable out{{"lines", "lines", "transactions issued"},
        {"flag_reads", "lines", "polls and awaits of flags among the transactions"},
        {"signals", "lines", "flag additions among the transactions"},
        {"fences", "fences", "fences, those of signals included"},
        {"l1_hits", "lines", "loads that found their sector in L1"}, {"l1_misses", "lines", "sectors fetched into L1"},
        {"l1_merged", "lines", "loads that waited for a sector that was being fetched"},
        {"l1_full", "lines", "loads that waited because all misses of the L1 were in use"},
        {"l1_invalidations", "times", "invalidations of L1s"}};
    for (unsigned cause = 0; cause < stall_causes; ++cause)
        out.push_back({std::string("time_") + name_of(static_cast<StallCause>(cause)), "ps",
            "time of workgroups by the stall cause of their wavefront 0, summed"});
    return out;
}

}  // namespace

const StatisticTable& compute_unit_statistics()
{
    static const StatisticTable table = unit_statistics();
    return table;
}

}  // namespace weft
