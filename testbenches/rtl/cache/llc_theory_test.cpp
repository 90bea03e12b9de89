// Numbers that follow from the parameters, in block and reference model alike.
#include <algorithm>

#include "testbenches/rtl/cache/llc_script.h"
#include "testbenches/rtl/cache/llc_sets.h"

namespace weft::llc_theory_test {
namespace {

using test::llc_add;
using test::llc_read;
using test::llc_write;
using test::LlcScript;

class LlcTheory : public test::LlcKindTest {
protected:
    // The address of line number i of a set.
    static std::uint64_t address(const LlcParameters& p, std::uint64_t set, std::uint64_t i)
    {
        return (i * p.sets + set) << p.index_low << 6;
    }
    // Clocks for each of `count` answers, with as many after them.
    static double interval(const LlcScript& script, std::size_t count)
    {
        const std::vector<std::uint32_t>& order = script.order();
        const std::size_t last = order.size() - 1 - count;
        return static_cast<double>(script.answer(order[last]).answered - script.answer(order[last - count]).answered) /
            static_cast<double>(count);
    }
    static double hit_interval(const LlcParameters& p)
    {
        return std::max({1.0, (p.tag_clocks + 1.0) / p.queue, (p.data_clocks + 1.0) / p.responses});
    }
};

TEST_P(LlcTheory, HitLatency)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block);
        const std::uint64_t place = address(p, 1, 5);
        script.ask(llc_read(place));
        ASSERT_TRUE(script.finish());
        for (const LineBits& request : {llc_read(place + 3, 7), llc_write(place), llc_write(place + 1, 2),
                 llc_add(place, 1), llc_add(place + 8, 1, false)}) {
            script.run(p.modify_clocks + 1);
            const std::uint32_t number = script.ask(request);
            ASSERT_TRUE(script.finish());
            EXPECT_EQ(script.latency(number), p.tag_clocks + p.data_clocks);
            EXPECT_EQ(script.latency(number), p.hit_latency());
        }
        // A whole line needs no fill.
        const std::uint32_t number = script.ask(llc_write(address(p, 0, 9)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.latency(number), p.hit_latency());
        EXPECT_EQ(script.reads.size(), 1U);
        EXPECT_EQ(script.hits, 6U);
        EXPECT_EQ(script.misses, 1U);
    }
}

TEST_P(LlcTheory, MissLatency)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        for (const std::uint32_t memory : {1U, 7U, 60U}) {
            LlcScript script(*block, memory);
            std::uint64_t line = 1;
            for (const LineBits& request : {llc_read(address(p, 1, line++)), llc_write(address(p, 1, line++), 32),
                     llc_add(address(p, 0, line++), 1)}) {
                const std::uint32_t number = script.ask(request);
                ASSERT_TRUE(script.finish());
                EXPECT_EQ(script.latency(number), p.tag_clocks + 1 + memory + p.data_clocks);
                EXPECT_EQ(script.latency(number), p.miss_latency(memory));
                EXPECT_EQ(script.reads.back().clock, script.answer(number).taken + p.tag_clocks + 1);
            }
        }
    }
}

