#include "platform/plotting/colours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace weft {

std::string colour_of_share(double share)
{
    static constexpr std::array<std::array<int, 3>, 7> points{
        {{158, 202, 225}, {86, 180, 233}, {140, 165, 130}, {230, 159, 0}, {224, 123, 0}, {213, 94, 0}, {180, 60, 0}}};
    const double at = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0) * (points.size() - 1);
    const auto low = std::min<std::size_t>(static_cast<std::size_t>(at), points.size() - 2);
    const double part = at - static_cast<double>(low);
    std::array<int, 3> mixed{};
    for (std::size_t i = 0; i < 3; ++i)
        mixed[i] = static_cast<int>(std::lround(points[low][i] + part * (points[low + 1][i] - points[low][i])));
    return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

std::string colour_of_kind(std::size_t number)
{
    static constexpr std::array<const char*, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
        "#56b4e9", "#b8a800"};
    return colours[number % colours.size()];
}

std::string colour_of_cause(const std::string& cause)
{
    static const std::map<std::string, const char*> known{{"busy", "#0072b2"}, {"compute", "#004c78"},
        {"issue", "#56b4e9"}, {"registers", "#cc79a7"}, {"loads", "#009e73"}, {"unit_outstanding", "#f0e442"},
        {"acknowledge", "#e69f00"}, {"flag", "#d55e00"}, {"barrier", "#8c8c8c"}, {"queued", "#bdbdbd"},
        {"latency", "#e69f00"}, {"memory", "#009e73"}, {"serialisation", "#56b4e9"}, {"compute_units", "#0072b2"},
        {"credits", "#cc79a7"}, {"launch", "#8c8c8c"}, {"entry", "#bdbdbd"}, {"node_compute", "#0072b2"},
        {"node_collective", "#d55e00"}, {"node_send", "#56b4e9"}, {"node_receive", "#e69f00"},
        {"node_memory", "#009e73"}};
    if (const auto found = known.find(cause); found != known.end()) return found->second;
    std::size_t sum = 0;
    for (const char c : cause) sum = sum * 31 + static_cast<unsigned char>(c);
    return colour_of_kind(sum);
}

}  // namespace weft
