// Inference of a transformer: prompts, single tokens, and both on ranks of their own.
#include <algorithm>
#include <memory>

#include "base/diagnostic.h"
#include "collectives/workload/checks.h"
#include "collectives/workload/layer_writer.h"
#include "collectives/workload/pipeline_order.h"
#include "collectives/workload/rank_grid.h"
#include "collectives/workload/trace_job.h"

namespace weft::workload {

namespace {

constexpr std::uint64_t token_bytes = 4;  // an index of the vocabulary

// A model, options and grid that the traces of a job share.
struct Shared {
    Transformer model;
    Options options;
    RankGrid grid;

    Shared(const Transformer& of, const Options& with, std::uint32_t first = 0)
        : model(of), options(with), grid(with.parallel, first)
    {
    }
    std::uint64_t sequence() const { return options.sequence > 0 ? options.sequence : model.sequence; }
    Pass prompts() const
    {
        return {options.microbatch * sequence() / options.parallel.context, options.microbatch, sequence(),
            options.causal_half};
    }
    Pass step(std::uint64_t sequences, std::uint64_t number) const
    {
        return {sequences, sequences, options.cached + number, false};
    }
};

// Batches through the stages of a pipeline, forwards alone.
class ForwardWriter {
public:
    ForwardWriter(const Shared& shared, std::uint32_t rank)
        : shared_(shared), at_(shared.grid.coordinates(rank)), trace_(rank),
          writer_(shared.model, shared.options, shared.grid, trace_),
          layers_(layers_of_chunks(shared.model.layers, shared.options.parallel.pipeline))
    {
    }

    RankTrace& trace() { return trace_; }
    const LayerKernels& kernels() const { return writer_.kernels(); }

    // `after_layer` may add nodes beside the chain.
    template <class AfterLayer>
    void pass(const Pass& pass, std::uint64_t number, bool feeds_back, const AfterLayer& after_layer)
    {
        const std::string batch = " b" + std::to_string(number);
        const Parallel& parallel = shared_.options.parallel;
        const std::uint64_t bytes = shared_.options.element_bytes * pass.tokens * shared_.model.hidden /
            (parallel.sequence ? parallel.tensor : 1);
        const auto tag = static_cast<std::uint32_t>(number + 1);
        std::uint64_t layer = 0;
        for (std::uint32_t stage = 0; stage < at_.pipeline; ++stage) layer += layers_[stage];
        if (at_.pipeline > 0)
            trace_.join({trace_.receive("activations" + batch, stage(at_.pipeline - 1), tag, bytes, trace_.tail())});
        for (std::uint64_t i = 0; i < layers_[at_.pipeline]; ++i, ++layer) {
            writer_.forward(layer, pass, " l" + std::to_string(layer) + batch, Work::forward);
            after_layer(layer);
        }
        const bool last = at_.pipeline + 1 == parallel.pipeline;
        if (!last) {
            trace_.send("pipeline", "activations" + batch, stage(at_.pipeline + 1), tag, bytes, trace_.tail());
            return;
        }
        // Logits of each sequence's last token.
        Pass ends = pass;
        ends.tokens = pass.sequences;
        const Kernel logits = kernels().logits(ends);
        trace_.compute(logits.name + batch, logits, Work::forward);
        if (feeds_back && parallel.pipeline > 1)
            trace_.send("tokens", "tokens" + batch, stage(0), tag, token_bytes * pass.sequences, trace_.tail());
    }

    // The output of the last stage for a batch is the input of the batch's next step.
    void wait_for_tokens(std::uint64_t number, std::uint64_t sequences)
    {
        if (shared_.options.parallel.pipeline < 2 || at_.pipeline != 0) return;
        trace_.join({trace_.receive("tokens b" + std::to_string(number), stage(shared_.options.parallel.pipeline - 1),
            static_cast<std::uint32_t>(number + 1), token_bytes * sequences, trace_.tail())});
    }

private:
    std::uint32_t stage(std::uint32_t number) const
    {
        Coordinates at = at_;
        at.pipeline = number;
        return shared_.grid.rank(at);
    }

