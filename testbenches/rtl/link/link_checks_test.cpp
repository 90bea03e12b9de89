// Checks that must fail are seen to fail; assertions of the block are heard; idle, reset and unset registers.
#include <algorithm>

#include "base/diagnostic.h"
#include "rtl/link/link_crc.h"
#include "testbenches/rtl/link/link_rig.h"

namespace weft::link_checks_test {
namespace {

using namespace link_bench;

TEST(LinkScoreboard, SeesWhatIsLostDoubledReorderedOrChanged)
{
    const LineBits a = some_write(64, 1), b = some_write(64, 2), c = some_write(64, 3);
    LineBits changed = b;
    changed.data()[63] ^= 128;
    struct Case {
        std::vector<std::pair<unsigned, LineBits>> came;
        const char* says;
    };
    const Case cases[] = {
        {{{0, a}, {1, b}, {0, c}}, ""},
        {{{0, a}, {0, c}}, "line 2: came 1 too early: lost, or out of order"},
        {{{0, a}, {1, b}, {1, b}}, "line 3: came twice"},
        {{{1, b}, {0, a}, {0, c}}, "line 1: came 1 too early: lost, or out of order"},
        {{{0, a}, {1, changed}}, "line 2: is not what was sent"},
        {{{0, a}, {0, b}}, "line 2: came on channel 0, was sent on 1"},
        {{{0, a}, {1, b}}, "line 2: 1 lines never came"},
        {{{0, a}, {1, b}, {0, c}, {0, c}}, "line 4: came and was not sent, or twice"},
    };
    for (const Case& one : cases) {
        Scoreboard board;
        board.taken(0, a);
        board.taken(1, b);
        board.taken(0, c);
        for (const auto& [vc, line] : one.came) board.delivered(vc, line);
        board.end();
        EXPECT_EQ(board.failure(), one.says);
    }
}

// An end that believes everything: takes its flits for lines without looking at a CRC or a number.
class Credulous : public ReferenceLinkEndpoint {
public:
    using ReferenceLinkEndpoint::ReferenceLinkEndpoint;
    void cycle(const LinkIn& in, LinkOut& out) override
    {
        ReferenceLinkEndpoint::cycle(in, out);
        out.rx_valid = false;
        if (!in.wire_valid) return;
        if (in.wire.head) count_ = 0;
        std::memcpy(bytes_ + count_ * 16, in.wire.bytes, 16);
        count_ = std::min(count_ + 1, 5U);
        if (!in.wire.tail || LinkWord::read(bytes_).control) return;
        out.rx_valid = true;
        out.rx_vc = LinkWord::read(bytes_).vc & 3;
        out.rx_line.clear();
        std::memcpy(out.rx_line.bytes, bytes_ + 4, beat_bits / 8);
        out.rx_line = as_carried(out.rx_line);
    }

private:
    std::uint8_t bytes_[6 * 16] = {};
    unsigned count_ = 0;
};

TEST(LinkScoreboard, SeesAWireThatDropsAFlitWhenNobodyChecksTheCrc)
{
    for (const bool drops : {false, true}) {
        const LinkParams params;
        ReferenceLinkEndpoint left(params);
        Credulous right(params);
        LinkPair pair(left, right, params, params, 5, 1);
        pair.behaviour(0).line = writes(64);
        pair.behaviour(0).load = 0.1;
        if (drops) pair.wire_from(0).drop(40);
        pair.run(500);
        EXPECT_EQ(pair.failure().empty(), !drops) << pair.failure();
    }
}

// Shows everything one clock late.
class Late : public LinkEndpoint {
public:
    explicit Late(const LinkParams& params) : reference_(params) {}
    void reset() override { reference_.reset(); }
    void cycle(const LinkIn& in, LinkOut& out) override
    {
        out = before_;
        reference_.cycle(in, before_);
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceLinkEndpoint reference_;
    LinkOut before_;
};

class LinkSkew : public LinkKindTest {
protected:
    // What lockstep says of a pair whose left end is compared with `other`.
    std::string against(const LinkParams& params, LinkEndpoint& other)
    {
        const auto left = make_end(GetParam(), params);
        ReferenceLinkEndpoint right(params);
        Lockstep both(*left, other, params.flit_bytes);
        LinkPair pair(both, right, params, params, 6, 3, 1e-4, 1e-4);
        for (unsigned end = 0; end < 2; ++end) pair.behaviour(end) = {0.2, 0.002, 0.5, -1, {}};
        pair.run(30'000);
        return both.first_difference();
    }
};

TEST_P(LinkSkew, IsCaught)
{
    LinkParams params = link_params(16, 4, 8, 5, 200, 3, 20);
    params.credits = {4, 4, 2, 3};
    ReferenceLinkEndpoint same(params);
    EXPECT_EQ(against(params, same), "");
    Late late(params);
    EXPECT_NE(against(params, late), "");
    const auto skewed = [&](auto change) {
        LinkParams other = params;
        change(other);
        ReferenceLinkEndpoint reference(other);
        return against(params, reference);
    };
    EXPECT_NE(skewed([](LinkParams& other) { ++other.hold; }), "");
    EXPECT_NE(skewed([](LinkParams& other) { ++other.batch; }), "");
    EXPECT_NE(skewed([](LinkParams& other) { ++other.timeout; }), "");
    EXPECT_NE(skewed([](LinkParams& other) { ++other.replay; }), "");
    EXPECT_NE(skewed([](LinkParams& other) { ++other.credits[3]; }), "");
    EXPECT_NE(skewed([](LinkParams& other) { ++other.seq_bits; }), "");
    EXPECT_NE(skewed([](LinkParams& other) { other.crc_poly = 0x82f63b78; }), "");
}

TEST_P(LinkSkew, ADifferenceIsToldByClockAndPin)
{
    const LinkParams params;
    Late late(params);
    const auto end = make_end(GetParam(), params);
    Lockstep both(*end, late, 16);
    LinkIn in;
    LinkOut out;
    in.tx_line = some_write(8);
    for (unsigned clock = 0; clock < 10; ++clock) {
        in.tx_valid = clock == 4;
        both.cycle(in, out);
    }
    EXPECT_EQ(both.first_difference(), "clock 0: tx_ready: expected 0x0, got 0xf");
}

// Clocks without anything going on may be left out.
class Gated : public LinkEndpoint {
public:
    explicit Gated(LinkEndpoint& end) : end_(end) {}
    void reset() override { end_.reset(); }
    void cycle(const LinkIn& in, LinkOut& out) override
    {
        if (end_.idle() && clocked_ > 0 && !in.tx_valid && !in.wire_valid && in.rx_credit == 0) {
            out = last_;
            ++left_out;
            return;
        }
        ++clocked_;
        end_.cycle(in, out);
        last_ = out;
    }
    bool idle() const override { return end_.idle(); }
    std::string failure() const override { return end_.failure(); }
    std::uint64_t left_out = 0;

private:
    LinkEndpoint& end_;
    LinkOut last_;
    std::uint64_t clocked_ = 0;
};

TEST_P(LinkSkew, IdleClocksMayBeLeftOut)
{
    for (const unsigned batch : {1U, 6U}) {
        LinkParams params = link_params(16, 4, 8, 5, 90, batch, 15);
        params.credits = {1, 2, 3, 2};
        const auto left = make_end(GetParam(), params);
        Gated gated(*left);
        ReferenceLinkEndpoint same(params), right(params);
        Lockstep both(gated, same, params.flit_bytes);
        LinkPair pair(both, right, params, params, 12, 8, 1e-4, 3e-4);
        for (unsigned end = 0; end < 2; ++end) pair.behaviour(end) = {0.002, 0, 0.3, -1, {}};
        pair.run(100'000);
        EXPECT_EQ(pair.failure(), "");
        EXPECT_GT(gated.left_out, 30'000U);
    }
}

// In the middle of whatever is going on: what follows is what a new end does, on every pin.
TEST_P(LinkSkew, ResetForgetsEverything)
{
    LinkParams params = link_params(16, 4, 8, 5, 90, 2, 15);
    params.credits = {1, 3, 2, 8};
    const std::unique_ptr<LinkEndpoint> ends[] = {make_end(GetParam(), params), make_end(GetParam(), params)};
    for (unsigned round = 0; round < 60; ++round) {
        ReferenceLinkEndpoint fresh[] = {ReferenceLinkEndpoint(params), ReferenceLinkEndpoint(params)};
        Lockstep left(*ends[0], fresh[0], 16), right(*ends[1], fresh[1], 16);
        LinkPair pair(left, right, params, params, 7, 21 + round, 3e-4, 3e-4);
        for (unsigned end = 0; end < 2; ++end) pair.behaviour(end) = {0.4, 0, 0.3, -1, {}};
        pair.run(401 + round * 11);
        ASSERT_EQ(pair.failure(), "") << round;
        for (const auto& end : ends) end->reset();
    }
}

INSTANTIATE_TEST_SUITE_P(Of, LinkSkew, ::testing::Values(Kind::reference, Kind::block), kind_name);

TEST(LinkParameters, OutsideTheirRangeAreRefused)
{
    const auto refused = [](auto change, const std::string& text) {
        LinkParams params;
        change(params);
        try {
            ReferenceLinkEndpoint reference(params);
            ADD_FAILURE() << "not refused: " << text;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        }
    };
    ReferenceLinkEndpoint taken{LinkParams()};
    refused([](LinkParams& p) { p.flit_bytes = 12; }, "flit_bytes is 12");
    refused([](LinkParams& p) { p.vcs = 0; }, "vcs is 0");
    refused([](LinkParams& p) { p.vcs = 9; }, "vcs is 9");
    refused([](LinkParams& p) { p.seq_bits = 1; }, "seq_bits is 1");
    refused([](LinkParams& p) { p.seq_bits = 13; }, "seq_bits is 13");
    refused([](LinkParams& p) { p.replay = 129; }, "replay is 129");
    refused([](LinkParams& p) { p.replay = 0; }, "replay is 0");
    refused([](LinkParams& p) { p.timeout = 0; }, "timeout is 0");
    refused([](LinkParams& p) { p.batch = 256; }, "batch is 256");
    refused([](LinkParams& p) { p.hold = 0; }, "hold is 0");
    refused([](LinkParams& p) { p.credits[2] = 4096; }, "credits of a channel is 4096");
    refused([](LinkParams& p) { p.crc_poly = 0x04c11db7; }, "crc_poly");
}

class LinkAssertions : public RtlTest {
protected:
    // A packet of one flit, 32 bytes, with a right CRC.
    WireFlit packet(const LinkWord& word, unsigned size = 0)
    {
        WireFlit flit = {};
        word.write(flit.bytes);
        if (!word.control) {
            LineBits line = some_write(size);
            line.set_rest(0, op_write, false, size, 0, 0, 0, false);
            std::memcpy(flit.bytes + 4, line.bytes, 16);
        }
        const std::uint32_t crc = LinkCrc(params_.crc_poly).of(flit.bytes, 28);
        std::memcpy(flit.bytes + 28, &crc, 4);
        flit.head = flit.tail = true;
        return flit;
    }
    // What the block says of these inputs, after two lines were sent if `used`.
    std::string says(const LinkIn& wrong, bool used = false)
    {
        LinkEndpointRtl block(params_, "wrong");
        LinkIn in;
        LinkOut out;
        for (unsigned clock = 0; clock < 10; ++clock) {
            in.tx_valid = used && clock < 2;
            in.tx_line = some_write(8);
            block.cycle(in, out);
        }
        EXPECT_EQ(block.failure(), "");
        block.cycle(wrong, out);
        in.tx_valid = false;
        for (unsigned clock = 0; clock < 3; ++clock) block.cycle(in, out);
        return block.failure();
    }
    LinkParams params_ = link_params(32, 3, 100, 8, 500, 1, 32);
};

testing::AssertionResult has(const std::string& said, const std::string& text)
{
    if (said.find(text) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << said << "' and not '" << text << "'";
}

TEST_F(LinkAssertions, OfTheLineSideAreHeard)
{
    LinkIn in;
    EXPECT_EQ(says(in), "");
    in.tx_valid = true;
    in.tx_line = some_write(64);
    EXPECT_EQ(says(in), "");
    in.tx_vc = 3;
    EXPECT_TRUE(has(says(in), "a line on channel 3, which there is not"));
    in.tx_vc = 0;
    in.tx_line = some_write(65);
    EXPECT_TRUE(has(says(in), "a line of 65 bytes"));
    in.tx_line.set_rest(0, 9, false, 64, 0, 0, 0, false);
    EXPECT_TRUE(has(says(in), "a line with operation 9"));
    in.tx_valid = false;
    in.rx_credit = 4;
    EXPECT_TRUE(has(says(in), "a slot of channel 2 is free that was not taken"));
}

TEST_F(LinkAssertions, OfTheWireAreHeard)
{
    LinkIn in;
    in.wire_valid = true;
    const auto control = [](unsigned ack, unsigned vc, unsigned credit) {
        LinkWord word;
        word.control = true;
        word.ack = static_cast<std::uint16_t>(ack);
        word.credit_vc = static_cast<std::uint8_t>(vc);
        word.credit = static_cast<std::uint16_t>(credit);
        return word;
    };
    in.wire = packet(control(2, 0, 2));
    EXPECT_EQ(says(in, true), "");
    in.wire = packet(control(3, 0, 2));
    EXPECT_TRUE(has(says(in, true), "packet 3 is acknowledged before it was sent"));
    in.wire = packet(control(2, 0, 3));
    EXPECT_TRUE(has(says(in, true), "more credits of channel 0 come back than lines were sent"));
    in.wire = packet(control(0, 1, 1));
    EXPECT_TRUE(has(says(in, true), "more credits of channel 1 come back than lines were sent"));
    in.wire = packet(control(0, 5, 0));
    EXPECT_TRUE(has(says(in), "credits for channel 5, which there is not"));
    LinkWord line;
    line.vc = 2;
    in.wire = packet(line);
    EXPECT_EQ(says(in), "");
    line.vc = 6;
    in.wire = packet(line);
    EXPECT_TRUE(has(says(in), "a line came on channel 6"));
    line.vc = 0;
    in.wire = packet(line, 30);
    EXPECT_TRUE(has(says(in), "a packet of 1 flits is not as long as its header says"));
}

TEST_F(LinkAssertions, AWireWithoutTheCrcRuleIsNotBelieved)
{
    LinkIn in;
    in.wire_valid = true;
    LinkWord word;
    word.control = true;
    word.ack = 3;
    in.wire = packet(word);
    in.wire.bytes[31] ^= 1;
    EXPECT_EQ(says(in, true), "");
}

// Bits of registers before reset do not matter.
class LinkSeeds : public RtlTest {};

TEST_F(LinkSeeds, OfUnsetRegistersChangeNothing)
{
    LinkParams params = link_params(16, 4, 8, 5, 90, 2, 15);
    for (std::uint64_t seed = 2; seed < test::by_default(5, 12); ++seed) {
        LinkEndpointRtl one(params, "one", 1), other(params, "other", seed);
        ReferenceLinkEndpoint right(params);
        Lockstep both(one, other, params.flit_bytes);
        LinkPair pair(both, right, params, params, 4, seed, 2e-4, 2e-4);
        for (unsigned end = 0; end < 2; ++end) pair.behaviour(end) = {0.3, 0.001, 0.6, -1, {}};
        pair.run(20'000);
        ASSERT_EQ(pair.failure(), "") << seed;
    }
}

}  // namespace
}  // namespace weft::link_checks_test
