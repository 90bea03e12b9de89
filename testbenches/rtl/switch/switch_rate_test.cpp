// Clocks per second of processor time: of a bare Verilated loop, of the block behind its interface and of the
// reference model, all with the same lines. Nothing is asserted about time.
#include <cstdio>
#include <cstring>
#include <ctime>

#include "rtl/switch/switch_rtl.h"
#include "rtl/switch/reference_switch.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/rtl/switch/switch_bench.h"

namespace weft::test::switch_rate_test {
namespace {

class SwitchRateTest : public RtlTest {};

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Inputs of so many clocks, recorded from a run of the reference model.
std::vector<SwitchIn> record(const SwitchBlockParameters& parameters, std::size_t clocks, double load)
{
    ReferenceSwitch reference(parameters);
    SwitchTraffic traffic(parameters, 1);
    traffic.set_load(load);
    SwitchOut out(parameters);
    std::vector<SwitchIn> inputs;
    for (std::size_t clock = 0; clock < clocks; ++clock) {
        inputs.push_back(traffic.next(out));
        reference.cycle(inputs.back(), out);
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

// The pins of a block in one clock, as bytes.
struct Image {
    std::vector<std::uint8_t> valid, vc, ports, data, ready, credit;

    Image(const SwitchBlockParameters& parameters, const SwitchIn& in)
        : valid(8), vc(32), ports(160), data(parameters.ports * sizeof(LineBits)), ready(8), credit(32)
    {
        Pin(valid.data(), 64).set(0, parameters.ports, in.valid);
        Pin(ready.data(), 64).set(0, parameters.ports, in.ready);
        Pin channels(vc.data(), 256);
        Pin outputs(ports.data(), 1280);
        Pin credits(credit.data(), 256);
        for (unsigned p = 0; p < parameters.ports; ++p) {
            channels.set(p * 2, 2, in.vc[p]);
            outputs.set(p * parameters.ports, parameters.ports, in.ports[p]);
            credits.set(p * parameters.vcs, parameters.vcs, in.credit[p]);
            std::memcpy(data.data() + p * sizeof(LineBits), in.data[p].bytes, sizeof(LineBits));
        }
    }
};

double bare_rate(const SwitchBlockParameters& parameters, const BlockSource& source,
    const std::vector<SwitchIn>& inputs)
{
    std::vector<Image> images;
    for (const SwitchIn& in : inputs) images.emplace_back(parameters, in);
    VerilatedBlock block(block_library(source), "bare");
    Pin clk = block.pin("clk");
    Pin rst_n = block.pin("rst_n");
    std::pair<Pin, std::vector<std::uint8_t> Image::*> pins[] = {{block.pin("in_valid"), &Image::valid},
        {block.pin("in_vc"), &Image::vc}, {block.pin("in_ports"), &Image::ports}, {block.pin("in_data"), &Image::data},
        {block.pin("out_ready"), &Image::ready}, {block.pin("out_credit"), &Image::credit}};
    Pin credits = block.pin("cfg_credits");
    for (unsigned i = 0; i < parameters.ports * parameters.vcs; ++i) credits.set(i * 5, 5, parameters.max_credits);
    for (int i = 0; i < 2; ++i) block.edge(clk);
    rst_n.set(0, 1, 1);
    const double start = seconds();
    for (const Image& image : images) {
        for (auto& [pin, bytes] : pins) pin.copy_in(0, (image.*bytes).data(), (pin.width() + 7) / 8);
        block.eval();
        block.rise(clk);
    }
    return static_cast<double>(inputs.size()) / (seconds() - start);
}

TEST_F(SwitchRateTest, BareLoopBlockAndReference)
{
    for (const unsigned ports : {4U, 8U, 16U}) {
        const SwitchBlockParameters parameters = switch_of(ports, 4, 16, 16, 640, 1, 1, 1);
        BlockSource source = switch_source(parameters);
        source.assertions = false;
        for (const double load : {0.0, 0.5, 1.0}) {
            const std::vector<SwitchIn> inputs = record(parameters, 20'000, load);
            const double bare = bare_rate(parameters, source, inputs);
            SwitchRtl block(parameters, source, "dut");
            const double behind = rate(block, parameters, inputs);
            ReferenceSwitch reference(parameters);
            const double model = rate(reference, parameters, inputs);
            std::printf("%2u ports, load %.1f: bare %.0f, block %.0f, reference %.0f clocks/s; "
                        "block / bare %.2f, reference / block %.1f\n",
                ports, load, bare, behind, model, behind / bare, model / behind);
            EXPECT_EQ(block.failure() + reference.failure(), "");
        }
    }
}

}  // namespace
}  // namespace weft::test::switch_rate_test
