#include "base/divider.h"

#include <array>

#include <gtest/gtest.h>

namespace divider_test {

using weft::Divider;

TEST(Divider, AgreesWithTheHost)
{
    for (std::uint32_t divisor : {1U, 2U, 3U, 7U, 48U, 80U, 1000U, 1600U, 65535U, 1U << 20}) {
        const Divider divider(divisor);
        std::uint64_t value = 12345;
        for (int i = 0; i < 100000; ++i) {
            value = (value * 6364136223846793005U + 1442695040888963407U);
            const std::array<std::uint64_t, 4> values{value >> 20, value >> 20 << 3 & ((1ULL << 44) - 1),
                (value >> 40) * divisor, (value >> 41) * divisor + divisor - 1};
            for (const std::uint64_t v : values) {
                ASSERT_EQ(divider.quotient(v), v / divisor) << v << " / " << divisor;
                ASSERT_EQ(divider.remainder(v), v % divisor);
            }
        }
    }
}

}  // namespace divider_test
