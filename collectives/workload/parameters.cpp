#include "collectives/workload/parameters.h"

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace weft::workload {

namespace {

std::uint64_t matrices_of_ffn(const Transformer& model) { return model.gated ? 3 : 2; }

std::uint64_t dense_ffn_parameters(const Transformer& model)
{
    const std::uint64_t biases = model.biases ? model.ffn * (matrices_of_ffn(model) - 1) + model.hidden : 0;
    return matrices_of_ffn(model) * model.hidden * model.ffn + biases;
}

std::uint64_t norm_parameters(const Transformer& model) { return model.hidden * (model.biases ? 2 : 1); }

// Fully connected layers with biases, from the first width on.
std::uint64_t mlp_parameters(const std::vector<std::uint64_t>& widths)
{
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < widths.size(); ++i) sum += widths[i - 1] * widths[i] + widths[i];
    return sum;
}

std::uint64_t mlp_operations(const std::vector<std::uint64_t>& widths)
{
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < widths.size(); ++i) sum += 2 * widths[i - 1] * widths[i];
    return sum;
}

}  // namespace

std::uint64_t query_width(const Transformer& model)
{
    return model.heads * (model.latent.used() ? model.latent.nope_width + model.latent.rope_width : model.head_width);
}

std::uint64_t value_width(const Transformer& model)
{
    return model.heads * (model.latent.used() ? model.latent.value_width : model.head_width);
}

std::uint64_t cached_width(const Transformer& model)
{
    if (model.latent.used()) return model.latent.kv_rank + model.latent.rope_width;
    return 2 * model.kv_heads * model.head_width;
}

std::uint64_t attention_parameters(const Transformer& model)
{
    const std::uint64_t h = model.hidden;
    if (model.latent.used()) {
        const LatentAttention& latent = model.latent;
        const std::uint64_t queries = latent.query_rank == 0
            ? h * query_width(model)
            : h * latent.query_rank + latent.query_rank + latent.query_rank * query_width(model);
        return queries + h * (latent.kv_rank + latent.rope_width) + latent.kv_rank +
            latent.kv_rank * model.heads * (latent.nope_width + latent.value_width) + value_width(model) * h;
    }
    const std::uint64_t projected = query_width(model) + cached_width(model);
    return h * projected + value_width(model) * h + (model.biases ? projected + h : 0);
}

std::uint64_t expert_parameters(const Transformer& model)
{
    return matrices_of_ffn(model) * model.hidden * model.expert_ffn;
}

std::uint64_t dense_parameters(const Transformer& model, std::uint64_t layer)
{
    const std::uint64_t around = attention_parameters(model) + 2 * norm_parameters(model);
    if (!model.has_experts(layer)) return around + dense_ffn_parameters(model);
    return around + model.shared_experts * expert_parameters(model) + model.hidden * model.experts;
}

std::uint64_t input_parameters(const Transformer& model) { return (model.vocabulary + model.positions) * model.hidden; }

std::uint64_t output_parameters(const Transformer& model)
{
    return norm_parameters(model) + (model.tied ? 0 : model.vocabulary * model.hidden);
}

std::uint64_t parameters(const Transformer& model)
{
    std::uint64_t sum = input_parameters(model) + output_parameters(model);
    for (std::uint64_t layer = 0; layer < model.layers; ++layer)
        sum +=
            dense_parameters(model, layer) + (model.has_experts(layer) ? model.experts * expert_parameters(model) : 0);
    return sum;
}

std::uint64_t active_parameters(const Transformer& model)
{
    std::uint64_t sum = parameters(model);
    for (std::uint64_t layer = 0; layer < model.layers; ++layer)
        if (model.has_experts(layer)) sum -= (model.experts - model.top_k) * expert_parameters(model);
    return sum;
}

std::uint64_t embedding_rows(const Dlrm& model)
{
    return std::accumulate(model.rows.begin(), model.rows.end(), std::uint64_t{0});
}

namespace {

// What goes into the top: the bottom's output beside every pair of vectors once, or all vectors after the crosses.
std::uint64_t interaction_width(const Dlrm& model)
{
    const std::uint64_t vectors = model.rows.size() + 1;
    return model.cross_layers > 0 ? vectors * model.width : model.width + vectors * (vectors - 1) / 2;
}

std::vector<std::uint64_t> top_widths(const Dlrm& model)
{
    std::vector<std::uint64_t> widths{interaction_width(model)};
    widths.insert(widths.end(), model.top.begin(), model.top.end());
    return widths;
}

}  // namespace

