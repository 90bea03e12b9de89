#include "platform/configuration/parameter_place.h"

#include <optional>
#include <string_view>
#include <vector>

#include "platform/configuration/last_word.h"

namespace weft {

namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_";

// The node or the link that a message is about, if it is known.
struct Subject {
    std::optional<NodeId> node;
    std::optional<EdgeId> edge;
};

// The source of a parameter that has a place; nullopt: nobody has stated it.
std::optional<SourceId> stated(const ResolvedSystem& system, Block block, std::size_t parameter, const Subject& of)
{
    const auto stated_in = [&](VariantId id) -> std::optional<SourceId> {
        if (id == no_variant) return std::nullopt;
        const SourceId source = system.values(block, id).sources[parameter];
        return last_word(system, {source}) ? std::optional(source) : std::nullopt;
    };
    if (of.node && on_nodes(system.blocks()[block])) return stated_in(system.variant(*of.node, block));
    if (of.edge && system.blocks()[block].title.owner == BlockOwner::link)
        return stated_in(system.link_variant(*of.edge, block));
    for (const VariantId each : system.variants(block))
        if (const auto found = stated_in(each)) return found;
    return std::nullopt;
}

// The user's last word among the parameters that the text names; nullopt: nobody has stated any.
std::optional<ValuePlace> place_in(std::string_view text, const ResolvedSystem& system, const Subject& of)
{
    std::vector<SourceId> sources;
    for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
        const std::string_view before = text.substr(0, dot);
        const std::string_view behind = text.substr(dot + 1);
        const std::string_view name = before.substr(before.find_last_not_of(letters) + 1);
        const auto block = system.blocks().find(name);
        if (!block) continue;
        const auto parameter =
            system.blocks()[*block].find(std::string(behind.substr(0, behind.find_first_not_of(letters))));
        if (!parameter) continue;
        if (const auto found = stated(system, *block, *parameter, of)) sources.push_back(*found);
    }
    return last_word(system, sources);
}

}  // namespace

InputError at_its_parameter(const InputError& error, const ResolvedSystem& system, std::optional<EdgeId> edge)
{
    std::vector<Diagnostic> out = error.diagnostics();
    for (Diagnostic& wrong : out) {
        if (wrong.line > 0 || wrong.file.find_first_of("./") != std::string::npos) continue;
        const Subject subject{system.graph().find(wrong.what.substr(0, wrong.what.find(':'))), edge};
        // The second half of a message may name other parameters, whose change would help: they count only if the first names none.
        auto place = place_in(wrong.what, system, subject);
        if (!place) place = place_in(wrong.expected, system, subject);
        if (!place) continue;
        if (!wrong.file.empty() && wrong.file != place->file) wrong.what = wrong.file + ": " + wrong.what;
        wrong.file = place->file;
        wrong.line = place->line;
    }
    return InputError(std::move(out));
}

}  // namespace weft
