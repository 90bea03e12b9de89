#include "collectives/chakra/groups.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"

namespace groups_test {

using namespace weft::chakra;
using namespace weft::chakra::testing;

using Ranks = std::vector<std::uint32_t>;

namespace {

GroupTable table_of(GroupDefinitions file, GroupDefinitions own = {})
{
    return {GroupTable::first_ranks(4), std::make_shared<GroupDefinitions>(std::move(file)), std::move(own)};
}

}  // namespace

TEST(ChakraGroups, FileDefinesGroupsInOrder)
{
    const Folder folder;
    const GroupTable table = table_of(read_group_file(folder.write("g.json", R"({"1": [3, 0], "12": [2]})")));
    EXPECT_EQ(*table.members("1"), (Ranks{3, 0}));
    EXPECT_EQ(*table.members("12"), (Ranks{2}));
    EXPECT_EQ(*table.members(""), (Ranks{0, 1, 2, 3}));
    EXPECT_EQ(*table.members("0"), (Ranks{0, 1, 2, 3}));
    EXPECT_EQ(table.members("2"), nullptr);
    EXPECT_EQ(table.members("tensor"), nullptr);
    EXPECT_EQ(table.members("-1"), nullptr);
    EXPECT_EQ(table.members("99999999999999999999999"), nullptr);
}

TEST(ChakraGroups, BrokenFilesAreRefused)
{
    const Folder folder;
    const auto expect_refused = [&](const std::string& text, const std::string& message) {
        const std::string path = folder.write("g.json", text);
        const std::string got = refusal([&] { read_group_file(path); });
        EXPECT_NE(got.find(message), std::string::npos) << text << " -> " << got;
    };
    expect_refused("{\n\"1\": [0,\n]}", "g.json:3: not valid JSON");
    expect_refused("[]", "is not a JSON object");
    expect_refused("{\n \"0\": [0]}", "g.json:2: group \"0\": its name is not a number above 0");
    expect_refused(R"({"tp": [0]})", "its name is not a number above 0");
    expect_refused(R"({"1": 5})", "its ranks are not an array");
    expect_refused(R"({"1": [0, -1]})", "a rank of it is -1");
    expect_refused(R"({"1": [0, "1"]})", "a rank of it is \"1\"");
    expect_refused(R"({"1": [0, 0]})", "it names rank 0 twice");
    expect_refused(R"({"1": []})", "it has no ranks");
    expect_refused(R"({"1": [0], "01": [1]})", "it is defined twice");
}

TEST(ChakraGroups, MetadataNodesReplaceDefinitions)
{
    GroupDefinitions groups = {{1, {0, 1}}, {2, {2, 3}}};
    EXPECT_EQ(add_groups_of_metadata("", groups), std::nullopt);
    EXPECT_EQ(add_groups_of_metadata("[]", groups), std::nullopt);
    EXPECT_EQ(add_groups_of_metadata(
                  R"(['[{"pg_name": "0", "ranks": [], "group_size": 4}, {"pg_name": "1", "ranks": [2, 1]},)"
                  R"( {"pg_name": "5", "ranks": []}, {"pg_name": "named", "ranks": [0]}]'])",
                  groups),
        std::nullopt);
    const GroupTable table = table_of({{1, {3}}}, groups);
    EXPECT_EQ(*table.members("1"), (Ranks{2, 1}));
    EXPECT_EQ(*table.members("2"), (Ranks{2, 3}));
    EXPECT_EQ(*table.members("5"), (Ranks{0, 1, 2, 3}));
}

TEST(ChakraGroups, WhatIsWrongWithMetadataIsSaid)
{
    GroupDefinitions groups;
    EXPECT_EQ(add_groups_of_metadata("x", groups), "inputs.values is x");
    EXPECT_EQ(add_groups_of_metadata("['", groups), "inputs.values is ['");
    EXPECT_NE(add_groups_of_metadata("['{]']", groups)->find("holds no JSON array"), std::string::npos);
    EXPECT_NE(add_groups_of_metadata(R"(['[{"ranks": []}]'])", groups)->find("without pg_name"), std::string::npos);
    EXPECT_NE(add_groups_of_metadata(R"(['[{"pg_name": "1", "ranks": [1, 1]}]'])", groups)->find("rank 1 twice"),
        std::string::npos);
    EXPECT_TRUE(groups.empty());
}

}  // namespace groups_test
