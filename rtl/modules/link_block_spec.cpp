#include "rtl/modules/link_block_spec.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/line_size.h"
#include "base/units.h"
#include "rtl/link/link_packet.h"
#include "rtl/link/link_params.h"
#include "tlm_interconnect/link/buffer_space.h"

namespace weft {

namespace {

constexpr std::uint64_t own_clocks = 2;  // taken to first flit, last flit to line, less the one that overlaps

std::uint64_t longest_packet(const LinkSpec& spec)  // flits
{
    return (link_overhead_bytes + line_bytes + spec.flit - 1) / spec.flit;
}

// All digits: format_time_ps has six, and what is told here is what passes.
std::string all_digits(std::uint64_t ps)
{
    return ps < 1'000'000 ? fmt::format("{:.12g} ns", static_cast<double>(ps) / 1e3)
                          : fmt::format("{:.12g} us", static_cast<double>(ps) / 1e6);
}

std::optional<LinkProblem> channel_problem(const LinkSpec& spec)
{
    const BufferSpace space = buffer_space(spec);
    if (space.shared > 0)
        return LinkProblem{"a clocked link whose channels share credits", "link.pool_credits=0", {"pool_credits"}};
    unsigned channels = 0;
    for (const auto lines : space.lines) {
        if (lines == 0) continue;
        if (++channels > LinkParams::max_vcs)
            return LinkProblem{"a clocked link with more than 8 channels", "fewer link.vc_sets", {"vc_sets", "vcs"}};
        if (lines > link_credit_mask)
            return LinkProblem{fmt::format("a clocked link before a buffer for {} transactions", lines),
                fmt::format("link.request_credits and link.response_credits up to {}", link_credit_mask),
                {"request_credits", "response_credits"}};
    }
    return std::nullopt;
}

}  // namespace

std::uint64_t link_block_clock(const LinkSpec& spec)
{
    return std::max<std::uint64_t>(1, (spec.flit * 1'000'000'000'000 + spec.bandwidth / 2) / spec.bandwidth);
}

std::uint64_t link_block_wire(const LinkSpec& spec)
{
    const std::uint64_t clock = link_block_clock(spec);
    return std::max((spec.latency + clock / 2) / clock, own_clocks + 1) - own_clocks;
}

std::uint64_t link_block_latency(const LinkSpec& spec) { return link_block_wire(spec) + own_clocks; }

// From the clock in which a packet is chosen for the wire: its flits and the wire. In the clock of its last flit the far end may choose a packet
// with an even number, which has the acknowledge of before; one with an odd number tells credits; the next tells it, and counts with its last
// flit. One control packet may be among them: it asks for credits. Shorter packets, or none, tell it earlier.
std::uint64_t link_block_timeout(const LinkSpec& spec)
{
    return 4 * longest_packet(spec) + 1 + 2 * link_block_wire(spec);
}

std::optional<LinkProblem> link_block_problem(const LinkSpec& spec)
{
    if (spec.flit != 8 && spec.flit != 16 && spec.flit != 32)
        return LinkProblem{fmt::format("a clocked link with flits of {} B", spec.flit), "link.flit of 8, 16 or 32 B",
            {"flit"}};
    if (auto wrong = channel_problem(spec)) return wrong;
    constexpr unsigned most = 1U << (link_number_bits - 1);
    if (spec.replay_buffer > most)
        return LinkProblem{fmt::format("a clocked link with a replay buffer of {} packets", spec.replay_buffer),
            fmt::format("link.replay_buffer up to {}", most), {"replay_buffer"}};
    const std::uint64_t clock = link_block_clock(spec);
    const std::uint64_t least = link_block_timeout(spec);
    if (spec.replay_timeout / clock >= least) return std::nullopt;
    const std::uint64_t longest = LinkSpec::parameters().find("replay_timeout")->info.high;
    return LinkProblem{
        fmt::format(
            "a clocked link whose replay time-out of {} can end without an error: an acknowledge takes up to {} "
            "clocks of {}",
            format_time_ps(spec.replay_timeout), least, format_time_ps(clock)),
        least * clock <= longest
            ? "link.replay_timeout of at least " + all_digits(least * clock)
            : fmt::format("a shorter link.latency: link.replay_timeout is at most {}", format_time_ps(longest)),
        {"replay_timeout", "latency", "bandwidth", "flit", "model"}};
}

}  // namespace weft
