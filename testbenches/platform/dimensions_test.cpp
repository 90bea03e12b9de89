// Collectives over named dimensions, simulated: bytes on links, the gain of levelled loads, and traces that leave out
// dimensions.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "platform/workload/dimension_rates_of.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace dimensions_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

constexpr const char* dimensions = "dimensions: \"xpu=4,host=4\"";

RunSetup grid(const std::string& inside, const std::string& across)
{
    RunSetup setup;
    setup.document = std::string(WEFT_SOURCE_DIR) + "/examples/study_dimensions/grid_4x4.yaml";
    setup.sets = {"routing.cycles=allow", "links.inside.bandwidth=" + inside + " GB/s",
        "links.across.bandwidth=" + across + " GB/s", "engine.channels=8", "engine.dimension_chunks=16",
        "engine.dimension_streams=8", "gpu.wait_policy=waiting_atomic"};
    setup.lines = "profile: generic\n";
    return setup;
}

Json collective(const std::string& inside, const std::string& across, const std::string& order,
    const std::string& bytes = "256 KiB", bool data = false)
{
    RunSetup setup = grid(inside, across);
    setup.lines += collective_lines("all_reduce", "multi_dim", bytes, dimensions);
    setup.sets.push_back("engine.dimension_order=" + order);
    setup.options.data_on = data;
    return run(setup);
}

constexpr double bytes_at_full_rate = 262144 / 2.5e9 * 1e12;  // ps

double time_of(const Json& result) { return result.value("simulated_ps", 0.0); }

}  // namespace

// The links of a rank carry what the loads of its dimension say, both ways: 3/2 S and 3/8 S, or 15/16 S each.
TEST(Dimensions, BytesOnLinksAreThoseOfTheFormula)
{
    constexpr std::uint64_t bytes = 65536;
    for (const auto& [order, inside, across] : {std::tuple{"fixed", bytes * 3 / 2, bytes * 3 / 8},
             std::tuple{"offline_greedy", bytes * 15 / 16, bytes * 15 / 16}}) {
        const Json result = collective("10", "10", order, "64 KiB", true);
        EXPECT_EQ(result["verified"], "passed");
        std::map<std::string, int> seen;
        for (const Json& link : result["links"]) {
            const std::string name = link["name"];
            const bool host = name.find("sw") != std::string::npos;
            if (!host && name.find("xpu") == std::string::npos) continue;
            EXPECT_EQ(link["theory_payload_bytes"], host ? inside : across) << name;
            ++seen[host ? "inside" : "across"];
        }
        EXPECT_EQ(seen["inside"], 32);
        EXPECT_EQ(seen["across"], 32);
    }
}

// Equal rates: 3/2 S against 15/16 S is a gain of 1.6, less the latencies of both. The shorter queues of the online order show
// more of them: 140 us, where the offline order takes 125.
TEST(Dimensions, LevelledLoadsGainWhatTheFormulaSays)
{
    const double fixed = time_of(collective("2.5", "2.5", "fixed"));
    EXPECT_GT(fixed, bytes_at_full_rate * 1.5);
    const double offline = time_of(collective("2.5", "2.5", "offline_greedy"));
    EXPECT_GT(offline, bytes_at_full_rate * 15 / 16);
    EXPECT_NEAR(fixed / offline, 1.6, 0.12);
    EXPECT_GT(fixed / time_of(collective("2.5", "2.5", "online_greedy")), 1.3);
}

// Sixteen ranks of two boxes are eight by two, not four by four.
TEST(Dimensions, DevicesOfTheDocumentAreDimensions)
{
    std::vector<std::string> nodes;
    for (int rank = 0; rank < 16; ++rank)
        nodes.push_back("dgx." + std::to_string(rank / 8) + ".xpu." + std::to_string(rank % 8));
    const std::vector<Dimension> two = device_dimensions(nodes);
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0].size, 8U);
    EXPECT_EQ(two[1].size, 2U);

    std::vector<std::string> uneven(nodes.begin(), nodes.end() - 1);
    EXPECT_TRUE(device_dimensions(uneven).empty());
    EXPECT_TRUE(device_dimensions({nodes.begin(), nodes.begin() + 8}).empty());
    EXPECT_TRUE(device_dimensions({"box.0.xpu.0", "box.1.xpu.0", "box.2.xpu.0", "box.3.xpu.0"}).empty());
    EXPECT_TRUE(device_dimensions({"a.0.x.0", "a.1.x.0", "a.0.x.1", "a.1.x.1"}).empty());
}

// What the document says is what naming it says, to the picosecond, and not what square dimensions say.
TEST(Dimensions, UnnamedOnesAreThoseOfTheDocument)
{
    RunSetup setup;
    setup.document = std::string(WEFT_SOURCE_DIR) + "/examples/validation/systems/two_dgx_h100_servers.yaml";
    const auto with = [&](const std::string& more) {
        RunSetup one = setup;
        one.lines = "profile: generic\n" + collective_lines("all_reduce", "hierarchical", "64 KiB", more);
        return run(one);
    };
    const Json unnamed = with("");
    EXPECT_EQ(unnamed["verified"], "passed");
    EXPECT_EQ(time_of(unnamed), time_of(with("dimensions: \"xpu=8,box=2\"")));
    EXPECT_NE(time_of(unnamed), time_of(with("dimensions: \"xpu=4,box=4\"")));
}

