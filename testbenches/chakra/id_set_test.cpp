#include "collectives/chakra/id_set.h"

#include <cstdint>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace id_set_test {

using weft::chakra::IdSet;

TEST(IdSet, DenseIdsInAnyOrderEndAsOneInterval)
{
    IdSet ids;
    for (std::uint64_t i = 0; i < 64000; ++i) EXPECT_TRUE(ids.insert(i * 7919 % 64000));
    EXPECT_EQ(ids.size(), 64000U);
    EXPECT_EQ(ids.pieces(), 1U);
    EXPECT_FALSE(ids.insert(63999));
    EXPECT_FALSE(ids.contains(64000));
}

TEST(IdSet, AgreesWithAnOrdinarySet)
{
    std::mt19937_64 random(1);
    IdSet ids;
    std::set<std::uint64_t> expected;
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t near_zero = random() % 3000;
        const std::uint64_t id = i % 3 == 0 ? ~near_zero : near_zero;
        EXPECT_EQ(ids.insert(id), expected.insert(id).second);
        const std::uint64_t probe = random() % 3100;
        EXPECT_EQ(ids.contains(probe), expected.count(probe) != 0);
        EXPECT_EQ(ids.contains(~probe), expected.count(~probe) != 0);
    }
    EXPECT_EQ(ids.size(), expected.size());
}

}  // namespace id_set_test
