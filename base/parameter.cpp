#include "base/parameter.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

const char* name_of(Unit unit)
{
    switch (unit) {
    case Unit::bytes: return "B";
    case Unit::time: return "ps";
    case Unit::rate: return "B/s";
    case Unit::frequency: return "Hz";
    case Unit::flops: return "FLOP/s";
    case Unit::ratio:
    case Unit::count:
    case Unit::choice:
    case Unit::flag:
    case Unit::real: break;
    }
    return "";
}

const char* kind_name(Unit unit)
{
    switch (unit) {
    case Unit::count: return "count";
    case Unit::bytes: return "bytes";
    case Unit::time: return "time";
    case Unit::rate: return "rate";
    case Unit::frequency: return "frequency";
    case Unit::flops: return "flops";
    case Unit::ratio: return "ratio";
    case Unit::choice: return "choice";
    case Unit::flag: return "flag";
    case Unit::real: return "real";
    }
    return "?";
}

namespace {

// "989 TFLOP/s" or a plain number.
std::optional<std::uint64_t> parse_flops(std::string_view text)
{
    const std::size_t unit = text.find("FLOP/s");
    if (unit == std::string_view::npos) return parse_bytes(text);
    std::string number(text.substr(0, unit));
    const char prefix = number.empty() ? ' ' : number.back();
    if (prefix == 'T' || prefix == 'G' || prefix == 'M') {
        number.pop_back();
        return parse_rate(number + " " + prefix + "B/s");
    }
    return parse_rate(number + " B/s");
}

std::optional<double> parse_real(std::string_view text)
{
    if (text.empty() || text.size() > 40 || text.find_first_not_of("0123456789.eE-+") != std::string_view::npos)
        return std::nullopt;
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    // Minus zero has bits of its own; no sum of it and zero has them.
    if (end != copy.c_str() + copy.size() || !(value >= 0) || value > 1e300) return std::nullopt;
    return value + 0.0;
}

// "1e-9", "0.001"
std::optional<std::uint64_t> parse_ratio(std::string_view text)
{
    const std::optional<double> value = parse_real(text);
    if (!value || *value > 1) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(*value * 1e18));
}

std::optional<std::uint64_t> parse_flag(std::string_view text)
{
    for (const char* yes : {"on", "true", "yes", "1"})
        if (text == yes) return 1;
    for (const char* no : {"off", "false", "no", "0"})
        if (text == no) return 0;
    return std::nullopt;
}

}  // namespace

bool counts_for(const ParameterInfo& info, const std::string& model)
{
    if (info.model.empty() || info.model == model) return true;
    return model != "switch" && model != "crossbar" && model != "gpu" && model != "replay";
}

std::optional<std::uint64_t> parse_value(const ParameterInfo& info, std::string_view text)
{
    switch (info.unit) {
    case Unit::bytes: return parse_bytes(text);
    case Unit::time: return text == "0" ? std::optional<std::uint64_t>(0) : parse_time_ps(text);
    case Unit::rate: return parse_rate(text);
    case Unit::frequency: return parse_frequency(text);
    case Unit::flops: return parse_flops(text);
    case Unit::ratio: return parse_ratio(text);
    case Unit::count: {
        if (text.empty() || text.size() > 18) return std::nullopt;
        std::uint64_t value = 0;
        for (const char c : text) {
            if (c < '0' || c > '9') return std::nullopt;
            value = value * 10 + static_cast<std::uint64_t>(c - '0');
        }
        return value;
    }
    case Unit::choice:
        for (std::size_t i = 0; i < info.choices.size(); ++i)
            if (info.choices[i] == text) return i;
        return std::nullopt;
    case Unit::flag: return parse_flag(text);
    case Unit::real:
        if (const std::optional<double> value = parse_real(text)) return parameter_detail::to_base(*value);
        return std::nullopt;
    }
    return std::nullopt;
}

std::string format_value(const ParameterInfo& info, std::uint64_t value)
{
    switch (info.unit) {
    case Unit::bytes: return format_bytes(value);
    case Unit::time: return format_time_ps(value);
    case Unit::rate: return format_rate(value);
    case Unit::frequency: return fmt::format("{:.6g} MHz", static_cast<double>(value) / 1e6);
    case Unit::flops:
        if (value < 1'000'000'000) return fmt::format("{:.15g} MFLOP/s", static_cast<double>(value) / 1e6);
        return fmt::format("{:.15g} TFLOP/s", static_cast<double>(value) / 1e12);
    case Unit::ratio: return fmt::format("{:g}", static_cast<double>(value) / 1e18);
    case Unit::choice: return value < info.choices.size() ? info.choices[value] : "?";
    case Unit::flag: return value == 0 ? "off" : "on";
    case Unit::real: return fmt::format("{:g}", parameter_detail::from_base<double>(value));
    case Unit::count: break;
    }
    return std::to_string(value);
}

std::string describe_range(const ParameterInfo& info)
{
    if (info.unit == Unit::flag) return "on or off";
    if (info.unit != Unit::choice) return format_value(info, info.low) + " to " + format_value(info, info.high);
    std::string out = "one of ";
    for (std::size_t i = 0; i < info.choices.size(); ++i) out += (i == 0 ? "" : ", ") + info.choices[i];
    return out;
}

}  // namespace weft
