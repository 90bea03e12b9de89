#include "gpu/network/crossbar.h"

#include "gpu/network/line_tag.h"

namespace weft {

namespace {

constexpr auto answer = static_cast<std::uint8_t>(LineClass::response);
constexpr unsigned side_bits = 3;  // of a mesh's items: by which side of its tile a line comes, 0 within it

}  // namespace

Crossbar::Crossbar(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const GpuSpec& spec,
    const NetworkSpec& network, const L2Spec& l2, std::uint32_t endpoint, unsigned ports, RouteTable routes)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), units("units", *this, 0),
      dma_engines("movers", *this, 0), spec_(spec), endpoint_(endpoint), interleave_shift_(l2.interleave_shift()),
      slices_(static_cast<unsigned>(l2.slices)), partitions_(static_cast<unsigned>(l2.partitions)),
      in_partition_(slices_ / partitions_), far_latency_(l2.far_latency),
      hash_(l2.separate() ? in_partition_ : slices_), routes_(std::move(routes)),
      header_(static_cast<std::uint32_t>(network.header)), into_slice_(network.slice_rate),
      to_units_(l2.slices, network.slice_rate, header_), to_fabric_(to_units_),
      to_slices_("to_slice", slices_, socket_creator<LineInitiatorSocket>(*this)),
      to_ports_("to_port", ports, socket_creator<LineInitiatorSocket>(*this, slices_ + 1)),
      from_ports_("from_port", ports, socket_creator<LineTargetSocket>(*this, 1))
{
    if (l2.separate()) to_home_ = std::make_unique<LineInitiatorSocket>("to_home", *this, slices_);
    // Behind a slice whose own server is no faster, a port that all its lines pass adds nothing: it is left out. What comes
    // from the other of two mirrored partitions does not take that server. Slices of plug-ins have none that is known.
    const std::uint64_t share = l2.bandwidth / l2.slices;
    const std::uint64_t across = l2.mirrored() ? 2 * l2.far_bandwidth / l2.slices : 0;
    const bool alone = network.header == 0 && l2.of_weft();
    if (alone && network.slice_rate >= share) into_slice_ = 0;
    if (alone && network.slice_rate >= share + across) to_units_ = to_fabric_ = DiePorts();
    if (network.mesh()) mesh_ = std::make_unique<Mesh>(network);
    for (LineInitiatorSocket& socket : to_slices_) exits_.push_back(&socket);
    exits_.push_back(to_home_.get());
    for (LineInitiatorSocket& socket : to_ports_) exits_.push_back(&socket);
    bound_.assign(exits_.size(), nullptr);
    if (partitions_ == 1) return;
    for (std::uint64_t unit = 0; unit < spec.compute_units; ++unit)
        partition_of_unit_.push_back(static_cast<std::uint8_t>(unit * partitions_ / spec.compute_units));
    partition_of_unit_.resize(tag_units, 0);
}

unsigned Crossbar::partition_of(const Line& line) const { return partition_of_unit_[unit_of_tag(line.tag)]; }

unsigned Crossbar::slice_for_unit(const Line& line, Time& delay) const
{
    const std::uint64_t local = local_of(line.address);
    const bool data = (line.op == LineOp::read || line.op == LineOp::write) && !MemoryImage::is_flag(local);
    if (to_home_ && !data) return slices_;
    const unsigned partition = partition_of(line);
    const unsigned home = slice_of(line);
    const unsigned within = home >= in_partition_ ? home - in_partition_ : home;
    if (data) return partition * in_partition_ + within;
    if (home != partition * in_partition_ + within) delay += far_latency_;
    return home;
}

inline void Crossbar::hand_request(Line& line, bool of_port, unsigned exit, Time delay)
{
    const Time latency = exit > slices_ ? spec_.unit_to_port : of_port ? spec_.port_to_l2 : spec_.unit_to_l2;
    requests_ += line.lines();
    call_forward(bound(exit), line, LinePhase::request, delay + latency);
}

inline void Crossbar::hand_response(Line& line, bool of_port, unsigned exit, Time delay)
{
    if (exit > 0) {
        from_ports_[exit - 1].send_response(line, delay + spec_.l2_to_port);
    } else {
        LineTargetSocket& back = MoverTag::is(line.tag) ? dma_engines : units;
        back.send_response(line, delay + (of_port ? spec_.port_to_unit : spec_.l2_to_unit));
    }
}

Time Crossbar::on_request(unsigned port, Line& line, Time delay)
{
    const bool of_port = port > 0;
    unsigned exit = 0;
    if (line.destination == endpoint_) {
        if (of_port) {
            line.push_port(static_cast<std::uint16_t>(port - 1));
            exit = home_of(line);
        } else {
            exit = partitions_ == 1 ? slice_of(line) : slice_for_unit(line, delay);
        }
    } else {
        const RouteTable::Choice choice = routes_.ports_to(line.destination);
        const unsigned pick = line.pick(choice.count);
        line.vc = vc_of(VcClass::request, choice.vc_set(pick));
        exit = slices_ + 1 + choice.port(pick);
    }
    if (mesh_ && exit != slices_) {
        enter_mesh(line, of_port ? came_from_port : 0, of_port ? tile_of_port(port - 1) : tile_of_unit(line), exit,
            delay);
    } else {
        hand_request(line, of_port, exit, delay);
    }
    return 0;
}

