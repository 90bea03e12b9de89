#include "rtl/dut/dut_module.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/dut/channels/axi4_burst.h"
#include "rtl/modules/line_pins.h"

namespace weft {

namespace {

// Clocks for which a block may say that nothing is inside while a line is on its way in or out.
constexpr unsigned idle_patience = 4;

// Clocks for which a block that holds something may stand still while nobody else has anything to do, at least: `quiet` is meant for
// blocks that hold nothing, and the latency of a block may be longer.
constexpr std::uint64_t least_patience = 65'536;

// Where others go on for ever, it may stand still for so many times as long.
constexpr unsigned beside_others = 16;

}  // namespace

DutModule::DutModule(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, unsigned ports,
    PortMap map, std::vector<std::string> files, WaveWindow wave, std::uint64_t seed, Words words)
    : PinShell(name, event_queue, std::move(path), 0), map_(std::move(map)), files_(std::move(files)),
      wave_(std::move(wave)), seed_(seed), words_(words), ports_(ports)
{
}

void DutModule::build(BlockChannels channels, Time clock)
{
    channels_ = std::move(channels);
    for (const std::uint8_t vc : channels_.vcs) vc_sets_ = std::max(vc_sets_, vc_set_of(vc) + 1);
    DutShape shape;
    shape.ports = ports();
    shape.channels = channel_count();
    shape.clock = clock;
    shape.seed = seed_;
    shape.waves = !wave_.file.empty();
    block_ = std::make_unique<DutBlock>(map_, dut_library(map_, files_, shape), shape, path());
    if (shape.waves) block_->set_wave(wave_);
    entries_.resize(block_->sources().size());
    flights_ = std::make_unique<FlightTable>(shape.ports, 2 * shape.channels, words_.out);
    went_in_ = RecentLines(shape.ports);
    came_out_ = RecentLines(shape.ports);
    quiet_ = map_.quiet * block_->longest_period();
    patience_ = std::max<std::uint64_t>(map_.quiet, least_patience) * block_->longest_period();
    for (Port& port : ports_) port.arrived.resize(shape.channels);
}

void DutModule::expect(unsigned port, Line& line, LineClass cls, Time delay)
{
    line.kind = static_cast<std::uint8_t>(cls);
    event_queue().schedule(line, *this, event_queue().now() + delay, port);
}

void DutModule::arrive(ScheduledItem& item, Time now)
{
    Line& line = Line::of(item);
    ports_[item.input].arrived[channels_.slot_of[line.vc]].push_back(&line);
    ++waiting_;
    input_changed(now);
}

void DutModule::tick(Time now)
{
    last_tick_ = now;
    ticked_ = true;
    stand(false);
    const unsigned rising = block_->rising(now);
    bool moved = false;
    std::vector<DutBlock::Source>& sources = block_->sources();
    std::vector<DutBlock::Sink>& sinks = block_->sinks();
    if (!drive_inputs(rising, now)) return;
    for (const DutBlock::Sink& sink : sinks)
        if ((sink.clocks & rising) != 0) sink.channel->drive(room(sink.port));
    block_->settle(rising, now);
    if (block_->failed()) {
        fail(now, Side::block, 0, block_->failure());
        return;
    }
    for (std::size_t i = 0; i < sources.size() && ok(); ++i) {
        if ((sources[i].clocks & rising) == 0) continue;
        const LineSource::Sample sample = sources[i].channel->sample();
        moved = moved || sample.moved;
        if (sample.done) go_in(i, now);
        if (!sources[i].channel->problem().empty()) fail(now, Side::in, sources[i].port, sources[i].channel->problem());
    }
    for (std::size_t i = 0; i < sinks.size() && ok(); ++i)
        if ((sinks[i].clocks & rising) != 0) {
            const LineSink::Sample sample = sinks[i].channel->sample(seen_);
            moved = moved || sample.moved;
            if (!sinks[i].channel->problem().empty())
                fail(now, Side::out, sinks[i].port, sinks[i].channel->problem());
            else if (sample.done)
                come_out(i, now);
        }
    look_at_idle(moved, now);
    block_->rise(rising, now);
    count_clock();
    if (block_->failed()) fail(now, Side::block, 0, block_->failure());
    if (!ok()) return;

    if (moved) moved_at_ = now;
    const bool idle = idle_clocks_ > idle_patience && waiting_ == 0 &&
        std::all_of(sources.begin(), sources.end(),
            [](const DutBlock::Source& source) { return !source.channel->busy() && source.channel->settled(); }) &&
        std::none_of(sinks.begin(), sinks.end(), [](const DutBlock::Sink& sink) { return sink.channel->owes(); });
    if (!idle) go_on(now);
}

// To the next clock, if anything may come of it.
void DutModule::go_on(Time now)
{
    if (now - moved_at_ > quiet_) {
        if (!holds() && (!block_->has_idle() || block_->idle())) return;
        event_queue().without_effect();
        if (!event_queue().only_standing()) busy_elsewhere_ = now;
        if (now - std::max(moved_at_, busy_elsewhere_) > (holds() ? patience_ : quiet_)) return;
        stand(true);
    }
    wake(now + 1);
}

void DutModule::stand(bool still)
{
    if (still == still_) return;
    still_ = still;
    if (still)
        event_queue().add_standing();
    else
        event_queue().remove_standing();
}

// False: a value has no room on the pins.
bool DutModule::drive_inputs(unsigned rising, Time now)
{
    std::vector<DutBlock::Source>& sources = block_->sources();
    std::size_t i = 0;
    try {
        for (; i < sources.size(); ++i) {
            if ((sources[i].clocks & rising) == 0) continue;
            if (!sources[i].channel->busy() && waiting_ > 0) begin(i, now);
            sources[i].channel->drive();
        }
    } catch (const InputError& error) {
        fail(now, Side::in, sources[i].port, error.what());
        return false;
    }
    return true;
}

// The next line for the pins of a source, if there is one that it takes.
void DutModule::begin(std::size_t source, Time now)
{
    DutBlock::Source& to = block_->sources()[source];
    Port& from = ports_[to.port];
    for (unsigned i = 1; i <= channel_count(); ++i) {
        const unsigned channel = (entries_[source].last_channel + i) % channel_count();
        if (from.arrived[channel].empty() || !carries(to.lines, channel) || !to.channel->takes(channel)) continue;
        Line& line = *from.arrived[channel].front();
        from.arrived[channel].pop_front();
        --waiting_;
        const auto cls = static_cast<LineClass>(line.kind);
        const unsigned output = output_of(to.port, line, cls);
        if (output >= ports()) return;  // there is no route, which has been reported
        ++on_pins_;
        const std::uint32_t tag = flights_->enter(line, cls, to.port, output, order_of(line, channel), now);
        entries_[source] = {tag, channel};
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

void DutModule::go_in(std::size_t source, Time now)
{
    FlightTable::Flight& flight = flights_->at(entries_[source].tag);
    flight.entered = now;
    --on_pins_;
    has_entered(source, *flight.line, flight.cls);
}

// What has no pins and no bits of its own is as it was; what has them is right.
bool DutModule::beside_bits_are_right(const DutBlock::Sink& from, Time now)
{
    const FlightTable::Flight& flight = flights_->at(seen_.bits.tag());
    const MapStream& stream = map_.streams[from.stream];
    for (unsigned i = 0; i < line_fields; ++i)
        if (const auto field = static_cast<LineField>(i); !stream.carries(field))
            copy_field(flight.bits, seen_.bits, field);
    if (stream.signal("vc") == nullptr) seen_.channel = flight.channel;
    const std::tuple<const char*, unsigned, unsigned> signals[] = {{"id", flight.input, seen_.id},
        {"dest", flight.output, seen_.dest}};
    for (const auto& [name, expected, got] : signals)
        if (stream.signal(name) != nullptr && got != expected) {
            fail(now, Side::out, from.port,
                fmt::format("{}: expected {}, got {} ({})", name, expected, got, describe(flight.bits)));
            return false;
        }
    return true;
}

void DutModule::come_out(std::size_t sink, Time now)
{
    const DutBlock::Sink& from = block_->sinks()[sink];
    const std::uint32_t tag = seen_.bits.tag();
    if (flights_->live(tag) && !beside_bits_are_right(from, now)) return;
    came_out_.add(from.port, now, static_cast<unsigned>(seen_.channel % channel_count()), seen_.bits);
    std::string problem;
    FlightTable::Flight* const flight = flights_->leave(seen_.bits, from.port, seen_.channel, problem);
    if (flight == nullptr) {
        fail(now, Side::out, from.port, problem);
        if (flights_->live(tag)) add_overtaken(flights_->at(tag));
        return;
    }
    Line& line = *flight->line;
    const LineClass cls = flight->cls;
    const unsigned channel = flight->channel % channel_count();
    from.channel->accepted(&line);
    data_of(seen_.bits, cls, line);
    flights_->free(tag);
    has_left(sink, line, cls, channel, now);
}

// What has to stay in order, beside input and output: the channel. Over AXI4 reads and writes may pass each other.
unsigned DutModule::order_of(const Line& line, unsigned channel) const
{
    const bool apart = map_.streams.front().protocol == StreamProtocol::axi4 && !axi4_writes(line.op);
    return apart ? channel + channel_count() : channel;
}

bool DutModule::carries(StreamLines lines, unsigned channel) const
{
    const bool response = class_of(channels_.vcs[channel]) == VcClass::response;
    return lines == StreamLines::all || response == (lines == StreamLines::responses);
}

std::size_t DutModule::source_for(unsigned port, unsigned channel) const
{
    const std::vector<DutBlock::Source>& sources = block_->sources();
    const auto found = std::find_if(sources.begin(), sources.end(),
        [&](const DutBlock::Source& source) { return source.port == port && carries(source.lines, channel); });
    return static_cast<std::size_t>(found - sources.begin());
}

std::string DutModule::channel_name(unsigned channel) const { return vc_name(channels_.vcs[channel], vc_sets_); }

void DutModule::look_at_idle(bool moved, Time now)
{
    idle_clocks_ = !moved && block_->idle() ? idle_clocks_ + 1 : 0;
    if (idle_clocks_ > idle_patience && flights_->inside() > on_pins_)
        fail(now, Side::block, 0,
            fmt::format("the block reports that it is idle, but {} transactions went in and have not come out",
                flights_->inside() - on_pins_));
}

void DutModule::fail(Time now, Side side, unsigned port, const std::string& what)
{
    const bool in = side == Side::in;
    const std::string place =
        side == Side::block ? "the block" : fmt::format("{} {}", in ? words_.in : words_.out, port);
    // With the clock of the block that is slowest: waveforms then show enough before it.
    tell(now, fmt::format(", {}: {}", place, what), {}, block_->longest_period());
    if (side == Side::block) {
        std::vector<std::string> inside;
        add_inside(inside);
        for (std::string& line : inside) tell_more(std::move(line));
    } else {
        tell_recent(in ? went_in_ : came_out_, port, fmt::format("{} {}", in ? "into" : "out of", place));
    }
}

// Lines that should have come out before `flight`: lost, or late.
void DutModule::add_overtaken(const FlightTable::Flight& flight)
{
    for (const FlightTable::Flight* other : flights_->all())
        if (other->input == flight.input && other->output == flight.output && other->channel == flight.channel &&
            other->turn < flight.turn)
            tell_more(fmt::format("  an earlier transaction went into {} {} at {} ps and is missing: {}", words_.in,
                other->input, other->entered, describe(other->bits)));
}

void DutModule::add_inside(std::vector<std::string>& out) const
{
    constexpr std::size_t most = 16;
    std::vector<const FlightTable::Flight*> all = flights_->all();
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (block_->sources()[i].channel->busy())
            all.erase(std::remove(all.begin(), all.end(), &flights_->at(entries_[i].tag)), all.end());
    for (std::size_t i = 0; i < all.size() && i < most; ++i)
        out.push_back(fmt::format("{} {} {} -> {} {}: in the block since {} ps: {}", path(), words_.in, all[i]->input,
            words_.out, all[i]->output, all[i]->entered, describe(all[i]->bits)));
    if (all.size() > most) out.push_back(fmt::format("{}: and {} more", path(), all.size() - most));
}

std::vector<std::string> DutModule::unsettled()
{
    std::vector<std::string> out;
    if (block_ == nullptr || !ok()) return out;
    if (ticked_) block_->fall(last_tick_ + block_->longest_period() / 2);
    if (block_->failed()) out.push_back(fmt::format("{}: the block: {}", path(), block_->failure()));
    std::vector<std::string> names;
    for (unsigned channel = 0; channel < channel_count(); ++channel) names.push_back(channel_name(channel));
    for (const DutBlock::Source& source : block_->sources())
        if (const std::string what = source.channel->unsettled(names); !what.empty())
            out.push_back(fmt::format("{} {} {}: {}", path(), words_.in, source.port, what));
    for (const DutBlock::Sink& sink : block_->sinks())
        if (const std::string what = sink.channel->unsettled(); !what.empty())
            out.push_back(fmt::format("{} {} {}: {}", path(), words_.out, sink.port, what));
    return out;
}

bool DutModule::stands(Time now, bool alone) const
{
    return could_move() && now > moved_at_ + (alone ? 1 : beside_others) * patience_;
}

std::string DutModule::standing() const
{
    if (!could_move() || last_tick_ <= moved_at_ + patience_) return {};
    const char* idle = !block_->has_idle() ? "it has no idle pin"
        : block_->idle()                   ? "its idle pin says idle"
                                           : "its idle pin says busy";
    return fmt::format(
        "{}: nothing has moved on the pins of the block for {} clocks; transactions inside: {}, in front of "
        "it: {}; {}; if it only takes so long, set quiet in its map to more",
        path(), (last_tick_ - moved_at_) / block_->longest_period(), flights_->inside() - on_pins_, waiting_ + on_pins_,
        idle);
}

std::vector<std::string> DutModule::waiting_lines() const
{
    std::vector<std::string> out;
    if (flights_ == nullptr) return out;
    for (std::size_t i = 0; i < block_->sources().size(); ++i) {
        const DutBlock::Source& source = block_->sources()[i];
        if (source.channel->busy())
            out.push_back(fmt::format("{} {} {}: the block does not take {}", path(), words_.in, source.port,
                describe(flights_->at(entries_[i].tag).bits)));
    }
    for (unsigned p = 0; p < ports(); ++p)
        for (unsigned channel = 0; channel < channel_count(); ++channel) {
            if (const std::size_t count = ports_[p].arrived[channel].size(); count > 0)
                out.push_back(fmt::format("{} {} {}: {} {} transactions wait for the block", path(), words_.in, p,
                    count, channel_name(channel)));
            add_behind(p, channel, out);
        }
    add_inside(out);
    return out;
}

}  // namespace weft
