#include "rtl/dut/dut_switch.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/modules/block_statistics.h"

namespace weft {

DutSwitch::DutSwitch(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const SwitchSpec& spec,
    unsigned ports, RouteTable routes, PortMap map, std::vector<std::string> files, WaveWindow wave, std::uint64_t seed)
    : SwitchShell(ports, std::move(routes), name, event_queue, std::move(path), ports, std::move(map), std::move(files),
          std::move(wave), seed, Words{"input", "output"}),
      spec_(spec), outputs_(ports), space_(ports, BufferSpace::of(1, 1))
{
    if (ports > 64)
        throw InputError("", 0, fmt::format("a block of RTL as a switch with {} ports", ports), "at most 64");
    for (unsigned p = 0; p < ports; ++p) outputs_[p].alarm = std::make_unique<Alarm>(send_kind, 0x800 + p);
}

void DutSwitch::end_of_elaboration()
{
    BlockChannels channels;
    block_parameters(spec_, space_, channels);
    build(channels, spec_.clock);
    for (unsigned p = 0; p < ports(); ++p) {
        outputs_[p].leaving.resize(channel_count());
        for (const std::uint8_t vc : channels.vcs) outputs_[p].credits.push_back(space_[p].lines[vc]);
    }
}

void DutSwitch::credited(unsigned port, std::uint8_t vc, Time due)
{
    Output& to = outputs_[port];
    to.coming.push_back({due, channels().slot_of[vc]});
    to.alarm->set(event_queue(), *this, std::max(due, to.wire_free));
}

void DutSwitch::arrive(ScheduledItem& item, Time now)
{
    if (item.kind != send_kind) {
        DutModule::arrive(item, now);
        return;
    }
    const unsigned port = item.input - 0x800U;
    if (outputs_[port].alarm->rings(now)) serve(port, now);
}

unsigned DutSwitch::output_of(unsigned input, Line& line, LineClass cls)
{
    const Exit exit = cls == LineClass::response ? route_back(line) : route(line, input, vc_set_of(line.vc));
    if (!exit.known()) return no_port;
    if (cls == LineClass::request) note_hop(line, input);
    outputs_[exit.port].load.join();
    return exit.port;
}

void DutSwitch::has_entered(std::size_t source, Line& line, LineClass cls)
{
    free_slot(line, cls, block().sources()[source].port);
}

void DutSwitch::has_left(std::size_t sink, Line& line, LineClass cls, unsigned channel, Time now)
{
    Output& to = outputs_[block().sinks()[sink].port];
    to.leaving[channel].push_back({&line, cls, static_cast<unsigned>(sink)});
    to.alarm->set(event_queue(), *this, std::max(now, to.wire_free));
}

// One line behind `output` goes on, if its channel has a credit.
void DutSwitch::serve(unsigned output, Time now)
{
    Output& to = outputs_[output];
    while (!to.coming.empty() && to.coming.front().due <= now) {
        ++to.credits[to.coming.front().slot];
        to.coming.pop_front();
    }
    if (now < to.wire_free) {
        to.alarm->set(event_queue(), *this, to.wire_free);
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
        to.load.leave();
        ++sent_;
        to.last_sent = channel;
        to.wire_free = now + send(*waiting.line, waiting.cls, output);
        block().sinks()[waiting.sink].channel->freed(channel);
        sent = true;
    }
    // At once again where the wire takes another.
    if (sent)
        to.alarm->set(event_queue(), *this, to.wire_free);
    else if (!to.coming.empty())
        to.alarm->set(event_queue(), *this, to.coming.front().due);
    if (sent) input_changed(now);
}

unsigned DutSwitch::room(unsigned output) const
{
    const Output& behind = outputs_[output];
    unsigned out = 0;
    for (std::size_t channel = 0; channel < behind.leaving.size(); ++channel)
        if (behind.leaving[channel].size() < map().output_buffer) out |= 1U << channel;
    return out;
}

std::uint32_t DutSwitch::credits_out(unsigned port, std::uint8_t vc) const
{
    const Output& output = outputs_[port];
    if (output.credits.empty() || space_[port].lines[vc] == 0) return 0;
    const std::uint8_t slot = channels().slot_of[vc];
    const auto coming = std::count_if(output.coming.begin(), output.coming.end(),
        [slot](const Credit& credit) { return credit.slot == slot; });
    return space_[port].lines[vc] - output.credits[slot] - static_cast<std::uint32_t>(coming);
}

bool DutSwitch::held_up() const
{
    return std::any_of(outputs_.begin(), outputs_.end(), [](const Output& output) {
        return std::any_of(output.leaving.begin(), output.leaving.end(),
            [](const std::deque<Waiting>& lines) { return !lines.empty(); });
    });
}

void DutSwitch::add_behind(unsigned output, unsigned channel, std::vector<std::string>& out) const
{
    if (const std::size_t count = outputs_[output].leaving[channel].size(); count > 0)
        out.push_back(fmt::format("{} output {}: {} {} transactions came out and wait for credits", path(), output,
            count, channel_name(channel)));
}

std::vector<Statistic> DutSwitch::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(dut_switch_statistics(), out);
    write_lines(write);
    write("clocks", clocks());
    write_peak_queue(write);
    return out;
}

void DutSwitch::reset_statistics()
{
    sent_ = 0;
    reset_clocks();
    for (Output& output : outputs_) output.load.reset();
}

}  // namespace weft
