// Every shared trace set: the golden figures of each file, and a run to the end of what can run.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "collectives/chakra/validate.h"
#include "testbenches/chakra/trace_writer.h"

namespace conformance_test {

using namespace weft;
using namespace weft::chakra;
using nlohmann::json;

namespace {

const std::string root = std::string(WEFT_SHARED_DIR) + "/chakra/";

json golden()
{
    std::ifstream file(root + "golden.json");
    return file ? json::parse(file) : json();
}

std::string prefix_of(const std::string& file)
{
    const std::string stem = file.substr(0, file.rfind('.'));
    return stem.substr(0, stem.rfind('.'));
}

TraceSetOptions options_for(const std::string& prefix)
{
    TraceSetOptions options;
    const std::string group_file = root + prefix.substr(0, prefix.rfind('/')) + "/comm_group.json";
    if (std::filesystem::exists(group_file)) options.group_file = group_file;
    return options;
}

json as_golden(const Summary& summary)
{
    return {{"version", summary.version}, {"meta", summary.metadata}, {"nodes", summary.nodes},
        {"types", summary.types}, {"coll", summary.collectives}, {"pg", summary.groups},
        {"send_bytes", summary.send_bytes}, {"recv_bytes", summary.recv_bytes}, {"cpu", summary.cpu_nodes},
        {"dur", summary.duration_us}, {"data_deps", summary.data_deps}, {"ctrl_deps", summary.ctrl_deps},
        {"roots", summary.roots}, {"missing", summary.missing}, {"dup", summary.duplicates}};
}

// Runs a rank to its end, a few nodes in flight at a time, oldest finished first.
std::uint64_t drive(Feeder& feeder)
{
    std::uint64_t finished = 0;
    std::vector<std::uint64_t> running;
    Node node;
    while (!feeder.done()) {
        while (running.size() < 3 && feeder.next(node)) running.push_back(node.id);
        if (running.empty()) break;
        feeder.finish(running.front());
        running.erase(running.begin());
        ++finished;
    }
    return finished;
}

void expect_runs(const TraceSet& set, const Verdict& verdict)
{
    for (std::uint32_t rank = 0; rank < set.ranks(); ++rank) {
        Feeder feeder = make_feeder(set, verdict, rank);
        EXPECT_EQ(drive(feeder), verdict.summaries[rank].nodes) << set.file(rank);
        EXPECT_TRUE(feeder.done()) << set.file(rank);
    }
}

}  // namespace

// Our own traces, with figures worked out by hand from their nodes: a clone without the shared ones tests the readers, too.
TEST(ChakraOwnTraces, FiguresAndARunToTheEnd)
{
    namespace own = weft::chakra::testing;
    const own::Folder folder;
    const std::string prefix =
        folder.write_set({{own::comp(1, 3), own::send(2, 1, 7, 4096).data({1}), own::collective(3, 0, 1024).data({2}),
                              own::comp(4, 2).control({3})},
            {own::recv(1, 0, 7, 4096), own::comp(2, 5).data({1}), own::collective(3, 0, 1024).data({2})}});
    const json expected[] = {
        {{"coll", {{"ALL_REDUCE/1024", 1}}}, {"ctrl_deps", 1}, {"data_deps", 2}, {"dup", 0}, {"dur", 5}, {"missing", 0},
            {"nodes", 4}, {"recv_bytes", 0}, {"roots", 1}, {"send_bytes", 4096},
            {"types", {{"COMP_NODE", 2}, {"COMM_SEND_NODE", 1}, {"COMM_COLL_NODE", 1}}}, {"version", "test"}},
        {{"coll", {{"ALL_REDUCE/1024", 1}}}, {"ctrl_deps", 0}, {"data_deps", 2}, {"dup", 0}, {"dur", 5}, {"missing", 0},
            {"nodes", 3}, {"recv_bytes", 4096}, {"roots", 1}, {"send_bytes", 0},
            {"types", {{"COMP_NODE", 1}, {"COMM_RECV_NODE", 1}, {"COMM_COLL_NODE", 1}}}, {"version", "test"}}};
    for (int rank = 0; rank < 2; ++rank) {
        const json actual = as_golden(summary_of(*open_trace_file(prefix + "." + std::to_string(rank) + ".et")));
        for (const auto& [key, value] : expected[rank].items()) EXPECT_EQ(actual.at(key), value) << rank << " " << key;
    }
    const TraceSet set = TraceSet::open(prefix, {});
    const Verdict verdict = validate(set);
    ASSERT_TRUE(verdict.runnable()) << verdict.problems.front().text();
    expect_runs(set, verdict);
    const std::string one = folder.write("one.0.json", R"({"workload_graph": [
{"Id": 1, "Name": "a", "NodeType": 4, "runtime": 3, "data_deps": []},
{"Id": 2, "Name": "b", "NodeType": 7, "data_deps": [1], "comm_type": 0, "comm_size": 1024}]})");
    const json read = as_golden(summary_of(*open_trace_file(one)));
    EXPECT_EQ(read["nodes"], 2);
    EXPECT_EQ(read["dur"], 3);
    EXPECT_EQ(read["coll"], json({{"ALL_REDUCE/1024", 1}}));
}

