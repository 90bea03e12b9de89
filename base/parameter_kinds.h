// Parameters by kind: each function takes the member of the Spec that the kind stands for, so that a rate is no time and
// an enumeration has a name for each enumerator.
//
//     struct Spec {
//         Policy policy = Policy::strict;
//         std::uint64_t pace = 0;  // B/s
//         static const weft::ParameterTable<Spec>& parameters();
//     };
//     static const ParameterTable<Spec> table({"my_switch", BlockOwner::forwarder, "what the block is"},
//         {choice_parameter("policy", &Spec::policy, {"strict", "aged"}, "who goes first"),
//             rate_parameter("pace", &Spec::pace, {0, 1'000'000'000'000}, "of an output; 0: that of the wire")});
#pragma once

#include "base/parameter.h"

namespace weft {

// Both ends are in it.
struct Range {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};

struct RealRange {
    double low = 0;
    double high = 0;
};

namespace parameter_detail {

template <class Spec>
Parameter<Spec> of_kind(Unit unit, const char* name, std::uint64_t Spec::*member, Range range, const char* text,
    const char* source)
{
    return {{name, unit, range.low, range.high, text, {}, "", source}, member};
}

}  // namespace parameter_detail

// `source`: where the default comes from, if somebody published it.
template <class Spec>
Parameter<Spec> count_parameter(const char* name, std::uint64_t Spec::*member, Range range, const char* text,
    const char* source = "")
{
    return parameter_detail::of_kind(Unit::count, name, member, range, text, source);
}

template <class Spec>
Parameter<Spec> bytes_parameter(const char* name, std::uint64_t Spec::*member, Range range, const char* text,
    const char* source = "")
{
    return parameter_detail::of_kind(Unit::bytes, name, member, range, text, source);
}

// ps
template <class Spec>
Parameter<Spec> time_parameter(const char* name, std::uint64_t Spec::*member, Range range, const char* text,
    const char* source = "")
{
    return parameter_detail::of_kind(Unit::time, name, member, range, text, source);
}

// B/s
template <class Spec>
Parameter<Spec> rate_parameter(const char* name, std::uint64_t Spec::*member, Range range, const char* text,
    const char* source = "")
{
    return parameter_detail::of_kind(Unit::rate, name, member, range, text, source);
}

// One name for each enumerator, which count from 0.
template <class Spec, class Enumeration>
Parameter<Spec> choice_parameter(const char* name, Enumeration Spec::*member, std::vector<std::string> names,
    const char* text, const char* source = "")
{
    static_assert(std::is_enum_v<Enumeration>, "a choice is a member of an enumeration");
    const std::uint64_t last = names.empty() ? 0 : names.size() - 1;
    return {{name, Unit::choice, 0, last, text, std::move(names), "", source}, member};
}

template <class Spec>
Parameter<Spec> flag_parameter(const char* name, bool Spec::*member, const char* text, const char* source = "")
{
    return {{name, Unit::flag, 0, 1, text, {}, "", source}, member};
}

// Numbers from 0 up.
template <class Spec>
Parameter<Spec> real_parameter(const char* name, double Spec::*member, RealRange range, const char* text,
    const char* source = "")
{
    return {{name, Unit::real, parameter_detail::to_base(range.low), parameter_detail::to_base(range.high), text, {},
                "", source},
        member};
}

// The same, as earlier plug-ins have it.
template <class Spec>
Parameter<Spec> real_parameter(const char* name, double Spec::*member, double low, double high, const char* text,
    const char* source = "")
{
    return real_parameter(name, member, RealRange{low, high}, text, source);
}

}  // namespace weft
