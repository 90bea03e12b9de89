#include "rtl/modules/clocked_switch.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "rtl/modules/line_pins.h"
#include "rtl/modules/block_statistics.h"

namespace weft {

ClockedSwitch::ClockedSwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec,
    unsigned ports, RouteTable routes, Factory factory)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), clock_(spec.clock), traversal_(spec.traversal), spec_(spec),
      routes_(std::move(routes)), factory_(std::move(factory)), ports_(ports), space_(ports, BufferSpace::of(1, 1))
{
    if (ports > 64) throw InputError("", 0, fmt::format("a clocked switch with {} ports", ports), "at most 64");
    for (unsigned p = 0; p < ports; ++p) {
        const std::string number = std::to_string(p);
        ports_[p].target = std::make_unique<LineTargetSocket>(("target" + number).c_str(), *this, p);
        ports_[p].initiator = std::make_unique<LineInitiatorSocket>(("initiator" + number).c_str(), *this, p);
    }
}

void ClockedSwitch::end_of_elaboration()
{
    parameters_ = block_parameters(spec_, space_, channels_);
    unsigned ports = parameters_.ports;
    if (can_have_groups(spec_, parameters_, space_)) {
        const GroupSwitchParameters parameters = group_parameters(spec_, parameters_, channels_);
        std::unique_ptr<GroupSwitchBlock> block = factory_.grouped(parameters, path());
        grouped_ = block.get();
        block_ = std::move(block);
        groups_ = std::make_unique<GroupTraffic>(ports++, parameters_.vcs, parameters.groups);
    } else {
        block_ = factory_.plain(parameters_, path());
    }
    in_ = std::make_unique<SwitchIn>(parameters_);
    out_ = std::make_unique<SwitchOut>(parameters_);
    flights_ = std::make_unique<FlightTable>(ports, parameters_.vcs);
    went_in_ = RecentLines(parameters_.ports);
    came_out_ = RecentLines(parameters_.ports);
    quiet_limit_ = parameters_.latency + 4ULL * parameters_.ports + 16;
    block_->reset();
    for (const SwitchGroup& group : early_groups_) add_group(group, *pool_);
}

void ClockedSwitch::add_group(const SwitchGroup& group, LinePool& pool)
{
    pool_ = &pool;
    if (block_ == nullptr) {
        early_groups_.push_back(group);
        return;
    }
    if (grouped_ == nullptr)
        throw InputError("", 0, "a clocked switch that carries out operations on groups without a channel for each class",
            "link.vcs=split and switch.multicast_groups above 0");
    grouped_->set_group(groups_->entry(group, routes_));
    groups_->add(group, pool);
    // Before time starts the first line that comes is early enough.
    if (clocks_ > 0) wake_at(edge(event_queue().now()));
}

bool ClockedSwitch::overdue(Time now) const
{
    if (grouped_ == nullptr || spec_.reduce_timeout == 0) return false;
    for (const FlightTable::Flight* flight : flights_->all())
        if (flight->output == groups_->unit() && flight->line->op == LineOp::reduce && now - flight->entered > spec_.reduce_timeout)
            return true;
    return false;
}

Time ClockedSwitch::on_request(unsigned port, Line& line, Time delay)
{
    arrive(port, line, LineClass::request, delay);
    return 0;
}

Time ClockedSwitch::on_response(unsigned port, Line& line, Time delay)
{
    arrive(port, line, LineClass::response, delay);
    return 0;
}

void ClockedSwitch::arrive(unsigned port, Line& line, LineClass cls, Time delay)
{
    line.kind = static_cast<std::uint8_t>(cls);
    event_queue().schedule(line, *this, edge(event_queue().now() + delay), port);
}

void ClockedSwitch::on_credit(unsigned port, const Line& line, Time delay)
{
    const Time due = event_queue().now() + delay;
    ports_[port].credits.push_back({due, channels_.slot_of[line.vc]});
    --ports_[port].credits_out[line.vc];
    credited_ |= std::uint64_t{1} << port;
    // Credits that come while nothing is inside can wait: a line that enters needs them a clock later.
    if (flights_->inside() > 0 || arrived_ != 0) wake_at(edge(due));
}

