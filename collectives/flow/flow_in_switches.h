// FlowCore: operations that switches execute for groups of ranks (flow_switches.cpp).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_gathering.h"
#include "collectives/flow/flow_job.h"

namespace weft {

class FlowCore::InSwitches {
public:
    explicit InSwitches(FlowCore& core) : core_(core) {}

    void set(Switches find) { find_ = std::move(find); }
    void require(const std::string& algorithm);
    // Asks the members for what the move loads from all of them. Its `earliest` end is for what its thread can issue.
    void ask(std::uint32_t move, Ps now, Ps earliest);
    // The first line of what the move stores leaves at `from`, the last one is there at `ready`.
    void store(const Move& move, Ps from, Ps ready);
    // A transfer to or from a switch has come.
    void gathered(const Transfer& transfer, Ps tail);

private:
    std::vector<std::uint32_t> endpoints_of(const Thread& thread, const FlowOp& op, bool loads) const;
    const SwitchGroupRoutes& routes(const Thread& thread, std::vector<std::uint32_t> members, bool in_order);
    const FlowGroupPaths& paths_of(const SwitchRoute& route);
    const FlowLeafPaths& paths_of(const SwitchLeaf& leaf);
    void launch_group(const Transfer& transfer);
    template <class Visit>
    static void for_planes(const SwitchGroupRoutes& found, const Visit& visit);
    void ask_by(const SwitchGroupRoutes& found, const std::vector<std::uint32_t>& members, std::uint32_t number, Ps now,
        Ps earliest);
    void store_by(const SwitchGroupRoutes& found, std::uint32_t plane, const std::vector<std::uint32_t>& members,
        const Move& move, Ps from, Ps ready);
    std::uint32_t push_gathering(const FlowOp& op, const std::vector<std::uint32_t>& members, std::uint32_t index,
        std::uint32_t plane);
    void send_copies(std::uint32_t number);
    std::uint32_t part_of(std::uint32_t number, std::uint32_t leaf);
    void pass_tier(std::uint32_t number, Use use);
    void copy_to_members(std::uint32_t number);
    void send_down(std::uint32_t number);

    FlowCore& core_;
    Switches find_;
    SwitchRoutes* switches_ = nullptr;
    std::map<const SwitchRoute*, FlowGroupPaths> group_paths_;
    std::map<const SwitchLeaf*, FlowLeafPaths> leaf_paths_;
    SlotPool<FlowGathering> gatherings_;
    std::map<std::vector<std::uint64_t>, std::vector<std::uint32_t>> pushes_;  // not yet by all
};

}  // namespace weft
