// From SystemVerilog to a loaded block: pins, cycles, assertions, waveforms, and what is said of RTL that is wrong.
#include <filesystem>
#include <fstream>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "rtl/verilated/verilated_block.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/scratch_folder.h"

namespace weft::verilated_block_test {
namespace {

constexpr const char* counter = R"(module counter #(parameter int unsigned WIDTH = 8) (
    input  logic clk,
    input  logic rst_n,
    input  logic [WIDTH-1:0] step,
    input  logic [99:0] wide_in,
    output logic [WIDTH-1:0] count,
    output logic [99:0] wide_out
);
    assign wide_out = ~wide_in;
    always_ff @(posedge clk) begin
        if (!rst_n) count <= '0;
        else count <= count + step;
        assert (!rst_n || count != 'd7) else $error("seven");
    end
endmodule
)";

class VerilatedBlockTest : public RtlTest {
protected:
    BlockSource source(const std::string& text)
    {
        write_text_file(file_, text);
        return {"counter", {file_}};
    }
    test::ScratchFolder folder_;
    const std::string file_ = folder_.file("counter.sv");
};

TEST_F(VerilatedBlockTest, CountsAndShowsItsPins)
{
    BlockSource wanted = source(counter);
    wanted.parameters["WIDTH"] = "12";
    VerilatedBlock block(block_library(wanted), "dut");
    EXPECT_EQ(block.pins().size(), 6U);
    Pin clock = block.pin("clk");
    Pin reset = block.pin("rst_n");
    Pin step = block.pin("step");
    Pin wide = block.pin("wide_in");
    EXPECT_EQ(step.width(), 12U);
    block.edge(clock);
    reset.set(0, 1, 1);
    step.set(0, 12, 300);
    wide.set(64, 20, 0x12345);
    for (int i = 0; i < 3; ++i) block.edge(clock);
    EXPECT_EQ(block.pin("count").get(0, 12), 900U);
    EXPECT_EQ(block.pin("wide_out").get(64, 20), 0xfffffU & ~0x12345U);
    EXPECT_EQ(block.pin("wide_out").get(96, 4), 0xfU);
    EXPECT_EQ(block.failure(), "");
    EXPECT_THROW(block.pin("cuont"), InputError);
}

TEST_F(VerilatedBlockTest, AnAssertionIsHeard)
{
    VerilatedBlock block(block_library(source(counter)), "dut");
    Pin clock = block.pin("clk");
    block.edge(clock);
    block.pin("rst_n").set(0, 1, 1);
    block.pin("step").set(0, 8, 7);
    block.edge(clock);
    EXPECT_EQ(block.failure(), "");
    EXPECT_FALSE(block.failed());
    block.set_time(4200);
    block.edge(clock);
    EXPECT_TRUE(block.failed());
    EXPECT_EQ(block.failure().find("[4200]"), 0U) << block.failure();
    EXPECT_NE(block.failure().find("seven"), std::string::npos) << block.failure();
    EXPECT_NE(block.failure().find("counter.sv:13"), std::string::npos) << block.failure();
}

// A loop that never settles is an error of the block, not the end of the program's answers.
TEST_F(VerilatedBlockTest, ALoopThatDoesNotSettleIsNamed)
{
    VerilatedBlock block(block_library(source("module counter (input logic on, output logic out);\n"
                                              "    /* verilator lint_off UNOPTFLAT */\n    logic turns;\n    assign "
                                              "turns = on ? ~turns : 1'b0;\n    assign out = turns;\nendmodule\n")),
        "dut");
    block.eval();
    EXPECT_FALSE(block.failed());
    block.pin("on").set(0, 1, 1);
    block.eval();
    EXPECT_NE(block.failure().find("did not converge"), std::string::npos) << block.failure();
}

TEST_F(VerilatedBlockTest, AFinishIsHeardWithWhatItSaid)
{
    VerilatedBlock block(
        block_library(source("module counter (input logic clk, input logic [1:0] how);\n"
                             "    always_ff @(posedge clk) begin\n"
                             "        if (how == 1) $finish;\n"
                             "        if (how == 2) begin $display(\"ERROR: two\"); $finish; end\n    end\n"
                             "    final $finish;\nendmodule\n")),
        "dut");
    Pin clock = block.pin("clk");
    block.edge(clock);
    EXPECT_FALSE(block.failed());
    block.pin("how").set(0, 2, 2);
    block.edge(clock);
    EXPECT_EQ(block.failure(), "ERROR: two");
    VerilatedBlock other(block_library(source(read_text_file(file_))), "dut");
    other.pin("how").set(0, 2, 1);
    Pin beat = other.pin("clk");
    other.edge(beat);
    EXPECT_NE(other.failure().find("/counter.sv:3: $finish"), std::string::npos) << other.failure();
}

// What a block shows and says is the same whether its clock falls at once or with the next inputs; a trace may begin and end
// in between, and edge() after rise() is an edge.
TEST_F(VerilatedBlockTest, TheFallMayComeWithTheNextInputs)
{
    BlockSource wanted = source(counter);
    wanted.trace = true;
    const std::string library = block_library(wanted);
    VerilatedBlock one(library, "one");
    VerilatedBlock other(library, "other");
    Pin clocks[] = {one.pin("clk"), other.pin("clk")};
    for (unsigned i = 0; i < 300; ++i) {
        for (VerilatedBlock* const block : {&one, &other}) {
            block->pin("rst_n").set(0, 1, i % 50 != 0);
            block->pin("step").set(0, 8, 8 + i % 7);
            block->pin("wide_in").set(0, 32, i * 77777);
            block->set_time(1000 * i);
            block->eval();
        }
        EXPECT_EQ(one.pin("count").get(0, 8), other.pin("count").get(0, 8)) << i;
        EXPECT_EQ(one.pin("wide_out").get(0, 56), other.pin("wide_out").get(0, 56)) << i;
        if (i == 100) other.open_trace(folder_.file("late.fst"), 500);
        if (i == 120) other.close_trace();
        one.edge(clocks[0]);
        if (i % 10 == 9)
            other.edge(clocks[1]);
        else
            other.rise(clocks[1]);
        EXPECT_EQ(one.pin("count").get(0, 8), other.pin("count").get(0, 8)) << i;
    }
    for (unsigned i = 0; i < 3; ++i) {
        one.edge(clocks[0]);
        other.edge(clocks[1]);
        EXPECT_EQ(one.pin("count").get(0, 8), other.pin("count").get(0, 8)) << i;
    }
    EXPECT_EQ(one.failure(), other.failure());
}

// What lies behind rise(): a register that takes its input when the clock falls takes that of the next clock instead.
TEST_F(VerilatedBlockTest, AFallThatMattersIsNotForRise)
{
    VerilatedBlock block(
        block_library(source(R"(module counter (input logic clk, input logic [7:0] step, output logic [7:0] held);
    always_ff @(negedge clk) held <= step;
endmodule
)")),
        "dut");
    Pin clock = block.pin("clk");
    Pin step = block.pin("step");
    step.set(0, 8, 5);
    block.eval();
    block.edge(clock);
    EXPECT_EQ(block.pin("held").get(0, 8), 5U);
    step.set(0, 8, 6);
    block.eval();
    block.rise(clock);
    step.set(0, 8, 7);
    block.eval();
    EXPECT_EQ(block.pin("held").get(0, 8), 7U);
}

// So Weft's own blocks, which are driven by rise(), have none.
TEST(OwnBlocks, HaveNoFallingEdge)
{
    unsigned count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(WEFT_SOURCE_DIR "/rtl")) {
        if (entry.path().extension() != ".sv") continue;
        ++count;
        EXPECT_EQ(read_text_file(entry.path().string()).find("negedge"), std::string::npos) << entry.path();
    }
    EXPECT_GT(count, 20U);
}

TEST_F(VerilatedBlockTest, BlocksOfOneKindComeAndGo)
{
    const std::string library = block_library(source(counter));
    VerilatedBlock stays(library, "stays");
    for (int i = 0; i < 3; ++i) VerilatedBlock(library, "goes").eval();
    Pin clock = stays.pin("clk");
    stays.edge(clock);
    stays.pin("rst_n").set(0, 1, 1);
    stays.pin("step").set(0, 8, 3);
    stays.edge(clock);
    EXPECT_EQ(stays.pin("count").get(0, 8), 3U);
}

TEST_F(VerilatedBlockTest, WritesWaveforms)
{
    BlockSource wanted = source(counter);
    wanted.trace = true;
    VerilatedBlock block(block_library(wanted), "dut");
    Pin clock = block.pin("clk");
    const std::string wave = folder_.file("counter.fst");
    block.open_trace(wave, 500);
    for (std::uint64_t i = 0; i < 10; ++i) {
        block.set_time(i * 1000);
        block.edge(clock);
    }
    block.close_trace();
    EXPECT_GT(std::filesystem::file_size(wave), 100U);
    VerilatedBlock other(block_library(source(counter)), "dut");
    EXPECT_THROW(other.open_trace(wave, 500), InputError);
}

TEST_F(VerilatedBlockTest, WrongRtlHasItsLine)
{
    std::string text = counter;
    text.replace(text.find("count + step"), 12, "count + stap");
    try {
        block_library(source(text));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().file, file_);
        EXPECT_EQ(error.diagnostics().front().line, 12);
        EXPECT_NE(error.diagnostics().front().what.find("stap"), std::string::npos);
    }
    // Whoever waits is told why, also where stderr is a file.
    ::testing::internal::CaptureStderr();
    EXPECT_THROW(block_library(source(text)), InputError);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "weft: verilating counter, once for these parameters\n");
    // The error counts, not the warning in front of it.
    std::string both = text;
    both.replace(both.find("~wide_in"), 8, "{1'b0, ~wide_in}");
    try {
        block_library(source(both));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().line, 12) << error.what();
        EXPECT_NE(error.diagnostics().front().what.find("stap"), std::string::npos) << error.what();
    }
    // A warning that stops it is shown, not that it did.
    std::string warned = counter;
    warned.replace(warned.find("~wide_in"), 8, "{1'b0, ~wide_in}");
    try {
        block_library(source(warned));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().line, 9) << error.what();
        EXPECT_NE(error.diagnostics().front().what.find("Warning-WIDTH"), std::string::npos) << error.what();
    }
    // A parameter that there is not.
    BlockSource unknown = source(counter);
    unknown.parameters["WIDHT"] = "3";
    EXPECT_THROW(block_library(unknown), InputError);
}

}  // namespace
}  // namespace weft::verilated_block_test
