// Bandwidths and latencies as an InfraGraph document states them, and in Weft's integers.
//
// A bandwidth is taken as per direction; the format does not say. GT/s is a transfer rate of one lane and
// has no byte rate: width and encoding are not in the document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

enum class QuantityUnit : std::uint8_t {
    gigabits_per_second,
    gigabytes_per_second,
    gigatransfers_per_second,
    milliseconds,
    microseconds,
    nanoseconds
};

struct Quantity {
    std::string number;  // as written: "100", "100.5"
    QuantityUnit unit = QuantityUnit::gigabits_per_second;

    std::string text() const;  // "100.5 Gbps"
};

const char* symbol_of(QuantityUnit unit);  // Gbps GBps GT/s ms us ns
const char* member_of(QuantityUnit unit);  // gigabits_per_second ... ns: the key of the document

// Rounded to a whole byte per second or picosecond. Nothing for GT/s, for a value that is not positive
// (a latency may be 0) and for one beyond 9.2e18.
std::optional<std::uint64_t> bytes_per_second(const Quantity& bandwidth);
std::optional<std::uint64_t> picoseconds(const Quantity& latency);

// "100 Gbps", "0.5 us": the form of edge attributes. Nothing when malformed.
std::optional<Quantity> parse_bandwidth(std::string_view text);
std::optional<Quantity> parse_latency(std::string_view text);

}  // namespace weft
