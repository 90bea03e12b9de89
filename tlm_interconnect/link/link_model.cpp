#include "tlm_interconnect/link/link_model.h"

#include "tlm_interconnect/link/link.h"
#include "tlm_interconnect/link/replay_link.h"
#include "tlm_interconnect/link/link_statistics.h"

namespace weft {

std::vector<Statistic> LinkModel::statistics() const
{
    std::vector<Statistic> out;
    for (unsigned end = 0; end < 2; ++end) {
        const Direction counts = direction(end);
        StatisticWriter write(link_statistics(), out, end == 0 ? "forward_" : "backward_");
        write("lines", counts.lines);
        write("packets", counts.packets);
        write("wire_bytes", counts.wire_bytes);
        write("payload_bytes", counts.payload_bytes);
        write("flag_reads", counts.flag_reads);
        write("flag_bytes", counts.flag_bytes);
        write("credit_messages", counts.credit_messages);
        write("errors", counts.errors);
        write("replays", counts.replays);
        write("repeated_bytes", counts.repeated_bytes);
        write("duplicates", counts.duplicates);
        write("busy", counts.busy);
    }
    return out;
}

std::unique_ptr<LinkModel> make_link(const char* module_name, EventQueue& event_queue, const std::string& path,
    const LinkSpec& spec, std::uint64_t seed)
{
    if (spec.retry == RetryKind::none) return std::make_unique<Link>(module_name, event_queue, spec);
    return std::make_unique<ReplayLink>(module_name, event_queue, path, spec, seed);
}

}  // namespace weft
