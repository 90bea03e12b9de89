// The shared trace sets, run to their end. The largest take minutes and run only with WEFT_LONG_TESTS=1.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace chakra_sets_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Set {
    const char* path;  // prefix below shared/chakra
    unsigned ranks;
    unsigned collectives = 0;
    const char* groups = "";
    bool is_long = false;
};

std::ostream& operator<<(std::ostream& out, const Set& set) { return out << set.path; }

std::string shared_trace(const std::string& path) { return std::string(WEFT_SHARED_DIR) + "/chakra/" + path; }

const Set small_sets[] = {
    {"chakra_generator/ALL_REDUCE", 4, 1},
    {"chakra_generator/ALL_GATHER", 4, 1},
    {"chakra_generator/REDUCE_SCATTER", 4, 1},
    {"chakra_generator/ALL_TO_ALL", 4, 1},
    {"chakra_generator/BARRIER", 4, 1},
    {"chakra_generator/one_comp_node", 4},
    {"chakra_generator/two_comp_nodes_independent", 4},
    {"chakra_generator/one_remote_mem_load_node", 4},
    {"chakra_generator/one_metadata_node_all_types", 4},
    {"gzip/all_reduce_gz", 4, 1},
    {"custom_collective/allreduce_ring_4r/allreduce_ring_4r", 4},
    {"custom_collective/allgather_ring_4r_2ch/allgather_ring_4r_2ch", 4},
    {"custom_collective/alltoall_allpairs_4r/alltoall_allpairs_4r", 4},
    {"custom_collective/allreduce_allpairs_4r/allreduce_allpairs_4r", 4},
    {"custom_collective/allreduce_recursive_hd_8r/allreduce_recursive_hd_8r", 8},
    {"synthetic/p2p_pingpong", 2},
    {"synthetic/process_groups", 4, 3},
    {"synthetic/odd_but_valid", 4, 1},
    {"real_pytorch/ddp_rank", 1, 7},
};

const Set large_sets[] = {
    {"chakra_text_converter/text_data_parallel_mlp/text_data_parallel_mlp", 4, 8, "", true},
    {"chakra_text_converter/text_model_parallel_mlp/text_model_parallel_mlp", 8, 5, "", true},
    {"chakra_text_converter/text_hybrid_data_model/text_hybrid_data_model", 8, 28, "", true},
    {"chakra_text_converter/text_micro_odd_sizes/text_micro_odd_sizes", 4, 4, "", true},
    {"stage/llama_dp2_tp2/llama_dp2_tp2", 4, 0, "stage/llama_dp2_tp2/comm_group.json", true},
    {"stage/llama_dp2_tp2_pp2/llama_dp2_tp2_pp2", 8, 0, "stage/llama_dp2_tp2_pp2/comm_group.json", true},
    {"stage/llama_fsdp4/llama_fsdp4", 4, 0, "stage/llama_fsdp4/comm_group.json", true},
    {"stage/llama_sp2_tp2_dp2/llama_sp2_tp2_dp2", 8, 0, "stage/llama_sp2_tp2_dp2/comm_group.json", true},
};

// Two stages of a pipeline, two ranks each, four micro-batches: ranks that do different work in groups of their own.
const Set pipeline = {"stage/llama_tp2_pp2_mb4/llama_tp2_pp2_mb4", 4, 82, "stage/llama_tp2_pp2_mb4/comm_group.json"};

RunSetup setup_of(const Set& set)
{
    RunSetup setup;
    setup.document = shared_document("device_dgx_h100");
    setup.lines = trace_lines(shared_trace(set.path),
        std::string(set.groups).empty() ? "" : "groups: \"" + shared_trace(set.groups) + "\"");
    return setup;
}

// The result, for further questions.
Json expect_end(const Set& set, bool data_on, unsigned limit_s)
{
    RunSetup setup = setup_of(set);
    setup.options.data_on = data_on;
    Json result = run(setup, limit_s);
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 500);
    if (result.value("stop", "") != "finished") return result;
    EXPECT_EQ(result["ranks"].size(), set.ranks);
    if (set.collectives > 0) {
        EXPECT_EQ(result["collectives"].size(), set.collectives);
    }
    for (const Json& one : result["collectives"]) EXPECT_TRUE(one["finished"].get<bool>());
    EXPECT_NE(result["verified"], "failed") << result["mismatches"].dump();
    for (const Json& rank : result["ranks"]) {
        std::uint64_t sum = 0;
        for (const Json& time : rank["breakdown_ps"]) sum += time.get<std::uint64_t>();
        EXPECT_EQ(sum, result["simulated_ps"]) << rank.dump();
    }
    return result;
}

class SharedSet : public ::testing::TestWithParam<Set> {};
class LargeSharedSet : public ::testing::TestWithParam<Set> {};
class AstraMicro : public ::testing::TestWithParam<std::string> {};

std::string test_name(const std::string& path)
{
    std::string name = path.substr(path.rfind('/') + 1);
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

}  // namespace