void ClockedSwitch::run(ScheduledItem& item)
{
    const Time now = event_queue().now();
    if (item.kind != tick_kind) {
        Port& port = ports_[item.order & 0xfffU];
        item.next = nullptr;
        (port.first == nullptr ? port.first : port.last->next) = &item;
        port.last = &item;
        arrived_ |= std::uint64_t{1} << (item.order & 0xfffU);
        wake_at(now);
        return;
    }
    if (tick_.rings(now)) tick(now);
}

void ClockedSwitch::tick(Time now)
{
    if (!problems_.empty()) return;
    next_ = now + clock_;
    block_->at(now);
    drive(now);
    block_->cycle(*in_, *out_);
    ++clocks_;
    if (block_->failed()) fail(now, block_->failure());
    collect(now);
    if (!problems_.empty()) {
        event_queue().stop();
        return;
    }
    const bool moved = in_->valid != 0 || pulsed_ != 0 || out_->valid != 0 || out_->credit_valid != 0;
    const bool ready = in_->ready == (parameters_.ports == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << parameters_.ports) - 1);
    quiet_ = moved || !ready ? 0 : quiet_ + 1;
    if (out_->idle && flights_->inside() > 0)
        fail(now, fmt::format("nothing is inside, says the block; {} lines went in and have not come out", flights_->inside()));
    const bool asleep = arrived_ == 0 && (block_->idle() || quiet_ > quiet_limit_);
    if (!asleep) wake_at(now + clock_);
}

void ClockedSwitch::drive(Time now)
{
    in_->valid = 0;
    for (std::uint64_t rest = arrived_; rest != 0; rest &= rest - 1) enter(static_cast<unsigned>(__builtin_ctzll(rest)), now);
    in_->ready = 0;
    for (unsigned p = 0; p < ports_.size(); ++p)
        if (ports_[p].wire_free <= now + traversal_) in_->ready |= std::uint64_t{1} << p;
    for (std::uint64_t rest = pulsed_; rest != 0; rest &= rest - 1) in_->credit[static_cast<unsigned>(__builtin_ctzll(rest))] = 0;
    pulsed_ = 0;
    for (std::uint64_t rest = credited_; rest != 0; rest &= rest - 1) {
        const auto p = static_cast<unsigned>(__builtin_ctzll(rest));
        std::deque<Credit>& credits = ports_[p].credits;
        std::uint16_t mask = 0;
        while (!credits.empty() && credits.front().due <= now && (mask >> credits.front().slot & 1U) == 0) {
            mask = static_cast<std::uint16_t>(mask | 1U << credits.front().slot);
            credits.pop_front();
        }
        in_->credit[p] = mask;
        if (mask != 0) pulsed_ |= std::uint64_t{1} << p;
        if (credits.empty()) credited_ &= ~(std::uint64_t{1} << p);
    }
}

// The first line that waits at `port` is on its pins.
void ClockedSwitch::enter(unsigned port, Time now)
{
    Port& from = ports_[port];
    Line& line = Line::of(*from.first);
    from.first = line.next;
    if (from.first == nullptr) arrived_ &= ~(std::uint64_t{1} << port);
    const auto cls = static_cast<LineClass>(line.kind);
    const unsigned channel = channels_.slot_of[line.vc];
    in_->valid |= std::uint64_t{1} << port;
    in_->vc[port] = static_cast<std::uint8_t>(channel);
    const unsigned output = route(port, line, cls);
    in_->ports[port] = std::uint64_t{1} << output;
    if (groups_ != nullptr && output == groups_->unit() && cls == LineClass::response) {
        // The unit knows it by the tag that it gave.
        bits_of(line, cls, line.tag, in_->data[port]);
        groups_->enter(port, channel, {&line, cls, 0});
    } else {
        const std::uint32_t tag = flights_->enter(line, cls, port, output, channel, now);
        in_->data[port] = flights_->at(tag).bits;
        if (output < ports_.size()) {
            Port& to = ports_[output];
            to.peak = std::max(to.peak, ++to.queued);
        } else {
            groups_->enter(port, channel, {&line, cls, tag});
        }
    }
    went_in_.add(port, now, channel, in_->data[port]);
    if (block_->waving()) block_->note(port, describe(in_->data[port]));
}

