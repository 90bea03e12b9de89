// Random numbers of the benches: the same everywhere, and quick.
#pragma once

#include <cstdint>

namespace weft::test {

class LlcRandom {
public:
    explicit LlcRandom(std::uint64_t seed) : state_(mixed(seed + 0x632be59bd9b4e019U)) {}

    std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>((next() >> 32) * bound >> 32); }
    // `permille` times in a thousand.
    bool happens(std::uint32_t permille) { return below(1000) < permille; }

private:
    static std::uint64_t mixed(std::uint64_t x)
    {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
        x = (x ^ x >> 27) * 0x94d049bb133111ebU;
        return x ^ x >> 31;
    }

    std::uint64_t state_;
};

}  // namespace weft::test
