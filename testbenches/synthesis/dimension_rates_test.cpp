// Rates of dimensions, by the link that is full first.
#include <gtest/gtest.h>

#include "collectives/synthesis/dimension_rates.h"
#include "testbenches/synthesis/graphs.h"

namespace dimension_rates_test {

using namespace weft;

namespace {

constexpr std::uint64_t full = 1'000'000'000'000;  // of a link of 1 ps per byte

std::vector<std::uint64_t> rates(const CostGraph& graph, const std::vector<Dimension>& dimensions)
{
    std::vector<std::uint64_t> out;
    for (const Dimension& dimension : with_rates(graph, dimensions)) out.push_back(dimension.rate);
    return out;
}

}  // namespace

TEST(DimensionRates, FollowTheLinksOfEachDimension)
{
    CostGraph graph = plain_graph(6);  // 3 x 2: rings of three, and pairs with a quarter of the rate
    for (std::uint32_t row : {0u, 3u})
        for (std::uint32_t x = 0; x < 3; ++x) add_wire(graph, row + x, row + (x + 1) % 3, 1, 1000);
    for (std::uint32_t x = 0; x < 3; ++x) add_wire(graph, x, 3 + x, 4, 1000);
    EXPECT_EQ(rates(graph, {{"row", 3}, {"column", 2}}), (std::vector<std::uint64_t>{full, full / 4}));
    EXPECT_EQ(rates(graph, {{"row", 3}, {"one", 1}, {"column", 2}}), (std::vector<std::uint64_t>{full, 0, full / 4}));
    // Direct exchange uses both ways of a ring of three.
    EXPECT_EQ(rates(graph, {{"row", 3, "direct"}, {"column", 2}}), (std::vector<std::uint64_t>{2 * full, full / 4}));
}

TEST(DimensionRates, RanksOfALineShareItsLinks)
{
    // Round an open row of four, the way back passes every link: each carries one byte on and one back.
    CostGraph graph = weft::testing::grid_graph(4, 1, false);
    weft::testing::route(graph);
    EXPECT_EQ(rates(graph, {{"row", 4}}), (std::vector<std::uint64_t>{full}));
    // Direct exchange: a third of a byte from each of the two on one side to each of the two on the other.
    EXPECT_EQ(rates(graph, {{"row", 4, "direct"}}), (std::vector<std::uint64_t>{full * 3 / 4}));
}

TEST(DimensionRates, AnswersCount)
{
    CostGraph graph = plain_graph(2);
    add_wire(graph, 0, 1, 1, 1000);
    for (std::size_t l = 0; l < graph.links.size(); ++l) {
        graph.links[l].back_ps_per_byte = 0.25;
        graph.links[l].reverse = static_cast<std::int32_t>(l ^ 1);
    }
    EXPECT_EQ(rates(graph, {{"pair", 2}}), (std::vector<std::uint64_t>{full * 4 / 5}));
    EXPECT_EQ(rates(plain_graph(2), {{"pair", 2}}), (std::vector<std::uint64_t>{0}));
}

}  // namespace dimension_rates_test
