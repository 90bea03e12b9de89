// docs/rtl/bring_your_block.md, by the program itself: a block is added, runs in a system, and is broken.
#include <cstdlib>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/process/process.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/scratch_folder.h"

namespace user_block_test {

using namespace weft;
using commands_test::call;
using commands_test::Outcome;

namespace {

const std::string example = "examples/rtl_block/";
const std::string example_system = example + "system.yaml";
const std::string everywhere = "*.nvsw.*=my_crossbar";

class UserBlock : public ShortRtlTest {
protected:
    void SetUp() override
    {
        ::setenv("WEFT_RTL_MODELS", folder_.file("models").c_str(), 1);
        ShortRtlTest::SetUp();
    }
    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
    // All but the line that says how long the host took.
    static std::string without_host(std::string out)
    {
        const std::size_t at = out.find("\nsimulated ");
        return at == std::string::npos ? out : out.erase(at, out.find('\n', at + 1) - at);
    }
    static std::string source(const std::string& name) { return std::string(WEFT_SOURCE_DIR) + "/" + example + name; }
    // The block with one place of its RTL changed, in the folder.
    void change(const std::string& file, const std::string& from, const std::string& to)
    {
        for (const std::string name : {"crossbar.sv", "crossbar_queue.sv", "crossbar.map.yaml"}) {
            std::string text = read_text_file(source(name));
            const std::size_t at = text.find(from);
            if (name == file) {
                ASSERT_NE(at, std::string::npos) << from;
                text.replace(at, from.size(), to);
            }
            write_text_file(folder_.file(name), text);
        }
    }
    Outcome add(const std::string& folder)
    {
        return call({"rtl", "add", folder + "crossbar.sv", folder + "crossbar_queue.sv", "--map",
            folder + "crossbar.map.yaml"});
    }
    // The waveform is a block of its own, to be built: only where it is looked at.
    Outcome run_broken(const std::string& file, const std::string& from, const std::string& to,
        const std::string& wave = "none")
    {
        change(file, from, to);
        const Outcome added = add(folder_.file(""));
        EXPECT_EQ(added.code, 0) << added.err;
        return call({"run", example_system, "--model", everywhere, "--fault-wave", wave});
    }

    test::ScratchFolder folder_;
};

}  // namespace

TEST_F(UserBlock, IsAddedListedUsedAndRemoved)
{
    const Outcome added = add(example);
    EXPECT_EQ(without_notices(added.err), "");
    ASSERT_EQ(added.code, 0);
    EXPECT_EQ(added.out,
        "registered my_crossbar in " + folder_.file("models") +
            "/my_crossbar.yaml\nuse it with --model 'GLOB=my_crossbar', such as --model '*.nvsw.*=my_crossbar'\n");
    EXPECT_TRUE(has(call({"rtl", "list"}).out, "my_crossbar: crossbar with a queue of two lines behind each input\n"));
    EXPECT_TRUE(has(call({"models", "switch"}).out, "model my_crossbar"));

    const Outcome ran = call({"run", example_system, "--model", everywhere});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "verified    passed"));
    // Its clocks are its latency.
    const Outcome set = call({"run", example_system, "--model", everywhere, "--set", "switch.reduce_rate=1GB/s",
        "--set", "switch.clock=1ns"});
    EXPECT_TRUE(has(set.out, "switch.reduce_rate is set and changes nothing: ")) << set.out;
    EXPECT_FALSE(has(set.out, "switch.clock is set")) << set.out;
    const Outcome again = call({"run", example_system, "--model", everywhere});
    EXPECT_EQ(again.code, 0);
    EXPECT_EQ(without_host(ran.out), without_host(again.out));
    // Some switches of the block, others of a model.
    EXPECT_TRUE(has(call({"run", example_system, "--model", "*.nvsw.0=my_crossbar"}).out, "verified    passed"));

    EXPECT_EQ(call({"rtl", "remove", "my_crossbra"}).err,
        "weft: no block 'my_crossbra' is registered in " + folder_.file("models") +
            "; expected a name of 'weft rtl list' (did you mean 'my_crossbar'?)\n");
    EXPECT_EQ(call({"rtl", "remove", "my_crossbar"}).code, 0);
    EXPECT_EQ(call({"rtl", "list"}).out, "no block is registered in " + folder_.file("models") + "\n");
    EXPECT_EQ(call({"run", example_system, "--model", everywhere}).code, 2);
}

TEST_F(UserBlock, RunsInABoxOfEightWithFourSwitches)
{
    ASSERT_EQ(add(example).code, 0);
    const Outcome ran = call({"run", "examples/dgx_h100/system.yaml", "--bytes", "128KiB", "--model", everywhere});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "verified    passed"));
}

