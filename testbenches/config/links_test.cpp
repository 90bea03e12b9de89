// Links of a system: shares of an accelerator's links, the document's figures, buffers, what is missing.
#include <algorithm>

#include <gtest/gtest.h>

#include "infragraph/load.h"
#include "testbenches/config/support.h"

namespace weft::links_test {
namespace {

// `xpus` accelerators on `switches` switches over links called `link`.
std::string star(const std::string& part, int xpus, int switches, const std::string& link, const std::string& more = "")
{
    return "name: star\ndevices:\n- name: d\n  components:\n"
           "  - {name: xpu, choice: xpu, count: " +
        std::to_string(xpus) + ", description: " + part +
        "}\n"
        "  - {name: sw, choice: switch, count: " +
        std::to_string(switches) +
        ", description: switch}\n"
        "  links:\n  - {name: " +
        link + more +
        "}\n  edges:\n"
        "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: " +
        link +
        "}\n"
        "instances:\n- {name: d, device: d, count: 1}\n";
}

std::uint64_t rate(const std::string& document) { return resolved("", {}, document).link(0).bandwidth; }

TEST(Links, AnEdgeCarriesItsShareOfTheAcceleratorsLinks)
{
    EXPECT_EQ(rate(star("H100", 8, 4, "xpu_fabric", ", description: nvlink_4")), 112'500'000'000U);
    EXPECT_EQ(rate(star("A100", 8, 6, "nvlink")), 50'000'000'000U);
    EXPECT_EQ(rate(star("V100", 8, 6, "nvlink_2")), 25'000'000'000U);
    EXPECT_EQ(rate(star("Grace Blackwell", 4, 18, "xpu_fabric", ", description: nvlink_c2c")), 50'000'000'000U);
    EXPECT_EQ(rate(star("accelerator", 2, 1, "nvlink")), 450'000'000'000U);
    // A link that is no part of the scale-up fabric is what its description says.
    EXPECT_EQ(rate(star("H100", 8, 4, "l", ", description: PCI Express Gen5 x16")), 63'015'384'615U);
    const ResolvedSystem system = resolved("", {}, star("H100", 8, 4, "xpu_fabric"));
    EXPECT_EQ(explained(system, "d.0.xpu.0~d.0.sw.0", "link.bandwidth"),
        "112.5 GB/s | profile h100: 18 x 25 GB/s over 4 edges: NVIDIA H100 whitepaper (vendor "
        "specification)");
}

TEST(Links, BothEndsMustAgreeAndTheSmallerShareCounts)
{
    const std::string mesh = "name: m\ndevices:\n- name: d\n  components:\n"
                             "  - {name: xpu, choice: xpu, count: 4, description: MI300X}\n"
                             "  links: [{name: infinity_fabric}]\n  edges:\n"
                             "  - {ep1: {component: \"xpu[0]\"}, ep2: {component: xpu}, scheme: many2many, "
                             "link: infinity_fabric}\n"
                             "  - {ep1: {component: \"xpu[1]\"}, ep2: {component: \"xpu[2]\"}, scheme: "
                             "one2one, link: infinity_fabric}\n"
                             "instances: [{name: d, device: d, count: 1}]\n";
    const ResolvedSystem system = resolved("", {}, mesh);
    EXPECT_EQ(explained(system, "d.0.xpu.0~d.0.xpu.3", "link.bandwidth").substr(0, 29),
        "149.333 GB/s | profile mi300x");
    EXPECT_EQ(explained(system, "d.0.xpu.1~d.0.xpu.2", "link.bandwidth").substr(0, 10), "224 GB/s |");
}

TEST(Links, TheSharesLatencyAndPacketsAreThoseOfTheProfilesLink)
{
    const ResolvedSystem system = resolved("", {}, star("B200", 2, 2, "xpu_fabric"));
    EXPECT_EQ(system.link(0).latency, 180'000U);
    EXPECT_EQ(system.link(0).header, 16U);
    EXPECT_EQ(system.switch_of(*system.graph().find("d.0.sw.0")).latency, 200'000U);
}

TEST(Links, CreditsNobodyStatedCoverTheRoundTrip)
{
    const ResolvedSystem system = resolved("", {}, star("H100", 8, 4, "xpu_fabric"));
    // 2 x 70 ns + 100 ns in the switch + 100 ns at 112.5 GB/s are 597.7 lines.
    EXPECT_EQ(system.link(0).request_credits, 598U);
    EXPECT_EQ(explained(system, "d.0.xpu.0~d.0.sw.0", "link.response_credits"),
        "598 | sized for a round trip of 340 ns at 112.5 GB/s");
    const ResolvedSystem stated = resolved("", {"link.request_credits=7"}, star("H100", 8, 4, "xpu_fabric"));
    EXPECT_EQ(stated.link(0).request_credits, 7U);
    EXPECT_EQ(stated.link(0).response_credits, 598U);
}

// Three accelerators in a row.
const std::string row =
    "name: row\ndevices:\n- name: d\n  components:\n"
    "  - {name: xpu, choice: xpu, count: 3, description: accelerator}\n"
    "  links:\n  - {name: wire, description: wire, physical: {bandwidth: {gigabytes_per_second: 50}, "
    "latency: {ns: 50}}}\n"
    "  edges:\n  - {ep1: {component: \"xpu[0:2]\"}, ep2: {component: \"xpu[1:3]\"}, scheme: "
    "one2one, link: wire}\ninstances:\n- {name: d, device: d, count: 1}\n";

// The second one forwards: its router is in the round trip like a switch.
TEST(Links, CreditsCoverTheRouterOfAnAcceleratorAndItsMesh)
{
    const auto credits = [](const std::vector<std::string>& sets) {
        std::vector<std::string> all{"gpu.port_to_l2=20 ns", "gpu.port_to_unit=30 ns", "switch.latency=10 ns"};
        all.insert(all.end(), sets.begin(), sets.end());
        return resolved("profile: generic\n", all, row).link(0).request_credits;
    };
    // 2 x 50 ns + 30 ns at the port + 100 ns at 50 GB/s are 179.7 lines.
    EXPECT_EQ(credits({}), 180U);
    EXPECT_EQ(credits({"d.0.xpu.1.switch.latency=2 us"}), 1719U);  // 2.2 us
    // 8 x 4 tiles: 10 hops.
    EXPECT_EQ(credits({"network.kind=mesh", "network.hop_latency=7 ns"}), 235U);  // 300 ns
    EXPECT_EQ(credits({"link.frame=50 KB", "link.frame_payload=50 KB"}), 2290U);  // and three times 900 ns
}

// Two packets of 4,243 B and 2 x 900 ns at 50 GB/s are 98,486 B, or 1,492.2 lines and as many acknowledges with their headers
// of a byte; and a third more.
TEST(Links, AReplayBufferThatNobodyStatedCoversTheRoundTrip)
{
    const auto packets = [](const std::vector<std::string>& sets) {
        std::vector<std::string> all{"links.wire.protocol=ethernet"};
        all.insert(all.end(), sets.begin(), sets.end());
        return resolved("profile: generic\n", all, row).link(0).replay_buffer;
    };
    EXPECT_EQ(packets({"link.latency=900ns", "link.retry=go_back_n"}), 3980U);
    EXPECT_EQ(packets({"link.latency=50ns", "link.retry=go_back_n"}), 545U);
    EXPECT_EQ(packets({"link.latency=900ns"}), 256U);  // without retry there is none
    EXPECT_EQ(packets({"link.latency=900ns", "link.retry=go_back_n", "link.replay_buffer=300"}), 300U);
}

// The 1024 of the link table are inferred, for one link at its usual latency. An edge of 900 GB/s takes 6,756 packets of 48 B, the
// mean of a line and an acknowledge, in 2 x (180 ns + 160 ps), one of 225 GB/s 46,881 in 2 x (5 us + 640 ps); and a third more.
TEST(Links, AReplayBufferThatTheTableInfersCoversTheRoundTrip)
{
    const auto packets = [](int switches, const std::vector<std::string>& sets) {
        return resolved("", sets, star("B200", 8, switches, "nvlink_5")).link(0).replay_buffer;
    };
    EXPECT_EQ(packets(1, {}), 1024U);  // without retry there is none
    EXPECT_EQ(packets(4, {"link.retry=timeout"}), 2258U);
    EXPECT_EQ(packets(1, {"link.retry=timeout"}), 9008U);
    EXPECT_EQ(packets(4, {"link.retry=go_back_n", "link.latency=5 us", "link.replay_timeout=20 us"}), 62508U);
    EXPECT_EQ(packets(1, {"link.retry=timeout", "link.replay_buffer=300"}), 300U);
    const ResolvedSystem most = resolved("", {"link.retry=timeout", "link.latency=20 us", "link.replay_timeout=100 us"},
        star("B200", 8, 1, "nvlink_5"));
    EXPECT_EQ(most.link(0).replay_buffer, 65535U);
    EXPECT_EQ(explained(most, "d.0.xpu.0~d.0.sw.0", "link.replay_buffer"),
        "65535 | the most; a round trip of 40.0003 us at 900 GB/s asks for 1000008");
}

// More than the parameter holds: it is said, and not that they cover the round trip.
TEST(Links, CreditsThatDoNotCoverTheRoundTripAreTold)
{
    const ResolvedSystem system = resolved("", {"link.latency=100 us"}, star("H100", 8, 4, "xpu_fabric"));
    EXPECT_EQ(system.link(0).request_credits, 65535U);
    EXPECT_EQ(explained(system, "d.0.xpu.0~d.0.sw.0", "link.request_credits"),
        "65535 | the most; a round trip of 200.2 us at 112.5 GB/s asks for 351916");
    const std::string notice = "link.request_credits of d.0.xpu.0~d.0.sw.0 is 65535, the most;";
    EXPECT_TRUE(std::any_of(system.notices.begin(), system.notices.end(),
        [&notice](const std::string& text) { return text.compare(0, notice.size(), notice) == 0; }));
}

TEST(Links, TheDocumentsFiguresWinOverTheTableAndTheShare)
{
    const std::string physical = ", physical: {bandwidth: {gigabits_per_second: 400}, latency: {us: 0.5}}";
    const ResolvedSystem system = resolved("", {}, star("H100", 2, 2, "xpu_fabric", physical));
    EXPECT_EQ(system.link(0).bandwidth, 50'000'000'000U);
    EXPECT_EQ(system.link(0).latency, 500'000U);
    EXPECT_EQ(explained(system, "d.0.xpu.0~d.0.sw.0", "link.bandwidth"),
        "50 GB/s | box.yaml:8 (InfraGraph link xpu_fabric)");
    // A bandwidth alone does not say what the link is: that is the scale-up link of the profile at its end.
    const ResolvedSystem unknown =
        resolved("", {}, star("H100", 2, 2, "rails", ", physical: {bandwidth: {gigabytes_per_second: 7}}"));
    EXPECT_EQ(unknown.link(0).bandwidth, 7'000'000'000U);
    EXPECT_EQ(unknown.link(0).latency, 70'000U);
    EXPECT_EQ(unknown.link(0).packet_overhead, 0U);
    // Stated, it is what the system file says.
    const ResolvedSystem ethernet = resolved("links: {rails: {protocol: ethernet}}\n", {},
        star("H100", 2, 2, "rails", ", physical: {bandwidth: {gigabytes_per_second: 7}}"));
    EXPECT_EQ(ethernet.link(0).latency, 125'000U);
    EXPECT_EQ(ethernet.link(0).packet_overhead, 82U);
}

TEST(Links, ARatePerLaneNeedsLanesAndEncoding)
{
    const std::string transfers = ", physical: {bandwidth: {gigatransfers_per_second: 16}}";
    EXPECT_EQ(rate(star("H100", 2, 2, "l", ", description: PCI Express" + transfers)), 31'507'692'307U);
    const std::string error = error_of([&] { rate(star("H100", 2, 2, "rails", transfers)); });
    EXPECT_NE(error.find("box.yaml:8: no bandwidth is given for link 'rails' (d.0.xpu.0~d.0.sw.0): 16 "
                         "GT/s is a rate per lane"),
        std::string::npos)
        << error;
    // No share of the accelerator's links stands for a rate that is stated.
    const std::string described =
        error_of([&] { rate(star("H100", 2, 2, "l", ", description: nvlink_4" + transfers)); });
    EXPECT_NE(described.find("16 GT/s is a rate per lane"), std::string::npos) << described;
}

// Four H100 under a switch `sa` by links `qa` and `more` switches `sb` by links `qb`, with these texts.
ResolvedSystem two_names(const std::string& qa, const std::string& qb, int more = 1)
{
    return resolved("", {},
        "name: two\ndevices:\n- name: d\n  components:\n"
        "  - {name: xpu, choice: xpu, count: 4, description: NVIDIA H100}\n"
        "  - {name: sa, choice: switch, count: 1, description: NVSwitch}\n"
        "  - {name: sb, choice: switch, count: " +
            std::to_string(more) +
            ", description: NVSwitch}\n"
            "  - {name: nic, choice: nic, count: 1, description: ConnectX-7}\n"
            "  links:\n  - {name: qa, description: \"" +
            qa + "\"}\n  - {name: qb, description: \"" + qb +
            "\"}\n  - {name: host, description: PCIe Gen5 x16}\n  edges:\n"
            "  - {ep1: {component: xpu}, ep2: {component: sa}, scheme: many2many, link: qa}\n"
            "  - {ep1: {component: xpu}, ep2: {component: sb}, scheme: many2many, link: qb}\n"
            "  - {ep1: {component: xpu}, ep2: {component: nic}, scheme: many2many, link: host}\n"
            "instances:\n- {name: d, device: d, count: 1}\n");
}

// The 18 links of an H100 are those of all its scale-up edges, whatever these are called; PCI Express has none of them.
TEST(Links, EdgesOfAllNamesShareTheLinksOfTheAccelerator)
{
    const auto rate_of = [](const ResolvedSystem& system, const std::string& to) {
        const std::string text = explained(system, "d.0.xpu.0~d.0." + to, "link.bandwidth");
        return text.substr(0, text.find(": NVIDIA"));
    };
    const auto unread = [](const ResolvedSystem& system) {
        std::string out;
        for (const Assumption& entry : system.assumptions)
            if (entry.topic == "bandwidth") out += entry.what() + ": " + entry.missing + " (" + entry.taken + ")\n";
        return out;
    };
    const ResolvedSystem plain = two_names("NVLink 4", "NVLink 4");
    EXPECT_EQ(rate_of(plain, "sa.0"), "225 GB/s | profile h100: 18 x 25 GB/s over 2 edges");
    EXPECT_EQ(rate_of(plain, "sb.0"), "225 GB/s | profile h100: 18 x 25 GB/s over 2 edges");
    EXPECT_EQ(rate_of(plain, "nic.0").substr(0, 8), "63.0154 ");
    EXPECT_EQ(unread(plain), "");
    const ResolvedSystem three = two_names("NVLink 4", "NVLink 4", 2);
    EXPECT_EQ(rate_of(three, "sa.0"), "150 GB/s | profile h100: 18 x 25 GB/s over 3 edges");
    EXPECT_EQ(rate_of(three, "sb.1"), "150 GB/s | profile h100: 18 x 25 GB/s over 3 edges");
    // What a description counts, it has; the others share what is left.
    const ResolvedSystem some = two_names("NVLink 4, 10 links", "NVLink 4", 2);
    EXPECT_EQ(rate_of(some, "sa.0"), "250 GB/s | link table nvlink_4: 10 links (its description) of 25 GB/s");
    EXPECT_EQ(rate_of(some, "sb.1"), "100 GB/s | profile h100: 8 of 18 x 25 GB/s over 2 edges");
    EXPECT_EQ(unread(some), "");
    const ResolvedSystem halves = two_names("NVLink 4, 9 links", "NVLink 4, 9 links");
    EXPECT_EQ(rate_of(halves, "sb.0"), "225 GB/s | link table nvlink_4: 9 links (its description) of 25 GB/s");
    EXPECT_EQ(unread(halves), "");
    // More than there are, or none left for others: the numbers are those of all edges together, and that is told.
    for (const char* text : {"18 links", "10 links"}) {
        const ResolvedSystem all = two_names(std::string("NVLink 4, ") + text, std::string("NVLink 4, ") + text);
        EXPECT_EQ(rate_of(all, "sa.0"), "225 GB/s | profile h100: 18 x 25 GB/s over 2 edges") << text;
        EXPECT_EQ(rate_of(all, "sb.0"), "225 GB/s | profile h100: 18 x 25 GB/s over 2 edges") << text;
        const std::string told =
            std::string(": '") + text + "' of its description is not understood as a bandwidth (225 GB/s)\n";
        EXPECT_EQ(unread(all), "bandwidth of link qa" + told + "bandwidth of link qb" + told);
    }
    const ResolvedSystem none_left = two_names("NVLink 4, 18 links", "NVLink 4");
    EXPECT_EQ(rate_of(none_left, "sa.0"), "225 GB/s | profile h100: 18 x 25 GB/s over 2 edges");
    EXPECT_EQ(rate_of(none_left, "sb.0"), "225 GB/s | profile h100: 18 x 25 GB/s over 2 edges");
    EXPECT_EQ(unread(none_left),
        "bandwidth of link qa: '18 links' of its description is not understood as a bandwidth (225 GB/s)\n");
}

// Two accelerators over `edges` edges each: the bandwidth and the assumption about it, empty where there is none.
struct Taken {
    std::uint64_t bandwidth;
    std::string unread;
};
Taken taken(const std::string& part, const std::string& description, int edges = 1)
{
    const ResolvedSystem system = resolved("", {}, star(part, 2, edges, "l", ", description: \"" + description + "\""));
    Taken out{system.link(0).bandwidth, ""};
    for (const Assumption& entry : system.assumptions)
        if (entry.what() == "bandwidth of link l") out.unread = entry.missing.substr(0, entry.missing.find(" of its"));
    return out;
}

// UALink has 4 lanes of 200 GT/s, xGMI 16 of 32 GT/s, NVLink 4 links of 25 GB/s; the H100 has 18 of them.
TEST(Links, LanesAndLinksOfADescriptionCount)
{
    struct Row {
        const char* part;
        const char* description;
        std::uint64_t rate;
        const char* unread;
    };
    for (const Row& row :
        std::vector<Row>{{"H100", "UALink 200G", 100'000'000'000, ""}, {"H100", "UALink 200G x1", 25'000'000'000, ""},
            {"H100", "UALink 200G, 1 lane", 25'000'000'000, ""}, {"H100", "UALink 200G x2", 50'000'000'000, ""},
            {"H100", "UALink 800G", 100'000'000'000, ""}, {"H100", "UALink 100G", 100'000'000'000, "'100G'"},
            {"H100", "UALink x3", 100'000'000'000, "'x3'"}, {"H100", "2x UALink 200G", 100'000'000'000, "'2x'"},
            {"H100", "xGMI", 64'000'000'000, ""}, {"H100", "xGMI x8", 32'000'000'000, ""},
            {"H100", "xGMI 25 GT/s", 50'000'000'000, ""}, {"H100", "xGMI, 8 lanes of 16 GT/s", 16'000'000'000, ""},
            {"H100", "xGMI x16 64 GB/s", 64'000'000'000, ""}, {"H100", "xGMI 128 GB/s", 64'000'000'000, "'128 GB/s'"},
            {"MI300X", "xGMI", 448'000'000'000, ""}, {"MI300X", "xGMI x8", 32'000'000'000, ""},
            {"MI300X", "xGMI 2 links", 448'000'000'000, "'2 links'"}, {"H100", "NVLink 4 x1", 25'000'000'000, ""},
            {"H100", "NVLink4, 2 links", 50'000'000'000, ""}, {"H100", "18x NVLink 4", 450'000'000'000, ""},
            {"H100", "NVLink, 2 links", 50'000'000'000, ""}, {"H100", "NVLink 4, 450 GB/s", 450'000'000'000, ""},
            {"H100", "NVLink 4", 450'000'000'000, ""}, {"H100", "NVLink 4, 900 GB/s", 450'000'000'000, "'900 GB/s'"},
            {"H100", "NVLink 4.0 100GT/s", 450'000'000'000, ""}, {"H100", "NVLink 4, 100 Gb/s", 450'000'000'000, ""},
            {"H100", "NVLink 4.0 50GT/s", 450'000'000'000, "'50GT/s'"},
            {"H100", "Global memory link 16GT/s", 64'000'000'000, "no bandwidth given"},
            {"H100", "NVLink 4, 2 lanes", 450'000'000'000, "'2 lanes'"},
            {"H100", "NVLink 4, 2 ports", 450'000'000'000, "'2 ports'"},
            {"H100", "NVLink 4, 36 links", 450'000'000'000, "'36 links'"},
            {"H100", "PCIe Gen5 x16 32 GT/s", 63'015'384'615, ""},
            {"H100", "PCIe Gen3 x16 32 GT/s", 15'753'846'153, "'32 GT/s'"},
            {"H100", "PCIe Gen5 x16, 64 GB/s", 63'015'384'615, ""}}) {
        const Taken found = taken(row.part, row.description);
        EXPECT_EQ(found.bandwidth, row.rate) << row.description;
        EXPECT_EQ(found.unread, row.unread) << row.description;
    }
    // Four edges of nine links each are more than the accelerator has: it speaks of all of them together.
    EXPECT_EQ(taken("H100", "NVLink 4, 9 links", 2).bandwidth, 225'000'000'000U);
    EXPECT_EQ(taken("H100", "NVLink 4, 9 links", 2).unread, "");
    EXPECT_EQ(taken("H100", "NVLink 4, 9 links", 4).bandwidth, 112'500'000'000U);
    EXPECT_EQ(taken("H100", "NVLink 4, 9 links", 4).unread, "'9 links'");
    EXPECT_EQ(explained(resolved("", {}, star("H100", 2, 1, "l", ", description: NVLink 4 x2")), "d.0.xpu.0~d.0.sw.0",
                  "link.bandwidth"),
        "50 GB/s | link table nvlink_4: 2 links (its description) of 25 GB/s: NVIDIA H100 whitepaper (vendor "
        "specification)");
    // What somebody states needs no description.
    const ResolvedSystem stated =
        resolved("", {"links.l.bandwidth=7 GB/s"}, star("H100", 2, 1, "l", ", description: xGMI x3"));
    EXPECT_TRUE(std::none_of(stated.assumptions.begin(), stated.assumptions.end(),
        [](const Assumption& entry) { return entry.what() == "bandwidth of link l"; }));
}

// The bandwidth of 16 lanes with its source, and the notice about the rate of a lane.
TEST(Links, ARatePerLaneIsTheDocumentsAndAContradictionIsTold)
{
    const auto box = [](const std::string& description, const std::string& transfers) {
        return resolved("", {},
            star("H100", 2, 1, "l",
                ", description: \"" + description +
                    "\", physical: {bandwidth: {gigatransfers_per_second: " + transfers + "}}"));
    };
    const auto source = [&](const std::string& description, const std::string& transfers) {
        return explained(box(description, transfers), "d.0.xpu.0~d.0.sw.0", "link.bandwidth");
    };
    const auto told = [&](const std::string& description, const std::string& transfers) {
        for (const std::string& notice : box(description, transfers).notices)
            if (notice.find("GT/s") != std::string::npos) return notice;
        return std::string();
    };
    EXPECT_EQ(source("PCIe Gen3 x16", "32"),
        "63.0154 GB/s | link table pcie_gen3: 16 lanes at 128/130 (PCI Express 3.0), 32 GT/s each of box.yaml:8 "
        "(InfraGraph link l) (derived)");
    EXPECT_EQ(told("PCIe Gen3 x16", "32"),
        "link 'l' has 32 GT/s a lane (box.yaml:8), its protocol pcie_gen3 with the description 'PCIe Gen3 x16' 8 GT/s: "
        "it runs at 32 GT/s a lane with the encoding of pcie_gen3 (128/130)");
    EXPECT_NE(told("PCIe Gen5 x16", "2.5").find("has 2.5 GT/s a lane (box.yaml:8), its protocol pcie_gen5"),
        std::string::npos);
    EXPECT_EQ(told("PCIe Gen5 x16", "32"), "");
    EXPECT_EQ(told("PCIe x16", "16"), "");  // names no generation
    EXPECT_EQ(source("xGMI x8", "25"),
        "25 GB/s | link table xgmi: 8 lanes at 1/1 (AMD ROCm blog on xGMI), 25 GT/s each of box.yaml:8 (InfraGraph "
        "link "
        "l) (derived)");
    EXPECT_EQ(told("xGMI x8", "25"), "");
    EXPECT_NE(told("xGMI 32 GT/s", "25"), "");
}

TEST(Links, ALatencyBelowOnePicosecondIsToldAndOne)
{
    const ResolvedSystem system = resolved("", {},
        star("H100", 2, 2, "l", ", physical: {bandwidth: {gigabytes_per_second: 7}, latency: {ns: 0}}"));
    EXPECT_EQ(system.link(0).latency, 1U);
    const std::string notice = "the latency of link 'l' (box.yaml:8) is below 1 ps, and taken as 1 ps";
    EXPECT_EQ(std::count(system.notices.begin(), system.notices.end(), notice), 1);
}

TEST(Links, AnUnknownLinkIsAnErrorWhereItIsUsedOnly)
{
    // What network cards and switches have between them says nothing of its speed.
    std::string document = star("card", 2, 2, "nvlnk");
    document.replace(document.find("choice: xpu"), 11, "choice: nic");
    const ResolvedSystem system = resolved("", {}, document);
    EXPECT_FALSE(system.has_bandwidth(0));
    system.require_links(std::vector<bool>(4, false));
    const std::string error = error_of([&] { system.require_links(std::vector<bool>(4, true)); });
    EXPECT_EQ(error,
        "box.yaml:8: no bandwidth is given for link 'nvlnk' (d.0.xpu.0~d.0.sw.0); expected a bandwidth in the "
        "document, links: {nvlnk: {bandwidth: 25 GB/s}} in the system file, --set 'links.nvlnk.bandwidth=25 GB/s', or "
        "links: {nvlnk: {protocol: NAME}} with a protocol that has one");
    EXPECT_EQ(error_of([&] { system.link(0); }), error);
    EXPECT_EQ(resolved("links: {nvlnk: {bandwidth: 3 GB/s}}\n", {}, document).link(0).bandwidth, 3'000'000'000U);
    EXPECT_EQ(resolved("", {"links.nvlnk.bandwidth=3 GB/s"}, document).link(0).bandwidth, 3'000'000'000U);
}

TEST(Links, DocumentFiguresOutOfRangeAreRefused)
{
    const std::string error =
        error_of([] { rate(star("H100", 2, 2, "x", ", physical: {bandwidth: {gigabits_per_second: 0}}")); });
    EXPECT_NE(error.find("box.yaml:8"), std::string::npos) << error;
    const std::string slowest =
        error_of([] { rate(star("H100", 2, 2, "x", ", physical: {bandwidth: {gigabits_per_second: 0.000001}}")); });
    EXPECT_EQ(slowest, "box.yaml:8: bandwidth 125 B/s of link 'x' is out of range; expected 1 MB/s to 100 TB/s");
    const std::string fastest =
        error_of([] { rate(star("H100", 2, 2, "x", ", physical: {bandwidth: {gigabytes_per_second: 100000.1}}")); });
    EXPECT_EQ(fastest, "box.yaml:8: bandwidth 100000.1 GB/s of link 'x' is out of range; expected 1 MB/s to 100 TB/s");
    const std::string slow = ", physical: {bandwidth: {gigabits_per_second: 400}, latency: {ns: 0}}";
    EXPECT_EQ(resolved("", {}, star("H100", 2, 2, "x", slow)).link(0).latency, 1U);
}

TEST(Links, BundlesOfTheSharedDocuments)
{
    const std::string folder = std::string(WEFT_SHARED_DIR) + "/infragraph/";
    const auto rate_of = [&](const char* file, const char* a, const char* b) {
        SystemDescription description;
        description.infrastructure = folder + file;
        const ResolvedSystem system = load_system(description);
        return system.link(*system.graph().find_edge(*system.graph().find(a), *system.graph().find(b))).bandwidth;
    };
    if (std::FILE* probe = std::fopen((folder + "device_dgx_h100.yaml").c_str(), "r"))
        std::fclose(probe);
    else
        GTEST_SKIP() << "no shared documents";
    EXPECT_EQ(rate_of("device_dgx_h100.yaml", "dgx_h100.0.xpu.0", "dgx_h100.0.nvsw.0"), 112'500'000'000U);
    EXPECT_EQ(rate_of("device_dgx_a100.yaml", "dgx_a100.0.xpu.0", "dgx_a100.0.nvsw.0"), 50'000'000'000U);
    EXPECT_EQ(rate_of("device_mi300x.yaml", "mi300x.0.xpu.0", "mi300x.0.xpu.7"), 64'000'000'000U);
    EXPECT_EQ(rate_of("device_dgx_gb200.yaml", "dgx_gb200.0.xpu.0", "dgx_gb200.0.nvsw.17"), 50'000'000'000U);
    EXPECT_EQ(rate_of("device_dgx_gb200.yaml", "dgx_gb200.0.xpu.0", "dgx_gb200.0.cpu.0"), 450'000'000'000U);
}

}  // namespace
}  // namespace weft::links_test