std::uint64_t parameters(const Dlrm& model)
{
    const std::uint64_t wide = interaction_width(model);
    const std::uint64_t crosses = model.cross_layers * (2 * wide * model.cross_rank + wide);
    return mlp_parameters(model.bottom) + crosses + mlp_parameters(top_widths(model));
}

std::uint64_t parameters(const Cnn& model)
{
    std::uint64_t sum = model.features * model.classes + model.classes;
    for (const Convolution& layer : model.convolutions)
        sum += layer.repeat * (layer.kernel * layer.kernel * layer.in * layer.out + 2 * layer.out);
    return sum;
}

std::uint64_t parameters(const Model& model)
{
    switch (model.kind) {
    case ModelKind::transformer: return parameters(model.transformer);
    case ModelKind::dlrm: return parameters(model.dlrm) + embedding_rows(model.dlrm) * model.dlrm.width;
    case ModelKind::cnn: return parameters(model.cnn);
    }
    return 0;
}

std::uint64_t forward_operations(const Transformer& model, std::uint64_t context)
{
    const std::uint64_t h = model.hidden;
    std::uint64_t projections = h * (query_width(model) + cached_width(model)) + value_width(model) * h;
    if (model.latent.used()) {
        const LatentAttention& latent = model.latent;
        projections = h * (latent.kv_rank + latent.rope_width) +
            latent.kv_rank * model.heads * (latent.nope_width + latent.value_width) + value_width(model) * h +
            (latent.query_rank == 0 ? h * query_width(model) : latent.query_rank * (h + query_width(model)));
    }
    std::uint64_t sum = 2 * h * model.vocabulary;
    for (std::uint64_t layer = 0; layer < model.layers; ++layer) {
        const std::uint64_t ffn = model.has_experts(layer)
            ? (model.top_k + model.shared_experts) * expert_parameters(model) + h * model.experts
            : matrices_of_ffn(model) * h * model.ffn;
        sum += 2 * projections + 2 * context * (query_width(model) + value_width(model)) + 2 * ffn;
    }
    return sum;
}

std::uint64_t forward_operations(const Dlrm& model)
{
    const std::uint64_t vectors = model.rows.size() + 1;
    const std::uint64_t wide = interaction_width(model);
    const std::uint64_t interaction =
        model.cross_layers > 0 ? model.cross_layers * 4 * wide * model.cross_rank : 2 * vectors * vectors * model.width;
    return mlp_operations(model.bottom) + interaction + mlp_operations(top_widths(model));
}

std::uint64_t forward_operations(const Cnn& model)
{
    std::uint64_t sum = 2 * model.features * model.classes;
    for (const Convolution& layer : model.convolutions)
        sum += layer.repeat * 2 * layer.out_size * layer.out_size * layer.kernel * layer.kernel * layer.in * layer.out;
    return sum;
}

std::optional<std::uint64_t> quantity(const Model& model, const std::string& name)
{
    if (name == "parameters") return parameters(model);
    if (name == "active_parameters" && model.kind == ModelKind::transformer)
        return active_parameters(model.transformer);
    if (name == "embedding_rows" && model.kind == ModelKind::dlrm) return embedding_rows(model.dlrm);
    if (name == "dense_parameters" && model.kind == ModelKind::dlrm) return parameters(model.dlrm);
    return std::nullopt;
}

std::optional<PrintedNumber> printed_number(const std::string& text)
{
    std::size_t end = text.find_first_not_of("0123456789.");
    const std::string digits = text.substr(0, end);
    std::string unit = end == std::string::npos ? "" : text.substr(end);
    unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
    const double scale = unit.empty() ? 1
        : unit == "K"                 ? 1e3
        : unit == "M"                 ? 1e6
        : unit == "B"                 ? 1e9
        : unit == "T"                 ? 1e12
                                      : 0;
    const std::size_t point = digits.find('.');
    if (digits.empty() || digits == "." || scale == 0 ||
        (point != std::string::npos && digits.find('.', point + 1) != std::string::npos))
        return std::nullopt;
    const double decimals = point == std::string::npos ? 0 : static_cast<double>(digits.size() - point - 1);
    return PrintedNumber{std::strtod(digits.c_str(), nullptr) * scale, 0.5 * std::pow(10.0, -decimals) * scale};
}

}  // namespace weft::workload
