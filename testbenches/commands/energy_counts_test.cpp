// Events of the energy of a run: bits on links and through switches by kind, and accesses that are listed as unknown.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace energy_counts_test {

using namespace weft::commands_test;
using Json = nlohmann::json;

namespace {

Json result_of(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--no-timing", "--json", "-"});
    const Outcome out = call(arguments);
    EXPECT_EQ(out.code, 0) << out.err;
    return Json::parse(out.out.empty() ? "{}" : out.out);
}

// The events of one row; -1: the account does not have it.
double events_of(const Json& result, const std::string& of, const std::string& kind)
{
    for (const Json& part : result["energy"]["parts"])
        if (part["of"] == of && part["kind"] == kind) return part["events"].get<double>();
    return -1;
}

// On the wire, of directions from nodes with the one text in their names to nodes with the other.
double bits(const Json& result, const std::string& from, const std::string& to)
{
    double sum = 0;
    for (const Json& link : result["links"])
        if (link["from"].get<std::string>().find(from) != std::string::npos &&
            link["to"].get<std::string>().find(to) != std::string::npos)
            sum += 8 * link["wire_bytes"].get<double>();
    return sum;
}

std::vector<std::string> unknown_of(const Json& result)
{
    return result["energy"]["unknown"].get<std::vector<std::string>>();
}

using List = std::vector<std::string>;

const char* const with_cards = R"(name: cards
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 2, description: NVIDIA H100 SXM}
  - {name: nic, choice: nic, count: 2, description: network card}
  - {name: sw, choice: switch, count: 1, description: Ethernet switch}
  links:
  - {name: pcie, description: PCI Express PCIE_GEN5 x16}
  - {name: eth, description: Ethernet, physical: {bandwidth: {gigabits_per_second: 400}, latency: {ns: 300}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: nic}, scheme: one2one, link: pcie}
  - {ep1: {component: nic}, ep2: {component: "sw[0]"}, scheme: many2many, link: eth}
instances:
- {name: b, device: box, count: 1}
)";

const char* const with_host = R"(name: hostbox
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 2, description: NVIDIA H100 SXM}
  - {name: cpu, choice: cpu, count: 1, description: host processor}
  - {name: psw, choice: switch, count: 2, description: PCIe Gen5 switch}
  links:
  - {name: pcie, description: PCI Express PCIE_GEN5 x16}
  edges:
  - {ep1: {component: "xpu[0]"}, ep2: {component: "psw[0]"}, scheme: one2one, link: pcie}
  - {ep1: {component: "xpu[1]"}, ep2: {component: "psw[1]"}, scheme: one2one, link: pcie}
  - {ep1: {component: "psw[0:2]"}, ep2: {component: "cpu[0]"}, scheme: many2many, link: pcie}
instances:
- {name: b, device: box, count: 1}
)";

// Two cards and a switch, each drawn as a chip with its ports.
const char* const with_chips = R"(name: chips
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 1, description: NVIDIA H100 SXM}
  - {name: card, choice: cpu, count: 1, description: ConnectX network card}
  - {name: port, choice: port, count: 1, description: port}
  links:
  - {name: pcie, description: PCI Express PCIE_GEN5 x16}
  - {name: ic, description: on-chip, physical: {bandwidth: {gigabits_per_second: 400}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: card}, scheme: one2one, link: pcie}
  - {ep1: {component: card}, ep2: {component: port}, scheme: one2one, link: ic}
- name: switch
  components:
  - {name: asic, choice: switch, count: 1, description: switch chip}
  - {name: port, choice: port, count: 2, description: port}
  links:
  - {name: ic, description: on-chip, physical: {bandwidth: {gigabits_per_second: 400}}}
  edges:
  - {ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: ic}
instances:
- {name: b, device: box, count: 2}
- {name: s, device: switch, count: 1}
links:
- {name: eth, description: Ethernet, physical: {bandwidth: {gigabits_per_second: 400}, latency: {ns: 300}}}
edges:
- {ep1: {instance: "b[0]", component: port}, ep2: {instance: s, component: "port[0]"}, scheme: one2one, link: eth}
- {ep1: {instance: "b[1]", component: port}, ep2: {instance: s, component: "port[1]"}, scheme: one2one, link: eth}
)";

