#include "base/units.h"

#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

namespace weft {

namespace {

__extension__ typedef unsigned __int128 Wide;  // exact products of value and unit

struct KnownUnit {
    std::string_view name;
    // The factor as numerator / denominator, so that "400 Gbps" is exact.
    std::uint64_t numerator;
    std::uint64_t denominator;
};

constexpr std::uint64_t kibi = 1024;
constexpr std::uint64_t mebi = kibi * 1024;
constexpr std::uint64_t gibi = mebi * 1024;
constexpr std::uint64_t tebi = gibi * 1024;

constexpr std::array<KnownUnit, 10> byte_units{
    {{"", 1, 1}, {"B", 1, 1}, {"KiB", kibi, 1}, {"MiB", mebi, 1}, {"GiB", gibi, 1}, {"TiB", tebi, 1}, {"KB", 1000, 1},
        {"MB", 1000000, 1}, {"GB", 1000000000, 1}, {"TB", 1000000000000, 1}}};

constexpr std::array<KnownUnit, 5> time_units{
    {{"ps", 1, 1}, {"ns", 1000, 1}, {"us", 1000000, 1}, {"ms", 1000000000, 1}, {"s", 1000000000000, 1}}};

constexpr std::array<KnownUnit, 12> rate_units{{{"B/s", 1, 1}, {"KB/s", 1000, 1}, {"MB/s", 1000000, 1},
    {"GB/s", 1000000000, 1}, {"TB/s", 1000000000000, 1}, {"MiB/s", mebi, 1}, {"GiB/s", gibi, 1}, {"TiB/s", tebi, 1},
    {"GBps", 1000000000, 1}, {"Mbps", 1000000, 8}, {"Gbps", 1000000000, 8}, {"Tbps", 1000000000000, 8}}};

constexpr std::array<KnownUnit, 4> frequency_units{
    {{"Hz", 1, 1}, {"kHz", 1000, 1}, {"MHz", 1000000, 1}, {"GHz", 1000000000, 1}}};

std::string_view trim(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
}

enum class Rounding { none, nearest };

constexpr unsigned least_part =
    10'000;  // a value is not rounded by more than this part of it: 333.33 ps is no clock of 333 ps

// Decimal digits with an optional fraction.
struct Decimal {
    static constexpr int most_digits = 19;    // significant ones that are kept
    static constexpr int most_fraction = 24;  // of them, with zeros before them

    Wide digits = 0;
    Wide scale = 1;          // value = digits / scale
    bool shortened = false;  // other than by zeros
    std::size_t length = 0;  // of the text

    // Nothing for a text that does not begin with one, and for whole numbers of more digits.
    static std::optional<Decimal> of(std::string_view text)
    {
        Decimal out;
        int significant = 0;
        int after_point = 0;
        bool fraction = false;
        bool any = false;
        for (; out.length < text.size(); ++out.length) {
            const char c = text[out.length];
            if (c == '.' && !fraction) {
                fraction = true;
                continue;
            }
            if (c < '0' || c > '9') break;
            any = true;
            if (significant == most_digits || after_point == most_fraction) {
                if (!fraction) return std::nullopt;
                out.shortened = out.shortened || c != '0';
                continue;
            }
            out.digits = out.digits * 10 + static_cast<unsigned>(c - '0');
            if (out.digits > 0) ++significant;
            if (!fraction) continue;
            out.scale *= 10;
            ++after_point;
        }
        if (!any) return std::nullopt;
        return out;
    }
};

// A decimal times a rational unit, into an integer without passing through floating point. Nothing where that would round and must not,
// or by too much.
template <std::size_t N>
std::optional<std::uint64_t> parse(std::string_view text, const std::array<KnownUnit, N>& units, Rounding rounding)
{
    text = trim(text);
    const std::optional<Decimal> number = Decimal::of(text);
    if (!number) return std::nullopt;
    const std::string_view unit = trim(text.substr(number->length));
    for (const KnownUnit& candidate : units) {
        if (candidate.name != unit) continue;
        const Wide numerator = number->digits * candidate.numerator;
        const Wide denominator = number->scale * candidate.denominator;
        const bool whole = numerator % denominator == 0 && !number->shortened;
        if (!whole && rounding == Rounding::none) return std::nullopt;
        const Wide value = (numerator + denominator / 2) / denominator;
        if (value > (static_cast<Wide>(1) << 63)) return std::nullopt;
        const Wide rounded = value * denominator;
        const Wide difference = rounded > numerator ? rounded - numerator : numerator - rounded;
        if (difference * least_part > numerator) return std::nullopt;
        return static_cast<std::uint64_t>(value);
    }
    return std::nullopt;
}

template <std::size_t N>
std::string format(std::uint64_t value, const std::array<KnownUnit, N>& steps)
{
    for (const KnownUnit& step : steps)
        if (value >= step.numerator)
            return fmt::format("{:.6g} {}", static_cast<double>(value) / static_cast<double>(step.numerator),
                step.name);
    return fmt::format("{} {}", value, steps.back().name);
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) { return parse(text, byte_units, Rounding::none); }
std::optional<std::uint64_t> parse_time_ps(std::string_view text) { return parse(text, time_units, Rounding::nearest); }
std::optional<std::uint64_t> parse_rate(std::string_view text) { return parse(text, rate_units, Rounding::nearest); }
std::optional<std::uint64_t> parse_frequency(std::string_view text)
{
    return parse(text, frequency_units, Rounding::nearest);
}

// The largest unit in which the number is exact and short.
std::string format_bytes(std::uint64_t bytes)
{
    constexpr std::array<KnownUnit, 8> steps{{{"TiB", tebi, 8}, {"GiB", gibi, 8}, {"MiB", mebi, 8}, {"KiB", kibi, 8},
        {"TB", 1000000000000, 1000}, {"GB", 1000000000, 1000}, {"MB", 1000000, 1000}, {"KB", 1000, 10}}};
    constexpr std::uint64_t longest = 10000;  // whole units
    for (const KnownUnit& step : steps)
        if (bytes >= step.numerator && bytes / step.numerator < longest &&
            bytes % (step.numerator / step.denominator) == 0)
            return fmt::format("{:.8g} {}", static_cast<double>(bytes) / static_cast<double>(step.numerator),
                step.name);
    return fmt::format("{} B", bytes);
}

std::string format_time_ps(std::uint64_t ps)
{
    constexpr std::array<KnownUnit, 5> steps{
        {{"s", 1000000000000, 1}, {"ms", 1000000000, 1}, {"us", 1000000, 1}, {"ns", 1000, 1}, {"ps", 1, 1}}};
    return format(ps, steps);
}

std::string format_rate(std::uint64_t bytes_per_s)
{
    constexpr std::array<KnownUnit, 4> steps{
        {{"TB/s", 10000000000000, 1}, {"GB/s", 1000000000, 1}, {"MB/s", 1000000, 1}, {"B/s", 1, 1}}};
    for (const KnownUnit& step : steps)
        if (bytes_per_s >= step.numerator) {
            const double divisor = step.name == "TB/s" ? 1e12 : static_cast<double>(step.numerator);
            return fmt::format("{:.6g} {}", static_cast<double>(bytes_per_s) / divisor, step.name);
        }
    return "0 B/s";
}

}  // namespace weft
