// The traffic of GPUs as a file lists it: rows with times, for replay GPUs (replay_gpu.h).
//
// docs/models/replay_gpu.md documents both forms, comma-separated values with a header line and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

struct ReplayRow {
    enum class Kind : std::uint8_t { write, read, flag };
    enum class Place : std::uint8_t { address, input, output, scratch };  // where `offset` counts from

    static constexpr std::uint32_t no_flag = ~std::uint32_t{0};

    std::uint64_t time = 0;    // ps
    std::uint64_t gap = 0;     // ps from one line to the next
    std::uint64_t jitter = 0;  // ps
    std::uint64_t offset = 0;  // write, read: B; flag: its number
    std::uint64_t bytes = 0;   // write, read
    std::uint64_t value = 1;   // flag: what is added
    std::uint64_t after_value = 1;
    std::uint32_t after_flag = no_flag;
    std::uint32_t repeat = 1;
    std::uint32_t gpu = 0;  // into names
    std::uint32_t to = 0;   // into names
    int line = 0;
    Kind kind = Kind::write;
    Place place = Place::address;

    // Lines of one repetition, if `offset` is where it is in a line.
    std::uint64_t lines() const;
    // From its first line to its last, ps.
    std::uint64_t duration() const { return (lines() * repeat - 1) * gap; }
};

const char* name_of(ReplayRow::Kind kind);

struct ReplayProfile {
    static constexpr std::uint64_t most_flags = std::uint64_t{1} << 20;
    static constexpr std::uint64_t longest = std::uint64_t{1} << 62;  // ps, to the last line of a row

    std::string file;
    std::vector<std::string> names;  // of GPUs, as written; the first is empty: every GPU
    std::vector<ReplayRow> rows;
};

// Throws InputError with the problems of the file, at most 20 of them.
ReplayProfile read_replay_profile(const std::string& path);
ReplayProfile read_replay_text(const std::string& file, const std::string& text);

}  // namespace weft
