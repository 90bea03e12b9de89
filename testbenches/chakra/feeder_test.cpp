#include "collectives/chakra/feeder.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
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

    FeederOptions reading_on_demand(const std::string& path, std::size_t nodes_of_a_block) const
    {
        const auto reader = open_trace_file(path);
        auto read_ahead = std::make_shared<ReadAhead>(nodes_of_a_block);
        Node node;
        while (reader->next(node)) read_ahead->add(node);
        read_ahead->close();
        FeederOptions options;
        options.read_ahead = std::move(read_ahead);
        options.least = 0;
        return options;
    }
    FeederOptions reading_on_demand(const std::vector<std::string>& nodes, std::size_t nodes_of_a_block) const
    {
        return reading_on_demand(folder.write("t.0.et", framed(nodes)), nodes_of_a_block);
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

TEST_F(FeederTest, NodesMayPrecedeTheirParents)
{
    std::vector<std::string> nodes;
    for (std::uint64_t id = 100; id > 0; --id) nodes.push_back(id > 1 ? comp(id).data({id - 1}) : comp(id));
    Feeder feeder = feed(nodes, reading_on_demand(nodes, 4));
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

TEST_F(FeederTest, SomeThatWaitAreReadForReports)
{
    std::vector<std::string> nodes = {comp(0)};
    for (std::uint64_t id = 1; id < 100; ++id) nodes.push_back(comp(id).data({id - 1}));
    FeederOptions options = reading_on_demand(nodes, 4);
    options.least = 10;
    Feeder feeder = feed(nodes, options);
    EXPECT_EQ(take_all(feeder), (Ids{0}));
    EXPECT_EQ(feeder.waiting().size(), 9U);
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

// A chain, with a receive that needs nothing far behind it in the file: all before it is read at the start.
TEST_F(FeederTest, AFreeNodeFarAheadIsKnownAtOnce)
{
    std::vector<std::string> nodes = {comp(1)};
    for (std::uint64_t id = 2; id <= 20; ++id) nodes.push_back(comp(id).data({id - 1}));
    nodes.push_back(recv(21, 0, 0, 8));
    for (std::uint64_t id = 22; id <= 40; ++id) nodes.push_back(comp(id).data({id == 22 ? 20 : id - 1}));
    Feeder feeder = feed(nodes, reading_on_demand(nodes, 4));
    EXPECT_EQ(feeder.nodes_read(), 21U);
    EXPECT_EQ(take_all(feeder), (Ids{1, 21}));
}

// A chain in blocks of four: when the last node of a block may have finished, the first of the next must be known.
TEST_F(FeederTest, AChainIsReadBlockByBlock)
{
    std::vector<std::string> nodes = {comp(0)};
    for (std::uint64_t id = 1; id < 16; ++id) nodes.push_back(comp(id).data({id - 1}));
    Feeder feeder = feed(nodes, reading_on_demand(nodes, 4));
    const std::vector<std::uint64_t> read = {5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13, 16, 16, 16, 16};
    EXPECT_EQ(feeder.nodes_read(), 1U);
    Node node;
    for (const std::uint64_t expected : read) {
        ASSERT_TRUE(feeder.next(node));
        feeder.finish(node.id);
        EXPECT_EQ(feeder.nodes_read(), expected) << node.id;
    }
    EXPECT_TRUE(feeder.done());
}

// Random graphs in random orders of the file, with both kinds of dependencies: what is free is always what it is with all nodes in memory.
TEST_F(FeederTest, WhatIsFreeDoesNotDependOnTheOrderOfTheFile)
{
    std::mt19937_64 random(7);
    const auto below = [&random](std::uint64_t bound) { return random() % bound; };
    std::uint64_t saved = 0;
    for (int round = 0; round < 300; ++round) {
        const std::uint64_t count = 1 + below(80);
        const std::uint64_t reach = 1 + below(count);
        const std::uint64_t step = 1 + below(3);
        std::vector<std::string> nodes;
        for (std::uint64_t i = 0; i < count; ++i) {
            NodeText node = comp(i * step).flag("is_cpu_op", below(2) == 0);
            std::vector<std::uint64_t> parents[2];
            for (std::uint64_t k = below(3); k > 0 && i > 0; --k)
                parents[below(4) == 0 ? 1 : 0].push_back((i - 1 - below(std::min(i, reach))) * step);
            nodes.push_back(node.data(parents[0]).control(parents[1]));
        }
        const std::uint64_t swaps = below(3) == 0 ? below(count) : 0;
        for (std::uint64_t k = 0; k < swaps; ++k) std::swap(nodes[below(count)], nodes[below(count)]);
        FeederOptions options = reading_on_demand(nodes, 1 + below(5));
        FeederOptions whole;
        options.control = whole.control = below(2) == 0;
        Feeder feeder = feed(nodes, options);
        Feeder reference = feed(nodes, whole);
        std::vector<std::uint64_t> running;
        while (!reference.done()) {
            const ResourceMask allowed = below(3) == 0 ? mask_of(Resource::cpu) : all_resources;
            Node node;
            while (running.size() < 4 && reference.next(node, allowed)) {
                running.push_back(node.id);
                Node same;
                ASSERT_TRUE(feeder.next(same, allowed)) << round;
                ASSERT_EQ(same.id, node.id) << round;
            }
            ASSERT_FALSE(running.size() < 4 && feeder.next(node, allowed)) << round;
            if (running.empty()) continue;
            const std::size_t at = below(running.size());
            for (Feeder* one : {&feeder, &reference}) one->finish(running[at]);
            running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
        }
        ASSERT_TRUE(feeder.done()) << round;
        saved += reference.peak_window_size() - feeder.peak_window_size();
    }
    EXPECT_GT(saved, 0U);
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
    const std::string path = write_long_trace(folder, nodes);
    Feeder feeder(open_trace_file(path), reading_on_demand(path, 256));
    EXPECT_LE(feeder.nodes_read(), 256U);
    std::uint64_t finished = 0;
    Node node;
    while (feeder.next(node)) {
        feeder.finish(node.id);
        ++finished;
    }
    EXPECT_EQ(finished, nodes);
    EXPECT_TRUE(feeder.done());
    // Parents are up to 51 nodes back, and known to a block.
    EXPECT_LE(feeder.peak_window_size(), 256U + 51);
}

TEST_F(FeederTest, AnEndlessChildWouldShowInTheWindow)
{
    // The counterpart of the test above: when everything waits for the last node, all of it is held.
    std::vector<std::string> nodes;
    for (std::uint64_t id = 1; id < 1000; ++id) nodes.push_back(comp(id).data({1000}));
    nodes.push_back(comp(1000));
    EXPECT_EQ(feed(nodes, reading_on_demand(nodes, 16)).peak_window_size(), 1000U);
}

}  // namespace feeder_test
