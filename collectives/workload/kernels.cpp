#include "collectives/workload/kernels.h"

#include <algorithm>
#include <cmath>

#include "collectives/workload/parameters.h"

namespace weft::workload {

Kernel LayerKernels::product(const char* name, std::uint64_t m, std::uint64_t k, std::uint64_t n) const
{
    const std::uint64_t q = options_.element_bytes;
    return {name, {m, n, k, 1}, 2 * m * n * k, q * k * n, q * m * (k + n)};
}

std::uint64_t LayerKernels::vocabulary_on_rank() const
{
    return (model_.vocabulary + options_.parallel.tensor - 1) / options_.parallel.tensor;
}

std::uint64_t LayerKernels::kv_heads_on_rank() const
{
    // Fewer heads than ranks: copies.
    return std::max<std::uint64_t>(1, model_.kv_heads / options_.parallel.tensor);
}

std::vector<Kernel> LayerKernels::projections(const Pass& pass) const
{
    const std::uint64_t t = options_.parallel.tensor;
    const std::uint64_t h = model_.hidden;
    if (!model_.latent.used())
        return {product("qkv", pass.tokens, h, query_width(model_) / t + 2 * kv_heads_on_rank() * model_.head_width)};
    const LatentAttention& latent = model_.latent;
    std::vector<Kernel> out;
    if (latent.query_rank > 0) {
        out.push_back(product("q_down", pass.tokens, h, latent.query_rank));
        out.push_back(product("q_up", pass.tokens, latent.query_rank, query_width(model_) / t));
    } else {
        out.push_back(product("q", pass.tokens, h, query_width(model_) / t));
    }
    out.push_back(product("kv_down", pass.tokens, h, latent.kv_rank + latent.rope_width));
    out.push_back(
        product("kv_up", pass.tokens, latent.kv_rank, model_.heads / t * (latent.nope_width + latent.value_width)));
    return out;
}

Kernel LayerKernels::core(const Pass& pass) const
{
    const std::uint64_t t = options_.parallel.tensor;
    const std::uint64_t width = (query_width(model_) + value_width(model_)) / t;
    Kernel out;
    out.name = "attention";
    out.operations = 2 * pass.tokens * pass.context * width / (pass.halve_attention ? 2 : 1);
    // Scores stay on the chip: queries and results once, keys and values of the context once.
    out.other_bytes = options_.element_bytes * pass.tokens * width + cached_bytes(pass.sequences * pass.context);
    return out;
}

Kernel LayerKernels::attention_output(const Pass& pass) const
{
    return product("attention_output", pass.tokens, value_width(model_) / options_.parallel.tensor, model_.hidden);
}

std::vector<Kernel> LayerKernels::ffn(const char* up, const char* down, std::uint64_t tokens, std::uint64_t width) const
{
    const std::uint64_t share = width / options_.parallel.tensor;
    return {product(up, tokens, model_.hidden, (model_.gated ? 2 : 1) * share),
        product(down, tokens, share, model_.hidden)};
}

std::vector<Kernel> LayerKernels::dense_ffn(const Pass& pass) const
{
    return ffn("ffn_up", "ffn_down", pass.tokens, model_.ffn);
}

Kernel LayerKernels::router(const Pass& pass) const
{
    // With sequence parallelism each rank routes its own part of the tokens.
    const std::uint64_t tokens = options_.parallel.sequence ? pass.tokens / options_.parallel.tensor : pass.tokens;
    return product("router", tokens, model_.hidden, model_.experts);
}

std::vector<Kernel> LayerKernels::shared_experts(const Pass& pass) const
{
    if (model_.shared_experts == 0) return {};
    return ffn("shared_up", "shared_down", pass.tokens, model_.shared_experts * model_.expert_ffn);
}

std::vector<Kernel> LayerKernels::experts(const Pass& pass) const
{
    const std::uint64_t e = options_.parallel.expert;
    const std::uint64_t here = model_.experts / e;
    const std::uint64_t pairs = pass.tokens * model_.top_k;  // of tokens and experts, on this rank after dispatch
    // Experts that at least one of the tokens of the group goes to, in the mean over even choices.
    const double missed = std::pow(1.0 - static_cast<double>(model_.top_k) / static_cast<double>(model_.experts),
        static_cast<double>(pass.tokens * e));
    const auto used = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::llround(static_cast<double>(here) * (1.0 - missed))), 1, here);
    std::vector<Kernel> out = ffn("experts_up", "experts_down", 1, model_.expert_ffn);
    for (Kernel& kernel : out) {
        kernel.operations *= pairs;
        kernel.other_bytes *= pairs;
        kernel.weight_bytes *= used;
        kernel.product.m = (pairs + used - 1) / used;
        kernel.product.count = used;
    }
    return out;
}

Kernel LayerKernels::logits(const Pass& pass) const
{
    return product("logits", pass.tokens, model_.hidden, vocabulary_on_rank());
}

std::uint64_t LayerKernels::dense_parameters_on_rank(std::uint64_t layer) const
{
    const std::uint64_t t = options_.parallel.tensor;
    Pass one;
    one.tokens = 1;
    one.context = 1;
    std::uint64_t weights = 0;
    for (const Kernel& kernel : projections(one)) weights += kernel.product.k * kernel.product.n;
    const Kernel output = attention_output(one);
    weights += output.product.k * output.product.n;
    std::uint64_t rest = 2 * model_.hidden * (model_.biases ? 2 : 1);  // norms
    if (model_.latent.used()) rest += model_.latent.query_rank + model_.latent.kv_rank;
    if (model_.biases) rest += (query_width(model_) + cached_width(model_)) / t + model_.hidden;
    if (!model_.has_experts(layer)) {
        for (const Kernel& kernel : dense_ffn(one)) weights += kernel.product.k * kernel.product.n;
        if (model_.biases) rest += model_.ffn * (model_.gated ? 2 : 1) / t + model_.hidden;
    } else {
        for (const Kernel& kernel : shared_experts(one)) weights += kernel.product.k * kernel.product.n;
        weights += model_.hidden * model_.experts;
    }
    return weights + rest;
}

std::uint64_t LayerKernels::expert_parameters_on_rank(std::uint64_t layer) const
{
    if (!model_.has_experts(layer)) return 0;
    return model_.experts / options_.parallel.expert * (expert_parameters(model_) / options_.parallel.tensor);
}

std::uint64_t LayerKernels::input_parameters_on_rank() const
{
    return (vocabulary_on_rank() + model_.positions) * model_.hidden;
}

std::uint64_t LayerKernels::output_parameters_on_rank() const
{
    const std::uint64_t table = model_.tied && options_.parallel.pipeline == 1 ? 0 : vocabulary_on_rank();
    return model_.hidden * (model_.biases ? 2 : 1) + table * model_.hidden;
}

std::uint64_t LayerKernels::kv_bytes(std::uint64_t tokens) const
{
    const std::uint64_t width = model_.latent.used()
        ? (query_width(model_) + value_width(model_)) / options_.parallel.tensor
        : 2 * kv_heads_on_rank() * model_.head_width;
    return options_.element_bytes * tokens * width;
}

std::uint64_t LayerKernels::cached_bytes(std::uint64_t tokens) const
{
    // The latent form serves all heads: every rank has all of it.
    const std::uint64_t width =
        model_.latent.used() ? cached_width(model_) : 2 * kv_heads_on_rank() * model_.head_width;
    return options_.element_bytes * tokens * width;
}

}  // namespace weft::workload
