// What the modules of a run share: one context for all, or one for each part of a run that is cut (platform/parallel/).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "infragraph/graph.h"
#include "platform/assembly/model_requests.h"
#include "platform/parallel/transport.h"

namespace weft {

// How a run is cut.
struct Division {
    std::uint32_t parts = 1;
    std::vector<std::uint32_t> part_of_node;
    std::vector<std::uint32_t> device_of_node;                   // numbers that follow the names
    std::function<std::uint32_t(const std::string&)> device_of;  // of a component, by its path
    Transport* transport = nullptr;
    // The parts of this process, [first, first + count); the others are in other processes.
    std::uint32_t first = 0;
    std::uint32_t count = 1;

    bool here(std::uint32_t part) const { return part >= first && part - first < count; }
};

class RunContexts {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a context is that of a whole run
    RunContexts(const RunContext& only) : contexts_{only} {}
    // One a part of this process; `division` must outlive it. `data_on`: contents are simulated, and cross the cut.
    RunContexts(std::vector<RunContext> contexts, const Division& division, bool data_on)
        : contexts_(std::move(contexts)), division_(&division), data_on_(data_on)
    {
    }

    // The nodes that are `elsewhere` are not simulated here; `elsewhere` must outlive it.
    RunContexts(const RunContext& only, const std::vector<bool>& elsewhere) : contexts_{only}, elsewhere_(&elsewhere) {}

    std::uint32_t part(NodeId node) const { return division_ == nullptr ? 0 : division_->part_of_node[node]; }
    bool here(NodeId node) const
    {
        if (elsewhere_ != nullptr) return !(*elsewhere_)[node];
        return division_ == nullptr || division_->here(part(node));
    }
    // Of a node that is here.
    const RunContext& of(NodeId node) const
    {
        return contexts_[division_ == nullptr ? 0 : part(node) - division_->first];
    }
    Transport& transport() const { return *division_->transport; }
    bool data_on() const { return data_on_; }

private:
    std::vector<RunContext> contexts_;
    const Division* division_ = nullptr;  // null: not cut
    bool data_on_ = true;
    const std::vector<bool>* elsewhere_ = nullptr;  // null: all nodes are here, or in the parts of the division
};

}  // namespace weft