TEST_F(UserBlock, ATaggedOneWithStreamsOfItsOwnForResponses)
{
    const Outcome added = call({"rtl", "add", example + "crossbar.sv", example + "crossbar_queue.sv",
        example + "tagged/tagged_crossbar.sv", "--map", example + "tagged/tagged_crossbar.map.yaml"});
    ASSERT_EQ(added.code, 0) << added.err;
    const Outcome ran = call({"run", example_system, "--model", "*.nvsw.*=tagged_crossbar"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "verified    passed"));
}

TEST_F(UserBlock, OneOfAxi4)
{
    const Outcome added = call({"rtl", "add", example + "crossbar.sv", example + "crossbar_queue.sv",
        example + "axi4/axi_crossbar.sv", "--map", example + "axi4/axi_crossbar.map.yaml"});
    ASSERT_EQ(added.code, 0) << added.err;
    const Outcome ran = call({"run", example_system, "--model", "*.nvsw.*=axi_crossbar"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "verified    passed"));
}

TEST_F(UserBlock, OfAxiStreamOfCreditsAndOfTwoClocks)
{
    for (const std::string name :
        {"axi_stream/axis_crossbar", "credit/credit_crossbar", "two_clocks/crossing_crossbar"}) {
        const Outcome added = call({"rtl", "add", example + "crossbar.sv", example + "crossbar_queue.sv",
            example + name + ".sv", "--map", example + name + ".map.yaml"});
        ASSERT_EQ(added.code, 0) << added.err;
        const Outcome ran = call({"run", example_system, "--model", "*.nvsw.*=" + name.substr(name.find('/') + 1)});
        EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
        EXPECT_TRUE(has(ran.out, "verified    passed"));
    }
}

