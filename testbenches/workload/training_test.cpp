// Sums over the traces of a training step, against closed forms written independently of how traces are made.
#include <array>
#include <map>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/workload/model_reader.h"
#include "collectives/workload/parameters.h"
#include "collectives/workload/trace_report.h"

namespace training_test {

using namespace weft;
using namespace weft::workload;
using chakra::CollectiveType;
using chakra::NodeType;

namespace {

Model small()
{
    return read_model("small",
        "model: small\nkind: transformer\nlayers: 8\nhidden: 64\nheads: 8\nkv_heads: 4\nffn: 256\nvocabulary: "
        "512\nsequence: 32\n");
}

Model with_experts()
{
    return read_model("experts",
        "model: experts\nkind: transformer\nlayers: 4\nhidden: 64\nheads: 8\nexperts: 8\ntop_k: 2\nexpert_ffn: "
        "128\nvocabulary: 512\nsequence: 32\n");
}

TraceReport report_of(const Model& model, const Options& options)
{
    return carry_out(training_job(model, options), {});
}

double all(const TraceReport& report, Work work) { return report.operations[static_cast<std::size_t>(work)]; }

CommunicationSum sum_of(const TraceReport& report, const std::string& scheme, const std::string& operation)
{
    CommunicationSum out;
    for (const auto& [key, sum] : report.communication)
        if (key.scheme == scheme && key.operation == operation) {
            out.count += sum.count;
            out.bytes += sum.bytes;
            out.sent += sum.sent;
        }
    return out;
}

// Heads and widths divide, so that nothing is computed twice.
Options divided(std::uint32_t tensor, std::uint32_t pipeline, std::uint32_t data, std::uint32_t context,
    std::uint64_t microbatches)
{
    Options options;
    options.parallel.tensor = tensor;
    options.parallel.pipeline = pipeline;
    options.parallel.data = data;
    options.parallel.context = context;
    options.microbatches = microbatches;
    options.microbatch = 2;
    return options;
}

std::string refusal(const Model& model, const Options& options)
{
    try {
        training_job(model, options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(TrainingOperations, AreThoseOfTheWholeModelHoweverItIsDivided)
{
    const Model model = small();
    const std::vector<std::array<std::uint32_t, 4>> shapes{{1, 1, 1, 1}, {4, 2, 1, 1}, {2, 4, 2, 1}, {2, 2, 2, 2},
        {1, 8, 1, 4}};
    for (const auto& [t, p, n, c] : shapes)
        for (const bool sequence : {false, true})
            for (const std::uint32_t zero : {0u, 1u, 2u, 3u}) {
                Options options = divided(t, p, n, c, 8);
                options.parallel.sequence = sequence;
                options.parallel.zero = zero;
                const TraceReport report = report_of(model, options);
                const double tokens = 32.0 * 2 * 8 * n;
                const double forward = tokens * static_cast<double>(forward_operations(model.transformer, 32));
                EXPECT_EQ(all(report, Work::forward), forward);
                EXPECT_EQ(all(report, Work::backward), 2 * forward);
                EXPECT_EQ(all(report, Work::recompute), 0);
            }
}

// 96 B s L h^2 (1 + s/6h + V/16Lh) with full recomputation, 24.8 s of 1536 A100 at 148 TFLOP/s: table 1 of Narayanan et al.
TEST(TrainingOperations, GiveTheStepTimesOfNarayanan)
{
    struct Row {
        const char* model;
        double gpus, batch, tflops, seconds;
    };
    const std::vector<Row> rows{{"megatron_145b", 1536, 2304, 148, 24.8}, {"megatron_310b", 1920, 2160, 155, 37.6},
        {"megatron_530b", 2520, 2520, 163, 54.1}, {"megatron_1t", 3072, 3072, 163, 102.6}};
    for (const Row& row : rows) {
        Options options = divided(1, 1, 1, 1, 1);
        options.microbatch = 1;
        options.recompute = Recompute::full;
        const Model model = load_model(row.model);
        const TraceReport report = report_of(model, options);
        const double one = all(report, Work::forward) + all(report, Work::backward) + all(report, Work::recompute);
        const double h = static_cast<double>(model.transformer.hidden);
        const double L = static_cast<double>(model.transformer.layers);
        EXPECT_NEAR(one / (96 * 2048 * L * h * h * (1 + 2048 / (6 * h) + 51200 / (16 * L * h))), 1, 1e-12) << row.model;
        EXPECT_NEAR(one * row.batch / (row.gpus * row.tflops * 1e12), row.seconds, 0.05) << row.model;
    }
}

TEST(TrainingOperations, OfSelectiveRecomputationAreTheCoreOfAttention)
{
    Options options = divided(2, 2, 1, 1, 4);
    options.recompute = Recompute::selective;
    const double tokens = 32.0 * 2 * 4;
    EXPECT_EQ(all(report_of(small(), options), Work::recompute), tokens * 8 * 4 * 32 * 64);
    options.causal_half = true;
    EXPECT_EQ(all(report_of(small(), options), Work::recompute), tokens * 8 * 2 * 32 * 64);
}

TEST(TrainingCommunication, OfTensorParallelismIsTwoForwardsAndTwoBackwardsALayer)
{
    const std::uint64_t s = 2 * 32 * 64 * 2;  // q b s h
    Options options = divided(4, 2, 1, 1, 6);
    const CommunicationSum reduced = sum_of(report_of(small(), options), "tensor", "all_reduce");
    const std::uint64_t members = 4 * 6 * 8;  // ranks, microbatches, layers
    EXPECT_EQ(reduced.count, 4 * members);
    EXPECT_EQ(reduced.bytes, 4 * members * s);
    EXPECT_EQ(reduced.sent, 4 * members * s * 2 * 3 / 4);
    options.recompute = Recompute::full;
    EXPECT_EQ(sum_of(report_of(small(), options), "tensor", "all_reduce").count, 6 * members);
    options.recompute = Recompute::none;
    options.parallel.sequence = true;
    const TraceReport report = report_of(small(), options);
    for (const char* operation : {"all_gather", "reduce_scatter"}) {
        EXPECT_EQ(sum_of(report, "tensor", operation).count, 4 * members);
        EXPECT_EQ(sum_of(report, "tensor", operation).bytes, 4 * members * s);
        EXPECT_EQ(sum_of(report, "tensor", operation).sent,
            4 * members * s * 3 / 4);  // together as much as the all-reduce
    }
}

TEST(TrainingCommunication, OfAPipelineIsOneSendEachWayAndBoundary)
{
    for (const std::uint32_t interleave : {1u, 2u})
        for (const bool sequence : {false, true}) {
            Options options = divided(2, 4, 1, 1, 8);
            options.parallel.interleave = interleave;
            options.parallel.sequence = sequence;
            const CommunicationSum sent = sum_of(report_of(small(), options), "pipeline", "send");
            const std::uint64_t boundaries = 4 * interleave - 1;
            EXPECT_EQ(sent.count, 2 * boundaries * 8 * 2);
            EXPECT_EQ(sent.bytes, 2 * boundaries * 8 * 2 * (2 * 32 * 64 * 2) / (sequence ? 2 : 1));
        }
}

// Padding is to four elements for each shard.
TEST(TrainingCommunication, OfReplicasFollowsTheStageOfZero)
{
    const Model model = small();
    const std::uint64_t all_parameters = parameters(model);
    const std::uint64_t m = 3;
    for (const std::uint32_t zero : {0u, 1u, 2u, 3u}) {
        Options options = divided(1, 1, 4, 1, m);
        options.parallel.zero = zero;
        options.bucket_bytes = 1;  // every part by itself
        const TraceReport report = report_of(model, options);
        ASSERT_EQ(all_parameters % 16, 0u);
        const std::uint64_t n = 4;
        EXPECT_EQ(sum_of(report, "data", "all_reduce").bytes, zero == 0 ? n * 4 * all_parameters : 0);
        EXPECT_EQ(sum_of(report, "data", "reduce_scatter").bytes,
            zero == 0 ? 0 : n * 4 * all_parameters * (zero == 1 ? 1 : m));
        // ZeRO-3 gathers everything forwards, and all but the input table backwards.
        const std::uint64_t input = 512 * 64;
        const std::uint64_t gathered = zero == 0 ? 0 : zero == 3 ? m * (2 * all_parameters - input) : all_parameters;
        EXPECT_EQ(sum_of(report, "parameters", "all_gather").bytes, n * 2 * gathered) << zero;
    }
}

TEST(TrainingCommunication, BucketsHoldAsMuchAsAsked)
{
    Options options = divided(1, 1, 2, 1, 1);
    options.bucket_bytes = 1 << 30;
    EXPECT_EQ(sum_of(report_of(small(), options), "data", "all_reduce").count, 2u);
    options.bucket_bytes = 1;
    EXPECT_EQ(sum_of(report_of(small(), options), "data", "all_reduce").count, 2u * (8 + 2));
}

// Also of a pipeline with two chunks a stage, whose backward passes take turns.
TEST(TrainingCommunication, BucketsOfZeROTwoHoldOneMicrobatch)
{
    for (const std::uint32_t interleave : {1u, 2u}) {
        Options options = divided(1, 2, 2, 1, 4);
        options.parallel.zero = 2;
        options.parallel.interleave = interleave;
        options.bucket_bytes = 1 << 30;
        const TraceReport report = report_of(small(), options);
        EXPECT_EQ(sum_of(report, "data", "reduce_scatter").count, 4u * 4 * interleave);
        EXPECT_EQ(sum_of(report, "data", "reduce_scatter").bytes, 2u * 4 * 4 * parameters(small()));
    }
}

TEST(TrainingCommunication, ABucketBelowALayerIsTold)
{
    Options options = divided(1, 1, 2, 1, 1);
    const auto told = [&] {
        const std::vector<std::string> notices = training_job(small(), options).notices;
        return notices.empty() ? std::string() : notices.front();
    };
    options.bucket_bytes = 1024;
    EXPECT_EQ(told(), "");
    options.bucket_asked = true;
    EXPECT_NE(told().find("--bucket 1 KiB is less than the gradients of a layer"), std::string::npos) << told();
    options.bucket_bytes = 1 << 20;
    EXPECT_EQ(told(), "");
    options.parallel.zero = 3;
    EXPECT_NE(told().find("--bucket changes nothing"), std::string::npos) << told();
}

TEST(TrainingCommunication, UnequalPartsOfThePipelineAreTold)
{
    const auto told = [](std::uint64_t layers, std::uint32_t stages) {
        Model model = small();
        model.transformer.layers = layers;
        Options options = divided(1, stages, 1, 1, 4);
        const std::vector<std::string> notices = training_job(model, options).notices;
        return notices.empty() ? std::string() : notices.front();
    };
    EXPECT_EQ(told(8, 4), "");
    EXPECT_EQ(told(8, 3), "8 layers over 3 parts of the pipeline: 3, 3, 2");
    EXPECT_EQ(told(9, 4), "9 layers over 4 parts of the pipeline: 2, 3, 2, 2");
    EXPECT_EQ(told(10, 4), "10 layers over 4 parts of the pipeline: 2, 3, 3, 2");
}

TEST(TrainingCommunication, OfContextIsARingOrAGather)
{
    Options options = divided(1, 1, 1, 4, 2);
    const std::uint64_t keys_values = 2 * 2 * 2 * 32 * (4 * 8);  // 2 q b s k d
    const std::uint64_t layers = 8 * 2;                          // times microbatches
    const CommunicationSum ring = sum_of(report_of(small(), options), "context", "send");
    EXPECT_EQ(ring.count, layers * 4 * 3 * 2);
    EXPECT_EQ(ring.bytes, layers * 3 * keys_values * (1 + 2));
    options.parallel.context_kind = ContextKind::all_gather;
    const TraceReport gathered = report_of(small(), options);
    EXPECT_EQ(sum_of(gathered, "context", "all_gather").bytes, layers * 4 * keys_values);
    EXPECT_EQ(sum_of(gathered, "context", "reduce_scatter").bytes, layers * 4 * keys_values);
}

TEST(TrainingCommunication, OfExpertsIsTwoExchangesEachWay)
{
    Options options = divided(1, 2, 4, 1, 2);
    options.parallel.expert = 4;
    TraceReport report = report_of(with_experts(), options);
    const std::uint64_t tokens = 2 * 32;
    const std::uint64_t members = 4 * 4 * 2;  // ranks of a stage, layers, microbatches
    EXPECT_EQ(sum_of(report, "expert", "all_to_all").count, 4 * members);
    EXPECT_EQ(sum_of(report, "expert", "all_to_all").bytes, 4 * members * tokens * 2 * 64 * 2);
    // With tensor and sequence parallelism each rank exchanges its own tokens, and the group gathers the routed ones.
    options.parallel.tensor = 2;
    options.parallel.sequence = true;
    report = report_of(with_experts(), options);
    EXPECT_EQ(sum_of(report, "expert", "all_to_all").bytes, 4 * members * tokens * 2 * 64 * 2);
    const std::uint64_t of_attention = 2 * 2 * members * tokens * 64 * 2;
    const std::uint64_t of_experts = 2 * 2 * members * tokens * 64 * 2 * 2;
    EXPECT_EQ(sum_of(report, "tensor", "all_gather").bytes, of_attention + of_experts);
    // However they are spread, experts work on each token twice.
    const double once = static_cast<double>(forward_operations(with_experts().transformer, 32)) * 32 * 2 * 2 * 4;
    EXPECT_EQ(all(report, Work::forward), once);
}

TEST(TrainingCommunication, GradientsOfExpertsGoToThoseThatHaveThem)
{
    Options options = divided(1, 1, 4, 1, 1);
    options.parallel.expert = 2;
    const TraceReport report = report_of(with_experts(), options);
    const Transformer model = with_experts().transformer;
    const std::uint64_t experts = 4 * 8 * expert_parameters(model);
    std::map<std::uint32_t, std::uint64_t> by_ranks;
    for (const auto& [key, sum] : report.communication)
        if (key.scheme == "data") by_ranks[key.ranks] += sum.bytes;
    EXPECT_EQ(by_ranks[2], 4 * 4 * experts / 2);
    EXPECT_EQ(by_ranks[4], 4 * 4 * (parameters(model) - experts));
}

TEST(TrainingCommunication, OfATiedTableJoinsTheEndsOfThePipeline)
{
    Options options = divided(1, 2, 1, 1, 2);
    Model model = small();
    EXPECT_EQ(sum_of(report_of(model, options), "embedding", "all_reduce").count, 0u);
    model.transformer.tied = true;
    EXPECT_EQ(sum_of(report_of(model, options), "embedding", "all_reduce").bytes, 2u * 4 * 512 * 64);
}

// DeepSeek-V3 on 2,048 GPUs with PP 16, EP 64 and ZeRO-1 (its report): a rank can be made, and its experts are a 64th.
TEST(TrainingShapes, OfDeepSeekAreMadeAsItWasTrained)
{
    Options options = divided(1, 16, 128, 1, 16);
    options.parallel.expert = 64;
    options.parallel.zero = 1;
    options.microbatch = 1;
    const Model model = load_model("deepseek_v3");
    const TraceJob job = training_job(model, options);
    EXPECT_EQ(job.ranks, 2048u);
    const RankTrace trace = job.trace(2047);
    EXPECT_GT(trace.nodes().size(), 1000u);
    const RankTrace middle = job.trace(128 * 8);
    EXPECT_EQ(middle.ledger().parameters,
        4 * (dense_parameters(model.transformer, 30) + 4 * expert_parameters(model.transformer)));
}

TEST(TrainingShapes, ThatDoNotDivideAreRefused)
{
    const Model model = small();
    EXPECT_NE(refusal(model, divided(3, 1, 1, 1, 1)).find("--tp 3 does not divide 8 heads"), std::string::npos);
    EXPECT_NE(refusal(model, divided(1, 9, 1, 1, 1)).find("9 parts of a pipeline for 8 layers"), std::string::npos);
    EXPECT_NE(refusal(model, divided(1, 1, 1, 5, 1)).find("--cp 5 does not divide 32 tokens"), std::string::npos);
    Options options = divided(1, 2, 1, 1, 3);
    options.parallel.interleave = 2;
    EXPECT_NE(refusal(model, options).find("--pp 2 does not divide 3 microbatches"), std::string::npos);
    options = divided(2, 1, 2, 1, 1);
    options.parallel.expert = 2;
    EXPECT_NE(refusal(model, options).find("--ep, but the model has no experts"), std::string::npos);
    EXPECT_NE(refusal(with_experts(), options).find("sends every token 2 times"), std::string::npos);
    EXPECT_NE(refusal(model, divided(8, 8, 2048, 2, 1)).find("262144 ranks"), std::string::npos);
}

}  // namespace training_test
