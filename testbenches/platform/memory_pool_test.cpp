// Memory nodes of a trace that use a pool of memory in the fabric: exact times of one line, and what bounds
// many.
#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/pools_document.h"

namespace memory_pool_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

using Ranks = std::vector<std::vector<std::string>>;
using Sets = std::vector<std::string>;

const std::string document = pools_document(2);

NodeText memory(std::uint64_t id, bool write, std::int64_t bytes)
{
    return NodeText(id, write ? 3 : 2, "m").integer("tensor_size", bytes);
}

RunSetup setup_of(const Folder& folder, const Ranks& ranks, const Sets& sets)
{
    RunSetup setup;
    setup.document = document;
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks));
    setup.sets = {"engine.memory_nodes=remote"};
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    return setup;
}

Json run_trace(const Ranks& ranks, const Sets& sets = {})
{
    const Folder folder;
    return run(setup_of(folder, ranks, sets));
}

std::uint64_t time_of(const Ranks& ranks, const Sets& sets = {})
{
    const Json result = run_trace(ranks, sets);
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 400);
    return result.value("simulated_ps", std::uint64_t{0});
}

// Of the document, ps: from an accelerator to a pool over the switch, or back, for so much payload.
std::uint64_t path(const ResolvedSystem& system, std::uint64_t payload)
{
    std::uint64_t time = system.switch_of(*system.graph().find("box.0.sw.0")).latency;
    for (const char* end : {"box.0.xpu.0", "box.0.pool.0"}) {
        const Graph& graph = system.graph();
        const LinkSpec& link = system.link(*graph.find_edge(*graph.find(end), *graph.find("box.0.sw.0")));
        const std::uint64_t bytes = link.packet_overhead + link.header + payload;
        time += bytes * 1'000'000'000'000 / link.bandwidth + link.latency;
    }
    return time;
}

std::uint64_t payload_from(const Json& result, const std::string& from)
{
    std::uint64_t bytes = 0;
    for (const Json& link : result["links"])
        if (link["from"] == from) bytes += link["payload_bytes"].get<std::uint64_t>();
    return bytes;
}

}  // namespace

TEST(MemoryPool, OneLineTakesTheSumOfItsParts)
{
    const Sets far = {"box.0.pool.*.gpu.port_to_l2=31 ns", "box.0.pool.*.gpu.l2_to_port=17 ns",
        "box.0.pool.*.l2.latency=23 ns"};
    const Folder folder;
    const ResolvedSystem system = resolve_setup(setup_of(folder, {{memory(1, false, 64)}}, far));
    const GpuSpec& gpu = system.gpu(*system.graph().find("box.0.xpu.0"));
    const NodeId pool = *system.graph().find("box.0.pool.0");
    EXPECT_EQ(system.memories().size(), 2u);
    const std::uint64_t there = gpu.launch_latency + gpu.unit_to_port + 31'000 + 23'000;
    const std::uint64_t back = 17'000 + gpu.port_to_unit;
    EXPECT_EQ(time_of({{memory(1, false, 64)}}, far),
        there + path(system, 0) + idle_read(system.hbm(pool)) + path(system, 64) + back);
    EXPECT_EQ(time_of({{memory(1, true, 64)}}, far), there + path(system, 64) + path(system, 0) + back);
    // Its DRAM is its own.
    Sets slow = far;
    slow.push_back("box.0.pool.0.hbm.request_latency=500 ns");
    EXPECT_EQ(time_of({{memory(1, false, 64)}}, slow),
        time_of({{memory(1, false, 64)}}, far) + 500'000 - system.hbm(pool).request_latency);
}

TEST(MemoryPool, ManyLinesTakeWhatItsLinkCarries)
{
    constexpr std::uint64_t bytes = 1 << 20;
    const Ranks one = {{memory(1, false, bytes)}, {comp(1, 0)}};
    const Json result = run_trace(one);
    double wire = 0;
    for (const Json& link : result["links"])
        if (link["from"] == "box.0.pool.0") wire = link["wire_bytes"].get<double>() * 1e12 / 50e9;
    EXPECT_GT(wire, static_cast<double>(bytes) * 1e12 / 50e9);
    const auto alone = result["simulated_ps"].get<double>();
    EXPECT_GT(alone, wire);
    EXPECT_LT(alone, 1.1 * wire);
    // Twice the link; both ranks at one pool; each at its own.
    EXPECT_NEAR(static_cast<double>(time_of(one, {"links.port.bandwidth=100 GB/s"})) / alone, 0.53, 0.05);
    Ranks both(2, {memory(1, false, bytes).integer("tensor_loc", 1)});
    EXPECT_NEAR(static_cast<double>(time_of(both)) / alone, 2, 0.1);
    both.assign(2, {memory(1, false, bytes)});
    EXPECT_NEAR(static_cast<double>(time_of(both)) / alone, 1, 0.02);
}

TEST(MemoryPool, IsNoRankAndIsUsedOnlyWhenAskedFor)
{
    const Ranks ranks = {{memory(1, false, 4096)}, {memory(1, true, 8192).integer("tensor_loc", 0)}};
    const Json remote = run_trace(ranks);
    EXPECT_EQ(remote["ranks"].size(), 2u);
    EXPECT_EQ(remote["system"]["endpoints"], 2);
    EXPECT_EQ(payload_from(remote, "box.0.pool.0"), 4096u);
    EXPECT_EQ(payload_from(remote, "box.0.xpu.1"), 8192u);
    EXPECT_EQ(payload_from(remote, "box.0.pool.1"), 0u);
    EXPECT_GT(remote["ranks"][0]["breakdown_ps"]["memory"], 0);
    std::string modules;
    for (const Json& module : remote["modules"]) modules += module["name"].get<std::string>() + " ";
    EXPECT_NE(modules.find("box.0.pool.0.hbm"), std::string::npos) << modules;
    EXPECT_EQ(modules.find("box.0.pool.0.units"), std::string::npos) << modules;
    const Json local = run_trace(ranks, {"engine.memory_nodes=local"});
    EXPECT_EQ(payload_from(local, "box.0.pool.0"), 0u);
    EXPECT_LT(local["simulated_ps"], remote["simulated_ps"]);
}

TEST(MemoryPool, ThatIsMissingOrTooSmallIsRefused)
{
    const auto refusal = [](const Ranks& ranks, const Sets& sets = {}) {
        return run_trace(ranks, sets).value("refused", std::string("not refused"));
    };
    EXPECT_NE(refusal({{memory(1, false, 64).integer("tensor_loc", 2)}})
                  .find(".0.et:2: node 1 (m): tensor_loc is 2, but the system has 2 memories; expected 0 to 1"),
        std::string::npos);
    EXPECT_NE(
        refusal({{memory(1, false, 2 << 20)}}, {"box.0.pool.0.hbm.capacity=1 MiB", "box.0.pool.0.l2.size=512 KiB"})
            .find("do not fit into box.0.pool.0"),
        std::string::npos);
    const Folder folder;
    RunSetup setup = setup_of(folder, {{memory(1, false, 64)}}, {});
    setup.document = star_document(2);
    EXPECT_NE(run(setup).value("refused", std::string()).find("has no memory with a link"), std::string::npos);
}

}  // namespace memory_pool_test
