// The order of a pipeline, against what the schedules of Narayanan et al. promise.
#include <set>

#include <gtest/gtest.h>

#include "collectives/workload/model_reader.h"
#include "collectives/workload/pipeline_order.h"
#include "collectives/workload/pipeline_playback.h"
#include "collectives/workload/trace_report.h"

namespace pipeline_test {

using namespace weft::workload;
using weft::chakra::Node;
using weft::chakra::NodeType;

namespace {

std::vector<std::vector<Node>> stages_of(std::uint32_t stages, std::uint32_t chunks, std::uint64_t microbatches)
{
    const Model model = read_model("even",
        "model: even\nkind: transformer\nlayers: 16\nhidden: 64\nheads: 4\nffn: 256\nvocabulary: 512\nsequence: 32\n");
    Options options;
    options.parallel.pipeline = stages;
    options.parallel.interleave = chunks;
    options.microbatches = microbatches;
    const TraceJob job = training_job(model, options);
    std::vector<std::vector<Node>> out;
    for (const std::uint32_t rank : job.stages) out.push_back(job.trace(rank).nodes());
    return out;
}

// Layers alone: the same on each stage.
std::uint64_t layers_only(const Node& node)
{
    const bool of_layer = node.name.find(" l") != std::string::npos;
    return of_layer ? *node.num_ops : 0;
}

}  // namespace

TEST(PipelineOrder, DoesEveryMicrobatchOnceAndBackwardBehindForward)
{
    for (const std::uint32_t chunks : {1u, 2u, 3u})
        for (std::uint32_t stage = 0; stage < 4; ++stage) {
            std::set<std::pair<std::uint32_t, std::uint64_t>> open;
            std::size_t done = 0;
            for (const PipelineStep& step : pipeline_order(4, chunks, 8, stage)) {
                if (step.forward) {
                    EXPECT_TRUE(open.emplace(step.chunk, step.microbatch).second);
                } else {
                    EXPECT_EQ(open.erase({step.chunk, step.microbatch}), 1u);
                    ++done;
                }
                // Stage r never holds more than p - r microbatches.
                if (chunks == 1) {
                    EXPECT_LE(open.size(), 4 - stage);
                }
            }
            EXPECT_TRUE(open.empty());
            EXPECT_EQ(done, 8u * chunks);
        }
}

// (p - 1)/m, and 1/v of it with v chunks a stage, to the last operation.
TEST(PipelineBubble, IsThatOfTheFormula)
{
    for (const std::uint32_t p : {2u, 4u, 8u})
        for (const std::uint32_t v : {1u, 2u})
            for (const std::uint64_t m : {8u, 16u, 32u}) {
                const Playback played = play(stages_of(p, v, m), layers_only);
                const std::uint64_t ideal = played.busy.front();
                for (const std::uint64_t busy : played.busy) EXPECT_EQ(busy, ideal);
                EXPECT_EQ((played.end - ideal) * v * m, ideal * (p - 1)) << p << " " << v << " " << m;
            }
}

TEST(PipelineBubble, OfTheReportStandsBesideTheFormula)
{
    Options options;
    options.parallel.pipeline = 4;
    options.microbatches = 8;
    const TraceReport report = carry_out(training_job(load_model("llama3_70b"), options), {});
    ASSERT_TRUE(report.bubble);
    EXPECT_DOUBLE_EQ(report.bubble_formula, 3.0 / 8);
    // The logits make the last stage longer than the others, which the formula does not know.
    EXPECT_LT(*report.bubble, 3.0 / 8);
    EXPECT_GT(*report.bubble, 0.3);
}

// A stage that answers before it asks: the playback must find it.
TEST(PipelineBubble, OfStagesThatWaitForEachOtherIsRefused)
{
    auto stages = stages_of(2, 1, 2);
    for (const Node& node : stages[0])
        if (node.type == NodeType::recv) {
            Node moved = node;
            moved.id = 1'000'000;
            moved.data_deps.clear();
            stages[0].insert(stages[0].begin(), moved);
            break;
        }
    EXPECT_THROW(play(stages, layers_only), std::logic_error);
}

TEST(PipelineOrder, TakesWhatDoesNotDivideFromTheEnds)
{
    EXPECT_EQ(layers_of_chunks(8, 4), (std::vector<std::uint64_t>{2, 2, 2, 2}));
    EXPECT_EQ(layers_of_chunks(126, 16).front(), 7u);  // Llama 3 405B, as it was trained
    EXPECT_EQ(layers_of_chunks(126, 16).back(), 7u);
    EXPECT_EQ(layers_of_chunks(126, 16)[5], 8u);
    EXPECT_EQ(layers_of_chunks(61, 16), (std::vector<std::uint64_t>{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3}));
}

}  // namespace pipeline_test
