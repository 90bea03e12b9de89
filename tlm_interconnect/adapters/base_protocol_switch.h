// A foreign TLM-2.0 router in the place of a switch: derive, build the router, connect its sockets.
//
// Sockets: as a switch has them. Within, per port an adapter from lines to the base protocol in front of the router and
// one back behind it, and at each output queues, credits and the wire's arbitration as in `switch`.
// Timing: the router's, to an output; then an output's. A slot of an input buffer is free when its line leaves by an
// output. Requests and answers both pass through the router, which may use the four phases, b_transport, or complete early.
// Posted writes: the base protocol answers every access. For a write that nobody answers a copy goes through the router
// in its place, and is answered where the write leaves.
// Routes: the router asks output_of(), which knows the system's routes by address; among equal ones the number of the
// line decides, the same at each router.
// Statistics: lines forwarded, largest output queue (base_protocol_statistics()).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm_interconnect/adapters/base_to_line.h"
#include "tlm_interconnect/adapters/line_to_base.h"
#include "tlm_interconnect/switch/output_bank.h"
#include "tlm_interconnect/switch/switch_shell.h"

namespace weft {

const StatisticTable& base_protocol_statistics();

class BaseProtocolSwitch : public SwitchShell<BaseProtocolSwitch>, public OutputPortOwner {
public:
    struct Setup {
        unsigned ports = 0;
        RouteTable routes;
        Arbitration arbitration;  // of the outputs
        // The router is called by b_transport from so many processes for each port; 0: by its phases.
        std::uint32_t threads = 0;
    };
    // `name` is the sc_module_name that the derived class gets by value: its router is then a part of this module.
    BaseProtocolSwitch(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool, std::string path,
        Setup setup);

    // The router's sockets of a port, in the constructor of the derived class: accesses enter by `in` and leave by `out`.
    template <unsigned BUSWIDTH>
    void connect(unsigned port, tlm::tlm_target_socket<BUSWIDTH>& in, tlm::tlm_initiator_socket<BUSWIDTH>& out)
    {
        auto entry = std::make_unique<LineToBase<BUSWIDTH>>(("entry" + std::to_string(port)).c_str(), event_queue(),
            path() + ".entry" + std::to_string(port), entry_);
        auto exit = std::make_unique<BaseToLine<BUSWIDTH>>(("exit" + std::to_string(port)).c_str(), event_queue(),
            path() + ".exit" + std::to_string(port), pool_, exit_);
        entry->socket.bind(in);
        out.bind(exit->socket);
        join(port, std::move(entry), std::move(exit));
    }

    // The port by which an access to `address` leaves: what the router's address decoder returns.
    unsigned output_of(std::uint64_t address) const { return exit_of(address).port; }

    void set_credits(unsigned port, const BufferSpace& space) override { outputs_[port].set_credits(space); }
    std::uint32_t peak_queue(unsigned port) const override { return outputs_[port].peak_queue(); }
    bool attach(unsigned port, PortWatch& watch) override;
    Time credit_stall(unsigned port) const override { return outputs_[port].credit_stall(); }
    std::vector<Wait> waits() const override { return outputs_.waits(); }
    std::uint64_t line_hops() const override { return outputs_.sent(); }
    std::vector<std::string> blocked() const override;
    std::vector<Statistic> statistics() const override;
    void reset_statistics() override { outputs_.reset_statistics(); }

private:
    friend SwitchShell<BaseProtocolSwitch>;

    // Socket number p is the link's side of port p, number ports + p the router's.
    struct Port {
        std::unique_ptr<LineInitiatorSocket> to_router;
        std::unique_ptr<LineTargetSocket> from_router;
        std::unique_ptr<LineToBaseCore> entry;
        std::unique_ptr<BaseToLineCore> exit;
    };

    void join(unsigned port, std::unique_ptr<LineToBaseCore> entry, std::unique_ptr<BaseToLineCore> exit);
    void before_end_of_elaboration() override;

    void arrive(unsigned socket, Line& line, LineClass cls, Time delay);
    // The adapters' credits bound nothing: what is in the router holds slots of the links' buffers.
    void credited(unsigned socket, std::uint8_t vc, Time due)
    {
        if (socket < ports_.size()) outputs_[socket].add_credit(vc, due);
    }
    void on_sent(unsigned port, Line& line, LineClass cls, unsigned input) override;
    unsigned debug(unsigned /*socket*/, Line& line) override { return initiator(output_of(line.address)).debug(line); }
    void run(ScheduledItem& item) override;
    void arbitrate() override { outputs_.serve(event_queue().now()); }

    Exit exit_of(std::uint64_t address) const;
    Line& stand_in(Line& posted);
    void leave(Line& line, unsigned port);
    void come_back(Line& line);
    void touch(unsigned port);

    LinePool& pool_;
    LineToBaseSpec entry_;
    BaseToLineSpec exit_;
    std::vector<Port> ports_;
    OutputBank outputs_;
    std::vector<Line*> posted_;  // by the tag of what stands in for them
    std::vector<std::uint32_t> free_;
};

}  // namespace weft
