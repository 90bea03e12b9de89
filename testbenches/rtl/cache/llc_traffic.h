// Random requests to a cache slice, in stretches of one character each: which lines, which operations, how willing each
// output is, how long memory takes.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/cache/llc_pins.h"
#include "testbenches/rtl/cache/llc_random.h"

namespace weft::test {

class LlcTraffic {
public:
    LlcTraffic(const LlcParameters& parameters, std::uint64_t seed);

    // Of the clock that comes; `load` in thousandths.
    struct Willing {
        bool request, resp, mem_read, mem_write, mem_resp, flush;
    };
    Willing next(std::uint32_t load);

    // Index of a line in lines().
    std::uint32_t choose_line();
    void make_request(LineBits& request, std::uint32_t line, std::uint32_t tag);
    std::uint32_t memory_latency();
    const std::vector<std::uint64_t>& lines() const { return lines_; }
    LlcRandom& random() { return random_; }

private:
    void begin_stretch();

    enum class Pattern { any, hot, one_set, stream, few };
    LlcParameters parameters_;
    LlcRandom random_;
    std::vector<std::uint64_t> lines_;  // numbers; those of a set side by side
    std::uint32_t per_set_ = 0;
    std::uint32_t left_ = 0;  // clocks of this stretch
    Pattern pattern_ = Pattern::any;
    std::uint32_t first_ = 0;
    std::uint32_t at_ = 0;
    std::uint32_t mix_ = 0;
    std::uint32_t ready_[4] = {};  // resp, mem_read, mem_write, mem_resp; thousandths
    std::uint32_t least_latency_ = 1;
    std::uint32_t spread_ = 1;
    std::uint32_t load_ = 0;  // 1000: full in this stretch whatever was asked for
};

}  // namespace weft::test