TEST_P(LlcTheory, HitsComeOneAClock)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block);
        for (int i = 0; i < 3; ++i) script.ask(llc_read(address(p, 0, 0)));
        ASSERT_TRUE(script.finish());
        const std::size_t count = 12ULL * p.queue * p.responses;
        for (std::size_t i = 0; i < 3 * count; ++i) script.ask(llc_read(address(p, 0, 0)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(interval(script, count), hit_interval(p));
        EXPECT_EQ(hit_interval(p) == 1, p.queue > p.tag_clocks && p.responses > p.data_clocks);
        // Whole lines written over one another wait for none of them.
        for (std::size_t i = 0; i < 3 * count; ++i) script.ask(llc_write(address(p, 1, 0)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(interval(script, count), hit_interval(p));
    }
}

TEST_P(LlcTheory, MissesKeepLittlesLaw)
{
    for (LlcParameters p : test::all_sets()) {
        const auto block = make(p);
        for (const std::uint32_t memory : {3U, 100U}) {
            LlcScript script(*block, memory);
            // As many at once as there are entries, or ways in their sets.
            const std::uint32_t count = 240;
            for (std::uint32_t i = 0; i < 3 * count; ++i) script.ask(llc_read(address(p, i % p.sets, i / p.sets)));
            ASSERT_TRUE(script.finish());
            const double entries = std::min(p.mshrs, p.sets * p.ways);
            EXPECT_EQ(interval(script, count), std::max({2.0, (memory + 2) / entries, hit_interval(p)})) << memory;
            EXPECT_EQ(script.misses, 3 * count);
        }
        // One set: its ways are the limit.
        LlcScript script(*block, 100);
        const std::uint32_t count = 3 * 5 * 16;
        for (std::uint32_t i = 0; i < 3 * count; ++i) script.ask(llc_read(address(p, 0, i)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(interval(script, count), 102.0 / std::min(p.mshrs, p.ways));
    }
}

TEST_P(LlcTheory, AtomicsOnOneWord)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block);
        script.ask(llc_read(address(p, 0, 0)));
        ASSERT_TRUE(script.finish());
        const std::size_t count = 12ULL * p.queue * p.responses;
        for (std::size_t i = 0; i < 3 * count; ++i) script.ask(llc_add(address(p, 0, 0) + 8, 1));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(interval(script, count), std::max<double>(p.atomic_interval(), hit_interval(p)));
        for (std::uint32_t i = 1; i <= 3 * count; ++i) ASSERT_EQ(script.answer(i).word(), i - 1);
    }
}

TEST_P(LlcTheory, RequestsToALineOnItsWayMerge)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        const std::uint32_t requests = p.merges + 6;
        LlcScript script(*block, 300);
        for (std::uint32_t i = 0; i < requests; ++i) script.ask(llc_add(address(p, 1, 7), 1));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.misses, 1U);
        EXPECT_EQ(script.merged, p.merges);
        EXPECT_EQ(script.hits, requests - 1 - p.merges);
        EXPECT_EQ(script.reads.size(), 1U);
        // In order, as one list: the fill, then one each interval, none before there is room for its answer.
        for (std::uint32_t i = 0; i < requests; ++i) EXPECT_EQ(script.answer(i).word(), i);
        if (p.responses > p.data_clocks) {
            for (std::uint32_t i = 0; i <= p.merges; ++i)
                EXPECT_EQ(script.answer(i).answered,
                    script.answer(0).taken + p.miss_latency(300) + i * p.atomic_interval());
        }
    }
}

TEST_P(LlcTheory, FlushOfACleanSlice)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block);
        script.ask(llc_read(address(p, 1, 0)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.flush(), p.sets * p.ways + 1);
        EXPECT_TRUE(script.writes.empty());
        script.run(2);
        EXPECT_TRUE(script.out.idle);
        // Once more, now with a line to write.
        script.ask(llc_write(address(p, 1, 0)));
        ASSERT_TRUE(script.finish());
        script.run(2 + p.modify_clocks);
        script.flush();
        EXPECT_EQ(script.writes.size(), 1U);
        // It is still there.
        script.ask(llc_read(address(p, 1, 0)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.misses, 1U);
    }
}

