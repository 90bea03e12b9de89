#include "rtl/switch/switch_pins.h"

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

void within(const char* name, unsigned value, unsigned least, unsigned most)
{
    if (value < least || value > most)
        throw InputError("", 0, fmt::format("a switch block with {} = {}", name, value),
            fmt::format("{} to {}", least, most));
}

std::string differs(const std::string& pin, std::uint64_t expected, std::uint64_t got)
{
    return fmt::format("{}: expected {:#x}, got {:#x}", pin, expected, got);
}

}  // namespace

void SwitchBlockParameters::check() const
{
    within("ports", ports, 1, 64);
    within("vcs", vcs, 1, 16);
    within("depth", depth, 1, 1023);
    within("max_credits", max_credits, 1, 1023);
    within("width", width, 8, beat_bits);
    within("latency", latency, 1, 1023);
    within("traversal", traversal, 0, 1023);
    within("iterations", iterations, 1, 16);
    if (width % 8 != 0) throw InputError("", 0, fmt::format("a switch block with width = {}", width), "whole bytes");
    if (credits.empty()) return;
    if (credits.size() != std::size_t{ports} * vcs)
        throw InputError("", 0, fmt::format("credits of {} channels for a switch block", credits.size()),
            fmt::format("{}, every output's {} channels", ports * vcs, vcs));
    for (const std::uint16_t count : credits) within("credits", count, 0, max_credits);
}

std::string difference(const SwitchOut& expected, const SwitchOut& got)
{
    if (expected.credit_valid != got.credit_valid)
        return differs("in_credit_valid", expected.credit_valid, got.credit_valid);
    if (expected.valid != got.valid) return differs("out_valid", expected.valid, got.valid);
    if (expected.idle != got.idle) return differs("idle", expected.idle, got.idle);
    for (std::uint64_t rest = expected.credit_valid; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
        if (expected.credit_vc[i] != got.credit_vc[i])
            return differs(fmt::format("in_credit_vc[{}]", i), expected.credit_vc[i], got.credit_vc[i]);
    }
    for (std::uint64_t rest = expected.valid; rest != 0; rest &= rest - 1) {
        const auto o = static_cast<unsigned>(__builtin_ctzll(rest));
        if (expected.vc[o] != got.vc[o]) return differs(fmt::format("out_vc[{}]", o), expected.vc[o], got.vc[o]);
        if (expected.data[o] == got.data[o]) continue;
        unsigned byte = 0;
        while (expected.data[o].bytes[byte] == got.data[o].bytes[byte]) ++byte;
        return differs(fmt::format("out_data[{}] byte {}", o, byte), expected.data[o].bytes[byte],
            got.data[o].bytes[byte]);
    }
    return {};
}

}  // namespace weft
