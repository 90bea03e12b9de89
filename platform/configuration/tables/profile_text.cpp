#include "platform/configuration/tables/profile_text.h"

#include <fmt/format.h>

#include "base/units.h"
#include "platform/configuration/tables/link_rate.h"
#include "platform/configuration/tables/link_table.h"
#include "platform/configuration/tables/node_table.h"
#include "platform/configuration/tables/profile.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

namespace {

std::string row(const std::string& name, const std::string& value, const Figure& figure)
{
    return fmt::format("| {} | {} | {} | {} |\n", name, value, figure.source_text(), figure.grade);
}

std::string figure_rows(Block block, const Figures& figures)
{
    std::string out;
    for (const auto& [parameter, figure] : figures)
        out += row(info_of(block).path_of(parameter), value_text(*info_of(block).parameters[parameter], figure.value),
            figure);
    return out;
}

std::string profile_section(const Profile& profile)
{
    std::string out = fmt::format("\n## {}\n\n{}.", profile.name, profile.description);
    if (!profile.match.empty()) {
        out += " Chosen for components that are described as ";
        for (std::size_t i = 0; i < profile.match.size(); ++i) out += (i == 0 ? "" : ", ") + profile.match[i];
        out += ".";
    }
    out += "\n\n| parameter | value | source | grade |\n|---|---|---|---|\n";
    const Profile::ScaleUp& fabric = profile.scale_up;
    if (fabric.links)
        out += row("links of the scale-up fabric", std::to_string(fabric.links->value) + " x " + fabric.link,
            *fabric.links);
    if (fabric.rate) out += row("rate of one link", format_rate(fabric.rate->value), *fabric.rate);
    for (const Block block : BlockTable::built_in()->all()) out += figure_rows(block, profile.of(block));
    return out;
}

}  // namespace

std::string profiles_markdown()
{
    std::string out =
        "# Device profiles, link table, node table\n\n"
        "Every figure that Weft assumes where an InfraGraph document is silent, with its source and its "
        "grade:\n"
        "*vendor specification* and *measured* figures are published; *derived* ones follow from those by\n"
        "arithmetic; *calibrated* ones are parts chosen so that their sum is a published measurement; "
        "*inferred*\n"
        "ones are engineering judgement, and the first to question. All of them can be overridden (see\n"
        "[systems](../systems.md)). What a profile does not list keeps its default (`weft models`).\n\n"
        "On-die paths add up to published latency plateaus: a local L2 hit is `gpu.unit_to_l2 + l2.latency +\n"
        "gpu.l2_to_unit`; a far hit adds `2 x l2.far_latency + l2.latency`; a miss adds a read of an idle DRAM and "
        "its\n"
        "mean wait for a refresh ([HBM](hbm.md#timing-without-load)), and `2 x memory_side.hop + memory_side.latency`\n"
        "where there is a memory-side cache. A load from a peer takes `gpu.unit_to_port`, the links and switches on "
        "the\n"
        "way, `gpu.port_to_l2 + l2.latency + gpu.l2_to_port`, the way back, and `gpu.port_to_unit`. The time that\n"
        "packets take to be sent comes on top. `hbm.bandwidth` is the peak of the pins; what is sustained follows "
        "from\n"
        "the timing of the DRAM.\n\n"
        "This page is generated from `platform/profiles/*.yaml`: `WEFT_UPDATE_DOCS=1 "
        "build/.../tests/config_test`.\n";
    const ProfileStore store;
    for (const std::string& name : store.names())
        for (const Profile& profile : store.profiles())
            if (profile.name == name) out += profile_section(profile);
    out += "\n## Links\n\nBandwidth is per direction, headers included. These are the names that `protocol` takes; the "
           "words of a "
           "link's\ndescription that call for each are in `platform/profiles/links.yaml`.\n\n| link | value | source | "
           "grade "
           "|\n|---|---|---|---|\n";
    for (const LinkKind& kind : LinkTable::built_in().kinds()) {
        Figures figures = kind.figures;
        if (const auto bandwidth = bandwidth_of(kind, "", std::nullopt))
            figures[*info_of(block_of<LinkSpec>()).find("bandwidth")] = *bandwidth;
        for (const auto& [parameter, figure] : figures) {
            const ParameterInfo& info = *info_of(block_of<LinkSpec>()).parameters[parameter];
            out += row(kind.name + " " + info.name, value_text(info, figure.value), figure);
        }
    }
    out += "\n## Forwarding nodes\n\nThese are the names that `kind` takes.\n\n| node | value | source | grade "
           "|\n|---|---|---|---|\n";
    for (const NodeRow& node : NodeTable::built_in().rows())
        for (const auto& [parameter, figure] : node.figures)
            out += row(node.name, value_text(*info_of(block_of<SwitchSpec>()).parameters[parameter], figure.value),
                figure);
    return out;
}

}  // namespace weft