TEST(ChakraConformance, EveryFileHasTheGoldenFigures)
{
    const json figures = golden();
    if (figures.is_null()) GTEST_SKIP() << "no shared traces";
    EXPECT_GT(figures.size(), 180U);
    for (const auto& [file, expected] : figures.items()) {
        const auto reader = open_trace_file(root + file);
        EXPECT_EQ(as_golden(summary_of(*reader)), expected) << file;
    }
}

TEST(ChakraConformance, EverySetRunsToTheEndOrIsKnownNotToRun)
{
    const json figures = golden();
    if (figures.is_null()) GTEST_SKIP() << "no shared traces";
    std::set<std::string> prefixes;
    for (const auto& [file, expected] : figures.items()) prefixes.insert(prefix_of(file));
    EXPECT_EQ(prefixes.size(), 38U);
    // The generator writes these without peer and size.
    const std::set<std::string> not_runnable = {"chakra_generator/one_comm_send_node",
        "chakra_generator/one_comm_recv_node"};
    for (const std::string& prefix : prefixes) {
        const TraceSet set = TraceSet::open(root + prefix, options_for(prefix));
        const Verdict verdict = validate(set);
        EXPECT_EQ(verdict.runnable(), not_runnable.count(prefix) == 0) << prefix;
        if (!verdict.runnable() && not_runnable.count(prefix) == 0) ADD_FAILURE() << verdict.problems.front().text();
        if (verdict.runnable()) expect_runs(set, verdict);
    }
}

TEST(ChakraConformance, TheGeneratorsTransfersNameWhatTheyLack)
{
    if (golden().is_null()) GTEST_SKIP() << "no shared traces";
    const Verdict verdict = validate(TraceSet::open(root + "chakra_generator/one_comm_send_node"));
    ASSERT_FALSE(verdict.runnable());
    EXPECT_NE(verdict.problems.front().text().find("COMM_SEND_NODE without attribute comm_dst"), std::string::npos)
        << verdict.problems.front().text();
    EXPECT_THROW(verdict.require_runnable(), InputError);
}

