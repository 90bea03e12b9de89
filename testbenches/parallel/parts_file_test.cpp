// Parts that a user has written down.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/configuration/parts_file.h"
#include "platform/parallel/partition.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/same_bytes.h"

namespace parts_file_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Of a board of two GPUs and three switches: both GPUs at switch 0, GPU 1 with a thicker link at switch 1, switch 2 behind switch 1.
CutGraph small_board()
{
    CutGraph graph;
    graph.nodes = {{"xpu.0", 1, true}, {"xpu.1", 1, true}, {"sw.0", 1, false}, {"sw.1", 1, false}, {"sw.2", 1, false}};
    graph.edges = {{0, 2, 50, 10, ""}, {1, 2, 60, 20, ""}, {1, 3, 70, 20, ""}, {3, 4, 80, 5, ""}, {0, 3, 90, 10, ""}};
    return graph;
}

GivenParts given(std::vector<std::uint32_t> part) { return {2, std::move(part), {1, 2, 3, 4, 5}, "parts.yaml"}; }
constexpr std::uint32_t any = GivenParts::free;

std::string file_error(const std::string& text)
{
    const commands_test::Fixtures files;
    const std::string file = files.write("parts.yaml", text);
    try {
        read_parts_file(file);
    } catch (const InputError& error) {
        const std::string what = error.what();
        return what.substr(what.find("parts.yaml"));
    }
    return "no error";
}

RunSetup dgx()
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = collective_lines("all_reduce", "direct", "32768");
    return setup;
}

RunSetup dgx(const std::string& parts)
{
    const commands_test::Fixtures files;
    RunSetup setup = dgx();
    setup.options.parts = read_parts_file(files.write("parts.yaml", parts));
    return setup;
}

// GPUs with even numbers, and those with odd ones.
const std::string even_and_odd = "parts:\n- [\"*.xpu.0\", \"*.xpu.2\", \"*.xpu.4\", \"*.xpu.6\", \"dgx.0.nvsw.3\"]\n"
                                 "- [\"*.xpu.1\", \"*.xpu.3\", \"*.xpu.5\", \"*.xpu.7\", \"dgx.0.nvsw.0\"]\n";

std::string refusal(const std::string& parts)
{
    const RunSetup setup = dgx(parts);
    const std::string text = refusal_of(setup, static_cast<std::uint32_t>(setup.options.parts->parts.size()));
    const std::size_t at = text.find("parts.yaml");
    return at == std::string::npos ? text : text.substr(at);
}

using PartsFileProcesses = OverProcesses;

}  // namespace

TEST(PartsFile, ThatHasNoEndIsRefused)
{
    try {
        read_parts_file("/dev/zero");
        FAIL() << "read";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("/dev/zero: cannot be read: larger than 16777216 bytes"),
            std::string::npos)
            << error.what();
    }
}

TEST(PartsFile, WhatIsFreeGoesWhereItsBandwidthLeads)
{
    const Partition two = given_partition(small_board(), given({1, 0, any, any, any}));
    EXPECT_EQ(two.part, (std::vector<std::uint32_t>{1, 0, 0, 0, 0}));
    EXPECT_EQ(two.cut, (std::vector<std::size_t>{0, 4}));
    EXPECT_EQ(two.lookahead, 50U);
    EXPECT_EQ(given_partition(small_board(), given({1, 0, 1, any, any})).cut, (std::vector<std::size_t>{1, 4}));
}

TEST(PartsFile, WhatCannotBeCutStaysTogether)
{
    CutGraph graph = small_board();
    graph.edges[0].uncut = "a reason";
    EXPECT_EQ(given_partition(graph, given({1, 0, any, any, any})).part, (std::vector<std::uint32_t>{1, 0, 1, 0, 0}));
    try {
        given_partition(graph, given({1, 0, 0, any, any}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
            "parts.yaml:3: xpu.0 in part 1 and sw.0 in part 0 cannot be apart (xpu.0~sw.0 cannot be cut: a reason); "
            "expected "
            "both in one part");
    }
}

TEST(PartsFile, TheRunIsTheSame)
{
    RunSetup setup = dgx(even_and_odd);
    const std::string whole = bytes_of(dgx(), {});
    EXPECT_EQ(difference(whole, bytes_of(setup, {2})), "");
    EXPECT_EQ(difference(whole, bytes_of(setup, {2, true, 2})), "");
}

TEST_F(PartsFileProcesses, TheRunIsTheSame)
{
    const commands_test::Fixtures files;
    expect_same_over({2}, dgx(), "even and odd", {"--parts", files.write("parts.yaml", even_and_odd)});
}

TEST(PartsFile, IsRefused)
{
    EXPECT_EQ(refusal("parts:\n- [\"*.xpu.?\"]\n- [dgx.0.nvsw.0]\n"),
        "parts.yaml:3: part 1 has no GPU; expected at least one GPU in each part");
    EXPECT_EQ(refusal("parts:\n- [\"*.xpu.?\"]\n- [dgx.0.xpu.3]\n"),
        "parts.yaml:3: dgx.0.xpu.3 is in part 0 and, as 'dgx.0.xpu.3', in part 1; expected each node in one part");
    EXPECT_EQ(refusal("parts:\n- [dgx.0.xpu.0]\n- [dgx.0.xpu.1]\n"),
        "parts.yaml:3: dgx.0.xpu.2 is in no part; expected all GPUs of the run");
    EXPECT_EQ(refusal("parts:\n- [\"*.xpu.?\"]\n- [dgx.0.xpu.9]\n"),
        "parts.yaml:3: 'dgx.0.xpu.9' fits no node of the run; expected names of nodes as 'weft graph' lists them, or "
        "patterns of them");
    // One part is no cut, and names all GPUs as well.
    EXPECT_EQ(refusal("parts:\n- [dgx.0.xpu.1]\n"),
        "parts.yaml:2: dgx.0.xpu.0 is in no part; expected all GPUs of the run");
    EXPECT_EQ(refusal("parts:\n- [\"no.*\"]\n"),
        "parts.yaml:2: 'no.*' fits no node of the run; expected names of nodes as 'weft graph' lists them, or patterns "
        "of "
        "them");
    EXPECT_EQ(refusal("parts:\n- [\"*.xpu.*\"]\n"), "not refused");
    EXPECT_EQ(file_error("parts: {a: 1}\n"),
        "parts.yaml:1: 'parts' is a mapping; expected a list with an item for each part");
    EXPECT_EQ(file_error("parts: []\n"), "parts.yaml:1: no parts; expected parts: [[NODES], [NODES]]");
    EXPECT_EQ(file_error("partitions: 2\n"),
        "parts.yaml:1: unknown key 'partitions' in the file of parts; expected 'parts'");
    EXPECT_NE(file_error("parts:\n- [{a: b}]\n"), "no error");
}

}  // namespace parts_file_test
