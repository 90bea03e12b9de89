#include "rtl/cache/llc_pins.h"

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

void LlcParameters::check() const
{
    const auto in = [](const char* name, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
        if (value < low || value > high)
            throw InputError("", 0, fmt::format("cache slice: {} is {}", name, value),
                fmt::format("{} to {}", low, high));
    };
    in("sets", sets, 2, 65536);
    if ((sets & (sets - 1)) != 0)
        throw InputError("", 0, fmt::format("cache slice: sets is {}", sets), "a power of two");
    in("ways", ways, 1, 64);
    in("index_low", index_low, 0, 16);
    in("mshrs", mshrs, 1, 256);
    in("merges", merges, 0, 255);
    in("queue", queue, 1, 256);
    in("responses", responses, 1, 256);
    in("write_backs", write_backs, 1, 256);
    in("tag_clocks", tag_clocks, 1, 64);
    in("data_clocks", data_clocks, 2, 64);
    in("modify_clocks", modify_clocks, 0, 64);
}

std::string difference(const LlcOut& expected, const LlcOut& got)
{
    struct Level {
        const char* name;
        bool LlcOut::*level;
    };
    static constexpr Level levels[] = {{"req_ready", &LlcOut::req_ready}, {"resp_valid", &LlcOut::resp_valid},
        {"mem_read_valid", &LlcOut::mem_read_valid}, {"mem_write_valid", &LlcOut::mem_write_valid},
        {"mem_resp_ready", &LlcOut::mem_resp_ready}, {"flushed", &LlcOut::flushed}, {"hit", &LlcOut::hit},
        {"miss", &LlcOut::miss}, {"merged", &LlcOut::merged}, {"write_back", &LlcOut::write_back},
        {"idle", &LlcOut::idle}};
    struct Bus {
        const char* name;
        bool LlcOut::*valid;
        LineBits LlcOut::*line;
    };
    static constexpr Bus buses[] = {{"resp", &LlcOut::resp_valid, &LlcOut::resp},
        {"mem_read", &LlcOut::mem_read_valid, &LlcOut::mem_read},
        {"mem_write", &LlcOut::mem_write_valid, &LlcOut::mem_write}};

    for (const Level& pin : levels)
        if (expected.*pin.level != got.*pin.level)
            return fmt::format("{}: expected {:d}, got {:d}", pin.name, expected.*pin.level, got.*pin.level);
    for (const Bus& pin : buses) {
        if (!(expected.*pin.valid) || expected.*pin.line == got.*pin.line) continue;
        const std::uint8_t* const wanted = (expected.*pin.line).bytes;
        const std::uint8_t* const seen = (got.*pin.line).bytes;
        unsigned byte = 0;
        while (wanted[byte] == seen[byte]) ++byte;
        return fmt::format("{}[{}:{}]: expected {:#04x}, got {:#04x}", pin.name, 8 * byte + 7, 8 * byte, wanted[byte],
            seen[byte]);
    }
    return {};
}

}  // namespace weft
