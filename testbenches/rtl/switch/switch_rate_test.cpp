// Clocks per second of a bare Verilated loop, of the block behind its interface and of the twin. Nothing is asserted about
// time.
#include <chrono>
#include <cstdio>

#include "rtl/switch/switch_rtl.h"
#include "rtl/switch/switch_twin.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/rtl/switch/switch_bench.h"

namespace weft::test {
namespace {

class SwitchRateTest : public RtlTest {};

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Inputs of so many clocks, recorded from a run of the twin.
std::vector<SwitchIn> record(const SwitchBlockParameters& parameters, std::size_t clocks, double load)
{
    SwitchTwin twin(parameters);
    SwitchTraffic traffic(parameters, 1);
    traffic.set_load(load);
    SwitchOut out(parameters);
    std::vector<SwitchIn> inputs;
    for (std::size_t clock = 0; clock < clocks; ++clock) {
        inputs.push_back(traffic.next(out));
        twin.cycle(inputs.back(), out);
    }
    return inputs;
}

double rate(SwitchBlock& block, const SwitchBlockParameters& parameters, const std::vector<SwitchIn>& inputs)
{
    SwitchOut out(parameters);
    block.reset();
    const double start = seconds();
    for (const SwitchIn& in : inputs) block.cycle(in, out);
    return static_cast<double>(inputs.size()) / (seconds() - start);
}

TEST_F(SwitchRateTest, BareLoopBlockAndTwin)
{
    for (const unsigned ports : {4U, 8U, 16U}) {
        const SwitchBlockParameters parameters = switch_of(ports, 4, 16, 16, 640, 1, 1, 1);
        BlockSource source = switch_source(parameters);
        source.assertions = false;
        for (const double load : {0.0, 0.5, 1.0}) {
            const std::vector<SwitchIn> inputs = record(parameters, 4000, load);
            // Bare: the same lines on the pins of one clock after the other, three evaluations, nothing else.
            VerilatedBlock bare(block_library(source), "bare");
            Pin clk = bare.pin("clk");
            Pin rst_n = bare.pin("rst_n");
            Pin valid = bare.pin("in_valid");
            for (int i = 0; i < 2; ++i) bare.edge(clk);
            rst_n.set(0, 1, 1);
            const double start = seconds();
            for (const SwitchIn& in : inputs) {
                valid.set(0, ports, in.valid);
                bare.eval();
                bare.edge(clk);
            }
            const double bare_rate = static_cast<double>(inputs.size()) / (seconds() - start);
            SwitchRtl block(parameters, source, "dut");
            const double block_rate = rate(block, parameters, inputs);
            SwitchTwin twin(parameters);
            const double twin_rate = rate(twin, parameters, inputs);
            std::printf("%2u ports, load %.1f: bare %.0f, block %.0f, twin %.0f clocks/s; twin / block %.1f\n", ports, load,
                bare_rate, block_rate, twin_rate, twin_rate / block_rate);
            EXPECT_EQ(block.failure() + twin.failure(), "");
        }
    }
}

}  // namespace
}  // namespace weft::test
