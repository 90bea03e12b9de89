#include "platform/assembly/link_results.h"

#include "platform/assembly/clocked_times.h"

namespace weft {

std::vector<LinkResult> link_results(const FabricModules& fabric, const Graph& graph, Time now)
{
    std::vector<LinkResult> out;
    for (const FabricModules::LinkPlace& place : fabric.links()) {
        const Edge& edge = graph.edge(place.edge);
        const std::string names[2] = {graph.node(edge.a).name, graph.node(edge.b).name};
        for (unsigned end = 0; end < 2; ++end) {
            if (!place.ends[end].peak) {  // another process counts what leaves there
                out.emplace_back();
                continue;
            }
            const LinkModel::Direction direction = place.link->direction(end);
            LinkResult result;
            result.name = edge_name(graph, place.edge);
            result.from = names[end];
            result.to = names[1 - end];
            result.GBps = static_cast<double>(place.link->spec().bandwidth) / 1e9;
            result.lines = direction.lines;
            result.wire_bytes = direction.wire_bytes;
            result.payload_bytes = direction.payload_bytes;
            // A link of somebody else may count lines only.
            if (direction.packets > 0 || direction.lines == 0) {
                result.packets = direction.packets;
                result.credit_messages = direction.credit_messages;
            }
            result.flag_reads = direction.flag_reads;
            result.flag_bytes = direction.flag_bytes;
            result.busy_ps = place.link->busy_until(end, now);
            // Clocked links have a retry protocol of their own, always.
            if (place.link->spec().retry != RetryKind::none || place.link->spec().bit_error_rate > 0 ||
                is_clocked_link(fabric.model_of(place)))
                result.retry = LinkResult::Retry{direction.errors, direction.replays, direction.repeated_bytes,
                    direction.duplicates};
            result.peak_queue = place.ends[end].peak();
            if (const Time stall = place.ends[end].credit_stall(); stall != SwitchModel::not_known)
                result.credit_stall_ps = stall;
            if (const PortWatch* watch = place.watch[end].get())
                for (unsigned slot = 0; slot < watch->vcs().size(); ++slot)
                    result.channels.push_back(
                        {vc_name(watch->vcs()[slot], static_cast<unsigned>(place.link->spec().vc_sets)),
                            watch->at(slot, now)});
            out.push_back(std::move(result));
        }
    }
    return out;
}

}  // namespace weft
