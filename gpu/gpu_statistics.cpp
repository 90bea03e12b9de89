#include "gpu/gpu_statistics.h"

#include "gpu/wavefront.h"

namespace weft {

namespace {

// What passes `place` of the on-die network.
StatisticTable load_of(const std::string& name, const std::string& text, const std::string& limit)
{
    return only_when(limit + " is not 0",
        {{name + "_bytes", "B", text + ", all together"}, {name + "_busy", "ps", text + ", time of the busiest"}});
}

StatisticTable busiest_link(const std::string& name)
{
    return only_when("the network is a mesh and network.link_rate is not 0",
        {{name + "_busiest_from", "", "tile from which the busiest link leads, row by row"},
            {name + "_busiest_to", "", "its direction: 0 east, 1 west, 2 south, 3 north"},
            {name + "_busiest_bytes", "B", "what it carried"}});
}

StatisticTable descriptor_statistics()
{
    return {{"lines", "lines", "lines issued"}, {"descriptors", "descriptors", "descriptors carried out"},
        {"bytes", "B", "what they load"}, {"time_queued", "ps", "time of descriptors behind others, summed"}};
}

StatisticTable unit_statistics()
{
    StatisticTable out{{"lines", "lines", "lines issued"},
        {"flag_reads", "lines", "polls and awaits of flags among them"},
        {"signals", "lines", "flag additions among them"}, {"fences", "fences", "fences, those of signals included"},
        {"l1_hits", "lines", "loads that found their sector in L1"}, {"l1_misses", "lines", "sectors fetched into L1"},
        {"l1_merged", "lines", "loads that waited for a sector on its way"},
        {"l1_full", "lines", "loads that waited for room for a miss"},
        {"l1_invalidations", "times", "L1s invalidated"}};
    for (unsigned cause = 0; cause < stall_causes; ++cause)
        out.push_back({std::string("time_") + name_of(static_cast<StallCause>(cause)), "ps",
            "time of workgroups, by what their wavefront zero waits for, summed"});
    return out;
}

}  // namespace

const StatisticTable& compute_unit_statistics()
{
    static const StatisticTable table = unit_statistics();
    return table;
}

const StatisticTable& network_statistics()
{
    static const StatisticTable table = load_of("unit_out", "out of compute units", "network.unit_rate") +
        load_of("unit_in", "into compute units", "network.unit_rate") +
        load_of("slice_in", "into L2 slices",
            "network.header is not 0, or network.slice_rate is less than l2.bandwidth / l2.slices and") +
        load_of("slice_out", "out of L2 slices", "network.slice_rate") +
        load_of("port_out", "to fabric ports", "network.port_rate") +
        load_of("port_in", "from fabric ports", "network.port_rate") +
        only_when("the network is a mesh and network.link_rate is not 0", load_of("link", "links of the mesh", "")) +
        busiest_link("link_request") + busiest_link("link_answer");
    return table;
}

const StatisticTable& copy_engine_statistics()
{
    static const StatisticTable table = descriptor_statistics() +
        StatisticTable{{"signals", "lines", "flag additions among the lines"},
            {"flag_reads", "lines", "looks at flags among them"},
            {"time_lists_queued", "ps", "time of command lists before an engine has a place, summed"}} +
        only_when("port channels are used",
            {{"requests", "requests", "of port channels, by the proxy"},
                {"time_requests_queued", "ps", "time of requests before the proxy looks, summed"}});
    return table;
}

const StatisticTable& bulk_engine_statistics()
{
    static const StatisticTable table = descriptor_statistics();
    return table;
}

const StatisticTable& fabric_port_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses sent"},
        {"peak_queue", "lines", "largest number of lines waiting"},
        {"credit_stall", "ps", "time with lines, a free wire and no credit"}};
    return table;
}

const StatisticTable& replay_statistics()
{
    static const StatisticTable table{{"lines", "lines", "lines issued"},
        {"signals", "lines", "flag additions among them"}, {"answered", "lines", "requests of others that were served"},
        {"rows", "rows", "rows of the profile that were issued to the end"},
        {"time_late", "ps", "how much later than the profile says lines left, summed"}};
    return table;
}

}  // namespace weft
