#include "rtl/cache/llc_pins.h"

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

void LlcParameters::check() const
{
    const auto in = [](const char* name, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
        if (value < low || value > high)
            throw InputError("", 0, fmt::format("cache slice: {} is {}", name, value), fmt::format("{} to {}", low, high));
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

const char* difference(const LlcOut& a, const LlcOut& b)
{
    if (a.req_ready != b.req_ready) return "req_ready";
    if (a.resp_valid != b.resp_valid) return "resp_valid";
    if (a.mem_read_valid != b.mem_read_valid) return "mem_read_valid";
    if (a.mem_write_valid != b.mem_write_valid) return "mem_write_valid";
    if (a.mem_resp_ready != b.mem_resp_ready) return "mem_resp_ready";
    if (a.flushed != b.flushed) return "flushed";
    if (a.hit != b.hit) return "hit";
    if (a.miss != b.miss) return "miss";
    if (a.merged != b.merged) return "merged";
    if (a.write_back != b.write_back) return "write_back";
    if (a.idle != b.idle) return "idle";
    if (a.resp_valid && !(a.resp == b.resp)) return "resp";
    if (a.mem_read_valid && !(a.mem_read == b.mem_read)) return "mem_read";
    if (a.mem_write_valid && !(a.mem_write == b.mem_write)) return "mem_write";
    return "";
}

}  // namespace weft
