// Reports of a run in parts and over processes: what looks at all links at once, and what follows transactions from one part to another.
#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/same_bytes.h"

namespace report_parts_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup pods(const std::string& algorithm, const std::string& bytes)
{
    RunSetup setup;
    setup.document = pods_document(2, 3, 2, 60, 220);
    setup.lines = collective_lines("all_reduce", algorithm, bytes);
    setup.sets = {"engine.channels=4"};
    return setup;
}

RunSetup traces(const chakra::testing::Folder& folder)
{
    using namespace weft::chakra::testing;
    std::vector<std::vector<std::string>> ranks;
    for (unsigned rank = 0; rank < 4; ++rank)
        ranks.push_back({comp(1, 1 + rank), collective(2, 0, 20'000).data({1}), comp(3, 3),
            collective(4, 2, 4096).data({3}), collective(5, 0, 8192).data({2, 4})});
    RunSetup setup;
    setup.document = mesh_document(4);
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks));
    setup.options.follow = true;
    setup.options.window = 1'000'000;
    return setup;
}

using ReportProcesses = OverProcesses;

}  // namespace

TEST(ReportParts, QueuesAndSeries)
{
    RunSetup setup = pods("ring", "40000");
    setup.options.watch = true;
    expect_same(setup, {2, 3}, "watch");
    setup.options.window = 1'000'000;
    EXPECT_NE(bytes_of(setup, {}).find("start_ps,length_ps"), std::string::npos);
    expect_same(setup, {2, 6}, "series");
    setup.options.until = 5'300'000;
    expect_same(setup, {2}, "series, cut off");
}

TEST(ReportParts, CriticalPathsAndTimelines)
{
    for (const char* protocol : {"simple", "ll", "ll128"}) {
        RunSetup setup = pods("direct", "8000").with(std::string("engine.protocol=") + protocol);
        setup.options.follow = true;
        setup.options.window = 700'000;
        EXPECT_NE(bytes_of(setup, {}).find("\"critical_path"), std::string::npos);
        expect_same(setup, {2, 3, 6}, protocol);
    }
    RunSetup tree = pods("tree", "12000").with("gpu.wait_policy=waiting_atomic");
    tree.options.follow = true;
    expect_same(tree, {2, 6}, "tree");
}

TEST(ReportParts, OfTraces)
{
    const chakra::testing::Folder folder;
    expect_same(traces(folder), {2, 4}, "trace");
    RunSetup stopped = traces(folder);
    stopped.options.until = 4'000'000;
    EXPECT_NE(bytes_of(stopped, {}).find("unfinished"), std::string::npos);
    expect_same(stopped, {2, 4}, "trace, cut off");
}

TEST(ReportParts, WhatIsUnderWayAtTheEnd)
{
    for (const char* mover : {"units", "copy_engine"}) {
        RunSetup setup = pods("direct", "24000").with(std::string("engine.mover=") + mover);
        setup.options.follow = true;
        setup.options.until = 2'000'000;
        EXPECT_NE(bytes_of(setup, {}).find("unfinished"), std::string::npos);
        expect_same(setup, {2, 3, 6}, mover);
    }
}

TEST(ReportParts, Recordings)
{
    RunSetup setup = pods("ring", "20000");
    setup.options.record = true;
    EXPECT_NE(bytes_of(setup, {}).find("gpu,time,to"), std::string::npos);
    expect_same(setup, {2, 3, 6}, "record");
}

TEST_F(ReportProcesses, QueuesAndSeries)
{
    RunSetup setup = pods("ring", "40000");
    setup.options.watch = true;
    expect_same_over({2}, setup, "watch");
    setup.options.window = 1'000'000;
    setup.options.until = 5'300'000;
    expect_same_over({2, 3}, setup, "series, cut off");
}

TEST_F(ReportProcesses, CriticalPathsAndTimelines)
{
    for (const char* protocol : {"simple", "ll128"}) {
        RunSetup setup = pods("direct", "8000").with(std::string("engine.protocol=") + protocol);
        setup.options.follow = true;
        setup.options.window = 700'000;
        expect_same_over({2}, setup, protocol);
    }
    RunSetup tree = pods("tree", "12000");
    tree.options.follow = true;
    expect_same_over({2}, tree, "four parts", {"--partitions", "4"});
}

TEST_F(ReportProcesses, OfTraces)
{
    const chakra::testing::Folder folder;
    expect_same_over({4}, traces(folder), "trace");
    RunSetup stopped = traces(folder);
    stopped.options.until = 4'000'000;
    expect_same_over({2}, stopped, "trace, cut off");
}

TEST_F(ReportProcesses, Recordings)
{
    RunSetup setup = pods("ring", "20000");
    setup.options.record = true;
    expect_same_over({2, 3}, setup, "record");
}

}  // namespace report_parts_test
