#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/workload/model_reader.h"
#include "collectives/workload/parameters.h"
#include "collectives/workload/trace_report.h"

namespace data_parallel_test {

using namespace weft;
using namespace weft::workload;

namespace {

TraceReport report_of(const char* model, std::uint32_t ranks, std::uint64_t batch, std::uint64_t element)
{
    Options options;
    options.parallel.data = ranks;
    options.microbatch = batch;
    options.element_bytes = element;
    return carry_out(training_job(load_model(model), options), {});
}

}  // namespace

// All-to-all of the pooled vectors, B x 26 x 128 x 4 bytes in all and each way; all-reduce of 9.5 or 64 MB.
TEST(RecommendationStep, ExchangesVectorsAndReducesDenseGradients)
{
    const std::vector<std::pair<const char*, std::uint64_t>> models{{"dlrm_dot", 2'368'897},
        {"dlrm_dcnv2", 16'044'545}};
    for (const auto& [name, dense] : models) {
        const TraceReport report = report_of(name, 8, 256, 4);
        const auto exchanged = report.communication.at({"embedding", "all_to_all", 8});
        EXPECT_EQ(exchanged.count, 2u * 8);
        EXPECT_EQ(exchanged.bytes, 2u * (8 * 256) * 26 * 128 * 4);
        const auto reduced = report.first.communication.at({"data", "all_reduce", 8});
        EXPECT_EQ(reduced.bytes, 4 * dense);
    }
}

TEST(RecommendationStep, ComputesItsLayersForwardsAndTwiceBackwards)
{
    const TraceReport report = report_of("dlrm_dot", 4, 64, 4);
    const Dlrm model = load_model("dlrm_dot").dlrm;
    const double samples = 4 * 64;
    const double look_ups = 26 * 128;  // additions
    EXPECT_EQ(report.operations[0], samples * (static_cast<double>(forward_operations(model)) + look_ups));
    // The first layer has no gradient of its input.
    EXPECT_EQ(report.operations[1],
        samples * (2 * static_cast<double>(forward_operations(model)) - 2 * 13 * 512 + look_ups));
}

// 102,228,128 B of gradients in fp32.
TEST(ConvolutionStep, ReducesTheGradientsOfResNet)
{
    const TraceReport report = report_of("resnet50", 8, 32, 2);
    const auto reduced = report.first.communication.at({"data", "all_reduce", 8});
    EXPECT_EQ(reduced.bytes, 102'228'128u);
    EXPECT_GT(reduced.count, 2u);
    const Cnn model = load_model("resnet50").cnn;
    const double images = 8 * 32;
    const double first = 2.0 * 112 * 112 * 49 * 3 * 64;
    EXPECT_EQ(report.operations[0], images * static_cast<double>(forward_operations(model)));
    EXPECT_EQ(report.operations[1], images * (2 * static_cast<double>(forward_operations(model)) - first));
}

TEST(ConvolutionStep, IsDataParallelAlone)
{
    Options options;
    options.parallel.tensor = 2;
    EXPECT_THROW(training_job(load_model("resnet50"), options), InputError);
}

}  // namespace data_parallel_test
