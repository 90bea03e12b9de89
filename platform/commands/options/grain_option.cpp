#include "platform/commands/options/grain_option.h"

#include <cmath>
#include <cstdlib>

#include "platform/console/messages.h"

namespace weft {

const std::vector<GrainError>& grain_errors()
{
    static const std::vector<GrainError> errors{{64, 0}, {128, 1.6}, {256, 3.5}, {512, 3.5}};
    return errors;
}

bool is_allowed_error(const std::string& text) { return !text.empty() && text.back() == '%'; }

std::string grain_value(const std::string& text)
{
    if (!is_allowed_error(text)) return text;
    char* end = nullptr;
    const std::string number = text.substr(0, text.size() - 1);
    const double allowed = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0' || !std::isfinite(allowed) || allowed < 0)
        throw usage_error("option '--grain' has the value " + quoted_word(text),
            "a size, such as 512B, or an error, such as 3%");
    std::uint64_t grain = 64;
    for (const GrainError& error : grain_errors())
        if (error.percent <= allowed) grain = error.grain;
    return std::to_string(grain) + " B";
}

}  // namespace weft
