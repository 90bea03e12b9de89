// A stream of random numbers, one for each module that draws any: the same for the same seed and number on every
// machine.
//
// SplitMix64 [Steele, Lea, Flood 2014]: a counter and a mixing function, so that streams need no set-up.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

namespace weft {

__extension__ using Wide = unsigned __int128;

// The number of the stream of whatever has this path (FNV-1a).
inline std::uint64_t stream_of(std::string_view path)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t number) : state_(mix(seed + 0x9e3779b97f4a7c15ULL) ^ mix(~number)) {}

    std::uint64_t next()
    {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mix(state_);
    }
    // 0 <= result < count; the bias is below count / 2^64.
    std::uint64_t below(std::uint64_t count)
    {
        return static_cast<std::uint64_t>(static_cast<Wide>(next()) * count >> 64U);
    }
    // 0 <= result < 1
    double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
    bool chance(double probability) { return uniform() < probability; }
    // Trials up to and including the first success, at least 1.
    std::uint64_t trials(double probability)
    {
        if (probability >= 1) return 1;
        if (probability != last_probability_) {  // a stream mostly asks for one
            last_probability_ = probability;
            last_log_ = std::log1p(-probability);
        }
        return 1 + static_cast<std::uint64_t>(std::log1p(-uniform()) / last_log_);
    }

    static std::uint64_t mix(std::uint64_t z)
    {
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }

private:
    std::uint64_t state_;
    double last_probability_ = 0;
    double last_log_ = -0.0;
};

}  // namespace weft
