#include "tlm_interconnect/switch.h"

#include <algorithm>

namespace weft {

Switch::Switch(sc_core::sc_module_name name, Agenda& agenda, std::string path, const SwitchSpec& spec, unsigned ports,
    RouteTable routes)
    : sc_module(name), Station(agenda, std::move(path)), spec_(spec), routes_(std::move(routes)),
      ports_(ports), touched_((ports + 63) / 64, 0)
{
    for (unsigned p = 0; p < ports; ++p) {
        const std::string number = std::to_string(p);
        ports_[p].target = std::make_unique<LineTargetSocket>(("target" + number).c_str(), *this, p);
        ports_[p].initiator = std::make_unique<LineInitiatorSocket>(("initiator" + number).c_str(), *this, p);
        ports_[p].output = std::make_unique<OutputPort>(agenda, *this, *this, p, ports, *ports_[p].initiator,
            *ports_[p].target, arbitration(spec));
    }
}

Time Switch::on_request(unsigned port, Line& line, Time delay)
{
    line.kind = static_cast<std::uint8_t>(LineClass::request);
    agenda().schedule(line, *this, agenda().now() + delay + spec_.latency, port);
    return 0;
}

Time Switch::on_response(unsigned port, Line& line, Time delay)
{
    line.kind = static_cast<std::uint8_t>(LineClass::response);
    agenda().schedule(line, *this, agenda().now() + delay + spec_.latency, port);
    return 0;
}

void Switch::on_request_credit(unsigned port, Line& line, Time delay)
{
    ports_[port].output->add_credit(line.vc, agenda().now() + delay);
}

void Switch::on_response_credit(unsigned port, Line& line, Time delay)
{
    ports_[port].output->add_credit(line.vc, agenda().now() + delay);
}

void Switch::touch(unsigned port)
{
    touched_[port >> 6] |= std::uint64_t{1} << (port & 63);
    request_settle();
}

void Switch::run(AgendaItem& item)
{
    const unsigned input = item.order & 0xfff;
    if (item.kind >= OutputPort::wake_kind) {
        touch(input);
        return;
    }
    Line& line = Line::of(item);
    Line::Way way{};
    const LineClass cls = static_cast<LineClass>(line.kind);
    if (cls == LineClass::request) {
        const RouteTable::Choice choice = routes_.ports_to(line.destination);
        if (choice.count == 0) {
            SC_REPORT_ERROR("/weft/switch",
                (path() + ": no way to endpoint " + std::to_string(line.destination)).c_str());
            return;
        }
        const unsigned pick = line.pick(choice.count);
        way = {choice.port(pick), choice.lane(pick)};
        line.push_way(input, lane_of(line.vc));
    } else {
        way = line.pop_way();
    }
    ports_[way.port].output->enqueue(line, cls, input, way.lane);
    touch(way.port);
}

void Switch::settle()
{
    const Time now = agenda().now();
    for (std::size_t word = 0; word < touched_.size(); ++word) {
        std::uint64_t bits = touched_[word];
        touched_[word] = 0;
        for (; bits != 0; bits &= bits - 1)
            ports_[(word << 6) + static_cast<unsigned>(__builtin_ctzll(bits))].output->serve(now);
    }
}

void Switch::on_sent(unsigned, Line& line, LineClass cls, unsigned input)
{
    if (cls == LineClass::request) {
        ports_[input].target->return_request_credit(line, 0);
    } else {
        ports_[input].initiator->return_response_credit(line, 0);
    }
}

void Switch::set_credits(unsigned port, const BufferSpace& space) { ports_[port].output->set_credits(space); }

std::uint64_t Switch::line_hops() const
{
    std::uint64_t hops = 0;
    for (const Port& port : ports_) hops += port.output->sent();
    return hops;
}

std::vector<std::string> Switch::blocked() const
{
    std::vector<std::string> out;
    for (unsigned p = 0; p < ports_.size(); ++p) {
        const std::string text = ports_[p].output->describe();
        if (!text.empty()) out.push_back(path() + " output " + std::to_string(p) + ": " + text);
    }
    return out;
}

std::vector<Statistic> Switch::statistics() const
{
    double lines = 0;
    double peak = 0;
    double stall = 0;
    for (const Port& port : ports_) {
        lines += static_cast<double>(port.output->sent());
        peak = std::max(peak, static_cast<double>(port.output->peak_queue()));
        stall += static_cast<double>(port.output->credit_stall());
    }
    return {{"lines", lines, "lines", "requests and responses forwarded"},
        {"peak_queue", peak, "lines", "largest number of lines waiting for one output"},
        {"credit_stall", stall, "ps", "time outputs had lines, a free wire and no credit, summed over outputs"}};
}

void Switch::reset_statistics()
{
    for (Port& port : ports_) port.output->reset_statistics();
}

}  // namespace weft
