#include "tlm_interconnect/link.h"

namespace weft {

std::uint32_t payload_bytes(LineOp op, std::uint32_t size, LineClass cls)
{
    switch (op) {
    case LineOp::read:
    case LineOp::load_reduce: return cls == LineClass::response ? size : 0;
    case LineOp::write:
    case LineOp::add:
    case LineOp::await:
    case LineOp::multicast:
    case LineOp::reduce: return cls == LineClass::request ? size : 0;
    }
    return 0;
}

std::uint32_t wire_bytes(const LinkSpec& spec, LineOp op, std::uint32_t size, LineClass cls)
{
    const auto flit = static_cast<std::uint32_t>(spec.flit);
    const std::uint32_t payload = payload_bytes(op, size, cls);
    std::uint32_t bytes = static_cast<std::uint32_t>(spec.header) + (payload + flit - 1) / flit * flit;
    if (cls == LineClass::request && (op == LineOp::write || op == LineOp::multicast) && size < line_bytes)
        bytes += static_cast<std::uint32_t>(spec.byte_enable);
    return bytes;
}

Link::Link(sc_core::sc_module_name name, Agenda& agenda, const LinkSpec& spec)
    : sc_module(name), agenda_(agenda), spec_(spec)
{
    for (unsigned end = 0; end < 2; ++end) {
        const std::string number = std::to_string(end);
        targets_[end] = std::make_unique<LineTargetSocket>(("target" + number).c_str(), *this, end);
        initiators_[end] = std::make_unique<LineInitiatorSocket>(("initiator" + number).c_str(), *this, end);
        wires_[end].server.set_rate(spec.bandwidth);
    }
    for (const LineClass cls : {LineClass::request, LineClass::response})
        for (unsigned op = 0; op < line_ops; ++op)
            for (std::uint32_t size = 0; size <= line_bytes; ++size)
                cost_[static_cast<unsigned>(cls)][op][size] =
                    static_cast<std::uint16_t>(weft::wire_bytes(spec, static_cast<LineOp>(op), size, cls));
}

RateServer::Slot Link::carry(unsigned end, const Line& line, LineClass cls, Time arrival)
{
    Wire& wire = wires_[end];
    const std::uint32_t bytes = cost_[static_cast<unsigned>(cls)][static_cast<unsigned>(line.op)][line.size];
    ++wire.lines;
    wire.wire_bytes += bytes;
    wire.payload_bytes += weft::payload_bytes(line.op, line.size, cls);
    return wire.server.book(arrival, bytes);
}

Time Link::on_request(unsigned end, Line& line, Time delay)
{
    const Time now = agenda_.now();
    const Time sent = carry(end, line, LineClass::request, now + delay).end - now;
    initiators_[1 - end]->send_request(line, sent + spec_.latency);
    return sent;
}

Time Link::on_response(unsigned end, Line& line, Time delay)
{
    const Time now = agenda_.now();
    const Time sent = carry(end, line, LineClass::response, now + delay).end - now;
    targets_[1 - end]->send_response(line, sent + spec_.latency);
    return sent;
}

void Link::on_request_credit(unsigned end, Line& line, Time delay)
{
    targets_[1 - end]->return_request_credit(line, delay + spec_.latency);
}

void Link::on_response_credit(unsigned end, Line& line, Time delay)
{
    initiators_[1 - end]->return_response_credit(line, delay + spec_.latency);
}

unsigned Link::debug(unsigned end, Line& line) { return initiators_[1 - end]->debug(line); }

Link::Direction Link::direction(unsigned end) const
{
    const Wire& wire = wires_[end];
    return {wire.lines, wire.wire_bytes, wire.payload_bytes, wire.server.busy()};
}

std::vector<Statistic> Link::statistics() const
{
    std::vector<Statistic> out;
    for (unsigned end = 0; end < 2; ++end) {
        const Wire& wire = wires_[end];
        const std::string way = end == 0 ? "forward_" : "backward_";
        out.push_back({way + "lines", static_cast<double>(wire.lines), "lines", "lines carried"});
        out.push_back({way + "wire_bytes", static_cast<double>(wire.wire_bytes), "B", "bytes on the wire"});
        out.push_back({way + "payload_bytes", static_cast<double>(wire.payload_bytes), "B", "payload among them"});
        out.push_back({way + "busy", static_cast<double>(wire.server.busy()), "ps", "time the wire was busy"});
    }
    return out;
}

void Link::reset_statistics()
{
    for (Wire& wire : wires_) {
        wire.lines = wire.wire_bytes = wire.payload_bytes = 0;
        wire.server.reset_busy();
    }
}

}  // namespace weft