List collective(const std::string& document, const std::string& table, const List& more = {})
{
    List out{"--infra", document, "--collective", "all_gather", "--algorithm", "ring", "--bytes", "64KiB", "--energy",
        table};
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

}  // namespace

// A bit crosses one switch, and each cable has one end at it.
TEST(EnergyOfSwitches, ACardIsNone)
{
    const Fixtures files;
    const std::string table = files.write("t.yaml",
        "links:\n  pcie_gen5: {low: 6, high: 6}\n  ethernet: {low: 20, high: 20}\n"
        "switches:\n  ethernet: {low: 10, high: 10}\n  pcie_gen5: {low: 10, high: 10}\n");
    for (const char* fidelity : {"line", "flow"}) {
        const Json result = result_of(collective(files.write("net.yaml", with_cards), table, {"--fidelity", fidelity}));
        const double in = bits(result, "nic", "sw");
        EXPECT_EQ(in, bits(result, "sw", "nic"));
        EXPECT_GT(in, 0);
        const double by_lines = 716800;
        EXPECT_EQ(in, std::string(fidelity) == "line" ? by_lines : in);
        EXPECT_EQ(events_of(result, "switches", "ethernet"), in) << fidelity;
        EXPECT_EQ(events_of(result, "links", "ethernet"), in) << fidelity;
        EXPECT_EQ(events_of(result, "links", "pcie_gen5"), bits(result, "xpu", "nic") + bits(result, "nic", "xpu"));
        EXPECT_EQ(events_of(result, "switches", "pcie_gen5"), -1);
        EXPECT_NE(result["notices"].dump().find("switches pcie_gen5"), std::string::npos) << "names nothing";
    }
}

// The one processor between two switches: it has the one end of half of the cables.
TEST(EnergyOfSwitches, AProcessorIsNone)
{
    const Fixtures files;
    const std::string table =
        files.write("t.yaml", "links:\n  pcie_gen5: {low: 6, high: 6}\nswitches:\n  pcie_gen5: {low: 10, high: 10}\n");
    const Json result = result_of(collective(files.write("host.yaml", with_host), table));
    EXPECT_EQ(bits(result, "", "psw"), 1338880);
    EXPECT_EQ(bits(result, "", ""), 4 * 669440);
    EXPECT_EQ(events_of(result, "switches", "pcie_gen5"), 1338880);
    EXPECT_EQ(events_of(result, "links", "pcie_gen5"), 1338880);
}

// A chip with its ports is one switch, which a bit passes once; what joins them is in its figure. Of a card it is a link.
TEST(EnergyOfSwitches, AChipWithItsPortsIsOne)
{
    const Fixtures files;
    const std::string table = files.write("t.yaml",
        "links:\n  ethernet: {low: 20, high: 20}\n  ic: {low: 1, high: 1}\n"
        "switches:\n  ethernet: {low: 10, high: 10}\n  ic: {low: 10, high: 10}\n");
    const Json result = result_of(collective(files.write("chips.yaml", with_chips), table));
    const double in = bits(result, "b.", "s.0.port");
    EXPECT_GT(in, 0);
    EXPECT_EQ(events_of(result, "switches", "ethernet"), in);
    EXPECT_EQ(events_of(result, "links", "ethernet"), (in + bits(result, "s.0.port", "b.")) / 2);
    EXPECT_EQ(events_of(result, "links", "ic"), bits(result, "card", "port") + bits(result, "port", "card"));
    EXPECT_EQ(events_of(result, "switches", "ic"), -1);
}

TEST(EnergyOfSwitches, TheCablesOfTwoHostsEndAtOne)
{
    const Fixtures files;
    const std::string table = files.write("t.yaml",
        "links:\n  infiniband: {low: 20, high: 20}\nswitches:\n  infiniband: {low: 29, high: 29}\n");
    const Json result =
        result_of({"examples/two_hosts/system.yaml", "--bytes", "64KiB", "--no-data", "--energy", table});
    EXPECT_GT(bits(result, "nic", "leaf"), 0);
    EXPECT_EQ(events_of(result, "switches", "infiniband"), bits(result, "nic", "leaf"));
    EXPECT_EQ(unknown_of(result), List{"switches pcie_gen5: the table has no figure"});
}

