#include <algorithm>
#include <memory>

#include "base/units.h"
#include "collectives/workload/checks.h"
#include "collectives/workload/data_parallel.h"
#include "collectives/workload/kernels.h"
#include "collectives/workload/pipeline_order.h"
#include "collectives/workload/trace_job.h"
#include "collectives/workload/training.h"

namespace weft::workload {

namespace {

struct TrainingShared {
    Model model;
    Options options;
    RankGrid grid;
};

// A bucket that is smaller than every layer is one layer.
void note_bucket(const Transformer& model, const Options& options, std::vector<std::string>& out)
{
    if (!options.bucket_asked) return;
    if (options.parallel.zero == 3) {
        out.push_back("--bucket changes nothing: --zero 3 reduces the gradients of every layer by themselves");
        return;
    }
    const LayerKernels kernels(model, options);
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint64_t layer = 0; layer < model.layers; ++layer)
        least = std::min(least, kernels.dense_parameters_on_rank(layer) * options.gradient_bytes);
    if (options.bucket_bytes < least)
        out.push_back("--bucket " + format_bytes(options.bucket_bytes) + " is less than the gradients of a layer, " +
            format_bytes(least) + ": every layer is reduced by itself");
}

// "3, 3, 2"
std::string parts_text(const std::vector<std::uint64_t>& layers)
{
    std::string text;
    for (const std::uint64_t part : layers) text += (text.empty() ? "" : ", ") + std::to_string(part);
    return text;
}

std::vector<std::string> training_notices(const Transformer& model, const Options& options)
{
    std::vector<std::string> out;
    const std::uint32_t tensor = options.parallel.tensor;
    if (model.vocabulary % tensor != 0)
        out.push_back("the vocabulary of " + std::to_string(model.vocabulary) + " is padded to a multiple of --tp " +
            std::to_string(tensor));
    const std::uint32_t chunks = options.parallel.pipeline * options.parallel.interleave;
    if (model.layers % chunks != 0)
        out.push_back(std::to_string(model.layers) + " layers over " + std::to_string(chunks) +
            " parts of the pipeline: " + parts_text(layers_of_chunks(model.layers, chunks)));
    if (!model.latent.used() && tensor > model.kv_heads)
        out.push_back("each key head has " + std::to_string(tensor / model.kv_heads) + " copies: --tp " +
            std::to_string(tensor) + " for " + std::to_string(model.kv_heads) + " of them");
    note_bucket(model, options, out);
    if (model.experts > 0) out.push_back("tokens are spread over the experts evenly");
    return out;
}

}  // namespace

TraceJob training_job(const Model& model, const Options& options)
{
    TraceJob job;
    const Parallel& parallel = options.parallel;
    if (model.kind != ModelKind::transformer) {
        require_data_parallel(options,
            model.kind == ModelKind::dlrm ? "a recommendation model" : "a convolutional network");
    } else {
        require_divisible(model.transformer, options, "training");
        job.notices = training_notices(model.transformer, options);
        job.pipeline = parallel.pipeline;
        job.interleave = parallel.interleave;
        job.microbatches = options.microbatches;
    }
    const auto shared = std::make_shared<const TrainingShared>(TrainingShared{model, options, RankGrid(parallel)});
    job.ranks = parallel.ranks();
    job.groups = shared->grid.groups();
    for (std::uint32_t stage = 0; stage < parallel.pipeline; ++stage) {
        Coordinates at;
        at.pipeline = stage;
        job.stages.push_back(shared->grid.rank(at));
    }
    job.trace = [shared](std::uint32_t rank) {
        switch (shared->model.kind) {
        case ModelKind::dlrm: return dlrm_trace(shared->model.dlrm, shared->options, shared->grid, rank);
        case ModelKind::cnn: return cnn_trace(shared->model.cnn, shared->options, shared->grid, rank);
        case ModelKind::transformer: break;
        }
        return training_trace(shared->model.transformer, shared->options, shared->grid, rank);
    };
    return job;
}

}  // namespace weft::workload
