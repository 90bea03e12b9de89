#include "collectives/workload/pipeline_order.h"

#include <algorithm>

namespace weft::workload {

std::vector<PipelineStep> pipeline_order(std::uint32_t stages, std::uint32_t chunks, std::uint64_t microbatches,
    std::uint32_t stage)
{
    const std::uint64_t all = microbatches * chunks;
    // With chunks, microbatches go in runs of one for each stage through all chunks of the stage.
    const auto step = [&](std::uint64_t number, bool forward) {
        if (chunks == 1) return PipelineStep{forward, 0, number};
        const std::uint64_t round = number / (std::uint64_t{stages} * chunks);
        const auto chunk = static_cast<std::uint32_t>(number / stages % chunks);
        return PipelineStep{forward, forward ? chunk : chunks - 1 - chunk, round * stages + number % stages};
    };
    const std::uint64_t ahead =
        chunks == 1 ? stages - stage - 1 : 2 * (stages - stage - 1) + (chunks - 1) * std::uint64_t{stages};
    const std::uint64_t warm_up = std::min(all, ahead);
    std::vector<PipelineStep> order;
    order.reserve(2 * all);
    for (std::uint64_t i = 0; i < warm_up; ++i) order.push_back(step(i, true));
    for (std::uint64_t i = warm_up; i < all; ++i) {
        order.push_back(step(i, true));
        order.push_back(step(i - warm_up, false));
    }
    for (std::uint64_t i = all - warm_up; i < all; ++i) order.push_back(step(i, false));
    return order;
}

std::vector<std::uint64_t> layers_of_chunks(std::uint64_t layers, std::uint32_t chunks)
{
    const std::uint64_t most = (layers + chunks - 1) / chunks;
    std::vector<std::uint64_t> out(chunks, most);
    const std::uint64_t missing = most * chunks - layers;
    for (std::uint64_t i = 0; i < missing; ++i) --out[i % 2 == 0 ? chunks - 1 - i / 2 : i / 2];
    return out;
}

}  // namespace weft::workload
