// Every shared document resolves: whatever lies on a shortest path between accelerators has a bandwidth.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "platform/configuration/explain.h"
#include "testbenches/config/support.h"

namespace weft::golden_test {
namespace {

// Edges on shortest paths between endpoints, through any node.
std::vector<bool> edges_between(const ResolvedSystem& system)
{
    const Graph& graph = system.graph();
    std::vector<bool> used(graph.edge_count(), false);
    constexpr std::uint32_t far = 0xffffffffU;
    for (const NodeId start : system.endpoints()) {
        std::vector<std::uint32_t> distance(graph.node_count(), far);
        std::vector<NodeId> order{start};
        distance[start] = 0;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (const Neighbour& next : graph.neighbours(order[i]))
                if (distance[next.node] == far) {
                    distance[next.node] = distance[order[i]] + 1;
                    order.push_back(next.node);
                }
        std::vector<bool> leads(graph.node_count(), false);
        for (const NodeId end : system.endpoints()) leads[end] = true;
        for (std::size_t i = order.size(); i-- > 0;)
            for (const Neighbour& before : graph.neighbours(order[i]))
                if (leads[order[i]] && distance[before.node] + 1 == distance[order[i]]) {
                    leads[before.node] = true;
                    used[before.edge] = true;
                }
    }
    return used;
}

TEST(Golden, EverySharedDocumentResolves)
{
    const std::filesystem::path folder = std::string(WEFT_SHARED_DIR) + "/infragraph";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared documents";
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        const bool document = entry.path().extension() == ".yaml" || entry.path().extension() == ".json";
        if (document && name != "golden.json" && name.find("annotation_request") == std::string::npos)
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    EXPECT_GT(files.size(), 40U);
    for (const std::string& file : files) {
        SystemDescription description;
        description.infrastructure = file;
        description.lenient = true;
        const std::string error = error_of([&] {
            const ResolvedSystem system = load_system(description);
            system.require_links(edges_between(system));
            EXPECT_EQ(explain(system), explain(load_system(description))) << file;
        });
        EXPECT_EQ(error, "") << file;
    }
}

TEST(Golden, TheLargestDocumentResolvesQuickly)
{
    SystemDescription description;
    description.infrastructure = std::string(WEFT_SHARED_DIR) + "/infragraph/large_clos_ft_3t_r32_dgx_h100.yaml.gz";
    if (!std::filesystem::exists(description.infrastructure)) GTEST_SKIP() << "no shared documents";
    description.sets = {parse_set("link.latency=80 ns"), parse_set("*.xpu.3.l2.size=40 MiB")};
    const auto start = std::chrono::steady_clock::now();
    const ResolvedSystem system = load_system(description);
    const std::vector<ExplainedParameter> parameters = explained_parameters(system);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(system.endpoints().size(), 8192U);
    EXPECT_EQ(system.link(0).latency, 80'000U);
    EXPECT_LT(parameters.size(), 2000U);
    RecordProperty("seconds", std::to_string(time.count()));
    EXPECT_LT(time.count(), 30.0);
}

}  // namespace
}  // namespace weft::golden_test
