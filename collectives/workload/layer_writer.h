// Writes one layer of a transformer, forwards and backwards, into a rank's trace: its kernels and the communication of tensor,
// sequence, context and expert parallelism around them.
#pragma once

#include <functional>
#include <string>

#include "collectives/workload/kernels.h"
#include "collectives/workload/rank_trace.h"

namespace weft::workload {

class LayerWriter {
public:
    LayerWriter(const Transformer& model, const Options& options, const RankGrid& grid, RankTrace& trace);

    const LayerKernels& kernels() const { return kernels_; }

    // `label` ends the names of the nodes: " l3 m0".
    void forward(std::uint64_t layer, const Pass& pass, const std::string& label, Work work);
    void backward(std::uint64_t layer, const Pass& pass, const std::string& label);

    // The two products of the backward pass of each kernel, in the chain; `between` gives what runs beside the second half.
    void backward_of(const std::vector<Kernel>& kernels, const std::string& label,
        const std::function<NodeIds()>& between = {});

private:
    void enter(const Pass& pass, const std::string& label);
    NodeIds leaving(const Pass& pass, const std::string& label);
    void leave(const Pass& pass, const std::string& label);
    void tensor_collective(const char* name, chakra::CollectiveType type, const Pass& pass, const std::string& label,
        std::uint64_t factor = 1);
    void attention_core(const Pass& pass, const std::string& label, Work work);
    void ring_core(const Kernel& core, const Pass& pass, const std::string& label, Work work);
    void expert_part(const Pass& pass, const std::string& label, Work work);
    void expert_part_backward(const Pass& pass, const std::string& label);
    void exchange(const char* name, const Pass& pass, const std::string& label);
    // With experts elsewhere the routed tokens are gathered in place of all of them.
    bool has_edges(std::uint64_t layer) const
    {
        return !model_.has_experts(layer) || !dispatches() || model_.shared_experts > 0;
    }
    bool dispatches() const { return options_.parallel.expert > 1; }

    const Transformer& model_;
    const Options& options_;
    LayerKernels kernels_;
    RankTrace& trace_;
    Membership tensor_;
    Membership context_;
    Membership expert_;
    std::uint32_t next_tag_ = 1;  // of ring messages; alike on all ranks of a ring
};

}  // namespace weft::workload
