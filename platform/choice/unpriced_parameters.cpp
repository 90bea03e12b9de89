#include "platform/choice/unpriced_parameters.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tlm_interconnect/link/packetiser.h"

namespace weft {

namespace {

class Unpriced {
public:
    Unpriced(const ResolvedSystem& system, bool times) : system_(system), times_(times)
    {
        for (const Block block : system.blocks().all()) {
            const BlockInfo& info = system.blocks()[block];
            if (info.title.owner == BlockOwner::link) {
                for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge)
                    if (info.title.name == "link" && system.has_bandwidth(edge))
                        look_at(block, system.link_variant(edge, block), &system.link(edge));
            } else if (info.title.name == "network" && times) {
                for (NodeId node = 0; node < system.graph().node_count(); ++node)
                    look_at(block, system.variant(node, block), nullptr);
            }
        }
    }

    const std::map<std::string, std::set<std::string>>& told() const { return told_; }

private:
    void look_at(Block block, VariantId id, const LinkSpec* link)
    {
        if (id == no_variant || !seen_.emplace(block, id).second) return;
        const BlockInfo& info = system_.blocks()[block];
        const Variant& variant = system_.values(block, id);
        for (std::size_t i = 0; i < info.parameters.size(); ++i) {
            const std::string path = info.path_of(i);
            if (system_.source(variant.sources[i]).file.empty()) continue;
            if (link != nullptr ? costs(path, *link) : costs(path, variant.values[i]))
                told_[path].insert(value_text(*info.parameters[i], variant.values[i]));
        }
    }

    bool costs(const std::string& path, const LinkSpec& link) const
    {
        const bool retries = link.retry != RetryKind::none;
        if (path == "link.ack_bytes") return retries && link.ack_bytes > 0;
        if (path == "link.bit_error_rate") return link.bit_error_rate > 0;
        if (path == "link.replay_buffer" || path == "link.replay_timeout") return retries && times_;
        if (path == "link.address_extension" || path == "link.extension_region")
            return link.address_extension > 0 && !extends_each_packet(link);
        return false;
    }

    // Rates within an accelerator; 0: no limit.
    static bool costs(const std::string& path, std::uint64_t value)
    {
        static const std::set<std::string> rates{"network.port_rate", "network.unit_rate", "network.slice_rate",
            "network.unit_store_rate", "network.link_rate", "network.hop_latency"};
        return value > 0 && rates.count(path) > 0;
    }

    const ResolvedSystem& system_;
    bool times_;
    std::set<std::pair<Block, VariantId>> seen_;
    std::map<std::string, std::set<std::string>> told_;  // by path: values
};

}  // namespace

std::string unpriced_notice(const ResolvedSystem& system, const std::string& figures, bool times)
{
    const Unpriced found(system, times);
    if (found.told().empty()) return {};
    std::vector<std::string> list;
    for (const auto& [path, values] : found.told())
        list.push_back(fmt::format("{} = {}", path, fmt::join(values, " or ")));
    return fmt::format("{} not follow {}", figures, fmt::join(list, ", "));
}

}  // namespace weft
