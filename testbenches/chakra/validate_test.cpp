#include "collectives/chakra/validate.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"

namespace validate_test {

using namespace weft::chakra;
using namespace weft::chakra::testing;

namespace {

using Ranks = std::vector<std::vector<std::string>>;

class ValidateTest : public ::testing::Test {
protected:
    Verdict judge(const Ranks& ranks, const Policy& policy = {}, const std::string& groups = "")
    {
        TraceSetOptions options;
        if (!groups.empty()) options.group_file = folder.write("groups.json", groups);
        return validate(TraceSet::open(folder.write_set(ranks, "t" + std::to_string(++sets)), options), policy);
    }

    void expect_runs(const Ranks& ranks, const Policy& policy = {}, const std::string& groups = "")
    {
        const Verdict verdict = judge(ranks, policy, groups);
        EXPECT_TRUE(verdict.runnable()) << verdict.problems.front().text();
    }

    void expect_refused(const Ranks& ranks, const std::string& text, const Policy& policy = {},
        const std::string& groups = "")
    {
        const Verdict verdict = judge(ranks, policy, groups);
        std::string all;
        for (const weft::Diagnostic& problem : verdict.problems) all += problem.text() + "\n";
        EXPECT_NE(all.find(text), std::string::npos) << "wanted: " << text << "\ngot: " << all;
    }

