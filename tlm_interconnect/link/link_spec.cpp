#include "tlm_interconnect/link/link_spec.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "base/units.h"

namespace weft {

const ParameterTable<LinkSpec>& LinkSpec::parameters()
{
    static const ParameterTable<LinkSpec> table({"link", BlockOwner::link, "edges"},
        {
            {{"bandwidth", Unit::rate, 1'000'000, 100'000'000'000'000, "raw rate of one direction, headers included",
                 {}},
                &LinkSpec::bandwidth},
            {{"latency", Unit::time, 1, 1'000'000'000'000, "last bit sent to packet at the receiver, one way", {}},
                &LinkSpec::latency},
            {{"flit", Unit::bytes, 1, 256, "payloads are padded to whole flits", {}}, &LinkSpec::flit},
            {{"header", Unit::bytes, 0, 256, "added to every request and response", {}}, &LinkSpec::header},
            {{"response_saving", Unit::bytes, 0, 256,
                 "bytes by which the header of a response is shorter than that of a request", {}},
                &LinkSpec::response_saving},
            {{"byte_enable", Unit::bytes, 0, 256, "added to requests that write part of a cache line", {}},
                &LinkSpec::byte_enable},
            {{"request_credits", Unit::count, 1, 65535, "requests that the receiver can hold, in each request channel",
                 {}},
                &LinkSpec::request_credits},
            {{"response_credits", Unit::count, 1, 65535, "responses that the receiver can hold", {}},
                &LinkSpec::response_credits},
            {{"pool_credits", Unit::count, 0, 65535, "further packets that the receiver can hold, of any channel", {}},
                &LinkSpec::pool_credits},
            {{"vcs", Unit::choice, 0, 1,
                 "virtual channels of requests: one for all, or one each for reads, writes and atomics",
                 {"shared", "split"}},
                &LinkSpec::vcs},
            {{"vc_sets", Unit::count, 1, 4, "VC sets: copies of all virtual channels, for routes that need them", {}},
                &LinkSpec::vc_sets},
            {{"address_extension", Unit::bytes, 0, 256, "added to requests whose address region is not remembered", {}},
                &LinkSpec::address_extension},
            {{"extension_region", Unit::bytes, 64, std::uint64_t{1} << 48, "size of an address region", {}},
                &LinkSpec::extension_region},
            {{"extension_ways", Unit::count, 1, 8, "address regions that are remembered, per direction", {}},
                &LinkSpec::extension_ways},
            {{"atomic_extra", Unit::bytes, 0, 256, "added to atomic requests", {}}, &LinkSpec::atomic_extra},
            {{"merge", Unit::choice, 0, 2, "which transactions share a packet", {"none", "adjacent", "destination"}},
                &LinkSpec::merge},
            {{"max_payload", Unit::bytes, 64, 65536, "largest payload of a packet where transactions share packets",
                 {}},
                &LinkSpec::max_payload},
            {{"group_payload", Unit::bytes, 64, 65536,
                 "largest payload of a packet of operations that switches carry out for groups, with merge=adjacent",
                 {}},
                &LinkSpec::group_payload},
            {{"packet_overhead", Unit::bytes, 0, 256, "added to every packet", {}}, &LinkSpec::packet_overhead},
            {{"message_header", Unit::bytes, 0, 256, "added to the first packet of a network card's message", {}},
                &LinkSpec::message_header},
            {{"message_answer", Unit::bytes, 0, 256, "added to the first response packet of a network card's message",
                 {}},
                &LinkSpec::message_answer},
            {{"frame", Unit::bytes, 0, 65536, "size of a data-link frame; 0: no frames", {}}, &LinkSpec::frame},
            {{"frame_payload", Unit::bytes, 0, 65536, "bytes of a frame that carry packets", {}},
                &LinkSpec::frame_payload},
            {{"credit_bytes", Unit::bytes, 0, 256,
                 "bytes of a message that returns credits; 0: credits travel in headers", {}},
                &LinkSpec::credit_bytes},
            {{"credit_batch", Unit::count, 1, 1024, "number of credits that one message returns", {}},
                &LinkSpec::credit_batch},
            {{"bundle", Unit::count, 1, 64, "physical links that share the traffic and the bandwidth", {}},
                &LinkSpec::bundle},
            {{"bundle_selection", Unit::choice, 0, 1,
                 "how a packet selects a link of the bundle: by its address or in turn", {"lines", "round_robin"}},
                &LinkSpec::bundle_selection},
            {{"retry", Unit::choice, 0, 2, "retry protocol: how a packet with a bit error is sent again",
                 {"none", "timeout", "go_back_n"}},
                &LinkSpec::retry},
            {{"bit_error_rate", Unit::ratio, 0, 1'000'000'000'000'000, "errors per bit on the wire; needs a retry", {}},
                &LinkSpec::bit_error_rate},
            {{"replay_buffer", Unit::count, 1, 65535, "retry: packets sent and not yet acknowledged", {}},
                &LinkSpec::replay_buffer},
            {{"replay_timeout", Unit::time, 1, 1'000'000'000,
                 "retry: time from the first bit sent until the packet is sent again without an acknowledge", {}},
                &LinkSpec::replay_timeout},
            {{"ack_bytes", Unit::bytes, 0, 256,
                 "retry: bytes of an acknowledge or replay request; 0: they travel in headers", {}},
                &LinkSpec::ack_bytes},
            {{"ack_every", Unit::count, 1, 64,
                 "retry: packets that one acknowledge covers while the reverse wire is busy", {}},
                &LinkSpec::ack_every},
            {{"model", Unit::choice, 0, 3,
                 "what stands for the link: ours, clocked endpoints as reference models or as RTL, both in lockstep, "
                 "a block of 'weft rtl add' or a model of a plug-in",
                 {"link", "reference_link", "rtl_link", "link_lockstep"}, "", "", "link"},
                &LinkSpec::model},
        });
    return table;
}

// The line on the wire; a line of the other direction that has just begun when it arrives, and a message of credits; the acknowledge. Frames
// end with their last byte. What is not acknowledged at once waits for packets behind it.
std::uint64_t longest_acknowledge(const LinkSpec& spec)
{
    const auto time = [&](std::uint64_t bytes) {
        return static_cast<std::uint64_t>(
            std::ceil(static_cast<double>(bytes) * 1e12 / static_cast<double>(spec.bandwidth)));
    };
    const auto framed = [&](std::uint64_t bytes) {
        return spec.frame_payload == 0 ? bytes : (bytes * spec.frame + spec.frame_payload - 1) / spec.frame_payload;
    };
    const auto padded = [&](std::uint64_t bytes) { return (bytes + spec.flit - 1) / spec.flit * spec.flit; };
    const std::uint64_t header = spec.merge == MergeKind::destination
        ? std::max({spec.header, spec.message_header, spec.message_answer})
        : spec.header;
    const std::uint64_t line = framed(spec.packet_overhead + header + spec.address_extension +
        std::max(padded(line_bytes) + spec.atomic_extra, padded(line_bytes / 2) + spec.byte_enable));
    const bool joins = spec.merge != MergeKind::none;
    const std::uint64_t packet = line + (joins ? framed(spec.max_payload) : 0);
    const bool at_once = spec.ack_every == 1 && (spec.ack_bytes == 0 || !joins);
    const std::uint64_t behind = at_once ? 0 : spec.ack_every - (joins ? 0 : 1);
    return 2 * spec.latency + 2 * time(line) + time(framed(spec.ack_bytes)) + time(framed(spec.credit_bytes)) +
        2 * time(spec.frame) + behind * time(packet);
}

std::optional<LinkProblem> link_problem(const LinkSpec& spec)
{
    if ((spec.frame == 0) != (spec.frame_payload == 0) || spec.frame_payload > spec.frame)
        return LinkProblem{"frames of " + std::to_string(spec.frame) + " B with " + std::to_string(spec.frame_payload) +
                " B of packets",
            "link.frame_payload from 1 to link.frame, or both 0", {"frame", "frame_payload"}};
    if (spec.retry != RetryKind::none && spec.bundle > 1)
        return LinkProblem{"a bundle on a link with retry", "either a bundle or a retry protocol", {"bundle", "retry"}};
    if (spec.retry == RetryKind::none && spec.bit_error_rate > 0)
        return LinkProblem{"bit errors on a link without retry", "link.retry=timeout or go_back_n",
            {"retry", "bit_error_rate"}};
    if (spec.retry != RetryKind::none && spec.replay_timeout <= longest_acknowledge(spec))
        return LinkProblem{"a replay time-out of " + format_time_ps(spec.replay_timeout) +
                " that can end without an error: an acknowledge takes up to " +
                format_time_ps(longest_acknowledge(spec)) + " at this bandwidth and latency",
            "link.replay_timeout above that",
            {"retry", "replay_timeout", "bandwidth", "latency", "flit", "merge", "header", "message_header",
                "message_answer", "packet_overhead", "address_extension", "atomic_extra", "byte_enable", "max_payload",
                "frame", "frame_payload", "credit_bytes", "ack_bytes", "ack_every"}};
    // A millionth of the packets, or of the frames, gets through.
    constexpr double most_errors = 13.8;
    const double covered =
        static_cast<double>(spec.frame > 0 ? spec.frame : spec.header + spec.packet_overhead + line_bytes);
    if (8 * covered * static_cast<double>(spec.bit_error_rate) * 1e-18 > most_errors)
        return LinkProblem{"so many bit errors that hardly a packet or frame arrives", "a lower link.bit_error_rate",
            {"bit_error_rate", "frame", "header", "packet_overhead"}};
    if (spec.retry != RetryKind::none && spec.ack_every > spec.replay_buffer)
        return LinkProblem{"one acknowledge for " + std::to_string(spec.ack_every) +
                " packets and a replay buffer of " + std::to_string(spec.replay_buffer),
            "link.ack_every of at most link.replay_buffer", {"retry", "ack_every", "replay_buffer"}};
    if (spec.response_saving > spec.header)
        return LinkProblem{"response headers " + std::to_string(spec.response_saving) + " B shorter than headers of " +
                std::to_string(spec.header) + " B",
            "link.response_saving of at most link.header", {"response_saving", "header"}};
    return std::nullopt;
}

void check_link(const LinkSpec& spec)
{
    if (const auto wrong = link_problem(spec)) throw InputError("", 0, wrong->what, wrong->expected);
}

std::uint64_t adjacent_block(const LinkSpec& spec, bool of_group)
{
    const std::uint64_t payload = of_group ? std::min(spec.group_payload, spec.max_payload) : spec.max_payload;
    return std::max<std::uint64_t>(1, payload / line_bytes) * line_bytes;
}

}  // namespace weft
