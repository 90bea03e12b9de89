#include "gpu/gpu_statistics.h"

#include "gpu/wavefront.h"

namespace weft {

namespace {

// What passes `place` of the on-die network.
StatisticTable load_of(const std::string& name, const std::string& text, const std::string& limit)
{
    return only_when(limit + " is not 0",
        {{name + "_bytes", "B", text + ", sum"}, {name + "_busy", "ps", text + ", busy time of the busiest"}});
}

StatisticTable busiest_link(const std::string& name)
{
    return only_when("the network is a mesh and network.link_rate is not 0",
        {{name + "_busiest_from", "", "tile where the busiest link starts, counted row by row"},
            {name + "_busiest_to", "", "direction of the busiest link: 0 east, 1 west, 2 south, 3 north"},
            {name + "_busiest_bytes", "B", "bytes that the busiest link carried"}});
}

StatisticTable descriptor_statistics()
{
    return {{"lines", "lines", "transactions issued"}, {"descriptors", "descriptors", "descriptors carried out"},
        {"bytes", "B", "bytes that descriptors load"},
        {"time_queued", "ps", "time that descriptors waited behind others, summed"}};
}

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

const StatisticTable& network_statistics()
{
    static const StatisticTable table =
        load_of("unit_out", "traffic out of compute units", "network.unit_rate or network.unit_store_rate") +
        load_of("unit_in", "traffic into compute units", "network.unit_rate") +
        load_of("slice_in", "traffic into L2 slices",
            "network.header is not 0, or network.slice_rate is less than l2.bandwidth / l2.slices and") +
        load_of("slice_out", "traffic out of L2 slices", "network.slice_rate") +
        load_of("port_out", "traffic to fabric ports", "network.port_rate") +
        load_of("port_in", "traffic from fabric ports", "network.port_rate") +
        only_when("the network is a mesh and network.link_rate is not 0",
            load_of("link", "traffic on links of the mesh", "")) +
        busiest_link("link_request") + busiest_link("link_answer");
    return table;
}

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

const StatisticTable& fabric_port_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses sent"},
        {"peak_queue", "lines", "largest number of packets that waited"},
        {"credit_stall", "ps", "time with waiting packets, a free wire and no credit"}};
    return table;
}

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
