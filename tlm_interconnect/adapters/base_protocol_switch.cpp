#include "tlm_interconnect/adapters/base_protocol_switch.h"

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

enum Kind : std::uint8_t { leaving, coming_back };

// The entry on the return path below those of the two adapters.
Line::Hop entered_by(Line& line)
{
    const std::uint16_t last = line.pop_port();
    const std::uint16_t before = line.pop_port();
    const Line::Hop hop = line.pop_hop();
    line.push_hop(hop.port, hop.vc_set);
    line.push_port(before);
    line.push_port(last);
    return hop;
}

}  // namespace

const StatisticTable& base_protocol_statistics()
{
    static const StatisticTable table{{"lines", "lines", "requests and responses forwarded"},
        {"peak_queue", "lines", "largest number of lines waiting for one output"}};
    return table;
}

BaseProtocolSwitch::BaseProtocolSwitch(sc_core::sc_module_name name, EventQueue& event_queue, LinePool& pool,
    std::string path, Setup setup)
    : SwitchShell(setup.ports, std::move(setup.routes), name, event_queue, std::move(path)), pool_(pool),
      ports_(setup.ports), outputs_(event_queue, *this, *this, *this, setup.ports, setup.arbitration)
{
    entry_.buffer = 0xffff;  // the link's credits bound it
    entry_.local_addresses = false;
    entry_.pass_atomics = true;
    if (setup.threads > 0) {
        entry_.mode = LineToBaseSpec::Mode::blocking;
        entry_.threads = setup.threads;
    }
    exit_.outstanding = 0;
}

void BaseProtocolSwitch::join(unsigned port, std::unique_ptr<LineToBaseCore> entry,
    std::unique_ptr<BaseToLineCore> exit)
{
    Port& ours = ports_.at(port);
    const std::string n = std::to_string(port);
    ours.to_router = std::make_unique<LineInitiatorSocket>(("to_router" + n).c_str(), *this, port_count() + port);
    ours.from_router = std::make_unique<LineTargetSocket>(("from_router" + n).c_str(), *this, port_count() + port);
    ours.entry = std::move(entry);
    ours.exit = std::move(exit);
    ours.to_router->bind(ours.entry->in);
    ours.exit->out.bind(*ours.from_router);
}

void BaseProtocolSwitch::before_end_of_elaboration()
{
    for (unsigned p = 0; p < ports_.size(); ++p)
        if (ports_[p].entry == nullptr)
            SC_REPORT_FATAL("/weft/base_protocol_switch",
                (path() + ": port " + std::to_string(p) + " has no socket of the router; expected connect() of each")
                    .c_str());
}

BaseProtocolSwitch::Exit BaseProtocolSwitch::exit_of(std::uint64_t address) const
{
    const RouteTable::Choice choice = routes().ports_to(endpoint_of(address));
    if (choice.count == 0) report_no_route(path(), endpoint_of(address));
    const auto pick = static_cast<unsigned>(local_of(address) / line_bytes % std::max<std::size_t>(1, choice.count));
    return {choice.port(pick), choice.vc_set(pick)};
}

Line& BaseProtocolSwitch::stand_in(Line& posted)
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

void BaseProtocolSwitch::arrive(unsigned socket, Line& line, LineClass cls, Time delay)
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
    const unsigned vc_set = vc_set_of(line.vc);
    const bool posted = (line.flags & LineHeader::posted_flag) != 0;
    line.push_hop(socket, vc_set);
    if (posted) {
        Line& copy = stand_in(line);
        copy.push_hop(socket, vc_set);
        ports_[socket].to_router->send_request(copy, delay);
    } else {
        ports_[socket].to_router->send_request(line, delay);
    }
}

void BaseProtocolSwitch::run(ScheduledItem& item)
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

void BaseProtocolSwitch::leave(Line& line, unsigned port)
{
    const Line::Hop from = entered_by(line);
    const unsigned vc_set = exit_of(line.address).vc_set;
    if (line.marked(LineHeader::made_mark)) {
        outputs_[port].enqueue(*posted_[line.tag], LineClass::request, from.port, vc_set);
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        ports_[port].from_router->send_response(line, 0);
    } else {
        outputs_[port].enqueue(line, LineClass::request, from.port, vc_set);
    }
    touch(port);
}

void BaseProtocolSwitch::come_back(Line& line)
{
    const Line::Hop hop = line.pop_hop();
    if (line.marked(LineHeader::made_mark)) {
        free_.push_back(line.tag);
        pool_.give(line);
        return;
    }
    outputs_[hop.port].enqueue(line, LineClass::response, exit_of(line.address).port, hop.vc_set);
    touch(hop.port);
}

void BaseProtocolSwitch::touch(unsigned port)
{
    outputs_.touch(port);
    request_arbitration();
}

void BaseProtocolSwitch::on_sent(unsigned, Line& line, LineClass cls, unsigned input) { free_slot(line, cls, input); }

bool BaseProtocolSwitch::attach(unsigned port, PortWatch& watch)
{
    outputs_[port].attach(watch);
    return true;
}

std::vector<std::string> BaseProtocolSwitch::blocked() const
{
    std::vector<std::string> out;
    outputs_.add_blocked(path(), out);
    for (unsigned p = 0; p < ports_.size(); ++p)
        if (!ports_[p].entry->idle()) out.push_back(path() + " input " + std::to_string(p) + ": the router has lines");
    return out;
}

std::vector<Statistic> BaseProtocolSwitch::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(base_protocol_statistics(), out);
    write_lines(write);
    write_peak_queue(write);
    return out;
}

}  // namespace weft
