// Every shared malformed trace: refused with a message of its own, or run where the format allows it.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/chakra/validate.h"

namespace malformed_test {

using namespace weft;
using namespace weft::chakra;

namespace {

const std::string folder = std::string(WEFT_SHARED_DIR) + "/chakra/malformed/";

struct Case {
    const char* name;
    bool loads;
    const char* message;
};

const std::vector<Case> cases = {
    {"empty_file", false, "is empty; expected a Chakra trace"},
    {"truncated_payload", false, "announces 29 bytes, but only 25 follow"},
    {"truncated_length", false, "the file ends inside the length of message"},
    {"length_huge", false, "announces 4294967295 bytes; expected at most 67108864"},
    {"no_metadata", false, "byte 1: the first message"},
    {"garbage_in_message", false, "byte 9: message 2 does not parse as a node"},
    {"metadata_only", true, "holds no nodes"},
    {"dangling_data_dep", true, "node 2 (ar): data_deps names node 77, which the file does not hold"},
    {"self_dep", true, "node 2 (ar): depends on itself (data_deps)"},
    {"cycle_all", true, "dependency cycle: node 1 waits for 3, which waits for 2, which waits for 1"},
    {"cycle_partial", true, "dependency cycle: node 4 waits for 5, which waits for 4"},
    {"duplicate_id", true, "node 1 (c2): a second node with this id"},
    {"unknown_node_type", true, "node 1 (c1): has the unknown type 42"},
    {"unknown_comm_type", true, "node 2 (ar): attribute comm_type is 99, which is not a collective"},
    {"missing_comm_type", true, "node 2 (ar): COMM_COLL_NODE without attribute comm_type"},
    {"negative_comm_size", false, "node 2 (ar): attribute comm_size is negative: -8"},
    {"comm_size_is_string", false, "node 2 (ar): attribute comm_size is text \"1024\"; expected an integer"},
    {"involved_dim_not_list", false, "attribute involved_dim is the integer 1; expected a list of booleans"},
    {"collective_on_cpu", true, "node 2 (ar): attribute is_cpu_op is true on a communication node"},
    {"unknown_group", true, "node 2 (ar): attribute pg_name is \"5\", a group without a definition"},
    {"send_from_other_rank", true, "attribute comm_src is 1; expected 0, the rank whose trace it is"},
    {"schema_0_0_1_node", true, "has field 13 of another type"},
};

std::string all_of(const std::vector<Diagnostic>& diagnostics)
{
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += diagnostic.text() + "\n";
    return text;
}

}  // namespace

TEST(ChakraMalformed, EachIsRefusedForItsOwnReason)
{
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared traces";
    for (const Case& one : cases) {
        bool loads = true;
        std::string text;
        try {
            text = all_of(validate(TraceSet::open(folder + one.name)).problems);
        } catch (const InputError& error) {
            loads = false;
            text = error.what();
        }
        EXPECT_EQ(loads, one.loads) << one.name << ": " << text;
        EXPECT_NE(text.find(one.message), std::string::npos) << one.name << ": " << text;
        EXPECT_NE(text.find(std::string(one.name) + ".0.et"), std::string::npos) << text;
    }
}

TEST(ChakraMalformed, WhatTheFormatAllowsRuns)
{
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared traces";
    const Verdict zero = validate(TraceSet::open(folder + "zero_length_node"));
    EXPECT_TRUE(zero.runnable()) << all_of(zero.problems);
    EXPECT_EQ(zero.summaries[0].nodes, 4U);

    const TraceSet dangling = TraceSet::open(folder + "dangling_ctrl_dep");
    const Verdict automatic = validate(dangling);
    EXPECT_TRUE(automatic.runnable());
    EXPECT_FALSE(automatic.control);
    ASSERT_EQ(automatic.notices.size(), 1U);
    Policy both;
    both.dependencies = Dependencies::data_and_control;
    EXPECT_NE(all_of(validate(dangling, both).problems).find("node 2 (ar): ctrl_deps names node 77"),
        std::string::npos);
}

TEST(ChakraMalformed, EveryFileIsAccountedFor)
{
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared traces";
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files += entry.path().extension() == ".et" ? 1 : 0;
    EXPECT_EQ(files, cases.size() + 2);
}

}  // namespace malformed_test
