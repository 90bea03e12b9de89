#include "platform/result/summary.h"

#include <algorithm>

namespace weft {

std::string short_bytes(double bytes)
{
    for (const auto& [scale, unit] :
        {std::pair(1e12, "TB"), std::pair(1e9, "GB"), std::pair(1e6, "MB"), std::pair(1e3, "kB")})
        if (bytes >= scale) return fmt::format("{:.3g} {}", bytes / scale, unit);
    return fmt::format("{:.0f} B", bytes);
}

std::string short_count(double count)
{
    for (const auto& [scale, unit] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")})
        if (count >= scale) return fmt::format("{:.3g} {}", count / scale, unit);
    return fmt::format("{:.0f}", count);
}

std::string counted(std::size_t count, const std::string& what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : what.back() == 'h' ? "es" : "s");
}

std::string percent(double share)
{
    if (share > 0 && share < 0.01) return "<1 %";
    return fmt::format("{:.0f} %", std::min(share * 100, share < 1 ? 99.0 : 100.0));
}

void list(SummaryPage& page, std::string_view label, const std::vector<std::string>& lines, std::size_t most)
{
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) page.line(i == 0 ? label : "", lines[i]);
    if (lines.size() > most) page.line("", fmt::format("and {} more (--json lists all)", lines.size() - most));
}

}  // namespace weft
