// The module hierarchy of a run, made from a resolved system and its fabric plan.
//
// Members become GPUs, other nodes on routes become switches, edges on routes become links. A GPU
// that passes lines of others on gets a switch of its own (`<node>.router`) between its one fabric port and
// its links.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/config/resolved_system.h"
#include "platform/system/fabric_plan.h"
#include "platform/system/model_registry.h"
#include "tlm_interconnect/link.h"

namespace weft {

class System : public sc_core::sc_module {
public:
    System(sc_core::sc_module_name name, const ResolvedSystem& resolved, const FabricPlan& plan,
        const ModelRegistry& registry, bool data_on, bool check_protocol = false);

    Agenda& agenda() { return agenda_; }
    LinePool& pool() { return pool_; }
    Progress& progress() { return progress_; }
    // In rank order.
    std::vector<Gpu*> gpus() const;

    struct LinkPlace {
        EdgeId edge;
        std::unique_ptr<Link> link;
        // Largest queue in front of each direction, read from the sender.
        std::function<std::uint32_t()> peak[2];
    };
    const std::vector<LinkPlace>& links() const { return links_; }

    struct SwitchPlace {
        NodeId node;
        std::string path;
        std::string model;
        std::unique_ptr<SwitchModel> module;
    };
    const std::vector<SwitchPlace>& switches() const { return switches_; }

    std::uint64_t lines() const;
    std::uint64_t line_hops() const;
    bool cannot_progress() const;
    // Reports of the protocol checkers, those about the end of a run that ended by itself included.
    std::uint64_t protocol_problems(bool ended);

private:
    struct End;  // one side of a link: sockets and credits of the module there

    End end_of(NodeId node, unsigned port);

    Agenda agenda_;
    LinePool pool_;
    Progress progress_;
    Checkers checkers_;
    std::vector<std::unique_ptr<Gpu>> gpus_;
    std::vector<SwitchPlace> switches_;
    std::vector<LinkPlace> links_;
    std::vector<int> gpu_of_;     // by node, -1: none
    std::vector<int> switch_of_;  // by node, -1: none
};

}  // namespace weft
