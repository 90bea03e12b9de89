#include "collectives/chakra/feeder.h"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"

namespace feeder_test {

using namespace weft::chakra;
using namespace weft::chakra::testing;

namespace {

using Ids = std::vector<std::uint64_t>;

class FeederTest : public ::testing::Test {
protected:
    Feeder feed(const std::vector<std::string>& nodes, const FeederOptions& options = {})
    {
        return Feeder(open_trace_file(folder.write("t.0.et", framed(nodes))), options);
    }

    Folder folder;
};

Ids take_all(Feeder& feeder, ResourceMask allowed = all_resources)
{
    Ids ids;
    Node node;
    while (feeder.next(node, allowed)) ids.push_back(node.id);
    return ids;
}

}  // namespace

TEST_F(FeederTest, FreeNodesComeByAscendingId)
{
    Feeder feeder = feed({comp(9), comp(3), comp(5).data({3}), comp(1), comp(4).data({3, 9})});
    EXPECT_EQ(take_all(feeder), (Ids{1, 3, 9}));
    feeder.finish(3);
    EXPECT_EQ(take_all(feeder), (Ids{5}));
    feeder.finish(9);
    EXPECT_EQ(take_all(feeder), (Ids{4}));
    EXPECT_FALSE(feeder.done());
    for (const std::uint64_t id : {1, 5, 4}) feeder.finish(id);
    EXPECT_TRUE(feeder.done());
}

TEST_F(FeederTest, RepeatedParentsCountOnce)
{
    Feeder feeder = feed({comp(1), comp(2).data({1, 1, 1}).control({1})});
    EXPECT_EQ(take_all(feeder), (Ids{1}));
    feeder.finish(1);
    EXPECT_EQ(take_all(feeder), (Ids{2}));
}

TEST_F(FeederTest, ControlDependenciesAreASwitch)
{
    const std::vector<std::string> nodes = {comp(1), comp(2).control({1})};
    FeederOptions data;
    data.control = false;
    Feeder free = feed(nodes, data);
    EXPECT_EQ(take_all(free), (Ids{1, 2}));
    Feeder bound = feed(nodes);
    EXPECT_EQ(take_all(bound), (Ids{1}));
}

TEST_F(FeederTest, BusyResourcesAreSteppedOver)
{
    Feeder feeder = feed({comp(1).flag("is_cpu_op", true), comp(2).flag("is_cpu_op", true), comp(3),
        collective(4, 0, 8), recv(5, 1, 0, 8), NodeText(6, 0)});
    EXPECT_EQ(take_all(feeder, mask_of(Resource::compute)), (Ids{3}));
    EXPECT_EQ(take_all(feeder, mask_of(Resource::communication) | mask_of(Resource::receive)), (Ids{4, 5}));
    Node node;
    ASSERT_TRUE(feeder.next(node));
    EXPECT_EQ(node.id, 1U);
    EXPECT_EQ(take_all(feeder, static_cast<ResourceMask>(all_resources & ~mask_of(Resource::cpu))), (Ids{6}));
    EXPECT_EQ(take_all(feeder), (Ids{2}));
}

TEST_F(FeederTest, NodesMayPrecedeTheirParentsBeyondTheLookAhead)
{
    std::vector<std::string> nodes;
    for (std::uint64_t id = 100; id > 0; --id) nodes.push_back(id > 1 ? comp(id).data({id - 1}) : comp(id));
    FeederOptions options;
    options.look_ahead = 4;
    Feeder feeder = feed(nodes, options);
    EXPECT_EQ(feeder.peak_window_size(), 100U);
    Node node;
    for (std::uint64_t id = 1; id <= 100; ++id) {
        ASSERT_TRUE(feeder.next(node));
        EXPECT_EQ(node.id, id);
        feeder.finish(id);
    }
    EXPECT_TRUE(feeder.done());
}

TEST_F(FeederTest, AbsentParentsCanBeTakenAsFinished)
{
    auto absent = std::make_shared<IdSet>();
    absent->insert(77);
    FeederOptions options;
    options.absent = absent;
    Feeder feeder = feed({comp(1).data({77})}, options);
    EXPECT_EQ(take_all(feeder), (Ids{1}));
}

TEST_F(FeederTest, SaysWhoWaitsForWhat)
{
    Feeder feeder = feed({comp(1), NodeText(2, 4, "two").data({3, 1, 3}), comp(3).data({2}), comp(4).data({4})});
    EXPECT_EQ(take_all(feeder), (Ids{1}));
    feeder.finish(1);
    EXPECT_EQ(take_all(feeder), (Ids{}));
    EXPECT_FALSE(feeder.done());
    EXPECT_EQ(feeder.in_flight(), 0U);
    const std::vector<WaitingNode> waiting = feeder.waiting();
    ASSERT_EQ(waiting.size(), 3U);
    EXPECT_EQ(waiting[0].id, 2U);
    EXPECT_EQ(waiting[0].name, "two");
    EXPECT_EQ(waiting[0].parents, (Ids{3}));
    EXPECT_EQ(waiting[2].parents, (Ids{4}));
    EXPECT_EQ(feeder.waiting(1).size(), 1U);
}

TEST_F(FeederTest, RefusesDuplicatesAndMisuse)
{
    EXPECT_NE(refusal([&] { feed({comp(1), comp(1)}); }).find("a second node with this id"), std::string::npos);
    Feeder feeder = feed({comp(1), comp(2)});
    EXPECT_THROW(feeder.finish(1), std::logic_error);
    take_all(feeder);
    feeder.finish(1);
    EXPECT_THROW(feeder.finish(1), std::logic_error);
}

TEST_F(FeederTest, LooksFurtherOnlyWhenAsked)
{
    // Everything behind the first waits for it, but for a receive beyond the window.
    std::vector<std::string> nodes = {comp(1)};
    for (std::uint64_t id = 2; id <= 20; ++id) nodes.push_back(comp(id).data({1}));
    nodes.push_back(recv(21, 0, 0, 8));
    FeederOptions options;
    options.look_ahead = 8;
    Feeder feeder = feed(nodes, options);
    EXPECT_EQ(take_all(feeder), (Ids{1}));
    EXPECT_EQ(feeder.nodes_read(), 8U);
    EXPECT_TRUE(feeder.look_further());
    EXPECT_EQ(take_all(feeder), (Ids{}));
    EXPECT_TRUE(feeder.look_further());
    EXPECT_EQ(take_all(feeder), (Ids{21}));
    EXPECT_FALSE(feeder.look_further());
}

namespace {

// A chain with side branches, ids ascending but for pairs that are swapped in the file.
std::string write_long_trace(const Folder& folder, std::uint64_t nodes)
{
    const std::string path = folder.path() + "long.0.et";
    std::ofstream file(path, std::ios::binary);
    file << framed({});
    const auto put = [&](const NodeText& node) {
        const std::string bytes = node;
        file << varint(bytes.size()) << bytes;
    };
    for (std::uint64_t id = 0; id < nodes; id += 2) {
        const std::uint64_t far = id < 50 ? 0 : id - 49;
        put(id == 0 ? comp(1).data({0}) : comp(id + 1).data({id, far}));
        put(id == 0 ? comp(0) : comp(id).data({id - 1}));
    }
    return path;
}

}  // namespace

TEST_F(FeederTest, TheWindowDoesNotGrowWithTheTrace)
{
    constexpr std::uint64_t nodes = 300000;
    FeederOptions options;
    options.look_ahead = 256;
    Feeder feeder(open_trace_file(write_long_trace(folder, nodes)), options);
    EXPECT_LE(feeder.nodes_read(), 256U);
    std::uint64_t finished = 0;
    Node node;
    while (feeder.next(node)) {
        feeder.finish(node.id);
        ++finished;
    }
    EXPECT_EQ(finished, nodes);
    EXPECT_TRUE(feeder.done());
    EXPECT_LE(feeder.peak_window_size(), 256U);
}

TEST_F(FeederTest, AnEndlessChildWouldShowInTheWindow)
{
    // The counterpart of the test above: when everything waits for the last node, all of it is held.
    std::vector<std::string> nodes;
    for (std::uint64_t id = 1; id < 1000; ++id) nodes.push_back(comp(id).data({1000}));
    nodes.push_back(comp(1000));
    FeederOptions options;
    options.look_ahead = 16;
    EXPECT_EQ(feed(nodes, options).peak_window_size(), 1000U);
}

}  // namespace feeder_test
