// Slices that are broken on purpose: each fault is named, with the clock and the lines before it.
#include <functional>
#include <memory>

#include "rtl/cache/llc_line.h"
#include "testbenches/rtl/modules/slice_bench.h"

namespace broken_slice_test {

using namespace weft;
using namespace weft::testing;

namespace {

using Block = ClockedSlice::Block;

// A reference model whose pins are tampered with.
class Tampered : public Block {
public:
    using Before = std::function<void(LlcIn& in)>;
    using After = std::function<void(LlcOut& out)>;

    Tampered(const LlcParameters& parameters, Before before, After after)
        : reference_(parameters), before_(std::move(before)), after_(std::move(after))
    {
    }
    void reset() override { reference_.reset(); }
    void cycle(const LlcIn& in, LlcOut& out) override
    {
        LlcIn seen = in;
        if (before_) before_(seen);
        reference_.cycle(seen, out);
        if (after_) after_(out);
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceSlice reference_;
    Before before_;
    After after_;
};

// All that the slice says of a run with such a block, its memory looked at in the end.
std::string account(const Tampered::Before& before, const Tampered::After& after, bool lockstep = false)
{
    return in_child([&] {
        const auto make = [&](const LlcParameters& parameters, const std::string&, Time) -> SliceBlock {
            auto broken = std::make_unique<Tampered>(parameters, before, after);
            if (!lockstep) return broken;
            return std::make_unique<Lockstep<Block>>(std::move(broken), std::make_unique<ReferenceSlice>(parameters),
                LlcOut());
        };
        SliceBench bench(small_slice(), make);
        issue_random(bench, 1000, 3);
        bench.run_on();
        bench.slice.check_contents();
        return bench.account();
    });
}

// Calls `fault` for the `number`-th clock in which `valid`.
Tampered::After at_line(bool LlcOut::*valid, std::function<void(LlcOut&)> fault, unsigned number = 40)
{
    return [count = 0U, valid, number, fault = std::move(fault)](LlcOut& out) mutable {
        if (out.*valid && ++count == number) fault(out);
    };
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(BrokenSlice, AWholeOneHasNothingToSay) { EXPECT_EQ(account(nullptr, nullptr), ""); }

TEST(BrokenSlice, WrongDataOfAnAnswerAreNamed)
{
    const std::string text = account(nullptr, [](LlcOut& out) {
        if (out.resp_valid && out.resp.op() == 0 && out.resp.size() > 5) out.resp.data()[5] ^= 0x10;
    });
    EXPECT_TRUE(has(text, "resp: data byte 5: expected")) << text;
    EXPECT_TRUE(has(text, "slice: clock ")) << text;
    EXPECT_TRUE(has(text, "  answer at ")) << text;
    EXPECT_TRUE(has(text, "  request at ")) << text;
}

TEST(BrokenSlice, AChangedHeaderIsNamed)
{
    const std::string text =
        account(nullptr, at_line(&LlcOut::resp_valid, [](LlcOut& out) { out.resp.bytes[1] ^= 0x40; }));
    EXPECT_TRUE(has(text, "resp: address: expected")) << text;
}

TEST(BrokenSlice, AWrongTagIsNamed)
{
    const std::string text = account(nullptr, at_line(&LlcOut::resp_valid, [](LlcOut& out) {
        out.resp.set_rest(out.resp.source(), out.resp.op(), true, out.resp.size(), out.resp.function(),
            out.resp.flags(), out.resp.tag() + 100'000, false);
    }));
    EXPECT_TRUE(has(text, "resp: a response to no request, or a second one")) << text;
}

// Of several requests at once, one is answered with the tag of another.
TEST(BrokenSlice, ATagOfAnotherRequestIsNamed)
{
    const std::string text = account(nullptr, [](LlcOut& out) {
        if (out.resp_valid)
            out.resp.set_rest(out.resp.source(), out.resp.op(), true, out.resp.size(), out.resp.function(),
                out.resp.flags(), out.resp.tag() ^ 1U, false);
    });
    EXPECT_TRUE(has(text, "resp: ")) << text;
    EXPECT_TRUE(has(text, "expected") || has(text, "nobody asked")) << text;
}

TEST(BrokenSlice, AnAnswerTwiceIsNamed)
{
    const std::string text = account(nullptr, [kept = LineBits{}, count = 0U](LlcOut& out) mutable {
        if (!out.resp_valid) return;
        if (++count == 40) kept = out.resp;
        if (count == 41) out.resp = kept;
    });
    EXPECT_TRUE(has(text, "or a second one") || has(text, "expected")) << text;
}

TEST(BrokenSlice, ALostAnswerIsNamed)
{
    const std::string text = account(nullptr,
        at_line(
            &LlcOut::resp_valid, [](LlcOut& out) { out.resp_valid = false; }, 700));
    EXPECT_TRUE(has(text, "the block reports that it is idle, but 1 requests that it accepted have no response") ||
        has(text, "ahead of that of an earlier request to its line"))
        << text;
}

// The next answer of its line shows that the one before is missing, if there is one in time.
TEST(BrokenSlice, AnAnswerOutOfOrderIsNamed)
{
    const std::string text = in_child([&] {
        const auto make = [](const LlcParameters& parameters, const std::string&, Time) -> SliceBlock {
            return std::make_unique<Tampered>(parameters, nullptr,
                at_line(
                    &LlcOut::resp_valid, [](LlcOut& out) { out.resp_valid = false; }, 2));
        };
        SliceBench bench(small_slice(), make);
        for (unsigned i = 0; i < 4; ++i) bench.read(1'000'000, 5);
        bench.run_on();
        return bench.account();
    });
    EXPECT_TRUE(has(text, "a response ahead of that of an earlier request to its line, which has tag 1")) << text;
}

TEST(BrokenSlice, AWriteBackWithWrongDataIsNamed)
{
    const std::string text =
        account(nullptr, at_line(&LlcOut::mem_write_valid, [](LlcOut& out) { out.mem_write.data()[9] ^= 1; }));
    EXPECT_TRUE(has(text, "mem_write: data byte 9: expected")) << text;
    EXPECT_TRUE(has(text, "  write-back at ")) << text;
}

TEST(BrokenSlice, AWriteBackToAnotherLineIsNamed)
{
    const std::string text =
        account(nullptr, at_line(&LlcOut::mem_write_valid, [](LlcOut& out) { out.mem_write.bytes[0] ^= 0x40; }));
    EXPECT_TRUE(has(text, "mem_write: ")) << text;
}

// Lost on its way: the fill that comes later, or the look at memory in the end, finds old contents.
TEST(BrokenSlice, ALostWriteBackIsNamed)
{
    const std::string text =
        account(nullptr, at_line(&LlcOut::mem_write_valid, [](LlcOut& out) { out.mem_write_valid = false; }));
    EXPECT_TRUE(has(text, "expected")) << text;
}

// A block that forgets in the flush what it holds.
TEST(BrokenSlice, ALineThatIsNotFlushedIsNamed)
{
    const std::string text = in_child([&] {
        const auto make = [](const LlcParameters& parameters, const std::string&, Time) -> SliceBlock {
            return std::make_unique<Tampered>(parameters, nullptr,
                at_line(
                    &LlcOut::mem_write_valid, [](LlcOut& out) { out.mem_write_valid = false; }, 2));
        };
        SliceBench bench(small_slice(), make);
        for (unsigned i = 0; i < 4; ++i) bench.write(1'000'000, i, i + 1);
        bench.run_on();
        EXPECT_EQ(bench.account(), "");
        bench.slice.check_contents();
        return bench.account();
    });
    EXPECT_TRUE(has(text, "memory after the flush: data byte 0: expected 0x2, got 0x0 at 0x40")) << text;
}

TEST(BrokenSlice, AReadOfAnotherLineIsNamed)
{
    const std::string text =
        account(nullptr, at_line(&LlcOut::mem_read_valid, [](LlcOut& out) { out.mem_read.bytes[2] ^= 0x40; }));
    EXPECT_TRUE(has(text, "mem_read: a read of a line that no request needs")) << text;
}

TEST(BrokenSlice, AReadWithATagInUseIsNamed)
{
    const std::string text = account(nullptr, [count = 0U](LlcOut& out) mutable {
        if (out.mem_read_valid && out.mem_read.tag() > 0 && ++count == 3)
            address_memory(out.mem_read, line_number(out.mem_read), 3, false, 0);
    });
    EXPECT_TRUE(has(text, "mem_read: a read with the tag of a read in flight")) << text;
}

// A fill that never arrives at the block: it stands still.
TEST(BrokenSlice, ALostFillIsNamed)
{
    const std::string text = account([](LlcIn& in) { in.mem_resp_valid = false; }, nullptr);
    EXPECT_TRUE(has(text, "the block makes no progress and waits for no response of the memory")) << text;
    EXPECT_TRUE(has(text, "requests have no response")) << text;
    EXPECT_TRUE(has(text, "blocked: slice: ")) << text;
}

TEST(BrokenSlice, ARequestThatIsNeverTakenIsNamed)
{
    const auto shut = std::make_shared<bool>(false);
    const std::string text = account(
        [shut, count = 0](LlcIn& in) mutable {
            *shut = *shut || ++count > 500;
            in.req_valid = in.req_valid && !*shut;
        },
        [shut](LlcOut& out) { out.req_ready = out.req_ready && !*shut; });
    EXPECT_TRUE(has(text, "the block makes no progress and waits for no response of the memory")) << text;
}

// A fill with other data than memory sent.
TEST(BrokenSlice, ASpoiltFillIsNamed)
{
    const std::string text = account(
        [count = 0U](LlcIn& in) mutable {
            if (in.mem_resp_valid && ++count > 30) in.mem_resp.data()[0] ^= 4;
        },
        nullptr);
    EXPECT_TRUE(has(text, "data byte ")) << text;
}

TEST(BrokenSlice, LockstepStopsAtTheFirstDifference)
{
    const std::string text = account(nullptr, at_line(&LlcOut::hit, [](LlcOut& out) { out.hit = false; }), true);
    EXPECT_TRUE(has(text, "hit: expected 1, got 0")) << text;
    EXPECT_TRUE(has(text, "slice: clock ")) << text;
    EXPECT_TRUE(has(text, "  answer at ")) << text;
}

}  // namespace broken_slice_test
