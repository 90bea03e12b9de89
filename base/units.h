// Sizes, times and rates as text. GB = 1e9 bytes, GiB = 2^30 bytes; times are integers of 1 ps;
// rates are integers of 1 byte per second. Times, rates and frequencies that are written finer are taken as the nearest such
// integer where that is at most 1/10,000 away; sizes must be whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

// "64", "64 B", "1MiB", "1.5 GB". Nothing when malformed, negative, fractional or above 2^63.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

// "250 ns", "1.5us"; a unit (ps ns us ms s) is required. Picoseconds.
std::optional<std::uint64_t> parse_time_ps(std::string_view text);

// "112.5 GB/s", "400 Gbps" (also MB/s, TB/s, Mbps, Tbps, GiB/s, TiB/s). Bytes per second.
std::optional<std::uint64_t> parse_rate(std::string_view text);

// "1980 MHz", "1.5 GHz". Hertz.
std::optional<std::uint64_t> parse_frequency(std::string_view text);

std::string format_bytes(std::uint64_t bytes);       // "1 MiB", "1000003 B"
std::string format_time_ps(std::uint64_t ps);        // "826 ns", "1.234 us"
std::string format_rate(std::uint64_t bytes_per_s);  // "112.5 GB/s"

}  // namespace weft
