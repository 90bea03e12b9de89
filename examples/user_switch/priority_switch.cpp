#include "priority_switch.h"

#include <algorithm>

using namespace weft;

namespace user {

namespace {

enum Kind : std::uint8_t { request_kind, response_kind, wake_kind };

constexpr std::array<VcClass, vc_classes> control_first{VcClass::request, VcClass::atomic, VcClass::response, VcClass::write};
constexpr std::array<VcClass, vc_classes> data_first{VcClass::response, VcClass::write, VcClass::request, VcClass::atomic};

// A line keeps the number of the input that it was scheduled with until it is scheduled again.
unsigned input_of(const ScheduledItem& item) { return item.order & 0xfff; }

}  // namespace

const ParameterTable<PrioritySpec>& PrioritySpec::parameters()
{
    static const ParameterTable<PrioritySpec> table({"my_switch", BlockOwner::forwarder, "a switch with priorities"},
        {choice_parameter("urgency", &PrioritySpec::urgency, {"control", "data"}, "which lines leave first"),
            rate_parameter("pace", &PrioritySpec::pace, {0, 10'000'000'000'000}, "bytes of lines that an output sends; 0: as fast as the wire")});
    return table;
}

const StatisticTable& priority_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"peak_queue", "lines", "largest number of lines waiting for one output"},
        {"overtakes", "lines", "sent while a write waited for the same output"},
        {"paced", "ps", "time that the pace held outputs beyond their wires, summed"}};
    return table;
}

PrioritySwitch::PrioritySwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, Time latency,
    const PrioritySpec& spec, unsigned ports, RouteTable routes)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), latency_(latency), data_first_(spec.urgency == Urgency::data),
      line_time_(spec.pace == 0 ? 0 : static_cast<Time>((64'000'000'000'000 + spec.pace - 1) / spec.pace)), routes_(std::move(routes))
{
    for (unsigned p = 0; p < ports; ++p) {
        auto port = std::make_unique<Port>();
        const std::string number = std::to_string(p);
        port->target = std::make_unique<LineTargetSocket>(("target" + number).c_str(), *this, p);
        port->initiator = std::make_unique<LineInitiatorSocket>(("initiator" + number).c_str(), *this, p);
        port->wire_wake.kind = port->pool_wake.kind = wake_kind;
        for (ScheduledItem& item : port->credit_wakes) item.kind = wake_kind;
        ports_.push_back(std::move(port));
    }
}

void PrioritySwitch::set_credits(unsigned port, const BufferSpace& space)
{
    ports_[port]->credits.grant(space);
    ports_[port]->split = space.split;
}

Time PrioritySwitch::on_request(unsigned port, Line& line, Time delay)
{
    line.kind = request_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay + latency_, port);
    return 0;
}

Time PrioritySwitch::on_response(unsigned port, Line& line, Time delay)
{
    line.kind = response_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay + latency_, port);
    return 0;
}

void PrioritySwitch::on_request_credit(unsigned port, Line& line, Time delay)
{
    credit(port, line.vc, event_queue().now() + delay);
}

void PrioritySwitch::on_response_credit(unsigned port, Line& line, Time delay)
{
    credit(port, line.vc, event_queue().now() + delay);
}

void PrioritySwitch::credit(unsigned port, std::uint8_t vc, Time due)
{
    Port& to = *ports_[port];
    if (!to.credits.give(vc, due))
        SC_REPORT_ERROR("/user/priority_switch", (path() + ": more credits than were given").c_str());
    if (to.queued == 0) return;
    const Time own = to.credits.next_own(vc);
    if (own != CreditAccount::no_time) wake(to.credit_wakes[vc], own, port);
    const Time pooled = to.credits.next_pooled();
    if (pooled != CreditAccount::no_time) wake(to.pool_wake, pooled, port);
}

void PrioritySwitch::wake(ScheduledItem& item, Time due, unsigned port)
{
    if (!item.scheduled) event_queue().schedule(item, *this, std::max(due, event_queue().now()), port);
}

void PrioritySwitch::run(ScheduledItem& item)
{
    const unsigned input = input_of(item);
    if (item.kind == wake_kind) {
        touch(input);
        return;
    }
    Line& line = Line::of(item);
    if (item.kind == response_kind) {
        const Line::Way way = line.pop_way();
        enqueue(way.port, vc_of(VcClass::response, way.lane), line);
        return;
    }
    line.push_way(input, lane_of(line.vc));
    const RouteTable::Choice choice = routes_.ports_to(line.destination);
    if (choice.count == 0) {
        SC_REPORT_ERROR("/user/priority_switch",
            (path() + ": no way to endpoint " + std::to_string(line.destination)).c_str());
        return;
    }
    const unsigned pick = line.pick(choice.count);
    const unsigned port = choice.port(pick);
    enqueue(port, vc_of(ports_[port]->split ? vc_class(line.op) : VcClass::request, choice.lane(pick)), line);
}

