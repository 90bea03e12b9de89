// How many clocks of a link endpoint a second takes: a bare loop around the Verilated block, the block behind its
// interface, the reference model. The endpoint's wire leads back to itself. Nothing is asserted about time.
#include <chrono>

#include "rtl/link/link_packet.h"
#include "testbenches/rtl/link/link_rig.h"

namespace weft::link_rate_test {
namespace {

using namespace link_bench;

class LinkRate : public LongRtlTest {};

constexpr std::uint64_t clocks = 1'000'000;

template <class Loop>
double rate(std::uint64_t count, Loop loop)
{
    const auto begin = std::chrono::steady_clock::now();
    loop(count);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(count) / time.count();
}

// A line every `period` clocks; 0: never.
double endpoint_rate(LinkEndpoint& end, unsigned period, std::uint64_t& lines)
{
    const LineBits line = some_write(64);
    return rate(clocks, [&](std::uint64_t count) {
        LinkIn in;
        LinkOut out;
        in.tx_line = line;
        for (std::uint64_t clock = 0; clock < count; ++clock) {
            in.tx_valid = period != 0 && clock % period == 0;
            end.cycle(in, out);
            in.wire_valid = out.wire_valid;
            if (out.wire_valid) in.wire = out.wire;
            in.rx_credit = out.rx_valid ? static_cast<std::uint8_t>(1U << out.rx_vc) : 0;
            lines += out.rx_valid;
        }
    });
}

double bare_rate(const LinkParams& params, unsigned period, std::uint64_t& lines)
{
    BlockSource source = link_source(params);
    source.assertions = false;
    VerilatedBlock block(block_library(source), "bare");
    Pin clk = block.pin("clk"), reset = block.pin("rst_n"), tx_valid = block.pin("tx_valid"),
        rx_credit = block.pin("rx_credit");
    Pin in_valid = block.pin("wire_in_valid"), in_flit = block.pin("wire_in_flit"),
        out_valid = block.pin("wire_out_valid");
    Pin out_flit = block.pin("wire_out_flit"), rx_valid = block.pin("rx_valid");
    Pin credits = block.pin("initial_credits");
    for (unsigned v = 0; v < params.vcs; ++v) credits.set(link_credit_bits * v, link_credit_bits, params.credits[v]);
    block.edge(clk);
    reset.set(0, 1, 1);
    const LineBits line = some_write(64);
    block.pin("tx_line").copy_in(0, line.bytes, beat_bits / 8);
    std::uint8_t flit[20];
    return rate(clocks, [&](std::uint64_t count) {
        for (std::uint64_t clock = 0; clock < count; ++clock) {
            tx_valid.set(0, 1, period != 0 && clock % period == 0);
            const bool valid = out_valid.get(0, 1) != 0;
            const bool came = rx_valid.get(0, 1) != 0;
            in_valid.set(0, 1, valid);
            if (valid) {
                out_flit.copy_out(0, flit, 20);
                in_flit.copy_in(0, flit, 20);
            }
            rx_credit.set(0, 1, came);
            lines += came;
            block.edge(clk);
        }
    });
}

TEST_F(LinkRate, OfBlockAndReference)
{
    LinkParams params;
    params.credits.fill(64);
    std::printf("%-28s %12s %12s %12s %14s\n", "clocks a second", "bare loop", "block", "reference",
        "reference / block");
    for (const unsigned period : {1U, 60U, 0U}) {
        std::uint64_t bare_lines = 0, block_lines = 0, reference_lines = 0;
        LinkEndpointRtl block(params, "block");
        ReferenceLinkEndpoint reference(params);
        const double bare = bare_rate(params, period, bare_lines);
        const double rtl = endpoint_rate(block, period, block_lines);
        const double model = endpoint_rate(reference, period, reference_lines);
        EXPECT_EQ(block_lines, reference_lines);
        EXPECT_NEAR(static_cast<double>(bare_lines), static_cast<double>(reference_lines), 2);
        const std::string load = period == 0 ? "nothing to do" : period == 1 ? "saturated" : "a line every 60";
        std::printf("%-28s %12.0f %12.0f %12.0f %14.1f\n", load.c_str(), bare, rtl, model, model / rtl);
    }
}

}  // namespace
}  // namespace weft::link_rate_test
