// The options of a generated trace set: the division of a model over ranks, and the part of it that runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::workload {

enum class Recompute : std::uint8_t { none, selective, full };
enum class ContextKind : std::uint8_t { ring, all_gather };

// Sizes of the dimensions of ranks, innermost first: rank = t + TP (c + CP (d + DP p)). EP takes its ranks from DP.
struct Parallel {
    std::uint32_t tensor = 1;
    std::uint32_t context = 1;
    std::uint32_t data = 1;
    std::uint32_t pipeline = 1;
    std::uint32_t expert = 1;      // divides `data`
    std::uint32_t interleave = 1;  // chunks of a stage
    bool sequence = false;         // sequence parallelism inside the tensor-parallel group
    std::uint32_t zero = 0;        // 0 to 3; 3 is FSDP
    ContextKind context_kind = ContextKind::ring;

    std::uint32_t ranks() const { return tensor * context * data * pipeline; }
};

struct Options {
    Parallel parallel;
    std::uint64_t sequence = 0;        // tokens; 0: the model's
    std::uint64_t microbatch = 1;      // sequences (samples of a DLRM or a CNN: per rank)
    std::uint64_t microbatches = 1;    // of a step and replica
    std::uint64_t element_bytes = 2;   // of activations and weights
    std::uint64_t gradient_bytes = 4;  // of what is reduced
    std::uint64_t bucket_bytes = 25 << 20;
    bool bucket_asked = false;  // the user has chosen it
    Recompute recompute = Recompute::none;
    bool causal_half = false;  // attention skips what the causal mask hides
    // Decode: tokens that each sequence has so far, and steps.
    std::uint64_t cached = 0;
    std::uint64_t steps = 1;
};

}  // namespace weft::workload
