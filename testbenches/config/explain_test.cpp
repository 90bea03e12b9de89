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

TEST(Explain, TwiceTheSame)
{
    EXPECT_EQ(explain(resolved("", {"l2.size=40 MiB"})), explain(resolved("", {"l2.size=40 MiB"})));
}

}  // namespace
}  // namespace weft::explain_test
