// Parameters of a model as data: name, unit, range and text beside the struct that holds them, so
// that configuration, `weft explain`, `weft models` and the documentation read one table.
//
// A ratio is held in parts of 10^18 and read and written as a number: 1e-9.
//
// A Spec is a plain struct. Its parameters are std::uint64_t members in base units (bytes, ps, bytes/s, Hz, FLOP/s,
// counts), members of an enumeration (a choice: names in the order of the enumerators), bool (a flag) or double (a real
// number from 0 up). The default is the member's initialiser. Outside a Spec a value is a std::uint64_t: a choice is the
// index of its name, a flag 0 or 1, a real number its bits, which have the order of the numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

enum class Unit : std::uint8_t { count, bytes, time, rate, frequency, flops, ratio, choice, flag, real };

const char* name_of(Unit unit);    // "", "B", "ps", "B/s", "Hz", "FLOP/s", "", "", "", ""
const char* kind_name(Unit unit);  // "count", "bytes", ... for programs that read declarations

struct ParameterInfo {
    std::string name;
    Unit unit = Unit::count;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::string text;
    std::vector<std::string> choices;  // Unit::choice only
    std::string model{};               // it counts for this model only; empty: for all that have it
    std::string source{};              // where the default comes from; empty: it is a choice of ours
    std::string kind{};                // of a choice among models: those of this kind in the registry are values, too
};

// Whether it counts for a module of `model`: others' models, which we do not know, are asked for everything.
bool counts_for(const ParameterInfo& info, const std::string& model);

// Text to value in base units; nothing when malformed (the range is not checked here).
std::optional<std::uint64_t> parse_value(const ParameterInfo& info, std::string_view text);
std::string format_value(const ParameterInfo& info, std::uint64_t value);
std::string describe_range(const ParameterInfo& info);  // "1 ps to 1 ms", "one of spin, monitor"

// The owner of a block's values: an accelerator or memory, a forwarding node, an edge, or the whole system.
enum class BlockOwner : std::uint8_t { endpoint, forwarder, link, system };

// A block of parameters: one Spec struct. `name` is the first part of the paths of its parameters.
struct BlockTitle {
    std::string name;
    BlockOwner owner = BlockOwner::forwarder;
    std::string text;
};

namespace parameter_detail {

template <class Value>
std::uint64_t to_base(Value value)
{
    if constexpr (std::is_same_v<Value, double>) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(bits));
        return bits;
    } else {
        return static_cast<std::uint64_t>(value);
    }
}

template <class Value>
Value from_base(std::uint64_t base)
{
    if constexpr (std::is_same_v<Value, double>) {
        double value = 0;
        std::memcpy(&value, &base, sizeof(value));
        return value;
    } else {
        return static_cast<Value>(base);
    }
}

}  // namespace parameter_detail

// One parameter of a Spec: what is said of it, and its member.
template <class Spec>
class Parameter {
public:
    template <class Value>
    Parameter(ParameterInfo what, Value Spec::*member)
        : info(std::move(what)), get_([member](const Spec& spec) { return parameter_detail::to_base(spec.*member); }),
          set_([member](Spec& spec, std::uint64_t value) { spec.*member = parameter_detail::from_base<Value>(value); })
    {
        static_assert(std::is_same_v<Value, std::uint64_t> || std::is_enum_v<Value> || std::is_same_v<Value, bool> ||
                std::is_same_v<Value, double>,
            "a parameter is a std::uint64_t, an enumeration, a bool or a double");
    }

    ParameterInfo info;

    std::uint64_t get(const Spec& spec) const { return get_(spec); }
    void set(Spec& spec, std::uint64_t value) const { set_(spec, value); }

private:
    std::function<std::uint64_t(const Spec&)> get_;
    std::function<void(Spec&, std::uint64_t)> set_;
};

// The declaration of one Spec type: its block and its parameters. `Spec::parameters()` returns it.
template <class Spec>
class ParameterTable {
public:
    using Entry = Parameter<Spec>;

    ParameterTable(BlockTitle title, std::vector<Entry> entries)
        : title_(std::move(title)), entries_(std::move(entries))
    {
    }

    const BlockTitle& title() const { return title_; }
    const std::vector<Entry>& entries() const { return entries_; }

    const Entry* find(std::string_view name) const
    {
        for (const Entry& entry : entries_)
            if (entry.info.name == name) return &entry;
        return nullptr;
    }

private:
    BlockTitle title_;
    std::vector<Entry> entries_;
};

}  // namespace weft
