// Nothing is lost, doubled, reordered or changed; a scoreboard that would not notice is none; a reference model that is
// not quite one is found out; first bits of registers do not matter.
#include <functional>

#include "testbenches/rtl/switch/switch_either_test.h"
#include "testbenches/support/thorough.h"

namespace weft::test::switch_conservation_test {
namespace {

// A switch whose outputs somebody tampers with.
class Tampered : public SwitchBlock {
public:
    using Deed = std::function<void(std::uint64_t clock, SwitchOut& out)>;
    Tampered(const SwitchBlockParameters& parameters, Deed deed) : reference_(parameters), deed_(std::move(deed)) {}
    void reset() override { reference_.reset(); }
    void cycle(const SwitchIn& in, SwitchOut& out) override
    {
        reference_.cycle(in, out);
        deed_(clock_++, out);
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceSwitch reference_;
    Deed deed_;
    std::uint64_t clock_ = 0;
};

struct Outcome {
    std::string wrong;
    std::uint64_t missing = 0;
    std::uint64_t delivered = 0;
};

// Random traffic, then silence until the switch is empty.
Outcome conservation(SwitchBlock& block, const SwitchBlockParameters& parameters, std::uint64_t seed,
    std::uint64_t clocks)
{
    SwitchTraffic traffic(parameters, seed);
    SwitchScoreboard scoreboard(parameters);
    SwitchOut out(parameters);
    block.reset();
    for (std::uint64_t clock = 0; clock < clocks; ++clock) {
        traffic.set_load(clock < clocks / 2 ? 0.7 : clock < clocks - 3000 ? 0.3 : 0.0);
        const SwitchIn& in = traffic.next(out);
        block.cycle(in, out);
        scoreboard.clock(in, out);
    }
    return {scoreboard.failure() + block.failure(), scoreboard.missing(), scoreboard.delivered()};
}

template <class Block>
class SwitchConservationTest : public SwitchEitherTest<Block> {
};
TYPED_TEST_SUITE(SwitchConservationTest, ReferenceAndBlock, SwitchBlockName);

TYPED_TEST(SwitchConservationTest, EveryCopyArrivesOnce)
{
    for (const bool one_queue : {false, true}) {
        SwitchBlockParameters parameters = switch_of(4, 3, 5, 6, 640, 1, 3, 1);
        parameters.one_queue = one_queue;
        const auto block = this->make(parameters);
        const Outcome outcome = conservation(*block, parameters, 11, 50'000);
        EXPECT_EQ(outcome.wrong, "");
        EXPECT_EQ(outcome.missing, 0U);
        EXPECT_GT(outcome.delivered, 20'000U);
    }
}

TEST(SwitchScoreboardTest, FindsWhatIsWrong)
{
    const SwitchBlockParameters parameters;
    const auto outcome = [&](const Tampered::Deed& deed) {
        Tampered block(parameters, deed);
        return conservation(block, parameters, 5, 20'000);
    };
    const Outcome good = outcome([](std::uint64_t, SwitchOut&) {});
    EXPECT_EQ(good.wrong, "");
    EXPECT_EQ(good.missing, 0U);

    bool done = false;
    const Outcome lost = outcome([&](std::uint64_t clock, SwitchOut& out) {
        if (!done && clock > 500 && out.valid != 0) {
            done = true;
            out.valid &= out.valid - 1;
        }
    });
    EXPECT_GT(lost.missing, 0U);

    // The last line of output 1 again, when it is silent.
    LineBits kept;
    kept.clear();
    std::uint64_t doubled_at = 0;
    const Outcome doubled = outcome([&](std::uint64_t clock, SwitchOut& out) {
        if ((out.valid & 2U) != 0) {
            kept = out.data[1];
        } else if (clock >= 700 && doubled_at == 0) {
            doubled_at = clock;
            out.valid |= 2;
            out.data[1] = kept;
        }
    });
    EXPECT_EQ(doubled.wrong.find("clock " + std::to_string(doubled_at) + ": output 1"), 0U) << doubled.wrong;

    const auto once = [&](const std::function<void(SwitchOut&)>& deed) {
        return outcome([&, left = 1](std::uint64_t clock, SwitchOut& out) mutable {
            if (clock < 600 || (out.valid & 3U) != 3 || left == 0 || out.data[0] == out.data[1]) return;
            --left;
            deed(out);
        }).wrong;
    };
    EXPECT_NE(once([](SwitchOut& out) { out.data[0].bytes[79] ^= 0x80; }), "");
    EXPECT_NE(once([](SwitchOut& out) { out.vc[1] ^= 1; }), "");
    EXPECT_NE(once([](SwitchOut& out) { std::swap(out.data[0], out.data[1]); }), "");
    EXPECT_NE(outcome([](std::uint64_t clock, SwitchOut& out) {
        if (clock == 10) {
            out.credit_valid |= 8;
            out.credit_vc[3] = 3;
        }
    }).wrong,
        "");

    // Two lines of a queue in the wrong order: line by line on output 2.
    SwitchScoreboard scoreboard(parameters);
    SwitchIn in(parameters);
    SwitchOut out(parameters);
    in.valid = 1;
    in.ports[0] = 4;
    in.data[0].clear();
    scoreboard.clock(in, out);
    in.data[0].bytes[3] = 1;
    scoreboard.clock(in, out);
    in.valid = 0;
    out.valid = 4;
    out.data[2] = in.data[0];
    scoreboard.clock(in, out);
    EXPECT_NE(scoreboard.failure().find("clock 2: output 2"), std::string::npos) << scoreboard.failure();
}

std::string found(const SwitchBlockParameters& parameters, SwitchBlock& skewed)
{
    ReferenceSwitch reference(parameters);
    return compare_switches(parameters, reference, skewed, 1, 20'000).wrong;
}

TEST(SwitchSkewTest, AReferenceThatIsNotQuiteOneIsFound)
{
    const SwitchBlockParameters right = switch_of(4, 4, 8, 8, 128, 2, 1, 2);
    ReferenceSwitch same(right);
    EXPECT_EQ(found(right, same), "");
    const auto with = [&](const std::function<void(SwitchBlockParameters&)>& change) {
        SwitchBlockParameters parameters = right;
        change(parameters);
        ReferenceSwitch skewed(parameters);
        return found(right, skewed);
    };
    // A clock early or late, a wrong pointer after a grant, a round too many, a credit too many or too few.
    EXPECT_NE(with([](SwitchBlockParameters& p) { p.latency = 1; }), "");
    EXPECT_NE(with([](SwitchBlockParameters& p) { p.latency = 3; }), "");
    EXPECT_NE(with([](SwitchBlockParameters& p) { p.traversal = 2; }), "");
    EXPECT_NE(with([](SwitchBlockParameters& p) { p.traversal = 0; }), "");
    EXPECT_NE(with([](SwitchBlockParameters& p) { p.islip = false; }), "");
    EXPECT_NE(with([](SwitchBlockParameters& p) { p.iterations = 1; }), "");
    EXPECT_NE(with([](SwitchBlockParameters& p) { p.one_queue = true; }), "");
    EXPECT_NE(with([](SwitchBlockParameters& p) { p.width = 120; }), "");
    EXPECT_NE(with([](SwitchBlockParameters& p) {
        p.credits.assign(16, 8);
        p.credits[9] = 7;
    }),
        "");
    Tampered late(right, [last = SwitchOut(right)](std::uint64_t, SwitchOut& out) mutable { std::swap(last, out); });
    EXPECT_NE(found(right, late), "");
    // One output that is late once.
    Tampered once(right, [&](std::uint64_t clock, SwitchOut& out) {
        if (clock == 15'000) out.valid ^= 1;
    });
    EXPECT_EQ(found(right, once).substr(0, 24), "clock 15000: out_valid: ");
}

class SwitchSeedTest : public RtlTest {};

TEST_F(SwitchSeedTest, FirstBitsDoNotMatter)
{
    // By default the block that SwitchEqualityTest has.
    const SwitchBlockParameters parameters = thorough() ? switch_of(4, 3, 5, 6, 640, 1, 3, 1) : SwitchBlockParameters{};
    for (const std::uint64_t seed : {2U, 99U, 3U, 123456U}) {
        if (seed == 3 && !thorough()) break;
        SwitchRtl one(parameters, "one", 1);
        SwitchRtl other(parameters, "other", seed);
        EXPECT_EQ(compare_switches(parameters, one, other, seed, 20'000).wrong, "");
        // And what happened before a reset.
        EXPECT_EQ(compare_switches(parameters, one, other, seed + 1, 20'000).wrong, "");
    }
}

}  // namespace
}  // namespace weft::test::switch_conservation_test