    const Shared& shared_;
    Coordinates at_;
    RankTrace trace_;
    LayerWriter writer_;
    std::vector<std::uint64_t> layers_;
};

const auto nothing = [](std::uint64_t) {};

const Transformer& transformer_of(const Model& model)
{
    if (model.kind != ModelKind::transformer)
        throw InputError("weft", 0, "the model '" + model.name + "' is not a transformer",
            "a transformer, for prompts and tokens");
    return model.transformer;
}

TraceJob job_of(const Shared& shared)
{
    TraceJob job;
    job.ranks = shared.options.parallel.ranks();
    job.groups = shared.grid.groups();
    return job;
}

// Heads of keys that a rank of `parallel` holds: from, to.
std::pair<std::uint64_t, std::uint64_t> heads_of(std::uint64_t heads, std::uint32_t tensor, std::uint32_t rank)
{
    const std::uint64_t first = rank * heads / tensor;
    return {first, first + std::max<std::uint64_t>(1, heads / tensor)};
}

// Bytes of a layer that rank `from` of an instance for prompts owes rank `to` of one for tokens.
std::uint64_t cache_bytes(const Shared& prefill, const Shared& decode, std::uint32_t from, std::uint32_t to)
{
    const Transformer& model = prefill.model;
    const std::uint64_t tokens = prefill.options.microbatch * prefill.sequence();
    const std::uint32_t senders = prefill.options.parallel.tensor;
    const LayerKernels kernels(model, prefill.options);
    if (model.latent.used()) return to % senders == from ? kernels.cached_bytes(tokens) : 0;
    // Where several ranks hold copies of one head, one of them sends it.
    const auto copies = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, senders / model.kv_heads));
    if (from % copies != to % copies) return 0;
    const auto [first, last] = heads_of(model.kv_heads, senders, from);
    const auto [low, high] = heads_of(model.kv_heads, decode.options.parallel.tensor, to);
    const std::uint64_t begin = std::max(first, low);
    const std::uint64_t end = std::min(last, high);
    return begin < end ? prefill.options.element_bytes * tokens * 2 * (end - begin) * model.head_width : 0;
}

struct Pools {
    Shared prefill;
    Shared decode;

    std::uint64_t batches() const { return prefill.options.parallel.data * prefill.options.microbatches; }
    std::uint32_t tag(std::uint64_t batch, std::uint64_t layer) const
    {
        return static_cast<std::uint32_t>(batch * prefill.model.layers + layer + 1);
    }
};

RankTrace prefill_trace(const Pools& pools, std::uint32_t rank)
{
    const Shared& own = pools.prefill;
    ForwardWriter writer(own, rank);
    const Coordinates at = own.grid.coordinates(rank);
    for (std::uint64_t i = 0; i < own.options.microbatches; ++i) {
        const std::uint64_t batch = at.data * own.options.microbatches + i;
        Coordinates to;
        to.data = static_cast<std::uint32_t>(batch % pools.decode.options.parallel.data);
        writer.pass(own.prompts(), i, false, [&](std::uint64_t layer) {
            for (to.tensor = 0; to.tensor < pools.decode.options.parallel.tensor; ++to.tensor) {
                const std::uint64_t bytes = cache_bytes(own, pools.decode, at.tensor, to.tensor);
                if (bytes > 0)
                    writer.trace().send("cache", "cache l" + std::to_string(layer) + " b" + std::to_string(batch),
                        pools.decode.grid.rank(to), pools.tag(batch, layer), bytes, writer.trace().tail());
            }
        });
    }
    return std::move(writer.trace());
}

