// Protocols of links: found by description, by name where a system file names one, and their figures.
#include <gtest/gtest.h>

#include "platform/configuration/tables/link_rate.h"
#include "testbenches/config/support.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft::link_table_test {
namespace {

std::string kind_of(const char* description)
{
    const LinkKind* kind = LinkTable::built_in().described(description);
    return kind == nullptr ? "none" : kind->name;
}

std::string named(const char* name)
{
    const LinkKind* kind = LinkTable::built_in().named(name);
    return kind == nullptr ? "none" : kind->name;
}

std::uint64_t rate_of(const char* link, const char* description = "")
{
    const auto figure = bandwidth_of(*LinkTable::built_in().named(link), description, std::nullopt);
    return figure ? figure->value : 0;
}

LinkSpec spec_of(const char* link)
{
    const LinkKind& kind = *LinkTable::built_in().named(link);
    LinkSpec spec;
    const auto& entries = LinkSpec::parameters().entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto figure = kind.figures.find(i);
        if (figure != kind.figures.end()) entries[i].set(spec, figure->second.value);
    }
    spec.bandwidth = rate_of(link);
    return spec;
}

// Payload of long streams of writes per byte on the wire.
double efficiency_of(const char* link)
{
    return line_bytes / stream_bytes(spec_of(link), LineOp::write, LineClass::request);
}

