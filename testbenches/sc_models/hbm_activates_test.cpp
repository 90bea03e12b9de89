#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "sc_models/memory/hbm_activates.h"

namespace hbm_activates_test {

using weft::HbmActivates;
using weft::Time;

namespace {

bool allowed(std::vector<Time> times, Time rrd, Time faw)
{
    std::sort(times.begin(), times.end());
    for (std::size_t i = 1; i < times.size(); ++i)
        if (times[i] < times[i - 1] + rrd) return false;
    for (std::size_t i = 4; i < times.size(); ++i)
        if (times[i] < times[i - 4] + faw) return false;
    return true;
}

}  // namespace

TEST(HbmActivates, TheFirstFreeTimeAmongThoseBooked)
{
    HbmActivates activates(3, 20);
    EXPECT_EQ(activates.book(10, 10), 10u);
    EXPECT_EQ(activates.book(10, 10), 13u);
    EXPECT_EQ(activates.book(100, 10), 100u);
    EXPECT_EQ(activates.book(10, 10), 16u);  // what comes later is not in the way
    EXPECT_EQ(activates.book(10, 10), 19u);
    EXPECT_EQ(activates.book(10, 10), 30u);   // the window is full until 10 + 20
    EXPECT_EQ(activates.book(98, 10), 103u);  // 3 on both sides of 100
    EXPECT_EQ(activates.book(106, 10), 106u);
    EXPECT_EQ(activates.book(109, 10), 109u);
    EXPECT_EQ(activates.book(90, 10), 120u);  // 109 would be the fifth within 20; so would 100 be
    EXPECT_EQ(activates.book(89, 10), 89u);
}

TEST(HbmActivates, AnyOrderOfBookingsKeepsTheRulesAndTakesTheFirstTime)
{
    std::mt19937 random(1);
    for (const auto& [rrd, faw] :
        std::vector<std::pair<Time, Time>>{{3, 20}, {5, 0}, {0, 20}, {0, 0}, {4, 16}, {1, 40}}) {
        HbmActivates activates(rrd, faw);
        std::vector<Time> booked;
        Time now = 0;
        for (unsigned i = 0; i < 200; ++i) {
            now += random() % 12;
            const Time earliest = now + (random() % 3 == 0 ? random() % 60 : 0);
            const Time at = activates.book(earliest, now);
            ASSERT_GE(at, earliest);
            for (Time sooner = earliest; sooner < at; ++sooner) {
                std::vector<Time> instead = booked;
                instead.push_back(sooner);
                ASSERT_FALSE(allowed(instead, rrd, faw)) << sooner << " would have done before " << at;
            }
            booked.push_back(at);
            ASSERT_TRUE(allowed(booked, rrd, faw)) << at;
            // Those long past decide nothing any more.
            booked.erase(std::remove_if(booked.begin(), booked.end(), [now](Time t) { return t + 200 < now; }),
                booked.end());
        }
    }
}

// Many ahead of time, and few again: none is forgotten.
TEST(HbmActivates, ManyAheadAndFewAgain)
{
    HbmActivates activates(3, 20);
    for (unsigned i = 0; i < 24; ++i) EXPECT_EQ(activates.book(0, 0), Time{i / 4} * 20 + i % 4 * 3);
    EXPECT_EQ(activates.book(82, 82), 120u);  // 80 to 109 are all taken
    EXPECT_EQ(activates.book(110, 110), 123u);
    EXPECT_EQ(activates.book(200, 200), 200u);
    for (unsigned i = 1; i < 24; ++i) EXPECT_EQ(activates.book(200, 200), 200 + Time{i / 4} * 20 + i % 4 * 3);
}

}  // namespace hbm_activates_test
