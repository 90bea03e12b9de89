#include "tlm_interconnect/switch/switch.h"

#include "tlm_interconnect/switch/switch_statistics.h"

#include <algorithm>

namespace weft {

Switch::Switch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec, unsigned ports,
    RouteTable routes)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), spec_(spec), routes_(std::move(routes)),
      ports_(ports), touched_((ports + 63) / 64, 0)
{
    for (unsigned p = 0; p < ports; ++p) {
        const std::string number = std::to_string(p);
        ports_[p].target = std::make_unique<LineTargetSocket>(("target" + number).c_str(), *this, p);
        ports_[p].initiator = std::make_unique<LineInitiatorSocket>(("initiator" + number).c_str(), *this, p);
        ports_[p].output = std::make_unique<OutputPort>(event_queue, *this, *this, p, ports, *ports_[p].initiator,
            *ports_[p].target, arbitration(spec));
    }
    if (spec.message > 0) {
        messages_ = std::make_unique<MessageStage>(*this, spec);
        network_.resize(ports);
    }
}

Time Switch::on_request(unsigned port, Line& line, Time delay)
{
    line.kind = static_cast<std::uint8_t>(LineClass::request);
    event_queue().schedule(line, *this, event_queue().now() + delay + spec_.latency, port);
    return 0;
}

Time Switch::on_response(unsigned port, Line& line, Time delay)
{
    line.kind = static_cast<std::uint8_t>(LineClass::response);
    event_queue().schedule(line, *this, event_queue().now() + delay + spec_.latency, port);
    return 0;
}

void Switch::on_request_credit(unsigned port, Line& line, Time delay)
{
    ports_[port].output->add_credit(line.vc, event_queue().now() + delay);
}

void Switch::on_response_credit(unsigned port, Line& line, Time delay)
{
    ports_[port].output->add_credit(line.vc, event_queue().now() + delay);
}

void Switch::touch(unsigned port)
{
    touched_[port >> 6] |= std::uint64_t{1} << (port & 63);
    request_arbitration();
}

void Switch::run(ScheduledItem& item)
{
    const unsigned input = item.order & 0xfff;
    if (item.kind >= OutputPort::wake_kind) {
        touch(input);
        return;
    }
    if (item.kind == group_kind) {
        groups_->ready(input);
        return;
    }
    if (item.kind == timer_kind) {
        messages_->expired(input, event_queue().now());
        return;
    }
    Line& line = Line::of(item);
    if (item.kind == message_kind) {
        forward(line, input);
        return;
    }
    if (item.kind == retry_kind) {
        groups_->retry(line, input, event_queue().now());
        return;
    }
    const LineClass cls = static_cast<LineClass>(line.kind);
    if (cls == LineClass::request) {
        const unsigned lane = lane_of(line.vc);
        line.push_way(input, lane);
        if (line.destination >= first_group && groups_ != nullptr) {
            groups_->on_request(line, input, event_queue().now());
        } else if (messages_ != nullptr && leaves_node(line, input)) {
            messages_->take(line, input, event_queue().now());
        } else {
            forward(line, input);
        }
        return;
    }
    const Line::Way way = line.pop_way();
    if (way.port == GroupUnit::marker_port) {
        groups_->on_response(line, input, event_queue().now());
        return;
    }
    ports_[way.port].output->enqueue(line, cls, input, way.lane);
    touch(way.port);
}

void Switch::forward(Line& line, unsigned input)
{
    const unsigned phase = routes_.phase(input, lane_of(line.vc));
    if (routes_.scatters(phase)) line.scatter(routes_.seed());
    const RouteTable::Choice choice = routes_.ports_to(line.destination, phase);
    if (choice.count == 0) {
        SC_REPORT_ERROR("/weft/switch", (path() + ": no way to endpoint " + std::to_string(line.destination)).c_str());
        return;
    }
    const unsigned pick = line.pick(choice.count);
    const unsigned port = choice.port(pick);
    ports_[port].output->enqueue(line, LineClass::request, input, choice.lane(pick));
    touch(port);
}

// Of the port that the line will be forwarded to, as far as its header and the routes tell.
void Switch::prefetch(const ScheduledItem& item) const
{
    if (item.kind >= OutputPort::wake_kind && (item.order & 0xfffU) < ports_.size()) ports_[item.order & 0xfffU].output->prefetch_next();
    if (item.kind >= line_classes) return;
    const LineHeader& line = Line::of(item);
    std::size_t port = ports_.size();
    if (static_cast<LineClass>(item.kind) == LineClass::response) {
        if (line.depth - 1U < std::size(line.near_path)) port = line.near_path[line.depth - 1U] & 0xfffU;
    } else if (line.destination < first_group) {
        const RouteTable::Choice choice = routes_.ports_to(line.destination, routes_.phase(item.order & 0xfffU, lane_of(line.vc)));
        if (choice.count > 0) port = choice.port(choice.count == 1 ? 0 : line.spread % choice.count);
    }
    if (port < ports_.size()) ports_[port].output->prefetch(line.address);
}