void PrioritySwitch::enqueue(unsigned number, std::uint8_t vc, Line& line)
{
    Port& port = *ports_[number];
    Queue& queue = port.queues[vc];
    line.next = nullptr;
    (queue.head == nullptr ? queue.head : queue.tail->next) = &line;
    queue.tail = &line;
    port.peak = std::max(port.peak, ++port.queued);
    touch(number);
}

void PrioritySwitch::touch(unsigned port)
{
    ports_[port]->touched = true;
    request_arbitration();
}

// After the last arrival of an instant: so no order among them decides.
void PrioritySwitch::arbitrate()
{
    for (unsigned p = 0; p < ports_.size(); ++p) {
        if (!ports_[p]->touched) continue;
        ports_[p]->touched = false;
        serve(*ports_[p], p);
    }
}

void PrioritySwitch::serve(Port& port, unsigned number)
{
    while (port.queued > 0) {
        const Time now = event_queue().now();
        if (port.wire_free > now) {
            wake(port.wire_wake, port.wire_free, number);
            return;
        }
        int best = -1;
        for (unsigned u = 0; u < vc_classes * max_lanes && best < 0; ++u) {
            const std::uint8_t vc = vc_of((data_first_ ? data_first : control_first)[u / max_lanes], u % max_lanes);
            if (port.queues[vc].head != nullptr && port.credits.take(vc, now)) best = vc;
        }
        if (best >= 0) {
            send(port, static_cast<std::uint8_t>(best));
            continue;
        }
        for (unsigned vc = 0; vc < max_vcs; ++vc) {
            if (port.queues[vc].head == nullptr) continue;
            const Time own = port.credits.next_own(static_cast<std::uint8_t>(vc));
            if (own != CreditAccount::no_time) wake(port.credit_wakes[vc], own, number);
        }
        const Time pooled = port.credits.next_pooled();
        if (pooled != CreditAccount::no_time) wake(port.pool_wake, pooled, number);
        return;
    }
}

void PrioritySwitch::send(Port& port, std::uint8_t vc)
{
    Queue& queue = port.queues[vc];
    Line& line = Line::of(*queue.head);
    queue.head = line.next;
    --port.queued;
    ++port.sent;
    if (class_of(vc) != VcClass::write)
        for (unsigned lane = 0; lane < max_lanes; ++lane)
            port.overtakes += port.queues[vc_of(VcClass::write, lane)].head != nullptr ? 1 : 0;
    const Port& from = *ports_[input_of(line)];
    const Time now = event_queue().now();
    // The credit names the channel of the slot that the line leaves; only then does it get its new one.
    if (class_of(vc) == VcClass::response) {
        from.initiator->return_response_credit(line, 0);
        line.vc = vc;
        port.wire_free = now + port.target->send_response(line, 0);
    } else {
        from.target->return_request_credit(line, 0);
        line.vc = vc;
        port.wire_free = now + port.initiator->send_request(line, 0);
    }
    if (line_time_ > 0 && port.wire_free < now + line_time_) {
        port.paced += now + line_time_ - port.wire_free;
        port.wire_free = now + line_time_;
    }
}

std::uint64_t PrioritySwitch::line_hops() const
{
    std::uint64_t hops = 0;
    for (const auto& port : ports_) hops += port->sent;
    return hops;
}

std::vector<SwitchModel::Wait> PrioritySwitch::waits() const
{
    std::vector<Wait> out;
    for (unsigned p = 0; p < ports_.size(); ++p)
        for (unsigned vc = 0; vc < max_vcs; ++vc)
            for (const ScheduledItem* item = ports_[p]->queues[vc].head; item != nullptr; item = item->next)
                out.push_back({input_of(*item), Line::of(*item).vc, p, static_cast<std::uint8_t>(vc), 1});
    return out;
}

std::vector<std::string> PrioritySwitch::blocked() const
{
    std::vector<std::string> out;
    for (unsigned p = 0; p < ports_.size(); ++p)
        if (ports_[p]->queued > 0)
            out.push_back(path() + " output " + std::to_string(p) + ": " + std::to_string(ports_[p]->queued) +
                " lines wait");
    return out;
}

std::vector<Statistic> PrioritySwitch::statistics() const
{
    std::uint32_t peak = 0;
    std::uint64_t overtakes = 0;
    Time paced = 0;
    for (const auto& port : ports_) {
        peak = std::max(peak, port->peak);
        overtakes += port->overtakes;
        paced += port->paced;
    }
    std::vector<Statistic> out;
    StatisticWriter write(priority_statistics(), out);
    write("lines", line_hops());
    write("peak_queue", peak);
    write("overtakes", overtakes);
    write("paced", paced);
    return out;
}

void PrioritySwitch::reset_statistics()
{
    for (const auto& port : ports_) {
        port->sent = port->overtakes = 0;
        port->paced = 0;
        port->peak = port->queued;
    }
}

}  // namespace user
