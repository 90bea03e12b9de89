// The benches of the cache slice hear what they should.
#include <functional>

#include "base/diagnostic.h"
#include "testbenches/rtl/cache/llc_script.h"
#include "testbenches/rtl/cache/llc_sets.h"
#include "testbenches/support/thorough.h"

namespace weft::llc_bench_test {
namespace {

using test::check;
using test::llc_read;
using test::llc_request;

// Needs no Verilator: the reference model alone keeps to the scoreboard.
TEST(ReferenceSliceAlone, KeepsToTheScoreboard)
{
    for (const LlcParameters& p : test::all_sets()) {
        ReferenceSlice reference(p);
        for (std::uint64_t seed = 100; seed < 110; ++seed) EXPECT_EQ(check(reference, p, seed, 50'000), "") << seed;
    }
}

TEST(ReferenceSliceAlone, TheScoreboardHears)
{
    const LlcParameters p = test::odd();
    ReferenceSlice reference(p);
    struct Fault {
        const char* expected;
        std::function<void(std::uint64_t clock, LlcOut& out)> change;
    };
    LlcOut kept;
    bool held = false;
    const std::vector<Fault> faults = {
        {"wrong data", [](std::uint64_t clock, LlcOut& out) { out.resp.data()[17] ^= clock > 5000 ? 1 : 0; }},
        {"wrong data",
            [](std::uint64_t clock, LlcOut& out) {
                if (clock > 5000 && out.resp.op() == 0 && out.resp.size() < 64) out.resp.data()[out.resp.size()] ^= 4;
            }},
        {"another header", [](std::uint64_t clock, LlcOut& out) { out.resp.bytes[9] ^= clock > 5000 ? 1 : 0; }},
        {"nobody waits", [](std::uint64_t clock, LlcOut& out) { out.resp.bytes[14] ^= clock > 5000 ? 1 : 0; }},
        // Memory is told something else, in one byte.
        {"wrong", [](std::uint64_t clock, LlcOut& out) { out.mem_write.data()[5] ^= clock > 5000 ? 1 : 0; }},
        {"nobody asked", [](std::uint64_t clock, LlcOut& out) { out.mem_read.bytes[3] ^= clock > 5000 ? 1 : 0; }},
        {"counters", [](std::uint64_t clock, LlcOut& out) { out.hit = out.hit && clock != 0 && clock < 50'000; }},
        // Lost; answered twice.
        {"no end", [](std::uint64_t clock, LlcOut& out) { out.resp_valid = out.resp_valid && clock < 50'000; }},
        {"nobody waits",
            [&](std::uint64_t clock, LlcOut& out) {
                if (held) out.resp = kept.resp;
                held = clock > 5000 && out.resp_valid;
                if (held) kept = out;
            }},
    };
    for (const Fault& fault : faults) {
        const std::string wrong = check(reference, p, 7, 60'000, fault.change);
        EXPECT_NE(wrong.find(fault.expected), std::string::npos) << fault.expected << ": " << wrong;
    }
    EXPECT_EQ(check(reference, p, 7, 60'000), "");
}

TEST(ReferenceSliceAlone, AnswersOfALineOutOfOrderAreHeard)
{
    test::LlcScoreboard board({5});
    LineBits first = llc_read(5 * 64, 8);
    LineBits second = llc_request(0, 5 * 64, 8);
    second.set_rest(2, 0, false, 8, 0, 0, 1, false);
    board.requested(first);
    board.requested(second);
    LineBits response = second;
    std::memcpy(response.data(), board.read(llc_read(5 * 64)).data(), 8);
    response.set_rest(2, 0, true, 8, 0, 0, 1, false);
    board.responded(response);
    EXPECT_NE(board.complaint().find("out of order"), std::string::npos) << board.complaint();
}

TEST(ReferenceSliceAlone, RefusesParameters)
{
    const auto refused = [](std::uint32_t LlcParameters::*parameter, std::uint32_t value, const std::string& name) {
        LlcParameters p;
        p.*parameter = value;
        try {
            ReferenceSlice reference(p);
            ADD_FAILURE() << name << " " << value;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
        }
        EXPECT_THROW(llc_source(p), InputError);
    };
    refused(&LlcParameters::sets, 12, "sets is 12; expected a power of two");
    refused(&LlcParameters::sets, 1, "sets is 1; expected 2 to 65536");
    refused(&LlcParameters::ways, 0, "ways");
    refused(&LlcParameters::ways, 65, "ways");
    refused(&LlcParameters::index_low, 17, "index_low");
    refused(&LlcParameters::mshrs, 0, "mshrs");
    refused(&LlcParameters::mshrs, 257, "mshrs");
    refused(&LlcParameters::merges, 256, "merges");
    refused(&LlcParameters::queue, 0, "queue");
    refused(&LlcParameters::responses, 0, "responses");
    refused(&LlcParameters::write_backs, 0, "write_backs");
    refused(&LlcParameters::tag_clocks, 0, "tag_clocks");
    refused(&LlcParameters::data_clocks, 1, "data_clocks");
    refused(&LlcParameters::modify_clocks, 65, "modify_clocks");
}

class LlcBenchTest : public RtlTest {};

// A reference model with any one parameter beside the block's.
TEST_F(LlcBenchTest, ASkewedReferenceIsCaught)
{
    const LlcParameters p = test::odd();
    for (const auto parameter :
        {&LlcParameters::sets, &LlcParameters::ways, &LlcParameters::index_low, &LlcParameters::mshrs,
            &LlcParameters::merges, &LlcParameters::queue, &LlcParameters::responses, &LlcParameters::write_backs,
            &LlcParameters::tag_clocks, &LlcParameters::data_clocks, &LlcParameters::modify_clocks}) {
        LlcParameters skewed = p;
        skewed.*parameter = parameter == &LlcParameters::sets ? 2 * p.sets : p.*parameter + 1;
        ReferenceSlice reference(skewed);
        LlcRtl block(p, "dut");
        EXPECT_NE(test::compare(reference, block, p, 3, 20'000).find("expected"), std::string::npos);
    }
    ReferenceSlice reference(p);
    LlcRtl block(p, "dut");
    EXPECT_EQ(test::compare(reference, block, p, 3, 20'000), "");
}

TEST_F(LlcBenchTest, WhatNoResetSetsDoesNotMatter)
{
    // By default a block that other tests have.
    const LlcParameters p = test::thorough() ? test::many_entries() : test::odd();
    LlcRtl first(p, "first", 1);
    for (std::uint64_t seed = 2; seed < test::by_default(5, 10); ++seed) {
        LlcRtl other(p, "other", seed);
        EXPECT_EQ(test::compare(first, other, p, 11, 20'000), "") << seed;
    }
}

// A block that is not clocked while it is idle and nothing comes.
class Gated final : public test::LlcBlock {
public:
    explicit Gated(test::LlcBlock& block) : block_(block) {}
    void reset() override
    {
        block_.reset();
        last_ = {};
    }
    void cycle(const LlcIn& in, LlcOut& out) override
    {
        if (last_.idle && !in.req_valid && !in.mem_resp_valid && in.flush == last_.flushed) {
            EXPECT_TRUE(block_.idle());
            out = last_;
            ++left_out;
        } else {
            block_.cycle(in, out);
            last_ = out;
        }
    }
    bool idle() const override { return block_.idle(); }

    std::uint64_t left_out = 0;

private:
    test::LlcBlock& block_;
    LlcOut last_;
};

TEST_F(LlcBenchTest, IdleClocksMayBeLeftOut)
{
    std::vector<LlcParameters> sets{test::odd()};
    if (test::thorough()) sets.push_back(test::long_pipelines());
    for (const LlcParameters& p : sets) {
        ReferenceSlice reference(p);
        ReferenceSlice other(p);
        LlcRtl block(p, "dut");
        Gated gated_reference(other);
        Gated gated_block(block);
        for (std::uint64_t seed = 1; seed < 5; ++seed) {
            EXPECT_EQ(test::compare(reference, gated_block, p, seed, 20'000), "");
            EXPECT_EQ(test::compare(reference, gated_reference, p, seed, 20'000), "");
        }
        EXPECT_GT(gated_block.left_out, 100U);
        EXPECT_EQ(gated_block.left_out, gated_reference.left_out);
    }
}

class LlcAssertions : public RtlTest {
protected:
    void SetUp() override
    {
        RtlTest::SetUp();
        if (!IsSkipped()) block_ = std::make_unique<LlcRtl>(test::odd(), "slice0");
    }
    // After `in` for some clocks.
    void expect_heard(const LlcIn& in, const std::string& text, int clocks = 1)
    {
        for (int i = 0; i < clocks; ++i) block_->cycle(in, out_);
        EXPECT_NE(block_->failure().find(text), std::string::npos) << text << ": " << block_->failure();
        EXPECT_NE(block_->failure().find("slice0"), std::string::npos) << block_->failure();
    }
    void expect_heard(const LineBits& request, const std::string& text)
    {
        LlcIn in;
        in.req_valid = true;
        in.req = request;
        expect_heard(in, text);
        block_ = std::make_unique<LlcRtl>(test::odd(), "slice0");
    }

    std::unique_ptr<LlcRtl> block_;
    LlcOut out_;
};

TEST_F(LlcAssertions, FieldsOfRequests)
{
    expect_heard(llc_request(4, 0, 8), "operation 4");
    expect_heard(llc_request(0, 0, 0), "0 bytes at 0");
    expect_heard(llc_request(0, 0, 65), "65 bytes at 0");
    expect_heard(llc_request(1, 60, 5), "5 bytes at 60");
    expect_heard(llc_request(2, 0, 5), "an atomic of 5 bytes");
    expect_heard(llc_request(3, 12, 8), "an atomic of 8 bytes at 12");
    expect_heard(llc_request(2, 2, 4), "an atomic of 4 bytes at 2");
    expect_heard(llc_request(3, 8, 8, 0, 5), "atomic function 5");
    LineBits response = llc_read(0);
    response.bytes[10] |= 1U << 4;
    expect_heard(response, "a response");
    // What is just allowed is not complained about.
    LlcIn in;
    in.req_valid = true;
    for (const LineBits& request : {llc_read(63, 1), llc_request(1, 60, 4), llc_request(3, 4, 4, 0, 4), llc_read(0)}) {
        in.req = request;
        block_->reset();
        block_->cycle(in, out_);
        EXPECT_EQ(block_->failure(), "");
    }
}

TEST_F(LlcAssertions, ARequestThatChanges)
{
    LlcIn in;
    in.req_valid = true;
    in.req = llc_read(0);
    // Nothing comes back: the slice fills up.
    for (std::uint64_t i = 0; i < 30; ++i) {
        in.req.set_place(0, i * 64);
        block_->cycle(in, out_);
        if (!out_.req_ready) break;
    }
    ASSERT_FALSE(out_.req_ready);
    ASSERT_EQ(block_->failure(), "");
    in.req.set_place(0, 9999 * 64);
    expect_heard(in, "req: a request changed or went");
}

TEST_F(LlcAssertions, ARequestThatGoes)
{
    LlcIn in;
    in.req_valid = true;
    in.req = llc_read(0);
    for (std::uint64_t i = 0; i < 30; ++i) {
        in.req.set_place(0, i * 64);
        block_->cycle(in, out_);
        if (!out_.req_ready) break;
    }
    in.req_valid = false;
    expect_heard(in, "req: a request changed or went");
}

TEST_F(LlcAssertions, LinesThatNobodyAskedFor)
{
    LlcIn in;
    in.mem_resp_valid = true;
    expect_heard(in, "tag 0, which asked for nothing");
    block_ = std::make_unique<LlcRtl>(test::odd(), "slice0");
    in.mem_resp.set_rest(0, 0, true, 64, 0, 0, 5, false);
    expect_heard(in, "tag 5, which asked for nothing");
    // There is a miss, but memory has not taken its read yet.
    block_ = std::make_unique<LlcRtl>(test::odd(), "slice0");
    LlcIn request;
    request.req_valid = true;
    request.req = llc_read(0);
    block_->cycle(request, out_);
    for (int i = 0; i < 5; ++i) block_->cycle({}, out_);
    EXPECT_TRUE(out_.mem_read_valid);
    in.mem_resp.set_rest(0, 0, true, 64, 0, 0, 0, false);
    expect_heard(in, "tag 0, which asked for nothing");
}

TEST_F(LlcAssertions, ALineThatChanges)
{
    // Answers are not taken, so that the third line from memory has to wait.
    const LlcParameters p = test::odd();
    LlcIn in;
    in.mem_read_ready = true;
    std::uint64_t asked = 0;
    for (int i = 0; i < 100; ++i) {
        in.req_valid = asked < p.responses + 1;
        in.req = llc_read(asked << p.index_low << 6);
        block_->cycle(in, out_);
        if (in.req_valid && out_.req_ready) ++asked;
    }
    in.req_valid = false;
    std::uint32_t tag = 0;
    for (int i = 0; i < 20; ++i) {
        in.mem_resp_valid = true;
        in.mem_resp.set_rest(0, 0, true, 64, 0, 0, tag, false);
        block_->cycle(in, out_);
        if (out_.mem_resp_ready) ++tag;
    }
    ASSERT_FALSE(out_.mem_resp_ready);
    ASSERT_EQ(block_->failure(), "");
    in.mem_resp.data()[63] ^= 0x80;
    expect_heard(in, "mem_resp: a line changed or went");
}

TEST_F(LlcAssertions, AFlushTakenBack)
{
    LlcIn in;
    in.flush = true;
    block_->cycle(in, out_);
    in.flush = false;
    expect_heard(in, "flush: taken back");
}

}  // namespace
}  // namespace weft::llc_bench_test
