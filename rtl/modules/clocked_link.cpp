#include "rtl/modules/clocked_link.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/link/link_packet.h"
#include "rtl/modules/line_pins.h"
#include "rtl/modules/link_block_spec.h"
#include "tlm_interconnect/kernel/random_stream.h"
#include "tlm_interconnect/link/buffer_space.h"

namespace weft {

namespace {

LinkParams params_of(const LinkSpec& spec, Time clock, BlockChannels& channels)
{
    if (const auto wrong = link_block_problem(spec)) throw InputError("", 0, wrong->what, wrong->expected);
    const BufferSpace space = buffer_space(spec);
    LinkParams out;
    out.flit_bytes = static_cast<unsigned>(spec.flit);
    for (std::uint8_t vc = 0; vc < max_vcs; ++vc) {
        if (space.lines[vc] == 0) continue;
        channels.slot_of[vc] = static_cast<std::uint8_t>(channels.vcs.size());
        out.credits[channels.vcs.size()] = static_cast<std::uint16_t>(space.lines[vc]);
        channels.vcs.push_back(vc);
    }
    out.vcs = static_cast<unsigned>(channels.vcs.size());
    out.seq_bits = link_number_bits;
    out.replay = static_cast<unsigned>(spec.replay_buffer);
    out.timeout = static_cast<unsigned>(spec.replay_timeout / clock);
    out.check();
    return out;
}

double error_rate(const LinkSpec& spec) { return static_cast<double>(spec.bit_error_rate) * 1e-18; }

}  // namespace

ClockedLink::ClockedLink(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const LinkSpec& spec,
    std::uint64_t seed, const Factory& make)
    : LinkShell(spec, name, event_queue, std::move(path), clock_of(spec))
{
    params_ = params_of(spec, clock(), channels_);
    const auto wire_clocks = static_cast<unsigned>(link_block_wire(spec));
    RandomStream seeds(seed, stream_of(this->path()));
    set_quiet_limit(64ULL * (params_.timeout + 2 * wire_clocks));
    ends_.reserve(2);
    for (unsigned e = 0; e < 2; ++e) {
        End& end = ends_.emplace_back(params_);
        end.endpoint = make(params_, this->path() + "." + std::to_string(e));
        end.wire = std::make_unique<LinkWire>(params_.flit_bytes, wire_clocks, error_rate(spec), seeds.next());
        end.flights = std::make_unique<FlightTable>(1, params_.vcs);
        end.waiting.resize(params_.vcs);
        end.endpoint->reset();
    }
}

Time ClockedLink::clock_of(const LinkSpec& spec) { return link_block_clock(spec); }

Time ClockedLink::take(unsigned end, Line& line, LineClass cls, Time delay)
{
    line.kind = static_cast<std::uint8_t>(cls);
    const Time arrival = event_queue().now() + delay;
    event_queue().schedule(line, *this, edge(arrival), end);
    LineBits header;
    header_of(line, cls, 0, header);
    const Time busy = link_flits(header, params_.flit_bytes) * clock();
    ends_[end].pace = std::max(ends_[end].pace, arrival) + busy;
    return ends_[end].pace - event_queue().now();
}

// The block learns of the slot that is free behind `end`; the module at the other end after the latency.
Time ClockedLink::credit_time(unsigned end, const Line& line, Time delay)
{
    const Time due = event_queue().now() + delay;
    ends_[end].credits.push_back({due, channels_.slot_of[line.vc]});
    wake_at(due);
    return delay + spec().latency;
}

void ClockedLink::arrive(ScheduledItem& item, Time now)
{
    Line& line = Line::of(item);
    End& end = ends_[item.input];
    const auto cls = static_cast<LineClass>(line.kind);
    const unsigned channel = channels_.slot_of[line.vc];
    end.waiting[channel].push_back(end.flights->enter(line, cls, 0, 0, channel, now));
    ++end.waiting_lines;
    wake_at(now);
}

void ClockedLink::tick(Time now)
{
    if (now > next_edge())
        for (End& end : ends_) end.wire->skip((now - next_edge()) / clock());
    take_edge(now);
    for (unsigned e = 0; e < 2; ++e) drive(e, now);
    for (End& end : ends_) {
        if (end.endpoint->idle() && !end.in.tx_valid && !end.in.wire_valid && end.in.rx_credit == 0) {
            end.out.wire_valid = end.out.rx_valid = false;
            end.out.idle = true;
            continue;
        }
        end.endpoint->at(now);
        if (end.endpoint->waving() && end.in.tx_valid) end.endpoint->note(0, describe(end.in.tx_line));
        end.endpoint->cycle(end.in, end.out);
    }
    bool moved = false;
    bool idle = true;
    for (unsigned e = 0; e < 2; ++e) {
        End& end = ends_[e];
        const bool hit = end.wire->clock(end.out.wire_valid ? &end.out.wire : nullptr);
        if (end.out.wire_valid) end.sent.flit(end.out.wire, hit);
        if (line_taken(end.in, end.out)) {
            end.waiting[end.in.tx_vc].pop_front();
            --end.waiting_lines;
            end.turn = (end.in.tx_vc + 1U) % params_.vcs;
            moved = true;
        } else if (end.in.tx_valid) {
            end.turn = (end.in.tx_vc + 1U) % params_.vcs;  // another channel may have credits
        }
        if (end.endpoint->failed()) fail(now, e, end.endpoint->failure());
        if (end.out.rx_valid) {
            moved = true;
            if (!collect(e, now)) return;
        }
        moved = moved || end.in.rx_credit != 0;
        idle = idle && end.out.idle && end.waiting_lines == 0;
    }
    note_moved(moved);
    if (quiet()) return;
    if (idle)
        sleep(now);
    else
        wake_at(next_edge());
}

// Until a flit arrives, or a slot is free.
void ClockedLink::sleep(Time now)
{
    for (const End& end : ends_) {
        if (!end.wire->empty()) wake_at(now + (1 + end.wire->next()) * clock());
        if (!end.credits.empty()) wake_at(end.credits.front().due);
    }
}

void ClockedLink::drive(unsigned e, Time now)
{
    End& end = ends_[e];
    end.in.rx_credit = 0;
    while (!end.credits.empty() && end.credits.front().due <= now &&
        (end.in.rx_credit >> end.credits.front().slot & 1U) == 0) {
        end.in.rx_credit = static_cast<std::uint8_t>(end.in.rx_credit | 1U << end.credits.front().slot);
        end.credits.pop_front();
    }
    end.in.tx_valid = end.waiting_lines > 0;
    if (end.in.tx_valid) {
        unsigned channel = end.turn;
        while (end.waiting[channel].empty()) channel = channel + 1 == params_.vcs ? 0 : channel + 1;
        end.in.tx_vc = static_cast<std::uint8_t>(channel);
        end.in.tx_line = end.flights->at(end.waiting[channel].front()).bits;
    }
    const WireFlit* const flit = ends_[1 - e].wire->arriving();
    end.in.wire_valid = flit != nullptr;
    if (flit != nullptr) end.in.wire = *flit;
}

// A line has come out at end `e`.
bool ClockedLink::collect(unsigned e, Time now)
{
    End& end = ends_[e];
    End& from = ends_[1 - e];
    came_out_.add(e, now, end.out.rx_vc, end.out.rx_line);
    std::string problem;
    FlightTable::Flight* const flight = from.flights->leave(end.out.rx_line, 0, end.out.rx_vc, problem);
    if (flight == nullptr) {
        fail(now, e, problem);
        return false;
    }
    Line& line = *flight->line;
    const LineClass cls = flight->cls;
    data_of(end.out.rx_line, cls, line);
    from.flights->free(end.out.rx_line.tag());
    ++from.count.lines;
    if ((line.flags & LineHeader::poll_flag) != 0) {
        if (cls == LineClass::request) ++from.count.flag_reads;
        from.count.flag_bytes += link_flits(end.out.rx_line, params_.flit_bytes) * params_.flit_bytes;
    }
    from.count.payload_bytes += link_payload_bytes(end.out.rx_line);
    hand_over(e, line, cls);
    return true;
}

void ClockedLink::fail(Time now, unsigned end, const std::string& what)
{
    tell(now, fmt::format(", end {}: {}", end, what), {path() + ".0", path() + ".1"});
    tell_recent(came_out_, end, fmt::format("out of end {}", end));
}

std::vector<std::string> ClockedLink::blocked() const
{
    std::vector<std::string> out;
    for (unsigned e = 0; e < 2; ++e) {
        if (ends_[e].flights->inside() == 0) continue;
        std::string line =
            fmt::format("{}: {} transactions from end {} have not come out; {} of them wait in front of the link",
                path(), ends_[e].flights->inside(), e, ends_[e].waiting_lines);
        // Repetitions show whether a link does not get through or waits for slots.
        const LinkWireCounts::Counts& sent = ends_[e].sent.counts();
        if (sent.gone_back > 0)
            line += fmt::format("; end {} went back {} times, and {} packets had come before", e, sent.gone_back,
                sent.duplicates);
        out.push_back(std::move(line));
    }
    return out;
}

LinkModel::Direction ClockedLink::direction(unsigned end) const
{
    const LinkWireCounts::Counts& sent = ends_[end].sent.counts();
    Direction out = ends_[end].count;
    out.wire_bytes = sent.flits * params_.flit_bytes;
    out.busy = sent.flits * clock();
    out.packets = sent.packets;
    out.credit_messages = sent.credit_messages;
    out.errors = sent.hit;
    out.replays = sent.gone_back;
    out.repeated_bytes = sent.repeated_flits * params_.flit_bytes;
    out.duplicates = sent.duplicates;
    return out;
}

std::vector<Statistic> ClockedLink::statistics() const
{
    std::vector<Statistic> out = LinkModel::statistics();
    ends_[0].sent.describe("forward_", out);
    ends_[1].sent.describe("backward_", out);
    return out;
}

void ClockedLink::reset_statistics()
{
    for (End& end : ends_) {
        end.count = {};
        end.sent.reset();
    }
}

}  // namespace weft