    Folder folder;
    int sets = 0;
};

Policy both()
{
    Policy policy;
    policy.dependencies = Dependencies::data_and_control;
    return policy;
}

NodeText lacking(std::uint64_t id, unsigned type, const std::vector<std::string>& attributes)
{
    NodeText node(id, type, "n");
    for (const std::string& name : attributes) node.integer(name, 0);
    return node;
}

}  // namespace

// Operations without bytes are skipped under roofline, as in the feeder's own simulator; that is told.
TEST_F(ValidateTest, OperationsWithoutBytesAreTold)
{
    const auto node = [](std::int64_t bytes, std::uint64_t micros) {
        return NodeText(1, 4, "n")
            .micros(micros)
            .integer("num_ops", 1000)
            .integer("tensor_size", bytes)
            .flag("is_cpu_op", false);
    };
    const auto told = [](const Verdict& verdict) {
        return std::any_of(verdict.notices.begin(), verdict.notices.end(), [](const weft::Diagnostic& notice) {
            return notice.what.find("1 compute nodes have operations and a tensor_size of 0") != std::string::npos;
        });
    };
    EXPECT_TRUE(told(judge({{node(0, 0)}})));
    EXPECT_FALSE(told(judge({{node(64, 0)}})));
    EXPECT_FALSE(told(judge({{node(0, 5)}})));  // takes its 5 us
}

// A node takes its duration, or the time of its operations and bytes; one that states neither takes 1 ns, and that is told.
TEST_F(ValidateTest, NodesWithoutATimeAreTold)
{
    const auto node = [](bool duration, bool operations, bool bytes) {
        NodeText out(1, 4, "n");
        if (duration) out.micros(5);
        if (operations) out.integer("num_ops", 1000);
        if (bytes) out.integer("tensor_size", 64);
        return out.flag("is_cpu_op", false);
    };
    const auto told = [](const Verdict& verdict) {
        return std::any_of(verdict.notices.begin(), verdict.notices.end(), [](const weft::Diagnostic& notice) {
            return notice.what.find("1 compute nodes state neither a duration nor operations and bytes") !=
                std::string::npos;
        });
    };
    for (const bool duration : {false, true})
        for (const bool operations : {false, true})
            for (const bool bytes : {false, true})
                EXPECT_EQ(told(judge({{node(duration, operations, bytes)}})), !duration && !(operations && bytes))
                    << duration << operations << bytes;
}

// The roofline is that of an accelerator: a node on the CPU without a duration takes 1 ns also where it has operations and bytes.
TEST_F(ValidateTest, NodesOnTheCpuWithoutATimeAreTold)
{
    const auto node = [](std::uint64_t id, std::uint64_t micros) {
        return comp(id, micros).integer("num_ops", 1000).integer("tensor_size", 64).flag("is_cpu_op", true);
    };
    const std::string told = "1 compute nodes on the CPU (is_cpu_op) state no duration: they take 1 ns";
    // Beside nodes with durations, and where none has one.
    for (const Ranks& ranks : {Ranks{{comp(1, 5), node(2, 0)}}, Ranks{{node(1, 0)}}}) {
        const Verdict verdict = judge(ranks);
        ASSERT_EQ(verdict.notices.size(), 1U);
        EXPECT_NE(verdict.notices[0].what.find(told), std::string::npos) << verdict.notices[0].what;
    }
    EXPECT_TRUE(judge({{comp(1, 5), node(2, 7)}}).notices.empty());
    Policy roofline;
    roofline.roofline = true;
    EXPECT_EQ(judge({{node(1, 0)}}, roofline).notices.size(), 1U);
}

TEST_F(ValidateTest, ProductsAreWholeAndOfTheOperations)
{
    const auto node = [](std::int64_t operations, const std::vector<std::pair<std::string, std::int64_t>>& product) {
        NodeText out = comp(1, 5).integer("num_ops", operations).integer("tensor_size", 64);
        for (const auto& [name, size] : product) out.integer(name, size);
        return out;
    };
    expect_refused({{node(8, {{"gemm_m", 10}})}},
        ":2: node 1 (c): states a product of matrices without attribute gemm_n, gemm_k; expected gemm_m, gemm_n and "
        "gemm_k, or none of them");
    expect_refused({{node(8, {{"gemm_count", 2}})}}, "without attribute gemm_m, gemm_n, gemm_k; expected");
    const auto told = [&](std::int64_t operations, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count) {
        const Verdict verdict = judge(
            {{node(operations, {{"gemm_m", m}, {"gemm_n", n}, {"gemm_k", k}, {"gemm_count", count}}), comp(2, 5)}});
        return verdict.notices.empty() ? std::string() : verdict.notices.front().what;
    };
    EXPECT_EQ(told(2000, 10, 10, 10, 1), "");
    EXPECT_EQ(told(4000, 10, 10, 10, 2), "");
    const std::string other = told(1'000'000, 10, 10, 10, 1);
    EXPECT_EQ(other.find("1 compute nodes state a product of matrices"), 0U) << other;
    EXPECT_NE(other.find("the first is node 1 (c) in "), std::string::npos) << other;
    EXPECT_NE(other.find(".0.et:2, 2000 and 1000000"), std::string::npos) << other;
    EXPECT_NE(told(1999, 10, 10, 10, 1), "");
    // 7 tokens of two experts: 4 x 8 x 8 each, one row less altogether. 4 tokens would be 2 each.
    EXPECT_EQ(told(2 * 7 * 8 * 8, 4, 8, 8, 2), "");
    EXPECT_EQ(told(2 * 7 * 8 * 8, 8, 4, 8, 2), "");
    EXPECT_NE(told(2 * 6 * 8 * 8, 4, 8, 8, 2), "");
    EXPECT_NE(told(2 * 9 * 8 * 8, 4, 8, 8, 2), "");
    EXPECT_NE(told(8, 1LL << 40, 1LL << 40, 1, 1).find(", more than 2^64 and 8"), std::string::npos);
}

TEST_F(ValidateTest, Dependencies)
{
    expect_runs({{comp(2).data({1}), comp(1)}});
    expect_refused({{comp(1), comp(1)}}, ":3: node 1 (c): a second node with this id");
    expect_refused({{comp(1).data({1})}}, "node 1 (c): depends on itself (data_deps)");
    expect_refused({{comp(1).data({5})}}, "node 1 (c): data_deps names node 5, which the file does not hold");
    expect_refused({{comp(1).data({3}), comp(2).data({1}), comp(3).data({2}), comp(4)}},
        "dependency cycle: node 1 waits for 3, which waits for 2, which waits for 1; expected");
    // The cycle is named, not what hangs from it.
    expect_refused({{comp(1).data({2}), comp(2).data({3}), comp(3).data({2})}},
        "dependency cycle: node 2 waits for 3, which waits for 2; expected");
}

TEST_F(ValidateTest, AutomaticFallsBackToDataDependencies)
{
    EXPECT_TRUE(judge({{comp(1), comp(2).control({1})}}).control);

    const Verdict absent = judge({{comp(1), comp(2).control({9})}});
    EXPECT_TRUE(absent.runnable());
    EXPECT_FALSE(absent.control);
    ASSERT_EQ(absent.notices.size(), 1U);
    EXPECT_NE(absent.notices[0].what.find("are ignored (1): 1 of them name nodes"), std::string::npos);

    const Verdict cycle = judge({{comp(1)}, {comp(1).control({2}), comp(2).data({1})}});
    EXPECT_TRUE(cycle.runnable());
    EXPECT_FALSE(cycle.control);
    ASSERT_EQ(cycle.notices.size(), 1U);
    EXPECT_NE(cycle.notices[0].what.find("node 1 waits for 2, which waits for 1"), std::string::npos);

    // A cycle of data dependencies is not control's fault.
    const Verdict both_kinds = judge({{comp(1).data({2}), comp(2).data({1}), comp(3).control({1})}});
    EXPECT_EQ(both_kinds.problems.size(), 1U);
    EXPECT_TRUE(both_kinds.notices.empty());
}

TEST_F(ValidateTest, DependencyPolicies)
{
    const Ranks dangling = {{comp(1), comp(2).control({9})}};
    expect_refused(dangling, "node 2 (c): ctrl_deps names node 9", both());
    const Ranks cycle = {{comp(1).control({2}), comp(2).data({1})}};
    expect_refused(cycle, "dependency cycle", both());
    expect_refused({{comp(1).control({1})}}, "depends on itself (ctrl_deps)", both());
    Policy data;
    data.dependencies = Dependencies::data;
    const Verdict verdict = judge(cycle, data);
    EXPECT_TRUE(verdict.runnable());
    ASSERT_EQ(verdict.notices.size(), 1U);
    EXPECT_NE(verdict.notices[0].what.find("only data dependencies were requested"), std::string::npos);
}

TEST_F(ValidateTest, EveryMissingAttributeIsNamed)
{
    expect_refused({{lacking(1, 7, {"comm_type"})}}, "node 1 (n): COMM_COLL_NODE without attribute comm_size");
    expect_refused({{lacking(1, 7, {"comm_size"})}}, "COMM_COLL_NODE without attribute comm_type");
    expect_refused({{lacking(1, 5, {"comm_tag", "comm_size"})}}, "COMM_SEND_NODE without attribute comm_dst");
    expect_refused({{lacking(1, 5, {"comm_dst", "comm_size"})}}, "COMM_SEND_NODE without attribute comm_tag");
    expect_refused({{lacking(1, 5, {"comm_dst", "comm_tag"})}}, "COMM_SEND_NODE without attribute comm_size");
    expect_refused({{lacking(1, 6, {"comm_tag", "comm_size"})}}, "COMM_RECV_NODE without attribute comm_src");
    expect_refused({{lacking(1, 2, {})}}, "MEM_LOAD_NODE without attribute tensor_size");
    expect_refused({{lacking(1, 3, {})}}, "MEM_STORE_NODE without attribute tensor_size");
    Policy roofline;
    roofline.roofline = true;
    expect_refused({{lacking(1, 4, {"num_ops"})}}, "COMP_NODE without attribute tensor_size", roofline);
    expect_refused({{lacking(1, 4, {"tensor_size"})}}, "COMP_NODE without attribute num_ops", roofline);
    expect_runs({{comp(1).flag("is_cpu_op", true)}}, roofline);
    expect_runs({{lacking(1, 7, {}).integer("comm_type", 9)}});  // a barrier has no size
}

TEST_F(ValidateTest, TypesAndCollectives)
{
    expect_refused({{NodeText(4, 8, "n")}}, "node 4 (n): has the unknown type 8");
    expect_refused({{collective(1, 99, 8)}}, "attribute comm_type is 99, which is not a collective");
    expect_refused({{collective(1, 3, 8)}}, "attribute comm_type is GATHER, which cannot be simulated");
    Policy more;
    more.collectives.push_back(CollectiveType::gather);
    expect_runs({{collective(1, 3, 8)}}, more);
    NodeText old = comp(1);
    old.fields().number(12, 5);
    expect_refused({{old}}, "has field 12 of another type");
    expect_refused({{}}, "holds no nodes");
}

TEST_F(ValidateTest, CommunicationOnTheCpu)
{
    expect_refused({{collective(1, 0, 8).flag("is_cpu_op", true)}}, "attribute is_cpu_op is true");
    const Verdict launcher = judge({{NodeText(1, 7).flag("is_cpu_op", true).micros(7)}});
    EXPECT_TRUE(launcher.runnable());
    ASSERT_EQ(launcher.notices.size(), 1U);
    EXPECT_NE(launcher.notices[0].what.find("1 collectives on the CPU side"), std::string::npos);
}

TEST_F(ValidateTest, Groups)
{
    const std::string pairs = R"({"1": [0, 1], "2": [1]})";
    const Ranks members = {{collective(1, 0, 8, "1")}, {collective(1, 0, 8, "1")}};
    expect_runs(members, {}, pairs);
    expect_refused(members, "attribute pg_name is \"1\", a group without a definition");
    expect_refused({{collective(1, 0, 8, "tp")}}, "pg_name is \"tp\"; expected the number of a process group");
    expect_refused({{collective(1, 0, 8, "2")}, {collective(1, 0, 8, "2")}}, "a group without rank 0", {}, pairs);
    const NodeText definition = NodeText(9, 1).inputs(R"(['[{"pg_name": "1", "ranks": [1, 0]}]'])");
    expect_refused({{collective(1, 0, 8, "1"), definition}}, "a group with ranks that have no trace");
    expect_runs({{collective(1, 0, 8, "1"), definition}, {collective(1, 0, 8, "1"), definition}});
    expect_refused({{collective(1, 0, 8, "1"), definition}, {collective(1, 0, 8, "1")}},
        "group 1 differs from that on rank 1", {}, R"({"1": [0, 1]})");
    expect_refused({{NodeText(9, 1).inputs("nonsense")}}, "inputs.values is nonsense");
}

TEST_F(ValidateTest, TransfersMustMatch)
{
    expect_runs({{send(1, 1, 7, 64), send(2, 1, 7, 64)}, {recv(1, 0, 7, 64), recv(2, 0, 7, 64)}});
    expect_refused({{send(1, 1, 7, 64), send(2, 1, 7, 64)}, {recv(1, 0, 7, 64)}},
        "node 1 (s): 1 send(s) without receive from rank 0 to rank 1, comm_tag 7, comm_size 64");
    expect_refused({{comp(1)}, {recv(1, 0, 7, 64)}}, "node 1 (r): 1 receive(s) without send from rank 0 to rank 1");
    // Another size does not match, another tag neither.
    expect_refused({{send(1, 1, 7, 64)}, {recv(1, 0, 7, 65)}},
        "1 receive(s) without send from rank 0 to rank 1, comm_tag 7, comm_size 65");
    expect_refused({{send(1, 1, 7, 64)}, {recv(1, 0, 8, 64)}}, "comm_tag 8");
    // Those of one tag do not overtake each other; those of different tags may.
    expect_refused({{send(1, 1, 0, 64), send(2, 1, 0, 4096).data({1})}, {recv(1, 0, 0, 4096), recv(2, 0, 0, 64)}},
        ".1.et:2: node 1 (r): receive 1 from rank 0 with comm_tag 0 has comm_size 4096, but send 1, node 1 (s) on rank "
        "0, "
        "has 64; expected the same sizes in the same order on both sides, or tags that tell them apart");
    expect_runs({{send(1, 1, 0, 64), send(2, 1, 0, 4096)}, {recv(1, 0, 0, 64), recv(2, 0, 0, 4096)}});
    expect_runs({{send(1, 1, 0, 64), send(2, 1, 1, 4096)}, {recv(1, 0, 1, 4096), recv(2, 0, 0, 64)}});
    // The order of issue, not that of the file, nor of the ids.
    expect_runs({{send(2, 1, 0, 4096), send(1, 1, 0, 64)}, {recv(1, 0, 0, 64), recv(2, 0, 0, 4096)}});
    expect_runs({{send(1, 1, 0, 64).data({2}), send(2, 1, 0, 4096)}, {recv(1, 0, 0, 4096), recv(2, 0, 0, 64)}});
    expect_refused({{send(1, 5, 7, 64)}}, "attribute comm_dst is 5; expected a rank from 0 to 0");
    expect_refused({{send(1, 1, 7, 64).integer("comm_src", 1)}, {recv(1, 0, 7, 64)}},
        "attribute comm_src is 1; expected 0");
    expect_refused({{send(1, 1, 7, 64)}, {recv(1, 0, 7, 64).integer("comm_dst", 0)}},
        "attribute comm_dst is 0; expected 1");
}

TEST_F(ValidateTest, MembersOfAGroupMustIssueTheSameCollectives)
{
    expect_runs({{collective(1, 0, 8), collective(2, 2, 8)}, {collective(5, 0, 8), collective(6, 2, 8)}});
    expect_refused({{collective(1, 0, 8), collective(2, 2, 8)}, {collective(1, 0, 8), collective(2, 2, 9)}},
        "collective 2 of group 0 is ALL_GATHER of 9 bytes at node 2 (x), but on rank 0 it is ALL_GATHER of 8 "
        "bytes");
    expect_refused({{collective(1, 0, 8), collective(2, 2, 8)}, {collective(1, 2, 8), collective(2, 0, 8)}},
        "collective 1 of group 0 is ALL_GATHER");
    expect_refused({{collective(1, 0, 8)}, {comp(1)}}, "on rank 1 it is missing");
    expect_refused({{comp(1)}, {collective(1, 0, 8)}}, "on rank 0 it is missing");
    // Barriers have no size.
    expect_runs({{collective(1, 9, 8)}, {collective(1, 9, 4096)}, {lacking(1, 7, {}).integer("comm_type", 9)}});
    expect_refused({{collective(1, 9, 8)}, {collective(1, 0, 8)}},
        "is ALL_REDUCE of 8 bytes at node 1 (x), but on rank 0 it is BARRIER at node 1 (x)");
    // Order of issue, not of the file.
    expect_runs({{collective(1, 0, 8), collective(2, 2, 8)}, {collective(2, 2, 8), collective(1, 0, 8)}});
    std::vector<std::string> ascending;
    for (std::int64_t id = 0; id < 6000; ++id) ascending.push_back(collective(id, 0, 64 + 4 * (id % 3)));
    expect_runs({ascending, {ascending.rbegin(), ascending.rend()}});
}

TEST_F(ValidateTest, MembersMustAgreeOnPrioritiesWhereTheyCount)
{
    const auto prior = [](std::uint64_t id, int priority, std::int64_t size = 8) {
        return collective(id, 0, size).integer("comm_priority", priority);
    };
    Policy policy;
    policy.priorities = true;
    const Ranks differ = {{prior(1, 3), prior(2, 3)}, {prior(1, 3), prior(2, 0)}};
    expect_runs(differ);
    expect_refused(differ,
        ".1.et:3: node 2 (x): comm_priority of collective 2 of group 0 is 0, but on rank 0 it is 3 at node 2 (x); "
        "expected the same priorities on every member of a group, as engine.collective_order is priority",
        policy);
    // Members meet by priority.
    expect_runs({{prior(1, 3), prior(2, 0)}, {prior(1, 0), prior(2, 3)}}, policy);
    expect_refused({{prior(1, 3), prior(2, 0, 16)}, {prior(1, 0), prior(2, 3, 16)}}, "is 0, but on rank 0 it is 3",
        policy);
}

TEST_F(ValidateTest, ProblemsAreBounded)
{
    std::vector<std::string> nodes;
    for (std::uint64_t id = 1; id < 1000; ++id) nodes.push_back(lacking(id, 7, {"comm_size"}));
    nodes.push_back(comp(1000).data({5000}));
    const Verdict verdict = judge({nodes});
    ASSERT_EQ(verdict.problems.size(), 12U);
    EXPECT_NE(verdict.problems[10].what.find("names node 5000"), std::string::npos);
    EXPECT_NE(verdict.problems[11].what.find("and 989 more problems"), std::string::npos);
    EXPECT_THROW(verdict.require_runnable(), weft::InputError);
}

TEST_F(ValidateTest, NoDurationsButOperationsIsSaid)
{
    const Verdict verdict = judge({{comp(1, 0).integer("num_ops", 5).integer("tensor_size", 5)}});
    ASSERT_EQ(verdict.notices.size(), 1U);
    EXPECT_NE(verdict.notices[0].what.find("roofline"), std::string::npos);
}

namespace {

NodeText over(std::uint64_t id, std::int64_t size, const std::vector<bool>& dimensions, const std::string& group = "")
{
    return collective(id, 0, size, group).involved(dimensions);
}

Policy in_dimensions(std::vector<std::uint32_t> sizes)
{
    Policy policy;
    policy.dimensions = std::move(sizes);
    return policy;
}

}  // namespace

TEST_F(ValidateTest, DimensionsLeftOutNarrowTheGroup)
{
    const Ranks ranks{{over(1, 64, {true, false}), over(2, 8, {false, true}), over(3, 8, {true, true})},
        {over(1, 64, {true, false}), over(2, 4, {false, true}), over(3, 8, {true, true})},
        {over(1, 32, {true, false}), over(2, 8, {false, true}), over(3, 8, {true, true})},
        {over(1, 32, {true, false}), over(2, 4, {false, true}), over(3, 8, {true, true})}};
    // Rows {0, 1} and {2, 3}, columns {0, 2} and {1, 3}: each has a size of its own.
    const Verdict verdict = judge(ranks, in_dimensions({2, 2}));
    EXPECT_TRUE(verdict.runnable());
    EXPECT_TRUE(verdict.notices.empty());
    Node node;
    node.type = NodeType::coll;
    const auto members = [&](std::uint32_t rank, const std::vector<bool>& dimensions) {
        node.involved_dim = dimensions;
        return *verdict.groups[rank].members(node);
    };
    EXPECT_EQ(members(3, {true, false}), (std::vector<std::uint32_t>{2, 3}));
    EXPECT_EQ(members(3, {false, true}), (std::vector<std::uint32_t>{1, 3}));
    EXPECT_EQ(members(3, {true, true}).size(), 4u);
    EXPECT_EQ(members(3, {}).size(), 4u);

    // Without dimensions all four would have to agree.
    expect_refused(ranks, "collective 1 of group 0 is");
}

TEST_F(ValidateTest, DimensionsLeftOutOfAGroup)
{
    const std::string groups = R"({"7": [0, 1, 4, 5]})";
    const auto node = [](std::int64_t size) { return over(1, size, {true, false, true}, "7"); };  // 2 x 2 x 2
    const Ranks ranks{{node(8)}, {node(8)}, {comp(1)}, {comp(1)}, {node(8)}, {node(8)}, {comp(1)}, {comp(1)}};
    expect_runs(ranks, in_dimensions({2, 2, 2}), groups);
    const auto alone = [](std::int64_t size) { return over(1, size, {false, true, true}, "7"); };
    expect_runs({{alone(8)}, {alone(4)}, {comp(1)}, {comp(1)}, {alone(8)}, {alone(4)}, {comp(1)}, {comp(1)}},
        in_dimensions({2, 2, 2}), groups);
    expect_refused({{alone(8)}, {alone(4)}, {comp(1)}, {comp(1)}, {alone(4)}, {alone(4)}, {comp(1)}, {comp(1)}},
        "collective 1 of group 7 without dimension 0 is ALL_REDUCE", in_dimensions({2, 2, 2}), groups);
}

TEST_F(ValidateTest, DimensionsAreAsManyAsThereAre)
{
    const Ranks ranks{{over(1, 8, {true, true, true, true})}, {over(1, 8, {true, true, true, true})}};
    expect_runs(ranks);
    expect_refused(ranks, "attribute involved_dim has 4 entries; expected 2, one for each dimension",
        in_dimensions({2, 1}));
    expect_refused({{over(1, 8, {true})}, {over(1, 8, {true})}},
        "attribute involved_dim has 1 entry; expected 2, one for each dimension", in_dimensions({2, 1}));
    const std::vector<bool> five{false, true, true, true, true};
    expect_refused({{over(1, 8, five)}, {over(1, 8, five)}},
        "attribute involved_dim leaves out some of 5 dimensions; expected at most 4 dimensions",
        in_dimensions({2, 1, 1, 1, 1}));
    // Of size 1: leaving it out leaves nobody out.
    expect_runs({{over(1, 8, {true, false})}, {over(1, 8, {true, true})}}, in_dimensions({2, 1}));
}

}  // namespace validate_test
