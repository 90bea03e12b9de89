#include "router_switch.h"

#include <algorithm>
#include <cstring>

using namespace weft;

namespace {

enum Kind : std::uint8_t { leaving, coming_back };

constexpr Time cycle = 500;  // ps

sc_core::sc_time time_of(Time ps) { return {static_cast<double>(ps), sc_core::SC_PS}; }

// The entry on the return path below those of the two adapters.
Line::Way entered_by(Line& line)
{
    const std::uint16_t last = line.pop_port();
    const std::uint16_t before = line.pop_port();
    const Line::Way way = line.pop_way();
    line.push_way(way.port, way.lane);
    line.push_port(before);
    line.push_port(last);
    return way;
}

Arbitration arbitration_of(const ParameterSet& parameters)
{
    Arbitration out;
    out.kind = static_cast<ArbiterKind>(parameters.value("switch.arbiter"));
    out.control_weight = static_cast<std::uint32_t>(parameters.value("switch.control_weight"));
    out.data_weight = static_cast<std::uint32_t>(parameters.value("switch.data_weight"));
    return out;
}

}  // namespace

const StatisticTable& router_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"peak_queue", "lines", "largest number of packets that waited for one output"}};
    return table;
}

RouterSwitch::RouterSwitch(sc_core::sc_module_name name, const RunContext& context, const SwitchRequest& request,
    std::uint32_t threads)
    : SwitchShell(request.ports, request.routes, name, context.event_queue, request.path), pool_(context.pool),
      ports_(request.ports),
      outputs_(context.event_queue, *this, *this, *this, request.ports, arbitration_of(request.parameters))
{
    router_ = std::make_unique<AtRouter>(
        "router", request.ports, [this](sc_dt::uint64 address) { return way_of(address).port; },
        time_of(request.parameters.value("switch.latency")), time_of(cycle));
    LineToBaseSpec entry;
    entry.buffer = 0xffff;  // the link's credits bound it
    entry.local_addresses = false;
    if (threads > 0) {
        entry.mode = LineToBaseSpec::Mode::blocking;
        entry.threads = threads;
    }
    entry.pass_atomics = true;
    BaseToLineSpec exit;
    exit.outstanding = 0;
    for (unsigned p = 0; p < request.ports; ++p) {
        Port& port = ports_[p];
        const std::string n = std::to_string(p);
        port.to_router = std::make_unique<LineInitiatorSocket>(("to_router" + n).c_str(), *this, request.ports + p);
        port.from_router = std::make_unique<LineTargetSocket>(("from_router" + n).c_str(), *this, request.ports + p);
        port.entry =
            std::make_unique<LineToBase<>>(("entry" + n).c_str(), context.event_queue, path() + ".entry" + n, entry);
        port.exit = std::make_unique<BaseToLine<>>(("exit" + n).c_str(), context.event_queue, path() + ".exit" + n,
            pool_, exit);
        port.to_router->bind(port.entry->in);
        port.entry->socket.bind(*router_->in[p]);
        router_->out[p]->bind(port.exit->socket);
        port.exit->out.bind(*port.from_router);
    }
}

RouterSwitch::Exit RouterSwitch::way_of(std::uint64_t address) const
{
    const RouteTable::Choice choice = routes().ports_to(endpoint_of(address));
    if (choice.count == 0) SC_REPORT_FATAL("/user/router", (path() + ": no route to an endpoint").c_str());
    const auto pick = static_cast<unsigned>(local_of(address) / line_bytes % choice.count);
    return {choice.port(pick), choice.lane(pick)};
}

Line& RouterSwitch::stand_in(Line& posted)
{
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(posted_.size()));
        posted_.push_back(nullptr);
    }
    Line& copy = pool_.take();
    copy.begin(LineOp::write, posted.address, posted.size).source(posted.source).tag(free_.back());
    copy.mark(LineHeader::made_mark);
    free_.pop_back();
    posted_[copy.tag] = &posted;
    std::memcpy(copy.data(), posted.data(), posted.size);
    return copy;
}

void RouterSwitch::arrive(unsigned socket, Line& line, LineClass cls, Time delay)
{
    if (socket >= ports_.size()) {
        line.kind = cls == LineClass::request ? leaving : coming_back;
        event_queue().schedule(line, *this, event_queue().now() + delay, socket - static_cast<unsigned>(ports_.size()));
        return;
    }
    if (cls == LineClass::response) {
        ports_[socket].from_router->send_response(line, delay);
        return;
    }
    const unsigned lane = lane_of(line.vc);
    const bool posted = (line.flags & LineHeader::posted_flag) != 0;
    line.push_way(socket, lane);
    if (posted) {
        Line& copy = stand_in(line);
        copy.push_way(socket, lane);
        ports_[socket].to_router->send_request(copy, delay);
    } else {
        ports_[socket].to_router->send_request(line, delay);
    }
}

void RouterSwitch::run(ScheduledItem& item)
{
    const unsigned port = item.input;
    if (item.kind >= OutputPort::wake_kind) {
        touch(port);
    } else if (item.kind == leaving) {
        leave(Line::of(item), port);
    } else {
        come_back(Line::of(item));
    }
}

void RouterSwitch::leave(Line& line, unsigned port)
{
    const Line::Way from = entered_by(line);
    const unsigned lane = way_of(line.address).vc_set;
    if (line.marked(LineHeader::made_mark)) {
        outputs_[port].enqueue(*posted_[line.tag], LineClass::request, from.port, lane);
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        ports_[port].from_router->send_response(line, 0);
    } else {
        outputs_[port].enqueue(line, LineClass::request, from.port, lane);
    }
    touch(port);
}

void RouterSwitch::come_back(Line& line)
{
    const Line::Way way = line.pop_way();
    if (line.marked(LineHeader::made_mark)) {
        free_.push_back(line.tag);
        pool_.give(line);
        return;
    }
    outputs_[way.port].enqueue(line, LineClass::response, way_of(line.address).port, way.lane);
    touch(way.port);
}

void RouterSwitch::touch(unsigned port)
{
    outputs_.touch(port);
    request_arbitration();
}

void RouterSwitch::on_sent(unsigned, Line& line, LineClass cls, unsigned input) { free_slot(line, cls, input); }

bool RouterSwitch::attach(unsigned port, PortWatch& watch)
{
    outputs_[port].attach(watch);
    return true;
}

std::vector<std::string> RouterSwitch::blocked() const
{
    std::vector<std::string> out;
    outputs_.add_blocked(path(), out);
    for (unsigned p = 0; p < ports_.size(); ++p)
        if (!ports_[p].entry->idle()) out.push_back(path() + " input " + std::to_string(p) + ": the router has lines");
    return out;
}

std::vector<Statistic> RouterSwitch::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(router_statistics(), out);
    write_lines(write);
    write_peak_queue(write);
    return out;
}
