// One situation each: conflicts, order, what waits for what, and that nothing waits for ever.
#include "testbenches/rtl/cache/llc_script.h"
#include "testbenches/rtl/cache/llc_sets.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft::llc_directed_test {
namespace {

using test::llc_add;
using test::llc_read;
using test::llc_request;
using test::llc_write;
using test::LlcScript;

class LlcDirected : public test::LlcKindTest {
protected:
    // The address of line number i of set 0.
    static std::uint64_t line(const LlcParameters& p, std::uint64_t i) { return i * p.sets << p.index_low << 6; }
};

TEST_P(LlcDirected, EveryAtomicOnEverySize)
{
    const LlcParameters p = test::odd();
    const auto block = make(p);
    const std::uint64_t numbers[] = {0, 1, 5, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x8000000000000000U,
        ~std::uint64_t{0}};
    for (const unsigned size : {4U, 8U}) {
        LlcScript script(*block, 2);
        struct Asked {
            std::uint32_t number;
            std::uint64_t before;
        };
        std::vector<Asked> asked;
        std::uint64_t word = 0;
        const std::uint64_t mask = size == 4 ? 0xffffffffU : ~std::uint64_t{0};
        // A neighbour on either side must stay as it is.
        const std::uint64_t place = 0x1000 + 16;
        script.ask(llc_write(place - size, size, 0x1122334455667788U));
        script.ask(llc_write(place, size, 0));
        script.ask(llc_write(place + size, size, 0x99aabbccddeeff00U));
        for (unsigned function = 0; function < atomic_ops; ++function)
            for (const std::uint64_t operand : numbers)
                for (const std::uint64_t comparand : {operand, word, word ^ std::uint64_t{1} << 32, std::uint64_t{1}}) {
                    const auto op = static_cast<AtomicOp>(function);
                    const unsigned fetch = asked.size() % 3 == 0 ? 2 : 3;
                    asked.push_back({script.ask(llc_request(fetch, place, size, operand, function, comparand)),
                        fetch == 3 ? word : 0});
                    word = result_of(op, word & mask, operand & mask, comparand & mask) & mask;
                }
        const std::uint32_t last = script.ask(llc_read(place, size));
        const std::uint32_t left = script.ask(llc_read(place - size, size));
        const std::uint32_t right = script.ask(llc_read(place + size, size));
        ASSERT_TRUE(script.finish());
        for (const Asked& a : asked) ASSERT_EQ(script.answer(a.number).word(), a.before) << a.number;
        EXPECT_EQ(script.answer(last).word(), word);
        EXPECT_EQ(script.answer(left).word(), 0x1122334455667788U & mask);
        EXPECT_EQ(script.answer(right).word(), 0x99aabbccddeeff00U & mask);
    }
}

TEST_P(LlcDirected, PartsOfALineMergeIntoItsFill)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block, 30);
        LlcScript::Contents& memory = script.memory(0);
        for (unsigned i = 0; i < 64; ++i) memory[i] = static_cast<std::uint8_t>(i + 1);
        script.ask(llc_write(3, 2, 0xbbaa));
        script.ask(llc_write(63, 1, 0xcc));
        script.ask(llc_write(0, 1, 0xdd));
        const std::uint32_t all = script.ask(llc_read(0));
        ASSERT_TRUE(script.finish());
        LlcScript::Contents wanted = memory;
        wanted[3] = 0xaa;
        wanted[4] = 0xbb;
        wanted[63] = 0xcc;
        wanted[0] = 0xdd;
        EXPECT_EQ(std::memcmp(script.answer(all).response.data(), wanted.data(), 64), 0);
        EXPECT_EQ(script.reads.size(), 1U);
        script.flush();
        EXPECT_EQ(script.memory(0), wanted);
    }
}

