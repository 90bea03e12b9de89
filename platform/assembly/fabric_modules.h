// The modules between the endpoints of a run: switches, links and, if wanted, a protocol checker on every
// connection, made from a resolved system and its fabric plan.
//
// Nodes on routes that are no members become switches, edges on routes become links. A member that passes lines of
// others on gets a switch of its own (`<node>.router`) between its one fabric port and its links.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/model_registry.h"
#include "platform/assembly/run_contexts.h"
#include "platform/parallel/cut_link.h"
#include "rtl/modules/block_host.h"
#include "tlm_interconnect/switch/blocked_chain.h"
#include "tlm_interconnect/kernel/module_tree.h"
#include "tlm_interconnect/link/link_model.h"
#include "tlm_interconnect/switch/output_port.h"
#include "tlm_interconnect/protocol/passage.h"
#include "tlm_interconnect/protocol/protocol_checker.h"

namespace weft {

class FabricModules {
public:
    // One side of a link: sockets and credits of the module there.
    struct End {
        LineInitiatorSocket* initiator = nullptr;  // null, and all below: another process has it
        LineTargetSocket* target = nullptr;
        std::function<void(const BufferSpace&)> set_credits;
        std::function<std::uint32_t()> peak;  // largest queue in front of the link
        std::function<Time()> credit_stall;
        std::function<bool(PortWatch&)> attach;
        std::function<std::vector<OutputPort::Wait>()> waits;  // null: the switch knows
        // For an endpoint's port.
        static End of(LineInitiatorSocket& out, LineTargetSocket& in, OutputPort& output);
    };

    // `tree` is where its modules go.
    FabricModules(const ResolvedSystem& resolved, const FabricPlan& plan, ModuleTree& tree);

    // By node and port of the fabric: the number that the node's module has for the port, -1 where it is not used.
    static std::vector<std::vector<int>> used_ports_of(const FabricPlan& plan);

    // The interface of a member's module: its fabric ports, and the routes that leave by them.
    unsigned ports(std::uint32_t rank) const;
    RouteTable routes(std::uint32_t rank) const;

    // Before build(), where no checker sees every call: what passes modules of others is watched (passage.h).
    void watch_others() { watches_others_ = true; }

    // The end of a link at a node that is elsewhere, where the link itself is here as a whole; `inner` is its other node.
    using Border = std::function<End(const RunContext& context, EdgeId edge, NodeId outer, NodeId inner)>;

    // Makes and binds everything. `member` gives the ends of the members' ports. Without `border`, links to nodes elsewhere are cut.
    void build(const ModelRegistry& registry, const RunContexts& contexts, Checkers& checkers,
        const std::function<End(std::uint32_t rank, unsigned port)>& member, const Border& border = {});

    // Deletes the modules, from the last to the first.
    void clear()
    {
        while (!links_.empty()) links_.pop_back();
        while (!switches_.empty()) switches_.pop_back();
    }

    struct LinkPlace {
        EdgeId edge;
        std::unique_ptr<LinkModel> link;  // null: another process has both ends
        End ends[2];  // the modules at both ends; what an end says of its port is about the direction away from it
        std::unique_ptr<PortWatch> watch[2];        // of that direction, if it is watched
        std::shared_ptr<CreditHolders> holders[2];  // the modules' accounts, for what they send by this link
        Passage* passage = nullptr;                 // of the link, if it is somebody else's and in one part
    };
    const std::vector<LinkPlace>& links() const { return links_; }
    const std::string& model_of(const LinkPlace& place) const { return resolved_.link_model(place.edge); }
    // Those among them whose ends are in different parts of the run, by number; null where another process has both.
    const std::vector<CutLink*>& cut_links() const { return cut_links_; }

    struct SwitchPlace {
        NodeId node;
        std::string path;
        std::string model;
        std::unique_ptr<SwitchModel> module;  // null: another process has it
        Passage* passage = nullptr;           // if it is somebody else's
    };
    const std::vector<SwitchPlace>& switches() const { return switches_; }
    // Those of them that the document has; routers of accelerators that pass traffic on are others.
    std::size_t stated_switches() const;

