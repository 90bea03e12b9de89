#include "gpu/crossbar.h"

#include "sc_models/l2_slice.h"

namespace weft {

Crossbar::Crossbar(sc_core::sc_module_name name, const GpuSpec& spec, std::uint32_t endpoint, unsigned slices,
    unsigned ports, RouteTable routes)
    : sc_module(name), units("units", *this, 0), spec_(spec), endpoint_(endpoint), slices_(slices),
      routes_(std::move(routes))
{
    for (unsigned s = 0; s < slices; ++s)
        to_slices_.push_back(std::make_unique<LineInitiatorSocket>(("to_slice" + std::to_string(s)).c_str(), *this, s));
    for (unsigned p = 0; p < ports; ++p) {
        const std::string number = std::to_string(p);
        to_ports_.push_back(std::make_unique<LineInitiatorSocket>(("to_port" + number).c_str(), *this, slices + p));
        from_ports_.push_back(std::make_unique<LineTargetSocket>(("from_port" + number).c_str(), *this, 1 + p));
    }
}

Time Crossbar::on_request(unsigned port, Line& line, Time delay)
{
    if (line.destination == endpoint_) {
        const SlicePlace place = slice_place(local_of(line.address) / line_bytes, slices_);
        if (port == 0) {
            to_slices_[place.slice]->send_request(line, delay + spec_.unit_to_l2);
        } else {
            line.push_port(static_cast<std::uint16_t>(port - 1));
            to_slices_[place.slice]->send_request(line, delay + spec_.port_to_l2);
        }
        return 0;
    }
    const RouteTable::Choice choice = routes_.ports_to(line.destination);
    const unsigned pick = line.pick(choice.count);
    line.vc = vc_of(VcClass::request, choice.lane(pick));
    to_ports_[choice.port(pick)]->send_request(line, delay + spec_.unit_to_port);
    return 0;
}

Time Crossbar::on_response(unsigned port, Line& line, Time delay)
{
    if (port >= slices_.divisor()) {
        units.send_response(line, delay + spec_.port_to_unit);
    } else if (line.source == endpoint_) {
        units.send_response(line, delay + spec_.l2_to_unit);
    } else {
        from_ports_[line.pop_port()]->send_response(line, delay + spec_.l2_to_port);
    }
    return 0;
}

void Crossbar::on_request_credit(unsigned port, Line& line, Time delay)
{
    // Only requests that came over the fabric hold a slot of a port's buffer.
    if (port < slices_.divisor() && line.source != endpoint_) {
        const std::uint16_t from = line.pop_port();
        line.push_port(from);
        from_ports_[from]->return_request_credit(line, delay);
    }
}

unsigned Crossbar::debug(unsigned, Line& line)
{
    if (line.destination == endpoint_)
        return to_slices_[slice_place(local_of(line.address) / line_bytes, slices_).slice]->debug(line);
    const RouteTable::Choice choice = routes_.ports_to(line.destination);
    return choice.count == 0 ? 0 : to_ports_[choice.port(0)]->debug(line);
}

std::uint64_t Crossbar::hops() const
{
    std::uint64_t total = units.responses();
    for (const auto& socket : to_slices_) total += socket->requests();
    for (const auto& socket : to_ports_) total += socket->requests();
    for (const auto& socket : from_ports_) total += socket->responses();
    return total;
}

}  // namespace weft