TEST_F(UserBlock, ShowsItsWaveforms)
{
    ASSERT_EQ(add(example).code, 0);
    const std::string file = folder_.file("wave.fst");
    const Outcome ran = call(
        {"run", example_system, "--model", everywhere, "--wave", "box.0.nvsw.1=" + file, "--wave-window", "1us:2us"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    EXPECT_GT(in.tellg(), 1000);
    const Outcome late = call({"run", example_system, "--model", everywhere, "--wave",
        "box.0.nvsw.1=" + folder_.file("late.fst"), "--wave-window", "1ms:2ms"});
    EXPECT_EQ(late.code, 0) << late.err;
    EXPECT_TRUE(has(late.out, "--wave-window 1ms:2ms: the run ended before it, at ")) << late.out;
}

TEST_F(UserBlock, ThatDropsALineIsNamed)
{
    const Outcome ran =
        run_broken("crossbar.sv", ".pop(taken[i])", ".pop(taken[i] || (i == 1 && head[i][126:103] == 24'd5))");
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_TRUE(has(ran.out, "a transaction out of order: it came out ahead of 1 earlier transactions") ||
        has(ran.out, "the block reports that it is idle"))
        << ran.out;
    EXPECT_TRUE(has(ran.out, "and is missing: ") || has(ran.out, "inside since")) << ran.out;
}

TEST_F(UserBlock, ThatMisroutesIsNamed)
{
    const Outcome ran = run_broken("crossbar.sv", "head_dest[i]) == o)",
        "head_dest[i] ^ PW'(head[i][126:103] == 24'd5)) == o)", folder_.file("fault.fst"));
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_TRUE(has(ran.out, ": a transaction for output ")) << ran.out;
    EXPECT_TRUE(has(ran.out, "waveform    " + folder_.file("fault.fst"))) << ran.out;
}

// What `weft fabric` says is what `weft run` says, with its exit code, and nothing of its own temporary files.
TEST_F(UserBlock, ThatMisroutesIsNamedUnderTraffic)
{
    const Outcome ran =
        run_broken("crossbar.sv", "head_dest[i]) == o)", "head_dest[i] ^ PW'(head[i][126:103] == 24'd5)) == o)");
    EXPECT_EQ(ran.code, 1) << ran.out;
    const Outcome traffic =
        call({"fabric", example_system, "--model", everywhere, "--loads", "0.5", "--duration", "2us"});
    EXPECT_EQ(traffic.code, 1) << traffic.err;
    EXPECT_EQ(traffic.out, "");
    EXPECT_EQ(traffic.err.rfind("WRONG       at load ", 0), 0u) << traffic.err;
    EXPECT_TRUE(has(traffic.err, "a module reported an error")) << traffic.err;
    EXPECT_TRUE(has(traffic.err, "\nwhat        ")) << traffic.err;
    EXPECT_TRUE(has(traffic.err, ": a transaction for output ")) << traffic.err;
    EXPECT_FALSE(has(traffic.err, "weft-fabric")) << traffic.err;
    EXPECT_FALSE(has(traffic.err, "cannot be read")) << traffic.err;
}

TEST_F(UserBlock, ThatAltersDataIsNamed)
{
    const Outcome ran = run_broken("crossbar.sv", "m_data[o] = head[i];",
        "m_data[o] = head[i] ^ (WIDTH'(head[i][126:103] == 24'd7) << 200);");
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_TRUE(has(ran.out, "data byte 9: expected ")) << ran.out;
}

TEST_F(UserBlock, ThatDoublesALineIsNamed)
{
    const Outcome ran = run_broken("crossbar.sv", ".pop(taken[i])", ".pop(taken[i] && i != 2)");
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_TRUE(has(ran.out, "a transaction that never went in, or comes out a second time")) << ran.out;
}

TEST_F(UserBlock, ItsOwnAssertionIsHeard)
{
    const Outcome ran = run_broken("crossbar_queue.sv", "ready = count != 2", "ready = count != 3");
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_TRUE(has(ran.out, "the block: ")) << ran.out;
}

// Flops at the falling edge in front of the queues, and an assertion there: nothing that a legal block may not have.
TEST_F(UserBlock, MayTakeItsInputsWhenTheClockFalls)
{
    const std::string port = "        crossbar_queue #(.WIDTH(WIDTH + PW)) queue (";
    change("crossbar.sv", port, R"(        logic n_valid, took;
        logic [WIDTH-1:0] n_data, last;
        logic [PW-1:0] n_dest;
        always_ff @(negedge clk) begin
            {n_valid, n_data, n_dest} <= {s_valid[i], s_data[i], s_dest[i]};
            if (rst_n) assert (!(took && s_valid[i] && s_data[i] == last)) else $error("a line that was taken is still offered");
        end
        always_ff @(posedge clk) begin
            took <= rst_n && n_valid && s_ready[i];
            last <= n_data;
        end
)" + port);
    std::string text = read_text_file(folder_.file("crossbar.sv"));
    const std::string push = ".push(s_valid[i] && s_ready[i]), .push_data({s_dest[i], s_data[i]})";
    ASSERT_NE(text.find(push), std::string::npos);
    text.replace(text.find(push), push.size(), ".push(n_valid && s_ready[i]), .push_data({n_dest, n_data})");
    write_text_file(folder_.file("crossbar.sv"), text);
    ASSERT_EQ(add(folder_.file("")).code, 0);
    const Outcome flops = call({"run", example_system, "--model", everywhere});
    EXPECT_EQ(flops.code, 0) << flops.out << flops.err;
    EXPECT_TRUE(has(flops.out, "verified    passed"));
    // In time as the block without them.
    ASSERT_EQ(add(example).code, 0);
    EXPECT_EQ(without_host(call({"run", example_system, "--model", everywhere}).out), without_host(flops.out));
}

// One credit in 500: there are enough for this run, and one is missing at its end.
TEST_F(UserBlock, ThatKeepsACreditIsNamedAtTheEnd)
{
    std::string text = read_text_file(source("credit/credit_crossbar.sv"));
    const auto replace = [&text](const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
    };
    replace("assign s_credit[p] = waits[p] && taken[p];", R"(logic [8:0] nth;
        logic pop;
        assign pop = waits[p] && taken[p];
        always_ff @(posedge clk) nth <= !rst_n ? 9'd0 : !pop ? nth : nth == 9'd499 ? 9'd0 : nth + 1'b1;
        assign s_credit[p] = pop && (p != 1 || nth != 9'd499);)");
    replace("count - NW'(s_credit[p])", "count - NW'(pop)");
    replace("if (s_credit[p]) place", "if (pop) place");
    write_text_file(folder_.file("credit_crossbar.sv"), text);
    const Outcome added = call({"rtl", "add", example + "crossbar.sv", example + "crossbar_queue.sv",
        folder_.file("credit_crossbar.sv"), "--map", example + "credit/credit_crossbar.map.yaml"});
    ASSERT_EQ(added.code, 0) << added.err;
    const Outcome ran = call({"run", example_system, "--model", "*.nvsw.0=credit_crossbar"});
    EXPECT_EQ(ran.code, 1) << ran.out;
    EXPECT_TRUE(has(ran.out,
        "box.0.nvsw.0 input 1: 3 of 4 credits did not come back: the block took the beats, and holds or lost the "
        "credits"))
        << ran.out;
}

// A register that no reset sets begins with bits from the run's seed: one that is used shows.
TEST_F(UserBlock, ThatDependsOnBitsBeforeResetDependsOnTheSeed)
{
    change("crossbar_queue.sv", "ready = count != 2", "ready = count != 2 && !(slow && count != 0)");
    std::string text = read_text_file(folder_.file("crossbar_queue.sv"));
    const std::string before = "    logic at;\n";
    text.insert(text.find(before), "    logic slow;\n    always_ff @(posedge clk) slow <= slow;\n");
    write_text_file(folder_.file("crossbar_queue.sv"), text);
    ASSERT_EQ(add(folder_.file("")).code, 0);
    std::set<std::string> ends;
    for (const char* const seed : {"1", "2", "3", "4"}) {
        const Outcome ran = call({"run", example_system, "--model", everywhere, "--seed", seed, "--quiet", "--json",
            folder_.file("result.json")});
        EXPECT_EQ(ran.code, 0) << ran.out;
        const std::string result = read_text_file(folder_.file("result.json"));
        const std::size_t at = result.find("\"simulated_ps\"");
        ends.insert(result.substr(at, result.find('\n', at) - at));
    }
    EXPECT_GT(ends.size(), 1U);
}

TEST_F(UserBlock, ThatStopsMovingEndsAsADeadlock)
{
    const Outcome ran = run_broken("crossbar_queue.sv", "ready = count != 2", "ready = count != 2 && WIDTH == 0");
    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_TRUE(has(ran.out, "box.0.nvsw.0 input 0: the block does not take write of 64 B")) << ran.out;
}

// Others go on: whoever spins for a flag behind it would do so for ever.
TEST_F(UserBlock, ThatStopsMovingAmongOthersEndsAsADeadlock)
{
    change("crossbar_queue.sv", "ready = count != 2", "ready = count != 2 && WIDTH == 0");
    ASSERT_EQ(add(folder_.file("")).code, 0);
    const Outcome ran = call({"run", example_system, "--model", "*.nvsw.0=my_crossbar"});
    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_TRUE(has(ran.out, "box.0.nvsw.0 input ")) << ran.out;
}

TEST_F(UserBlock, ABadMapRegistersNothing)
{
    change("crossbar.map.yaml", "valid: m_valid", "valid: m_vaild");
    const Outcome added = add(folder_.file(""));
    EXPECT_EQ(added.code, 2);
    EXPECT_EQ(added.out, "");
    EXPECT_EQ(without_notices(added.err),
        folder_.file("crossbar.map.yaml") +
            ":20: valid of output 0 names the pin 'm_vaild', which the block does not have; expected a pin of module "
            "crossbar (did you mean 'm_valid'?)\n");
    EXPECT_TRUE(has(call({"rtl", "list"}).out, "no block is registered"));
}

TEST_F(UserBlock, BadUseIsOneLine)
{
    EXPECT_EQ(call({"rtl", "ad"}).err,
        "weft: unknown action 'ad' of 'weft rtl'; expected add, list or remove (did you mean 'add'?)\n");
    EXPECT_EQ(call({"rtl", "add"}).err,
        "weft: the block is missing; expected weft rtl add FILE.sv... --map MAP.yaml\n");
    EXPECT_EQ(call({"rtl", "remove"}).code, 2);
    EXPECT_EQ(call({"rtl", "list", "x"}).code, 2);
    change("crossbar.map.yaml", "top: crossbar", "top: cros");
    EXPECT_TRUE(has(add(folder_.file("")).err,
        folder_.file("crossbar.map.yaml") +
            ":5: Error: Specified --top-module 'cros' was not found in design; expected RTL "));
    change("crossbar.map.yaml", "parameters: {PORTS", "parameters:\n  {DEPHT: 3, PORTS");
    EXPECT_EQ(without_notices(add(folder_.file("")).err),
        folder_.file("crossbar.map.yaml") +
            ":8: 'DEPHT' is no parameter of crossbar; expected parameters of the module\n");
    change("crossbar.map.yaml", "name: my_crossbar", "name: crossbar");
    EXPECT_EQ(without_notices(add(folder_.file("")).err),
        folder_.file("crossbar.map.yaml") + ": the name 'crossbar' of kind switch is taken; expected another name\n");
    // All of the RTL is named, or a change of the rest would not be seen.
    EXPECT_EQ(call({"rtl", "add", example + "crossbar.sv", "--map", example + "crossbar.map.yaml"}).code, 2);
    // A block with a fixed number of ports in a node with more.
    change("crossbar.map.yaml", "{PORTS: \"{ports}\", WIDTH: 640}", "{PORTS: 4, WIDTH: 640}");
    ASSERT_EQ(add(folder_.file("")).code, 0);
    const Outcome ran = call({"run", "examples/dgx_h100/system.yaml", "--model", everywhere});
    EXPECT_EQ(ran.code, 2);
    EXPECT_TRUE(has(ran.err,
        ": a node with 8 ports for a block with 4; expected a block with enough, or parameters with {ports}"))
        << ran.err;
}

}  // namespace user_block_test
