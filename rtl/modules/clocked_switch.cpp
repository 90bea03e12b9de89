#include "rtl/modules/clocked_switch.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "rtl/modules/line_pins.h"

namespace weft {

ClockedSwitch::ClockedSwitch(sc_core::sc_module_name name, Agenda& agenda, std::string path, const SwitchSpec& spec,
    unsigned ports, RouteTable routes, Factory factory)
    : sc_module(name), Station(agenda, std::move(path)), clock_(spec.clock), traversal_(spec.traversal), spec_(spec),
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
    block_ = factory_(parameters_, path());
    in_ = std::make_unique<SwitchIn>(parameters_);
    out_ = std::make_unique<SwitchOut>(parameters_);
    flights_ = std::make_unique<FlightTable>(parameters_.ports, parameters_.vcs);
    went_in_ = RecentLines(parameters_.ports);
    came_out_ = RecentLines(parameters_.ports);
    quiet_limit_ = parameters_.latency + 4ULL * parameters_.ports + 16;
    block_->reset();
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
    agenda().schedule(line, *this, edge(agenda().now() + delay), port);
}

void ClockedSwitch::on_credit(unsigned port, const Line& line, Time delay)
{
    const Time due = agenda().now() + delay;
    ports_[port].credits.push_back({due, channels_.slot_of[line.vc]});
    credited_ |= std::uint64_t{1} << port;
    // Credits that come while nothing is inside can wait: a line that enters needs them a clock later.
    if (flights_->inside() > 0 || arrived_ != 0) wake_at(edge(due));
}

void ClockedSwitch::run(AgendaItem& item)
{
    const Time now = agenda().now();
    if (item.kind != tick_kind) {
        Port& port = ports_[item.order & 0xfffU];
        item.next = nullptr;
        (port.first == nullptr ? port.first : port.last->next) = &item;
        port.last = &item;
        arrived_ |= std::uint64_t{1} << (item.order & 0xfffU);
        wake_at(now);
        return;
    }
    if (next_tick_ != now) return;  // an earlier tick has made this one superfluous
    next_tick_ = ~Time{0};
    tick(now);
}

void ClockedSwitch::wake_at(Time time)
{
    if (time >= next_tick_) return;
    next_tick_ = time;
    AgendaItem* free = nullptr;
    for (const auto& item : ticks_) {
        if (item->scheduled && item->due == time) return;
        if (!item->scheduled) free = item.get();
    }
    if (free == nullptr) {
        ticks_.push_back(std::make_unique<AgendaItem>());
        free = ticks_.back().get();
        free->kind = tick_kind;
    }
    // Last of the instant: lines that arrive in it come before.
    agenda().schedule(*free, *this, time, 0xfff);
}

void ClockedSwitch::tick(Time now)
{
    if (!problems_.empty()) return;
    drive(now);
    block_->cycle(*in_, *out_);
    ++clocks_;
    if (block_->failed()) fail(now, block_->failure());
    collect(now);
    if (!problems_.empty()) {
        agenda().stop();
        return;
    }
    const bool moved = in_->valid != 0 || pulsed_ != 0 || out_->valid != 0 || out_->credit_valid != 0;
    const bool ready = in_->ready == (parameters_.ports == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << parameters_.ports) - 1);
    quiet_ = moved || !ready ? 0 : quiet_ + 1;
    if (out_->idle && flights_->inside() > 0)
        fail(now, fmt::format("nothing is inside, says the block; {} lines went in and have not come out", flights_->inside()));
    const bool asleep = arrived_ == 0 && (flights_->inside() == 0 || quiet_ > quiet_limit_);
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
    const unsigned output = route(port, line, cls);
    const std::uint32_t tag = flights_->enter(line, cls, port, output, channel, now);
    Port& to = ports_[output];
    to.peak = std::max(to.peak, ++to.queued);
    in_->valid |= std::uint64_t{1} << port;
    in_->vc[port] = static_cast<std::uint8_t>(channel);
    in_->ports[port] = std::uint64_t{1} << output;
    in_->data[port] = flights_->at(tag).bits;
    went_in_.add(port, now, channel, in_->data[port]);
}

