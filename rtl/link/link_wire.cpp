#include "rtl/link/link_wire.h"

#include <cmath>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;

std::uint64_t mix(std::uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

void flip(WireFlit& flit, unsigned bit, unsigned flit_bytes)
{
    if (bit < 8 * flit_bytes)
        flit.bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    else if (bit == 8 * flit_bytes)
        flit.head = !flit.head;
    else
        flit.tail = !flit.tail;
}

}  // namespace

LinkWire::LinkWire(unsigned flit_bytes, unsigned latency, double bit_error_rate, std::uint64_t seed)
    : flit_bytes_(flit_bytes), rate_(bit_error_rate), state_(mix(mix(seed) + step)), places_(latency)
{
    if (latency < 1 || latency > 1'000'000)
        throw InputError("", 0, fmt::format("link wire: latency is {}", latency), "1 to 1000000 clocks");
    if (!(bit_error_rate >= 0 && bit_error_rate < 1))
        throw InputError("", 0, fmt::format("link wire: bit error rate is {}", bit_error_rate), "0 or more, below 1");
    clean_ = gap();
}

std::uint64_t LinkWire::draw()
{
    state_ += step;
    return mix(state_);
}

// Right bits before the next wrong one: geometric.
std::uint64_t LinkWire::gap()
{
    constexpr std::uint64_t never = std::uint64_t{1} << 62;
    if (rate_ == 0) return never;
    const double uniform = (static_cast<double>(draw() >> 11) + 0.5) * 0x1p-53;
    const double bits = std::log(uniform) / std::log1p(-rate_);
    return bits < 0x1p62 ? static_cast<std::uint64_t>(bits) : never;
}

bool LinkWire::spoil(WireFlit& flit, bool& hit)
{
    const std::uint64_t bits = 8 * flit_bytes_ + 2;
    bool arrives = true;
    std::uint64_t at = clean_;
    for (; at < bits; at += 1 + gap()) {
        flip(flit, static_cast<unsigned>(at), flit_bytes_);
        hit = true;
    }
    clean_ = at - bits;
    for (auto [next, end] = planned_.equal_range(flits_); next != end; next = planned_.erase(next)) {
        if (next->second < 0)
            arrives = false;
        else
            flip(flit, static_cast<unsigned>(next->second), flit_bytes_);
        hit = true;
    }
    return arrives;
}

bool LinkWire::clock(const WireFlit* flit)
{
    if (next() == 0) {
        first_ = first_ + 1 == places_.size() ? 0 : first_ + 1;
        --under_way_;
    }
    bool hit = false;
    if (flit != nullptr) {
        const std::size_t last = first_ + under_way_;
        Place& place = places_[last < places_.size() ? last : last - places_.size()];
        place.flit = *flit;
        place.due = now_ + places_.size();
        if ((rate_ == 0 && planned_.empty()) || spoil(place.flit, hit)) ++under_way_;
        flits_hit_ += hit;
        ++flits_;
    }
    ++now_;
    return hit;
}

}  // namespace weft
