// The system file: what it may say, and that every mistake has its line.
#include <gtest/gtest.h>

#include "testbenches/config/support.h"

namespace weft::system_file_test {
namespace {

std::string read_error(const std::string& text)
{
    return error_of([&] { read_system_text("dir/s.yaml", text); });
}

TEST(SystemFile, EveryKey)
{
    const SystemDescription s = read_system_text("dir/s.yaml", R"(system: demo
infrastructure: box.yaml
profile: mine.yaml
bind:
- {nodes: "*.nvsw.*", model: rtl}
- {nodes: {component: xpu, device: box, type: xpu}, profile: h100}
- {nodes: "box.0.xpu.1", traffic: rows.csv}
links:
  xpu_fabric: {latency: 50 ns}
parameters:
  "*.l2.size": 40 MiB
routing: {path_selection: none}
engine: {channels: 4}
seed: 7
lenient: true
workload: {collective: reduce, bytes: 2 MiB, algorithm: direct, type: bf16, reduction: max, ranks: ["*.xpu.*"], root: 1}
)");
    EXPECT_EQ(s.name, "demo");
    EXPECT_EQ(s.infrastructure, "dir/box.yaml");
    EXPECT_EQ(s.profile, "dir/mine.yaml");
    ASSERT_EQ(s.bindings.size(), 3U);
    EXPECT_EQ(s.bindings[0].nodes.glob, "*.nvsw.*");
    EXPECT_EQ(s.bindings[0].origin(), "dir/s.yaml:5");
    EXPECT_EQ(s.bindings[1].nodes.text(), "component: xpu, device: box, type: xpu");
    ASSERT_EQ(s.assignments.size(), 4U);
    EXPECT_EQ(s.assignments[0].path, "links.xpu_fabric.latency");
    EXPECT_EQ(s.assignments[1].origin(), "dir/s.yaml:11");
    EXPECT_EQ(s.bindings[2].model, "replay");
    EXPECT_EQ(s.bindings[2].traffic, "dir/rows.csv");
    EXPECT_EQ(s.assignments[2].path, "routing.path_selection");
    EXPECT_EQ(s.seed, 7U);
    EXPECT_TRUE(s.lenient);
    EXPECT_EQ(s.workload.kind, Workload::Kind::collective);
    EXPECT_EQ(s.workload.bytes, 2U << 20);
    EXPECT_EQ(s.workload.element, "bf16");
    EXPECT_EQ(s.workload.rank_nodes, std::vector<std::string>{"*.xpu.*"});

    const SystemDescription t = read_system_text("s.yaml",
        "infrastructure: /a/b.yaml\nprofile: p.yaml\nworkload: {trace: t/x, groups: g.json, dependencies: "
        "both}\n");
    EXPECT_EQ(t.infrastructure, "/a/b.yaml");
    EXPECT_EQ(t.profile, "./p.yaml");
    EXPECT_EQ(t.workload.kind, Workload::Kind::trace);
    EXPECT_EQ(t.workload.trace, "t/x");
}

TEST(SystemFile, AllProblemsAtOnceWithTheirLines)
{
    const std::string error = read_error(R"(sistem: x
infrastructure: [a]
seed: -1
lenient: maybe
bind:
- {nodes: "*"}
- {model: gpu}
- {node: "*", model: gpu}
- text
- {nodes: "*", model: gpu, traffic: x.csv}
links: 5
parameters:
  l2.size: [1]
workload: {collective: all_reduce, bytes: lots, trace: x}
seed: 3
)");
    for (const char* expected : {"dir/s.yaml:1: unknown key 'sistem' in the system file; expected 'system'",
             "dir/s.yaml:2: 'infrastructure' is a list; expected a text", "dir/s.yaml:3: 'seed' is",
             "dir/s.yaml:4: 'lenient' is", "dir/s.yaml:6: an entry of 'bind' has no effect",
             "dir/s.yaml:7: an entry of 'bind' names no nodes",
             "dir/s.yaml:8: unknown key 'node' in an entry of 'bind'; expected 'nodes'",
             "dir/s.yaml:9: an entry of 'bind' is",
             "dir/s.yaml:10: 'traffic' with model 'gpu'; expected 'model: replay'", "dir/s.yaml:11: 'links' is",
             "dir/s.yaml:13: 'l2.size' is a list",
             "dir/s.yaml:14: ", "dir/s.yaml:15: key 'seed' of the system file occurs twice"})
        EXPECT_NE(error.find(expected), std::string::npos) << expected << "\nin\n" << error;
}

TEST(SystemFile, EmptyAndBinaryTextsAreCalledSo)
{
    EXPECT_EQ(read_error("system: ''\ninfrastructure: b.yaml\n"),
        "dir/s.yaml:1: 'system' is an empty text; expected at least one character");
    for (const char character : {'\0', '\1', '\x1b'})
        EXPECT_EQ(read_error(std::string("system: x\n\tb") + character + "c"),
            "dir/s.yaml:2: is no text: it has the control character " + std::to_string(int{character}) +
                "; expected a document in YAML or JSON");
    EXPECT_EQ(read_error(std::string("\0\0\0", 3)),
        "dir/s.yaml:1: is no text: it has the control character 0; expected a document in YAML or JSON");
}

// As --seed does.
TEST(SystemFile, ASeedHas64Bits)
{
    EXPECT_EQ(read_error("infrastructure: b.yaml\nseed: 18446744073709551615\n"), "");
    EXPECT_NE(read_error("infrastructure: b.yaml\nseed: 18446744073709551616\n")
                  .find("expected a whole number from 0 to 18446744073709551615"),
        std::string::npos);
}

TEST(SystemFile, WorkloadsThatSayTooLittleOrTooMuch)
{
    const auto error = [](const std::string& workload) {
        return read_error("infrastructure: b.yaml\nworkload: " + workload + "\n");
    };
    EXPECT_EQ(error("{collective: all_reduce}"),
        "dir/s.yaml:2: the size of the collective is missing; expected a size, such as 'bytes: 1 MiB'");
    EXPECT_EQ(error("{collective: barrier}"), "");
    EXPECT_NE(error("{bytes: 1 MiB}").find("'bytes' without 'collective'"), std::string::npos);
    EXPECT_NE(error("{trace: x, collective: all_reduce, bytes: 1 MiB}")
                  .find("'collective' together with 'trace'; expected one of them"),
        std::string::npos);
    EXPECT_NE(error("{trace: x, bytes: 1 MiB}").find("'bytes' without 'collective'"), std::string::npos);
    EXPECT_NE(error("{}").find("'workload' is empty"), std::string::npos);
    EXPECT_NE(error("{collective: all_reduce, bytes: 1 MiB, ranks: 0}").find("'ranks' is 0"), std::string::npos);
    // None would stand for all.
    EXPECT_EQ(error("{collective: all_reduce, bytes: 1 MiB, ranks: []}"),
        "dir/s.yaml:2: 'ranks' is an empty list; expected at least one node or pattern, or no 'ranks'");
    EXPECT_EQ(error("{collective: all_reduce, bytes: 1 MiB, delay: {}}"),
        "dir/s.yaml:2: 'delay' is an empty mapping; expected a rank and its delay, such as {0: 10 us}");
    EXPECT_NE(error("{colective: x}").find("expected 'collective'"), std::string::npos);
    EXPECT_NE(error("{collective: all_reduce, bytes: 1 MiB, delay: {1: 1 us, 01: 2 us}}")
                  .find("two delays of rank 1; expected one for each rank"),
        std::string::npos);
    KnownNames known;
    known.collectives = {"all_reduce"};
    known.algorithms = {"ring"};
    const std::string names = error_of([&] {
        resolved("workload: {collective: allreduce, algorithm: rings, bytes: 1, type: fp23, reduction: sun}\n", {},
            small_box, known);
    });
    EXPECT_NE(names.find("system.yaml:2: unknown collective 'allreduce'; expected one of all_reduce (did "
                         "you mean 'all_reduce'?)"),
        std::string::npos)
        << names;
    EXPECT_NE(names.find("(did you mean 'ring'?)"), std::string::npos);
    EXPECT_NE(names.find("(did you mean 'fp32'?)"), std::string::npos);
    EXPECT_NE(names.find("(did you mean 'sum'?)"), std::string::npos);
    // Those of a trace, too, each with its line.
    const std::string trace = error_of(
        [&] { resolved("workload:\n  trace: t\n  algorithm: rign\n  dependencies: dat\n", {}, small_box, known); });
    EXPECT_NE(trace.find("system.yaml:4: unknown algorithm 'rign'; expected one of ring"), std::string::npos) << trace;
    EXPECT_NE(trace.find("system.yaml:5: unknown rule of dependencies 'dat'; expected one of automatic, data, "
                         "data_and_control"),
        std::string::npos)
        << trace;
    EXPECT_EQ(error_of([&] {
        resolved("workload: {trace: t, algorithm: ring, dependencies: data}\n", {}, small_box, known);
    }),
        "");
}

TEST(SystemFile, IsToldFromAnInfraGraphDocument)
{
    EXPECT_TRUE(is_system_text("x", "infrastructure: a.yaml\n"));
    EXPECT_TRUE(is_system_text("x", "system: a\n"));
    EXPECT_FALSE(is_system_text("x", small_box));
    EXPECT_FALSE(is_system_text("x", "infrastructure: {name: x}\nannotations: {}\n"));
    EXPECT_FALSE(is_system_text("x", "{broken"));
    EXPECT_NE(read_error("system: x\n").find("names no InfraGraph document"), std::string::npos);
}

}  // namespace
}  // namespace weft::system_file_test
