// A switch: input-queued, one virtual output queue per (channel, input, output), an arbiter per output.
//
// Sockets: per port one target (requests in, responses out) and one initiator (requests out,
// responses in), each bound to a link.
//
// Timing: a line is eligible for arbitration `latency` after it has arrived in the input buffer.
// Arbitration over the complete set of lines of an instant, among channels and then among inputs, by `arbiter`
// (output_port.h). An output takes the next line when its wire is free. Inputs do
// not conflict: the crossbar takes one line per output at a time from any input.
// Operations on groups (multicast, reduction): group_unit.h.
// A slot of the input buffer is free, and its credit on the way back, when the line leaves it.
//
// Statistics: lines forwarded, largest output queue, time outputs waited for credits.
#pragma once

#include <memory>
#include <vector>

#include "tlm_interconnect/switch/debug_route.h"
#include "tlm_interconnect/switch/group_unit.h"
#include "tlm_interconnect/switch/message_stage.h"
#include "tlm_interconnect/switch/output_port.h"
#include "tlm_interconnect/routing/route_table.h"
#include "tlm_interconnect/switch/switch_model.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

class Switch final : public sc_core::sc_module,
                     public TimedComponent,
                     public LineInitiator,
                     public LineTarget,
                     public OutputPortOwner,
                     public SwitchModel,
                     public GroupHost,
                     public MessageHost {
public:
    // `path` names it in reports; `routes` gives the output ports for each destination endpoint.
    Switch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec, unsigned ports,
        RouteTable routes);

    LineTargetSocket& target(unsigned port) override { return *ports_[port].target; }
    LineInitiatorSocket& initiator(unsigned port) override { return *ports_[port].initiator; }
    void set_credits(unsigned port, const BufferSpace& space) override;
    void add_group(const SwitchGroup& group, LinePool& pool) override;
    bool accounts_for_credits() const override { return true; }
    bool overdue(Time now) const override { return groups_ != nullptr && groups_->overdue(now); }
    std::uint32_t peak_queue(unsigned port) const override { return ports_[port].output->peak_queue(); }
    std::uint64_t line_hops() const override;
    std::vector<std::string> blocked() const override;
    bool attach(unsigned port, PortWatch& watch) override;
    Time credit_stall(unsigned port) const override { return ports_[port].output->credit_stall(); }
    std::vector<Wait> waits() const override;

    OutputPort& output(unsigned port) { return *ports_[port].output; }
    const OutputPort& output(unsigned port) const { return *ports_[port].output; }
    unsigned port_count() const { return static_cast<unsigned>(ports_.size()); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    // What comes in by the sockets.
    Time on_request(unsigned port, Line& line, Time delay) override;
    Time on_response(unsigned port, Line& line, Time delay) override;
    void on_request_credit(unsigned port, Line& line, Time delay) override;
    void on_response_credit(unsigned port, Line& line, Time delay) override;

private:
    struct Port {
        std::unique_ptr<LineTargetSocket> target;
        std::unique_ptr<LineInitiatorSocket> initiator;
        std::unique_ptr<OutputPort> output;
    };

    unsigned debug(unsigned port, Line& line) override { return pass_debug(*this, routes_, port, line); }
    void on_sent(unsigned port, Line& line, LineClass cls, unsigned input) override;
    void run(ScheduledItem& item) override;
    void arbitrate() override;
    void prefetch(const ScheduledItem& item) const override;
    void touch(unsigned port);
    void forward(Line& line, unsigned input);
    void group_request(Line& line, unsigned input) override;
    void group_response(Line& line, unsigned input) override;
    void free_request_slot(Line& line, unsigned input) override;
    void free_response_slot(Line& line, unsigned input) override;
    void group_later(Line& line, Time due, unsigned context) override;
    void group_retry(Line& line, unsigned input) override;

    void message_forward(Line& line, unsigned input) override { forward(line, input); }
    void message_later(Line& line, Time due, unsigned input) override;
    void message_timer(ScheduledItem& timer, Time due, unsigned stream) override;
    bool leaves_node(const Line& line, unsigned input) const;

    static constexpr std::uint8_t group_kind = 2;
    static constexpr std::uint8_t retry_kind = 3;
    static constexpr std::uint8_t message_kind = 4;
    static constexpr std::uint8_t timer_kind = 5;

    SwitchSpec spec_;
    RouteTable routes_;
    std::vector<Port> ports_;
    std::unique_ptr<GroupUnit> groups_;
    std::unique_ptr<MessageStage> messages_;
    std::vector<bool> network_;           // by port, where there are messages
    std::vector<std::uint64_t> touched_;  // bit per output to serve at the end of this instant
};

}  // namespace weft
