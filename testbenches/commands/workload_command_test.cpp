// `weft workload`, and runs of what it writes.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace workload_command_test {

using namespace weft::commands_test;
using Json = nlohmann::json;

namespace {

const char* const small = "model: small\nkind: transformer\nlayers: 4\nhidden: 256\nheads: 8\nkv_heads: 4\nffn: "
                          "1024\nvocabulary: 512\nsequence: 64\n";
const char* const dgx = "examples/dgx_h100/system.yaml";

struct Files {
    Fixtures fixtures;
    std::string model = fixtures.write("small.yaml", small);
    std::string prefix = fixtures.path("t");

    Outcome made(std::vector<std::string> arguments) const
    {
        arguments.insert(arguments.begin(), "workload");
        arguments.insert(arguments.end(), {"-o", prefix});
        return call(arguments);
    }
    Json run(bool flow, const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> arguments{"run", dgx, "--trace", prefix, "--json", "-", "--no-timing", "--no-data"};
        bool groups = false;
        for (const std::string& name : fixtures.names()) groups = groups || name == "t_groups.json";
        if (groups) arguments.insert(arguments.end(), {"--groups", prefix + "_groups.json"});
        if (flow) arguments.insert(arguments.end(), {"--fidelity", "flow"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome out = call(arguments);
        EXPECT_EQ(out.code, 0) << out.err;
        return Json::parse(out.out.empty() ? "{}" : out.out);
    }
};

}  // namespace

TEST(WorkloadCommand, TracesOfEveryKindRunToTheirEndAtFlowFidelity)
{
    const std::vector<std::vector<std::string>> kinds{
        {"training", "--tp", "2", "--pp", "2", "--dp", "2", "--microbatches", "4"},
        {"training", "--tp", "2", "--sp", "--dp", "4", "--zero", "3", "--recompute", "full"},
        {"training", "--pp", "2", "--interleave", "2", "--cp", "2", "--microbatches", "4", "--dp", "2"},
        {"prefill", "--tp", "4", "--dp", "2"},
        {"decode", "--tp", "2", "--pp", "4", "--context", "100", "--steps", "3", "--microbatch", "8"},
        {"disaggregated", "--tp", "2", "--dp", "2", "--decode-tp", "4", "--steps", "2"}};
    for (const std::vector<std::string>& kind : kinds) {
        const Files files;
        std::vector<std::string> arguments = kind;
        arguments.insert(arguments.end(), {"--model", files.model});
        const Outcome made = files.made(arguments);
        ASSERT_EQ(made.code, 0) << made.err;
        const Json result = files.run(true);
        EXPECT_EQ(result["stop"], "finished") << kind[0];
        EXPECT_EQ(result["ranks"].size(), 8u);
    }
}

TEST(WorkloadCommand, OneReplicaHasNothingToDivide)
{
    const Files files;
    const Outcome made = files.made({"training", "--model", files.model, "--tp", "2", "--zero", "1"});
    EXPECT_EQ(made.code, 2);
    EXPECT_EQ(made.err,
        "weft: option '--zero' with one replica, which has nobody to divide its state with; expected --dp 2 or more "
        "with it\n");
}

// A part of a set would be read as a smaller one.
TEST(WorkloadCommand, ASetThatCannotBeWrittenLeavesNothing)
{
    const Files files;
    std::filesystem::create_directory(files.prefix + "_groups.json");
    const Outcome made = files.made({"training", "--model", files.model, "--tp", "2", "--dp", "2"});
    EXPECT_EQ(made.code, 2);
    EXPECT_NE(made.err.find("t_groups.json"), std::string::npos) << made.err;
    for (const std::string& name : files.fixtures.names()) EXPECT_EQ(name.find(".et"), std::string::npos) << name;
}

TEST(WorkloadCommand, ATrainingStepRunsLineByLine)
{
    const Files files;
    ASSERT_EQ(files
                  .made({"training", "--model", files.model, "--tp", "2", "--pp", "2", "--dp", "2", "--zero", "1",
                      "--layers", "2", "--microbatches", "2"})
                  .code,
        0);
    const Json result = files.run(false);
    EXPECT_EQ(result["stop"], "finished");
    // Operations of the model are those that ended: the JSON of the traces says how many.
    const Outcome sums = call({"workload", "training", "--model", files.model, "--tp", "2", "--pp", "2", "--dp", "2",
        "--zero", "1", "--layers", "2", "--microbatches", "2", "--json", "-"});
    const Json said = Json::parse(sums.out);
    double all = 0;
    for (const auto& [work, operations] : said["operations"].items()) all += operations.get<double>();
    double counted = 0;
    for (const Json& part : result["energy"]["parts"])
        if (part["of"] == "operation") counted = part["events"].get<double>();
    EXPECT_EQ(counted, all);
}

TEST(WorkloadCommand, ABenchmarkListsEveryCollective)
{
    const Files files;
    const Outcome made =
        files.made({"micro", "--ops", "all_reduce,all_gather,broadcast", "--sizes", "4KiB:16KiB:4", "--ranks", "8"});
    ASSERT_EQ(made.code, 0);
    // Rank 0 is its root, which sends everything once.
    const std::size_t broadcast = made.out.find(" broadcast ");
    EXPECT_NE(made.out.substr(broadcast, made.out.find('\n', broadcast) - broadcast).find("20.48 KB    20.48 KB"),
        std::string::npos)
        << made.out;
    const Json result = files.run(false);
    ASSERT_EQ(result["collectives"].size(), 6u);
    EXPECT_EQ(result["collectives"][3]["op"], "all_gather");
    EXPECT_EQ(result["collectives"][3]["bytes"], 16384);
}

TEST(WorkloadCommand, ResNetAndRecommendationRunDataParallel)
{
    for (const char* model : {"resnet50", "dlrm_dot"}) {
        const Files files;
        ASSERT_EQ(files.made({"training", "--model", model, "--dp", "8", "--microbatch", "16"}).code, 0);
        EXPECT_EQ(files.run(true)["stop"], "finished");
    }
}

// A product of 64 x 256 by 256 x 512 on one array of 128 x 128, weight-stationary: 2 x 4 folds of 2 x 128 + 128 + 64 - 2 cycles of 1 ns.
TEST(WorkloadCommand, KernelsTakeTheCyclesOfASystolicArray)
{
    const Files files;
    ASSERT_EQ(files.made({"prefill", "--model", files.model, "--layers", "1"}).code, 0);
    const auto time = [&](const std::string& model) {
        return files
            .run(true,
                {"--set", "gpu.compute_model=" + model, "--set", "gpu.array_clock=1GHz", "--set",
                    "hbm.bandwidth=100TB/s"})["simulated_ps"]
            .get<std::uint64_t>();
    };
    const std::uint64_t cycle = 1000;
    const auto folds = [](std::uint64_t rows, std::uint64_t columns) {
        return (rows + 127) / 128 * ((columns + 127) / 128);
    };
    // qkv, out, up, down over 64 tokens; the logits of one token.
    const std::uint64_t fold = 2 * 128 + 128 + 64 - 2;
    const std::uint64_t products = (folds(256, 512) + folds(256, 256) + folds(256, 2048) + folds(1024, 256)) * fold +
        folds(256, 512) * (fold - 63);
    // The core of attention states no product: 2 x 64 x 64 x 512 operations at 989 TFLOP/s take 4.241 ns.
    EXPECT_EQ(time("weight_stationary"), products * cycle + 4241);
    EXPECT_LT(time("roofline"), time("weight_stationary"));
}

// Every command of docs/walk_step.md, with its traces in a folder of their own; of its output what the page shows.
TEST(WorkloadCommand, ListsModelsAndTheirPublishedFigures)
{
    const Outcome list = call({"workload", "--list"});
    EXPECT_EQ(list.code, 0);
    for (const char* part : {"llama3_70b", "70553706496", "70.6 B", "dense_parameters 2368897", "common knowledge"})
        EXPECT_NE(list.out.find(part), std::string::npos) << part;
}

TEST(WorkloadCommand, PrintsTheSameSumsWithoutWriting)
{
    const Outcome page =
        call({"workload", "training", "--model", "llama3_70b", "--tp", "8", "--pp", "4", "--microbatches", "8"});
    EXPECT_EQ(page.code, 0);
    for (const char* part :
        {"32 ranks = TP 8 x CP 1 x DP 1 x PP 4", "70.55 B", "640     85.9 GB    150.3 GB", "35.61 %", "not written"})
        EXPECT_NE(page.out.find(part), std::string::npos) << part << "\n" << page.out;
}

TEST(WorkloadCommand, WritesOverASetOfAsManyRanksButNotIntoALargerOne)
{
    const Files files;
    const auto made = [&](const char* ranks) { return files.made({"micro", "--sizes", "1KiB", "--ranks", ranks}); };
    EXPECT_EQ(made("4").code, 0);
    EXPECT_EQ(made("4").code, 0);
    EXPECT_EQ(made("8").code, 0);
    const Outcome out = made("2");
    EXPECT_EQ(out.code, 2);
    EXPECT_NE(out.err.find("t.2.et: belongs to an earlier set with more ranks; this set has 2"), std::string::npos)
        << out.err;
}

TEST(WorkloadCommand, AnInputIsNotReplacedByATrace)
{
    const Files files;
    // In the place of the second trace: the first would be written before it.
    const std::string model = files.fixtures.write("t.1.et", small);
    const std::vector<std::string> before = files.fixtures.names();
    const Outcome out = files.made({"training", "--model", model, "--dp", "2"});
    EXPECT_EQ(out.code, 2);
    EXPECT_EQ(out.err,
        model + ": is an input of this command and one of its outputs; expected another file for the output\n");
    EXPECT_EQ(files.fixtures.names(), before);
    EXPECT_EQ(files.fixtures.read("t.1.et"), small);
}

// One rank of a real data-parallel run of PyTorch, on four.
TEST(WorkloadCommand, ARecordedRankIsReplicated)
{
    const std::string recorded = std::string(WEFT_SHARED_DIR) + "/chakra/real_pytorch/ddp_rank.0.et";
    if (!std::filesystem::exists(recorded)) GTEST_SKIP() << "no conformance data";
    const Files files;
    ASSERT_EQ(files.made({"replicate", "--trace", recorded, "--ranks", "4"}).code, 0);
    const Json result = files.run(true);
    EXPECT_EQ(result["stop"], "finished");
    ASSERT_EQ(result["collectives"].size(), 7u);
    EXPECT_EQ(result["collectives"][6]["ranks"], 4);
}

TEST(WorkloadCommand, RefusesWhatCannotBeMade)
{
    const Files files;
    struct Case {
        std::vector<std::string> arguments;
        const char* said;
    };
    const std::vector<Case> cases{{{}, "the kind of workload is missing"}, {{"trainin"}, "did you mean 'training'?"},
        {{"training"}, "no model"}, {{"training", "--model", "llama"}, "unknown model 'llama'"},
        {{"training", "--model", "llama3_8b", "--tp", "3"}, "--tp 3 does not divide 32 heads"},
        {{"training", "--model", "llama3_8b", "--tp", "0"}, "'--tp' is out of range"},
        {{"decode", "--model", "llama3_8b"}, "the context of the decode step is missing"},
        {{"training", "--model", "llama3_8b", "--context", "4"}, "option '--context' with the workload training"},
        {{"micro", "--sp", "--ranks", "4"}, "option '--sp' with the workload micro"}, {{"micro"}, "no ranks"},
        {{"micro", "--ranks", "2", "--sizes", "0:8"}, "FROM at least 1 B"}, {{"replicate", "--ranks", "2"}, "no trace"},
        {{"replicate", "--ranks", "2", "--trace", "none.et"}, "none.et"},
        {{"training", "--model", "llama3_8b", "-o", "no_such_folder/x"}, "no such folder"},
        {{"training", "--model", "resnet50", "--tp", "2"}, "is data parallel"}};
    for (const Case& one : cases) {
        std::vector<std::string> arguments{"workload"};
        arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
        const Outcome out = call(arguments);
        EXPECT_EQ(out.code, 2) << one.said;
        EXPECT_EQ(out.out, "");
        EXPECT_NE(out.err.find(one.said), std::string::npos) << out.err;
    }
}

}  // namespace workload_command_test
