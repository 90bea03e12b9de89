// What waveforms show is what the simulation saw: pins just before each rising edge.
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "rtl/verilated/verilated_block.h"
#include "testbenches/process/process.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/rtl/runs/fst_samples.h"
#include "testbenches/support/scratch_folder.h"

#include <nlohmann/json.hpp>

namespace wave_pins_test {

using namespace weft;

namespace {

class WavePins : public RtlTest {
protected:
    test::ScratchFolder folder_;
};

// `passed` depends on an input of the same clock, `count` on those before.
constexpr const char* gate = R"(module gate (
    input  logic clk,
    input  logic open,
    output logic passed,
    output logic [7:0] count
);
    assign passed = open & ~count[1];
    always_ff @(posedge clk) if (passed) count <= count + 1; else count <= count + 3;
endmodule
)";

}  // namespace

TEST_F(WavePins, AreWhatTheBlockGaveInEachClock)
{
    const std::string file = folder_.file("gate.sv");
    write_text_file(file, gate);
    BlockSource wanted{"gate", {file}};
    wanted.trace = true;
    const std::string library = block_library(wanted);
    struct Case {
        std::uint64_t period, half;
    };
    for (const Case of : {Case{1000, 500}, Case{333, 166}, Case{7, 3}, Case{2, 1}}) {
        VerilatedBlock block(library, "dut");
        Pin clock = block.pin("clk");
        const std::string wave = folder_.file("gate.fst");
        block.open_trace(wave, of.half);
        std::vector<std::string> given;
        std::vector<std::uint64_t> times;
        std::uint64_t ps = 100;
        for (unsigned i = 0; i < 40; ++i) {
            ps += i == 20 ? 50 * of.period : of.period;  // asleep in between
            block.set_time(ps);
            block.pin("open").set(0, 1, i % 3 != 0);
            block.eval();
            given.push_back((i % 3 != 0 ? "1" : "0") + std::to_string(block.pin("passed").get(0, 1)));
            times.push_back(ps);
            block.edge(clock);
        }
        block.close_trace();
        const auto samples = test::fst_samples(wave, "clk", {"open", "passed"});
        // Between edges of 2 ps there is no room for what lies before them.
        if (of.period == 2) {
            EXPECT_LE(samples.size(), 40U);
            continue;
        }
        ASSERT_EQ(samples.size(), 40U) << of.period;
        for (unsigned i = 0; i < 40; ++i) {
            EXPECT_EQ(samples[i].ps, times[i]);
            EXPECT_EQ(samples[i].values.at("open") + samples[i].values.at("passed"), given[i]) << of.period << " " << i;
        }
    }
}

// Links slower than the switch, so that its outputs wait. Few credits: the block of FaultWave.
TEST_F(WavePins, OfASwitchHaveEveryLineOnce)
{
    const std::string wave = folder_.file("w.fst");
    const std::string json = folder_.file("w.json");
    const auto ran = commands_test::call(
        {"run", "examples/rtl_block/system.yaml", "--bytes", "16KiB", "--model", "*.nvsw.1=rtl_switch", "--set",
            "switch.clock=500 ps", "--set", "switch.multicast_groups=0", "--set", "link.request_credits=8", "--set",
            "link.response_credits=8", "--set", "links.fabric.bandwidth=40GB/s", "--collective", "all_gather",
            "--algorithm", "ring", "--quiet", "--wave", "box.0.nvsw.1=" + wave, "--json", json});
    ASSERT_EQ(ran.code, 0) << ran.err;
    std::map<std::string, std::uint64_t> in, out;  // by the link's other end, in the order of its ports
    const auto result = nlohmann::json::parse(read_text_file(json));
    for (const auto& link : result["links"]) {
        if (link["to"] == "box.0.nvsw.1") in[link["from"]] = link["lines"];
        if (link["from"] == "box.0.nvsw.1") out[link["to"]] = link["lines"];
    }
    const auto samples =
        test::fst_samples(wave, "clk", {"in_valid", "out_valid", "out_ready", "in_credit_valid", "out_credit"});
    std::vector<std::uint64_t> taken(in.size()), given(out.size()), returned(in.size());
    for (const auto& sample : samples)
        for (std::size_t port = 0; port < in.size(); ++port) {
            const auto bit = [&](const char* pin) {
                const std::string& bits = sample.values.at(pin);
                return bits[bits.size() - 1 - port] == '1';
            };
            taken[port] += bit("in_valid") ? 1 : 0;
            given[port] += bit("out_valid") ? 1 : 0;
            returned[port] += bit("in_credit_valid") ? 1 : 0;
        }
    std::size_t port = 0;
    for (const auto& [from, lines] : in) {
        EXPECT_EQ(taken[port], lines) << from;
        EXPECT_EQ(returned[port], lines) << from;
        EXPECT_GT(lines, 0U);
        ++port;
    }
    port = 0;
    for (const auto& [to, lines] : out) EXPECT_EQ(given[port++], lines) << to;
}

}  // namespace wave_pins_test
