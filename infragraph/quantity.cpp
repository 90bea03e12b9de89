#include "infragraph/quantity.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include "base/units.h"

namespace weft {

namespace {

struct UnitNames {
    const char* symbol;
    const char* member;
};

constexpr std::array<UnitNames, 6> unit_names{{{"Gbps", "gigabits_per_second"}, {"GBps", "gigabytes_per_second"},
    {"GT/s", "gigatransfers_per_second"}, {"ms", "ms"}, {"us", "us"}, {"ns", "ns"}}};

std::optional<std::uint64_t> scaled(const Quantity& quantity, double factor)
{
    const double value = std::strtod(quantity.number.c_str(), nullptr) * factor;
    if (!std::isfinite(value) || value < 0 || value > 9.2e18) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(value));
}

// Decimal digits with an optional sign, fraction and exponent.
bool is_number(std::string_view text)
{
    if (text.empty() || text.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return false;
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    return end == copy.c_str() + copy.size() && std::isfinite(value);
}

std::optional<Quantity> parse(std::string_view text, QuantityUnit first, QuantityUnit last)
{
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos || !is_number(text.substr(0, space))) return std::nullopt;
    for (int unit = static_cast<int>(first); unit <= static_cast<int>(last); ++unit)
        if (text.substr(space + 1) == unit_names[static_cast<std::size_t>(unit)].symbol)
            return Quantity{std::string(text.substr(0, space)), static_cast<QuantityUnit>(unit)};
    return std::nullopt;
}

}  // namespace

const char* symbol_of(QuantityUnit unit) { return unit_names[static_cast<std::size_t>(unit)].symbol; }
const char* member_of(QuantityUnit unit) { return unit_names[static_cast<std::size_t>(unit)].member; }

std::string Quantity::text() const { return number + " " + symbol_of(unit); }

std::optional<std::uint64_t> bytes_per_second(const Quantity& bandwidth)
{
    if (bandwidth.unit == QuantityUnit::gigatransfers_per_second) return std::nullopt;
    // Exact where the decimal is; the nearest whole byte otherwise.
    std::optional<std::uint64_t> rate = parse_rate(bandwidth.text());
    if (!rate) rate = scaled(bandwidth, bandwidth.unit == QuantityUnit::gigabits_per_second ? 1.25e8 : 1e9);
    if (rate && *rate == 0) return std::nullopt;
    return rate;
}

std::optional<std::uint64_t> picoseconds(const Quantity& latency)
{
    if (const auto exact = parse_time_ps(latency.text())) return exact;
    switch (latency.unit) {
    case QuantityUnit::milliseconds: return scaled(latency, 1e9);
    case QuantityUnit::microseconds: return scaled(latency, 1e6);
    default: return scaled(latency, 1e3);
    }
}

std::optional<Quantity> parse_bandwidth(std::string_view text)
{
    return parse(text, QuantityUnit::gigabits_per_second, QuantityUnit::gigatransfers_per_second);
}

std::optional<Quantity> parse_latency(std::string_view text)
{
    return parse(text, QuantityUnit::milliseconds, QuantityUnit::nanoseconds);
}

}  // namespace weft