unsigned ClockedSwitch::route(unsigned port, Line& line, LineClass cls)
{
    if (cls == LineClass::response) return line.pop_way().port;
    if (groups_ != nullptr && groups_->has(line.destination)) return groups_->unit();
    const unsigned phase = routes_.phase(port, lane_of(line.vc));
    if (routes_.scatters(phase)) line.scatter(routes_.seed());
    const RouteTable::Choice choice = routes_.ports_to(line.destination, phase);
    if (choice.count == 0) {
        SC_REPORT_FATAL("/weft/switch", (path() + ": no way to endpoint " + std::to_string(line.destination)).c_str());
        return 0;
    }
    const std::uint16_t entry = choice.entries[line.pick(choice.count)];
    line.push_way(port, lane_of(line.vc));
    return RouteTable::port_of(entry);
}

// What the pins of the outputs say.
void ClockedSwitch::collect(Time now)
{
    leaving_ = 0;
    for (std::uint64_t rest = out_->valid; rest != 0; rest &= rest - 1)
        if (!collect_line(static_cast<unsigned>(__builtin_ctzll(rest)), now)) return;
    if (const std::uint64_t withheld = leaving_ & ~out_->credit_valid) {
        fail_at(now, "input", static_cast<unsigned>(__builtin_ctzll(withheld)), "a line leaves without its credit");
        return;
    }
    for (std::uint64_t rest = out_->credit_valid; rest != 0 && problems_.empty(); rest &= rest - 1)
        free_slot(static_cast<unsigned>(__builtin_ctzll(rest)), now);
}

// False: something is wrong. An ordinary line goes on when the credit of its slot is seen.
bool ClockedSwitch::collect_line(unsigned output, Time now)
{
    const LineBits& bits = out_->data[output];
    came_out_.add(output, now, out_->vc[output], bits);
    if ((in_->ready >> output & 1U) == 0) {
        fail_at(now, "output", output, fmt::format("a line while the wire is not free ({})", describe(bits)));
        return false;
    }
    if (groups_ != nullptr && !bits.response() && groups_->has(bits.source())) {
        ++made_;
        send(output, groups_->made(bits, channels_.vcs[out_->vc[output]], now), LineClass::request, now);
        return true;
    }
    if (groups_ != nullptr && bits.response() && groups_->has(bits.destination())) {
        answer(output, now);
        return problems_.empty();
    }
    std::string problem;
    FlightTable::Flight* const flight = flights_->leave(bits, output, out_->vc[output], problem);
    if (flight == nullptr) {
        fail_at(now, "output", output, problem);
        return false;
    }
    ports_[flight->input].leaving = bits.tag();
    leaving_ |= std::uint64_t{1} << flight->input;
    return true;
}

