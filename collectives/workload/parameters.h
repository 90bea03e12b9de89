// Parameters and operations of a model as a whole, by the formulas of docs/workloads.md.
#pragma once

#include <cstdint>
#include <optional>

#include "collectives/workload/model.h"

namespace weft::workload {

// Of one layer of a transformer.
std::uint64_t attention_parameters(const Transformer& model);
std::uint64_t expert_parameters(const Transformer& model);  // of one expert
// Everything of the layer that is no routed expert: attention, norms, dense or shared feed-forward part, router.
std::uint64_t dense_parameters(const Transformer& model, std::uint64_t layer);
std::uint64_t input_parameters(const Transformer& model);   // tables of tokens and positions
std::uint64_t output_parameters(const Transformer& model);  // last norm, and the output table unless tied

std::uint64_t parameters(const Transformer& model);
std::uint64_t active_parameters(const Transformer& model);  // that a token meets, tables included
std::uint64_t parameters(const Dlrm& model);                // without the tables
std::uint64_t embedding_rows(const Dlrm& model);
std::uint64_t parameters(const Cnn& model);
std::uint64_t parameters(const Model& model);

// Widths of queries and keys, of values, and of what the cache of keys and values holds of a token and layer, in elements.
std::uint64_t query_width(const Transformer& model);
std::uint64_t value_width(const Transformer& model);
std::uint64_t cached_width(const Transformer& model);

// Operations of the forward pass of one token, two for a multiply-add; `context`: tokens that it attends to.
std::uint64_t forward_operations(const Transformer& model, std::uint64_t context);
// Of one sample.
std::uint64_t forward_operations(const Dlrm& model);
std::uint64_t forward_operations(const Cnn& model);

// What a Published names; nothing for a quantity that the kind of model has not.
std::optional<std::uint64_t> quantity(const Model& model, const std::string& name);

// "174.6 B" as a number, and half a unit of its last digit. Nothing when malformed.
struct PrintedNumber {
    double value = 0;
    double half_digit = 0;
};
std::optional<PrintedNumber> printed_number(const std::string& text);

}  // namespace weft::workload
