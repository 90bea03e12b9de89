#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/workload/model_reader.h"
#include "collectives/workload/parameters.h"
#include "collectives/workload/trace_report.h"

namespace inference_test {

using namespace weft;
using namespace weft::workload;

namespace {

CommunicationSum sum_of(const TraceReport& report, const std::string& scheme, const std::string& operation)
{
    CommunicationSum out;
    for (const auto& [key, sum] : report.communication)
        if (key.scheme == scheme && key.operation == operation) {
            out.count += sum.count;
            out.bytes += sum.bytes;
        }
    return out;
}

Options sized(std::uint32_t tensor, std::uint32_t pipeline, std::uint64_t batch)
{
    Options options;
    options.parallel.tensor = tensor;
    options.parallel.pipeline = pipeline;
    options.microbatch = batch;
    return options;
}

}  // namespace

// 2 L all-reduces of q B h: Llama 3 70B with 64 sequences has 160 of 1 MiB.
TEST(Decode, OfLlamaReducesAMebibyte160TimesAStep)
{
    Options options = sized(8, 1, 64);
    options.cached = 4096;
    const TraceReport report = carry_out(decode_job(load_model("llama3_70b"), options), {});
    const auto sum = report.first.communication.at({"tensor", "all_reduce", 8});
    EXPECT_EQ(sum.count, 160u);
    EXPECT_EQ(sum.bytes, 160u << 20);
}

// Operations and bytes of a step: 2 N of the matrices and 4 L ctx a d a token; weights once, caches of all sequences.
TEST(Decode, ReadsWeightsOnceAndCachesOfAllSequences)
{
    const Model model = load_model("llama3_8b");
    Options options = sized(1, 1, 16);
    options.cached = 999;
    const TraceReport report = carry_out(decode_job(model, options), {});
    EXPECT_EQ(report.operations[0], 16.0 * static_cast<double>(forward_operations(model.transformer, 1000)));
    const Transformer& t = model.transformer;
    std::uint64_t weights =
        2 * (parameters(t) - input_parameters(t) - (2 * t.layers + 1) * t.hidden);  // norms are not kernels
    const std::uint64_t caches = 16 * 1000 * 131'072ull;
    std::uint64_t activations = 0;
    for (std::uint64_t layer = 0; layer < t.layers; ++layer)
        activations += 2 * 16 * ((4096 + 6144) + (4096 + 4096) + (4096 + 4096) + (4096 + 28672) + (14336 + 4096));
    activations += 2 * 16 * (4096 + 128256);
    EXPECT_EQ(report.first.memory_bytes[0], weights + caches + activations);
}

TEST(Decode, OfAPipelineHandsTokensBack)
{
    Options options = sized(1, 4, 8);
    options.cached = 128;
    options.steps = 3;
    options.microbatches = 2;
    const TraceReport report = carry_out(decode_job(load_model("llama3_8b"), options), {});
    EXPECT_EQ(sum_of(report, "tokens", "send").count, 2u * 2);  // not behind the last step
    EXPECT_EQ(sum_of(report, "tokens", "send").bytes, 2u * 2 * 8 * 4);
    EXPECT_EQ(sum_of(report, "pipeline", "send").count, 3u * 3 * 2);
}

// Experts that 8 of 256 tokens each meet: E (1 - (1 - K/E)^B) of them are read.
TEST(Decode, ReadsTheExpertsThatItsTokensMeet)
{
    const Model model = load_model("deepseek_v3");
    const auto expert_bytes = [&](std::uint64_t batch) {
        Options options = sized(1, 1, batch);
        options.cached = 100;
        std::uint64_t bytes = 0;
        const TraceJob job = decode_job(model, options);
        const RankTrace trace = job.trace(0);
        for (const auto& node : trace.nodes())
            if (node.name.rfind("experts_", 0) == 0)
                bytes += *node.tensor_size -
                    2 * batch * 8 * (node.name.rfind("experts_up", 0) == 0 ? 7168 + 4096 : 2048 + 7168);
        return bytes;
    };
    for (const std::uint64_t batch : {1u, 16u, 256u}) {
        const double met = 256 * (1 - std::pow(1 - 8.0 / 256, static_cast<double>(batch)));
        EXPECT_EQ(expert_bytes(batch), 58 * static_cast<std::uint64_t>(std::llround(met)) * 2 * 44'040'192ull) << batch;
    }
}

TEST(Prefill, WorksOnWholePromptsAndMakesOneTokenOfEach)
{
    const Model model = load_model("llama3_8b");
    Options options = sized(4, 2, 2);
    options.sequence = 512;
    options.microbatches = 3;
    const TraceReport report = carry_out(prefill_job(model, options), {});
    const Transformer& t = model.transformer;
    const double prompts = 3 * 2;
    const double logits = 2.0 * static_cast<double>(t.hidden * t.vocabulary);
    EXPECT_EQ(report.operations[0],
        prompts * (512 * (static_cast<double>(forward_operations(t, 512)) - logits) + logits));
    EXPECT_EQ(report.operations[1] + report.operations[2] + report.operations[3], 0);
}

// A token's cache of Llama 3 70B is 327,680 B: 8,192 tokens are 2.68 GB, however the two sides divide its heads.
TEST(Disaggregated, MovesTheWholeCacheOnceWhateverTheDivision)
{
    const Model model = load_model("llama3_70b");
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> divisions{{8, 8}, {8, 4}, {2, 8}, {1, 1}};
    for (const auto& [from, to] : divisions) {
        Disaggregated options{sized(from, 1, 1), sized(to, 1, 1)};
        options.prefill.sequence = 8192;
        const TraceJob job = disaggregated_job(model, options);
        EXPECT_EQ(job.ranks, from + to);
        EXPECT_EQ(sum_of(carry_out(job, {}), "cache", "send").bytes, 8192u * 327'680ull) << from << " to " << to;
    }
}

// With more ranks than heads, each that decodes gets the copy that it needs; the latent cache of DeepSeek goes to every rank.
TEST(Disaggregated, SendsCopiesWhereTheyAreNeeded)
{
    Disaggregated options{sized(16, 1, 1), sized(16, 1, 1)};
    options.prefill.sequence = 1024;
    EXPECT_EQ(sum_of(carry_out(disaggregated_job(load_model("llama3_70b"), options), {}), "cache", "send").bytes,
        2 * 1024u * 327'680ull);
    Disaggregated latent{sized(4, 1, 1), sized(2, 1, 1)};
    latent.prefill.sequence = 1024;
    EXPECT_EQ(sum_of(carry_out(disaggregated_job(load_model("deepseek_v3"), latent), {}), "cache", "send").bytes,
        2 * 1024u * 70'272ull);
}

TEST(Disaggregated, SharesBatchesOutEvenly)
{
    Disaggregated options{sized(1, 1, 4), sized(1, 1, 1)};
    options.prefill.parallel.data = 3;
    options.prefill.microbatches = 2;
    options.prefill.sequence = 64;
    options.decode.parallel.data = 2;
    options.decode.steps = 2;
    const TraceJob job = disaggregated_job(load_model("llama3_8b"), options);
    EXPECT_EQ(job.ranks, 5u);
    // Each instance that decodes has 3 batches of 4 sequences.
    for (const std::uint32_t rank : {3u, 4u}) {
        const RankTrace trace = job.trace(rank);
        for (const auto& node : trace.nodes())
            if (node.name.rfind("qkv", 0) == 0) {
                EXPECT_EQ(node.product.m, 12u);
            }
    }
    options.decode.parallel.data = 4;
    EXPECT_THROW(disaggregated_job(load_model("llama3_8b"), options), InputError);
}

TEST(Inference, OfOtherModelsIsRefused)
{
    EXPECT_THROW(prefill_job(load_model("resnet50"), Options()), InputError);
    EXPECT_THROW(decode_job(load_model("dlrm_dot"), Options()), InputError);
}

}  // namespace inference_test