TEST_P(LlcDirected, TheLeastRecentlyUsedGoes)
{
    for (const LlcParameters& p : test::all_sets()) {
        if (p.ways < 3) continue;
        const auto block = make(p);
        LlcScript script(*block);
        for (std::uint64_t i = 0; i < p.ways; ++i) script.ask(llc_read(line(p, i)));
        ASSERT_TRUE(script.finish());
        // Used again: all but line 1.
        for (std::uint64_t i = 0; i < p.ways; ++i)
            if (i != 1) script.ask(llc_read(line(p, i)));
        script.ask(llc_read(line(p, 1000)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.misses, p.ways + 1);
        for (std::uint64_t i = 0; i < p.ways; ++i)
            if (i != 1) script.ask(llc_read(line(p, i)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.misses, p.ways + 1);
        script.ask(llc_read(line(p, 1)));
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.misses, p.ways + 2);
        EXPECT_EQ(script.write_backs, 0U);
    }
}

TEST_P(LlcDirected, HitsPassMisses)
{
    const LlcParameters p = test::usual();
    const auto block = make(p);
    LlcScript script(*block, 200);
    script.ask(llc_read(0));
    ASSERT_TRUE(script.finish());
    const std::uint32_t miss = script.ask(llc_read(64));
    const std::uint32_t hit = script.ask(llc_read(0));
    const std::uint32_t other = script.ask(llc_read(64));
    ASSERT_TRUE(script.finish());
    EXPECT_EQ(script.latency(hit), p.hit_latency());
    EXPECT_EQ(script.order(), (std::vector<std::uint32_t>{0, hit, miss, other}));
}

TEST_P(LlcDirected, AFillGoesBeforeAHit)
{
    const LlcParameters p = test::usual();
    const auto block = make(p);
    LlcScript script(*block, 20);
    script.ask(llc_read(0));
    ASSERT_TRUE(script.finish());
    // The look at the hit would be in the very clock in which the line comes.
    const std::uint32_t miss = script.ask(llc_read(64));
    script.run(21);
    const std::uint32_t hit = script.ask(llc_read(0));
    const std::uint32_t next = script.ask(llc_read(0));
    ASSERT_TRUE(script.finish());
    EXPECT_EQ(script.latency(miss), p.miss_latency(20));
    EXPECT_EQ(script.answer(hit).taken + p.tag_clocks + p.data_clocks, script.answer(miss).answered);
    EXPECT_EQ(script.latency(hit), p.hit_latency() + 1);
    EXPECT_EQ(script.latency(next), p.hit_latency() + 1);
}

TEST_P(LlcDirected, AVictimLeavesBeforeItsPlaceIsFilled)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block, 1);
        for (std::uint64_t i = 0; i < p.ways; ++i) script.ask(llc_write(line(p, i), 64, i + 7));
        ASSERT_TRUE(script.finish());
        script.run(p.modify_clocks);
        const std::uint32_t read = script.ask(llc_read(line(p, 1000)));
        script.run(p.tag_clocks + 60);
        EXPECT_EQ(script.latency(read), p.miss_latency(1));
        ASSERT_EQ(script.writes.size(), 1U);
        EXPECT_EQ(script.writes[0].clock, script.answer(read).taken + p.tag_clocks + 2);
        EXPECT_EQ(script.writes[0].line, 0U);
        EXPECT_EQ(script.memory(0)[0], 7);
    }
}

TEST_P(LlcDirected, ALineOnItsWayBackIsNotAskedFor)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block, 3);
        script.mem_write_ready = false;
        for (std::uint64_t i = 0; i < p.ways; ++i) script.ask(llc_write(line(p, i), 64, i + 7));
        // A whole line pushes the first one out; nothing but that one is then missed.
        script.ask(llc_write(line(p, 1000)));
        const std::uint32_t read = script.ask(llc_read(line(p, 0)));
        script.run(100 + 10ULL * p.ways);
        EXPECT_EQ(script.answer(read).answered, 0U);
        EXPECT_TRUE(script.reads.empty());
        EXPECT_EQ(script.write_backs, 1U);
        script.mem_write_ready = true;
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.answer(read).word(), 7U);
        ASSERT_EQ(script.reads.size(), 1U);
        EXPECT_GT(script.reads[0].clock, script.writes[0].clock);
    }
}

