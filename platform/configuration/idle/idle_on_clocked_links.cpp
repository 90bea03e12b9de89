#include <set>

#include "platform/configuration/idle/idle_values.h"
#include "platform/configuration/idle/set_parameters.h"

namespace weft {

namespace {

// Parameters that clocked links read (rtl/modules/clocked_link.h). The others describe packets, and theirs have a fixed format.
bool clocked_links_read(const std::string& parameter)
{
    static const std::set<std::string> read{"model", "flit", "bandwidth", "latency", "request_credits",
        "response_credits", "pool_credits", "vcs", "vc_sets", "replay_buffer", "replay_timeout", "bit_error_rate"};
    return read.count(parameter) != 0;
}

bool is_clocked(const LinkSpec& link) { return link.model >= 1 && link.model <= 3; }

}  // namespace

void note_idle_on_clocked_links(const ResolvedSystem& system, std::vector<std::string>& out)
{
    const Block block = block_of<LinkSpec>();
    const BlockInfo& info = info_of(block);
    SetParameters found(system, block);
    for (const VariantId id : system.variants(block)) {
        if (id == no_variant) continue;
        const Variant& variant = system.values(block, id);
        const bool clocked = is_clocked(spec_from<LinkSpec>(variant.values));
        found.add(variant,
            [&](std::size_t parameter) { return !clocked || clocked_links_read(info.parameters[parameter]->name); });
    }
    for (const std::size_t parameter : found.without_effect())
        out.push_back(info.path_of(parameter) +
            " is set and changes nothing: the clocked links that it is set for have packets of a format of their own");
}

}  // namespace weft
