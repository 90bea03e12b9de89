#include "platform/configuration/parameter_place.h"

#include <string_view>

#include "collectives/engine/engine_spec.h"

namespace weft {

namespace {

// The first engine.* of the text that somebody has set; null: none.
const ValueSource* source_in(std::string_view text, const ResolvedSystem& system)
{
    constexpr std::string_view prefix = "engine.";
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const Block block = block_of<EngineSpec>();
    const Variant& values = system.values(block, system.system_variant(block));
    for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
        const std::string_view rest = text.substr(at + prefix.size());
        const auto parameter = info_of(block).find(std::string(rest.substr(0, rest.find_first_not_of(letters))));
        if (!parameter) continue;
        const ValueSource& source = system.source(values.sources[*parameter]);
        if (!source.file.empty()) return &source;
    }
    return nullptr;
}

}  // namespace

InputError at_its_parameter(const InputError& error, const ResolvedSystem& system)
{
    std::vector<Diagnostic> out = error.diagnostics();
    for (Diagnostic& wrong : out) {
        if (wrong.line > 0 || wrong.file.find_first_of("./") != std::string::npos) continue;
        const ValueSource* source = source_in(wrong.what + " " + wrong.expected, system);
        if (source == nullptr) continue;
        if (!wrong.file.empty()) wrong.what = wrong.file + ": " + wrong.what;
        wrong.file = source->file;
        wrong.line = source->line;
    }
    return InputError(std::move(out));
}

}  // namespace weft
