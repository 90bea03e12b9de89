#include "platform/commands/options/grain_option.h"

#include <cmath>
#include <cstdlib>

#include "base/units.h"
#include "platform/choice/wide_errors.h"
#include "platform/console/messages.h"

namespace weft {

namespace {

InputError wrong_value(const std::string& text)
{
    return usage_error("option '--grain' has the value " + quoted_word(text),
        "64B, 128B, 256B or 512B, or an error that is allowed, such as 3%");
}

}  // namespace

bool is_allowed_error(const std::string& text) { return !text.empty() && text.back() == '%'; }

std::optional<double> allowed_error(const std::string& text)
{
    if (!is_allowed_error(text)) return std::nullopt;
    char* end = nullptr;
    const std::string number = text.substr(0, text.size() - 1);
    const double allowed = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0' || !std::isfinite(allowed) || allowed < 0) throw wrong_value(text);
    return allowed;
}

std::string grain_value(const std::string& text)
{
    const std::optional<double> allowed = allowed_error(text);
    if (!allowed && !parse_bytes(text)) throw wrong_value(text);
    if (!allowed) return text;
    std::uint64_t grain = 64;
    for (const GrainError& error : grain_errors())
        if (error.percent <= *allowed) grain = error.grain;
    return std::to_string(grain) + " B";
}

}  // namespace weft