void Switch::arbitrate()
{
    const Time now = event_queue().now();
    for (std::size_t word = 0; word < touched_.size(); ++word) {
        std::uint64_t bits = touched_[word];
        touched_[word] = 0;
        for (; bits != 0; bits &= bits - 1)
            ports_[(word << 6) + static_cast<unsigned>(__builtin_ctzll(bits))].output->serve(now);
    }
}

void Switch::on_sent(unsigned, Line& line, LineClass cls, unsigned input)
{
    if ((line.flags & LineHeader::made_flag) != 0) {
        line.flags &= static_cast<std::uint8_t>(~LineHeader::made_flag);
        if (cls == LineClass::request) groups_->on_copy_sent(line);
        return;
    }
    if (cls == LineClass::request) {
        ports_[input].target->return_request_credit(line, 0);
    } else {
        ports_[input].initiator->return_response_credit(line, 0);
    }
}

void Switch::set_credits(unsigned port, const BufferSpace& space)
{
    ports_[port].output->set_credits(space);
    if (messages_ == nullptr) return;
    network_[port] = space.packet_lines > 0;
    if (network_[port]) messages_->limit_packets(space.path_lines);
}

// From the node's side of the card to the network's.
bool Switch::leaves_node(const Line& line, unsigned input) const
{
    const RouteTable::Choice choice = routes_.ports_to(line.destination);
    return !network_[input] && choice.count > 0 && network_[choice.port(0)];
}

void Switch::message_later(Line& line, Time due, unsigned input)
{
    line.kind = message_kind;
    event_queue().schedule(line, *this, due, input);
}

void Switch::message_timer(ScheduledItem& timer, Time due, unsigned stream)
{
    timer.kind = timer_kind;
    event_queue().schedule(timer, *this, due, stream);
}

void Switch::add_group(const SwitchGroup& group, LinePool& pool)
{
    if (groups_ == nullptr) groups_ = std::make_unique<GroupUnit>(*this, path(), spec_, pool);
    groups_->add(group);
}

void Switch::group_request(Line& line, unsigned input)
{
    line.flags |= LineHeader::made_flag;
    forward(line, input);
}

void Switch::group_response(Line& line, unsigned input)
{
    line.flags |= LineHeader::made_flag;
    const Line::Way way = line.pop_way();
    ports_[way.port].output->enqueue(line, LineClass::response, input, way.lane);
    touch(way.port);
}

void Switch::free_request_slot(Line& line, unsigned input) { ports_[input].target->return_request_credit(line, 0); }

void Switch::free_response_slot(Line& line, unsigned input)
{
    ports_[input].initiator->return_response_credit(line, 0);
}

void Switch::group_later(Line& line, Time due, unsigned context)
{
    line.kind = group_kind;
    event_queue().schedule(line, *this, due, context);
}

void Switch::group_retry(Line& line, unsigned input)
{
    line.kind = retry_kind;
    event_queue().schedule(line, *this, event_queue().now(), input);
}

std::uint64_t Switch::line_hops() const
{
    std::uint64_t hops = 0;
    for (const Port& port : ports_) hops += port.output->sent();
    return hops;
}

bool Switch::attach(unsigned port, PortWatch& watch)
{
    ports_[port].output->attach(watch);
    return true;
}

std::vector<SwitchModel::Wait> Switch::waits() const
{
    std::vector<Wait> out;
    for (unsigned p = 0; p < ports_.size(); ++p)
        for (const OutputPort::Wait& wait : ports_[p].output->waits())
            out.push_back({wait.input, wait.held, p, wait.wanted, wait.lines});
    return out;
}

std::vector<std::string> Switch::blocked() const
{
    std::vector<std::string> out;
    for (unsigned p = 0; p < ports_.size(); ++p) {
        const std::string text = ports_[p].output->describe();
        if (!text.empty()) out.push_back(path() + " output " + std::to_string(p) + ": " + text);
    }
    if (groups_ != nullptr)
        for (const std::string& text : groups_->blocked()) out.push_back(path() + ": " + text);
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
    std::vector<Statistic> out;
    StatisticWriter write(switch_statistics(), out);
    write("lines", lines);
    write("peak_queue", peak);
    write("credit_stall", stall);
    if (groups_ != nullptr) groups_->add_statistics(out);
    if (messages_ != nullptr) messages_->add_statistics(out);
    return out;
}

void Switch::reset_statistics()
{
    for (Port& port : ports_) port.output->reset_statistics();
    if (groups_ != nullptr) groups_->reset_statistics();
    if (messages_ != nullptr) messages_->reset_statistics();
}

}  // namespace weft