RankTrace decode_trace(const Pools& pools, std::uint32_t rank)
{
    const Shared& own = pools.decode;
    ForwardWriter writer(own, rank);
    const Coordinates at = own.grid.coordinates(rank);
    NodeIds caches;
    std::uint64_t sequences = 0;
    for (std::uint64_t batch = at.data; batch < pools.batches(); batch += own.options.parallel.data) {
        Coordinates from;
        from.data = static_cast<std::uint32_t>(batch / pools.prefill.options.microbatches);
        sequences += pools.prefill.options.microbatch;
        for (std::uint64_t layer = 0; layer < own.model.layers; ++layer)
            for (from.tensor = 0; from.tensor < pools.prefill.options.parallel.tensor; ++from.tensor) {
                const std::uint64_t bytes = cache_bytes(pools.prefill, own, from.tensor, at.tensor);
                if (bytes > 0)
                    caches.push_back(
                        writer.trace().receive("cache l" + std::to_string(layer) + " b" + std::to_string(batch),
                            pools.prefill.grid.rank(from), pools.tag(batch, layer), bytes, {}));
            }
    }
    writer.trace().join(caches);
    for (std::uint64_t step = 0; step < own.options.steps; ++step)
        writer.pass(own.step(sequences, step + 1), step, false, nothing);
    return std::move(writer.trace());
}

}  // namespace

TraceJob prefill_job(const Model& model, const Options& options)
{
    require_divisible(transformer_of(model), options, "prefill");
    const auto shared = std::make_shared<const Shared>(model.transformer, options);
    TraceJob job = job_of(*shared);
    job.trace = [shared](std::uint32_t rank) {
        ForwardWriter writer(*shared, rank);
        for (std::uint64_t i = 0; i < shared->options.microbatches; ++i)
            writer.pass(shared->prompts(), i, false, nothing);
        return std::move(writer.trace());
    };
    return job;
}

TraceJob decode_job(const Model& model, const Options& options)
{
    require_divisible(transformer_of(model), options, "decode");
    const auto shared = std::make_shared<const Shared>(model.transformer, options);
    TraceJob job = job_of(*shared);
    job.trace = [shared](std::uint32_t rank) {
        ForwardWriter writer(*shared, rank);
        const std::uint64_t batches = shared->options.microbatches;
        const std::uint64_t sequences = shared->options.microbatch;
        for (std::uint64_t step = 0; step < shared->options.steps; ++step)
            for (std::uint64_t i = 0; i < batches; ++i) {
                const std::uint64_t number = step * batches + i;
                if (step > 0) writer.wait_for_tokens(number - batches, sequences);
                writer.pass(shared->step(sequences, step + 1), number, step + 1 < shared->options.steps, nothing);
            }
        return std::move(writer.trace());
    };
    return job;
}

TraceJob disaggregated_job(const Model& model, const Disaggregated& options)
{
    require_divisible(transformer_of(model), options.prefill, "prefill");
    Disaggregated both = options;
    Options& decode = both.decode;
    const std::uint64_t batches = options.prefill.parallel.data * options.prefill.microbatches;
    if (batches % decode.parallel.data != 0)
        throw InputError("weft", 0,
            std::to_string(batches) + " batches of prompts for " + std::to_string(decode.parallel.data) +
                " instances that decode",
            "a multiple, so that each instance has the same number");
    decode.microbatch = batches / decode.parallel.data * options.prefill.microbatch;
    decode.cached = options.prefill.sequence > 0 ? options.prefill.sequence : model.transformer.sequence;
    require_divisible(model.transformer, decode, "decode");
    for (const Parallel* parallel : {&both.prefill.parallel, &decode.parallel})
        if (parallel->pipeline > 1 || parallel->context > 1)
            throw InputError("weft", 0, "an instance of several stages", "--tp and --ep alone inside an instance");
    const std::uint32_t first = both.prefill.parallel.ranks();
    const auto pools = std::make_shared<Pools>(
        Pools{Shared(model.transformer, both.prefill), Shared(model.transformer, decode, first)});
    pools->decode.grid.number_groups(pools->prefill.grid.groups().size() + 1);
    TraceJob job;
    job.ranks = first + decode.parallel.ranks();
    job.groups = pools->prefill.grid.groups();
    job.groups.insert(pools->decode.grid.groups().begin(), pools->decode.grid.groups().end());
    job.trace = [pools, first](std::uint32_t rank) {
        return rank < first ? prefill_trace(*pools, rank) : decode_trace(*pools, rank);
    };
    return job;
}

}  // namespace weft::workload
