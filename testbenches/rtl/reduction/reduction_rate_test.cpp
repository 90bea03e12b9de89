// Clocks a second of the block in a bare loop, behind its interface, and of the reference model, on the same recorded
// inputs. Prints; asserts nothing about time.
#include <chrono>

#include "testbenches/rtl/reduction/reduction_bench.h"
#include "testbenches/rtl/rtl_test.h"

namespace weft::test::reduction_rate_test {
namespace {

constexpr unsigned clocks = 30'000;

std::vector<ReductionIn> recorded(const ReductionParameters& parameters, double load)
{
    TrafficShape shape;
    shape.ready = 1;
    shape.stall = 0;
    shape.settings = 0;
    ReferenceReduction reference(parameters);
    ReductionTraffic traffic(parameters, 1, shape);
    std::vector<ReductionIn> inputs(clocks);
    ReductionOut out;
    for (ReductionIn& in : inputs) {
        traffic.drive(load, in);
        reference.cycle(in, out);
        traffic.observe(out);
    }
    return inputs;
}

template <class Work>
double clocks_per_second(Work work)
{
    double best = 0;
    for (int i = 0; i < 3; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        best = std::max(best, clocks / passed.count());
    }
    return best;
}

double replayed(const std::vector<ReductionIn>& inputs, ReductionBlock& block)
{
    ReductionOut out;
    return clocks_per_second([&] {
        block.reset();
        for (const ReductionIn& in : inputs) block.cycle(in, out);
    });
}

// Pins set, clock up and down: what any use of the block costs.
double bare(const std::vector<ReductionIn>& inputs, const ReductionParameters& parameters, bool assertions)
{
    BlockSource source = reduction_source(parameters);
    source.assertions = assertions;
    ReductionRtl rtl(parameters, block_library(source), "bare", 1);
    ReductionOut out;
    VerilatedBlock& block = rtl.block();
    Pin clock = block.pin("clk");
    Pin valid = block.pin("in_valid");
    Pin vc = block.pin("in_vc");
    Pin port = block.pin("in_port");
    Pin line = block.pin("in_line");
    Pin ready = block.pin("out_ready");
    Pin setting = block.pin("cfg_valid");
    return clocks_per_second([&] {
        rtl.reset();
        for (const ReductionIn& in : inputs) {
            if (in.cfg_valid) {
                rtl.cycle(in, out);
                setting.set(0, 1, 0);
                continue;
            }
            valid.set(0, 1, in.valid);
            if (in.valid) {
                vc.set(0, vc.width(), in.vc);
                port.set(0, port.width(), in.port);
                line.copy_in(0, in.line.bytes, sizeof in.line.bytes);
            }
            ready.set(0, ready.width(), in.out_ready);
            block.edge(clock);
        }
        EXPECT_EQ(rtl.failure(), "");
    });
}

class ReductionRateTest : public RtlTest {};

TEST_F(ReductionRateTest, ClocksPerSecond)
{
    const ReductionParameters parameters{8, 4, 16, 32, 8};
    for (const double load : {0.1, 0.5, 1.0}) {
        const std::vector<ReductionIn> inputs = recorded(parameters, load);
        ReductionRtl block(parameters, "unit");
        ReferenceReduction reference(parameters);
        std::printf("load %.1f: bare loop %.0f k clocks/s, without assertions %.0f k, behind its interface %.0f k, "
                    "reference %.0f k\n",
            load, bare(inputs, parameters, true) / 1000, bare(inputs, parameters, false) / 1000,
            replayed(inputs, block) / 1000, replayed(inputs, reference) / 1000);
    }
    const std::vector<ReductionIn> nothing(clocks);
    ReferenceReduction reference(parameters);
    std::printf("idle: reference %.0f k clocks/s\n", replayed(nothing, reference) / 1000);
}

}  // namespace
}  // namespace weft::test::reduction_rate_test