TEST_P(LlcDirected, ASetWhoseWaysAllWait)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block, 50);
        script.mem_resp_valid = false;
        for (std::uint64_t i = 0; i < p.ways; ++i) script.ask(llc_read(line(p, i)));
        const std::uint32_t write = script.ask(llc_write(line(p, 1000), 64, 77));
        const std::uint32_t read = script.ask(llc_read(line(p, 1000)));
        script.run(300);
        EXPECT_EQ(script.misses, std::min(p.ways, p.mshrs));
        EXPECT_EQ(script.answered(), 0U);
        script.mem_resp_valid = true;
        ASSERT_TRUE(script.finish());
        EXPECT_EQ(script.misses, p.ways);
        EXPECT_GT(script.answer(write).answered, 300U);
        EXPECT_EQ(script.answer(read).word(), 77U);
    }
}

// Nobody takes what comes out of one side, or of several: the slice fills up, stands still, and goes on.
TEST_P(LlcDirected, NothingWaitsForEver)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        for (unsigned blocked = 1; blocked < 16; ++blocked) {
            // By default each side of the block alone, and all at once.
            const bool one_or_all = (blocked & (blocked - 1)) == 0 || blocked == 15;
            if (GetParam() == test::LlcKind::rtl && !test::thorough() && !one_or_all) continue;
            LlcScript script(*block, 5);
            std::uint64_t expected = 0;
            for (std::uint64_t i = 0; i < 600; ++i) {
                const std::uint64_t place = line(p, i * 7 % (3 * p.ways)) + (i % 2) * (64 << p.index_low);
                switch (i % 5) {
                case 0: script.ask(llc_write(place)); break;
                case 1: script.ask(llc_read(place)); break;
                case 2: script.ask(llc_write(place, 32)); break;
                default: script.ask(llc_add(line(p, 2), 1)); ++expected;
                }
            }
            const std::uint32_t sum = script.ask(llc_read(line(p, 2) + 56, 8));
            for (int turn = 0; turn < 3; ++turn) {
                script.run(40);
                script.resp_ready = (blocked & 1) == 0;
                script.mem_read_ready = (blocked & 2) == 0;
                script.mem_write_ready = (blocked & 4) == 0;
                script.mem_resp_valid = (blocked & 8) == 0;
                script.run(3000);
                const std::size_t before = script.answered();
                script.run(1000);
                EXPECT_EQ(script.answered(), before) << blocked;
                script.resp_ready = script.mem_read_ready = script.mem_write_ready = script.mem_resp_valid = true;
            }
            ASSERT_TRUE(script.finish()) << blocked;
            EXPECT_EQ(script.hits + script.misses + script.merged, 601U);
            EXPECT_EQ(script.answer(sum).word(), 0U);
            script.flush();
            EXPECT_EQ(script.writes.size(), script.write_backs);
        }
    }
}

TEST_P(LlcDirected, IdleAndReset)
{
    for (const LlcParameters& p : test::all_sets()) {
        const auto block = make(p);
        LlcScript script(*block, 9);
        script.run(1);
        EXPECT_TRUE(script.out.idle);
        EXPECT_TRUE(block->idle());
        const std::uint32_t read = script.ask(llc_read(0));
        std::uint64_t busy = 0;
        for (int i = 0; i < 200; ++i) {
            script.run(1);
            if (!script.out.idle) ++busy;
        }
        // From the request on the pins to the clock in which its answer is taken, or its line is in the memory.
        const std::uint64_t behind = p.modify_clocks + 1 > p.data_clocks ? p.modify_clocks + 1 - p.data_clocks : 0;
        EXPECT_EQ(busy, script.latency(read) + 1 + behind);
        // In the middle of something.
        script.ask(llc_write(line(p, 3)));
        script.ask(llc_read(line(p, 5)));
        script.run(p.tag_clocks + 3);
        LlcScript after(*block, 9);
        after.run(3);
        EXPECT_TRUE(after.out.idle);
        EXPECT_FALSE(after.out.resp_valid);
        EXPECT_FALSE(after.out.mem_read_valid);
        EXPECT_FALSE(after.out.mem_write_valid);
        // Nothing is left of what was there.
        after.ask(llc_read(0));
        after.ask(llc_read(line(p, 3)));
        ASSERT_TRUE(after.finish());
        EXPECT_EQ(after.misses, 2U);
        EXPECT_EQ(after.latency(0), p.miss_latency(9));
    }
}

WEFT_LLC_KINDS(LlcDirected);

}  // namespace
}  // namespace weft::llc_directed_test
