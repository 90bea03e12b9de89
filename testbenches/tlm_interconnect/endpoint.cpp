#include "testbenches/tlm_interconnect/endpoint.h"

#include <stdexcept>

namespace weft::testing {

Endpoint::Endpoint(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, LinePool& pool,
    unsigned index, unsigned ports, RouteTable routes, Time service)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), pool_(pool), routes_(std::move(routes)),
      index_(static_cast<std::uint16_t>(index)), service_(service)
{
    for (unsigned p = 0; p < ports; ++p) {
        auto port = std::make_unique<Port>();
        port->out = std::make_unique<LineInitiatorSocket>(("out" + std::to_string(p)).c_str(), *this, p);
        port->in = std::make_unique<LineTargetSocket>(("in" + std::to_string(p)).c_str(), *this, p);
        port->output = std::make_unique<OutputPort>(event_queue, *this, *this, p, 1, *port->out, *port->in);
        ports_.push_back(std::move(port));
    }
}

Line& Endpoint::issue(Time at, LineOp op, unsigned to, std::uint64_t local, std::uint32_t size, std::uint32_t transfer)
{
    Line& line = pool_.take();
    line.begin(op, global_address(to, local), size).source(index_).tag(tags_++).transfer(transfer);
    line.kind = issue_kind;
    event_queue().schedule(line, *this, at, 4095);
    return line;
}

Time Endpoint::on_request(unsigned port, Line& line, Time delay)
{
    line.kind = arrival_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay, port);
    return 0;
}

Time Endpoint::on_response(unsigned port, Line& line, Time delay)
{
    ports_[port]->out->return_response_credit(line, delay + hold_);
    line.kind = answer_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay, port);
    return 0;
}

void Endpoint::on_request_credit(unsigned port, Line& line, Time delay)
{
    ports_[port]->output->add_credit(line.vc, event_queue().now() + delay, line.lines());
}

void Endpoint::on_response_credit(unsigned port, Line& line, Time delay)
{
    ports_[port]->output->add_credit(line.vc, event_queue().now() + delay, line.lines());
}

void Endpoint::run(ScheduledItem& item)
{
    request_arbitration();
    if (item.kind >= OutputPort::wake_kind) return;
    Line& line = Line::of(item);
    const Time now = event_queue().now();
    switch (item.kind) {
    case issue_kind: {
        const RouteTable::Choice choice = routes_.ports_to(line.destination);
        if (choice.count == 0) throw std::logic_error(path() + " is told to send where there is no route");
        const unsigned pick = line.pick(choice.count);
        line.issued = now;
        ports_[choice.port(pick)]->output->enqueue(line, LineClass::request, 0, choice.vc_set(pick));
        return;
    }
    case arrival_kind:
        served.push_back({now, line.source, line.tag, line.tail});
        line.push_hop(item.input, vc_set_of(line.vc));
        line.kind = service_kind;
        event_queue().schedule(line, *this, now + service_, item.input);
        return;
    case service_kind: {
        const Line::Hop hop = line.pop_hop();
        Port& port = *ports_[hop.port];
        if (replied_++ != dropped_) port.in->return_request_credit(line, 0);
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        port.output->enqueue(line, LineClass::response, 0, hop.vc_set);
        return;
    }
    default: break;
    }
    answered.push_back({now, line.source, line.tag, line.tail});
    pool_.give(line);
}

void Endpoint::arbitrate()
{
    for (const auto& port : ports_) port->output->serve(event_queue().now());
}

}  // namespace weft::testing
