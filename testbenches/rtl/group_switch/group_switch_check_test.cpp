// What the bench finds: blocks and reference models that are wrong on purpose, each by name; and what holds beside
// equality.
#include <functional>

#include "base/diagnostic.h"
#include "rtl/group_switch/group_switch_rtl.h"
#include "rtl/group_switch/reference_group_switch.h"
#include "testbenches/rtl/group_switch/group_switch_bench.h"
#include "testbenches/rtl/group_switch/parameter_sets.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace weft::test::group_switch_check_test {
namespace {

constexpr std::uint64_t clocks = 5'000;

// A reference model whose outputs and groups may be tampered with.
class Spoilt final : public GroupSwitchBlock {
public:
    using ChangeOut = std::function<void(SwitchOut& out, std::uint64_t clock)>;
    using ChangeGroup = std::function<void(GroupEntry& entry)>;

    Spoilt(const GroupSwitchParameters& parameters, ChangeOut out, ChangeGroup group = nullptr)
        : reference_(parameters), out_(std::move(out)), group_(std::move(group))
    {
    }
    void set_group(const GroupEntry& entry) override
    {
        GroupEntry changed = entry;
        if (group_) group_(changed);
        reference_.set_group(changed);
    }
    void reset() override { reference_.reset(); }
    void cycle(const SwitchIn& in, SwitchOut& out) override
    {
        reference_.cycle(in, out);
        if (out_) out_(out, clock_);
        ++clock_;
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceGroupSwitch reference_;
    ChangeOut out_;
    ChangeGroup group_;
    std::uint64_t clock_ = 0;
};

// The pins of the clock before.
class Late final : public GroupSwitchBlock {
public:
    explicit Late(const GroupSwitchParameters& parameters) : reference_(parameters), last_(parameters.outside) {}
    void set_group(const GroupEntry& entry) override { reference_.set_group(entry); }
    void reset() override { reference_.reset(); }
    void cycle(const SwitchIn& in, SwitchOut& out) override
    {
        out = last_;
        reference_.cycle(in, last_);
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceGroupSwitch reference_;
    SwitchOut last_;
};

bool is_unit_line(const LineBits& line)
{
    return line.response() ? line.destination() >= group_number && line.op() >= op_multicast
                           : line.source() >= group_number;
}

// At the first chance from the given clock on, once.
Spoilt::ChangeOut once(std::uint64_t from, bool of_unit, const std::function<void(SwitchOut&, unsigned output)>& how)
{
    return [from, of_unit, how, done = false](SwitchOut& out, std::uint64_t clock) mutable {
        if (done || clock < from) return;
        for (std::uint64_t rest = out.valid; rest != 0; rest &= rest - 1) {
            const auto output = static_cast<unsigned>(__builtin_ctzll(rest));
            if (is_unit_line(out.data[output]) != of_unit) continue;
            how(out, output);
            done = true;
            return;
        }
    };
}

void lose(SwitchOut& out, unsigned output) { out.valid &= ~(std::uint64_t{1} << output); }

GroupTrafficShape only_loads()
{
    GroupTrafficShape shape;
    shape.multicasts = shape.posted = shape.reduces = 0;
    shape.settings = 0.01;
    return shape;
}

// Members in the opposite order: the answers to loads say so, and nothing else does.
void reversed(GroupEntry& entry)
{
    std::reverse(entry.members.begin(), entry.members.end());
    std::reverse(entry.endpoints.begin(), entry.endpoints.end());
}

std::string scoreboard_says(Spoilt::ChangeOut out, Spoilt::ChangeGroup group = nullptr,
    const GroupTrafficShape& shape = {})
{
    const GroupSwitchParameters parameters = four_ports();
    Spoilt block(parameters, std::move(out), std::move(group));
    return run_group_switch(parameters, 3, shape, clocks, block, nullptr).wrong;
}

void expect_says(const std::string& text, const std::string& said)
{
    EXPECT_NE(said.find(text), std::string::npos) << "expected '" << text << "', heard '" << said << "'";
}

TEST(GroupSwitchScoreboardTest, FindsWhatIsWrong)
{
    EXPECT_EQ(scoreboard_says(nullptr), "");
    for (const std::uint64_t from : {900U, 2000U, 3500U}) {
        for (const bool of_unit : {false, true}) {
            // A credit comes for a line that was not seen to leave, or the line is missing in the end.
            EXPECT_NE(scoreboard_says(once(from, of_unit, lose)), "");
            EXPECT_NE(scoreboard_says(once(from, of_unit, [](SwitchOut& out, unsigned o) { out.vc[o] ^= 1; })), "");
            EXPECT_NE(
                scoreboard_says(once(from, of_unit, [](SwitchOut& out, unsigned o) { out.data[o].bytes[40] ^= 4; })),
                "");
            EXPECT_NE(
                scoreboard_says(once(from, of_unit, [](SwitchOut& out, unsigned o) { out.data[o].bytes[12] ^= 4; })),
                "");
        }
        expect_says("output", scoreboard_says(once(from, true, [](SwitchOut& out, unsigned o) {
            out.data[o].set_place(static_cast<std::uint16_t>(out.data[o].destination() ^ 1), out.data[o].address());
        })));
        EXPECT_NE("", scoreboard_says([from, done = false](SwitchOut& out, std::uint64_t clock) mutable {
            if (done || clock < from || out.credit_valid == 0) return;
            out.credit_valid &= out.credit_valid - 1;
            done = true;
        }));
    }
}

// A line that is shown again a clock later.
TEST(GroupSwitchScoreboardTest, FindsALineTwice)
{
    expect_says("is none of the next",
        scoreboard_says(
            [again = -1, vc = std::uint8_t{0}, line = LineBits{}](SwitchOut& out, std::uint64_t clock) mutable {
                if (clock > 2000 && again == -1 && (out.valid & 1U) != 0) {
                    again = 1;
                    vc = out.vc[0];
                    line = out.data[0];
                } else if (again == 1 && (out.valid & 1U) == 0) {
                    out.valid |= 1U;
                    out.vc[0] = vc;
                    out.data[0] = line;
                    again = 0;
                }
            }));
}

TEST(GroupSwitchScoreboardTest, FindsOperandsInTheWrongOrder)
{
    expect_says("answer to a load_reduce, byte", scoreboard_says(nullptr, reversed, only_loads()));
    GroupTrafficShape no_loads;
    no_loads.load_reduces = 0;
    const auto other_operation = [](GroupEntry& entry) { entry.op = static_cast<std::uint8_t>(entry.op == 0); };
    expect_says("copy of a reduce, byte", scoreboard_says(nullptr, other_operation, no_loads));
}

class GroupSwitchCheck : public RtlTest {
protected:
    // Without the scoreboard: what differs on the pins.
    std::string first_difference(GroupSwitchBlock& reference, const GroupTrafficShape& shape = {})
    {
        GroupSwitchRtl block(four_ports(), "dut", 5);
        return run_group_switch(four_ports(), 5, shape, clocks, block, &reference, false).wrong;
    }
};

TEST_F(GroupSwitchCheck, ASkewedReferenceIsCaught)
{
    ReferenceGroupSwitch right(four_ports());
    EXPECT_EQ(first_difference(right), "");
    Late late(four_ports());
    expect_says("idle: expected 0x1, got 0x0", first_difference(late));
    Spoilt lost(four_ports(), once(2000, false, lose));
    expect_says("out_valid: expected", first_difference(lost));
    Spoilt lost_copy(four_ports(), once(2000, true, lose));
    expect_says("out_valid: expected", first_difference(lost_copy));
    Spoilt turned(four_ports(), nullptr, reversed);
    const std::string said = first_difference(turned, only_loads());
    expect_says("out_data[", said);
    EXPECT_GE(std::atoi(said.c_str() + said.find("byte") + 5), static_cast<int>(header_bits / 8)) << said;
    GroupSwitchParameters other = four_ports();
    other.slots = 3;
    ReferenceGroupSwitch fewer_slots(other);
    EXPECT_NE(first_difference(fewer_slots), "");
    other = four_ports();
    other.outside.latency = 2;
    ReferenceGroupSwitch longer(other);
    EXPECT_NE(first_difference(longer), "");
}

// Registers that no reset sets may begin with anything; a reset in the midst of traffic is as good as the first.
TEST_F(GroupSwitchCheck, FirstBitsDoNotMatter)
{
    for (const GroupSwitchParameters& parameters : {four_ports(), one_context()}) {
        if (parameters.contexts == 1 && !thorough()) continue;  // each is a block of its own
        GroupSwitchRtl block(parameters, "dut", 11);
        ReferenceGroupSwitch reference(parameters);
        for (std::uint64_t seed = 1; seed <= by_default(3, 5); ++seed) {
            GroupSwitchTraffic cut(parameters, seed, GroupTrafficShape{});
            SwitchOut out(parameters.outside);
            cut.set_load(1);
            for (unsigned i = 0; i < 100 + 200 * seed; ++i) {
                const SwitchIn& in = cut.next();
                for (const GroupEntry& entry : cut.settings()) block.set_group(entry);
                block.cycle(in, out);
                cut.observe(out);
            }
            block.reset();
            EXPECT_TRUE(block.idle());
            reference.reset();
            EXPECT_EQ(run_group_switch(parameters, seed, GroupTrafficShape::of(seed), clocks, block, &reference).wrong,
                "")
                << seed;
        }
    }
}

// A block that says it is idle may be left without clocks.
TEST_F(GroupSwitchCheck, IdleBlocksNeedNoClocks)
{
    for (const GroupSwitchParameters& parameters : {four_ports(), one_queue()}) {
        if (parameters.outside.one_queue && !thorough()) continue;
        GroupSwitchRtl block(parameters, "dut");
        ReferenceGroupSwitch reference(parameters);
        GroupSwitchTraffic traffic(parameters, 9, GroupTrafficShape{});
        SwitchOut out(parameters.outside);
        SwitchOut expected(parameters.outside);
        unsigned left_out = 0;
        for (unsigned i = 0; i < 50'000; ++i) {
            if (i % 1000 == 300) traffic.wind_up();
            if (i % 1000 == 999) traffic.go_on();
            const SwitchIn& in = traffic.next();
            for (const GroupEntry& entry : traffic.settings()) {
                block.set_group(entry);
                reference.set_group(entry);
            }
            reference.cycle(in, expected);
            bool credits = false;
            for (const std::uint16_t mask : in.credit) credits |= mask != 0;
            if (block.idle() && in.valid == 0 && !credits) {
                out.valid = out.credit_valid = 0;
                out.idle = true;
                ++left_out;
            } else {
                block.cycle(in, out);
            }
            ASSERT_EQ(difference(expected, out), "") << i;
            traffic.observe(out);
        }
        EXPECT_GT(left_out, 5'000U);
        EXPECT_EQ(block.failure(), "");
        EXPECT_EQ(traffic.scoreboard().failure(), "");
    }
}

TEST(GroupSwitchParametersTest, AreChecked)
{
    const auto wrong = [](const std::function<void(GroupSwitchParameters&)>& how) {
        GroupSwitchParameters parameters = four_ports();
        how(parameters);
        EXPECT_THROW(ReferenceGroupSwitch{parameters}, InputError);
        EXPECT_THROW(group_switch_source(parameters), InputError);
    };
    wrong([](GroupSwitchParameters& p) { p.outside.ports = 64; });
    wrong([](GroupSwitchParameters& p) { p.outside.traversal = 1; });
    wrong([](GroupSwitchParameters& p) { p.outside.width = 632; });
    wrong([](GroupSwitchParameters& p) { p.outside.vcs = 1; });
    wrong([](GroupSwitchParameters& p) { p.slots = 9; });
    wrong([](GroupSwitchParameters& p) { p.slots = 0; });
    wrong([](GroupSwitchParameters& p) { p.groups = 1025; });
    wrong([](GroupSwitchParameters& p) { p.contexts = 65; });
    wrong([](GroupSwitchParameters& p) { p.vc_response = p.vc_group; });
}

}  // namespace
}  // namespace weft::test::group_switch_check_test
