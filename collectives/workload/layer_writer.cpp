#include "collectives/workload/layer_writer.h"

#include <algorithm>

namespace weft::workload {

using chakra::CollectiveType;

namespace {

// The gradient of what went in, or of the weights, costs what the product forwards costs.
Kernel input_gradient(const Kernel& kernel)
{
    Kernel out = kernel;
    std::swap(out.product.n, out.product.k);
    return out;
}

Kernel weight_gradient(const Kernel& kernel)
{
    Kernel out = kernel;
    out.product = {kernel.product.k, kernel.product.n, kernel.product.m, kernel.product.count};
    return out;
}

Kernel times(Kernel kernel, std::uint64_t factor)
{
    kernel.operations *= factor;
    kernel.other_bytes *= factor;
    return kernel;
}

// Part `i` of `parts`; all parts together are the whole.
Kernel part_of(const Kernel& kernel, std::uint64_t i, std::uint64_t parts)
{
    const auto share = [&](std::uint64_t whole) { return whole / parts + (i < whole % parts ? 1 : 0); };
    Kernel out = kernel;
    out.operations = share(kernel.operations);
    out.other_bytes = share(kernel.other_bytes);
    return out;
}

}  // namespace

LayerWriter::LayerWriter(const Transformer& model, const Options& options, const RankGrid& grid, RankTrace& trace)
    : model_(model), options_(options), kernels_(model, options), trace_(trace),
      tensor_(grid.group(GroupKind::tensor, trace.rank())), context_(grid.group(GroupKind::context, trace.rank())),
      expert_(grid.group(GroupKind::expert, trace.rank()))
{
}

void LayerWriter::tensor_collective(const char* name, CollectiveType type, const Pass& pass, const std::string& label,
    std::uint64_t factor)
{
    const std::uint64_t whole = options_.element_bytes * pass.tokens * model_.hidden * factor;
    const std::uint64_t bytes = type == CollectiveType::all_gather ? whole / tensor_.size() : whole;
    trace_.in_chain(name + label, {"tensor", type, bytes, tensor_});
}

// A part of sharded matrices ends in an all-reduce; with sequence parallelism it is entered by a gather and left by a scatter.
// The backward pass goes the other way through the same part and does the same.
void LayerWriter::enter(const Pass& pass, const std::string& label)
{
    if (options_.parallel.sequence) tensor_collective("all_gather", CollectiveType::all_gather, pass, label);
}

NodeIds LayerWriter::leaving(const Pass& pass, const std::string& label)
{
    const std::uint64_t bytes = options_.element_bytes * pass.tokens * model_.hidden;
    if (options_.parallel.sequence)
        return trace_.beside("reduce_scatter" + label, {"tensor", CollectiveType::reduce_scatter, bytes, tensor_},
            trace_.tail());
    return trace_.beside("all_reduce" + label, {"tensor", CollectiveType::all_reduce, bytes, tensor_}, trace_.tail());
}

void LayerWriter::leave(const Pass& pass, const std::string& label)
{
    const NodeIds ids = leaving(pass, label);
    if (tensor_.size() > 1) trace_.join(ids);
}

void LayerWriter::ring_core(const Kernel& core, const Pass& pass, const std::string& label, Work work)
{
    const std::uint32_t parts = context_.size();
    const auto here = static_cast<std::uint32_t>(
        std::find(context_.ranks.begin(), context_.ranks.end(), trace_.rank()) - context_.ranks.begin());
    const std::uint32_t to = context_.ranks[(here + 1) % parts];
    const std::uint32_t from = context_.ranks[(here + parts - 1) % parts];
    const bool backward = work == Work::backward;
    // Backwards the gradients of keys and values go round with them.
    const std::uint64_t bytes = kernels_.kv_bytes(pass.tokens) * (backward ? 2 : 1);
    NodeIds block = trace_.tail();  // where the keys and values come from
    for (std::uint32_t i = 0; i < parts; ++i) {
        NodeIds next;
        if (i + 1 < parts) {
            const std::string name = "keys_values " + std::to_string(i) + (backward ? " backward" : "") + label;
            next = {trace_.receive(name, from, next_tag_, bytes, trace_.tail())};
            trace_.send("context", name, to, next_tag_, bytes, block);
            ++next_tag_;
        }
        trace_.compute(std::string(core.name) + " " + std::to_string(i) + (backward ? " backward" : "") + label,
            part_of(core, i, parts), work);
        if (!next.empty()) trace_.join(next);
        block = next;
    }
}

void LayerWriter::attention_core(const Pass& pass, const std::string& label, Work work)
{
    const bool backward = work == Work::backward;
    const Kernel core = backward ? times(kernels_.core(pass), 2) : kernels_.core(pass);
    const std::string end = (backward ? " backward" : "") + label;
    if (context_.size() < 2) {
        trace_.compute(core.name + end, core, work);
    } else if (options_.parallel.context_kind == ContextKind::ring) {
        ring_core(core, pass, label, work);
    } else {
        const std::uint64_t own = kernels_.kv_bytes(pass.tokens);
        if (!backward)
            trace_.in_chain("gather_keys_values" + end, {"context", CollectiveType::all_gather, own, context_});
        trace_.compute(core.name + end, core, work);
        if (backward)
            trace_.in_chain("scatter_keys_values" + end,
                {"context", CollectiveType::reduce_scatter, own * context_.size(), context_});
    }
}

// Every rank of a tensor-parallel group sends its part of the tokens, each to its experts.
void LayerWriter::exchange(const char* name, const Pass& pass, const std::string& label)
{
    const std::uint64_t tokens = pass.tokens / (options_.parallel.sequence ? options_.parallel.tensor : 1);
    trace_.in_chain(name + label,
        {"expert", CollectiveType::all_to_all, options_.element_bytes * tokens * model_.top_k * model_.hidden,
            expert_});
}

void LayerWriter::expert_part(const Pass& pass, const std::string& label, Work work)
{
    trace_.compute("router" + label, kernels_.router(pass), work);
    if (dispatches()) {
        exchange("dispatch", pass, label);
        if (tensor_.size() > 1)
            tensor_collective("all_gather", CollectiveType::all_gather, pass, " experts" + label, model_.top_k);
    }
    for (const Kernel& kernel : kernels_.experts(pass)) trace_.compute(kernel.name + label, kernel, work);
    if (dispatches()) {
        if (tensor_.size() > 1)
            tensor_collective("reduce_scatter", CollectiveType::reduce_scatter, pass, " experts" + label, model_.top_k);
        exchange("combine", pass, label);
    }
}

void LayerWriter::forward(std::uint64_t layer, const Pass& pass, const std::string& label, Work work)
{
    const std::string end = (work == Work::recompute ? " again" : "") + label;
    enter(pass, " attention" + end);
    for (const Kernel& kernel : kernels_.projections(pass)) trace_.compute(kernel.name + end, kernel, work);
    attention_core(pass, end, work);
    const Kernel output = kernels_.attention_output(pass);
    trace_.compute(output.name + end, output, work);
    leave(pass, " attention" + end);
    if (has_edges(layer)) enter(pass, " ffn" + end);
    if (model_.has_experts(layer)) {
        for (const Kernel& kernel : kernels_.shared_experts(pass)) trace_.compute(kernel.name + end, kernel, work);
        expert_part(pass, end, work);
    } else {
        for (const Kernel& kernel : kernels_.dense_ffn(pass)) trace_.compute(kernel.name + end, kernel, work);
    }
    if (has_edges(layer)) leave(pass, " ffn" + end);
}

// First the gradients that the layers before need, then those of the weights, which a communication may run beside.
void LayerWriter::backward_of(const std::vector<Kernel>& kernels, const std::string& label,
    const std::function<NodeIds()>& between)
{
    for (std::size_t i = kernels.size(); i-- > 0;)
        trace_.compute(std::string(kernels[i].name) + " backward" + label, input_gradient(kernels[i]), Work::backward);
    const NodeIds beside = between ? between() : NodeIds{};
    for (std::size_t i = kernels.size(); i-- > 0;)
        trace_.compute(std::string(kernels[i].name) + " weights" + label, weight_gradient(kernels[i]), Work::backward);
    trace_.join(beside);
}

void LayerWriter::expert_part_backward(const Pass& pass, const std::string& label)
{
    if (dispatches()) {
        exchange("combine backward", pass, label);
        if (tensor_.size() > 1)
            tensor_collective("all_gather", CollectiveType::all_gather, pass, " experts backward" + label,
                model_.top_k);
    }
    backward_of(kernels_.experts(pass), label);
    if (dispatches()) {
        if (tensor_.size() > 1)
            tensor_collective("reduce_scatter", CollectiveType::reduce_scatter, pass, " experts backward" + label,
                model_.top_k);
        exchange("dispatch backward", pass, label);
    }
    backward_of({kernels_.router(pass)}, label);
}

void LayerWriter::backward(std::uint64_t layer, const Pass& pass, const std::string& label)
{
    if (options_.recompute == Recompute::full) forward(layer, pass, label, Work::recompute);
    const auto left = [&](const char* part) {
        return [this, &pass, end = std::string(" ") + part + " backward" + label] { return leaving(pass, end); };
    };
    if (has_edges(layer)) enter(pass, " ffn backward" + label);
    if (model_.has_experts(layer)) {
        expert_part_backward(pass, label);
        backward_of(kernels_.shared_experts(pass), label, has_edges(layer) ? left("ffn") : std::function<NodeIds()>());
    } else {
        backward_of(kernels_.dense_ffn(pass), label, left("ffn"));
    }
    enter(pass, " attention backward" + label);
    backward_of({kernels_.attention_output(pass)}, label);
    if (options_.recompute == Recompute::selective) {
        const Kernel core = kernels_.core(pass);
        trace_.compute(std::string(core.name) + " again" + label, core, Work::recompute);
    }
    attention_core(pass, label, Work::backward);
    backward_of(kernels_.projections(pass), label, left("attention"));
}

}  // namespace weft::workload
