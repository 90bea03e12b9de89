// A foreign base-protocol router in the place of a switch.
//
// Sockets: as a switch has them. Within, per port an adapter from lines to the base protocol in front of the router and
// one back behind it, and at each output queues, credits and the wire's arbitration as in `switch`.
// Timing: the router's, to an output; then an output's. A slot of an input buffer is free when its line leaves by an
// output. Requests and answers both pass through the router.
// The base protocol answers every access: for a posted write, which nobody answers, a copy goes through the router in
// its place, and is answered where the write leaves.
// The router sees addresses: among equal ways the number of the line decides, the same at each router.
// Statistics: lines forwarded, largest output queue.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "at_router.h"

#include <weft/adapters.h>
#include <weft/plugin.h>
#include <weft/switch.h>

const weft::StatisticTable& router_statistics();

class RouterSwitch : public sc_core::sc_module,
                     public weft::TimedComponent,
                     public weft::LineInitiator,
                     public weft::LineTarget,
                     public weft::OutputPortOwner,
                     public weft::SwitchModel {
public:
    // `threads`: the router is called by b_transport from so many processes for each port; 0: by its four phases.
    RouterSwitch(sc_core::sc_module_name name, const weft::RunContext& context, const weft::SwitchRequest& request,
        std::uint32_t threads = 0);

    weft::LineTargetSocket& target(unsigned port) override { return *ports_[port].target; }
    weft::LineInitiatorSocket& initiator(unsigned port) override { return *ports_[port].initiator; }
    void set_credits(unsigned port, const weft::BufferSpace& space) override;
    std::uint32_t peak_queue(unsigned port) const override { return ports_[port].output->peak_queue(); }
    bool attach(unsigned port, weft::PortWatch& watch) override;
    weft::Time credit_stall(unsigned port) const override { return ports_[port].output->credit_stall(); }
    std::vector<Wait> waits() const override;
    std::uint64_t line_hops() const override;
    std::vector<std::string> blocked() const override;
    std::vector<weft::Statistic> statistics() const override;
    void reset_statistics() override;

private:
    // Socket number p is the link's side of port p, number ports + p the router's.
    struct Port {
        std::unique_ptr<weft::LineTargetSocket> target;
        std::unique_ptr<weft::LineInitiatorSocket> initiator;
        std::unique_ptr<weft::LineInitiatorSocket> to_router;
        std::unique_ptr<weft::LineTargetSocket> from_router;
        std::unique_ptr<weft::LineToBase<>> entry;
        std::unique_ptr<weft::BaseToLine<>> exit;
        std::unique_ptr<weft::OutputPort> output;
        bool touched = false;
    };
    struct Choice {
        unsigned port;
        unsigned lane;
    };

    weft::Time on_request(unsigned socket, weft::Line& line, weft::Time delay) override;
    weft::Time on_response(unsigned socket, weft::Line& line, weft::Time delay) override;
    void on_request_credit(unsigned socket, weft::Line& line, weft::Time delay) override;
    void on_response_credit(unsigned socket, weft::Line& line, weft::Time delay) override;
    void on_sent(unsigned port, weft::Line& line, weft::LineClass cls, unsigned input) override;
    void run(weft::ScheduledItem& item) override;
    void arbitrate() override;

    Choice way_of(std::uint64_t address) const;
    weft::Line& stand_in(weft::Line& posted);
    void leave(weft::Line& line, unsigned port);
    void come_back(weft::Line& line);
    void touch(unsigned port);

    weft::RouteTable routes_;
    weft::LinePool& pool_;
    std::vector<Port> ports_;
    std::unique_ptr<AtRouter> router_;
    std::vector<weft::Line*> posted_;  // by the tag of what stands in for them
    std::vector<std::uint32_t> free_;
};
