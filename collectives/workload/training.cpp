#include "collectives/workload/training.h"

#include <map>

#include "collectives/workload/layer_writer.h"
#include "collectives/workload/parameters.h"
#include "collectives/workload/pipeline_order.h"

namespace weft::workload {

using chakra::CollectiveType;

namespace {

// Shards of equal size whose bytes are whole words.
std::uint64_t padded(std::uint64_t parameters, std::uint64_t shards)
{
    const std::uint64_t unit = shards * 4;
    return (parameters + unit - 1) / unit * unit;
}

// Gradients that are reduced together, over one group.
struct Bucket {
    std::uint64_t parameters = 0;
    NodeIds ready;
    NodeIds reduced;
};

class TrainingWriter {
public:
    TrainingWriter(const Transformer& model, const Options& options, const RankGrid& grid, std::uint32_t rank)
        : model_(model), options_(options), parallel_(options.parallel), grid_(grid), at_(grid.coordinates(rank)),
          trace_(rank), writer_(model, options, grid, trace_), data_(grid.group(GroupKind::data, rank)),
          expert_data_(grid.group(GroupKind::expert_data, rank)), embedding_(grid.group(GroupKind::embedding, rank)),
          chunk_layers_(layers_of_chunks(model.layers, parallel_.pipeline * parallel_.interleave))
    {
        const std::uint64_t sequence = options.sequence > 0 ? options.sequence : model.sequence;
        pass_.tokens = options.microbatch * sequence / parallel_.context;
        pass_.sequences = options.microbatch;
        pass_.context = sequence;
        pass_.halve_attention = options.causal_half;
        std::uint64_t first = 0;
        for (const std::uint64_t layers : chunk_layers_) {
            first_layer_.push_back(first);
            first += layers;
        }
    }

    RankTrace write()
    {
        for (const PipelineStep& step :
            pipeline_order(parallel_.pipeline, parallel_.interleave, options_.microbatches, at_.pipeline))
            step.forward ? forward(step) : backward(step);
        finish();
        return std::move(trace_);
    }

private:
    std::uint32_t chunk_of(const PipelineStep& step) const { return step.chunk * parallel_.pipeline + at_.pipeline; }
    std::uint32_t last_chunk() const { return static_cast<std::uint32_t>(chunk_layers_.size()) - 1; }
    std::uint32_t stage_of(std::uint32_t chunk) const
    {
        Coordinates at = at_;
        at.pipeline = chunk % parallel_.pipeline;
        return grid_.rank(at);
    }
    std::uint64_t boundary_bytes() const
    {
        return options_.element_bytes * pass_.tokens * model_.hidden / (parallel_.sequence ? parallel_.tensor : 1);
    }
    // Of what crosses from `chunk` to the next, forwards or back.
    std::uint32_t tag(std::uint64_t microbatch, std::uint32_t chunk, bool back) const
    {
        return static_cast<std::uint32_t>(2 * (microbatch * chunk_layers_.size() + chunk) + (back ? 2 : 1));
    }
    std::string label(std::uint64_t layer, std::uint64_t microbatch) const
    {
        return " l" + std::to_string(layer) + " m" + std::to_string(microbatch);
    }

    // Units of ZeRO-3: the layers, and behind them the tables of input and output.
    std::uint64_t input_unit() const { return model_.layers; }
    std::uint64_t output_unit() const { return model_.layers + 1; }
    std::uint64_t dense_of(std::uint64_t unit) const
    {
        if (unit < model_.layers) return writer_.kernels().dense_parameters_on_rank(unit);
        if (unit == input_unit()) return writer_.kernels().input_parameters_on_rank();
        // The table is needed for the logits even where its gradient is that of the input's.
        return model_.hidden * (model_.biases ? 2 : 1) + writer_.kernels().vocabulary_on_rank() * model_.hidden;
    }
    std::uint64_t experts_of(std::uint64_t unit) const
    {
        return unit < model_.layers ? writer_.kernels().expert_parameters_on_rank(unit) : 0;
    }

    // Gathered before its use and, as that of the unit before begins, ahead of it.
    void gather(std::uint64_t unit, const std::string& why)
    {
        if (parallel_.zero != 3 || gathered_.count(unit) != 0) return;
        NodeIds ids;
        const auto one = [&](const char* name, std::uint64_t parameters, const Membership& group) {
            if (parameters == 0 || group.size() < 2) return;
            const NodeIds id = trace_.beside(name + why,
                {"parameters", CollectiveType::all_gather,
                    options_.element_bytes * padded(parameters, group.size()) / group.size(), group},
                trace_.tail());
            ids.insert(ids.end(), id.begin(), id.end());
        };
        one("gather_parameters", dense_of(unit), data_);
        one("gather_experts", experts_of(unit), expert_data_);
        gathered_[unit] = ids;
    }
    void use(std::uint64_t unit)
    {
        if (parallel_.zero != 3) return;
        trace_.join(gathered_[unit]);
        gathered_.erase(unit);
    }

