#include "testbenches/infragraph/sha256.h"

#include <array>
#include <cstdint>

namespace weft::test {

namespace {

std::uint32_t rotate(std::uint32_t x, int n) { return x >> n | x << (32 - n); }

// The constants are the first 32 bits of the fractions of the cube roots of the first 64 primes; they are
// computed here in integers: floor(cbrt(p) * 2^32) mod 2^32, and sqrt likewise for the start values.
__extension__ typedef unsigned __int128 Wide;

std::uint32_t root_fraction(std::uint64_t prime, int power)
{
    // Largest r with r^power <= prime * 2^(32 * power).
    std::uint64_t root = 0;
    for (int bit = 36; bit >= 0; --bit) {
        const std::uint64_t trial = root | std::uint64_t{1} << bit;
        // Compare trial^power with prime << (32 * power) by halves, to stay inside 128 bits.
        const Wide square = static_cast<Wide>(trial) * trial;
        bool fits = false;
        if (power == 2) {
            fits = square <= static_cast<Wide>(prime) << 64;
        } else {
            // trial^3 <= prime * 2^96  <=>  trial^2 <= floor(prime * 2^96 / trial)
            const Wide high = (static_cast<Wide>(prime) << 64) / trial;
            const Wide rest = (static_cast<Wide>(prime) << 64) % trial;
            const Wide quotient = (high << 32) + ((rest << 32) / trial);
            fits = square <= quotient;
        }
        if (fits) root = trial;
    }
    return static_cast<std::uint32_t>(root);
}

struct Constants {
    std::array<std::uint32_t, 64> round{};
    std::array<std::uint32_t, 8> start{};

    Constants()
    {
        std::size_t found = 0;
        for (std::uint64_t n = 2; found < 64; ++n) {
            bool prime = true;
            for (std::uint64_t d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
            if (!prime) continue;
            round[found] = root_fraction(n, 3);
            if (found < 8) start[found] = root_fraction(n, 2);
            ++found;
        }
    }
};

void compress(std::array<std::uint32_t, 8>& state, const char* block, const Constants& constants)
{
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t k = 0; k < 4; ++k) w[i] = w[i] << 8 | static_cast<unsigned char>(block[4 * i + k]);
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        const std::uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto v = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        const std::uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const std::uint32_t t1 = v[7] + s1 + choose + constants.round[i] + w[i];
        const std::uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        const std::uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        v = {t1 + s0 + majority, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) state[i] += v[i];
}

}  // namespace

std::string sha256_hex(std::string_view data)
{
    static const Constants constants;
    std::string padded(data);
    padded += static_cast<char>(0x80);
    while (padded.size() % 64 != 56) padded += '\0';
    const std::uint64_t bits = std::uint64_t{data.size()} * 8;
    for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift & 0xff);
    auto state = constants.start;
    for (std::size_t i = 0; i < padded.size(); i += 64) compress(state, padded.data() + i, constants);
    std::string hex;
    for (const std::uint32_t word : state)
        for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 0xfU];
    return hex;
}

}  // namespace weft::test
