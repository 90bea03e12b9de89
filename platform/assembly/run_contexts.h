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
    // Some nodes are beyond a border, and have no modules; `beyond` must outlive it.
    void set_beyond(const std::vector<bool>& beyond) { beyond_ = &beyond; }

    std::uint32_t part(NodeId node) const { return division_ == nullptr ? 0 : division_->part_of_node[node]; }
    bool beyond(NodeId node) const { return beyond_ != nullptr && (*beyond_)[node]; }
    // In a part of this process.
    bool in_part_here(NodeId node) const { return division_ == nullptr || division_->here(part(node)); }
    // The same, with a module.
    bool here(NodeId node) const { return !beyond(node) && in_part_here(node); }
    // The context of a node that in_part_here() is true for.
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
    const std::vector<bool>* beyond_ = nullptr;  // null: no node is
};

}  // namespace weft