unsigned ClockedSwitch::route(unsigned port, Line& line, LineClass cls)
{
    if (cls == LineClass::response) return line.pop_way().port;
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
    std::uint64_t inputs = 0;
    for (std::uint64_t rest = out_->valid; rest != 0; rest &= rest - 1) {
        const auto output = static_cast<unsigned>(__builtin_ctzll(rest));
        came_out_.add(output, now, out_->vc[output], out_->data[output]);
        std::string problem;
        FlightTable::Flight* const flight = flights_->leave(out_->data[output],
            output, out_->vc[output], problem);
        if (flight == nullptr) {
            fail_at(now, "output", output, problem);
            return;
        }
        if ((in_->ready >> output & 1U) == 0) {
            fail_at(now, "output", output, fmt::format("a line while the wire is not free ({})", describe(flight->bits)));
            return;
        }
        ports_[flight->input].leaving = out_->data[output].tag() + 1;
        inputs |= std::uint64_t{1} << flight->input;
    }
    if (inputs != out_->credit_valid) {
        const auto input = static_cast<unsigned>(__builtin_ctzll(inputs ^ out_->credit_valid));
        fail_at(now, "input", input, (inputs >> input & 1U) != 0 ? "a line leaves without its credit" : "a credit, and no line leaves");
        return;
    }
    for (std::uint64_t rest = inputs; rest != 0; rest &= rest - 1) {
        const auto input = static_cast<unsigned>(__builtin_ctzll(rest));
        const std::uint32_t tag = ports_[input].leaving - 1;
        FlightTable::Flight& flight = flights_->at(tag);
        if (out_->credit_vc[input] != flight.channel) {
            fail_at(now, "input", input, fmt::format("credit of channel {}, a line of channel {} leaves",
                out_->credit_vc[input], flight.channel));
            return;
        }
        send(input, tag, now);
    }
}

void ClockedSwitch::send(unsigned input, std::uint32_t tag, Time now)
{
    FlightTable::Flight& flight = flights_->at(tag);
    Line& line = *flight.line;
    const Port& from = ports_[input];
    Port& to = ports_[flight.output];
    const bool request = flight.cls == LineClass::request;
    data_of(out_->data[flight.output], flight.cls, line);
    flights_->free(tag);
    --to.queued;
    ++sent_;
    if (request) {
        from.target->return_request_credit(line, 0);
    } else {
        from.initiator->return_response_credit(line, 0);
    }
    const Time delay = std::max(now + traversal_, to.wire_free) - now;
    const Time taken = request ? to.initiator->send_request(line, delay) : to.target->send_response(line, delay);
    to.wire_free = now + std::max(taken, delay);
}

void ClockedSwitch::fail(Time now, const std::string& what)
{
    problems_.push_back(fmt::format("{}: clock {} ({} ps): {}", path(), now / clock_, now, what));
    // The pin that a difference names, "out_vc[3]", has its port in brackets.
    const std::size_t bracket = what.find('[');
    const unsigned port = bracket == std::string::npos ? 64 : static_cast<unsigned>(std::atoi(what.c_str() + bracket + 1));
    if (port < ports_.size()) add_recent(port);
    agenda().stop();
}

void ClockedSwitch::fail_at(Time now, const char* side, unsigned port, const std::string& what)
{
    problems_.push_back(fmt::format("{}: clock {} ({} ps), {} {}: {}", path(), now / clock_, now, side, port, what));
    add_recent(port);
    agenda().stop();
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
    std::vector<unsigned> count(ports_.size() * ports_.size() * channels_.vcs.size());
    const auto place = [&](const FlightTable::Flight& flight) {
        return (std::size_t{flight.input} * ports_.size() + flight.output) * channels_.vcs.size() + flight.channel;
    };
    const std::vector<const FlightTable::Flight*> flights = flights_->all();
    for (const FlightTable::Flight* flight : flights) ++count[place(*flight)];
    for (std::size_t i = 0; i < count.size(); ++i) {
        if (count[i] == 0) continue;
        const std::size_t channel = i % channels_.vcs.size();
        const std::size_t output = i / channels_.vcs.size() % ports_.size();
        const std::size_t input = i / channels_.vcs.size() / ports_.size();
        out.push_back(fmt::format("{} input {}: {} {} lines wait for output {}", path(), input, count[i],
            vc_name(channels_.vcs[channel], 1), output));
    }
    return out;
}

std::vector<Statistic> ClockedSwitch::statistics() const
{
    std::uint32_t peak = 0;
    for (const Port& port : ports_) peak = std::max(peak, port.peak);
    return {{"lines", static_cast<double>(sent_), "lines", "requests and responses forwarded"},
        {"clocks", static_cast<double>(clocks_), "", "clocks in which the block was evaluated"},
        {"peak_queue", static_cast<double>(peak), "lines", "largest number of lines inside for one output"}};
}

void ClockedSwitch::reset_statistics()
{
    sent_ = clocks_ = 0;
    for (Port& port : ports_) port.peak = port.queued;
}

}  // namespace weft