TEST(LinkTable, ProfilesOfLinksCarryWhatTheirSpecificationsSay)
{
    for (const char* nvlink : {"nvlink_1", "nvlink_2", "nvlink_3", "nvlink_4", "nvlink_5"})
        EXPECT_DOUBLE_EQ(efficiency_of(nvlink), 128.0 / 144) << nvlink;  // packets of two lines in flits of 16 B
    EXPECT_DOUBLE_EQ(efficiency_of("xgmi_3"), 64.0 / 80 * 60 / 64);
    EXPECT_DOUBLE_EQ(efficiency_of("pcie_gen4"), 256.0 / (256 + 24 + 4));  // four credits, 8 B for eight
    EXPECT_DOUBLE_EQ(efficiency_of("pcie_gen5"), efficiency_of("pcie_gen4"));
    EXPECT_DOUBLE_EQ(efficiency_of("pcie_gen6"), 256.0 / (256 + 16) * 236 / 256);
    EXPECT_EQ(rate_of("pcie_gen4"), 31'507'692'307U);
    // UALink: 20/21 of a flit where a request and a response share the wire, 628 of 640 B.
    const LinkSpec ualink = spec_of("ualink_200");
    const double both = 4 * stream_bytes(ualink, LineOp::write, LineClass::request) +
        4 * stream_bytes(ualink, LineOp::write, LineClass::response);
    EXPECT_NEAR(256 / both, 20.0 / 21 * 628 / 640, 1e-12);
    EXPECT_EQ(lone_bytes(ualink, LineOp::write, 64, LineClass::request), (80u * 640 + 627) / 628);  // uncompressed
    // A PDU of 4 KiB of lines with their headers.
    EXPECT_DOUBLE_EQ(efficiency_of("ethernet_sue"), 64.0 / (72 + 34.0 / 56));
    EXPECT_DOUBLE_EQ(efficiency_of("ethernet"), 4096.0 / (4160 + 82));
    // By a network card: a message of 64 packets of 4 KiB, and one line by itself.
    const LinkSpec roce = spec_of("ethernet");
    const LinkSpec infiniband = spec_of("infiniband");
    EXPECT_DOUBLE_EQ(stream_bytes(roce, LineOp::write, LineClass::request, false, true), 64 + 82.0 / 64);
    EXPECT_DOUBLE_EQ(stream_bytes(infiniband, LineOp::write, LineClass::request, false, true), 64 + 26.0 / 64);
    EXPECT_DOUBLE_EQ(stream_bytes(infiniband, LineOp::write, LineClass::response, false, true), 0);
    EXPECT_EQ(lone_bytes(roce, LineOp::write, 64, LineClass::request, true), 64u + 82 + 16);
    EXPECT_EQ(lone_bytes(infiniband, LineOp::write, 64, LineClass::request, true), 64u + 26 + 16);
    EXPECT_EQ(lone_bytes(infiniband, LineOp::write, 64, LineClass::response, true), 26u + 4);
    EXPECT_EQ(lone_parts(infiniband, LineOp::read, 64, LineClass::response, true).sum(), 64u + 26 + 4);
}

TEST(LinkTable, DescriptionsSayWhatALinkIs)
{
    EXPECT_EQ(kind_of("nvlink_3 XPU fabric"), "nvlink_3");
    EXPECT_EQ(kind_of("NVLink4"), "nvlink_4");
    EXPECT_EQ(kind_of("PCI Express PCIE_GEN4 x16"), "pcie_gen4");
    EXPECT_EQ(kind_of("Host PCIe interconnect"), "pcie");
    EXPECT_EQ(kind_of("PCI Express Gen 3.0"), "pcie_gen3");
    EXPECT_EQ(kind_of("XPU fabric"), "xpu_fabric");
    EXPECT_EQ(kind_of("infinity_fabric"), "xgmi");
    EXPECT_EQ(kind_of("CPU Fabric"), "cpu_fabric");
    EXPECT_EQ(kind_of("NVLink NVSwitch"), "nvlink");
    EXPECT_EQ(kind_of("Intel Ultra Path Interconnect(UPI)"), "upi");
    EXPECT_EQ(kind_of("Ethernet 400G"), "ethernet");
    for (const char* name :
        {"InfiniBand", "InfiniBand 400G", "InfiniBand NDR", "InfiniBand NDR 400G", "400G InfiniBand"})
        EXPECT_EQ(kind_of(name), "infiniband") << name;
    EXPECT_EQ(kind_of("between servers and leaf switches"), "none");
    EXPECT_EQ(kind_of(""), "none");
    // The name of a kind alone, also one without keywords.
    EXPECT_EQ(kind_of("ic"), "ic");
    EXPECT_EQ(kind_of("pcie_gen6"), "pcie_gen6");
}

TEST(LinkTable, ProtocolsHaveNames)
{
    EXPECT_EQ(named("ethernet"), "ethernet");
    EXPECT_EQ(named("RoCE"), "ethernet");
    EXPECT_EQ(named("IB"), "infiniband");
    EXPECT_EQ(named("PCIe Gen5"), "pcie_gen5");
    EXPECT_EQ(named("scale-up"), "xpu_fabric");
    EXPECT_EQ(named("c2c"), "nvlink_c2c");
    EXPECT_EQ(named("up"), "none");
    for (const std::string& name : LinkTable::built_in().names()) EXPECT_EQ(named(name.c_str()), name);
}

TEST(LinkTable, AUsualRateIsAnAssumption)
{
    const LinkTable& table = LinkTable::built_in();
    EXPECT_TRUE(bandwidth_is_assumed(*table.named("pcie"), "PCIe x16", false));        // which generation?
    EXPECT_TRUE(bandwidth_is_assumed(*table.named("pcie_gen5"), "PCIe Gen5", false));  // how many lanes?
    EXPECT_FALSE(bandwidth_is_assumed(*table.named("pcie_gen5"), "PCIe Gen5 x8", false));
    EXPECT_TRUE(bandwidth_is_assumed(*table.named("ethernet"), "Ethernet", false));
    EXPECT_FALSE(bandwidth_is_assumed(*table.named("nvlink_4"), "NVLink 4", false));
}

TEST(LinkTable, LanesAndEncodingGiveTheBandwidth)
{
    EXPECT_EQ(rate_of("pcie_gen3"), 15'753'846'153U);
    EXPECT_EQ(rate_of("pcie_gen5"), 63'015'384'615U);
    EXPECT_EQ(rate_of("pcie_gen5", "Gen5 x8"), 31'507'692'307U);
    EXPECT_EQ(rate_of("pcie_gen6"), 128'000'000'000U);
    EXPECT_EQ(rate_of("nvlink_5"), 50'000'000'000U);
    EXPECT_EQ(rate_of("xpu_fabric"), 0U);
    // A rate per lane from the document.
    const LinkKind& bus = *LinkTable::built_in().by_name("bus");
    EXPECT_EQ(bandwidth_of(bus, "", StatedLane{32'000'000'000U, "here"})->value, 63'015'384'615U);
    EXPECT_FALSE(bandwidth_of(*LinkTable::built_in().by_name("upi"), "", StatedLane{16'000'000'000U, "here"}));
}

TEST(LinkTable, SpeedsOfDescriptionsAreReadInAnyOrder)
{
    struct Row {
        const char* description;
        const char* kind;
        std::uint64_t rate;
    };
    for (const Row& row : std::vector<Row>{{"InfiniBand EDR", "infiniband", 12'500'000'000},
             {"InfiniBand HDR", "infiniband", 25'000'000'000}, {"NDR InfiniBand", "infiniband", 50'000'000'000},
             {"InfiniBand XDR", "infiniband", 100'000'000'000}, {"InfiniBand HDR100", "infiniband", 12'500'000'000},
             {"InfiniBand NDR 400G", "infiniband", 50'000'000'000}, {"800G InfiniBand", "infiniband", 100'000'000'000},
             {"InfiniBand, port of 200 Gb/s", "infiniband", 25'000'000'000},
             {"InfiniBand", "infiniband", 50'000'000'000}, {"Ethernet 800G", "ethernet", 100'000'000'000},
             {"RoCE 200 Gbps", "ethernet", 25'000'000'000}, {"Ethernet port (100GbE)", "ethernet", 12'500'000'000},
             {"Ethernet 25 GB/s", "ethernet", 25'000'000'000}, {"1.6 Tb/s Ethernet", "ethernet", 200'000'000'000},
             {"Ethernet, 5 m of cable", "ethernet", 50'000'000'000},
             {"400GBASE-DR4 Ethernet", "ethernet", 50'000'000'000}, {"PCIe x8 Gen4", "pcie_gen4", 15'753'846'153},
             {"Gen4 x8 PCIe", "pcie_gen4", 15'753'846'153}, {"PCIe Gen4 x8", "pcie_gen4", 15'753'846'153},
             {"PCIe x16 Gen 6", "pcie_gen6", 128'000'000'000},
             {"PCI Express Gen5, 8 lanes", "pcie_gen5", 31'507'692'307},
             {"PCIe 16 GT/s x8", "pcie_gen4", 15'753'846'153}, {"PCI Express Gen 5.0 x16", "pcie_gen5", 63'015'384'615},
             {"Internal PCIe GEN3 fabric", "pcie_internal", 15'753'846'153}}) {
        EXPECT_EQ(kind_of(row.description), row.kind) << row.description;
        EXPECT_EQ(rate_of(row.kind, row.description), row.rate) << row.description;
        EXPECT_EQ(unread_speed(*LinkTable::built_in().named(row.kind), row.description), "") << row.description;
    }
    const auto unread = [](const char* description) {
        return unread_speed(*LinkTable::built_in().described(description), description);
    };
    EXPECT_EQ(unread("PCIE_GEN5 x3"), "x3");
    EXPECT_EQ(unread("PCIe Gen 9 x16"), "gen 9");
    EXPECT_EQ(unread("Ethernet 4x100G"), "x100G");
    EXPECT_EQ(unread("InfiniBand GDR"), "gdr");
    EXPECT_EQ(unread("InfiniBand HDR 400G"), "400G and hdr");
    EXPECT_EQ(unread("Ethernet 400G, 2 ports"), "2 ports");
}

// Lanes of a data rate: four unless a width of 1x, 2x, 4x, 8x or 12x stands beside its name, in either order. SDR to QDR are 8b/10b
// of 2.5, 5 and 10 Gb/s, FDR is 64b/66b of 14.0625 Gb/s; from EDR on the name's rate is that of the data.
TEST(LinkTable, WidthsOfInfinibandCountLanes)
{
    struct Row {
        const char* rate;
        double gbps;
    };
    for (const Row& row : std::vector<Row>{{"NDR", 400}, {"NDR 4x", 400}, {"NDR 4X", 400}, {"NDR x4", 400},
             {"NDR-4x", 400}, {"4x NDR", 400}, {"x4 NDR", 400}, {"NDR 2x", 200}, {"2x NDR", 200}, {"NDR, 2 lanes", 200},
             {"NDR200", 200}, {"NDR 200", 200}, {"NDR 200G", 200}, {"NDR200 2x", 200}, {"NDR 400 Gb/s", 400},
             {"NDR 4x 400Gb/s", 400}, {"HDR 1x", 50}, {"1-lane HDR", 50}, {"HDR100", 100}, {"EDR 12x", 300},
             {"12X EDR", 300}, {"EDR 8x", 200}, {"XDR 4x", 800}, {"SDR", 8}, {"DDR 4x", 16}, {"QDR", 32},
             {"QDR 12x", 96}, {"QDR 40G", 32}, {"40 Gb/s QDR", 32}, {"FDR 4x", 56.25 * 64 / 66},
             {"FDR 56G", 56.25 * 64 / 66}, {"NDR, 1 port", 400}, {"NDR ConnectX-7", 400}, {"NDR QSFP112 port", 400}}) {
        for (const std::string& text : {std::string("InfiniBand ") + row.rate, std::string(row.rate) + " InfiniBand"}) {
            EXPECT_NEAR(static_cast<double>(rate_of("infiniband", text.c_str())), row.gbps * 1e9 / 8, 0.5) << text;
            EXPECT_EQ(unread_speed(*LinkTable::built_in().named("infiniband"), text), "") << text;
            EXPECT_FALSE(bandwidth_is_assumed(*LinkTable::built_in().named("infiniband"), text, false)) << text;
        }
    }
}

// Ports, lengths and what else stands behind the name of a data rate change no rate, and are told.
TEST(LinkTable, NumbersBesideADataRateThatAreNoWidthAreTold)
{
    struct Row {
        const char* description;
        std::uint64_t rate;
        const char* unread;
    };
    const LinkKind& kind = *LinkTable::built_in().named("infiniband");
    for (const Row& row : std::vector<Row>{{"InfiniBand NDR 2 ports", 50'000'000'000, "2 ports"},
             {"InfiniBand NDR 2-port", 50'000'000'000, "2-port"}, {"InfiniBand NDR 5m", 50'000'000'000, "5m"},
             {"InfiniBand HDR, 30 m of cable", 25'000'000'000, "30 m"}, {"InfiniBand HDR 3x", 25'000'000'000, "3x"},
             {"InfiniBand NDR x16", 50'000'000'000, "x16"}, {"2x InfiniBand HDR", 25'000'000'000, "2x"},
             {"InfiniBand NDR 300", 50'000'000'000, "300"}, {"InfiniBand EDR 2x, 2 ports", 6'250'000'000, "2 ports"},
             {"InfiniBand, 2 ports of NDR", 50'000'000'000, "2 ports"},
             // Two rates: the usual one.
             {"InfiniBand 4x HDR100", 50'000'000'000, "hdr 4x and hdr 100"},
             {"InfiniBand NDR 2x 400G", 50'000'000'000, "ndr 2x and ndr 400"},
             {"InfiniBand NDR 2x port, 400G", 50'000'000'000, "400G and ndr 2x"}}) {
        EXPECT_EQ(kind_of(row.description), "infiniband") << row.description;
        EXPECT_EQ(rate_of("infiniband", row.description), row.rate) << row.description;
        EXPECT_EQ(unread_speed(kind, row.description), row.unread) << row.description;
    }
}

TEST(LinkTable, EveryKindHasALatencyWithSourceAndGrade)
{
    for (const LinkKind& kind : LinkTable::built_in().kinds()) {
        ASSERT_EQ(kind.figures.count(1), 1U) << kind.name;
        for (const auto& [parameter, figure] : kind.figures)
            EXPECT_FALSE(figure.grade.empty()) << kind.name << parameter;
    }
}

TEST(LinkTable, ABrokenTableIsRefusedWithItsLines)
{
    const std::string error = error_of([] {
        LinkTable("t.yaml",
            YamlTree("t.yaml",
                "links:\n  a: {latency: 0 ns}\n  b: {like: c, encoding: 9/8}\n  d: {wide: 1}\nfallback: e\n"));
    });
    EXPECT_NE(error.find("t.yaml:2: link.latency"), std::string::npos) << error;
    EXPECT_NE(error.find("t.yaml:3: unknown link 'c'"), std::string::npos) << error;
    EXPECT_NE(error.find("t.yaml:3: '9/8' is not a value of 'encoding'"), std::string::npos) << error;
    EXPECT_NE(error.find("t.yaml:4: unknown key 'wide'"), std::string::npos) << error;
    EXPECT_NE(error.find("t.yaml:5: the fallback"), std::string::npos) << error;
}

}  // namespace
}  // namespace weft::link_table_test
