#include "platform/configuration/parameters/old_names.h"

#include "base/diagnostic.h"
#include "infragraph/findings.h"
#include "platform/configuration/parameters/glob.h"

namespace weft {

const std::vector<OldName>& all_old_names()
{
    using Kind = OldName::Kind;
    static const std::vector<OldName> all{
        {Kind::parameter, "link", "vc_lanes", "vc_sets"},
        {Kind::parameter, "link", "bundle_spread", "bundle_selection"},
        {Kind::parameter, "routing", "spread", "path_selection"},
        {Kind::value, "l2.model", "slice_twin", "reference_slice"},
        {Kind::value, "link.model", "link_twin", "reference_link"},
        {Kind::model, "switch", "switch_twin", "reference_switch"},
    };
    return all;
}

std::string OldNames::current(OldName::Kind kind, std::string_view owner, std::string_view name,
    const std::string& file, int line)
{
    for (const OldName& each : all_old_names()) {
        if (each.kind != kind || each.owner != owner || each.old != name) continue;
        const std::string before = kind == OldName::Kind::parameter ? each.owner + "." : "";
        if (told_.insert(before + each.old).second)
            notices_.push_back(Diagnostic{file, line,
                in_quotes(before + each.old) + " is an old name: write " + in_quotes(before + each.now) +
                    ", the next release reads no other",
                ""}
                                   .text());
        return each.now;
    }
    return std::string(name);
}

std::string OldNames::path(std::string_view path, const BlockTable& blocks, const std::string& file, int line)
{
    const std::size_t last = path.rfind('.');
    if (last == std::string_view::npos || last == 0) return std::string(path);
    const std::string_view name = path.substr(last + 1);
    const std::size_t before = path.rfind('.', last - 1);
    std::string_view owner =
        before == std::string_view::npos ? path.substr(0, last) : path.substr(before + 1, last - before - 1);
    constexpr std::string_view by_link = "links.";
    if (path.substr(0, by_link.size()) == by_link) owner = "link";
    if (has_glob(owner)) {
        // A block of a plug-in may have a parameter of that name: then it is that.
        for (const Block block : blocks.all())
            if (blocks[block].find(name)) return std::string(path);
        for (const OldName& each : all_old_names())
            if (each.kind == OldName::Kind::parameter && each.old == name && glob_matches(owner, each.owner)) {
                owner = each.owner;
                break;
            }
    }
    return std::string(path.substr(0, last + 1)) + parameter(owner, name, file, line);
}

std::string OldNames::parameter(std::string_view block, std::string_view name, const std::string& file, int line)
{
    return current(OldName::Kind::parameter, block, name, file, line);
}

std::string OldNames::value(std::string_view parameter, std::string_view text, const std::string& file, int line)
{
    return current(OldName::Kind::value, parameter, text, file, line);
}

std::string OldNames::model(std::string_view kind, std::string_view name, const std::string& file, int line)
{
    return current(OldName::Kind::model, kind, name, file, line);
}

}  // namespace weft
