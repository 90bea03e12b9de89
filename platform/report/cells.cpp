#include "platform/report/cells.h"

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

HtmlCell time_cell(Time ps) { return {format_time_ps(ps), std::to_string(ps)}; }

HtmlCell count_cell(std::uint64_t count) { return {std::to_string(count), std::to_string(count)}; }

HtmlCell number_cell(double value) { return {fmt::format("{:.4g}", value), fmt::format("{}", value)}; }

HtmlCell share_cell(double part, double whole)
{
    const double share = whole > 0 ? 100 * part / whole : 0;
    return {fmt::format("{:.1f} %", share), fmt::format("{:.9g}", share)};
}

}  // namespace weft