    void forward(const PipelineStep& step)
    {
        const std::uint32_t chunk = chunk_of(step);
        const std::string m = " m" + std::to_string(step.microbatch);
        if (chunk > 0)
            trace_.join({trace_.receive("activations" + m, stage_of(chunk - 1), tag(step.microbatch, chunk - 1, false),
                boundary_bytes(), trace_.tail())});
        const std::uint64_t begin = first_layer_[chunk];
        const std::uint64_t end = begin + chunk_layers_[chunk];
        if (chunk == 0) {
            gather(input_unit(), " input" + m);
            use(input_unit());
        }
        for (std::uint64_t layer = begin; layer < end; ++layer) {
            const std::string name = label(layer, step.microbatch);
            gather(layer, name);
            if (layer + 1 < end)
                gather(layer + 1, label(layer + 1, step.microbatch));
            else if (chunk == last_chunk())
                gather(output_unit(), " output" + m);
            use(layer);
            writer_.forward(layer, pass_, name, Work::forward);
        }
        if (chunk == last_chunk()) {
            use(output_unit());
            const Kernel logits = writer_.kernels().logits(pass_);
            trace_.compute(logits.name + m, logits, Work::forward);
        } else {
            trace_.send("pipeline", "activations" + m, stage_of(chunk + 1), tag(step.microbatch, chunk, false),
                boundary_bytes(), trace_.tail());
        }
    }

    void backward(const PipelineStep& step)
    {
        const std::uint32_t chunk = chunk_of(step);
        const std::string m = " m" + std::to_string(step.microbatch);
        const bool last = step.microbatch + 1 == options_.microbatches;
        if (chunk < last_chunk()) {
            trace_.join({trace_.receive("gradients" + m, stage_of(chunk + 1), tag(step.microbatch, chunk, true),
                boundary_bytes(), trace_.tail())});
        } else {
            gather(output_unit(), " output backward" + m);
            use(output_unit());
            writer_.backward_of({writer_.kernels().logits(pass_)}, m);
            reduce(writer_.kernels().output_parameters_on_rank(), 0, last, m);
        }
        const std::uint64_t begin = first_layer_[chunk];
        for (std::uint64_t layer = begin + chunk_layers_[chunk]; layer-- > begin;) {
            const std::string name = label(layer, step.microbatch);
            gather(layer, " backward" + name);
            if (layer > begin) gather(layer - 1, " backward" + label(layer - 1, step.microbatch));
            use(layer);
            writer_.backward(layer, pass_, name);
            reduce(writer_.kernels().dense_parameters_on_rank(layer),
                writer_.kernels().expert_parameters_on_rank(layer), last, name);
        }
        if (chunk > 0)
            trace_.send("pipeline", "gradients" + m, stage_of(chunk - 1), tag(step.microbatch, chunk - 1, true),
                boundary_bytes(), trace_.tail());
        else
            reduce(writer_.kernels().input_parameters_on_rank(), 0, last, m);
        // The next pass may be another microbatch's, whose gradients are other ones.
        if (parallel_.zero == 2) send_off_rest(" rest" + m);
    }

    // Gradients of a part are there. They are reduced in buckets beside the last microbatch; with ZeRO-2 and 3 beside each.
    void reduce(std::uint64_t dense, std::uint64_t experts, bool last, const std::string& name)
    {
        if (!last && parallel_.zero < 2) return;
        const auto one = [&](std::vector<Bucket>& buckets, std::uint64_t parameters, const Membership& group,
                             const char* what) {
            if (parameters == 0) return;
            if (buckets.empty() || !buckets.back().reduced.empty()) buckets.emplace_back();
            Bucket& bucket = buckets.back();
            bucket.parameters += parameters;
            bucket.ready = trace_.tail();
            // ZeRO-3 has a unit for each part.
            if (parallel_.zero == 3 || bucket.parameters * options_.gradient_bytes >= options_.bucket_bytes)
                send_off(bucket, group, what + name);
        };
        one(dense_, dense, data_, "reduce_gradients");
        one(experts_, experts, expert_data_, "reduce_expert_gradients");
    }

