// A foreign base-protocol router in the place of a switch.
//
// Sockets: as a switch has them. Within, per port an adapter from lines to the base protocol in front of the router and
// one back behind it, and at each output queues, credits and the wire's arbitration as in `switch`.
// Timing: the router's, to an output; then an output's. A slot of an input buffer is free when its line leaves by an
// output. Requests and answers both pass through the router.
// The base protocol answers every access: for a posted write, which nobody answers, a copy goes through the router in
// its place, and is answered where the write leaves.
// The router sees addresses: among equal routes the number of the line decides, the same at each router.
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

class RouterSwitch final : public weft::SwitchShell<RouterSwitch>, public weft::OutputPortOwner {
public:
    // `threads`: the router is called by b_transport from so many processes for each port; 0: by its four phases.
    RouterSwitch(sc_core::sc_module_name name, const weft::RunContext& context, const weft::SwitchRequest& request,
        std::uint32_t threads = 0);

    void set_credits(unsigned port, const weft::BufferSpace& space) override { outputs_[port].set_credits(space); }
    std::uint32_t peak_queue(unsigned port) const override { return outputs_[port].peak_queue(); }
    bool attach(unsigned port, weft::PortWatch& watch) override;
    weft::Time credit_stall(unsigned port) const override { return outputs_[port].credit_stall(); }
    std::vector<Wait> waits() const override { return outputs_.waits(); }
    std::uint64_t line_hops() const override { return outputs_.sent(); }
    std::vector<std::string> blocked() const override;
    std::vector<weft::Statistic> statistics() const override;
    void reset_statistics() override { outputs_.reset_statistics(); }

private:
    friend weft::SwitchShell<RouterSwitch>;

    // Socket number p is the link's side of port p, number ports + p the router's.
    struct Port {
        std::unique_ptr<weft::LineInitiatorSocket> to_router;
        std::unique_ptr<weft::LineTargetSocket> from_router;
        std::unique_ptr<weft::LineToBase<>> entry;
        std::unique_ptr<weft::BaseToLine<>> exit;
    };

    void arrive(unsigned socket, weft::Line& line, weft::LineClass cls, weft::Time delay);
    // The adapters' credits bound nothing: what is in the router holds slots of the links' buffers.
    void credited(unsigned socket, std::uint8_t vc, weft::Time due)
    {
        if (socket < ports_.size()) outputs_[socket].add_credit(vc, due);
    }
    void on_sent(unsigned port, weft::Line& line, weft::LineClass cls, unsigned input) override;
    unsigned debug(unsigned /*socket*/, weft::Line& line) override
    {
        return initiator(exit_of(line.address).port).debug(line);
    }
    void run(weft::ScheduledItem& item) override;
    void arbitrate() override { outputs_.serve(event_queue().now()); }

    Exit exit_of(std::uint64_t address) const;
    weft::Line& stand_in(weft::Line& posted);
    void leave(weft::Line& line, unsigned port);
    void come_back(weft::Line& line);
    void touch(unsigned port);

    weft::LinePool& pool_;
    std::vector<Port> ports_;
    weft::OutputBank outputs_;
    std::unique_ptr<AtRouter> router_;
    std::vector<weft::Line*> posted_;  // by the tag of what stands in for them
    std::vector<std::uint32_t> free_;
};
