// Parameters of a model as data: name, unit, range and text beside the struct that holds them, so
// that configuration, `weft explain`, `weft models` and the documentation read one table.
//
// A ratio is held in parts of 10^18 and read and written as a number: 1e-9.
//
// A Spec is a plain struct whose parameters are std::uint64_t members in base units (bytes, ps,
// bytes/s, Hz, FLOP/s, counts); a choice holds the index of its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

enum class Unit : std::uint8_t { count, bytes, time, rate, frequency, flops, ratio, choice };

const char* name_of(Unit unit);  // "", "B", "ps", "B/s", "Hz", "FLOP/s", "", ""

struct ParameterInfo {
    std::string name;
    Unit unit = Unit::count;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::string text;
    std::vector<std::string> choices;  // Unit::choice only
    std::string model{};               // it counts for this model only; empty: for all that have it
};

// Whether it counts for a module of `model`: others' models, which we do not know, are asked for everything.
bool counts_for(const ParameterInfo& info, const std::string& model);

// Text to value in base units; nothing when malformed (the range is not checked here).
std::optional<std::uint64_t> parse_value(const ParameterInfo& info, std::string_view text);
std::string format_value(const ParameterInfo& info, std::uint64_t value);
std::string describe_range(const ParameterInfo& info);  // "1 ps to 1 ms", "one of spin, monitor"

// The parameters of one Spec type. `Spec::parameters()` returns its table.
template <class Spec>
class ParameterTable {
public:
    struct Entry {
        ParameterInfo info;
        std::uint64_t Spec::*member;
    };

    explicit ParameterTable(std::vector<Entry> entries) : entries_(std::move(entries)) {}

    const std::vector<Entry>& entries() const { return entries_; }

    const Entry* find(std::string_view name) const
    {
        for (const Entry& entry : entries_)
            if (entry.info.name == name) return &entry;
        return nullptr;
    }

private:
    std::vector<Entry> entries_;
};

}  // namespace weft
