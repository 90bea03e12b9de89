// That the checks check: scoreboard, comparison and assertions each find what is made wrong on purpose.
#include <functional>

#include "base/diagnostic.h"
#include "testbenches/rtl/reduction/reduction_driver.h"
#include "testbenches/rtl/rtl_test.h"

namespace weft::test::reduction_check_test {
namespace {

const ReductionParameters usual{8, 4, 4, 16, 8, 4, 0, 1, 2, 3};
constexpr std::uint64_t clocks = 20'000;

// The reference model with its outputs spoilt now and then.
class Spoilt final : public ReductionBlock {
public:
    Spoilt(const ReductionParameters& parameters, std::function<void(ReductionOut&, std::uint64_t)> how)
        : reference_(parameters), how_(std::move(how))
    {
    }
    void reset() override { reference_.reset(); }
    void cycle(const ReductionIn& in, ReductionOut& out) override
    {
        reference_.cycle(in, out);
        how_(out, clock_++);
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceReduction reference_;
    std::function<void(ReductionOut&, std::uint64_t)> how_;
    std::uint64_t clock_ = 0;
};

std::string scoreboard_says(std::function<void(ReductionOut&, std::uint64_t)> how)
{
    Spoilt block(usual, std::move(how));
    return run_traffic(usual, 3, TrafficShape{}, clocks, block, nullptr).difference;
}

TEST(ReductionScoreboard, FindsWhatIsWrong)
{
    EXPECT_EQ(scoreboard_says([](ReductionOut&, std::uint64_t) {}), "");
    unsigned count = 0;
    const auto spoil = [&count](unsigned which, const std::function<void(ReductionOut&)>& how) {
        count = 0;
        return scoreboard_says([&count, which, how](ReductionOut& out, std::uint64_t) {
            if (out.valid && ++count == which) how(out);
        });
    };
    const auto rewrite = [](LineBits& line, unsigned size, unsigned flags, std::uint32_t tag, bool failed) {
        line.set_rest(line.source(), line.op(), line.response(), size, line.function(), flags, tag, failed);
    };
    for (const unsigned which : {500U, 501U, 502U, 503U, 504U, 505U, 506U, 507U}) {
        EXPECT_NE(spoil(which, [](ReductionOut& out) { out.valid = false; }), "") << which;
        EXPECT_NE(spoil(which, [](ReductionOut& out) { out.ports ^= 2; }), "") << which;
        EXPECT_NE(spoil(which, [](ReductionOut& out) { out.vc = 2; }), "") << which;
        EXPECT_NE(spoil(which, [](ReductionOut& out) { out.line.data()[17] ^= 4; }), "") << which;
        EXPECT_NE(spoil(which,
                      [&](ReductionOut& out) {
                          rewrite(out.line, out.line.size() ^ 1, out.line.flags(), out.line.tag(), out.line.failed());
                      }),
            "")
            << which;
        EXPECT_NE(spoil(which,
                      [&](ReductionOut& out) {
                          rewrite(out.line, out.line.size(), out.line.flags() ^ 8, out.line.tag(), out.line.failed());
                      }),
            "")
            << which;
        EXPECT_NE(spoil(which,
                      [&](ReductionOut& out) {
                          rewrite(out.line, out.line.size(), out.line.flags(), out.line.tag() ^ 0x800001,
                              out.line.failed());
                      }),
            "")
            << which;
        EXPECT_NE(spoil(which,
                      [&](ReductionOut& out) {
                          rewrite(out.line, out.line.size(), out.line.flags(), out.line.tag(), !out.line.failed());
                      }),
            "")
            << which;
        EXPECT_NE(spoil(which, [](ReductionOut& out) { out.line.set_place(out.line.destination(), 0x123); }), "");
    }
    // A line twice.
    ReductionOut kept;
    unsigned lines = 0;
    EXPECT_NE(scoreboard_says([&](ReductionOut& out, std::uint64_t) {
        if (out.valid && ++lines == 500) kept = out;
        if (!out.valid && lines >= 500 && kept.valid) {
            std::swap(out, kept);
            kept.valid = false;
        }
    }),
        "");
}

// Two multicasts of one source that change places.
TEST(ReductionScoreboard, FindsWhatIsOutOfOrder)
{
    const std::vector<BenchGroup> groups{{{0, 1}, {100, 101}}};
    ReferenceReduction reference(usual);
    ReductionDriver unit(usual, reference);
    unit.set_group(0, 2);
    for (const bool swapped : {false, true}) {
        ReductionScoreboard scoreboard(usual, groups);
        unit.lines.clear();
        for (unsigned i = 0; i < 2; ++i) {
            unit.request(op_multicast, 0, 9, 0x1000 * (i + 1), i, i, posted_flag);
            scoreboard.request(scoreboard.begin(op_multicast, 0, 0x1000 * (i + 1), 64, true), {9, 0, posted_flag, i});
            scoreboard.operation(i).operands[0] = unit.in.line;
            unit.step();
        }
        unit.steps(5);
        ASSERT_EQ(unit.lines.size(), 2U);
        scoreboard.line(unit.lines[swapped ? 1 : 0].out);
        scoreboard.line(unit.lines[swapped ? 0 : 1].out);
        EXPECT_EQ(scoreboard.complaint(), swapped ? "copies leave out of order" : "");
    }
}

class TurnedReference final : public ReferenceReduction {
public:
    using ReferenceReduction::ReferenceReduction;
    void cycle(const ReductionIn& in, ReductionOut& out) override
    {
        const unsigned before = turn_;
        ReferenceReduction::cycle(in, out);
        if (out.valid) turn_ = before;
    }
};

class LateReference final : public ReductionBlock {
public:
    explicit LateReference(const ReductionParameters& parameters) : reference_(parameters) {}
    void reset() override { reference_.reset(); }
    void cycle(const ReductionIn& in, ReductionOut& out) override
    {
        out = last_;
        reference_.cycle(in, last_);
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceReduction reference_;
    ReductionOut last_;
};

class ReductionCheckTest : public RtlTest {};

TEST_F(ReductionCheckTest, ASkewedReferenceIsCaught)
{
    ReductionRtl block(usual, "unit");
    const auto first = [&](ReductionBlock& reference) {
        block.reset();
        return run_traffic(usual, 5, TrafficShape{}, clocks, block, &reference).difference;
    };
    ReferenceReduction right(usual);
    EXPECT_EQ(first(right), "");
    LateReference late(usual);
    EXPECT_NE(first(late), "");
    TurnedReference turned(usual);
    EXPECT_NE(first(turned), "");
    ReductionParameters other = usual;
    other.contexts = 5;
    ReferenceReduction more_contexts(other);
    EXPECT_NE(first(more_contexts), "");
    other = usual;
    std::swap(other.vc_read, other.vc_write);
    ReferenceReduction other_channels(other);
    EXPECT_NE(first(other_channels), "");
}

// Registers that no reset sets may begin with anything; a reset in the midst of traffic is as good as the first.
TEST_F(ReductionCheckTest, FirstBitsDoNotMatter)
{
    ReductionRtl one(usual, "one", 11);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        ReductionRtl other(usual, "other", seed * 1000);
        ReductionTraffic cut(usual, seed, TrafficShape{});
        ReductionIn in;
        ReductionOut out;
        for (unsigned i = 0; i < 100 + 300 * seed; ++i) {
            cut.drive(1, in);
            one.cycle(in, out);
            cut.observe(out);
        }
        one.reset();
        EXPECT_TRUE(one.idle());
        EXPECT_EQ(run_traffic(usual, seed, TrafficShape::of(seed), 5000, one, &other).difference, "") << seed;
    }
}

// A block that says it is idle may be left without clocks.
TEST_F(ReductionCheckTest, IdleBlocksNeedNoClocks)
{
    ReductionRtl block(usual, "unit");
    ReferenceReduction reference(usual);
    ReductionTraffic traffic(usual, 9, TrafficShape{});
    ReductionIn in;
    ReductionOut out;
    ReductionOut expected;
    unsigned left_out = 0;
    for (unsigned i = 0; i < 100'000; ++i) {
        if (i % 1000 == 300) traffic.wind_up();
        if (i % 1000 == 999) traffic.go_on();
        traffic.drive(0.3, in);
        reference.cycle(in, expected);
        if (block.idle() && !in.valid && !in.cfg_valid) {
            out = ReductionOut{};
            ++left_out;
        } else {
            block.cycle(in, out);
        }
        ASSERT_EQ(difference(expected, out), "") << i;
        traffic.observe(out);
    }
    EXPECT_GT(left_out, 10'000U);
    EXPECT_EQ(block.failure(), "");
}

// What the block says when the protocol is broken.
TEST_F(ReductionCheckTest, AssertionsAreHeard)
{
    const std::string library = block_library(reduction_source(usual));
    const auto says = [&](const std::function<void(ReductionDriver&)>& how) {
        ReductionRtl block(usual, library, "unit", 1);
        ReductionDriver unit(usual, block);
        unit.set_group(0, 2, ElementType::fp32);
        unit.set_group(1, 2, ElementType::bf16);
        EXPECT_EQ(block.failure(), "");
        how(unit);
        unit.steps(10);
        return block.failure();
    };
    const auto expect = [&](const std::string& text, const std::function<void(ReductionDriver&)>& how) {
        const std::string said = says(how);
        EXPECT_NE(said.find(text), std::string::npos) << "expected '" << text << "', heard '" << said << "'";
    };
    const auto resize = [](LineBits& line, unsigned size, unsigned flags) {
        line.set_rest(line.source(), line.op(), line.response(), size, 0, flags, line.tag(), false);
    };
    expect("finds no slot", [](ReductionDriver& unit) {
        for (unsigned i = 0; i < 21; ++i) {
            unit.request(op_load_reduce, 0, 7, 64 * i, i);
            unit.step();
        }
    });
    expect("channel 1 carries", [](ReductionDriver& unit) {
        unit.request(op_multicast, 0, 7, 0, 1);
        unit.in.vc = 1;
        unit.step();
    });
    expect("channel 3 carries", [](ReductionDriver& unit) {
        unit.request(op_multicast, 0, 7, 0, 1);
        unit.in.vc = 3;
        unit.step();
    });
    expect("group fc02 is not known", [](ReductionDriver& unit) {
        unit.request(op_multicast, 2, 7, 0, 1);
        unit.step();
    });
    expect("group fc05 is not known", [](ReductionDriver& unit) {
        unit.request(op_multicast, 5, 7, 0, 1);
        unit.step();
    });
    expect("group 64 is not known", [](ReductionDriver& unit) {
        unit.request(op_multicast, 0, 7, 0, 1);
        unit.in.line.set_place(100, 0);
        unit.step();
    });
    expect("operation 1 is none", [](ReductionDriver& unit) {
        unit.request(op_write, 0, 7, 0, 1);
        unit.step();
    });
    for (const unsigned size : {0U, 2U, 63U, 65U, 68U})
        expect(std::to_string(size) + " B are no whole", [&](ReductionDriver& unit) {
            unit.request(op_load_reduce, 0, 7, 0, 1);
            resize(unit.in.line, size, 0);
            unit.step();
        });
    expect("33 B are no whole", [&](ReductionDriver& unit) {
        unit.request(op_load_reduce, 1, 7, 0, 1);
        resize(unit.in.line, 33, 0);
        unit.step();
    });
    EXPECT_EQ(says([&](ReductionDriver& unit) {
        unit.request(op_load_reduce, 1, 7, 0, 1);
        resize(unit.in.line, 34, 0);
        unit.step();
        unit.request(op_multicast, 0, 7, 0, 1);
        resize(unit.in.line, 33, posted_flag);
        unit.step();
    }),
        "");
    expect("operation 7 cannot be posted", [&](ReductionDriver& unit) {
        unit.request(op_load_reduce, 0, 7, 0, 1, 0, posted_flag);
        unit.step();
    });
    expect("endpoint 7, which is no member", [](ReductionDriver& unit) {
        unit.request(op_reduce, 0, 7, 0, 1);
        unit.step();
    });
    expect("endpoint 102, which is no member", [](ReductionDriver& unit) {
        unit.set_group(2, 3);
        unit.set_group(2, 2);  // the pins still hold the third
        unit.request(op_reduce, 2, 102, 0, 1);
        unit.step();
    });
    expect("endpoint 101 contributes twice", [](ReductionDriver& unit) {
        for (unsigned i = 0; i < 2; ++i) {
            unit.request(op_reduce, 0, 101, 0, 1);
            unit.step();
        }
    });
    expect("a response to context 0", [](ReductionDriver& unit) {
        unit.request(op_reduce, 0, 100, 0, 1);
        unit.step();
        unit.steps(2);
        LineBits copy = unit.in.line;
        copy.set_rest(group_number, op_write, false, 64, 0, 0, 0, false);
        unit.respond(copy, 0);
        unit.step();
    });
    const auto copied = [](ReductionDriver& unit) {
        unit.request(op_load_reduce, 0, 7, 0, 1);
        unit.step();
        unit.steps(3);
        return unit.lines.at(0).out.line;
    };
    expect("a response to context 2", [&](ReductionDriver& unit) {
        LineBits copy = copied(unit);
        copy.set_rest(copy.source(), op_read, false, 64, 0, 0, 2, false);
        unit.respond(copy, 0);
        unit.step();
    });
    expect("a response to context 4", [&](ReductionDriver& unit) {
        LineBits copy = copied(unit);
        copy.set_rest(copy.source(), op_read, false, 64, 0, 0, 4, false);
        unit.respond(copy, 0);
        unit.step();
    });
    expect("a response to context 0", [&](ReductionDriver& unit) {
        LineBits copy = copied(unit);
        copy.set_rest(group_number + 1, op_read, false, 64, 0, 0, 0, false);
        unit.respond(copy, 0);
        unit.step();
    });
    expect("a response of operation 1", [&](ReductionDriver& unit) {
        LineBits copy = copied(unit);
        copy.set_rest(group_number, op_write, false, 64, 0, 0, 0, false);
        unit.respond(copy, 0);
        unit.step();
    });
    expect("endpoint 105, which is no member", [&](ReductionDriver& unit) {
        unit.respond(copied(unit), 5);
        unit.step();
    });
    expect("endpoint 101 responds twice", [&](ReductionDriver& unit) {
        const LineBits copy = copied(unit);
        for (unsigned i = 0; i < 2; ++i) {
            unit.respond(copy, 1);
            unit.step();
        }
    });
    expect("two members of group 2", [](ReductionDriver& unit) {
        unit.set_group(2, 2);
        unit.in.cfg_valid = true;
        unit.in.cfg_endpoints = {9, 9};
        unit.step();
    });
    expect("two members of group 2", [](ReductionDriver& unit) {
        unit.set_group(2, 2);
        unit.in.cfg_valid = true;
        unit.in.cfg_members = {3, 3};
        unit.step();
    });
    expect("9 members has no place", [](ReductionDriver& unit) { unit.set_group(2, 9); });
    expect("group 0 is set while", [&](ReductionDriver& unit) {
        copied(unit);
        unit.set_group(0, 2);
    });
    // Places that do not fill their bits.
    // A block that ReductionLockstepTest has.
    const ReductionParameters odd{5, 3, 7, 9, 6, 6, 4, 0, 5, 2};
    ReductionRtl block(odd, "odd");
    ReductionDriver unit(odd, block);
    unit.set_group(0, 3);
    unit.request(op_multicast, 0, 7, 0, 1, 0, posted_flag);
    unit.in.port = 6;
    unit.step();
    EXPECT_NE(block.failure().find("comes from port 6"), std::string::npos) << block.failure();
    ReductionRtl group_block(odd, "odd");
    ReductionDriver group_unit(odd, group_block);
    group_unit.set_group(3, 1);
    EXPECT_NE(group_block.failure().find("group 3 of 1 members has no place"), std::string::npos);
    ReductionRtl port_block(odd, "odd");
    ReductionDriver port_unit(odd, port_block);
    port_unit.set_group(0, 1);
    port_unit.in.cfg_valid = true;
    port_unit.in.cfg_members = {6};
    port_unit.step();
    EXPECT_NE(port_block.failure().find("a port that there is not"), std::string::npos) << port_block.failure();
}

TEST(ReductionParameters, AreChecked)
{
    const auto wrong = [](const std::function<void(ReductionParameters&)>& how) {
        ReductionParameters parameters;
        how(parameters);
        EXPECT_THROW(ReferenceReduction{parameters}, InputError);
        EXPECT_THROW(reduction_source(parameters), InputError);
    };
    wrong([](ReductionParameters& p) { p.members = 0; });
    wrong([](ReductionParameters& p) { p.members = 65; });
    wrong([](ReductionParameters& p) { p.groups = 0; });
    wrong([](ReductionParameters& p) { p.contexts = 65; });
    wrong([](ReductionParameters& p) { p.slots = 0; });
    wrong([](ReductionParameters& p) { p.ports = 65; });
    wrong([](ReductionParameters& p) { p.vcs = 3; });
    wrong([](ReductionParameters& p) { p.vc_response = p.vc_group; });
    wrong([](ReductionParameters& p) { p.vc_write = 4; });
}

TEST(ReductionDifference, NamesTheField)
{
    ReductionOut a;
    a.valid = true;
    a.line.clear();
    ReductionOut b = a;
    EXPECT_EQ(difference(a, b), "");
    b.line.data()[5] = 3;
    EXPECT_EQ(difference(a, b), "out_line.data byte 5: expected 0x0, got 0x3");
    b = a;
    b.line.set_rest(0, 0, false, 0, 0, 0, 9, false);
    EXPECT_EQ(difference(a, b), "out_line.tag: expected 0x0, got 0x9");
    b = a;
    b.ports = 4;
    EXPECT_EQ(difference(a, b), "out_ports: expected 0x0, got 0x4");
    b = a;
    b.credit = 1;
    EXPECT_EQ(difference(a, b), "in_credit: expected 0x0, got 0x1");
}

}  // namespace
}  // namespace weft::test::reduction_check_test
