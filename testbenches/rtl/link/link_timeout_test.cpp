// The shortest TIMEOUT that does not end without an error.
#include <random>
#include <utility>

#include "rtl/link/reference_link_endpoint.h"
#include "rtl/modules/link_block_spec.h"
#include "testbenches/rtl/link/link_rig.h"

namespace weft::link_timeout_test {
namespace {

using namespace link_bench;

struct Outcome {
    std::uint64_t went_back = 0;
    std::uint64_t lines = 0;  // of the end that sends alone
};

// End 1 sends the longest packets without a gap, and its channel 1, whose only slot is never free again, asks for credits; end 0 sends
// four lines in a row, and the next four when these are acknowledged, at all distances from the packets of the other.
Outcome under_load(unsigned flit_bytes, unsigned latency, unsigned timeout, bool asks)
{
    LinkParams params;
    params.flit_bytes = flit_bytes;
    params.vcs = 2;
    params.replay = 2048;
    params.seq_bits = 12;
    params.timeout = timeout;
    params.credits = {4095, 1};
    ReferenceLinkEndpoint ends[2] = {ReferenceLinkEndpoint(params), ReferenceLinkEndpoint(params)};
    LinkWire wires[2] = {LinkWire(flit_bytes, latency), LinkWire(flit_bytes, latency)};
    LinkIn in[2];
    LinkOut out[2];
    const LineBits line = some_write(64);
    std::mt19937_64 random(3);
    const std::uint64_t apart = 3 * timeout + 1;
    std::uint64_t next = apart, sent = 0;
    bool starved = !asks;
    for (std::uint64_t clock = 0; clock < 400 * apart; ++clock) {
        for (unsigned e = 0; e < 2; ++e) {
            in[e].rx_credit = out[e].rx_valid && out[e].rx_vc == 0 ? 1 : 0;
            in[e].tx_valid = e == 1 || clock >= next;
            in[e].tx_vc = e == 1 && !starved ? 1 : 0;
            in[e].tx_line = line;
            const WireFlit* const flit = wires[1 - e].arriving();
            in[e].wire_valid = flit != nullptr;
            if (flit != nullptr) in[e].wire = *flit;
        }
        for (unsigned e = 0; e < 2; ++e) ends[e].cycle(in[e], out[e]);
        for (unsigned e = 0; e < 2; ++e) {
            wires[e].clock(out[e].wire_valid ? &out[e].wire : nullptr);
            if (!line_taken(in[e], out[e])) continue;
            if (e == 1) starved = true;
            if (e == 0 && ++sent % 4 == 0) next += apart + random() % 64;
        }
    }
    return {ends[0].counts().gone_back + ends[1].counts().gone_back, sent};
}

LinkSpec spec_of(unsigned flit_bytes, unsigned latency)
{
    LinkSpec spec;
    spec.flit = flit_bytes;
    spec.bandwidth = flit_bytes * 1'000'000'000ULL;  // a clock of 1 ns
    spec.latency = (latency + 2) * 1000ULL;          // two are the endpoints'
    return spec;
}

}  // namespace

// A packet of n flits, the wire, three of n flits of the other direction and the wire; a flit more where credits are asked for.
TEST(LinkTimeout, TheLeastIsExact)
{
    for (const auto& [flit_bytes, flits] : {std::pair{8U, 11U}, {16U, 6U}, {32U, 3U}})
        for (const unsigned latency : {1U, 9U, 50U}) {
            const auto least = static_cast<unsigned>(link_block_timeout(spec_of(flit_bytes, latency)));
            ASSERT_EQ(least, 4 * flits + 2 * latency + 1);
            const Outcome right = under_load(flit_bytes, latency, least, true);
            EXPECT_EQ(right.went_back, 0U) << flit_bytes << " " << latency;
            EXPECT_GT(right.lines, 300U);
            EXPECT_GT(under_load(flit_bytes, latency, least - 1, true).went_back, 0U) << flit_bytes << " " << latency;
            EXPECT_EQ(under_load(flit_bytes, latency, least - 1, false).went_back, 0U) << flit_bytes << " " << latency;
            EXPECT_GT(under_load(flit_bytes, latency, least - 2, false).went_back, 0U) << flit_bytes << " " << latency;
        }
}

TEST(LinkTimeout, OfALinkInPicoseconds)
{
    LinkSpec spec;
    spec.bandwidth = 25'000'000'000;
    spec.latency = 1'000'000;
    EXPECT_EQ(link_block_clock(spec), 640U);
    EXPECT_EQ(link_block_wire(spec), 1561U);
    EXPECT_EQ(link_block_timeout(spec), 3147U);
    const auto wrong = link_block_problem(spec);
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->what,
        "a clocked link whose replay time-out of 2 us can end without an error: an acknowledge takes up to 3147 clocks "
        "of 640 ps");
    EXPECT_EQ(wrong->expected, "link.replay_timeout of at least 2.01408 us");
    spec.replay_timeout = 3147 * 640 - 1;
    EXPECT_TRUE(link_block_problem(spec));
    spec.replay_timeout = 3147 * 640;
    EXPECT_FALSE(link_block_problem(spec));
    // Below three clocks the latency is that of the block.
    spec.latency = 1;
    EXPECT_EQ(link_block_wire(spec), 1U);
    EXPECT_EQ(link_block_latency(spec), 3U);
    spec.latency = 1'000'000'000;
    EXPECT_EQ(link_block_problem(spec)->expected, "a shorter link.latency: link.replay_timeout is at most 1 ms");
}

}  // namespace weft::link_timeout_test
