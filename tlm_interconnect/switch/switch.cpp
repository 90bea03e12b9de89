#include "tlm_interconnect/switch/switch.h"

#include "tlm_interconnect/switch/switch_statistics.h"

#include <algorithm>
#include <iterator>

namespace weft {

Switch::Switch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec,
    unsigned ports, RouteTable routes)
    : SwitchShell(ports, std::move(routes), name, event_queue, std::move(path)), spec_(spec),
      outputs_(event_queue, *this, *this, *this, ports, arbitration(spec))
{
    request_prefetch();
}

void Switch::arrive(unsigned port, Line& line, LineClass cls, Time delay)
{
    line.kind = static_cast<std::uint8_t>(cls);
    event_queue().schedule(line, *this, event_queue().now() + delay + spec_.latency, port);
}

void Switch::touch(unsigned port)
{
    outputs_.touch(port);
    request_arbitration();
}

void Switch::run(ScheduledItem& item)
{
    const unsigned input = item.input;
    if (item.kind >= OutputPort::wake_kind) {
        touch(input);
        return;
    }
    if (item.kind == timer_kind) {
        stage_->expired(input, event_queue().now());
        return;
    }
    Line& line = Line::of(item);
    if (item.kind == group_kind) {
        groups_->ready(line);
        return;
    }
    if (item.kind == stage_kind) {
        forward(line, input);
        return;
    }
    if (item.kind == retry_kind) {
        groups_->retry(line, input, event_queue().now());
        return;
    }
    if (static_cast<LineClass>(item.kind) == LineClass::request) {
        note_hop(line, input);
        if (line.destination >= first_group && groups_ != nullptr) {
            groups_->on_request(line, input, event_queue().now());
        } else if (stage_ == nullptr || !stage_->take(line, input, routes(), event_queue().now())) {
            forward(line, input);
        }
        return;
    }
    const Exit exit = route_back(line);
    if (exit.port == GroupUnit::marker_port) {
        groups_->on_response(line, input, event_queue().now());
    } else {
        enqueue(line, LineClass::response, input, exit);
    }
}

void Switch::enqueue(Line& line, LineClass cls, unsigned input, const Exit& exit)
{
    outputs_[exit.port].enqueue(line, cls, input, exit.vc_set);
    touch(exit.port);
}

void Switch::forward(Line& line, unsigned input)
{
    if (const Exit exit = route(line, input, vc_set_of(line.vc)); exit.known())
        enqueue(line, LineClass::request, input, exit);
}

// Of the port that the line will be forwarded to, as far as its header and the routes tell.
void Switch::prefetch(const ScheduledItem& item) const
{
    if (item.kind >= OutputPort::wake_kind && item.input < outputs_.size()) outputs_[item.input].prefetch_next();
    if (item.kind >= line_classes) return;
    const LineHeader& line = Line::of(item);
    std::size_t port = outputs_.size();
    if (static_cast<LineClass>(item.kind) == LineClass::response) {
        if (line.depth - 1U < std::size(line.near_path)) port = line.near_path[line.depth - 1U] & 0xfffU;
    } else if (line.destination < first_group) {
        const RouteTable::Choice choice =
            routes().ports_to(line.destination, routes().phase(item.input, vc_set_of(line.vc)));
        if (choice.count > 0) port = choice.port(choice.count == 1 ? 0 : line.path_hash % choice.count);
    }
    if (port < outputs_.size()) outputs_[port].prefetch(line.address);
}

void Switch::on_sent(unsigned, Line& line, LineClass cls, unsigned input)
{
    if (!line.marked(LineHeader::made_mark)) {
        free_slot(line, cls, input);
        return;
    }
    line.unmark(LineHeader::made_mark);
    if (cls == LineClass::request) groups_->on_copy_sent(line);
}

void Switch::set_credits(unsigned port, const BufferSpace& space)
{
    outputs_[port].set_credits(space);
    if (stage_ != nullptr) stage_->set_space(port, space);
}

void Switch::stage_later(Line& line, Time due, unsigned input)
{
    line.kind = stage_kind;
    event_queue().schedule(line, *this, due, input);
}

void Switch::stage_timer(ScheduledItem& timer, Time due, unsigned number)
{
    timer.kind = timer_kind;
    event_queue().schedule(timer, *this, due, number);
}

void Switch::add_group(const SwitchGroup& group, LinePool& pool)
{
    if (groups_ == nullptr) groups_ = std::make_unique<GroupUnit>(*this, path(), spec_, pool);
    groups_->add(group);
}

void Switch::add_tier(const GroupTier& part, LinePool& pool)
{
    if (stage_ != nullptr)
        throw InputError("", 0, path() + ": a network card cannot multicast and reduce over two tiers",
            "members that are attached to switches, and switches that are attached to each other");
    if (groups_ == nullptr) groups_ = std::make_unique<GroupUnit>(*this, path(), spec_, pool);
    groups_->add(part);
    if (part.leaf()) set_group_routes(part.id, part.up);
}

void Switch::group_request_down(Line& line, unsigned input, const std::vector<std::uint16_t>& routes)
{
    line.mark(LineHeader::made_mark);
    const std::uint16_t route = routes[line.pick(static_cast<unsigned>(routes.size()))];
    enqueue(line, LineClass::request, input, {RouteTable::port_of(route), RouteTable::vc_set_of(route)});
}

void Switch::group_request(Line& line, unsigned input)
{
    line.mark(LineHeader::made_mark);
    forward(line, input);
}

void Switch::group_response(Line& line, unsigned input)
{
    line.mark(LineHeader::made_mark);
    const Exit exit = route_back(line);
    enqueue(line, LineClass::response, input, exit);
}

void Switch::group_later(Line& line, Time due, unsigned rank)
{
    line.kind = group_kind;
    event_queue().schedule(line, *this, due, rank);
}

void Switch::group_retry(Line& line, unsigned input)
{
    line.kind = retry_kind;
    event_queue().schedule(line, *this, event_queue().now(), input);
}

bool Switch::attach(unsigned port, PortWatch& watch)
{
    outputs_[port].attach(watch);
    return true;
}

std::vector<std::string> Switch::blocked() const
{
    std::vector<std::string> out;
    outputs_.add_blocked(path(), out);
    if (groups_ != nullptr)
        for (const std::string& text : groups_->blocked()) out.push_back(path() + ": " + text);
    return out;
}

std::vector<Statistic> Switch::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(switch_statistics(), out);
    write_lines(write);
    write_peak_queue(write);
    write("credit_stall", outputs_.credit_stall());
    if (groups_ != nullptr) groups_->add_statistics(out);
    if (stage_ != nullptr) stage_->add_statistics(out);
    return out;
}

void Switch::reset_statistics()
{
    outputs_.reset_statistics();
    if (groups_ != nullptr) groups_->reset_statistics();
    if (stage_ != nullptr) stage_->reset_statistics();
}

}  // namespace weft
