// The level-1 cache by itself: what it finds, keeps, forgets and hands back.
#include <cstring>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "sc_models/l1_cache.h"
#include "tlm_interconnect/protocol/line_pool.h"

namespace l1_cache_test {

using namespace weft;

namespace {

using Outcome = L1Cache::Outcome;

struct Cache {
    explicit Cache(const L1Spec& spec, bool data_on = true) : cache(spec, data_on) {}

    L1Cache::Answer load(std::uint64_t address, std::uint32_t bytes = 8)
    {
        Line& line = pool.take();
        line.begin(LineOp::read, address, bytes);
        lines.push_back(&line);
        return cache.look_up(line);
    }
    // Fetches what misses, with `value` in every byte.
    Outcome touch(std::uint64_t address, std::uint8_t value = 0)
    {
        const L1Cache::Answer answer = load(address);
        if (answer.outcome == Outcome::miss) fill(answer.fetch, value);
        return answer.outcome;
    }
    L1Cache::Filled fill(std::uint32_t fetch, std::uint8_t value = 0)
    {
        std::uint8_t sector[line_bytes];
        std::memset(sector, value, sizeof sector);
        return cache.fill(fetch, sector);
    }

    LinePool pool;
    L1Cache cache;
    std::vector<Line*> lines;
};

L1Spec small(std::uint64_t size, std::uint64_t ways = 2)
{
    L1Spec spec;
    spec.size = size;
    spec.ways = ways;
    return spec;
}

}  // namespace

TEST(L1Cache, FindsASectorThatWasFilled)
{
    Cache c(small(1024));
    EXPECT_EQ(c.touch(0, 7), Outcome::miss);
    EXPECT_EQ(c.lines[0]->data()[0], 7);
    EXPECT_EQ(c.touch(8), Outcome::hit);
    EXPECT_EQ(c.lines[1]->data()[0], 7);
}

TEST(L1Cache, ATagCoversTwoSectorsThatAreFetchedApart)
{
    Cache c(small(256, 1));  // two tags
    EXPECT_EQ(c.touch(0), Outcome::miss);
    EXPECT_EQ(c.touch(64), Outcome::miss);
    EXPECT_EQ(c.touch(0), Outcome::hit);
    EXPECT_EQ(c.touch(256), Outcome::miss);  // takes the place of both
    EXPECT_EQ(c.touch(64), Outcome::miss);
    L1Spec lines = small(256, 1);
    lines.line = 64;  // four tags
    Cache d(lines);
    for (const std::uint64_t address : {0, 64, 128, 192}) EXPECT_EQ(d.touch(address), Outcome::miss);
    EXPECT_EQ(d.touch(256), Outcome::miss);
    EXPECT_EQ(d.touch(64), Outcome::hit);
    EXPECT_EQ(d.touch(0), Outcome::miss);
}

TEST(L1Cache, TheLeastRecentlyUsedGoes)
{
    Cache c(small(256, 2));  // one set
    c.touch(0);
    c.touch(128);
    c.touch(0);
    c.touch(256);
    EXPECT_EQ(c.touch(0), Outcome::hit);
    EXPECT_EQ(c.touch(128), Outcome::miss);
}

TEST(L1Cache, LoadsOfASectorOnItsWayWaitForIt)
{
    Cache c(small(1024));
    const L1Cache::Answer first = c.load(0);
    EXPECT_EQ(c.load(16).outcome, Outcome::merged);
    EXPECT_EQ(c.load(64).outcome, Outcome::miss);
    const L1Cache::Filled filled = c.fill(first.fetch, 9);
    EXPECT_EQ(filled.answered, c.lines[0]);
    EXPECT_EQ(filled.answered->next, c.lines[1]);
    EXPECT_EQ(c.lines[1]->next, nullptr);
    EXPECT_EQ(c.lines[1]->data()[0], 9);
}

TEST(L1Cache, WithoutRoomForAMissLoadsComeBack)
{
    L1Spec spec = small(1024);
    spec.outstanding_misses = 1;
    Cache c(spec);
    const L1Cache::Answer first = c.load(0);
    EXPECT_EQ(c.load(64).outcome, Outcome::full);
    EXPECT_EQ(c.load(0).outcome, Outcome::merged);
    EXPECT_EQ(c.load(128).outcome, Outcome::full);
    const L1Cache::Filled filled = c.fill(first.fetch);
    EXPECT_EQ(filled.again, c.lines[1]);
    EXPECT_EQ(filled.again->next, c.lines[3]);
    EXPECT_EQ(c.cache.look_up(*filled.again).outcome, Outcome::miss);
    EXPECT_EQ(c.cache.counts().full, 2u);
}

TEST(L1Cache, StoresChangeWhatIsThereAndFetchNothing)
{
    Cache c(small(1024));
    const std::uint8_t five[8] = {5, 5, 5, 5, 5, 5, 5, 5};
    c.cache.store(0, five, 8);
    EXPECT_EQ(c.touch(0, 1), Outcome::miss);
    c.cache.store(8, five, 8);
    c.touch(0);
    EXPECT_EQ(c.lines[1]->data()[0], 1);
    c.touch(8);
    EXPECT_EQ(c.lines[2]->data()[0], 5);
}

TEST(L1Cache, ASectorStoredToWhileItIsFetchedIsNotKept)
{
    Cache c(small(1024));
    const std::uint8_t five[8] = {5, 5, 5, 5, 5, 5, 5, 5};
    const L1Cache::Answer first = c.load(0);
    c.cache.store(0, five, 8);
    // A load behind the store must not be answered with what was there before it.
    EXPECT_EQ(c.load(0).outcome, Outcome::miss);
    c.fill(first.fetch, 1);
    EXPECT_EQ(c.lines[0]->data()[0], 1);
    EXPECT_EQ(c.load(0).outcome, Outcome::merged);  // with the second fetch
}

TEST(L1Cache, AfterAnInvalidationNothingIsThere)
{
    Cache c(small(1024));
    c.touch(0);
    const L1Cache::Answer late = c.load(64);
    c.cache.invalidate();
    EXPECT_EQ(c.load(0).outcome, Outcome::miss);
    EXPECT_EQ(c.load(64).outcome, Outcome::miss);
    c.fill(late.fetch, 3);  // was asked for before: answered, not kept
    EXPECT_EQ(c.lines[1]->data()[0], 3);
    EXPECT_EQ(c.load(64).outcome, Outcome::merged);
}

TEST(L1Cache, DropsOneSector)
{
    Cache c(small(1024));
    c.touch(0);
    c.touch(64);
    c.cache.drop(0);
    EXPECT_EQ(c.touch(64), Outcome::hit);
    EXPECT_EQ(c.touch(0), Outcome::miss);
}

// Beside a list of sets in order of use.
TEST(L1Cache, AgreesWithAReferenceOverRandomUse)
{
    constexpr std::uint64_t ways = 3;
    constexpr std::uint64_t sets = 5;
    Cache c(small(ways * sets * 128, ways));
    std::map<std::uint64_t, std::vector<std::pair<std::uint64_t, unsigned>>> reference;  // tag, sectors; latest first
    std::mt19937 random(3);
    unsigned hits = 0;
    for (unsigned i = 0; i < 200'000; ++i) {
        if (random() % 5'000 == 0) {
            c.cache.invalidate();
            reference.clear();
        }
        const std::uint64_t number = random() % 64;
        auto& set = reference[number / 2 % sets];
        const auto known = std::find_if(set.begin(), set.end(), [&](const auto& e) { return e.first == number / 2; });
        const unsigned bit = 1U << number % 2;
        const bool hit = known != set.end() && (known->second & bit) != 0;
        std::pair<std::uint64_t, unsigned> entry{number / 2, bit};
        if (known != set.end()) {
            entry.second |= known->second;
            set.erase(known);
        }
        set.insert(set.begin(), entry);
        if (set.size() > ways) set.pop_back();
        hits += hit ? 1 : 0;
        ASSERT_EQ(c.touch(number * line_bytes) == Outcome::hit, hit) << i;
        c.pool.give(*c.lines.back());
        c.lines.clear();
    }
    EXPECT_GT(hits, 20'000u);
    EXPECT_EQ(c.cache.counts().hits, hits);
    EXPECT_EQ(c.cache.counts().misses, 200'000u - hits);
}

}  // namespace l1_cache_test
