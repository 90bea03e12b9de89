// The explanation: complete, short, and the same every time.
#include <set>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/configuration/explain.h"
#include "testbenches/config/support.h"

namespace weft::explain_test {
namespace {

TEST(Explain, IdenticalModulesAreListedOnce)
{
    const std::string text = explain(resolved("system: demo\n", {"box.0.xpu.1~box.0.cpu.0.link.latency=5 ns"}));
    EXPECT_NE(text.find("system demo from box.yaml as system.yaml says\n5 nodes, 6 edges, 2 endpoints, seed 1\n"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("box.0.xpu.[0,1]  (2)\n  gpu, model gpu, profile h100\n"), std::string::npos) << text;
    EXPECT_NE(text.find("box.0.xpu.[0,1]~box.0.nvsw.[0,1]  (4)\n  link xpu_fabric\n"), std::string::npos) << text;
    EXPECT_NE(text.find("box.0.xpu.1~box.0.cpu.0\n  link pcie\n"), std::string::npos) << text;
    EXPECT_NE(text.find("    l2.size                    50 MiB           profile h100: NVIDIA H100 "
                        "whitepaper (vendor specification)\n"),
        std::string::npos)
        << text;
}

TEST(Explain, TheFlatListHasEveryParameterOnce)
{
    const ResolvedSystem system = resolved();
    std::set<std::string> paths;
    for (const ExplainedParameter& parameter : explained_parameters(system)) {
        EXPECT_TRUE(paths.insert(parameter.path).second) << parameter.path;
        EXPECT_FALSE(parameter.source.empty()) << parameter.path;
        EXPECT_FALSE(parameter.text().empty()) << parameter.path;
    }
    for (const char* path : {"engine.channels", "routing.path_selection", "box.0.xpu.[0,1].gpu.clock",
             "box.0.xpu.[0,1].l2.size", "box.0.xpu.[0,1].hbm.capacity", "box.0.nvsw.[0,1].switch.latency",
             "box.0.xpu.[0,1]~box.0.nvsw.[0,1].link.bandwidth"})
        EXPECT_EQ(paths.count(path), 1U) << path;
}

TEST(Explain, PartsThatAreNotUsedAreLeftOut)
{
    const ResolvedSystem system = resolved();
    UsedParts used;
    used.nodes = {true, true, true, true, false};
    for (EdgeId edge = 0; edge < 6; ++edge) used.edges.push_back(system.graph().kind(edge).link == "xpu_fabric");
    used.transit = {true};
    const std::string text = explain(system, used);
    EXPECT_EQ(text.find("box.0.cpu"), std::string::npos);
    EXPECT_NE(text.find("node table xpu"), std::string::npos);  // xpu.0 passes lines on
}

TEST(Explain, AnUnknownBandwidthSaysSo)
{
    std::string document = small_box;
    const auto replace = [&document](const std::string& from, const std::string& to) {
        document.replace(document.find(from), from.size(), to);
    };
    replace("{name: pcie, description: PCIE_GEN5 x16}", "{name: mystery}");
    replace("{ep1: {component: xpu}, ep2: {component: cpu}, scheme: many2many, link: pcie}",
        "{ep1: {component: nvsw}, ep2: {component: cpu}, scheme: many2many, link: mystery}");
    EXPECT_NE(explain(resolved("", {}, document)).find("link.bandwidth             unknown          unknown\n"),
        std::string::npos);
}

TEST(Explain, ShowsWhatCountsForTheModelAndSaysWhatChangesNothing)
{
    const std::string document = read_text_file(std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/dgx_h100.yaml");
    const std::string plain = explain(resolved("", {"switch.queues=fifo", "switch.latency=90 ns"}, document));
    EXPECT_NE(plain.find("notice: switch.queues is set and changes nothing: it belongs to model crossbar"),
        std::string::npos)
        << plain;
    EXPECT_EQ(plain.find("switch.latency is set"), std::string::npos);
    EXPECT_EQ(plain.find("    switch.queues "), std::string::npos);
    EXPECT_NE(plain.find("    switch.arbiter "), std::string::npos);
}

TEST(Explain, SaysWhichValueAnotherOneSwitchesOff)
{
    const std::string document = read_text_file(std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/dgx_h100.yaml");
    // Each parameter with the setting that it needs.
    const std::vector<std::pair<std::string, std::string>> cases{{"link.replay_buffer=100", "link.retry=go_back_n"},
        {"link.replay_timeout=3 us", "link.retry=timeout"}, {"link.ack_bytes=8", "link.retry=timeout"},
        {"link.ack_every=2", "link.retry=go_back_n"}, {"link.extension_region=4 KiB", "link.address_extension=6"},
        {"link.extension_ways=2", "link.address_extension=6"}, {"link.credit_batch=9", "link.credit_bytes=4"},
        {"link.bundle_selection=round_robin", "link.bundle=2"}, {"link.max_payload=512", "link.merge=destination"},
        {"link.group_payload=128", "link.merge=adjacent"}, {"switch.message_interval=1 ns", "switch.message=4 KiB"},
        {"switch.message_overhead=1 ns", "switch.message=4 KiB"}, {"switch.message_hold=1 ns", "switch.message=4 KiB"},
        {"switch.message_streams=2", "switch.message=4 KiB"}, {"switch.control_weight=2", "switch.arbiter=weighted"},
        {"switch.data_weight=2", "switch.arbiter=weighted"}, {"routing.stripe=128", "routing.path_selection=lines"},
        {"l2.monitor_timeout=3 us", "gpu.wait_policy=monitor"}, {"gpu.backoff_limit=2 us", "gpu.wait_policy=backoff"},
        {"gpu.port_data_weight=4", "gpu.port_arbiter=weighted"},
        {"gpu.port_control_weight=4", "gpu.port_arbiter=weighted"},
        {"gpu.array_rows=64", "gpu.compute_model=output_stationary"}, {"network.columns=4", "network.kind=mesh"},
        {"l2.far_latency=50 ns", "l2.partitions=2"}, {"l2.far_bandwidth=2 TB/s", "l2.partitions=2"},
        {"hbm.t_rfc=100 ns", "hbm.refresh=all_bank"}, {"hbm.row_idle=5 ns", "hbm.row_policy=idle"},
        {"engine.step_bytes=1 KiB", "engine.staging=fifo"}, {"engine.steps_in_flight=2", "engine.staging=fifo"},
        {"engine.slices=4", "engine.protocol=simple"}};
    const std::vector<std::string> off{"link.merge=none", "routing.path_selection=pairs", "l2.partitions=1",
        "link.credit_bytes=0", "hbm.refresh=none", "hbm.row_policy=open", "engine.protocol=ll"};
    for (const auto& [idle, condition] : cases) {
        const std::string notice =
            "notice: " + idle.substr(0, idle.find('=')) + " is set and changes nothing: it needs ";
        std::vector<std::string> sets = off;
        sets.push_back(idle);
        EXPECT_NE(explain(resolved("", sets, document)).find(notice), std::string::npos) << idle;
        sets.push_back(condition);
        EXPECT_EQ(explain(resolved("", sets, document)).find(notice), std::string::npos) << idle;
    }
}

TEST(Explain, SaysWhatTheModelOrTheWorkloadSwitchesOff)
{
    const std::string document = read_text_file(std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/dgx_h100.yaml");
    const auto told = [&document](const std::string& lines, const std::vector<std::string>& sets) {
        const std::string name = sets.back().substr(0, sets.back().find('='));
        return explain(resolved(lines, sets, document)).find("notice: " + name + " is set and changes nothing") !=
            std::string::npos;
    };
    const auto run = [](const std::string& what) { return "workload: {" + what + "}\n"; };
    const std::string ring = run("collective: all_reduce, algorithm: ring, bytes: 1 KiB");
    EXPECT_TRUE(told("", {"l2.clock=1 ns"}));
    EXPECT_FALSE(told("",
        {"l2.model=reference_slice", "l2.line=64", "l2.partitions=1", "l2.size=32 MiB", "l2.slices=32",
            "l2.clock=1 ns"}));
    EXPECT_TRUE(told("", {"gpu.replay_in_flight=8"}));
    EXPECT_FALSE(told("bind:\n- {nodes: dgx.0.xpu.3, model: replay}\n", {"gpu.replay_in_flight=8"}));
    // Atomics that wait give up as little as they poll; packets are polled all the same.
    EXPECT_TRUE(told("", {"gpu.wait_policy=waiting_atomic", "l2.monitor_timeout=3 us"}));
    EXPECT_FALSE(told("", {"gpu.wait_policy=waiting_atomic", "l2.monitors=8"}));
    EXPECT_TRUE(told(ring, {"gpu.wait_policy=waiting_atomic", "gpu.spin_interval=8 ns"}));
    EXPECT_FALSE(told(ring, {"gpu.wait_policy=waiting_atomic", "engine.protocol=ll", "gpu.spin_interval=8 ns"}));
    EXPECT_FALSE(told(ring, {"gpu.wait_policy=monitor", "gpu.spin_interval=8 ns"}));  // estimates count it
    EXPECT_FALSE(told(ring, {"gpu.wait_policy=backoff", "gpu.spin_interval=8 ns"}));
    EXPECT_TRUE(told(run("trace: t"), {"engine.compute_workgroups=3"}));
    for (const char* set : {"engine.channels=8", "engine.channel_bytes=1 KiB", "engine.wavefronts=4", "engine.unroll=4",
             "engine.vector=8", "engine.protocol=ll", "engine.staging=fifo"}) {
        EXPECT_TRUE(told(run("collective: barrier"), {set})) << set;
        EXPECT_FALSE(told(ring, {set})) << set;
    }
    EXPECT_FALSE(told(run("collective: barrier"), {"engine.poll_lanes=1"}));
    EXPECT_FALSE(told(run("trace: t"), {"engine.compute=kernel", "engine.compute_workgroups=3"}));
    for (const char* set : {"switch.multicast_groups=9", "switch.group_contexts=9", "switch.reduce_rate=9 GB/s"}) {
        EXPECT_TRUE(told(ring, {set})) << set;
        EXPECT_TRUE(told(run("collective: all_reduce, bytes: 1 KiB"), {set})) << set;
        for (const char* algorithm : {"nvls", "auto"})
            EXPECT_FALSE(
                told(run(std::string("collective: all_reduce, algorithm: ") + algorithm + ", bytes: 1 KiB"), {set}))
                << set << " " << algorithm;
        EXPECT_FALSE(told(run("trace: t"), {set})) << set;
    }
}

TEST(Explain, SaysThatACrossbarIsNoNetworkCard)
{
    const std::string document = read_text_file(std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/dgx_h100.yaml");
    const std::string notice = "notice: 4 network cards have model crossbar, which makes no messages";
    const std::string crossbars = "bind:\n- {nodes: {component: nvsw}, model: crossbar}\n";
    EXPECT_NE(explain(resolved(crossbars, {"*.nvsw.*.switch.message=4 KiB"}, document)).find(notice),
        std::string::npos);
    EXPECT_EQ(explain(resolved(crossbars, {}, document)).find("network card"), std::string::npos);
    EXPECT_EQ(explain(resolved("", {"*.nvsw.*.switch.message=4 KiB"}, document)).find("network card"),
        std::string::npos);
}

TEST(Explain, TwiceTheSame)
{
    EXPECT_EQ(explain(resolved("", {"l2.size=40 MiB"})), explain(resolved("", {"l2.size=40 MiB"})));
}

}  // namespace
}  // namespace weft::explain_test
