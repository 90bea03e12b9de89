#include "testbenches/rtl/cache/llc_traffic.h"

#include <algorithm>
#include <set>

namespace weft::test {

LlcTraffic::LlcTraffic(const LlcParameters& parameters, std::uint64_t seed) : parameters_(parameters), random_(seed)
{
    // Three times what the slice holds, tags that differ from one another in one bit, all of a line's number used.
    per_set_ = 3 * parameters.ways;
    constexpr std::uint64_t all = (std::uint64_t{1} << 42) - 1;
    const std::uint64_t sets = std::uint64_t{parameters.sets - 1} << parameters.index_low;
    const std::uint64_t base = random_.next() & all & ~sets;
    const std::uint32_t used_sets = std::min<std::uint32_t>(parameters.sets, 32);
    for (std::uint32_t s = 0; s < used_sets; ++s) {
        // The first and the last set among them.
        const std::uint64_t set = s + 1 == used_sets ? parameters.sets - 1 : s * (parameters.sets / used_sets);
        std::set<std::uint64_t> chosen;
        while (chosen.size() < per_set_) {
            std::uint64_t tag = base;
            for (std::size_t i = 0; i <= chosen.size() / 16; ++i) tag ^= std::uint64_t{1} << random_.below(42);
            chosen.insert((tag & ~sets) | set << parameters.index_low);
        }
        lines_.insert(lines_.end(), chosen.begin(), chosen.end());
    }
    std::set<std::uint64_t> apart(lines_.begin(), lines_.end());
    lines_.assign(apart.begin(), apart.end());
    std::sort(lines_.begin(), lines_.end(), [sets](std::uint64_t a, std::uint64_t b) {
        return (a & sets) != (b & sets) ? (a & sets) < (b & sets) : a < b;
    });
}

void LlcTraffic::begin_stretch()
{
    left_ = 50 + random_.below(600);
    pattern_ = static_cast<Pattern>(random_.below(5));
    const auto count = static_cast<std::uint32_t>(lines_.size());
    first_ = pattern_ == Pattern::one_set ? random_.below(count / per_set_) * per_set_ : random_.below(count);
    at_ = first_;
    mix_ = random_.below(6);
    load_ = random_.below(5) == 0 ? 1000 : 0;
    for (std::uint32_t& ready : ready_) {
        const std::uint32_t kind = random_.below(8);
        ready = kind < 4 ? 1000 : kind < 7 ? 100 + random_.below(800) : 0;
    }
    // Nothing at all moves for a while, but not for long.
    if (std::count(ready_, ready_ + 4, 0U) > 0) left_ = std::min<std::uint32_t>(left_, 40 + random_.below(120));
    const std::uint32_t latency = random_.below(4);
    least_latency_ = latency == 0 ? 1 : latency == 1 ? 20 : 1 + random_.below(100);
    spread_ = random_.below(3) == 0 ? 1 : 1 + random_.below(100);
}

LlcTraffic::Willing LlcTraffic::next(std::uint32_t load)
{
    if (left_ == 0) begin_stretch();
    --left_;
    const auto ready = [this](unsigned which) { return ready_[which] == 1000 || random_.happens(ready_[which]); };
    return {random_.happens(std::max(load, load_)), ready(0), ready(1), ready(2), ready(3),
        random_.below(3000 + 20 * parameters_.sets * parameters_.ways) == 0};
}

std::uint32_t LlcTraffic::choose_line()
{
    const auto count = static_cast<std::uint32_t>(lines_.size());
    switch (pattern_) {
    case Pattern::any: return random_.below(count);
    case Pattern::hot: return (first_ + (random_.below(10) == 0 ? random_.below(count) : random_.below(2))) % count;
    case Pattern::one_set: return first_ + random_.below(std::min(per_set_, count - first_));
    case Pattern::stream: return at_ = at_ + 1 == count ? 0 : at_ + 1;
    case Pattern::few: return (first_ + random_.below(parameters_.ways)) % count;
    }
    return 0;
}

void LlcTraffic::make_request(LineBits& request, std::uint32_t line, std::uint32_t tag)
{
    //                                      read full part atomic fetch, of 100
    static constexpr std::uint32_t mixes[6][5] = {{30, 20, 20, 15, 15}, {96, 1, 1, 1, 1}, {5, 90, 3, 1, 1},
        {10, 5, 80, 5, 0}, {4, 3, 3, 45, 45}, {45, 10, 45, 0, 0}};
    std::uint32_t kind = 0;
    for (std::uint32_t pick = random_.below(100); pick >= mixes[mix_][kind]; ++kind) pick -= mixes[mix_][kind];
    unsigned op = kind;
    unsigned size = 64;
    unsigned offset = 0;
    unsigned function = random_.below(8);
    if (kind == 1) {
        op = 1;
    } else if (kind == 2 || (kind == 0 && random_.below(2) == 0)) {
        op = kind == 2 ? 1 : 0;
        size = 1 + random_.below(64);
        offset = random_.below(65 - size);
    } else if (kind >= 3) {
        op = kind - 1;
        size = random_.below(2) == 0 ? 4 : 8;
        offset = random_.below(64 / size) * size;
        // Words that many atomics meet on.
        if (random_.below(2) == 0) offset = 0;
        function = random_.below(5);
    }
    request.set_place(static_cast<std::uint16_t>(random_.next()), lines_[line] << 6 | offset);
    request.set_rest(static_cast<std::uint16_t>(random_.next()), op, false, size, function,
        static_cast<unsigned>(random_.next() & 0xffU), tag, random_.below(2) == 0);
    for (unsigned i = 0; i < 64; i += 8) {
        // Small numbers and small halves among them, so that comparisons come out either way.
        std::uint64_t word = random_.next();
        if (op >= 2 && (word & 1) != 0) word = random_.below(3) | (word & 2) << 33;
        std::memcpy(request.data() + i, &word, sizeof word);
    }
}

std::uint32_t LlcTraffic::memory_latency() { return least_latency_ + random_.below(spread_); }

}  // namespace weft::test
