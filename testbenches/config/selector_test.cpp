// Parameter paths: what they match, and what is said when they match nothing.
#include <gtest/gtest.h>

#include "testbenches/config/support.h"

namespace weft::selector_test {
namespace {

std::uint64_t size_of_l2(const ResolvedSystem& system, const char* node)
{
    return system.l2(*system.graph().find(node)).size >> 20;
}

TEST(Selector, FullPathGlobAndKind)
{
    const ResolvedSystem one = resolved("", {"box.0.xpu.1.l2.size=40 MiB"});
    EXPECT_EQ(size_of_l2(one, "box.0.xpu.0"), 50U);
    EXPECT_EQ(size_of_l2(one, "box.0.xpu.1"), 40U);
    const ResolvedSystem some = resolved("", {"box.*.xpu.?.l2.size=40 MiB"});
    EXPECT_EQ(size_of_l2(some, "box.0.xpu.0"), 40U);
    EXPECT_EQ(size_of_l2(some, "box.0.xpu.1"), 40U);
    EXPECT_EQ(size_of_l2(resolved("", {"l2.size=40 MiB"}), "box.0.xpu.1"), 40U);
    const ResolvedSystem wild = resolved("", {"*.xpu.0.l2.s?ze=40 MiB"});
    EXPECT_EQ(size_of_l2(wild, "box.0.xpu.0"), 40U);
    EXPECT_EQ(size_of_l2(wild, "box.0.xpu.1"), 50U);
    const ResolvedSystem every = resolved("", {"*.latency=9 ns"});
    EXPECT_EQ(every.l2(0).latency, 9'000U);
    EXPECT_EQ(every.link(0).latency, 9'000U);
    EXPECT_EQ(every.switch_of(*every.graph().find("box.0.nvsw.1")).latency, 9'000U);
}

TEST(Selector, LinksByEndsInEitherOrderByGlobAndByName)
{
    const auto rate = [](const ResolvedSystem& system, const char* a, const char* b) {
        return system.link(*system.graph().find_edge(*system.graph().find(a), *system.graph().find(b))).latency / 1000;
    };
    for (const char* set : {"box.0.xpu.0~box.0.nvsw.1.link.latency=9 ns", "box.0.nvsw.1~box.0.xpu.0.link.latency=9 ns",
             "*nvsw.1~*xpu.0.link.latency=9 ns"}) {
        const ResolvedSystem system = resolved("", {set});
        EXPECT_EQ(rate(system, "box.0.xpu.0", "box.0.nvsw.1"), 9U) << set;
        EXPECT_EQ(rate(system, "box.0.xpu.1", "box.0.nvsw.1"), 70U) << set;
    }
    const ResolvedSystem named = resolved("", {"links.xpu_fabric.latency=9 ns"});
    EXPECT_EQ(rate(named, "box.0.xpu.1", "box.0.nvsw.1"), 9U);
    EXPECT_EQ(rate(named, "box.0.xpu.1", "box.0.cpu.0"), 100U);
    EXPECT_EQ(resolved("", {"engine.channels=4", "routing.path_selection=none"}).engine().channels, 4U);
}

// As tables and the JSON print the paths of modules with equal values.
TEST(Selector, ListsOfNumbers)
{
    const ResolvedSystem both = resolved("", {"box.0.xpu.[0-1].l2.size=40 MiB", "box.[0].xpu.[1].l2.size=30 MiB"});
    EXPECT_EQ(size_of_l2(both, "box.0.xpu.0"), 40U);
    EXPECT_EQ(size_of_l2(both, "box.0.xpu.1"), 30U);
    const ResolvedSystem system = resolved("parameters: {'box.0.xpu.[0,1].l2.s?ze': 40 MiB}\n");
    EXPECT_EQ(size_of_l2(system, "box.0.xpu.1"), 40U);
    const ResolvedSystem links = resolved("", {"box.0.nvsw.[1]~box.0.xpu.[0,1].link.latency=9 ns"});
    const auto latency = [&](const char* a, const char* b) {
        return links.link(*links.graph().find_edge(*links.graph().find(a), *links.graph().find(b))).latency;
    };
    EXPECT_EQ(latency("box.0.nvsw.1", "box.0.xpu.1"), 9'000U);
    EXPECT_EQ(latency("box.0.nvsw.0", "box.0.xpu.1"), 70'000U);
}

// An instance may be called `links`: its nodes have paths, which are no names of links.
TEST(Selector, NodesOfAnInstanceCalledLinksHavePaths)
{
    std::string document = small_box;
    document.replace(document.find("- {name: box, device: box, count: 1}"), 36,
        "- {name: links, device: box, count: 1}");
    const ResolvedSystem system = resolved("parameters: {links.0.nvsw.0.switch.latency: 300 ns}\n",
        {"links.0.nvsw.1.switch.latency=1 us", "links.0.xpu.0~links.0.nvsw.0.link.latency=5 ns",
            "links.*.xpu.1.l2.latency=7 ns", "links.pcie.latency=9 ns",
            "links.0.xpu.0~links.0.cpu.0.link.protocol=pcie_gen4"},
        document);
    const auto node = [&system](const char* name) { return *system.graph().find(name); };
    EXPECT_EQ(system.switch_of(node("links.0.nvsw.0")).latency, 300'000U);
    EXPECT_EQ(system.switch_of(node("links.0.nvsw.1")).latency, 1'000'000U);
    EXPECT_EQ(system.l2(node("links.0.xpu.1")).latency, 7'000U);
    const auto edge = [&](const char* a, const char* b) { return *system.graph().find_edge(node(a), node(b)); };
    EXPECT_EQ(system.link(edge("links.0.xpu.0", "links.0.nvsw.0")).latency, 5'000U);
    EXPECT_EQ(system.link(edge("links.0.xpu.1", "links.0.cpu.0")).latency, 9'000U);
    EXPECT_EQ(system.link(edge("links.0.xpu.0", "links.0.cpu.0")).bandwidth, 31'507'692'307U);
    EXPECT_EQ(
        error_of([&] { resolved("", {"links.wire.latency=1 ns"}, document); }).find("--set: no edge has link 'wire'"),
        0U);
    EXPECT_EQ(error_of([&] {
        resolved("", {"links.1.nvsw.0.switch.latency=1 ns"}, document);
    }).find("--set: no node has the name 'links.1.nvsw.0'"),
        0U);
}

TEST(Selector, NumbersThatNothingHasAreNamed)
{
    const auto error = [](const char* set) { return error_of([&] { resolved("", {set}); }); };
    EXPECT_EQ(error("box.0.xpu.[0-7].l2.size=40 MiB"),
        "--set: 'box.0.xpu.2.l2.size' matches no parameter of this system; expected numbers that names have; 'weft "
        "explain' lists them");
    EXPECT_EQ(error("box.0.xpu.[0,3].l2.s?ze=1 MiB").find("--set: 'box.0.xpu.3.l2.s?ze' matches no parameter"), 0U);
    EXPECT_EQ(error("box.0.xpu.[4-5].l2.size=1 MiB").find("--set: 'box.0.xpu.[4-5].l2.size' matches no parameter"), 0U);
    EXPECT_EQ(error("box.0.xpu.[0]~box.0.nvsw.[0-2].link.protocol=nvlink_4"),
        "--set: 'box.0.xpu.[0]~box.0.nvsw.2.link.protocol' matches no link; expected NODE~NODE of two neighbours");
    EXPECT_NE(error_of([] {
        resolved("bind:\n- {nodes: 'box.0.nvsw.[1,2]', model: switch}\n");
    }).find("system.yaml:3: no node that is simulated matches 'box.0.nvsw.2'"),
        std::string::npos);
}

TEST(Selector, MistakesAreNamedWithTheNearest)
{
    const auto error = [](const char* set) { return error_of([&] { resolved("", {set}); }); };
    EXPECT_EQ(error("l2.siez=1 MiB"),
        "--set: unknown parameter 'l2.siez'; expected a parameter of l2 (did you mean 'size'?)");
    EXPECT_EQ(error("box.0.xpu.0.l3.size=1 MiB"),
        "--set: unknown block 'l3' in 'box.0.xpu.0.l3.size'; expected a block: gpu, network, l1, l2, memory_side, hbm, "
        "copy, "
        "bulk, switch, link, engine, routing (did you mean 'l1'?)");
    EXPECT_EQ(error("box.0.xpu.7.l2.size=1 MiB"),
        "--set: no node has the name 'box.0.xpu.7'; expected the name of a node (did you mean 'box.0.xpu.0'?)");
    EXPECT_EQ(error("links.xpu_fabrik.latency=1 ns"),
        "--set: no edge has link 'xpu_fabrik'; expected the name of a link (did you mean 'xpu_fabric'?)");
    EXPECT_NE(error("box.0.nvsw.0.gpu.clock=1 GHz").find("'box.0.nvsw.0' has no block 'gpu'"), std::string::npos);
    EXPECT_NE(error("box.0.nvsw.0~box.0.nvsw.1.link.latency=1 ns").find("no edge joins"), std::string::npos);
    EXPECT_NE(error("dgx.*.l2.size=1 MiB").find("'dgx.*.l2.size' matches no parameter"), std::string::npos);
    EXPECT_NE(error("size=1 MiB").find("is not a parameter path"), std::string::npos);
    EXPECT_NE(error("..=1").find("is not a parameter path"), std::string::npos);
    EXPECT_NE(error_of([] { parse_set("l2.size"); }).find("--set 'l2.size' is incomplete"), std::string::npos);
}

TEST(Selector, ValuesAreCheckedWithUnitAndRange)
{
    const auto error = [](const char* set) { return error_of([&] { resolved("", {set}); }); };
    EXPECT_EQ(error("l2.size=3 B"), "--set: l2.size = 3 B is out of range; expected 64 B to 64 GiB");
    EXPECT_EQ(error("link.latency=fast"),
        "--set: 'fast' is not a value of link.latency; expected a time such as 70 ns, 1 ps to 1 s");
    EXPECT_EQ(error("link.request_credits=0"), "--set: link.request_credits = 0 is out of range; expected 1 to 65535");
    EXPECT_EQ(error("gpu.wait_policy=sleep"),
        "--set: 'sleep' is not a value of gpu.wait_policy; expected one of spin, backoff, monitor, waiting_atomic");
    EXPECT_NE(error("hbm.bandwidth=3 GB").find("a rate such as"), std::string::npos);
    EXPECT_EQ(error("link.bandwidth=100000.1 GB/s"),
        "--set: link.bandwidth = 100000.1 GB/s is out of range; expected 1 MB/s to 100 TB/s");
}

}  // namespace
}  // namespace weft::selector_test
