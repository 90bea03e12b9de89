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
#include "tlm_interconnect/switch/output_bank.h"
#include "tlm_interconnect/switch/request_stage.h"
#include "tlm_interconnect/switch/switch_shell.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

class Switch final : public SwitchShell<Switch>, public OutputPortOwner, public GroupHost, public StageHost {
public:
    // `path` names it in reports; `routes` gives the output ports for each destination endpoint.
    Switch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec,
        unsigned ports, RouteTable routes);

    // Requests pass `stage` between the pipeline and their queues. Before time starts.
    void set_stage(std::unique_ptr<RequestStage> stage) { stage_ = std::move(stage); }

    void set_credits(unsigned port, const BufferSpace& space) override;
    void add_group(const SwitchGroup& group, LinePool& pool) override;
    void add_tier(const GroupTier& part, LinePool& pool) override;
    bool accounts_for_credits() const override { return true; }
    bool overdue(Time now) const override { return groups_ != nullptr && groups_->overdue(now); }
    std::uint32_t peak_queue(unsigned port) const override { return outputs_[port].peak_queue(); }
    std::uint64_t line_hops() const override { return outputs_.sent(); }
    std::vector<std::string> blocked() const override;
    bool attach(unsigned port, PortWatch& watch) override;
    Time credit_stall(unsigned port) const override { return outputs_[port].credit_stall(); }
    std::vector<Wait> waits() const override { return outputs_.waits(); }

    OutputPort& output(unsigned port) { return outputs_[port]; }
    const OutputPort& output(unsigned port) const { return outputs_[port]; }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

private:
    friend SwitchShell<Switch>;

    void arrive(unsigned port, Line& line, LineClass cls, Time delay);
    void credited_lines(unsigned port, std::uint8_t vc, Time due, std::uint32_t lines)
    {
        outputs_[port].add_credit(vc, due, lines);
    }
    void on_sent(unsigned port, Line& line, LineClass cls, unsigned input) override;
    void run(ScheduledItem& item) override;
    void arbitrate() override { outputs_.serve(event_queue().now()); }
    void prefetch(const ScheduledItem& item) const override;
    void enqueue(Line& line, LineClass cls, unsigned input, const Exit& exit);
    void touch(unsigned port);
    void forward(Line& line, unsigned input);
    void group_request(Line& line, unsigned input) override;
    void group_forward(Line& line, unsigned input) override { forward(line, input); }
    void group_request_down(Line& line, unsigned input, const std::vector<std::uint16_t>& routes) override;
    void group_response(Line& line, unsigned input) override;
    void free_request_slot(Line& line, unsigned input) override { free_slot(line, LineClass::request, input); }
    void free_response_slot(Line& line, unsigned input) override { free_slot(line, LineClass::response, input); }
    void group_later(Line& line, Time due, unsigned rank) override;
    void group_retry(Line& line, unsigned input) override;

    void stage_forward(Line& line, unsigned input) override { forward(line, input); }
    void stage_later(Line& line, Time due, unsigned input) override;
    void stage_timer(ScheduledItem& timer, Time due, unsigned number) override;

    // Item kinds behind the two classes.
    static constexpr std::uint8_t group_kind = 2;
    static constexpr std::uint8_t retry_kind = 3;
    static constexpr std::uint8_t stage_kind = 4;
    static constexpr std::uint8_t timer_kind = 5;

    SwitchSpec spec_;
    OutputBank outputs_;
    std::unique_ptr<GroupUnit> groups_;
    std::unique_ptr<RequestStage> stage_;
};

}  // namespace weft