    void send_off(Bucket& bucket, const Membership& group, const std::string& name)
    {
        const bool scatters = parallel_.zero > 0;
        const std::uint64_t parameters = scatters ? padded(bucket.parameters, group.size()) : bucket.parameters;
        bucket.reduced = trace_.beside(name,
            {"data", scatters ? CollectiveType::reduce_scatter : CollectiveType::all_reduce,
                options_.gradient_bytes * parameters, group},
            bucket.ready);
    }

    void send_off_rest(const std::string& name)
    {
        if (!dense_.empty() && dense_.back().reduced.empty()) send_off(dense_.back(), data_, "reduce_gradients" + name);
        if (!experts_.empty() && experts_.back().reduced.empty())
            send_off(experts_.back(), expert_data_, "reduce_expert_gradients" + name);
    }

    // What is left in buckets, the tied table, the optimizer, and the parameters that ZeRO-1 and 2 sharded.
    void finish()
    {
        send_off_rest(" rest");
        for (const auto* buckets : {&dense_, &experts_})
            for (const Bucket& bucket : *buckets) trace_.join(bucket.reduced);
        if (model_.tied && embedding_.size() > 1)
            trace_.in_chain("reduce_tied_table",
                {"embedding", CollectiveType::all_reduce,
                    options_.gradient_bytes * writer_.kernels().vocabulary_on_rank() * model_.hidden, embedding_});
        update();
        if (parallel_.zero != 1 && parallel_.zero != 2) return;
        const NodeIds updated = trace_.tail();
        const auto one = [&](std::uint64_t parameters, const Membership& group, const char* name) {
            if (parameters > 0)
                trace_.beside(name,
                    {"parameters", CollectiveType::all_gather,
                        options_.element_bytes * padded(parameters, group.size()) / group.size(), group},
                    updated);
        };
        one(dense_parameters(), data_, "gather_parameters");
        one(expert_parameters(), expert_data_, "gather_experts");
    }

    std::uint64_t dense_parameters() const
    {
        std::uint64_t sum = at_.pipeline == 0 ? writer_.kernels().input_parameters_on_rank() : 0;
        if (at_.pipeline + 1 == parallel_.pipeline) sum += writer_.kernels().output_parameters_on_rank();
        for_layers([&](std::uint64_t layer) { sum += writer_.kernels().dense_parameters_on_rank(layer); });
        return sum;
    }
    std::uint64_t expert_parameters() const
    {
        std::uint64_t sum = 0;
        for_layers([&](std::uint64_t layer) { sum += writer_.kernels().expert_parameters_on_rank(layer); });
        return sum;
    }
    template <class Action>
    void for_layers(const Action& action) const
    {
        for (std::uint32_t chunk = at_.pipeline; chunk < chunk_layers_.size(); chunk += parallel_.pipeline)
            for (std::uint64_t i = 0; i < chunk_layers_[chunk]; ++i) action(first_layer_[chunk] + i);
    }

    // Adam in mixed precision: reads and writes master weight and two moments, reads the gradient, writes the weight.
    void update()
    {
        const auto share = [&](std::uint64_t parameters, const Membership& group) {
            return parallel_.zero > 0 ? padded(parameters, group.size()) / group.size() : parameters;
        };
        const std::uint64_t own = share(dense_parameters(), data_) + share(expert_parameters(), expert_data_);
        constexpr std::uint64_t state_bytes = 12;    // 4 B of each of the three
        constexpr std::uint64_t steps_of_adam = 12;  // multiplications, additions, a root and a division
        Kernel adam;
        adam.operations = steps_of_adam * own;
        adam.other_bytes = own * (2 * state_bytes + options_.gradient_bytes + options_.element_bytes);
        trace_.compute("optimizer", adam, Work::optimizer);
        trace_.ledger().parameters = dense_parameters() + expert_parameters();
    }

    const Transformer& model_;
    const Options& options_;
    const Parallel& parallel_;
    const RankGrid& grid_;
    Coordinates at_;
    RankTrace trace_;
    LayerWriter writer_;
    Membership data_;
    Membership expert_data_;
    Membership embedding_;
    std::vector<std::uint64_t> chunk_layers_;
    std::vector<std::uint64_t> first_layer_;
    Pass pass_;
    std::map<std::uint64_t, NodeIds> gathered_;  // ZeRO-3: units whose parameters are there or on the way
    std::vector<Bucket> dense_;
    std::vector<Bucket> experts_;
};

}  // namespace

RankTrace training_trace(const Transformer& model, const Options& options, const RankGrid& grid, std::uint32_t rank)
{
    return TrainingWriter(model, options, grid, rank).write();
}

}  // namespace weft::workload
