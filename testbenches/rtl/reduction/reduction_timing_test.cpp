// Clocks and rates that follow from the timing rule, in block and reference model alike.
#include <algorithm>
#include <functional>

#include "testbenches/rtl/reduction/reduction_driver.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace weft::test::reduction_timing_test {
namespace {

using Check = std::function<void(const ReductionParameters&, ReductionBlock&)>;

void on_reference(const ReductionParameters& parameters, const Check& check)
{
    ReferenceReduction reference(parameters);
    check(parameters, reference);
}
void on_block(const ReductionParameters& parameters, const Check& check)
{
    ReductionRtl block(parameters, "unit");
    check(parameters, block);
    EXPECT_EQ(block.failure(), "");
}

class ReductionTimingRtl : public RtlTest {};

// With m members and nothing else to do.
void zero_load(const ReductionParameters& parameters, ReductionBlock& block)
{
    for (unsigned m = 1; m <= parameters.members; ++m) {
        ReductionDriver unit(parameters, block);
        unit.set_group(0, m);
        // A multicast: copies two clocks after it came, the answer one clock after the last acknowledgement.
        unit.request(op_multicast, 0, 7, 0x1000, 1, 42);
        const std::uint64_t asked = unit.step();
        unit.steps(3);
        ASSERT_EQ(unit.lines.size(), 1U);
        EXPECT_EQ(unit.lines[0].clock, asked + 2);
        EXPECT_EQ(unit.lines[0].out.ports, (1U << m) - 1);
        EXPECT_EQ(first_word(unit.lines[0].out.line), 42U);
        std::uint64_t last = 0;
        for (unsigned k = 0; k < m; ++k) {
            unit.respond(unit.lines[0].out.line, m - 1 - k);
            last = unit.step();
            EXPECT_EQ(unit.lines.size(), 1U);
        }
        unit.steps(2);
        ASSERT_EQ(unit.lines.size(), 2U);
        EXPECT_EQ(unit.lines[1].clock, last + 1);
        EXPECT_TRUE(unit.out.idle);
        // A posted one: nothing comes back, and the context is free at once.
        unit.request(op_multicast, 0, 7, 0x1000, 2, 43, posted_flag);
        unit.step();
        unit.steps(3);
        EXPECT_EQ(unit.lines.size(), 3U);
        EXPECT_TRUE(unit.out.idle);
        // A load_reduce: the answer m + 1 clocks after the last operand.
        unit.lines.clear();
        unit.request(op_load_reduce, 0, 7, 0x2000, 3);
        const std::uint64_t loaded = unit.step();
        unit.steps(3);
        ASSERT_EQ(unit.lines.size(), 1U);
        EXPECT_EQ(unit.lines[0].clock, loaded + 2);
        std::uint32_t sum = 0;
        for (unsigned k = 0; k < m; ++k) {
            unit.respond(unit.lines[0].out.line, m - 1 - k, 1000 + k);
            sum += 1000 + k;
            last = unit.step();
        }
        unit.steps(m + 3);
        ASSERT_EQ(unit.lines.size(), 2U);
        EXPECT_EQ(unit.lines[1].clock, last + m + 1);
        EXPECT_EQ(first_word(unit.lines[1].out.line), sum);
        // A reduce: the write m + 2 clocks after the last contribution came, answers from one clock after the last
        // acknowledgement on, one a clock in the order of members.
        unit.lines.clear();
        for (unsigned k = 0; k < m; ++k) {
            unit.request(op_reduce, 0, static_cast<std::uint16_t>(100 + (k + 1) % m), 0x3000, 10 + (k + 1) % m,
                1U << k);
            last = unit.step();
        }
        unit.steps(m + 3);
        ASSERT_EQ(unit.lines.size(), 1U);
        EXPECT_EQ(unit.lines[0].clock, last + m + 2);
        EXPECT_EQ(first_word(unit.lines[0].out.line), (1U << m) - 1);
        const LineBits copy = unit.lines[0].out.line;
        for (unsigned k = 0; k < m; ++k) {
            unit.respond(copy, k);
            last = unit.step();
        }
        unit.steps(m + 2);
        ASSERT_EQ(unit.lines.size(), m + 1);
        for (unsigned k = 0; k < m; ++k) {
            EXPECT_EQ(unit.lines[k + 1].clock, last + 1 + k);
            EXPECT_EQ(unit.lines[k + 1].out.line.tag(), 10 + k);
            EXPECT_EQ(unit.lines[k + 1].out.ports, 1U << k);
        }
        EXPECT_TRUE(unit.out.idle);
    }
}
TEST(ReductionTiming, ZeroLoad) { on_reference({8, 1, 16, 32, 8}, zero_load); }
TEST_F(ReductionTimingRtl, ZeroLoad) { on_block({8, 1, 16, 32, 8}, zero_load); }

// Two contexts complete in neighbouring clocks: the adder takes one operand a clock and no pause between them.
void adder(const ReductionParameters& parameters, ReductionBlock& block)
{
    const unsigned m = parameters.members;
    ReductionDriver unit(parameters, block);
    unit.set_group(0, m);
    unit.request(op_load_reduce, 0, 7, 0x1000, 1);
    unit.step();
    unit.request(op_load_reduce, 0, 7, 0x2000, 2);
    unit.step();
    unit.steps(3);
    ASSERT_EQ(unit.lines.size(), 2U);
    for (unsigned k = 0; k + 1 < m; ++k)
        for (unsigned i = 0; i < 2; ++i) {
            unit.respond(unit.lines[i].out.line, k, 1);
            unit.step();
        }
    unit.respond(unit.lines[1].out.line, m - 1, 1);
    const std::uint64_t last = unit.step();
    unit.respond(unit.lines[0].out.line, m - 1, 1);
    unit.step();
    unit.steps(2 * m + 3);
    ASSERT_EQ(unit.lines.size(), 4U);
    EXPECT_EQ(unit.lines[2].clock, last + m + 1);
    EXPECT_EQ(unit.lines[2].out.line.tag(), 2U);
    EXPECT_EQ(unit.lines[3].clock, last + 2 * m + 1);
    EXPECT_EQ(first_word(unit.lines[3].out.line), m);
}
TEST(ReductionTiming, AdderTakesOneOperandAClock) { on_reference({8, 1, 16, 32, 8}, adder); }
TEST_F(ReductionTimingRtl, AdderTakesOneOperandAClock) { on_block({8, 1, 16, 32, 8}, adder); }

// Operations in `clocks` clocks, with requests always at hand and members that answer `delay` clocks after a copy left.
double rate(const ReductionParameters& parameters, ReductionBlock& block, unsigned op, bool posted, unsigned m,
    unsigned delay, unsigned clocks)
{
    ReductionDriver unit(parameters, block);
    unit.set_group(0, m);
    std::vector<std::pair<std::uint64_t, std::pair<LineBits, unsigned>>> due;
    std::size_t first_due = 0;
    std::size_t seen = 0;
    unsigned sent = 0;
    unsigned done = 0;
    for (unsigned i = 0; i < clocks; ++i) {
        const bool responds = first_due < due.size() && due[first_due].first <= unit.clock;
        if (responds) {
            unit.respond(due[first_due].second.first, due[first_due].second.second);
            ++first_due;
        } else if (sent < parameters.slots + unit.group_credits) {
            const unsigned each = op == op_reduce ? m : 1;
            unit.request(op, 0, static_cast<std::uint16_t>(100 + sent % each), 64ULL * (sent / each), sent, 0,
                posted ? posted_flag : 0);
            ++sent;
        }
        unit.step();
        for (; seen < unit.lines.size(); ++seen) {
            const ReductionOut& out = unit.lines[seen].out;
            if (out.line.response() || posted) {
                ++done;
                continue;
            }
            for (unsigned k = 0; k < m; ++k) due.push_back({unit.lines[seen].clock + delay, {out.line, k}});
        }
    }
    return static_cast<double>(done) / clocks / (op == op_reduce ? m : 1);
}

// The input takes one line a clock: 1 + m lines of a multicast or a load_reduce, 2 m of a reduce, 1 of a posted
// multicast. With contexts enough nothing else holds it up.
void saturation(const ReductionParameters& parameters, ReductionBlock& block, bool few)
{
    constexpr unsigned clocks = 20'000;
    for (const unsigned m : {1U, 2U, 5U, 8U}) {
        if (few && m != 2 && m != 8) continue;
        const double tolerance = 60.0 / clocks;  // filling up
        EXPECT_NEAR(rate(parameters, block, op_multicast, true, m, 1, clocks), 1.0, tolerance) << m;
        block.reset();
        EXPECT_NEAR(rate(parameters, block, op_multicast, false, m, 1, clocks), 1.0 / (m + 1), tolerance) << m;
        block.reset();
        EXPECT_NEAR(rate(parameters, block, op_load_reduce, false, m, 1, clocks), 1.0 / (m + 1), tolerance) << m;
        block.reset();
        EXPECT_NEAR(rate(parameters, block, op_reduce, false, m, 1, clocks), 0.5 / m, tolerance) << m;
        block.reset();
    }
}
TEST(ReductionTiming, TheInputIsTheLimit)
{
    on_reference({8, 1, 16, 32, 8}, [](const auto& parameters, auto& block) { saturation(parameters, block, false); });
}
TEST_F(ReductionTimingRtl, TheInputIsTheLimit)
{
    on_block({8, 1, 16, 32, 8},
        [](const auto& parameters, auto& block) { saturation(parameters, block, !thorough()); });
}

// A context is taken for d + 2 m + 2 clocks by a load_reduce whose members answer after d clocks: the copy one clock
// after it was opened, d clocks, m operands, m clocks in the adder, the answer one clock later.
double load_rate(unsigned contexts, unsigned m, unsigned delay, bool rtl)
{
    constexpr unsigned clocks = 50'000;
    const ReductionParameters parameters{8, 1, contexts, 32, 8};
    double result = 0;
    const Check check = [&](const ReductionParameters& p, ReductionBlock& block) {
        result = rate(p, block, op_load_reduce, false, m, delay, clocks);
    };
    if (rtl)
        on_block(parameters, check);
    else
        on_reference(parameters, check);
    return result;
}
void one_context(bool rtl)
{
    for (const unsigned m : {1U, 4U, 8U})
        for (const unsigned delay : {1U, 40U, 200U})
            EXPECT_NEAR(load_rate(1, m, delay, rtl), 1.0 / (delay + 2 * m + 2), 1.1 / 50'000) << m << ' ' << delay;
}
// Several contexts that began together stay together: their copies leave in a row, d clocks later their operands
// come in a row, and when the last has come the next round begins: C operations in d + m C + 1 clocks, until the
// input, with m + 1 lines an operation, is the limit.
void several_contexts(unsigned contexts, bool rtl)
{
    for (const unsigned m : {2U, 4U, 8U}) {
        if (rtl && m == 4 && !thorough()) continue;
        const double round = std::max(200.0 + m * contexts + 1, (m + 1.0) * contexts);
        EXPECT_NEAR(load_rate(contexts, m, 200, rtl), contexts / round, (contexts + 1.0) / 50'000)
            << contexts << ' ' << m;
    }
}
TEST(ReductionTiming, ContextsAreTheLimit)
{
    one_context(false);
    for (const unsigned contexts : {4U, 8U, 16U, 32U, 64U}) several_contexts(contexts, false);
}
TEST_F(ReductionTimingRtl, ContextsAreTheLimit)
{
    if (thorough()) one_context(true);  // a block of its own
    several_contexts(16, true);
}

// Contributions that open contexts wait for pass requests that wait for a context, in a unit that is full of these.
void passing(const ReductionParameters& parameters, ReductionBlock& block)
{
    ReductionDriver unit(parameters, block);
    unit.set_group(0, 2);
    unit.set_group(1, 2);
    // The last context is not for contributions.
    const unsigned open = parameters.contexts - 1;
    for (unsigned i = 0; i < open; ++i) {
        unit.request(op_reduce, 0, 100, 0x100 * i, i, 5);
        unit.step();
    }
    unit.request(op_load_reduce, 0, 7, 0x9000, 99);
    unit.step();
    unit.steps(3);
    EXPECT_EQ(unit.group_credits, parameters.contexts);
    ASSERT_EQ(unit.lines.size(), 1U);
    const LineBits read = unit.lines[0].out.line;
    unit.lines.clear();
    // All but one of the slots: what waits, of each kind, and contributions that nothing is open for.
    for (unsigned i = 0; i + 1 < parameters.slots; ++i) {
        const unsigned kind = i % 4;
        unit.request(kind == 0 ? op_multicast
                : kind == 1    ? op_load_reduce
                               : op_reduce,
            kind == 3 ? 1 : 0, static_cast<std::uint16_t>(kind < 2 ? 7 : 100), 0x10000 * (i + 1), 100 + i);
        unit.step();
    }
    unit.steps(10);
    EXPECT_EQ(unit.group_credits, parameters.contexts);
    EXPECT_TRUE(unit.lines.empty());
    for (unsigned i = 0; i < open; ++i) {
        unit.request(op_reduce, 0, 101, 0x100 * i, 50 + i, 7);
        const std::uint64_t came = unit.step();
        unit.steps(5);
        EXPECT_EQ(unit.group_credits, parameters.contexts + 1 + i);
        ASSERT_EQ(unit.lines.size(), i + 1);
        EXPECT_EQ(unit.lines[i].clock, came + 4);
        EXPECT_EQ(first_word(unit.lines[i].out.line), 12U);
        EXPECT_EQ(unit.lines[i].out.line.address(), 0x100 * i);
    }
    // What waited goes on in its order when a context is free: the multicast came first.
    const std::vector<SeenLine> sums = unit.lines;
    unit.lines.clear();
    for (unsigned m = 0; m < 2; ++m) {
        unit.respond(sums[0].out.line, m);
        unit.step();
    }
    unit.steps(5);
    ASSERT_EQ(unit.lines.size(), 3U);
    EXPECT_EQ(unit.lines[2].out.line.op(), op_write);
    EXPECT_EQ(unit.lines[2].out.line.address(), 0x10000U);
    for (unsigned m = 0; m < 2; ++m) {
        unit.respond(read, m);
        unit.step();
    }
    unit.steps(8);
    ASSERT_EQ(unit.lines.size(), 5U);
    EXPECT_EQ(unit.lines[3].out.line.op() + unit.lines[4].out.line.op(), op_load_reduce + op_read);
}
TEST(ReductionTiming, ContributionsPassWhatWaits) { on_reference({2, 2, 4, 8, 4}, passing); }
TEST_F(ReductionTimingRtl, ContributionsPassWhatWaits) { on_block({2, 2, 4, 8, 4}, passing); }

// As many contributions without their partners as there are slots, and multicasts and load_reduces still go on: the last
// context is theirs. A full unit of these gives way to the partners.
void last_context(const ReductionParameters& parameters, ReductionBlock& block)
{
    ReductionDriver unit(parameters, block);
    unit.set_group(0, 2);
    for (unsigned i = 0; i < parameters.contexts + 3; ++i) {
        unit.request(op_reduce, 0, 100, 0x100 * i, i, 5);
        unit.step();
    }
    unit.steps(10);
    EXPECT_EQ(unit.group_credits, parameters.contexts - 1);
    for (unsigned i = 0; i < 3; ++i) {
        unit.lines.clear();
        unit.request(i == 1 ? op_load_reduce : op_multicast, 0, 7, 0x5000, 50 + i);
        const std::uint64_t came = unit.step();
        unit.steps(3);
        ASSERT_EQ(unit.lines.size(), 1U);
        EXPECT_EQ(unit.lines[0].clock, came + 2);
        const LineBits copy = unit.lines[0].out.line;
        for (unsigned m = 0; m < 2; ++m) {
            unit.respond(copy, m);
            unit.step();
        }
        unit.steps(6);
        ASSERT_EQ(unit.lines.size(), 2U);
        EXPECT_EQ(unit.lines[1].out.line.tag(), 50 + i);
    }
}
TEST(ReductionTiming, TheLastContextIsNotForContributions) { on_reference({2, 2, 4, 8, 4}, last_context); }
TEST_F(ReductionTimingRtl, TheLastContextIsNotForContributions) { on_block({2, 2, 4, 8, 4}, last_context); }

// Contexts and slots that there are, and no more, take requests in.
void rooms(const ReductionParameters& parameters, ReductionBlock& block)
{
    ReductionDriver unit(parameters, block);
    unit.set_group(0, 2);
    for (unsigned i = 0; i < parameters.slots; ++i) {
        unit.request(op_load_reduce, 0, 7, 64 * i, i);
        unit.step();
    }
    unit.steps(5);
    EXPECT_EQ(unit.group_credits, std::min(parameters.contexts, parameters.slots));
    EXPECT_EQ(unit.lines.size(), std::min(parameters.contexts, parameters.slots));
}
TEST(ReductionTiming, RoomIsAsTold)
{
    for (const unsigned contexts : {1U, 3U, 9U})
        for (const unsigned slots : {1U, 4U, 12U}) on_reference({2, 1, contexts, slots, 4}, rooms);
}
TEST_F(ReductionTimingRtl, RoomIsAsTold)
{
    if (thorough()) on_block({2, 1, 3, 1, 4}, rooms);  // a block of its own
    on_block({2, 2, 4, 8, 4}, rooms);
    on_block({8, 1, 16, 32, 8}, rooms);
}

// The five queues take turns, and a channel that takes nothing holds up no other.
void turns(const ReductionParameters& parameters, ReductionBlock& block)
{
    ReductionDriver unit(parameters, block);
    unit.set_group(0, 1);
    const unsigned all = unit.in.out_ready;
    unit.in.out_ready = 0;
    unit.request(op_multicast, 0, 7, 0x1000, 1);
    unit.step();
    unit.request(op_load_reduce, 0, 7, 0x2000, 2);
    unit.step();
    unit.request(op_reduce, 0, 100, 0x3000, 3);
    unit.step();
    unit.request(op_multicast, 0, 7, 0x4000, 4, 0, posted_flag);
    unit.step();
    unit.request(op_load_reduce, 0, 7, 0x5000, 5);
    unit.step();
    unit.steps(6);
    EXPECT_TRUE(unit.lines.empty());
    unit.in.out_ready = 1U << parameters.vc_read;
    unit.steps(4);
    ASSERT_EQ(unit.lines.size(), 2U);
    EXPECT_EQ(unit.lines[0].out.line.address(), 0x2000U);
    EXPECT_EQ(unit.lines[1].out.line.address(), 0x5000U);
    unit.in.out_ready = all & ~(1U << parameters.vc_read);
    unit.steps(4);
    ASSERT_EQ(unit.lines.size(), 5U);
    EXPECT_EQ(unit.lines[2].out.line.address(), 0x1000U);
    EXPECT_EQ(unit.lines[3].out.line.address(), 0x3000U);
    EXPECT_EQ(unit.lines[4].out.line.address(), 0x4000U);
    unit.in.out_ready = 0;
    for (const unsigned line : {0U, 1U, 2U, 3U}) {
        unit.respond(unit.lines[line].out.line, 0);
        unit.step();
    }
    unit.steps(3);
    unit.in.out_ready = all;
    unit.steps(5);
    ASSERT_EQ(unit.lines.size(), 9U);
    const std::uint32_t tags[] = {1, 2, 3, 5};
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(unit.lines[5 + i].out.line.tag(), tags[i]) << i;
}
TEST(ReductionTiming, QueuesTakeTurns) { on_reference({8, 1, 16, 32, 8}, turns); }
TEST_F(ReductionTimingRtl, QueuesTakeTurns) { on_block({8, 1, 16, 32, 8}, turns); }

}  // namespace
}  // namespace weft::test::reduction_timing_test