// The unit answers a request.
void ClockedSwitch::answer(unsigned output, Time now)
{
    const LineBits& bits = out_->data[output];
    if (!flights_->live(bits.tag()) || flights_->at(bits.tag()).output != groups_->unit()) {
        fail_at(now, "output", output, fmt::format("an answer to what nobody asked ({})", describe(bits)));
        return;
    }
    FlightTable::Flight& flight = flights_->at(bits.tag());
    Line& line = *flight.line;
    data_of(bits, LineClass::response, line);
    line.set_response_status(bits.failed() ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    LineBits expected;
    bits_of(line, LineClass::response, bits.tag(), expected);
    const std::string what = flight.input != output ? fmt::format("an answer for port {}", flight.input) : difference(expected, bits);
    if (!what.empty()) {
        fail_at(now, "output", output, fmt::format("{} ({})", what, describe(bits)));
        return;
    }
    flights_->free(bits.tag());
    line.vc = channels_.vcs[out_->vc[output]];
    send(output, line, LineClass::response, now);
}

// A credit for a slot of `input`: of the line that leaves, or of one that is in the unit now.
void ClockedSwitch::free_slot(unsigned input, Time now)
{
    const unsigned channel = out_->credit_vc[input];
    GroupTraffic::Bound bound{};
    if ((leaving_ >> input & 1U) != 0) {
        const std::uint32_t tag = ports_[input].leaving;
        const FlightTable::Flight& flight = flights_->at(tag);
        if (channel != flight.channel) {
            fail_at(now, "input", input, fmt::format("credit of channel {}, a line of channel {} leaves", channel, flight.channel));
            return;
        }
        bound = {flight.line, flight.cls, tag};
    } else if (groups_ == nullptr || !groups_->leave(input, channel, bound)) {
        fail_at(now, "input", input, fmt::format("a credit of channel {}, and no line leaves", channel));
        return;
    }
    if (bound.cls == LineClass::request) {
        ports_[input].target->return_request_credit(*bound.line, 0);
    } else {
        ports_[input].initiator->return_response_credit(*bound.line, 0);
    }
    if ((leaving_ >> input & 1U) != 0) {
        const unsigned output = flights_->at(bound.tag).output;
        data_of(out_->data[output], bound.cls, *bound.line);
        flights_->free(bound.tag);
        --ports_[output].queued;
        send(output, *bound.line, bound.cls, now);
    } else if (bound.cls == LineClass::response) {
        groups_->pool().give(*bound.line);
    } else if ((bound.line->flags & LineHeader::posted_flag) != 0) {
        flights_->free(bound.tag);
        groups_->pool().give(*bound.line);
    }
}

void ClockedSwitch::send(unsigned output, Line& line, LineClass cls, Time now)
{
    Port& to = ports_[output];
    ++sent_;
    ++to.credits_out[line.vc];
    const Time delay = std::max(now + traversal_, to.wire_free) - now;
    const Time taken = cls == LineClass::request ? to.initiator->send_request(line, delay) : to.target->send_response(line, delay);
    to.wire_free = now + std::max(taken, delay);
}

void ClockedSwitch::fail(Time now, const std::string& what)
{
    problems_.push_back(fmt::format("{}: clock {} ({} ps): {}", path(), now / clock_, now, what));
    note_fault({path()}, now, clock_);
    // The pin that a difference names, "out_vc[3]", has its port in brackets.
    const std::size_t bracket = what.find('[');
    const unsigned port = bracket == std::string::npos || bracket == 0 ? 64 : static_cast<unsigned>(std::atoi(what.c_str() + bracket + 1));
    if (port < ports_.size()) add_recent(port);
    event_queue().stop();
}

void ClockedSwitch::fail_at(Time now, const char* side, unsigned port, const std::string& what)
{
    problems_.push_back(fmt::format("{}: clock {} ({} ps), {} {}: {}", path(), now / clock_, now, side, port, what));
    note_fault({path()}, now, clock_);
    add_recent(port);
    event_queue().stop();
}

void ClockedSwitch::add_recent(unsigned port)
{
    for (const auto& [recent, side] : {std::pair{&came_out_, "out of output"}, std::pair{&went_in_, "into input"}})
        for (const std::string& line : recent->of(port)) problems_.push_back(fmt::format("  {} {} {}", side, port, line));
}

std::vector<std::string> ClockedSwitch::blocked() const
{
    std::vector<std::string> out;
    if (flights_ == nullptr) return out;
    const std::size_t outputs = ports_.size() + 1;
    std::vector<unsigned> count(ports_.size() * outputs * channels_.vcs.size());
    const auto place = [&](const FlightTable::Flight& flight) {
        return (flight.input * outputs + flight.output) * channels_.vcs.size() + flight.channel;
    };
    const std::vector<const FlightTable::Flight*> flights = flights_->all();
    for (const FlightTable::Flight* flight : flights) ++count[place(*flight)];
    for (std::size_t i = 0; i < count.size(); ++i) {
        if (count[i] == 0) continue;
        const std::size_t channel = i % channels_.vcs.size();
        const std::size_t output = i / channels_.vcs.size() % outputs;
        const std::size_t input = i / channels_.vcs.size() / outputs;
        out.push_back(fmt::format("{} input {}: {} {} lines wait for {}", path(), input, count[i],
            vc_name(channels_.vcs[channel], 1), output < ports_.size() ? fmt::format("output {}", output) : "the unit for groups, or their group"));
    }
    return out;
}

std::vector<Statistic> ClockedSwitch::statistics() const
{
    std::uint32_t peak = 0;
    for (const Port& port : ports_) peak = std::max(peak, port.peak);
    std::vector<Statistic> out;
    StatisticWriter write(clocked_switch_statistics(), out);
    write("lines", sent_);
    write("made", made_);
    write("clocks", clocks_);
    write("peak_queue", peak);
    return out;
}

void ClockedSwitch::reset_statistics()
{
    sent_ = clocks_ = made_ = 0;
    for (Port& port : ports_) port.peak = port.queued;
}

}  // namespace weft
