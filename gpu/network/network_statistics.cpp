#include "gpu/network/network_statistics.h"

namespace weft {

namespace {

// Bytes that pass a place of the on-die network, and its busy time.
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

}  // namespace

const StatisticTable& network_statistics()
{
    static const StatisticTable table =
        load_of("unit_out", "traffic out of compute units", "network.unit_rate or network.unit_store_rate") +
        load_of("unit_in", "traffic into compute units", "network.unit_rate") +
        load_of("slice_in", "traffic into L2 slices",
            "network.header is not 0, slices are of a plug-in, or network.slice_rate is less than l2.bandwidth / "
            "l2.slices "
            "and") +
        load_of("slice_out", "traffic out of L2 slices", "network.slice_rate") +
        load_of("port_out", "traffic to fabric ports", "network.port_rate") +
        load_of("port_in", "traffic from fabric ports", "network.port_rate") +
        only_when("the network is a mesh and network.link_rate is not 0",
            load_of("link", "traffic on links of the mesh", "")) +
        busiest_link("link_request") + busiest_link("link_answer");
    return table;
}

const StatisticTable& fabric_port_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses sent"},
        {"peak_queue", "lines", "largest number of packets that waited"},
        {"credit_stall", "ps", "time with waiting packets, a free wire and no credit"}};
    return table;
}

}  // namespace weft
