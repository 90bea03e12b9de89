#include "rtl/modules/clocked_link.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "rtl/link/link_packet.h"
#include "rtl/modules/line_pins.h"
#include "tlm_interconnect/kernel/random_stream.h"
#include "tlm_interconnect/link/buffer_space.h"

namespace weft {

namespace {

constexpr unsigned own_clocks = 2;  // taken to first flit, last flit to line, less the one that overlaps

LinkParams params_of(const LinkSpec& spec, Time clock, BlockChannels& channels)
{
    const BufferSpace space = buffer_space(spec);
    if (space.shared > 0) throw InputError("", 0, "a clocked link whose channels share credits", "link.pool_credits=0");
    if (spec.flit != 8 && spec.flit != 16 && spec.flit != 32)
        throw InputError("", 0, fmt::format("a clocked link with flits of {} B", spec.flit),
            "link.flit of 8, 16 or 32 B");
    LinkParams out;
    out.flit_bytes = static_cast<unsigned>(spec.flit);
    for (std::uint8_t vc = 0; vc < max_vcs; ++vc) {
        if (space.lines[vc] == 0) continue;
        if (channels.vcs.size() == LinkParams::max_vcs)
            throw InputError("", 0, "a clocked link with more than 8 channels", "fewer link.vc_sets");
        if (space.lines[vc] > link_credit_mask)
            throw InputError("", 0, fmt::format("a clocked link before a buffer for {} transactions", space.lines[vc]),
                fmt::format("link.request_credits and link.response_credits up to {}", link_credit_mask));
        channels.slot_of[vc] = static_cast<std::uint8_t>(channels.vcs.size());
        out.credits[channels.vcs.size()] = static_cast<std::uint16_t>(space.lines[vc]);
        channels.vcs.push_back(vc);
    }
    out.vcs = static_cast<unsigned>(channels.vcs.size());
    out.seq_bits = link_number_bits;
    constexpr unsigned most = 1U << (link_number_bits - 1);
    if (spec.replay_buffer > most)
        throw InputError("", 0, fmt::format("a clocked link with a replay buffer of {} packets", spec.replay_buffer),
            fmt::format("link.replay_buffer up to {}", most));
    out.replay = static_cast<unsigned>(spec.replay_buffer);
    out.timeout = static_cast<unsigned>(std::max<Time>(1, spec.replay_timeout / clock));
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
    const Time latency = (spec.latency + clock() / 2) / clock();
    const auto wire_clocks = static_cast<unsigned>(latency > own_clocks ? latency - own_clocks : 1);
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

Time ClockedLink::clock_of(const LinkSpec& spec)
{
    return std::max<Time>(1, (spec.flit * 1'000'000'000'000 + spec.bandwidth / 2) / spec.bandwidth);
}

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
    for (unsigned e = 0; e < 2; ++e)
        if (ends_[e].flights->inside() > 0)
            out.push_back(
                fmt::format("{}: {} transactions from end {} have not come out; {} of them wait in front of the link",
                    path(), ends_[e].flights->inside(), e, ends_[e].waiting_lines));
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
