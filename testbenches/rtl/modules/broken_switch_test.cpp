// Blocks that are broken on purpose: each fault is named, with the clock, the port and the lines before it.
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/tlm_interconnect/child.h"

namespace broken_switch_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Block = ClockedSwitch::Block;

// A reference model whose pins are tampered with.
class Tampered : public Block {
public:
    using Change = std::function<void(SwitchIn& in, SwitchOut& out)>;

    Tampered(const SwitchBlockParameters& parameters, Change before, Change after)
        : reference_(parameters), before_(std::move(before)), after_(std::move(after)), scratch_(parameters)
    {
    }
    void reset() override { reference_.reset(); }
    void cycle(const SwitchIn& in, SwitchOut& out) override
    {
        scratch_ = in;
        if (before_) before_(scratch_, out);
        reference_.cycle(scratch_, out);
        if (after_) after_(scratch_, out);
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceSwitch reference_;
    Change before_;
    Change after_;
    SwitchIn scratch_;
};

// All that the switch says of a run with such a block.
std::string account(const Tampered::Change& before, const Tampered::Change& after, bool lockstep = false)
{
    return in_child([&] {
        const auto make = [&](const SwitchBlockParameters& parameters,
                              const std::string& path) -> std::unique_ptr<Block> {
            auto broken = std::make_unique<Tampered>(parameters, before, after);
            if (!lockstep) return broken;
            return std::make_unique<Lockstep<Block>>(std::move(broken), reference(parameters, path),
                SwitchOut(parameters));
        };
        FabricSystem::Options options = clocked(make);
        options.checkers = false;
        FabricSystem system(star(4, 120'000'000'000), options);
        system.issue_random(150, 3);
        run_all(system);
        std::string out;
        for (const std::string& line : system.others[0]->problems()) out += line + "\n";
        for (const std::string& line : system.others[0]->blocked()) out += "blocked: " + line + "\n";
        return out;
    });
}

// Calls `fault` for the 100th line on an output.
Tampered::Change at_line(std::function<void(SwitchOut&, unsigned output)> fault)
{
    return [count = 0U, fault = std::move(fault)](SwitchIn&, SwitchOut& out) mutable {
        for (std::uint64_t rest = out.valid; rest != 0; rest &= rest - 1)
            if (++count == 100) {
                fault(out, static_cast<unsigned>(__builtin_ctzll(rest)));
                return;
            }
    };
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(BrokenSwitch, AWholeOneHasNothingToSay) { EXPECT_EQ(account(nullptr, nullptr), ""); }

TEST(BrokenSwitch, AFlippedBitOfDataIsNamed)
{
    const std::string text =
        account(nullptr, at_line([](SwitchOut& out, unsigned o) { out.data[o].data()[5] ^= 0x10; }));
    EXPECT_TRUE(has(text, "data byte 5: expected")) << text;
    EXPECT_TRUE(has(text, "s: clock ")) << text;
    EXPECT_TRUE(has(text, "out of output")) << text;
}

TEST(BrokenSwitch, AChangedHeaderIsNamed)
{
    const std::string text =
        account(nullptr, at_line([](SwitchOut& out, unsigned o) { out.data[o].bytes[0] ^= 0x40; }));
    EXPECT_TRUE(has(text, "address: expected")) << text;
}

TEST(BrokenSwitch, AWrongOutputIsNamed)
{
    const std::string text = account(nullptr, at_line([](SwitchOut& out, unsigned o) {
        const unsigned other = (o + 1) % 4;
        if ((out.valid >> other & 1U) != 0)
            std::swap(out.data[o], out.data[other]);
        else {
            out.valid = (out.valid & ~(std::uint64_t{1} << o)) | std::uint64_t{1} << other;
            out.data[other] = out.data[o];
            out.vc[other] = out.vc[o];
        }
    }));
    EXPECT_TRUE(has(text, "a line for output") || has(text, "wire is not free")) << text;
}

TEST(BrokenSwitch, AWrongChannelIsNamed)
{
    const std::string text = account(nullptr,
        at_line([](SwitchOut& out, unsigned o) { out.vc[o] = static_cast<std::uint8_t>((out.vc[o] + 1) % 4); }));
    EXPECT_TRUE(has(text, "channel: expected")) << text;
}

TEST(BrokenSwitch, ADroppedLineIsNamed)
{
    const std::string text =
        account(nullptr, at_line([](SwitchOut& out, unsigned o) { out.valid &= ~(std::uint64_t{1} << o); }));
    EXPECT_TRUE(has(text, "but no transaction leaves")) << text;
}

TEST(BrokenSwitch, ALineThatComesTwiceIsNamed)
{
    const std::string text = account(nullptr, [kept = LineBits{}, count = 0U](SwitchIn&, SwitchOut& out) mutable {
        if (out.valid == 0) return;
        const auto o = static_cast<unsigned>(__builtin_ctzll(out.valid));
        if (++count == 100) kept = out.data[o];
        if (count == 110) out.data[o] = kept;
    });
    EXPECT_TRUE(has(text, "never went in, or comes out a second time") || has(text, "expected")) << text;
}

TEST(BrokenSwitch, AWithheldCreditIsNamed)
{
    const std::string text = account(nullptr, at_line([](SwitchOut& out, unsigned) { out.credit_valid = 0; }));
    EXPECT_TRUE(has(text, "a transaction leaves without its credit")) << text;
}

TEST(BrokenSwitch, AHeadThatNeverLeavesIsToldAsBlocked)
{
    const std::string text = account([](SwitchIn& in, SwitchOut&) { in.ready &= ~std::uint64_t{4}; }, nullptr);
    EXPECT_TRUE(has(text, "blocked: s input 0:")) << text;
    EXPECT_TRUE(has(text, "wait for output 2")) << text;
    EXPECT_FALSE(has(text, "wait for output 1")) << text;
}

TEST(BrokenSwitch, LinesOutOfOrderAreNamed)
{
    // Of the lines of input 0 to output 1 in one channel, the tenth comes out as the one that went in after it.
    const auto entered = std::make_shared<std::vector<LineBits>>();
    const auto stream = [](const LineBits& bits) {
        return bits.op() == static_cast<unsigned>(LineOp::write) && !bits.response();
    };
    const std::string text = account(
        [entered, stream](SwitchIn& in, SwitchOut&) {
            if ((in.valid & 1U) != 0 && in.ports[0] == 2 && stream(in.data[0])) entered->push_back(in.data[0]);
        },
        [entered](SwitchIn&, SwitchOut& out) {
            if ((out.valid & 2U) == 0 || entered->size() < 11) return;
            if (out.data[1] == (*entered)[9]) out.data[1] = (*entered)[10];
        });
    EXPECT_TRUE(has(text, "a transaction out of order: it came out ahead of 1 earlier transactions")) << text;
}

// A grant that is lost in one clock shows in that clock.
TEST(BrokenSwitch, LockstepStopsAtTheFirstDifference)
{
    const std::string text = account(
        nullptr,
        [count = 0](SwitchIn&, SwitchOut& out) mutable {
            if ((out.valid & 2U) == 0 || ++count != 20) return;
            out.vc[1] = static_cast<std::uint8_t>(out.vc[1] ^ 1U);
        },
        true);
    EXPECT_TRUE(has(text, "out_vc[1]: expected")) << text;
    EXPECT_TRUE(has(text, "s: clock ")) << text;
    EXPECT_TRUE(has(text, "out of output 1 at ")) << text;
    EXPECT_TRUE(has(text, "into input 1 at ")) << text;
}

// A block that loses a clock in which an output was ready differs as soon as that shows.
TEST(BrokenSwitch, LockstepNamesAClockThatWasLost)
{
    const std::string text = account(
        [count = 0](SwitchIn& in, SwitchOut&) mutable {
            if (in.valid != 0 && ++count == 50) in.ready &= ~std::uint64_t{2};
        },
        nullptr, true);
    EXPECT_TRUE(has(text, "expected")) << text;
    EXPECT_TRUE(has(text, "s: clock ")) << text;
}

}  // namespace broken_switch_test