// A figure of 0 takes the end of the link, `none` leaves it.
TEST(EnergyOfSwitches, WithoutARowTheWholeLinkIsCounted)
{
    const Fixtures files;
    const std::string none = files.write("none.yaml", "switches:\n  nvlink_4: none\n");
    const std::string zero = files.write("zero.yaml", "switches:\n  nvlink_4: {low: 0, high: 0}\n");
    const List run{"examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--no-data", "--energy"};
    List without = run;
    without.push_back(none);
    List with = run;
    with.push_back(zero);
    const Json links_alone = result_of(without);
    EXPECT_EQ(events_of(links_alone, "links", "nvlink_4"), bits(links_alone, "", ""));
    EXPECT_EQ(unknown_of(links_alone), List{"switches nvlink_4: the table has no figure"});
    const Json free = result_of(with);
    EXPECT_EQ(events_of(free, "links", "nvlink_4"), bits(free, "", "") / 2);
    EXPECT_EQ(unknown_of(free), List());
}

// The row is the protocol's, whoever states the values.
TEST(EnergyOfLinks, TheirKindStaysWhenEveryValueIsSet)
{
    const Fixtures files;
    const std::string table = files.write("t.yaml", "links:\n  ethernet: {low: 20, high: 20}\n");
    const List run{files.pair_system(), "--energy", table};
    const Json before = result_of(run);
    List all = run;
    for (const auto& [path, parameter] : before["parameters"].items()) {
        const std::string name = path.substr(path.rfind('.') + 1);
        if (parameter["source"].get<std::string>().rfind("link table ethernet", 0) != 0) continue;
        const Json& value = parameter["value"];
        const std::string unit = parameter["unit"].get<std::string>();
        all.emplace_back("--set");
        all.push_back("link." + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump() + unit));
    }
    EXPECT_GT(all.size(), run.size() + 4);
    const Json after = result_of(all);
    EXPECT_EQ(after["parameters"].dump().find("link table"), std::string::npos);
    EXPECT_GT(events_of(before, "links", "ethernet"), 0);
    EXPECT_EQ(events_of(after, "links", "ethernet"), events_of(before, "links", "ethernet"));
}

// At flow only links that carried something are listed.
TEST(EnergyOfLinks, NothingIsUnknownOfThoseThatCarriedNothing)
{
    const Fixtures files;
    const std::string one =
        R"({"workload_graph":[{"Id":1,"Name":"c","NodeType":4,"data_deps":[],"num_ops":9,"runtime":10}]})";
    files.write("c.0.json", one);
    files.write("c.1.json", one);
    for (const char* fidelity : {"line", "flow"}) {
        const List still = unknown_of(result_of(
            {"--infra", "examples/dgx_h100/dgx_h100.yaml", "--trace", files.path("c"), "--fidelity", fidelity}));
        for (const std::string& what : still) EXPECT_NE(what.rfind("links", 0), 0U) << what << " at " << fidelity;
        const Json ring = result_of({"examples/mesh_mi300x/system.yaml", "--collective", "all_gather", "--algorithm",
            "ring", "--bytes", "64KiB", "--no-data", "--fidelity", fidelity});
        EXPECT_GT(bits(ring, "", ""), 0);
        EXPECT_EQ(events_of(ring, "links", "xgmi"), bits(ring, "", "")) << fidelity;
    }
}

// A compute node that takes a time moves nothing, whether or not it states operations.
TEST(EnergyOfAccesses, OfComputeNodesAreUnknown)
{
    const Fixtures files;
    const auto trace = [&files](const std::string& name, const std::string& members) {
        for (const char* rank : {".0.json", ".1.json"})
            files.write(name + rank,
                R"({"workload_graph":[{"Id":1,"Name":"c","NodeType":4,"data_deps":[],)" + members + "}]}");
        return files.path(name);
    };
    const auto unknown = [](const std::string& of, const List& more = {}) {
        List arguments{"--infra", "examples/dgx_h100/dgx_h100.yaml", "--trace", of};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return unknown_of(result_of(arguments));
    };
    const auto both = [](const std::string& why) { return List{"hbm h100: " + why, "l2 h100: " + why}; };
    const std::string by_time = "what compute nodes load and store moves no transactions (engine.compute=time)";
    const std::string bytes = trace("bytes", R"("num_ops":0,"tensor_size":65536)");
    const std::string timed = trace("timed", R"("num_ops":9,"runtime":10)");
    EXPECT_EQ(unknown(bytes), both(by_time));
    EXPECT_EQ(unknown(timed), both(by_time));
    EXPECT_EQ(unknown(trace("nothing", R"("num_ops":0,"tensor_size":0,"runtime":10)")), List());
    // As kernels, those with bytes load and store them.
    EXPECT_EQ(unknown(trace("kernel", R"("num_ops":1000,"tensor_size":65536)"), {"--set", "engine.compute=kernel"}),
        List());
    EXPECT_EQ(unknown(timed, {"--set", "engine.compute=kernel"}),
        both("what compute nodes of a given duration load and store moves no transactions"));
}

