#include "gpu/crossbar.h"

#include "gpu/line_tag.h"
#include "sc_models/l2_slice.h"

namespace weft {

namespace {

constexpr unsigned unit_shift = 22;  // of a unit's lines: the tag begins with its number (line_tag.h)
constexpr std::size_t most_units = std::size_t{1} << (32 - unit_shift);

}  // namespace

Crossbar::Crossbar(sc_core::sc_module_name name, const GpuSpec& spec, const L2Spec& l2, std::uint32_t endpoint,
    unsigned ports, RouteTable routes)
    : sc_module(name), units("units", *this, 0), movers("movers", *this, 0), spec_(spec), endpoint_(endpoint), sector_shift_(l2.sector_shift()),
      slices_(static_cast<unsigned>(l2.slices)), partitions_(static_cast<unsigned>(l2.partitions)),
      in_partition_(slices_ / partitions_), far_latency_(l2.far_latency),
      hash_(l2.separate() ? in_partition_ : slices_), routes_(std::move(routes))
{
    for (unsigned s = 0; s < slices_; ++s)
        to_slices_.push_back(std::make_unique<LineInitiatorSocket>(("to_slice" + std::to_string(s)).c_str(), *this, s));
    for (unsigned p = 0; p < ports; ++p) {
        const std::string number = std::to_string(p);
        to_ports_.push_back(
            std::make_unique<LineInitiatorSocket>(("to_port" + number).c_str(), *this, slices_ + 1 + p));
        from_ports_.push_back(std::make_unique<LineTargetSocket>(("from_port" + number).c_str(), *this, 1 + p));
    }
    if (l2.separate()) to_home_ = std::make_unique<LineInitiatorSocket>("to_home", *this, slices_);
    if (partitions_ == 1) return;
    for (std::uint64_t unit = 0; unit < spec.compute_units; ++unit)
        partition_of_unit_.push_back(static_cast<std::uint8_t>(unit * partitions_ / spec.compute_units));
    partition_of_unit_.resize(most_units, 0);
}

unsigned Crossbar::partition_of(const Line& line) const { return partition_of_unit_[line.tag >> unit_shift]; }

LineInitiatorSocket& Crossbar::home_of(const Line& line)
{
    if (to_home_) return *to_home_;
    return *to_slices_[slice_place(local_of(line.address) / line_bytes, hash_, sector_shift_).slice];
}

LineInitiatorSocket& Crossbar::choose(const Line& line, Time& delay)
{
    const std::uint64_t local = local_of(line.address);
    const bool data = (line.op == LineOp::read || line.op == LineOp::write) && !MemoryImage::is_flag(local);
    if (to_home_ && !data) return *to_home_;
    const unsigned partition = partition_of(line);
    const unsigned home = slice_place(local / line_bytes, hash_, sector_shift_).slice;
    const unsigned within = home >= in_partition_ ? home - in_partition_ : home;
    if (data) return *to_slices_[partition * in_partition_ + within];
    if (home != partition * in_partition_ + within) delay += far_latency_;
    return *to_slices_[home];
}

Time Crossbar::on_request(unsigned port, Line& line, Time delay)
{
    if (line.destination == endpoint_) {
        if (port > 0) {
            line.push_port(static_cast<std::uint16_t>(port - 1));
            home_of(line).send_request(line, delay + spec_.port_to_l2);
        } else if (partitions_ == 1) {
            home_of(line).send_request(line, delay + spec_.unit_to_l2);
        } else {
            LineInitiatorSocket& slice = choose(line, delay);
            slice.send_request(line, delay + spec_.unit_to_l2);
        }
        return 0;
    }
    const RouteTable::Choice choice = routes_.ports_to(line.destination);
    const unsigned pick = line.pick(choice.count);
    line.vc = vc_of(VcClass::request, choice.lane(pick));
    to_ports_[choice.port(pick)]->send_request(line, delay + spec_.unit_to_port);
    return 0;
}

void Crossbar::answer(Line& line, Time delay)
{
    (MoverTag::is(line.tag) ? movers : units).send_response(line, delay);
}

Time Crossbar::on_response(unsigned port, Line& line, Time delay)
{
    if (port > slices_) {
        answer(line, delay + spec_.port_to_unit);
    } else if (line.source == endpoint_) {
        // Data come from the own partition; what comes from the other is an atomic or a flag.
        if (partitions_ > 1 && !to_home_ && (port >= in_partition_ ? 1U : 0U) != partition_of(line))
            delay += far_latency_;
        answer(line, delay + spec_.l2_to_unit);
    } else {
        from_ports_[line.pop_port()]->send_response(line, delay + spec_.l2_to_port);
    }
    return 0;
}

void Crossbar::on_request_credit(unsigned port, Line& line, Time delay)
{
    // Only requests that came over the fabric hold a slot of a port's buffer.
    if (port <= slices_ && line.source != endpoint_) {
        const std::uint16_t from = line.pop_port();
        line.push_port(from);
        from_ports_[from]->return_request_credit(line, delay);
    }
}

unsigned Crossbar::debug(unsigned, Line& line)
{
    if (line.destination == endpoint_) return home_of(line).debug(line);
    const RouteTable::Choice choice = routes_.ports_to(line.destination);
    return choice.count == 0 ? 0 : to_ports_[choice.port(0)]->debug(line);
}

std::uint64_t Crossbar::hops() const
{
    std::uint64_t total = units.responses() + movers.responses();
    for (const auto& socket : to_slices_) total += socket->requests();
    for (const auto& socket : to_ports_) total += socket->requests();
    for (const auto& socket : from_ports_) total += socket->responses();
    if (to_home_) total += to_home_->requests();
    return total;
}

}  // namespace weft