void Crossbar::answer_from_port(Line& line, unsigned link, Time delay)
{
    if (mesh_) {
        enter_mesh(line, answer | came_from_port, tile_of_port(link), 0, delay);
    } else {
        hand_response(line, true, 0, delay);
    }
}

Time Crossbar::on_response(unsigned port, Line& line, Time delay)
{
    if (port > slices_) {
        answer_from_port(line, port - slices_ - 1, delay);
        return 0;
    }
    unsigned exit = 0;
    if (line.source != endpoint_) {
        exit = 1U + line.pop_port();
    } else if (partitions_ > 1 && !to_home_ && (port >= in_partition_ ? 1U : 0U) != partition_of(line)) {
        delay += far_latency_;  // data come from the own partition; what comes from the other is an atomic or a flag
    }
    line.scratch.die.slice = static_cast<std::uint16_t>(port);
    if (mesh_ && port != slices_) {
        enter_mesh(line, answer | leaving_slice, tile_of_slice(port), exit, delay);
        return 0;
    }
    hand_response(line, false, exit, delay);
    return 0;
}

void Crossbar::on_request_credit(unsigned port, Line& line, Time delay)
{
    // Only requests that came over the fabric hold a slot of a port's buffer.
    if (port <= slices_ && line.source != endpoint_) {
        from_ports_[line.top_port()].return_request_credit(line, delay);
    }
}

unsigned Crossbar::tile_of_unit(const Line& line) const
{
    return mesh_->tile_of(unit_of_tag(line.tag), spec_.compute_units);
}

unsigned Crossbar::tile_of_exit(const Line& line, LineClass cls, unsigned exit) const
{
    if (cls == LineClass::request) return exit < slices_ ? tile_of_slice(exit) : tile_of_port(exit - slices_ - 1);
    return exit == 0 ? tile_of_unit(line) : tile_of_port(exit - 1);
}

void Crossbar::enter_mesh(Line& line, std::uint8_t kind, unsigned tile, unsigned exit, Time delay)
{
    line.scratch.die.exit = static_cast<std::uint16_t>(exit);
    line.kind = kind;
    event_queue().schedule(line, *this, event_queue().now() + delay, tile << side_bits);
}

// A line is at a tile.
void Crossbar::run(ScheduledItem& item)
{
    Line& line = Line::of(item);
    const Time now = event_queue().now();
    const auto cls = static_cast<LineClass>(line.kind & 1U);
    const unsigned place = line.input;
    const unsigned tile = place >> side_bits;
    const std::uint16_t exit = line.scratch.die.exit;
    if ((line.kind & leaving_slice) != 0) {
        line.kind &= static_cast<std::uint8_t>(~leaving_slice);
        const std::uint16_t slice = line.scratch.die.slice;
        const Time start = (exit == 0 ? to_units_ : to_fabric_).admit(slice, line, cls, now);
        if (start > now) {
            event_queue().schedule(line, *this, start, place);
            return;
        }
    }
    const unsigned to = tile_of_exit(line, cls, exit);
    if (to != tile) {
        const Mesh::Step step =
            mesh_->step(cls, tile, to, now, header_ * line.lines() + payload_bytes(line.op, line.size, cls));
        event_queue().schedule(line, *this, step.at, step.tile << side_bits | step.side);
        return;
    }
    const bool of_port = (line.kind & came_from_port) != 0;
    if (cls == LineClass::request) {
        hand_request(line, of_port, exit, 0);
    } else {
        hand_response(line, of_port, exit, 0);
    }
}

unsigned Crossbar::debug(unsigned, Line& line)
{
    if (line.destination == endpoint_) return to_home_ ? to_home_->debug(line) : to_slices_[slice_of(line)].debug(line);
    const RouteTable::Choice choice = routes_.ports_to(line.destination);
    return choice.count == 0 ? 0 : to_ports_[choice.port(0)].debug(line);
}

std::uint64_t Crossbar::hops() const
{
    std::uint64_t total = requests_ + units.responses() + dma_engines.responses();
    for (const LineInitiatorSocket* socket : exits_) total += socket == nullptr ? 0 : socket->requests();
    for (const LineTargetSocket& socket : from_ports_) total += socket.responses();
    return total;
}

std::vector<Statistic> Crossbar::statistics() const
{
    std::vector<Statistic> out;
    account_.add_statistics(out);
    if (mesh_) mesh_->add_statistics(out);
    return out;
}

void Crossbar::reset_statistics()
{
    account_.reset_statistics();
    if (mesh_) mesh_->reset_statistics();
}

}  // namespace weft