TEST(EnergyOfAccesses, OfReplayedAcceleratorsAreUnknown)
{
    const Fixtures files;
    const std::string recorded = files.path("r.csv");
    const std::string table = files.write("t.yaml",
        "links:\n  ethernet: {low: 1, high: 1}\nhbm:\n  generic: {low: 1, high: 1}\nl2:\n  generic: {low: 1, high: 1}\n"
        "idle:\n  generic: {low: 1, high: 1}\n");
    EXPECT_EQ(unknown_of(result_of({files.pair_system(), "--energy", table, "--record", recorded})), List());
    const List replayed{"hbm generic: accesses of replayed accelerators are not counted",
        "l2 generic: accesses of replayed accelerators are not counted"};
    const Json one = result_of({files.pair_system(), "--energy", table, "--model", "host.0.xpu.1=replay:" + recorded});
    EXPECT_EQ(unknown_of(one), replayed);
    EXPECT_GT(events_of(one, "hbm", "generic"), 0);
    const std::string system = files.write("all.yaml",
        "system: all\ninfrastructure: pair.yaml\nprofile: generic\n"
        "workload: {collective: all_reduce, bytes: 4 KiB}\n"
        "bind:\n- {nodes: {type: xpu}, model: replay, traffic: r.csv}\n");
    const Json all = result_of({system, "--energy", table});
    EXPECT_EQ(unknown_of(all), replayed);
    EXPECT_EQ(events_of(all, "hbm", "generic"), -1);
}

// A trace of one rank beside a replayed accelerator: that one has no compute nodes.
TEST(EnergyOfAccesses, AReplayedAcceleratorBesideATraceHasNoOperations)
{
    const Fixtures files;
    files.write("c.0.json",
        R"({"workload_graph":[{"Id":1,"Name":"c","NodeType":4,"data_deps":[],"num_ops":9,"runtime":10}]})");
    files.write("r.csv", "gpu,time,to,kind,at,bytes,gap,value\nhost.0.xpu.1,0,host.0.xpu.0,write,0x20000,256,505,\n");
    const std::string table = files.write("t.yaml", "operation:\n  generic: {low: 1, high: 1}\n");
    const Json result = result_of({"--infra", files.pair(), "--trace", files.path("c"), "--energy", table, "--model",
        "host.0.xpu.1=replay:" + files.path("r.csv")});
    EXPECT_EQ(events_of(result, "operation", "generic"), 9);
}

// A timer that ends behind a run, after what it was set for has come, is no work: neither energies nor means are counted until then.
TEST(EnergyOfTime, TimersThatFindNothingToDoDoNotCount)
{
    const std::string system = std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/system.yaml";
    for (const std::string set : {"gpu.wait_policy=monitor", "link.retry=go_back_n"}) {
        // With write-backs, after which energy is counted.
        const Json result = result_of({system, "--bytes", "16KiB", "--algorithm", "direct", "--no-data", "--set",
            "l2.size=20KiB", "--set", "l2.ways=1", "--set", "l2.partitions=1", "--set", set});
        EXPECT_EQ(result["energy"]["time_ps"], result["simulated_ps"]) << set;
        double writes = 0;
        for (const Json& module : result["modules"])
            if (module["kind"] == "hbm") writes += module["stats"]["writes"]["value"].get<double>();
        EXPECT_GT(writes, 0) << set;
    }
}

}  // namespace energy_counts_test
