#include "rtl/modules/clocked_switch.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "rtl/modules/line_pins.h"
#include "rtl/modules/block_statistics.h"

namespace weft {

namespace {

// Refusals name the node, too.
template <class Make>
auto at_node(const std::string& path, const Make& make)
{
    try {
        return make();
    } catch (const InputError& error) {
        const Diagnostic& first = error.diagnostics().front();
        throw InputError(first.file, first.line, path + ": " + first.what, first.expected);
    }
}

}  // namespace

ClockedSwitch::ClockedSwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path,
    const SwitchSpec& spec, unsigned ports, RouteTable routes, Factory factory)
    : SwitchShell(ports, std::move(routes), name, event_queue, std::move(path), spec.clock), traversal_(spec.traversal),
      spec_(spec), factory_(std::move(factory)), ports_(ports), space_(ports, BufferSpace::of(1, 1))
{
    if (ports > 64)
        throw InputError("", 0, fmt::format("{}: a clocked switch with {} ports", this->path(), ports), "at most 64");
}

void ClockedSwitch::end_of_elaboration()
{
    parameters_ = at_node(path(), [this] { return block_parameters(spec_, space_, channels_); });
    unsigned ports = parameters_.ports;
    if (can_have_groups(spec_, parameters_, space_)) {
        const GroupSwitchParameters parameters =
            at_node(path(), [this] { return group_parameters(spec_, parameters_, channels_); });
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
    set_quiet_limit(parameters_.latency + 4ULL * parameters_.ports + 16);
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
        throw InputError("", 0,
            path() + ": a clocked switch that carries out operations on groups without a channel for each class",
            "link.vcs=split and switch.multicast_groups above 0");
    grouped_->set_group(groups_->entry(group, routes()));
    groups_->add(group, pool);
    // Before time starts the first line that comes is early enough.
    if (clocks() > 0) wake_at(event_queue().now());
}

bool ClockedSwitch::overdue(Time now) const
{
    if (grouped_ == nullptr || spec_.reduce_timeout == 0) return false;
    for (const FlightTable::Flight* flight : flights_->all())
        if (flight->output == groups_->unit() && flight->line->op == LineOp::reduce &&
            now - flight->entered > spec_.reduce_timeout)
            return true;
    return false;
}

void ClockedSwitch::arrive(unsigned port, Line& line, LineClass cls, Time delay)
{
    line.kind = static_cast<std::uint8_t>(cls);
    event_queue().schedule(line, *this, edge(event_queue().now() + delay), port);
}

void ClockedSwitch::credited(unsigned port, std::uint8_t vc, Time due)
{
    ports_[port].credits.push_back({due, channels_.slot_of[vc]});
    --ports_[port].credits_out[vc];
    credited_ |= std::uint64_t{1} << port;
    // Credits that come while nothing is inside can wait: a line that enters needs them a clock later.
    if (flights_->inside() > 0 || arrived_ != 0) wake_at(due);
}

void ClockedSwitch::arrive(ScheduledItem& item, Time now)
{
    Port& port = ports_[item.input];
    item.next = nullptr;
    (port.first == nullptr ? port.first : port.last->next) = &item;
    port.last = &item;
    arrived_ |= std::uint64_t{1} << item.input;
    wake_at(now);
}

void ClockedSwitch::tick(Time now)
{
    take_edge(now);
    block_->at(now);
    drive(now);
    block_->cycle(*in_, *out_);
    count_clock();
    if (block_->failed()) fail(now, block_->failure());
    collect(now);
    if (!ok()) return;
    const bool moved = in_->valid != 0 || pulsed_ != 0 || out_->valid != 0 || out_->credit_valid != 0;
    const bool ready =
        in_->ready == (parameters_.ports == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << parameters_.ports) - 1);
    note_moved(moved || !ready);
    if (out_->idle && flights_->inside() > 0)
        fail(now,
            fmt::format("the block reports that it is idle, but {} transactions went in and have not come out",
                flights_->inside()));
    const bool asleep = arrived_ == 0 && (block_->idle() || quiet());
    if (!asleep) wake_at(next_edge());
}

void ClockedSwitch::drive(Time now)
{
    in_->valid = 0;
    for (std::uint64_t rest = arrived_; rest != 0; rest &= rest - 1)
        enter(static_cast<unsigned>(__builtin_ctzll(rest)), now);
    in_->ready = 0;
    for (unsigned p = 0; p < ports_.size(); ++p)
        if (ports_[p].wire_free <= now + traversal_) in_->ready |= std::uint64_t{1} << p;
    for (std::uint64_t rest = pulsed_; rest != 0; rest &= rest - 1)
        in_->credit[static_cast<unsigned>(__builtin_ctzll(rest))] = 0;
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
    const unsigned output = output_for(port, line, cls);
    if (output == no_port) return;
    in_->ports[port] = std::uint64_t{1} << output;
    if (groups_ != nullptr && output == groups_->unit() && cls == LineClass::response) {
        // The unit knows it by the tag that it gave.
        bits_of(line, cls, line.tag, in_->data[port]);
        groups_->enter(port, channel, {&line, cls, 0});
    } else {
        const std::uint32_t tag = flights_->enter(line, cls, port, output, channel, now);
        in_->data[port] = flights_->at(tag).bits;
        if (output < ports_.size()) {
            ports_[output].load.join();
        } else {
            groups_->enter(port, channel, {&line, cls, tag});
        }
    }
    went_in_.add(port, now, channel, in_->data[port]);
    if (block_->waving()) block_->note(port, describe(in_->data[port]));
}

