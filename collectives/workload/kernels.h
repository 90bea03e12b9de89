// The kernels of a model's layers on one rank: operations and bytes (docs/workloads.md says every formula).
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/chakra/node.h"
#include "collectives/workload/model.h"
#include "collectives/workload/options.h"

namespace weft::workload {

struct Kernel {
    const char* name = "";
    chakra::MatrixProduct product;   // M: tokens; stated for products of matrices alone
    std::uint64_t operations = 0;    // two for a multiply-add
    std::uint64_t weight_bytes = 0;  // read; of what a backward pass has gradients of
    std::uint64_t other_bytes = 0;   // activations and caches, read and written

    bool has_weights() const { return weight_bytes > 0; }
    std::uint64_t bytes() const { return weight_bytes + other_bytes; }
};

// Tokens that go through a layer at once on a rank.
struct Pass {
    std::uint64_t tokens = 0;  // of this rank's tensor-parallel group
    std::uint64_t sequences = 0;
    std::uint64_t context = 0;     // tokens that each of them attends to
    bool halve_attention = false;  // causal mask skipped
};

class LayerKernels {
public:
    LayerKernels(const Transformer& model, const Options& options) : model_(model), options_(options) {}

    // Before the core of attention, the core itself, and behind it.
    std::vector<Kernel> projections(const Pass& pass) const;
    Kernel core(const Pass& pass) const;
    Kernel attention_output(const Pass& pass) const;
    std::vector<Kernel> dense_ffn(const Pass& pass) const;
    Kernel router(const Pass& pass) const;
    std::vector<Kernel> shared_experts(const Pass& pass) const;
    // Of this rank's share of the experts, with the tokens spread evenly.
    std::vector<Kernel> experts(const Pass& pass) const;
    Kernel logits(const Pass& pass) const;

    // Parameters of a layer on a rank: what is sharded by TP divided, what is not in full. Without and of routed experts.
    std::uint64_t dense_parameters_on_rank(std::uint64_t layer) const;
    std::uint64_t expert_parameters_on_rank(std::uint64_t layer) const;
    std::uint64_t input_parameters_on_rank() const;
    std::uint64_t output_parameters_on_rank() const;

    std::uint64_t vocabulary_on_rank() const;  // rounded up: tables are padded
    std::uint64_t kv_heads_on_rank() const;
    // Bytes of keys and values of `tokens` tokens of one layer on a rank, as context parallelism sends them.
    std::uint64_t kv_bytes(std::uint64_t tokens) const;
    // The same as a cache holds them.
    std::uint64_t cached_bytes(std::uint64_t tokens) const;

private:
    Kernel product(const char* name, std::uint64_t m, std::uint64_t k, std::uint64_t n) const;
    std::vector<Kernel> ffn(const char* up, const char* down, std::uint64_t tokens, std::uint64_t width) const;

    const Transformer& model_;
    const Options& options_;
};

}  // namespace weft::workload
