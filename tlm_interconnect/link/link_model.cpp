#include "tlm_interconnect/link/link_model.h"

#include "base/diagnostic.h"
#include "tlm_interconnect/link/link.h"
#include "tlm_interconnect/link/replay_link.h"

namespace weft {

std::vector<Statistic> LinkModel::statistics() const
{
    std::vector<Statistic> out;
    for (unsigned end = 0; end < 2; ++end) {
        const Direction way = direction(end);
        const std::string prefix = end == 0 ? "forward_" : "backward_";
        const auto add = [&](const char* name, std::uint64_t value, const char* unit, const char* text) {
            out.push_back({prefix + name, static_cast<double>(value), unit, text});
        };
        add("lines", way.lines, "lines", "lines carried");
        add("packets", way.packets, "packets", "packets sent, repetitions included");
        add("wire_bytes", way.wire_bytes, "B", "bytes on the wire");
        add("payload_bytes", way.payload_bytes, "B", "payload among them");
        add("flag_reads", way.flag_reads, "lines", "requests that look at a flag");
        add("flag_bytes", way.flag_bytes, "B", "bytes on the wire of these and of answers to them");
        add("credit_messages", way.credit_messages, "", "messages that return credits, among the bytes on the wire");
        add("errors", way.errors, "packets", "packets hit by a bit error");
        add("replays", way.replays, "", "times that the sender went back");
        add("repeated_bytes", way.repeated_bytes, "B", "bytes of packets sent again");
        add("duplicates", way.duplicates, "packets", "packets that the receiver had already, and dropped");
        add("busy", way.busy, "ps", "time the wire was busy");
    }
    return out;
}

void check_frames(const LinkSpec& spec)
{
    if ((spec.frame == 0) != (spec.frame_payload == 0) || spec.frame_payload > spec.frame)
        throw InputError("", 0,
            "frames of " + std::to_string(spec.frame) + " B with " + std::to_string(spec.frame_payload) +
                " B of packets",
            "link.frame_payload from 1 to link.frame, or neither");
}

std::unique_ptr<LinkModel> make_link(const char* module_name, EventQueue& event_queue, const std::string& path,
    const LinkSpec& spec, std::uint64_t seed)
{
    if (static_cast<RetryKind>(spec.retry) == RetryKind::none)
        return std::make_unique<Link>(module_name, event_queue, spec);
    return std::make_unique<ReplayLink>(module_name, event_queue, path, spec, seed);
}

}  // namespace weft