unsigned ClockedSwitch::output_for(unsigned port, Line& line, LineClass cls)
{
    if (cls == LineClass::response) return route_back(line).port;
    if (groups_ != nullptr && groups_->has(line.destination)) return groups_->unit();
    const Exit exit = route(line, port, vc_set_of(line.vc));
    note_hop(line, port);
    return exit.port;
}

// What the pins of the outputs say.
void ClockedSwitch::collect(Time now)
{
    leaving_ = 0;
    for (std::uint64_t rest = out_->valid; rest != 0; rest &= rest - 1)
        if (!collect_line(static_cast<unsigned>(__builtin_ctzll(rest)), now)) return;
    if (const std::uint64_t withheld = leaving_ & ~out_->credit_valid) {
        fail_at(now, "input", static_cast<unsigned>(__builtin_ctzll(withheld)),
            "a transaction leaves without its credit");
        return;
    }
    for (std::uint64_t rest = out_->credit_valid; rest != 0 && ok(); rest &= rest - 1)
        free_slot(static_cast<unsigned>(__builtin_ctzll(rest)), now);
}

// False: something is wrong. An ordinary line goes on when the credit of its slot is seen.
bool ClockedSwitch::collect_line(unsigned output, Time now)
{
    const LineBits& bits = out_->data[output];
    came_out_.add(output, now, out_->vc[output], bits);
    if ((in_->ready >> output & 1U) == 0) {
        fail_at(now, "output", output,
            fmt::format("a transaction leaves while the wire is not free ({})", describe(bits)));
        return false;
    }
    if (groups_ != nullptr && !bits.response() && groups_->has(bits.source())) {
        ++made_;
        send_at(now, output, groups_->made(bits, channels_.vcs[out_->vc[output]], now), LineClass::request);
        return true;
    }
    if (groups_ != nullptr && bits.response() && groups_->has(bits.destination())) {
        answer(output, now);
        return ok();
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
        fail_at(now, "output", output, fmt::format("a response to no request ({})", describe(bits)));
        return;
    }
    FlightTable::Flight& flight = flights_->at(bits.tag());
    Line& line = *flight.line;
    data_of(bits, LineClass::response, line);
    line.set_response_status(bits.failed() ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    LineBits expected;
    bits_of(line, LineClass::response, bits.tag(), expected);
    const std::string what =
        flight.input != output ? fmt::format("a response for port {}", flight.input) : difference(expected, bits);
    if (!what.empty()) {
        fail_at(now, "output", output, fmt::format("{} ({})", what, describe(bits)));
        return;
    }
    flights_->free(bits.tag());
    line.vc = channels_.vcs[out_->vc[output]];
    send_at(now, output, line, LineClass::response);
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
            fail_at(now, "input", input,
                fmt::format("credit of channel {}, but a transaction of channel {} leaves", channel, flight.channel));
            return;
        }
        bound = {flight.line, flight.cls, tag};
    } else if (groups_ == nullptr || !groups_->leave(input, channel, bound)) {
        fail_at(now, "input", input, fmt::format("a credit of channel {}, but no transaction leaves", channel));
        return;
    }
    SwitchShell::free_slot(*bound.line, bound.cls, input);
    if ((leaving_ >> input & 1U) != 0) {
        const unsigned output = flights_->at(bound.tag).output;
        data_of(out_->data[output], bound.cls, *bound.line);
        flights_->free(bound.tag);
        ports_[output].load.leave();
        send_at(now, output, *bound.line, bound.cls);
    } else if (bound.cls == LineClass::response) {
        groups_->pool().give(*bound.line);
    } else if ((bound.line->flags & LineHeader::posted_flag) != 0) {
        flights_->free(bound.tag);
        groups_->pool().give(*bound.line);
    }
}

void ClockedSwitch::send_at(Time now, unsigned output, Line& line, LineClass cls)
{
    Port& to = ports_[output];
    ++sent_;
    ++to.credits_out[line.vc];
    const Time delay = std::max(now + traversal_, to.wire_free) - now;
    const Time taken = send(line, cls, output, delay);
    to.wire_free = now + std::max(taken, delay);
}

void ClockedSwitch::fail(Time now, const std::string& what)
{
    tell(now, ": " + what);
    // The pin that a difference names, "out_vc[3]", has its port in brackets.
    const std::size_t bracket = what.find('[');
    const unsigned port = bracket == std::string::npos || bracket == 0
        ? 64
        : static_cast<unsigned>(std::atoi(what.c_str() + bracket + 1));
    if (port < ports_.size()) add_recent(port);
}

void ClockedSwitch::fail_at(Time now, const char* side, unsigned port, const std::string& what)
{
    tell(now, fmt::format(", {} {}: {}", side, port, what));
    add_recent(port);
}

void ClockedSwitch::add_recent(unsigned port)
{
    tell_recent(came_out_, port, fmt::format("out of output {}", port));
    tell_recent(went_in_, port, fmt::format("into input {}", port));
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
        out.push_back(fmt::format("{} input {}: {} {} transactions wait for {}", path(), input, count[i],
            vc_name(channels_.vcs[channel], 1),
            output < ports_.size() ? fmt::format("output {}", output) : "the group unit, or their group"));
    }
    return out;
}

std::vector<Statistic> ClockedSwitch::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(clocked_switch_statistics(), out);
    write_lines(write);
    write("made", made_);
    write("clocks", clocks());
    write_peak_queue(write);
    return out;
}

void ClockedSwitch::reset_statistics()
{
    sent_ = made_ = 0;
    reset_clocks();
    for (Port& port : ports_) port.load.reset();
}

}  // namespace weft