TEST_P(SharedSet, RunsToItsEnd)
{
    if (!has_shared()) GTEST_SKIP() << "no conformance data";
    // The recorded run of one rank alone takes long and compares nothing but copies.
    expect_end(GetParam(), GetParam().ranks > 1, 100);
}

INSTANTIATE_TEST_SUITE_P(, SharedSet, ::testing::ValuesIn(small_sets),
    [](const auto& info) { return test_name(info.param.path); });

TEST_P(LargeSharedSet, RunsToItsEnd)
{
    if (!has_shared()) GTEST_SKIP() << "no conformance data";
    if (std::getenv("WEFT_LONG_TESTS") == nullptr) GTEST_SKIP() << "takes minutes; set WEFT_LONG_TESTS=1";
    expect_end(GetParam(), false, 1800);
}

TEST(Pipeline, OfAParallelTransformerRunsToItsEnd)
{
    if (!has_shared()) GTEST_SKIP() << "no conformance data";
    const Json result = expect_end(pipeline, false, 300);
    const auto spent = [&](unsigned rank, const char* activity) {
        return result["ranks"][rank]["breakdown_ps"][activity].get<std::uint64_t>();
    };
    // The first stage ends last, as it does the last step backwards; each stage waits for the other, and its gradients
    // are reduced while it computes.
    EXPECT_GT(spent(2, "done"), spent(0, "done"));
    EXPECT_GT(spent(0, "waiting"), spent(2, "waiting"));
    for (unsigned rank = 0; rank < 4; ++rank) {
        EXPECT_GT(spent(rank, "waiting"), 0u);
        EXPECT_GT(spent(rank, "overlap"), 0u);
    }
}

// "Hybrid-parallel training steps" of docs/chakra.md.
TEST(Pipeline, OfAParallelTransformerTakesWhatThePageSays)
{
    if (!has_shared()) GTEST_SKIP() << "no conformance data";
    const std::string page = read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/chakra.md");
    const std::pair<const char*, std::vector<std::string>> rows[] = {{"", {}},
        {"`engine.compute=kernel`, `engine.collective_order=priority` ",
            {"engine.compute=kernel", "engine.collective_order=priority"}},
        {"`engine.communication_in_flight=2` ", {"engine.communication_in_flight=2"}},
        {"`engine.communication_in_flight=2`, `engine.collective_order=lifo` ",
            {"engine.communication_in_flight=2", "engine.collective_order=lifo"}}};
    for (const auto& [name, sets] : rows) {
        RunSetup setup = setup_of(pipeline);
        setup.sets = sets;
        setup.options.data_on = false;
        const double simulated = run(setup, 800)["simulated_ps"];
        const std::string row = fmt::format("| {}| {:.1f} us |", name, simulated / 1e6);
        EXPECT_NE(page.find(row), std::string::npos) << row;
    }
}

INSTANTIATE_TEST_SUITE_P(, LargeSharedSet, ::testing::ValuesIn(large_sets),
    [](const auto& info) { return test_name(info.param.path); });

TEST_P(AstraMicro, OfFourAndEightRanksIsVerifiedOnAllDocuments)
{
    if (!has_shared()) GTEST_SKIP() << "no conformance data";
    const std::string& op = GetParam();
    for (const unsigned ranks : {4u, 8u}) {
        const std::string prefix = shared_trace("astra_micro/" + op + "_" + std::to_string(ranks) + "npus_1MB/" + op);
        // One accelerator of each host in the tree, so that two leaves and the spines between them take part.
        for (const auto& [document, ranks_on] : {std::pair(shared_document("device_dgx_h100"), "*"),
                 std::pair(shared_document("device_mi300x"), "*"), std::pair(example("fat_tree_32"), "host.*.xpu.0")}) {
            // By default four ranks in the tree, eight on the mesh: SharedSet has traces on a box.
            const bool mesh = document == shared_document("device_mi300x");
            if (!weft::test::thorough() && mesh != (ranks == 8)) continue;
            if (!weft::test::thorough() && document == shared_document("device_dgx_h100")) continue;
            RunSetup setup;
            setup.document = document;
            setup.lines = trace_lines(prefix);
            setup.rank_nodes = {ranks_on};
            const Json result = run(setup);
            EXPECT_EQ(result.value("verified", ""), "passed") << document << ": " << result.dump().substr(0, 300);
            ASSERT_EQ(result["collectives"].size(), 1u);
            EXPECT_EQ(result["collectives"][0]["op"], op);
            EXPECT_EQ(result["collectives"][0]["ranks"], ranks);
            EXPECT_EQ(result["collectives"][0]["bytes"], op == "all_gather" ? ranks << 20 : 1u << 20);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, AstraMicro, ::testing::Values("all_reduce", "all_gather", "reduce_scatter", "all_to_all"),
    [](const auto& info) { return info.param; });

}  // namespace chakra_sets_test
