// Clocks in a second of processor time of the bare Verilated block, of the block behind its interface, and of the
// reference model, on the same traffic. Prints; says nothing about what is fast enough.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "testbenches/rtl/cache/llc_script.h"
#include "testbenches/rtl/cache/llc_sets.h"

namespace weft::llc_rate_test {
namespace {

using test::llc_add;
using test::llc_read;
using test::llc_write;

// A round of requests to lines that are there, or `spread` times as many as fit.
std::vector<LineBits> requests(const LlcParameters& p, std::uint32_t spread)
{
    std::vector<LineBits> out;
    const std::uint32_t lines = p.sets * p.ways * spread / 2;
    for (std::uint32_t i = 0; i < 4096; ++i) {
        const std::uint64_t place = std::uint64_t{i * 37 % lines} * 64;
        out.push_back(i % 3 == 0 ? llc_write(place) : i % 17 == 0 ? llc_add(place, 1) : llc_read(place));
    }
    return out;
}

template <class Step>
double clocks_per_second(std::uint64_t clocks, Step step)
{
    for (std::uint64_t i = 0; i < 10'000; ++i) step(i);
    const std::clock_t start = std::clock();
    for (std::uint64_t i = 0; i < clocks; ++i) step(i);
    const std::clock_t took = std::max<std::clock_t>(std::clock() - start, 1);
    return static_cast<double>(clocks) * CLOCKS_PER_SEC / static_cast<double>(took);
}

// Requests one after the other, memory that answers at once.
double rate(test::LlcBlock& block, const std::vector<LineBits>& round, std::uint64_t clocks)
{
    block.reset();
    LlcIn in;
    LlcOut out;
    in.resp_ready = in.mem_read_ready = in.mem_write_ready = true;
    std::size_t next = 0;
    std::vector<std::uint32_t> owed;
    return clocks_per_second(clocks, [&](std::uint64_t) {
        if (!in.req_valid && !round.empty()) {
            in.req_valid = true;
            in.req = round[next++ % round.size()];
        }
        if (!in.mem_resp_valid && !owed.empty()) {
            in.mem_resp_valid = true;
            in.mem_resp.set_rest(0, 0, true, 64, 0, 0, owed.back(), false);
            owed.pop_back();
        }
        block.cycle(in, out);
        if (out.req_ready) in.req_valid = false;
        if (out.mem_resp_ready) in.mem_resp_valid = false;
        if (out.mem_read_valid) owed.push_back(out.mem_read.tag());
    });
}

class LlcRate : public LongRtlTest {};

TEST_F(LlcRate, OfBlockAndReference)
{
    const LlcParameters p = test::usual();
    const std::uint64_t clocks = 200'000;
    LlcRtl block(p, "dut");
    ReferenceSlice reference(p);
    struct Load {
        const char* name;
        std::vector<LineBits> round;
    };
    for (const Load& load :
        {Load{"hits", requests(p, 1)}, Load{"hits and misses", requests(p, 8)}, Load{"nothing", {}}}) {
        const double of_block = rate(block, load.round, clocks);
        const double of_reference = rate(reference, load.round, 4 * clocks);
        std::printf("%-16s block behind its pins %6.2f M clocks/s, reference %6.2f M clocks/s, ratio %.1f\n", load.name,
            of_block / 1e6, of_reference / 1e6, of_reference / of_block);
    }
    // The class of Verilator alone: the inputs of hits, no outputs looked at.
    VerilatedBlock bare(block_library(llc_source(p)), "dut");
    Pin clk = bare.pin("clk");
    Pin req = bare.pin("req");
    bare.edge(clk);
    for (const char* const name : {"rst_n", "req_valid", "resp_ready", "mem_read_ready", "mem_write_ready"})
        bare.pin(name).set(0, 1, 1);
    const std::vector<LineBits> round = requests(p, 1);
    std::vector<LineBits> whole;
    for (LineBits request : round) {
        const LineBits place = request;
        request = llc_write(place.address());
        whole.push_back(request);
    }
    // Whole lines first, so that nothing is missed.
    std::size_t next = 0;
    const auto step = [&](const std::vector<LineBits>& from) {
        req.copy_in(0, from[next++ % from.size()].bytes, beat_bits / 8);
        bare.eval();
        bare.rise(clk);
    };
    for (std::size_t i = 0; i < whole.size(); ++i) step(whole);
    const double of_bare = clocks_per_second(clocks, [&](std::uint64_t) { step(round); });
    std::printf("%-16s bare Verilated loop %6.2f M clocks/s\n", "hits", of_bare / 1e6);
    EXPECT_EQ(bare.failure(), "");
}

}  // namespace
}  // namespace weft::llc_rate_test