TEST(Dimensions, ThatNobodyStatedAreTold)
{
    RunSetup setup;
    setup.document = std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/dgx_h100.yaml";
    const auto notices = [&](const char* algorithm, const std::string& more) {
        RunSetup one = setup;
        one.lines = "profile: generic\n" + collective_lines("all_reduce", algorithm, "64 KiB", more);
        return run(one)["notices"].dump();
    };
    const std::string said =
        "hierarchical over dimensions of 4 x 2 ranks, as near to square as divides them: none are stated";
    EXPECT_NE(notices("hierarchical", "").find(said), std::string::npos) << notices("hierarchical", "");
    EXPECT_EQ(notices("hierarchical", "dimensions: \"a=4,b=2\"").find("as near to square"), std::string::npos);
    EXPECT_EQ(notices("ring", "").find("as near to square"), std::string::npos);
}

// 4 : 1 inside to across is level in the given order, and greedy leaves it; 1 : 4 is the other way round.
TEST(Dimensions, GreedyFollowsTheRates)
{
    const std::string bytes = test::thorough() ? "256 KiB" : "64 KiB";
    const double level = time_of(collective("10", "2.5", "fixed", bytes));
    EXPECT_EQ(time_of(collective("10", "2.5", "offline_greedy", bytes)), level);
    EXPECT_LT(level, time_of(collective("10", "2.5", "round_robin", bytes)));
    // The loads are 4 : 1; the latencies of the steps, which both have, leave 183 us to 92.
    EXPECT_GT(time_of(collective("2.5", "10", "fixed")), 1.9 * time_of(collective("2.5", "10", "offline_greedy")));
}

TEST(Dimensions, GreedyIsNotSlowerThanFixed)
{
    for (const char* bytes : {"4 KiB", "64 KiB"})
        for (const auto& [inside, across] : {std::pair{"2.5", "2.5"}, std::pair{"5", "2.5"}})
            for (const char* order : {"offline_greedy", "online_greedy"})
                EXPECT_LT(time_of(collective(inside, across, order, bytes)),
                    1.05 * time_of(collective(inside, across, "fixed", bytes)))
                    << bytes << " " << inside << " " << order;
}

namespace {

NodeText over(std::uint64_t id, std::int64_t size, const std::vector<bool>& involved)
{
    return weft::chakra::testing::collective(id, 0, size).involved(involved);
}

Json trace(const std::vector<NodeText>& nodes, const std::string& order, const std::string& named = dimensions)
{
    const Folder folder;
    std::vector<std::string> rank;
    for (const NodeText& node : nodes) rank.push_back(node);
    RunSetup setup = grid("10", "10");
    setup.lines += trace_lines(folder.write_set(std::vector<std::vector<std::string>>(16, rank)), named);
    setup.algorithm = "multi_dim";
    setup.sets.push_back("engine.dimension_order=" + order);
    setup.sets.push_back("engine.communication_in_flight=2");
    return run(setup);
}

// Payload on the links inside the hosts and on the rails.
std::pair<double, double> carried(const Json& result)
{
    std::pair<double, double> sum;
    for (const Json& link : result["links"]) {
        const std::string name = link["name"];
        if (name.find("xpu") == std::string::npos) continue;
        (name.find("sw") != std::string::npos ? sum.first : sum.second) += link["payload_bytes"].get<double>();
    }
    return sum;
}

}  // namespace

TEST(Dimensions, CollectivesOfATraceSpanWhatIsInvolved)
{
    const auto bytes = static_cast<std::int64_t>(test::by_default(16384, 65536));
    const Json rows = trace({over(1, bytes, {true, false})}, "fixed");
    ASSERT_EQ(rows["collectives"].size(), 4u);
    for (const Json& one : rows["collectives"]) EXPECT_EQ(one["ranks"], 4);
    EXPECT_EQ(rows["verified"], "passed");
    EXPECT_EQ(carried(rows).second, 0);
    const Json columns = trace({over(1, bytes, {false, true})}, "fixed");
    EXPECT_EQ(columns["collectives"].size(), 4u);
    EXPECT_EQ(carried(columns).first, 0);
    const Json everybody = trace({over(1, bytes, {true, true})}, "fixed");
    ASSERT_EQ(everybody["collectives"].size(), 1u);
    EXPECT_EQ(everybody["collectives"][0]["ranks"], 16);
    EXPECT_EQ(trace({over(1, 4096, {false, false})}, "fixed")["collectives"].size(), 16u);
}

TEST(Dimensions, WrongListsAreRefused)
{
    const std::string refused = trace({over(1, 4096, {true, false, true})}, "fixed").value("refused", "");
    EXPECT_NE(refused.find("attribute involved_dim has 3 entries; expected 2, one for each dimension"),
        std::string::npos)
        << refused;
    const std::string sizes =
        trace({over(1, 4096, {true, false})}, "fixed", "dimensions: \"xpu=4,host=2\"").value("refused", "");
    EXPECT_NE(sizes.find("dimensions xpu 4 x host 2 of 16 ranks; expected sizes that multiply to the number of ranks"),
        std::string::npos)
        << sizes;
}

// A collective inside the hosts is in flight: the one over both dimensions keeps to the rails as far as it can, and both are
// done earlier than in the given order.
TEST(Dimensions, CollectivesInFlightShareTheTableOfLoads)
{
    const std::vector<NodeText> both{over(1, 524288, {true, false}), over(2, 524288, {true, true})};
    const Json online = trace(both, "online_greedy");
    const Json offline = trace(both, "offline_greedy");
    EXPECT_EQ(online["verified"], "passed");
    EXPECT_LT(carried(online).first, carried(offline).first);
    EXPECT_GT(carried(online).second, carried(offline).second);
    EXPECT_LT(time_of(online), time_of(trace(both, "fixed")));
}

}  // namespace dimensions_test
