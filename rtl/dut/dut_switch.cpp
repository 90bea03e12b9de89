#include "rtl/dut/dut_switch.h"

#include <algorithm>

#include <fmt/format.h>

#include "rtl/dut/channels/axi4_burst.h"
#include "rtl/modules/line_pins.h"

namespace weft {

namespace {

// Clocks for which a block may say that nothing is inside while a line is on its way in or out.
constexpr unsigned idle_patience = 4;

}  // namespace

DutSwitch::DutSwitch(sc_core::sc_module_name name, Agenda& agenda, std::string path, const SwitchSpec& spec, unsigned ports,
    RouteTable routes, PortMap map, std::vector<std::string> files, WaveWindow wave, std::uint64_t seed)
    : sc_module(name), Station(agenda, std::move(path)), spec_(spec), routes_(std::move(routes)), map_(std::move(map)),
      files_(std::move(files)), wave_(std::move(wave)), seed_(seed), ports_(ports), space_(ports, BufferSpace::of(1, 1))
{
    if (ports > 64) throw InputError("", 0, fmt::format("a block of RTL as a switch with {} ports", ports), "at most 64");
    for (unsigned p = 0; p < ports; ++p) {
        const std::string number = std::to_string(p);
        ports_[p].target = std::make_unique<LineTargetSocket>(("target" + number).c_str(), *this, p);
        ports_[p].initiator = std::make_unique<LineInitiatorSocket>(("initiator" + number).c_str(), *this, p);
        ports_[p].alarm = std::make_unique<Alarm>(send_kind, 0x800 + p);
    }
}

void DutSwitch::end_of_elaboration()
{
    const SwitchBlockParameters parameters = block_parameters(spec_, space_, channels_);
    DutShape shape;
    shape.ports = parameters.ports;
    shape.channels = parameters.vcs;
    shape.clock = spec_.clock;
    shape.seed = seed_;
    shape.waves = !wave_.file.empty();
    block_ = std::make_unique<DutBlock>(map_, dut_library(map_, files_, shape), shape, path());
    if (shape.waves) block_->set_wave(wave_);
    entries_.resize(block_->sources().size());
    flights_ = std::make_unique<FlightTable>(shape.ports, 2 * shape.channels);
    went_in_ = RecentLines(shape.ports);
    came_out_ = RecentLines(shape.ports);
    patience_ = map_.quiet * block_->longest_period();
    for (unsigned p = 0; p < ports_.size(); ++p) {
        ports_[p].arrived.resize(shape.channels);
        ports_[p].leaving.resize(shape.channels);
        for (const std::uint8_t vc : channels_.vcs) ports_[p].credits.push_back(space_[p].lines[vc]);
    }
}

Time DutSwitch::on_request(unsigned port, Line& line, Time delay)
{
    line.kind = static_cast<std::uint8_t>(LineClass::request);
    agenda().schedule(line, *this, agenda().now() + delay, port);
    return 0;
}

Time DutSwitch::on_response(unsigned port, Line& line, Time delay)
{
    line.kind = static_cast<std::uint8_t>(LineClass::response);
    agenda().schedule(line, *this, agenda().now() + delay, port);
    return 0;
}

void DutSwitch::on_credit(unsigned port, const Line& line, Time delay)
{
    const Time due = agenda().now() + delay;
    Port& to = ports_[port];
    to.coming.push_back({due, channels_.slot_of[line.vc]});
    to.alarm->set(agenda(), *this, std::max(due, to.wire_free));
}

void DutSwitch::run(AgendaItem& item)
{
    const Time now = agenda().now();
    if (!problems_.empty()) return;
    if (item.kind == tick_kind) {
        if (tick_.rings(now)) tick(now);
    } else if (item.kind == send_kind) {
        const unsigned port = (item.order & 0xfffU) - 0x800;
        if (ports_[port].alarm->rings(now)) send(port, now);
    } else {
        Line& line = Line::of(item);
        ports_[item.order & 0xfffU].arrived[channels_.slot_of[line.vc]].push_back(&line);
        ++waiting_;
        moved_at_ = now;
        wake(now);
    }
}

void DutSwitch::tick(Time now)
{
    last_tick_ = now;
    ticked_ = true;
    const unsigned rising = block_->rising(now);
    bool moved = false;
    std::vector<DutBlock::Source>& sources = block_->sources();
    std::vector<DutBlock::Sink>& sinks = block_->sinks();
    try {
        for (std::size_t i = 0; i < sources.size(); ++i) {
            if ((sources[i].clocks & rising) == 0) continue;
            if (!sources[i].channel->busy() && waiting_ > 0) begin(i, now);
            sources[i].channel->drive();
        }
    } catch (const InputError& error) {
        // A value that has no room on the pins.
        fail(now, "input", error.what());
        return;
    }
    for (const DutBlock::Sink& sink : sinks)
        if ((sink.clocks & rising) != 0) sink.channel->drive(room(ports_[sink.port]));
    block_->settle();
    for (std::size_t i = 0; i < sources.size() && problems_.empty(); ++i) {
        if ((sources[i].clocks & rising) == 0) continue;
        const LineSource::Sample sample = sources[i].channel->sample();
        moved = moved || sample.moved;
        if (sample.done) has_gone_in(i, now);
        if (!sources[i].channel->problem().empty()) fail(now, fmt::format("input {}", sources[i].port), sources[i].channel->problem());
    }
    for (std::size_t i = 0; i < sinks.size() && problems_.empty(); ++i)
        if ((sinks[i].clocks & rising) != 0) {
            const LineSink::Sample sample = sinks[i].channel->sample(seen_);
            moved = moved || sample.moved;
            if (!sinks[i].channel->problem().empty()) fail(now, fmt::format("output {}", sinks[i].port), sinks[i].channel->problem());
            else if (sample.done) has_come_out(i, now);
        }
    look_at_idle(moved, now);
    block_->rise(rising, now);
    ++clocks_;
    if (block_->failed()) fail(now, "the block", block_->failure());
    if (!problems_.empty()) return;

    if (moved) moved_at_ = now;
    const bool idle = idle_clocks_ > idle_patience && waiting_ == 0 &&
        std::none_of(sources.begin(), sources.end(), [](const DutBlock::Source& source) { return source.channel->busy(); });
    if (!idle && now - moved_at_ <= patience_) wake(now + 1);
}

// The next line for the pins of a source, if there is one that it takes.
void DutSwitch::begin(std::size_t source, Time now)
{
    DutBlock::Source& to = block_->sources()[source];
    Port& from = ports_[to.port];
    const auto channels = static_cast<unsigned>(from.arrived.size());
    for (unsigned i = 1; i <= channels; ++i) {
        const unsigned channel = (entries_[source].last_channel + i) % channels;
        if (from.arrived[channel].empty() || !carries(to.lines, channel) || !to.channel->takes(channel)) continue;
        Line& line = *from.arrived[channel].front();
        from.arrived[channel].pop_front();
        --waiting_;
        ++on_pins_;
        const auto cls = static_cast<LineClass>(line.kind);
        const unsigned output = route(to.port, line, cls);
        const std::uint32_t tag = flights_->enter(line, cls, to.port, output, order_of(line, channel), now);
        entries_[source] = {tag, channel};
        ports_[output].peak = std::max(ports_[output].peak, ++ports_[output].queued);
        LineOnPins on_pins;
        on_pins.bits = flights_->at(tag).bits;
        on_pins.dest = output;
        on_pins.channel = channel;
        on_pins.id = to.port;
        on_pins.line = &line;
        went_in_.add(to.port, now, channel, on_pins.bits);
        to.channel->begin(on_pins);
        return;
    }
}

void DutSwitch::has_gone_in(std::size_t source, Time now)
{
    Port& from = ports_[block_->sources()[source].port];
    FlightTable::Flight& flight = flights_->at(entries_[source].tag);
    flight.entered = now;
    --on_pins_;
    if (flight.cls == LineClass::request) from.target->return_request_credit(*flight.line, 0);
    else from.initiator->return_response_credit(*flight.line, 0);
}

void DutSwitch::has_come_out(std::size_t sink, Time now)
{
    const DutBlock::Sink& from = block_->sinks()[sink];
    const std::size_t channels = channels_.vcs.size();
    const std::string place = fmt::format("output {}", from.port);
    const std::uint32_t tag = seen_.bits.tag();
    if (flights_->live(tag)) {
        // What has no pins and no bits of its own is as it was.
        const FlightTable::Flight& flight = flights_->at(tag);
        const MapStream& stream = map_.streams[from.stream];
        for (unsigned i = 0; i < line_fields; ++i)
            if (const auto field = static_cast<LineField>(i); !stream.carries(field)) copy_field(flight.bits, seen_.bits, field);
        if (stream.signal("vc") == nullptr) seen_.channel = flight.channel;
        if (stream.signal("id") != nullptr && seen_.id != flight.input) {
            fail(now, place, fmt::format("id: expected {}, got {} ({})", flight.input, seen_.id, describe(flight.bits)));
            return;
        }
        if (stream.signal("dest") != nullptr && seen_.dest != flight.output) {
            fail(now, place, fmt::format("dest: expected {}, got {} ({})", flight.output, seen_.dest, describe(flight.bits)));
            return;
        }
    }
    came_out_.add(from.port, now, static_cast<unsigned>(seen_.channel % channels), seen_.bits);
    std::string problem;
    FlightTable::Flight* const flight = flights_->leave(seen_.bits, from.port, seen_.channel, problem);
    if (flight == nullptr) {
        fail(now, place, problem);
        if (flights_->live(tag)) add_overtaken(flights_->at(tag));
        return;
    }
    from.channel->accepted(flight->line);
    data_of(seen_.bits, flight->cls, *flight->line);
    ports_[from.port].leaving[flight->channel % channels].push_back({flight->line, flight->cls, static_cast<unsigned>(sink)});
    flights_->free(tag);
    ports_[from.port].alarm->set(agenda(), *this, std::max(now, ports_[from.port].wire_free));
}

// One line behind `output` goes on, if its channel has a credit.
void DutSwitch::send(unsigned output, Time now)
{
    Port& to = ports_[output];
    while (!to.coming.empty() && to.coming.front().due <= now) {
        ++to.credits[to.coming.front().slot];
        to.coming.pop_front();
    }
    if (now < to.wire_free) {
        to.alarm->set(agenda(), *this, to.wire_free);
        return;
    }
    const auto channels = static_cast<unsigned>(to.leaving.size());
    bool sent = false;
    for (unsigned i = 1; i <= channels && !sent; ++i) {
        const unsigned channel = (to.last_sent + i) % channels;
        if (to.leaving[channel].empty() || to.credits[channel] == 0) continue;
        const Waiting waiting = to.leaving[channel].front();
        to.leaving[channel].pop_front();
        --to.credits[channel];
        --to.queued;
        ++sent_;
        to.last_sent = channel;
        const Time taken = waiting.cls == LineClass::request ? to.initiator->send_request(*waiting.line, 0)
                                                             : to.target->send_response(*waiting.line, 0);
        to.wire_free = now + taken;
        block_->sinks()[waiting.sink].channel->freed(channel);
        sent = true;
    }
    // At once again where the wire takes another.
    if (sent) to.alarm->set(agenda(), *this, to.wire_free);
    else if (!to.coming.empty()) to.alarm->set(agenda(), *this, to.coming.front().due);
    if (sent) {
        moved_at_ = now;
        wake(now);
    }
}

// What has to stay in order, beside input and output: the channel. Over AXI4 reads and writes may pass each other.
unsigned DutSwitch::order_of(const Line& line, unsigned channel) const
{
    const bool apart = map_.streams.front().protocol == StreamProtocol::axi4 && !axi4_writes(line.op);
    return apart ? channel + static_cast<unsigned>(channels_.vcs.size()) : channel;
}

bool DutSwitch::carries(StreamLines lines, unsigned channel) const
{
    const bool response = class_of(channels_.vcs[channel]) == VcClass::response;
    return lines == StreamLines::all || response == (lines == StreamLines::responses);
}

unsigned DutSwitch::room(const Port& port) const
{
    unsigned out = 0;
    for (std::size_t channel = 0; channel < port.leaving.size(); ++channel)
        if (port.leaving[channel].size() < map_.output_buffer) out |= 1U << channel;
    return out;
}

unsigned DutSwitch::route(unsigned port, Line& line, LineClass cls)
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

void DutSwitch::look_at_idle(bool moved, Time now)
{
    idle_clocks_ = !moved && block_->idle() ? idle_clocks_ + 1 : 0;
    if (idle_clocks_ > idle_patience && flights_->inside() > on_pins_)
        fail(now, "the block", fmt::format("nothing is inside, it says; {} lines went in and have not come out", flights_->inside() - on_pins_));
}

void DutSwitch::fail(Time now, const std::string& place, const std::string& what)
{
    problems_.push_back(fmt::format("{}: at {} ps, {}: {}", path(), now, place, what));
    note_fault({path()}, now, block_->longest_period());
    const std::size_t number = place.find(' ');
    const bool input = place.rfind("input ", 0) == 0;
    if (input || place.rfind("output ", 0) == 0) {
        const auto port = static_cast<unsigned>(std::stoul(place.substr(number + 1)));
        const RecentLines& recent = input ? went_in_ : came_out_;
        for (const std::string& line : recent.of(port)) problems_.push_back(fmt::format("  {} {} {}", input ? "into" : "out of", place, line));
    } else {
        add_inside(problems_);
    }
    agenda().stop();
}

// Lines that should have come out before `flight`: lost, or late.
void DutSwitch::add_overtaken(const FlightTable::Flight& flight)
{
    for (const FlightTable::Flight* other : flights_->all())
        if (other->input == flight.input && other->output == flight.output && other->channel == flight.channel && other->turn < flight.turn)
            problems_.push_back(fmt::format("  before it went into input {} at {} ps, and is missing: {}", other->input, other->entered,
                describe(other->bits)));
}

void DutSwitch::add_inside(std::vector<std::string>& out) const
{
    constexpr std::size_t most = 16;
    std::vector<const FlightTable::Flight*> all = flights_->all();
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (block_->sources()[i].channel->busy()) all.erase(std::remove(all.begin(), all.end(), &flights_->at(entries_[i].tag)), all.end());
    for (std::size_t i = 0; i < all.size() && i < most; ++i)
        out.push_back(fmt::format("{} input {} -> output {}: inside since {} ps: {}", path(), all[i]->input, all[i]->output, all[i]->entered,
            describe(all[i]->bits)));
    if (all.size() > most) out.push_back(fmt::format("{}: and {} more", path(), all.size() - most));
}

std::vector<std::string> DutSwitch::blocked() const
{
    std::vector<std::string> out;
    if (flights_ == nullptr) return out;
    for (std::size_t i = 0; i < block_->sources().size(); ++i) {
        const DutBlock::Source& source = block_->sources()[i];
        if (source.channel->busy())
            out.push_back(fmt::format("{} input {}: the block does not take {}", path(), source.port, describe(flights_->at(entries_[i].tag).bits)));
    }
    for (unsigned p = 0; p < ports_.size(); ++p)
        for (unsigned channel = 0; channel < ports_[p].arrived.size(); ++channel) {
            const std::string name = vc_name(channels_.vcs[channel], 1);
            if (const std::size_t count = ports_[p].arrived[channel].size(); count > 0)
                out.push_back(fmt::format("{} input {}: {} {} lines wait for the block", path(), p, count, name));
            if (const std::size_t count = ports_[p].leaving[channel].size(); count > 0)
                out.push_back(fmt::format("{} output {}: {} {} lines have come out and wait for credits", path(), p, count, name));
        }
    add_inside(out);
    return out;
}

std::vector<Statistic> DutSwitch::statistics() const
{
    std::uint32_t peak = 0;
    for (const Port& port : ports_) peak = std::max(peak, port.peak);
    return {{"lines", static_cast<double>(sent_), "lines", "requests and responses forwarded"},
        {"clocks", static_cast<double>(clocks_), "", "edges at which the block was evaluated"},
        {"peak_queue", static_cast<double>(peak), "lines", "largest number of lines inside for one output"}};
}

void DutSwitch::reset_statistics()
{
    sent_ = clocks_ = 0;
    for (Port& port : ports_) port.peak = port.queued;
}

}  // namespace weft
