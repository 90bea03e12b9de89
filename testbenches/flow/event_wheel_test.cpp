// The order in which a wheel gives events back.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "collectives/flow/event_wheel.h"
#include "collectives/flow/links/flat_map.h"

namespace event_wheel_test {

using namespace weft;

TEST(EventWheel, GivesEventsByTimeAndThenByOrderOfPushing)
{
    // A small wheel, so that buckets, the open bucket and the heap all take part.
    EventWheel<3, 6> wheel;
    std::mt19937_64 random(7);
    struct Pending {
        std::uint64_t time;
        std::uint32_t index;
    };
    std::vector<Pending> pending;
    std::uint64_t now = 0;
    std::uint32_t pushed = 0;
    for (int round = 0; round < 20000; ++round) {
        if (pending.empty() || random() % 5 < 3) {
            const std::uint64_t reach = random() % 20 == 0 ? 5000 : 60;
            const std::uint64_t time = now + random() % reach;
            wheel.push(time, 1, pushed);
            pending.push_back({time, pushed++});
            continue;
        }
        const auto earliest = std::min_element(pending.begin(), pending.end(),
            [](const Pending& a, const Pending& b) { return a.time != b.time ? a.time < b.time : a.index < b.index; });
        ASSERT_EQ(wheel.size(), pending.size());
        ASSERT_EQ(wheel.front().time, earliest->time);
        ASSERT_EQ(wheel.front().index, earliest->index);
        now = wheel.front().time;
        wheel.pop();
        pending.erase(earliest);
    }
    EXPECT_GT(pushed, 10000U);
}

TEST(EventWheel, TakesWhatIsDueBeforeTheOpenBucket)
{
    EventWheel<3, 6> wheel;
    wheel.push(100, 0, 1);
    EXPECT_EQ(wheel.front().time, 100U);  // its bucket is open
    wheel.push(50, 0, 2);
    EXPECT_EQ(wheel.front().index, 2U);
    wheel.pop();
    EXPECT_EQ(wheel.front().index, 1U);
}

TEST(FlatMap, FindsWhatWasPutIn)
{
    FlatMap map;
    EXPECT_EQ(map.find(0), FlatMap::none);
    for (std::uint64_t i = 0; i < 5000; ++i) map.insert(i * 0x100000001ULL, static_cast<std::uint32_t>(i));
    for (std::uint64_t i = 0; i < 5000; ++i) ASSERT_EQ(map.find(i * 0x100000001ULL), i);
    EXPECT_EQ(map.find(5000 * 0x100000001ULL), FlatMap::none);
    EXPECT_EQ(map.find(1), FlatMap::none);
}

}  // namespace event_wheel_test