// Every parameter moves what it should, and the way it should.
TEST_P(LlcTheory, Parameters)
{
    LlcParameters base;
    base.sets = 4;
    base.ways = 4;
    base.mshrs = 4;
    base.queue = 4;
    base.responses = 4;
    base.write_backs = 4;
    struct Measured {
        std::uint64_t hit, miss, atomics, hits_of_circle, misses_at_once, merged, burst, writes;
    };
    const auto measure = [&](const LlcParameters& p) {
        Measured m{};
        const auto block = make(p);
        LlcScript first(*block, 20);
        first.ask(llc_read(0));
        EXPECT_TRUE(first.finish());
        m.miss = first.latency(0);
        first.ask(llc_read(0));
        EXPECT_TRUE(first.finish());
        m.hit = first.latency(1);
        for (int i = 0; i < 20; ++i) first.ask(llc_add(0, 1));
        EXPECT_TRUE(first.finish());
        m.atomics = first.answer(21).answered - first.answer(2).answered;
        for (int i = 0; i < 20; ++i) first.ask(llc_read(0));
        EXPECT_TRUE(first.finish());
        m.burst = first.answer(41).answered - first.answer(22).answered;
        // 16 neighbours, twice: what hits the second time.
        LlcScript circle(*block, 20);
        for (std::uint64_t turn = 0; turn < 2; ++turn) {
            for (std::uint64_t i = 0; i < 16; ++i) circle.ask(llc_read(i * 64));
            EXPECT_TRUE(circle.finish());
        }
        m.hits_of_circle = circle.hits;
        LlcScript many(*block, 500);
        for (std::uint64_t i = 0; i < 16; ++i) many.ask(llc_read(i * 64));
        many.run(300);
        m.misses_at_once = many.misses;
        LlcScript same(*block, 500);
        for (std::uint64_t i = 0; i < 16; ++i) same.ask(llc_read(0));
        same.run(300);
        m.merged = same.merged;
        // Dirty lines that go while memory takes no writes.
        LlcScript dirty(*block, 20);
        dirty.mem_write_ready = false;
        for (std::uint64_t i = 0; i < 64; ++i) dirty.ask(llc_write(i * 64));
        dirty.run(300);
        m.writes = dirty.write_backs;
        return m;
    };
    const auto changed = [&](std::uint32_t LlcParameters::*parameter, std::uint32_t value) {
        LlcParameters p = base;
        p.*parameter = value;
        return measure(p);
    };
    const Measured m = measure(base);
    EXPECT_EQ(m.hits_of_circle, 16U);
    EXPECT_EQ(m.misses_at_once, 4U);
    EXPECT_EQ(m.merged, 4U);
    EXPECT_EQ(m.burst, 19U);
    EXPECT_EQ(m.writes, 4U);
    if (GetParam() == test::LlcKind::rtl) {
        // Those that move different numbers at once: every other block has to be verilated first.
        LlcParameters p = base;
        p.tag_clocks = 3;
        p.data_clocks = 6;
        p.modify_clocks = 3;
        p.mshrs = 7;
        p.merges = 9;
        p.write_backs = 9;
        const Measured other = measure(p);
        EXPECT_EQ(other.hit, m.hit + 4);
        EXPECT_EQ(other.miss, m.miss + 4);
        EXPECT_EQ(other.atomics, m.atomics + 19 * 2);
        EXPECT_EQ(other.misses_at_once, 7U);
        EXPECT_EQ(other.merged, 9U);
        EXPECT_EQ(other.writes, 9U);
        p = base;
        p.index_low = 3;
        p.queue = 1;
        p.responses = 2;
        const Measured third = measure(p);
        EXPECT_EQ(third.hits_of_circle, 0U);
        EXPECT_EQ(third.burst, 19U * 3);
        return;
    }
    EXPECT_EQ(changed(&LlcParameters::tag_clocks, 3).hit, m.hit + 1);
    EXPECT_EQ(changed(&LlcParameters::data_clocks, 6).hit, m.hit + 3);
    EXPECT_EQ(changed(&LlcParameters::data_clocks, 6).miss, m.miss + 3);
    EXPECT_EQ(changed(&LlcParameters::modify_clocks, 3).atomics, m.atomics + 19 * 2);
    EXPECT_EQ(changed(&LlcParameters::sets, 2).hits_of_circle, 0U);
    EXPECT_EQ(changed(&LlcParameters::ways, 3).hits_of_circle, 0U);
    EXPECT_EQ(changed(&LlcParameters::index_low, 3).hits_of_circle, 0U);
    EXPECT_EQ(changed(&LlcParameters::mshrs, 7).misses_at_once, 7U);
    EXPECT_EQ(changed(&LlcParameters::merges, 9).merged, 9U);
    EXPECT_EQ(changed(&LlcParameters::queue, 1).burst, 19U * 3);
    EXPECT_EQ(changed(&LlcParameters::responses, 2).burst, 9U * 4 + 1);
    EXPECT_EQ(changed(&LlcParameters::write_backs, 9).writes, 9U);
}

WEFT_LLC_KINDS(LlcTheory);

}  // namespace
}  // namespace weft::llc_theory_test
