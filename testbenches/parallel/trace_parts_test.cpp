// Traces in parts and over processes: what ranks decide by what others have done until then.
#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/same_bytes.h"
#include "testbenches/support/pools_document.h"
#include "testbenches/support/thorough.h"

namespace trace_parts_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

constexpr int all_reduce = 0;
constexpr int all_gather = 2;
constexpr int broadcast = 5;
constexpr int all_to_all = 6;
constexpr int reduce_scatter = 7;

using Ranks = std::vector<std::vector<std::string>>;

NodeText work(std::uint64_t id, std::int64_t operations, std::int64_t bytes)
{
    return NodeText(id, 4, "w").integer("num_ops", operations).integer("tensor_size", bytes);
}

NodeText memory(std::uint64_t id, bool write, std::int64_t bytes)
{
    return NodeText(id, write ? 3 : 2, "m").integer("tensor_size", bytes);
}

const char* const groups_of_four = R"({"1": [0, 1], "2": [2, 3], "3": [0, 1, 2, 3]})";

// Ranks that come at different times, nodes beside each other, groups, kernels, transfers and accesses of memory, some of them at the
// same instant on all ranks.
Ranks mixed(unsigned ranks)
{
    Ranks out;
    for (unsigned rank = 0; rank < ranks; ++rank) {
        const int next = static_cast<int>((rank + 1) % ranks);
        const int before = static_cast<int>((rank + ranks - 1) % ranks);
        out.push_back({comp(1, 1 + rank % 3), collective(2, all_reduce, 20'000).data({1}), work(3, 4'000'000, 20'000),
            collective(4, all_gather, 4096).data({3}), send(5, next, 7, 3000).data({2}), recv(6, before, 7, 3000),
            memory(7, rank % 2 == 0, 5000).data({6}), collective(8, all_reduce, 20'000).data({4, 6}),
            comp(9, 2).data({8}), collective(10, broadcast, 8192).data({9}), collective(11, all_to_all, 6400).data({7}),
            collective(12, reduce_scatter, 12'800).data({10, 11})});
    }
    return out;
}

RunSetup setup_of(const Folder& folder, const Ranks& ranks, const std::string& document,
    const std::vector<std::string>& sets = {}, const std::string& groups = "")
{
    RunSetup setup;
    setup.document = document;
    const std::string more = groups.empty() ? "" : "groups: \"" + folder.write("groups.json", groups) + "\"";
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks), more);
    setup.sets = {"engine.channels=4"};
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    return setup;
}

Ranks in_groups()
{
    Ranks ranks;
    for (unsigned rank = 0; rank < 4; ++rank) {
        const std::string own = rank < 2 ? "1" : "2";
        ranks.push_back({comp(1, 1 + rank), collective(2, all_reduce, 8192, own).data({1}),
            collective(3, all_reduce, 4096, "3").data({2}), collective(4, all_gather, 8192, own).data({3})});
    }
    return ranks;
}

// Ranks wait for each other until nothing moves: one more collective starts than may be in flight.
Ranks crosswise()
{
    return {{collective(1, all_reduce, 4096, "1"), collective(2, all_reduce, 4096, "3")},
        {collective(2, all_reduce, 4096, "1").data({1}), collective(1, all_reduce, 4096, "3")},
        {collective(1, all_reduce, 4096, "3"), collective(2, all_gather, 4096, "2")},
        {collective(1, all_gather, 4096, "2"), collective(2, all_reduce, 4096, "3").data({1})}};
}

// On rank 1 the second collective is free while the first still waits for the compute node.
Ranks refused()
{
    return {{collective(1, all_reduce, 4096), collective(2, all_gather, 1024)},
        {comp(1, 100), collective(2, all_reduce, 4096).data({1}), collective(3, all_gather, 1024)}};
}

// A message that comes after the collective that it lets begin.
Ranks late()
{
    return {{collective(1, all_reduce, 4096), send(2, 2, 5, 64).data({1})}, {collective(1, all_reduce, 4096)},
        {recv(1, 0, 5, 64), collective(2, all_reduce, 4096).data({1})}};
}

// What ends the wait of both ranks stands behind more nodes than are read at once.
Ranks far_ahead()
{
    constexpr std::uint64_t many = 9000;
    Ranks ranks = {{recv(1, 1, 5, 64), send(2, 1, 6, 64).data({1})}, {recv(1, 0, 6, 64)}};
    for (std::uint64_t id = 2; id < many; ++id) ranks[1].push_back(comp(id, 1).data({1}));
    ranks[1].push_back(send(many, 0, 5, 64));
    return ranks;
}

using TraceProcesses = OverProcesses;

}  // namespace

TEST(TraceParts, NodesOfAllKinds)
{
    const Folder folder;
    expect_same(setup_of(folder, mixed(8), pods_document(4, 2, 2, 60, 200)), {2, 3, 8}, "pods");
    const Folder other;
    expect_same(setup_of(other, mixed(4), mesh_document(4), {"gpu.wait_policy=waiting_atomic"}), {2, 3}, "mesh");
}

TEST(TraceParts, PoolsOfMemory)
{
    const Folder folder;
    const RunSetup setup = setup_of(folder, mixed(2), pools_document(2), {"engine.memory_nodes=remote"});
    EXPECT_NE(bytes_of(setup, {}).find("box.0.pool.1"), std::string::npos);
    expect_same(setup, {2, 3}, "pools");
}

TEST(TraceParts, SeveralInFlightAndKernels)
{
    const Folder folder;
    for (const char* compute : {"time", "kernel"})
        expect_same(setup_of(folder, mixed(8), star_document(8),
                        {"engine.compute_in_flight=2", "engine.communication_in_flight=3",
                            std::string("engine.compute=") + compute}),
            {2, 8}, compute);
}

TEST(TraceParts, RanksThatAgreeOnTheirCollectives)
{
    const Folder folder;
    for (const char* order : {"lifo", "priority"})
        for (const char* latency : {"0", "3us"}) {
            if (!test::thorough() && (order[0] == 'l') != (latency[0] == '0')) continue;
            expect_same(setup_of(folder, mixed(4), star_document(4),
                            {std::string("engine.collective_order=") + order, "engine.communication_in_flight=2",
                                std::string("gpu.launch_latency=") + latency}),
                {2, 3}, std::string(order) + " " + latency);
        }
}

TEST(TraceParts, Groups)
{
    const Folder folder;
    expect_same(setup_of(folder, in_groups(), star_document(4), {}, groups_of_four), {2, 3, 4}, "groups");
}

TEST(TraceParts, RanksThatWaitCrosswise)
{
    const Folder folder;
    for (const char* policy : {"spin", "waiting_atomic"})
        expect_same(
            setup_of(folder, crosswise(), star_document(4), {std::string("gpu.wait_policy=") + policy}, groups_of_four),
            {2, 4}, policy);
}

TEST(TraceParts, ARefusalDuringTheRunIsTheSame)
{
    const Folder folder;
    const RunSetup setup = setup_of(folder, refused(), mesh_document(2));
    const std::string whole = bytes_of(setup, {});
    EXPECT_NE(whole.find("the same sequence of collectives on every member"), std::string::npos) << whole;
    EXPECT_EQ(bytes_of(setup, {2}), whole);
    EXPECT_EQ(bytes_of(setup, {2, false, 2}), whole);
}

// Who polls in vain ends the run, at the same poll.
TEST(TraceParts, ADeadlockIsTheSame)
{
    const Folder folder;
    for (const char* policy : {"spin", "waiting_atomic", "monitor", "backoff"})
        for (const char* protocol : {"simple", "ll"}) {
            // By default one of them with each policy in turn.
            if (!test::thorough() && (policy[0] == 's' || policy[0] == 'm') != (protocol == std::string("simple")))
                continue;
            const RunSetup setup = setup_of(folder, late(), mesh_document(3),
                {std::string("gpu.wait_policy=") + policy, std::string("engine.protocol=") + protocol});
            EXPECT_NE(bytes_of(setup, {}).find("\"stop\": \"deadlock\""), std::string::npos);
            expect_same(setup, {2, 3}, std::string(policy) + " " + protocol);
        }
}

TEST(TraceParts, NodesBeyondTheLookAhead)
{
    const Folder folder;
    for (const char* policy : {"spin", "waiting_atomic"})
        expect_same(setup_of(folder, far_ahead(), mesh_document(2), {std::string("gpu.wait_policy=") + policy}), {2},
            policy);
}

TEST_F(TraceProcesses, NodesOfAllKinds)
{
    const Folder folder;
    expect_same_over({3}, setup_of(folder, mixed(8), pods_document(4, 2, 2, 60, 200)), "pods");
}

TEST_F(TraceProcesses, PoolsOfMemory)
{
    const Folder folder;
    expect_same_over({2}, setup_of(folder, mixed(2), pools_document(2), {"engine.memory_nodes=remote"}), "pools");
}

TEST_F(TraceProcesses, SeveralInFlightAndKernels)
{
    const Folder folder;
    const std::vector<std::string> sets{"engine.compute_in_flight=2", "engine.communication_in_flight=3",
        "engine.compute=kernel"};
    expect_same_over({2}, setup_of(folder, mixed(8), star_document(8), sets), "kernels", {"--partitions", "8"});
}

TEST_F(TraceProcesses, RanksThatAgreeOnTheirCollectives)
{
    const Folder folder;
    const std::vector<std::string> sets{"engine.communication_in_flight=2", "gpu.launch_latency=3us"};
    for (const char* order : {"lifo", "priority"})
        expect_same_over({2},
            setup_of(folder, mixed(4), star_document(4), sets).with(std::string("engine.collective_order=") + order),
            order);
}

TEST_F(TraceProcesses, Groups)
{
    const Folder folder;
    expect_same_over({2, 4}, setup_of(folder, in_groups(), star_document(4), {}, groups_of_four), "groups");
}

// Where the last who polls in vain asks for more, all processes look further.
TEST_F(TraceProcesses, LookFurtherTogether)
{
    const Folder folder;
    for (const char* policy : {"spin", "waiting_atomic"}) {
        const std::vector<std::string> sets{std::string("gpu.wait_policy=") + policy};
        expect_same_over({2}, setup_of(folder, crosswise(), star_document(4), sets, groups_of_four), policy);
    }
    const Folder other;
    expect_same_over({2}, setup_of(other, far_ahead(), mesh_document(2), {"gpu.wait_policy=spin"}), "far ahead");
}

TEST_F(TraceProcesses, ADeadlockIsTheSame)
{
    const Folder folder;
    for (const char* policy : {"spin", "monitor", "backoff"}) {
        if (!test::thorough() && policy == std::string("backoff")) continue;  // it polls as spinning does, less often
        const RunSetup setup = setup_of(folder, late(), mesh_document(3), {std::string("gpu.wait_policy=") + policy});
        EXPECT_EQ(written_by(1, setup, commands_test::Fixtures()).code, 3);
        expect_same_over({2, 3}, setup, policy);
    }
}

// Flags of other processes are asked for: who waits for which, and whether everybody waits.
TEST_F(TraceProcesses, FlagsAtTheRankThatSignals)
{
    const Folder folder;
    const RunSetup setup = setup_of(folder, late(), mesh_document(3), {"engine.flag_home=signaller"});
    const Written whole = written_by(1, setup, commands_test::Fixtures());
    EXPECT_EQ(whole.code, 3);
    EXPECT_NE(whole.text.find(" waits for signal "), std::string::npos) << whole.text;
    expect_same_over({2, 3}, setup, "a deadlock");
}

TEST_F(TraceProcesses, ARefusalDuringTheRunIsSaidOnce)
{
    const Folder folder;
    const RunSetup setup = setup_of(folder, refused(), mesh_document(2));
    const commands_test::Fixtures files;
    const Written whole = written_by(1, setup, files);
    EXPECT_EQ(whole.code, 2);
    EXPECT_NE(whole.err.find("the same sequence of collectives on every member"), std::string::npos) << whole.err;
    const Written cut = written_by(2, setup, files);
    EXPECT_EQ(cut.code, 2);
    EXPECT_NE(cut.err.find(whole.err), std::string::npos) << cut.err;
}

}  // namespace trace_parts_test
