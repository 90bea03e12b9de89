#include "platform/configuration/parameter_place.h"

#include <optional>
#include <string_view>

namespace weft {

namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_";

// Where a parameter has been set, at `node` where that is known; null: nowhere.
const ValueSource* place_of(const ResolvedSystem& system, Block block, std::size_t parameter,
    const std::optional<NodeId>& node)
{
    const auto set_in = [&](VariantId id) -> const ValueSource* {
        if (id == no_variant) return nullptr;
        const ValueSource& source = system.source(system.values(block, id).sources[parameter]);
        return source.file.empty() ? nullptr : &source;
    };
    const BlockInfo& info = system.blocks()[block];
    if (info.title.owner == BlockOwner::system) return set_in(system.system_variant(block));
    if (on_nodes(info)) {
        if (node) return set_in(system.variant(*node, block));
        for (NodeId each = 0; each < system.graph().node_count(); ++each)
            if (const ValueSource* found = set_in(system.variant(each, block)); found != nullptr) return found;
        return nullptr;
    }
    for (EdgeId each = 0; each < system.graph().edge_count(); ++each)
        if (const ValueSource* found = set_in(system.link_variant(each, block)); found != nullptr) return found;
    return nullptr;
}

// The place of the first parameter of the text that somebody has set; null: there is none.
const ValueSource* source_in(std::string_view text, const ResolvedSystem& system, const std::optional<NodeId>& node)
{
    for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
        const std::string_view before = text.substr(0, dot);
        const std::string_view behind = text.substr(dot + 1);
        const std::string_view name = before.substr(before.find_last_not_of(letters) + 1);
        const auto block = system.blocks().find(name);
        if (!block) continue;
        const auto parameter =
            system.blocks()[*block].find(std::string(behind.substr(0, behind.find_first_not_of(letters))));
        if (!parameter) continue;
        if (const ValueSource* found = place_of(system, *block, *parameter, node); found != nullptr) return found;
    }
    return nullptr;
}

}  // namespace

InputError at_its_parameter(const InputError& error, const ResolvedSystem& system)
{
    std::vector<Diagnostic> out = error.diagnostics();
    for (Diagnostic& wrong : out) {
        if (wrong.line > 0 || wrong.file.find_first_of("./") != std::string::npos) continue;
        const std::optional<NodeId> node = system.graph().find(wrong.what.substr(0, wrong.what.find(':')));
        const ValueSource* source = source_in(wrong.what + " " + wrong.expected, system, node);
        if (source == nullptr) continue;
        if (!wrong.file.empty() && wrong.file != source->file) wrong.what = wrong.file + ": " + wrong.what;
        wrong.file = source->file;
        wrong.line = source->line;
    }
    return InputError(std::move(out));
}

}  // namespace weft
