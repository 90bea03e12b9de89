#include "rtl/reduction/reduction_pins.h"

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

void check_range(const char* name, unsigned value, unsigned low, unsigned high)
{
    if (value < low || value > high)
        throw InputError("", 0, fmt::format("reduction unit: {} is {}", name, value), fmt::format("{}..{}", low, high));
}

std::string differs(const char* name, std::uint64_t expected, std::uint64_t got)
{
    return expected == got ? "" : fmt::format("{}: expected {:#x}, got {:#x}", name, expected, got);
}

std::string line_difference(const LineBits& expected, const LineBits& got)
{
    const struct {
        const char* name;
        std::uint64_t expected;
        std::uint64_t got;
    } fields[] = {{"address", expected.address(), got.address()},
        {"destination", expected.destination(), got.destination()}, {"source", expected.source(), got.source()},
        {"op", expected.op(), got.op()}, {"response", expected.response(), got.response()},
        {"size", expected.size(), got.size()}, {"function", expected.function(), got.function()},
        {"flags", expected.flags(), got.flags()}, {"tag", expected.tag(), got.tag()},
        {"failed", expected.failed(), got.failed()}};
    for (const auto& field : fields)
        if (field.expected != field.got) return differs(field.name, field.expected, field.got);
    for (unsigned i = 0; i < 64; ++i)
        if (expected.data()[i] != got.data()[i])
            return differs(fmt::format("data byte {}", i).c_str(), expected.data()[i], got.data()[i]);
    return "";
}

}  // namespace

void ReductionParameters::check() const
{
    check_range("members", members, 1, 64);
    check_range("groups", groups, 1, 1024);
    check_range("contexts", contexts, 1, 64);
    check_range("slots", slots, 1, 64);
    check_range("ports", ports, 1, 64);
    check_range("vcs", vcs, 2, 16);
    check_range("vc_read", vc_read, 0, vcs - 1);
    check_range("vc_write", vc_write, 0, vcs - 1);
    check_range("vc_group", vc_group, 0, vcs - 1);
    check_range("vc_response", vc_response, 0, vcs - 1);
    if (vc_response == vc_group || vc_response == vc_read || vc_response == vc_write)
        throw InputError("", 0, fmt::format("reduction unit: responses share channel {} with requests", vc_response),
            "a channel of their own");
}

bool operator==(const ReductionOut& a, const ReductionOut& b)
{
    return a.credit == b.credit && a.valid == b.valid && a.idle == b.idle &&
        (!a.valid || (a.vc == b.vc && a.ports == b.ports && a.line == b.line));
}

std::string difference(const ReductionOut& expected, const ReductionOut& got)
{
    if (expected == got) return "";
    if (expected.valid != got.valid) return differs("out_valid", expected.valid, got.valid);
    if (expected.credit != got.credit) return differs("in_credit", expected.credit, got.credit);
    if (expected.idle != got.idle) return differs("idle", expected.idle, got.idle);
    if (expected.ports != got.ports) return differs("out_ports", expected.ports, got.ports);
    if (expected.vc != got.vc) return differs("out_vc", expected.vc, got.vc);
    return "out_line." + line_difference(expected.line, got.line);
}

}  // namespace weft
