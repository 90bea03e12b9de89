#include <algorithm>
#include <deque>
#include <random>

#include <gtest/gtest.h>

#include "tlm_interconnect/protocol/credit_account.h"

namespace weft {
namespace {

// The account to compare with, of one channel: it keeps the time of every credit.
struct PlainAccount {
    std::deque<Time> due;  // when each can be used, in the order in which they will be taken
    std::uint32_t all;

    explicit PlainAccount(std::uint32_t count) : due(count, 0), all(count) {}
    bool take(Time now)
    {
        if (due.empty() || due.front() > now) return false;
        due.pop_front();
        return true;
    }
    bool give(Time time, std::uint32_t count)
    {
        if (due.size() + count > all) return false;
        if (!due.empty()) time = std::max(time, due.back());
        due.insert(due.end(), count, time);
        return true;
    }
    Time next_later(Time now) const
    {
        const auto later = std::find_if(due.begin(), due.end(), [now](Time time) { return time > now; });
        return later == due.end() ? CreditAccount::no_time : *later;
    }
};

// Whether credits stay away for long, so that all are on their way, or come back at once, and whether the account may forget when they
// came or not: it gives what was given to it, in order, and no more.
void expect_agreement(std::uint32_t credits)
{
    const std::uint8_t vc = vc_of(VcClass::request, 0);
    std::mt19937_64 random(credits);
    for (const Time away : {Time{10}, Time{1000}, Time{100'000}}) {
        for (const bool settles : {true, false}) {
            CreditAccount account;
            account.grant(BufferSpace::of(credits, 4));
            PlainAccount plain(credits);
            std::uint32_t taken = 0;
            Time now = 0;
            for (int step = 0; step < 20'000; ++step) {
                now += random() % 40;
                if (random() % 2 == 0) {
                    const bool there = account.take(vc, now);
                    ASSERT_EQ(there, plain.take(now));
                    taken += there ? 1 : 0;
                } else if (taken > 0) {
                    const std::uint32_t count = std::min<std::uint32_t>(taken, 1 + random() % 8);
                    const Time due = now + random() % away;
                    ASSERT_TRUE(plain.give(due, count));
                    ASSERT_TRUE(count == 1 ? account.give(vc, due, settles ? now : 0)
                                           : account.give_wide(vc, due, count, settles ? now : 0));
                    taken -= count;
                } else {
                    ASSERT_FALSE(account.give(vc, now, settles ? now : 0));
                }
                ASSERT_EQ(account.available(vc, now), !plain.due.empty() && plain.due.front() <= now);
                const auto here = static_cast<std::uint32_t>(
                    std::count_if(plain.due.begin(), plain.due.end(), [now](Time due) { return due <= now; }));
                ASSERT_EQ(account.used(vc, now), credits - here);
                if (here == 0) {
                    ASSERT_EQ(account.next_own(vc), plain.next_later(now));
                } else if (!settles) {
                    ASSERT_EQ(account.ready(vc), plain.due.front());
                }
            }
        }
    }
}

TEST(CreditAccount, AgreesWithOneThatKeepsEveryCreditApart)
{
    for (const std::uint32_t credits : {1U, 3U, 16U, 17U, 100U, 512U}) expect_agreement(credits);
}

}  // namespace
}  // namespace weft
