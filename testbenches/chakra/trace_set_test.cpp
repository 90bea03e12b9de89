#include "collectives/chakra/trace_set.h"

#include <string>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"

namespace trace_set_test {

using namespace weft::chakra;
using namespace weft::chakra::testing;

namespace {

std::string refused(const std::string& prefix, const TraceSetOptions& options = {})
{
    return refusal([&] { TraceSet::open(prefix, options); });
}

}  // namespace

TEST(TraceSet, FindsTheFileOfEachRank)
{
    const Folder folder;
    for (int rank = 0; rank < 11; ++rank) folder.write("run." + std::to_string(rank) + ".et", framed({comp(1)}));
    folder.write("run.01.et", "");      // padded: another name
    folder.write("run.0.et.bak", "");   // another ending
    folder.write("run.more.0.et", "");  // another prefix
    folder.write("run.4000000000000.et", "");
    const TraceSet set = TraceSet::open(folder.path() + "run");
    EXPECT_EQ(set.ranks(), 11U);
    EXPECT_EQ(set.file(10), folder.path() + "run.10.et");
    Node node;
    EXPECT_TRUE(set.reader(10)->next(node));
    TraceSetOptions fewer;
    fewer.ranks = 4;
    EXPECT_EQ(TraceSet::open(folder.path() + "run", fewer).ranks(), 4U);
}

TEST(TraceSet, FormsMayBeMixedButNotDoubled)
{
    const Folder folder;
    folder.write("a.0.et", framed({comp(1)}));
    folder.write("a.1.json", "{\"workload_graph\": []}");
    folder.write_gzip("a.2.et.gz", framed({comp(1)}));
    EXPECT_EQ(TraceSet::open(folder.path() + "a").ranks(), 3U);
    folder.write("a.1.et", framed({comp(1)}));
    EXPECT_NE(refused(folder.path() + "a").find("rank 1 has two traces"), std::string::npos);
}

TEST(TraceSet, AMissingRankIsNamed)
{
    const Folder folder;
    folder.write("a.0.et", framed({comp(1)}));
    folder.write("a.2.et", framed({comp(1)}));
    EXPECT_EQ(refused(folder.path() + "a").find(folder.path() + "a.1.et: the trace of rank 1 is missing"), 0U);
    folder.write("a.1.et", framed({comp(1)}));
    TraceSetOptions options;
    options.ranks = 8;
    EXPECT_NE(refused(folder.path() + "a", options)
                  .find("the trace of rank 3 is missing; expected one file for each rank from 0 to 7"),
        std::string::npos);
    folder.write("b.1.et", framed({comp(1)}));
    EXPECT_NE(refused(folder.path() + "b").find("the trace of rank 0 is missing"), std::string::npos);
}

TEST(TraceSet, UnknownPrefixesGetAHint)
{
    const Folder folder;
    folder.write("all_reduce.0.et", framed({comp(1)}));
    EXPECT_NE(refused(folder.path() + "all_redcue").find("did you mean \"all_reduce\"?"), std::string::npos);
    EXPECT_NE(
        refused(folder.path() + "all_reduce.0.et").find("expected the prefix \"" + folder.path() + "all_reduce\""),
        std::string::npos);
    EXPECT_NE(refused("/no/such/folder/x").find("cannot be listed"), std::string::npos);
}

TEST(TraceSet, ReadsTheGroupFileUnlessItIsEmpty)
{
    const Folder folder;
    folder.write("a.0.et", framed({comp(1)}));
    TraceSetOptions options;
    options.group_file = folder.write("g.json", R"({"1": [0]})");
    EXPECT_EQ(TraceSet::open(folder.path() + "a", options).groups()->size(), 1U);
    options.group_file = "empty";
    EXPECT_TRUE(TraceSet::open(folder.path() + "a", options).groups()->empty());
    options.group_file = "/no/such/file";
    EXPECT_NE(refused(folder.path() + "a", options), "");
}

TEST(TraceSet, RefusesGroupsOfRanksWithoutATrace)
{
    const Folder folder;
    for (const char* rank : {"0", "1", "2"}) folder.write("a." + std::string(rank) + ".et", framed({comp(1)}));
    TraceSetOptions options;
    options.group_file = folder.write("g.json", "{\"1\": [0, 1],\n \"9\": [1, 300, 2]}");
    EXPECT_EQ(refused(folder.path() + "a", options),
        options.group_file + ":2: group \"9\" names rank 300, which has no trace; expected ranks from 0 to 2");
    options.group_file = folder.write("h.json", R"({"1": [0, 1], "9": [1, 2]})");
    EXPECT_EQ(TraceSet::open(folder.path() + "a", options).groups()->size(), 2U);
    options.ranks = 2;
    EXPECT_EQ(TraceSet::open(folder.path() + "a", options).groups()->size(), 2U);
}

}  // namespace trace_set_test
