#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/commands/fixtures.h"
#include "testbenches/commands/process.h"

namespace graph_test {

using namespace weft::commands_test;

TEST(Graph, IsJsonUnlessToldOtherwise)
{
    const Fixtures files;
    const Outcome outcome = call({"graph", files.pair()});
    EXPECT_EQ(outcome.code, 0);
    const auto json = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(json["nodes"].size(), 2u);
    EXPECT_EQ(json["nodes"][1]["name"], "host.0.xpu.1");
    EXPECT_EQ(json["nodes"][1]["type"], "xpu");
    ASSERT_EQ(json["edges"].size(), 1u);
    EXPECT_EQ(json["edges"][0]["a"], "host.0.xpu.0");
    EXPECT_EQ(json["edges"][0]["b"], "host.0.xpu.1");
    EXPECT_EQ(json["edges"][0]["link"], "wire");
    EXPECT_EQ(call({"graph", files.pair(), "--format", "json"}).out, outcome.out);
    EXPECT_EQ(call({"graph", files.pair_system()}).out, outcome.out);
}

TEST(Graph, GoesToAFileAsAWhole)
{
    const Fixtures files;
    const Outcome outcome = call({"graph", files.pair(), "--format=dot", "-o", files.path("graph.dot")});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(files.read("graph.dot"), call({"graph", files.pair(), "--format", "dot"}).out);
    EXPECT_EQ(files.names(), (std::vector<std::string>{"graph.dot", "pair.yaml", "pair_system.yaml"}));
}

TEST(Graph, LeavesNothingBehindWhenItFails)
{
    const Fixtures files;
    const std::string broken = files.write("broken.yaml", "name: x\ninstances: 4\n");
    EXPECT_EQ(call({"graph", broken, "-o", files.path("graph.json")}).code, 2);
    EXPECT_EQ(files.names(), (std::vector<std::string>{"broken.yaml", "pair.yaml", "pair_system.yaml"}));
}

TEST(Graph, NoticesGoToStderr)
{
    const Fixtures files;
    std::string text = files.read("pair.yaml");
    text.replace(text.find("link: wire"), 10, "link: wir");
    const Outcome outcome = call({"graph", files.write("wrong.yaml", text), "--lenient"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["edges"].size(), 1u);
    EXPECT_EQ(outcome.err.compare(0, 8, "notice: "), 0) << outcome.err;
}

}  // namespace graph_test
