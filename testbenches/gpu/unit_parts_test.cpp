// The parts of a compute unit by themselves, without a simulation: exact times, and the state that each keeps.
#include <gtest/gtest.h>

#include "gpu/units/compute_unit.h"

namespace unit_parts_test {

using namespace weft;

namespace {

GpuSpec spec_of(std::uint64_t outstanding, std::uint64_t coalesce = line_bytes)
{
    GpuSpec spec;
    spec.clock = 3'000'000'000;  // a cycle is 333 1/3 ps
    spec.outstanding = outstanding;
    spec.coalesce = coalesce;
    spec.workgroups_per_unit = 2;
    spec.wavefronts_per_unit = 3;
    return spec;
}

Time spent(const StallTimes& times, StallCause cause) { return times[static_cast<std::size_t>(cause)]; }

}  // namespace

TEST(UnitParts, TheIssueSlotCarriesRemainders)
{
    ComputeUnit unit(0, spec_of(512));
    std::vector<Time> leaves;
    for (unsigned i = 0; i < 4; ++i) leaves.push_back(unit.book(64 * i, i == 0, 1000));
    EXPECT_EQ(leaves, (std::vector<Time>{0, 333, 666, 1000}));
    EXPECT_EQ(unit.free_at(), 1000U + 1333);
    EXPECT_EQ(unit.book(0, true, 9000), 0U);  // idle before: at once
}

TEST(UnitParts, TwoLinesOf128BytesAreOneRequest)
{
    ComputeUnit unit(0, spec_of(512, 128));
    EXPECT_EQ(unit.book(0, true, 0), 0U);
    EXPECT_EQ(unit.book(64, false, 0), 0U);     // with the line before it
    EXPECT_EQ(unit.book(128, false, 0), 333U);  // the next 128 bytes
    EXPECT_EQ(unit.book(192, true, 0), 666U);   // the first of its instruction: by itself
}

TEST(UnitParts, WavefrontsTakeTurns)
{
    ComputeUnit unit(0, spec_of(2));
    ASSERT_TRUE(unit.fits(3));
    EXPECT_FALSE(unit.fits(4));
    const std::uint32_t place = unit.take_place();
    std::vector<Wavefront*> waves;
    for (unsigned i = 0; i < 3; ++i) waves.push_back(&unit.take_context());
    EXPECT_FALSE(unit.fits(1));
    EXPECT_FALSE(unit.can_issue());
    for (const Wavefront* wave : waves) unit.set_ready(*wave, true);
    EXPECT_EQ(unit.take_turn().context, 0);
    EXPECT_EQ(unit.take_turn().context, 1);
    unit.set_ready(*waves[2], false);
    EXPECT_EQ(unit.take_turn().context, 0);  // 2 has nothing to issue
    unit.in_flight().add(0);
    EXPECT_TRUE(unit.can_issue());
    unit.in_flight().add(0);
    EXPECT_FALSE(unit.can_issue());  // at its limit
    EXPECT_TRUE(unit.any_ready());
    unit.release(place, 0x7);
    EXPECT_TRUE(unit.fits(3));
    EXPECT_EQ(unit.take_place(), place);
}

TEST(UnitParts, FloatingPointOperationsAreOneAfterAnother)
{
    ComputeUnit unit(0, spec_of(1));
    EXPECT_EQ(unit.book_math(500, 100), 600U);
    EXPECT_EQ(unit.book_math(500, 200), 1100U);
    EXPECT_EQ(unit.book_math(500, 5000), 5500U);
}

TEST(UnitParts, TimeAtTheLimitIsNoTimeBehindOthers)
{
    OutstandingLimit limit(1);
    StallAccount account;
    account.begin(100, 40, true);
    account.set(StallCause::issue, limit, 150);
    limit.add(200);     // full from 200 on
    limit.remove(280);  // to 280
    EXPECT_EQ(limit.time_full(300), 80U);
    EXPECT_EQ(spent(account.spent(limit, 300), StallCause::outstanding), 80U);
    account.set(StallCause::flag, limit, 300);
    account.set(StallCause::none, limit, 350);
    EXPECT_EQ(spent(account.spent(), StallCause::queued), 40U);
    EXPECT_EQ(spent(account.spent(), StallCause::none), 50U);
    EXPECT_EQ(spent(account.spent(), StallCause::issue), 70U);
    EXPECT_EQ(spent(account.spent(), StallCause::outstanding), 80U);
    EXPECT_EQ(spent(account.spent(), StallCause::flag), 50U);
    Time sum = 0;
    for (const Time time : account.spent()) sum += time;
    EXPECT_EQ(sum, 40U + 350 - 100);
}

// An issue slot that a response ends early is not counted twice.
TEST(UnitParts, TheRestOfAnIssueSlotIsTakenBack)
{
    OutstandingLimit limit(8);
    StallAccount account;
    account.begin(0, 0, true);
    account.set(StallCause::loads, limit, 0);
    account.issues_until(500, 0);
    account.set(StallCause::issue, limit, 300);
    account.set(StallCause::none, limit, 900);
    EXPECT_EQ(spent(account.spent(), StallCause::none), 300U);
    EXPECT_EQ(spent(account.spent(), StallCause::loads), 0U);
    EXPECT_EQ(spent(account.spent(), StallCause::issue), 600U);
    StallAccount other;
    other.begin(0, 7, false);
    other.set(StallCause::loads, limit, 900);
    EXPECT_EQ(spent(other.spent(limit, 900), StallCause::none), 900U);  // it keeps no cause
}

TEST(UnitParts, AFenceWaitsForStoresBeforeItOnly)
{
    OpenAccesses open;
    const std::uint32_t before = open.begin_store(true);
    const std::uint32_t far = open.begin_store(false);
    open.begin_fence(Scope::device);
    const std::uint32_t after = open.begin_store(true);
    EXPECT_NE(before, after);
    EXPECT_FALSE(open.fenced(Scope::device));
    EXPECT_TRUE(open.fenced(Scope::unit));
    open.end_store(true, before);
    EXPECT_TRUE(open.fenced(Scope::device));  // neither the store after it nor that to another GPU
    open.end_store(true, after);
    open.begin_fence(Scope::system);
    EXPECT_FALSE(open.fenced(Scope::system));
    open.end_store(false, far);
    EXPECT_TRUE(open.fenced(Scope::system));
    open.begin_word();
    EXPECT_FALSE(open.fenced(Scope::unit));
    open.end_word();
    open.begin_bulk();
    EXPECT_TRUE(open.fenced(Scope::system));
    EXPECT_EQ(open.requests(), 0U);
    EXPECT_FALSE(open.none());  // the end of the workgroup waits for it
}

TEST(UnitParts, APollIsCompleteWithItsLastResponse)
{
    Program program;
    for (const std::uint64_t flag : {8, 16, 24, 8}) program.add_wait(flag, 1);
    FlagWait wait;
    wait.begin(program.operations, 0, 0, 32);
    EXPECT_EQ(wait.flags(), 3U);  // the fourth is the first again
    wait.begin_poll();
    EXPECT_EQ(wait.issue(70), 0U);
    EXPECT_FALSE(wait.respond(0, true));  // requests of this poll are to come
    EXPECT_EQ(wait.issue(80), 1U);
    EXPECT_EQ(wait.issue(90), 2U);
    EXPECT_FALSE(wait.must_issue());
    EXPECT_FALSE(wait.respond(2, true));
    EXPECT_TRUE(wait.respond(1, false));
    EXPECT_EQ(wait.polled_at(), 70U);
    EXPECT_FALSE(wait.over());
    EXPECT_EQ(wait.missing(), 1U);
    EXPECT_EQ(wait.first_missing(), 1U);
    wait.begin_poll();
    EXPECT_EQ(wait.issue(200), 1U);
    EXPECT_TRUE(wait.respond(1, true));
    EXPECT_TRUE(wait.over());
    wait.begin(program.operations, 0, 0, 2);
    EXPECT_EQ(wait.flags(), 2U);
    wait.set_interval(20);
    wait.double_interval(30);
    EXPECT_EQ(wait.interval(), 30U);
}

TEST(UnitParts, RegisterSetsAreARing)
{
    RegisterSets sets;
    sets.begin(2, 0);
    const Operation move;
    for (const std::uint64_t offset : {0, 512}) sets.open({&move, offset, 512, 0, false});
    EXPECT_TRUE(sets.full());
    const unsigned oldest = sets.oldest_place();
    sets.retire();
    EXPECT_EQ(sets.oldest().offset, 512U);
    sets.open({&move, 1024, 512, 0, true});
    EXPECT_EQ(sets.newest_place(), oldest);
    EXPECT_EQ(sets[1].offset, 1024U);
    EXPECT_FALSE(sets.newest().complete());
    sets.at(oldest).loading = false;
    sets.at(oldest).waiting = 1;
    EXPECT_FALSE(sets.newest().complete());
    sets.at(oldest).waiting = 0;
    EXPECT_TRUE(sets.newest().complete());
}

// Instructions of an operand that begins 16 bytes into a line: the first ends with a line, all others are whole lines.
TEST(UnitParts, InstructionsMeetAtLines)
{
    Program program;
    program.add_move({16}, {1 << 20}, 1200, ElementType::u8, ReduceOp::sum);
    Workgroup group;
    group.program = &program;
    group.wavefronts = 1;
    group.instruction_bytes = 512;
    Wavefront wave;
    wave.begin(group, 0);
    wave.operation = &program.operations[0];
    wave.sets.begin(4, 0);
    std::vector<std::uint32_t> bytes;
    while (wave.has_instruction()) {
        wave.open_instruction();
        bytes.push_back(wave.sets.newest().bytes);
    }
    EXPECT_EQ(bytes, (std::vector<std::uint32_t>{496, 512, 192}));
    EXPECT_FALSE(wave.can_store());
    EXPECT_TRUE(wave.can_issue());
}

}  // namespace unit_parts_test
