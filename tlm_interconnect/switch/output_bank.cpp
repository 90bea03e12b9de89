#include "tlm_interconnect/switch/output_bank.h"

namespace weft {

OutputBank::OutputBank(EventQueue& event_queue, TimedComponent& component, OutputPortOwner& owner, SwitchModel& model,
    unsigned ports, const Arbitration& arbitration)
    : touched_((ports + 63) / 64, 0)
{
    for (unsigned p = 0; p < ports; ++p)
        ports_.push_back(std::make_unique<OutputPort>(event_queue, component, owner, p, ports, model.initiator(p),
            model.target(p), arbitration));
}

std::uint64_t OutputBank::sent() const
{
    std::uint64_t sum = 0;
    for (const auto& port : ports_) sum += port->sent();
    return sum;
}

Time OutputBank::credit_stall() const
{
    Time sum = 0;
    for (const auto& port : ports_) sum += port->credit_stall();
    return sum;
}

std::vector<SwitchModel::Wait> OutputBank::waits() const
{
    std::vector<SwitchModel::Wait> out;
    for (unsigned p = 0; p < ports_.size(); ++p)
        for (const OutputPort::Wait& wait : ports_[p]->waits())
            out.push_back({wait.input, wait.held, p, wait.wanted, wait.lines});
    return out;
}

void OutputBank::add_blocked(const std::string& path, std::vector<std::string>& out) const
{
    for (unsigned p = 0; p < ports_.size(); ++p) {
        const std::string text = ports_[p]->describe();
        if (!text.empty()) out.push_back(path + " output " + std::to_string(p) + ": " + text);
    }
}

void OutputBank::reset_statistics()
{
    for (const auto& port : ports_) port->reset_statistics();
}

}  // namespace weft
