#include "priority_switch.h"

#include <algorithm>

using namespace weft;

namespace user {

namespace {

enum Kind : std::uint8_t { request_kind, response_kind, wake_kind };

constexpr std::array<VcClass, vc_classes> control_first{VcClass::request, VcClass::atomic, VcClass::response,
    VcClass::write};
constexpr std::array<VcClass, vc_classes> data_first{VcClass::response, VcClass::write, VcClass::request,
    VcClass::atomic};

}  // namespace

const ParameterTable<PrioritySpec>& PrioritySpec::parameters()
{
    static const ParameterTable<PrioritySpec> table({"my_switch", BlockOwner::forwarder, "a switch with priorities"},
        {choice_parameter("urgency", &PrioritySpec::urgency, {"control", "data"}, "which lines leave first"),
            rate_parameter("pace", &PrioritySpec::pace, {0, 10'000'000'000'000},
                "bytes of lines that an output sends; 0: as fast as the wire")});
    return table;
}

const StatisticTable& priority_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"peak_queue", "lines", "largest number of packets that waited for one output"},
        {"overtakes", "lines", "sent while a write waited for the same output"},
        {"paced", "ps", "time that the pace held outputs beyond their wires, summed"}};
    return table;
}

PrioritySwitch::PrioritySwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, Time latency,
    const PrioritySpec& spec, unsigned ports, RouteTable routes)
    : SwitchShell(ports, std::move(routes), name, event_queue, std::move(path)), latency_(latency),
      data_first_(spec.urgency == Urgency::data),
      line_time_(spec.pace == 0 ? 0 : static_cast<Time>((64'000'000'000'000 + spec.pace - 1) / spec.pace))
{
    for (unsigned p = 0; p < ports; ++p) {
        auto port = std::make_unique<Port>();
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

void PrioritySwitch::arrive(unsigned port, Line& line, LineClass cls, Time delay)
{
    line.kind = cls == LineClass::request ? request_kind : response_kind;
    event_queue().schedule(line, *this, event_queue().now() + delay + latency_, port);
}

void PrioritySwitch::credited(unsigned port, std::uint8_t vc, Time due)
{
    Port& to = *ports_[port];
    if (!to.credits.give(vc, due)) report_extra_credit(path());
    if (to.load.queued == 0) return;
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
    if (item.kind == wake_kind) {
        touch(item.input);
        return;
    }
    Line& line = Line::of(item);
    if (item.kind == response_kind) {
        const Exit exit = route_back(line);
        enqueue(exit.port, vc_of(VcClass::response, exit.vc_set), line);
        return;
    }
    const Exit exit = route(line, item.input, vc_set_of(line.vc));
    if (!exit.known()) return;
    note_hop(line, item.input);
    enqueue(exit.port, vc_of(ports_[exit.port]->split ? vc_class(line.op) : VcClass::request, exit.vc_set), line);
}

void PrioritySwitch::enqueue(unsigned number, std::uint8_t vc, Line& line)
{
    Port& port = *ports_[number];
    Queue& queue = port.queues[vc];
    line.next = nullptr;
    (queue.head == nullptr ? queue.head : queue.tail->next) = &line;
    queue.tail = &line;
    port.load.join();
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
    while (port.load.queued > 0) {
        const Time now = event_queue().now();
        if (port.wire_free > now) {
            wake(port.wire_wake, port.wire_free, number);
            return;
        }
        int best = -1;
        for (unsigned u = 0; u < vc_classes * max_vc_sets && best < 0; ++u) {
            const std::uint8_t vc = vc_of((data_first_ ? data_first : control_first)[u / max_vc_sets], u % max_vc_sets);
            if (port.queues[vc].head != nullptr && port.credits.take(vc, now)) best = vc;
        }
        if (best >= 0) {
            send_first(number, static_cast<std::uint8_t>(best));
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

void PrioritySwitch::send_first(unsigned number, std::uint8_t vc)
{
    Port& port = *ports_[number];
    Queue& queue = port.queues[vc];
    Line& line = Line::of(*queue.head);
    queue.head = line.next;
    port.load.leave();
    ++port.sent;
    if (class_of(vc) != VcClass::write)
        for (unsigned vc_set = 0; vc_set < max_vc_sets; ++vc_set)
            port.overtakes += port.queues[vc_of(VcClass::write, vc_set)].head != nullptr ? 1 : 0;
    const LineClass cls = class_of(vc) == VcClass::response ? LineClass::response : LineClass::request;
    // The credit names the channel of the slot that the line leaves; only then does it get its new one. A line keeps the number
    // of the input that it was scheduled with until it is scheduled again.
    free_slot(line, cls, line.input);
    line.vc = vc;
    const Time now = event_queue().now();
    port.wire_free = now + send(line, cls, number);
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
                out.push_back({item->input, Line::of(*item).vc, p, static_cast<std::uint8_t>(vc), 1});
    return out;
}

std::vector<std::string> PrioritySwitch::blocked() const
{
    std::vector<std::string> out;
    for (unsigned p = 0; p < ports_.size(); ++p)
        if (ports_[p]->load.queued > 0)
            out.push_back(path() + " output " + std::to_string(p) + ": " + std::to_string(ports_[p]->load.queued) +
                " packets wait");
    return out;
}

std::vector<Statistic> PrioritySwitch::statistics() const
{
    std::uint64_t overtakes = 0;
    Time paced = 0;
    for (const auto& port : ports_) {
        overtakes += port->overtakes;
        paced += port->paced;
    }
    std::vector<Statistic> out;
    StatisticWriter write(priority_statistics(), out);
    write_lines(write);
    write_peak_queue(write);
    write("overtakes", overtakes);
    write("paced", paced);
    return out;
}

void PrioritySwitch::reset_statistics()
{
    for (const auto& port : ports_) {
        port->sent = port->overtakes = 0;
        port->paced = 0;
        port->load.reset();
    }
}

}  // namespace user