TEST(ChakraConformance, TheRealTraceRunsOnDataDependencies)
{
    if (golden().is_null()) GTEST_SKIP() << "no shared traces";
    const TraceSet set = TraceSet::open(root + "real_pytorch/ddp_rank");
    const Verdict automatic = validate(set);
    EXPECT_FALSE(automatic.control);
    ASSERT_EQ(automatic.notices.size(), 3U);
    EXPECT_NE(automatic.notices[2].what.find("compute nodes state neither a duration"), std::string::npos)
        << automatic.notices[2].what;
    EXPECT_EQ(automatic.notices[0].what.find("control dependencies are ignored (3664): 1277 of them"), 0U)
        << automatic.notices[0].what;
    EXPECT_EQ(automatic.notices[1].what.find("14 collectives on the CPU side"), 0U);

    // Its five roots by data dependencies are free from the start.
    Feeder feeder = make_feeder(set, automatic, 0);
    std::vector<std::uint64_t> roots;
    Node node;
    while (feeder.next(node)) roots.push_back(node.id);
    EXPECT_EQ(roots, (std::vector<std::uint64_t>{216, 432, 541, 619, 1634}));

    // Both kinds: beside the absent parents a cycle holds 2283 nodes.
    Policy both;
    both.dependencies = Dependencies::data_and_control;
    const Verdict stuck = validate(set, both);
    ASSERT_FALSE(stuck.runnable());
    EXPECT_NE(stuck.problems[0].what.find("depends on itself (ctrl_deps)"), std::string::npos);
    Feeder stalls = make_feeder(set, stuck, 0);
    EXPECT_EQ(drive(stalls), 3664U - 2283U);
    EXPECT_FALSE(stalls.done());
    EXPECT_EQ(stalls.waiting(10000).size(), 2283U);
    ASSERT_GT(stuck.problems.size(), 10U);
    EXPECT_NE(stuck.problems[10].what.find("ctrl_deps names node"), std::string::npos) << stuck.problems[10].what;
}

TEST(ChakraConformance, JsonTraces)
{
    if (golden().is_null()) GTEST_SKIP() << "no shared traces";
    const TraceSet small = TraceSet::open(root + "json_form/small_chakra");
    const Verdict small_verdict = validate(small);
    EXPECT_EQ(small_verdict.summaries[0].nodes, 7U);

    const TraceSet json_set = TraceSet::open(root + "json_form/chakra");
    const Summary json_form = summary_of(*json_set.reader(0));
    const Summary wire_form = summary_of(*TraceSet::open(root + "real_pytorch/ddp_rank").reader(0));
    EXPECT_EQ(json_form.types, wire_form.types);
    EXPECT_EQ(json_form.cpu_nodes, wire_form.cpu_nodes);
    EXPECT_EQ(json_form.data_deps, wire_form.data_deps);
    EXPECT_EQ(json_form.duration_us, wire_form.duration_us);

    // Collectives of the accelerator without size.
    const Verdict verdict = validate(json_set);
    ASSERT_EQ(verdict.problems.size(), 14U);
    EXPECT_NE(verdict.problems[0].what.find("COMM_COLL_NODE without attribute comm_size"), std::string::npos);
    expect_runs(small, small_verdict);
    expect_runs(json_set, verdict);
}

TEST(ChakraConformance, RooflineNeedsOperations)
{
    if (golden().is_null()) GTEST_SKIP() << "no shared traces";
    Policy roofline;
    roofline.roofline = true;
    const std::string stage = "stage/llama_fsdp4/llama_fsdp4";
    EXPECT_TRUE(validate(TraceSet::open(root + stage, options_for(stage)), roofline).runnable());
    const Verdict text = validate(
        TraceSet::open(root + "chakra_text_converter/text_data_parallel_mlp/text_data_parallel_mlp"), roofline);
    ASSERT_FALSE(text.runnable());
    EXPECT_NE(text.problems[0].what.find("without attribute num_ops"), std::string::npos);
}

TEST(ChakraConformance, StageTracesNeedTheirGroupFile)
{
    if (golden().is_null()) GTEST_SKIP() << "no shared traces";
    const Verdict verdict = validate(TraceSet::open(root + "stage/llama_dp2_tp2/llama_dp2_tp2"));
    ASSERT_FALSE(verdict.runnable());
    EXPECT_NE(verdict.problems[0].what.find("a group without a definition"), std::string::npos);
}

}  // namespace conformance_test
