// In which order a stage of a pipeline works on microbatches: one forward, one backward (1F1B), plain or with several chunks of
// layers on each stage (interleaved).
#pragma once

#include <cstdint>
#include <vector>

namespace weft::workload {

struct PipelineStep {
    bool forward = true;
    std::uint32_t chunk = 0;  // of the stage
    std::uint64_t microbatch = 0;
};

// `microbatches` is a multiple of `stages` where `chunks` > 1.
std::vector<PipelineStep> pipeline_order(std::uint32_t stages, std::uint32_t chunks, std::uint64_t microbatches,
    std::uint32_t stage);

// Layers of each chunk of the model, first to last. What does not divide evenly is taken from the last chunk, the first, the
// last but one and so on: those also have tables of the vocabulary.
std::vector<std::uint64_t> layers_of_chunks(std::uint64_t layers, std::uint32_t chunks);

}  // namespace weft::workload
