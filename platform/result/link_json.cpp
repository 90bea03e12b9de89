#include "platform/result/link_json.h"

#include <algorithm>

namespace weft {

nlohmann::ordered_json links_json(const std::vector<LinkResult>& links, Time end)
{
    using Json = nlohmann::ordered_json;
    Json out = Json::array();
    const double time = static_cast<double>(std::max<Time>(1, end));
    for (const LinkResult& link : links) {
        Json entry{{"name", link.name}, {"from", link.from}, {"to", link.to}, {"GBps", link.GBps},
            {"lines", link.lines}, {"wire_bytes", link.wire_bytes}, {"payload_bytes", link.payload_bytes},
            {"packets", nullptr}, {"credit_messages", nullptr}, {"flag_reads", link.flag_reads},
            {"flag_bytes", link.flag_bytes}, {"busy_ps", link.busy_ps}, {"peak_queue", nullptr}};
        if (link.packets) entry["packets"] = *link.packets;
        if (link.credit_messages) entry["credit_messages"] = *link.credit_messages;
        if (link.peak_queue) entry["peak_queue"] = *link.peak_queue;
        if (link.theory_payload) entry["theory_payload_bytes"] = *link.theory_payload;
        entry["credit_stall_ps"] = nullptr;
        if (link.credit_stall_ps) entry["credit_stall_ps"] = *link.credit_stall_ps;
        if (link.retry) {
            entry["errors"] = link.retry->errors;
            entry["replays"] = link.retry->replays;
            entry["repeated_bytes"] = link.retry->repeated_bytes;
            entry["duplicates"] = link.retry->duplicates;
        }
        Json channels = Json::array();
        for (const LinkResult::Channel& channel : link.channels) {
            const PortWatch::Channel& count = channel.count;
            channels.push_back({{"name", channel.name}, {"lines", count.lines},
                {"queue_mean", static_cast<double>(count.queue_area) / time}, {"queue_peak", count.queue_peak},
                {"credits_mean", static_cast<double>(count.credit_area) / time}, {"credits_peak", count.credit_peak},
                {"credit_stall_ps", count.credit_stall}, {"arbitration_wait_ps", count.arbitration_wait},
                {"arbitration_longest_ps", count.arbitration_longest}});
        }
        if (!channels.empty()) entry["channels"] = std::move(channels);
        out.push_back(std::move(entry));
    }
    return out;
}

}  // namespace weft
