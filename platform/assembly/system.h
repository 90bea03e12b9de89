// The module hierarchy of a run, made from a resolved system and its fabric plan: members become GPUs (or replay GPUs;
// memories are GPUs that nothing is launched on), what lies between them is FabricModules. Names are those of the document, so a
// slice of an L2 is `dgx.0.xpu.0.l2.3` to SystemC, too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_modules.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/model_registry.h"
#include "tlm_interconnect/kernel/module_tree.h"

namespace weft {

class System {
public:
    using LinkPlace = FabricModules::LinkPlace;
    using SwitchPlace = FabricModules::SwitchPlace;

    // `resolved`, `plan` and `division` must outlive it. With `division` the run is cut. `recorders`: one a part, or null.
    // With `elsewhere` only some nodes are simulated; both must outlive it.
    struct Elsewhere {
        std::vector<bool> nodes;  // that are not here
        FabricModules::Border border;
    };
    System(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry, bool data_on,
        bool check_protocol = false, TrafficRecorder* recorders = nullptr, const Division* division = nullptr,
        const Elsewhere* elsewhere = nullptr);

    // From the last module to the first: the kernel looks for each port from the end of its list.
    ~System()
    {
        fabric_.clear();
        while (!accelerators_.empty()) accelerators_.pop_back();
    }
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    // What the modules of one part share; a run that is not cut has one.
    struct Share {
        explicit Share(const std::string& name) : event_queue(name.c_str()) {}

        EventQueue event_queue;
        LinePool pool;
        Progress progress;
    };
    const std::vector<std::unique_ptr<Share>>& shares() const { return shares_; }  // of the parts of this process
    EventQueue& event_queue() { return shares_.front()->event_queue; }
    LinePool& pool() { return shares_.front()->pool; }
    LinePool& pool_at(NodeId node)
    {
        return shares_[division_ == nullptr ? 0 : division_->part_of_node[node] - division_->first]->pool;
    }
    Progress& progress() { return shares_.front()->progress; }
    bool idle() const;  // nothing is due in any part
    Time last() const;  // time of the last item that ran and changed something
    bool stopped() const;
    // In rank order; absent ones (gpu/interface/absent_accelerator.h) are neither of the two.
    std::vector<Accelerator*> accelerators() const;
    std::vector<Gpu*> gpus() const;           // null where it is no full GPU
    std::vector<ReplayGpu*> replays() const;  // null where it is a full one
    const std::vector<LinkPlace>& links() const { return fabric_.links(); }
    const std::vector<SwitchPlace>& switches() const { return fabric_.switches(); }
    FabricModules& fabric() { return fabric_; }
    const FabricModules& fabric() const { return fabric_; }

    std::uint64_t lines() const;
    std::uint64_t line_hops() const;
    bool cannot_progress() const;
    // A switch or link that is busy waits in vain. Who spins for what it holds would do so for ever, so it is asked for every so often.
    bool overdue(Time now);
    // The same in two steps, where other processes have parts of the fabric: whether `circle`, of all, stands; what is busy here, while
    // nothing else moves or in any case.
    bool circle_stands(const std::string& circle);
    bool anything_overdue(Time now, bool alone) const;
    // Something but polls has happened here since the last look, or will happen behind the next one.
    bool anything_moves(Time now);
    // Nothing has moved anywhere for so many looks: what is busy waits for a transaction or a credit that never comes.
    bool stands_still(bool moves);
    static constexpr Time look_every = 100'000'000;  // ps
    // Errors that modules detected, and the blocked parts of the fabric and of slices; one line each.
    std::vector<std::string> problems() const;
    // Where the first of these was, if it was at a clocked block.
    std::optional<BlockFault> fault() const;
    std::vector<std::string> blocked() const;
    // A run has ended by itself: slices look at what memory holds.
    void check_contents();
    // The same: what has not come home, credits and transactions; a line each.
    std::vector<std::string> unsettled() const;
    // The same: the protocol checkers look at what is still open. Their problems are among problems().
    void finish_checkers();
    // Requests that slices and memories of plug-ins at this endpoint have not answered: a line for each connection.
    std::vector<std::string> unanswered(std::uint32_t endpoint) const;
    std::uint64_t protocol_problems() const;
    std::size_t checked_connections() const { return checkers_.size(); }

private:
    std::string behind_port_of(const std::string& failure) const;

    const FabricPlan& plan_;
    const Division* division_;                    // null: not cut
    std::vector<std::unique_ptr<Share>> shares_;  // by part of this process
    Checkers checkers_;
    std::vector<std::unique_ptr<Checkers>> watchers_;  // by endpoint; null: all parts of it are Weft's
    ModuleTree tree_;
    FabricModules fabric_;
    std::vector<std::unique_ptr<Accelerator>> accelerators_;
    std::string circle_;         // of the last look of overdue(),
    int circle_looks_ = 0;       // and how often it has been the same
    bool polls_pass_links_;      // those of flags at the rank that signals
    std::uint64_t changes_ = 0;  // of all parts at the last look,
    int still_looks_ = 0;        // and how often they have been the same
};

}  // namespace weft