    // The switch at a node; null where there is none.
    SwitchModel* switch_at(NodeId node) const
    {
        return switch_of_[node] < 0 ? nullptr : switches_[static_cast<std::size_t>(switch_of_[node])].module.get();
    }
    bool has_switch(NodeId node) const { return switch_of_[node] >= 0; }  // also where another process has it
    // The number that a node's module has for port `port` of the fabric; -1: it is not used.
    int used_port(NodeId node, std::size_t port) const { return ports_[node][port]; }
    // Whose link is at used port `port` of a node.
    const std::string& behind_port(NodeId node, unsigned port) const;
    unsigned port_count(NodeId node) const { return static_cast<unsigned>(at_port_[node].size()); }

    // Watches every link direction whose sender can be watched. Before time starts.
    void watch();
    // When nothing moves any more: the circle or chain of those who wait.
    std::vector<std::string> blocked_chain() const;
    // The circle of buffers that wait for each other while no credit of theirs is at hand or on its way, as text; empty: there is
    // none.
    std::string standing_circle() const;
    // The same in two steps: the circle, if `waits` form one, and whether a credit for one of its buffers is at hand or on its way here.
    static std::string circle_of(const std::vector<BufferWait>& waits);
    bool moves(const std::string& circle) const;
    // What it is made of, with numbers that follow the order of all modules.
    std::vector<std::pair<std::uint64_t, BufferWait>> buffer_waits() const;
    // Switches that hold lines and do not say what these wait for: `wanted` is empty.
    std::vector<std::pair<std::uint64_t, BufferWait>> silent_switches() const;

    // Lines handed on by switches and links.
    std::uint64_t line_hops() const;
    // The blocked parts of switches and links, a line each.
    std::vector<std::string> blocked() const;
    // Whether `test` holds for any switch or link that is a clocked block.
    bool any_block(const std::function<bool(const BlockHost& block)>& test) const;
    // Errors that modules detected, in their order.
    std::vector<std::string> problems() const;
    // After a run that ended by itself (fabric_unsettled.cpp): credits that are not back at their sender, and what blocks of
    // users have not given back; a line each.
    std::vector<std::string> unsettled() const;
    // Where the first of these was, if it was at a clocked block.
    std::optional<BlockFault> fault() const;

private:
    unsigned used_ports(NodeId node) const;
    RouteTable table_of(NodeId node, int own) const;
    void add_switch(const ModelRegistry& registry, const RunContexts& contexts, NodeId node, const std::string& path,
        const std::string& model, unsigned extra);
    std::unique_ptr<LinkModel> make_link(const ModelRegistry& registry, const RunContexts& contexts, EdgeId edge);
    End switch_end(NodeId node, unsigned port) const;
    Passage* new_passage(const RunContext& context, const std::string& path, const std::string& model);
    // Statistics of links of others that cannot be.
    void add_impossible(std::vector<std::string>& out) const;
    // Null: the node's module is Weft's.
    Passage* passage_of(NodeId node) const;
    void join(Checkers& checkers, LineInitiatorSocket& from, Passage* of_from, LineTargetSocket& to, Passage* of_to,
        const ProtocolChecker::Rules& rules);
    std::string buffer_name(std::size_t link, unsigned end, std::uint8_t vc) const;
    std::uint32_t credits_out(const LinkPlace& place, unsigned end, std::uint8_t vc) const;
    std::string who_lost(const LinkPlace& place, unsigned end) const;
    const SwitchPlace* switch_behind(const LinkPlace& place, unsigned end) const;
    std::string port_name(const LinkPlace& place, unsigned end) const;

    const ResolvedSystem& resolved_;
    const FabricPlan& plan_;
    ModuleTree& tree_;
    std::vector<std::vector<int>> ports_;  // by node and port of the fabric: number among the used ones, -1: unused
    std::vector<int> switch_of_;           // by node, -1: none
    bool watches_others_ = false;
    std::vector<std::unique_ptr<Passage>> passages_;
    std::vector<std::unique_ptr<PassageJoint>> joints_;
    std::vector<SwitchPlace> switches_;
    std::vector<LinkPlace> links_;
    std::vector<CutLink*> cut_links_;
    struct Place {
        std::size_t link;
        unsigned end;
    };
    std::vector<std::vector<Place>> at_port_;  // by node and used port
};

}  // namespace weft
