#include "rtl/dut/dut_block.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/dut/channels/axi4.h"
#include "rtl/verilated/block_library.h"

namespace weft {

namespace {

// Verilator names parameters that the module does not have, without a place: their lines are the map's. Empty: it says something else.
std::vector<Diagnostic> unknown_parameters(const PortMap& map, const std::string& complaint)
{
    constexpr const char* begin = "Parameters from the command line were not found in the design: ";
    const std::size_t at = complaint.find(begin);
    std::vector<Diagnostic> out;
    if (at == std::string::npos) return out;
    std::istringstream names(complaint.substr(at + std::string(begin).size()));
    for (std::string name; names >> name;) {
        while (!name.empty() && (name.back() == ',' || name.back() == '.')) name.pop_back();
        const auto line = map.parameter_lines.find(name);
        if (line != map.parameter_lines.end())
            out.push_back({map.file, line->second, fmt::format("'{}' is no parameter of {}", name, map.top),
                "parameters of the module"});
    }
    return out;
}

}  // namespace

std::string dut_library(const PortMap& map, const std::vector<std::string>& files, const DutShape& shape)
{
    if (shape.ports > map.block_ports(shape.ports))
        throw InputError(map.file, 0, fmt::format("a node with {} ports for a block with {}", shape.ports, map.ports),
            "a block with enough, or parameters with {ports}");
    BlockSource source;
    source.top = map.top;
    source.files = files;
    source.parameters = map.parameters_for(shape.ports, shape.channels);
    source.include_folders = map.include_folders;
    source.defines = map.defines;
    source.lint = false;
    source.trace = shape.waves;
    const auto build = [&map, &source] {
        try {
            return block_library(source);
        } catch (const InputError& error) {
            // What a tool says of no line of the RTL is about the module that the map names.
            const Diagnostic& first = error.diagnostics().front();
            if (!first.file.empty()) throw;
            if (std::vector<Diagnostic> unknown = unknown_parameters(map, first.what); !unknown.empty())
                throw InputError(std::move(unknown));
            throw InputError(map.file, map.top_line, first.what, first.expected);
        }
    };
    std::string library = build();
    check_map(map, VerilatedBlock(library, "pins").pins(), map.block_ports(shape.ports));
    return library;
}

namespace {

std::vector<std::string> clock_pins(const PortMap& map)
{
    std::vector<std::string> out;
    for (const MapClock& clock : map.clocks) out.push_back(clock.pin);
    return out;
}

}  // namespace

DutBlock::DutBlock(const PortMap& map, const std::string& library, const DutShape& shape, const std::string& path)
    : block_(library, path, shape.seed, clock_pins(map)), idle_value_(map.idle.value)
{
    const unsigned ports = map.block_ports(shape.ports);
    for (const MapClock& clock : map.clocks)
        clocks_.push_back({block_.pin(clock.pin), clock.period == 0 ? shape.clock : clock.period});
    if (!map.idle.pin.empty()) idle_ = block_.pin(map.idle.pin);
    for (const MapPin& tie : map.ties) {
        Pin pin = block_.pin(tie.pin);
        pin.set(0, std::min(pin.width(), 32U), tie.value);
    }
    for (unsigned s = 0; s < map.streams.size(); ++s) {
        const MapStream& stream = map.streams[s];
        const auto clock = std::find_if(map.clocks.begin(), map.clocks.end(),
            [&](const MapClock& c) { return c.pin == stream.clock; });
        const unsigned bit = 1U << (clock - map.clocks.begin());
        for (unsigned port = 0; port < shape.ports; ++port) {
            if (stream.protocol == StreamProtocol::axi4) {
                bind_axi4(stream, s, bit, port, ports, shape.channels);
                continue;
            }
            const StreamPins pins = bind(stream, port, ports);
            if (stream.in)
                sources_.push_back({port, s, stream.lines, bit, make_source(stream, pins, shape.channels)});
            else
                sinks_.push_back({port, s, stream.lines, bit, make_sink(stream, pins, shape.channels)});
        }
    }
    if (map.reset.pin.empty()) return;
    Pin reset = block_.pin(map.reset.pin);
    reset.set(0, 1, map.reset.active_low ? 0 : 1);
    block_.eval();
    const unsigned all = (1U << clocks_.size()) - 1;
    // Before any waveform.
    for (unsigned i = 0; i < map.reset.clocks; ++i) {
        set(all, 0);
        block_.eval();
        rise(all, 0);
    }
    reset.set(0, 1, map.reset.active_low ? 1 : 0);
    block_.eval();
}

StreamPins DutBlock::bind(const MapStream& stream, unsigned port, unsigned ports) const
{
    const std::vector<PinInfo> pins = block_.pins();
    const auto place = [&](const MapSignal& signal) {
        const PinSlice slice = slice_of(signal, port, ports, pins);
        return Signal{block_.pin(slice.pin), slice.at, slice.width};
    };
    StreamPins out;
    const std::pair<const char*, Signal*> names[] = {{"valid", &out.valid}, {"ready", &out.ready},
        {"credit", &out.ready}, {"data", &out.data}, {"keep", &out.keep}, {"last", &out.last}, {"dest", &out.dest},
        {"vc", &out.vc}, {"id", &out.id}};
    for (const auto& [name, signal] : names)
        if (const MapSignal* const found = stream.signal(name)) *signal = place(*found);
    for (const auto& [field, signal] : stream.field_signals) out.fields.emplace_back(field, place(signal));
    return out;
}

void DutBlock::bind_axi4(const MapStream& stream, unsigned number, unsigned clock, unsigned port, unsigned ports,
    unsigned channels)
{
    const std::vector<PinInfo> pins = block_.pins();
    const auto shared = std::make_shared<Axi4Port>();
    shared->pins.port_at = stream.port_at;
    for (const auto& [name, signal] : stream.signals) {
        const PinSlice slice = slice_of(signal, port, ports, pins);
        shared->pins.signal(name) = {block_.pin(slice.pin), slice.at, slice.width};
    }
    if (stream.in) {
        sources_.push_back({port, number, StreamLines::requests, clock, make_axi4_requests(shared)});
        for (const bool reads : {false, true})
            sinks_.push_back({port, number, StreamLines::responses, clock, make_axi4_answers(shared, reads)});
    } else {
        for (const bool reads : {false, true})
            sinks_.push_back({port, number, StreamLines::requests, clock, make_axi4_taken(shared, reads, channels)});
        sources_.push_back({port, number, StreamLines::responses, clock, make_axi4_replies(shared)});
    }
}

unsigned DutBlock::rising(std::uint64_t time) const
{
    unsigned out = 0;
    for (std::size_t i = 0; i < clocks_.size(); ++i)
        if (time % clocks_[i].period == 0) out |= 1U << i;
    return out;
}

std::uint64_t DutBlock::edge(std::uint64_t time) const
{
    std::uint64_t first = ~std::uint64_t{0};
    for (const Clock& clock : clocks_) first = std::min(first, (time + clock.period - 1) / clock.period * clock.period);
    return first;
}

std::uint64_t DutBlock::longest_period() const
{
    std::uint64_t out = 1;
    for (const Clock& clock : clocks_) out = std::max(out, clock.period);
    return out;
}

void DutBlock::set(unsigned clocks, unsigned level)
{
    for (std::size_t i = 0; i < clocks_.size(); ++i)
        if ((clocks >> i & 1U) != 0) clocks_[i].pin.set(0, 1, level);
}

void DutBlock::settle(unsigned clocks, std::uint64_t time)
{
    // A stopped clock goes on as if it had never stood still: the edge before was a period ago.
    std::uint64_t shortest = ~std::uint64_t{0};
    for (std::size_t i = 0; i < clocks_.size(); ++i)
        if ((clocks >> i & 1U) != 0) shortest = std::min(shortest, clocks_[i].period);
    const std::uint64_t before = time > shortest ? std::max(last_edge_, time - shortest) : last_edge_;
    const std::uint64_t gap = time > before ? time - before : 0;
    block_.step(before + std::min<std::uint64_t>(1, gap / 2));
    set(clocks, 0);
    block_.step(before + gap / 2);
}

void DutBlock::rise(unsigned clocks, std::uint64_t time)
{
    block_.at(time);
    set(clocks, 1);
    block_.step(time);
    last_edge_ = time;
}

void DutBlock::fall(std::uint64_t time)
{
    set((1U << clocks_.size()) - 1, 0);
    block_.step(time);
}

}  // namespace weft
