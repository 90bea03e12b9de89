// The link of docs/rtl/bring_your_block.md, by the program itself: added, in the place of all links and of some, broken.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "testbenches/process/process.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/scratch_folder.h"

namespace user_link_test {

using namespace weft;
using commands_test::call;
using commands_test::Outcome;

namespace {

const std::string example = "examples/rtl_block/";
const std::string example_system = example + "system.yaml";

class UserLink : public ShortRtlTest {
protected:
    void SetUp() override
    {
        ::setenv("WEFT_RTL_MODELS", folder_.file("models").c_str(), 1);
        ShortRtlTest::SetUp();
    }
    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
    static Outcome add(const std::string& folder)
    {
        return call(
            {"rtl", "add", folder + "pipe_link.sv", folder + "link_pipe.sv", "--map", folder + "pipe_link.map.yaml"});
    }
    static Outcome add_crossbar()
    {
        return call({"rtl", "add", example + "crossbar.sv", example + "crossbar_queue.sv", "--map",
            example + "crossbar.map.yaml"});
    }
    // Copies in the folder, one place of one of them changed.
    void change(const std::string& file, const std::string& from, const std::string& to)
    {
        for (const std::string name : {"pipe_link.sv", "link_pipe.sv", "pipe_link.map.yaml"}) {
            std::string text = read_text_file(std::string(WEFT_SOURCE_DIR) + "/" + example + "link/" + name);
            const std::size_t at = text.find(from);
            if (name == file) {
                ASSERT_NE(at, std::string::npos) << from;
                text.replace(at, from.size(), to);
            }
            write_text_file(folder_.file(name), text);
        }
    }
    Outcome run_broken(const std::string& file, const std::string& from, const std::string& to)
    {
        change(file, from, to);
        const Outcome added = add(folder_.file(""));
        EXPECT_EQ(added.code, 0) << added.err;
        return run({"--set", "*.nvsw.1~*.xpu.2.link.model=my_link", "--fault-wave", folder_.file("fault.fst")});
    }
    Outcome run(const std::vector<std::string>& more)
    {
        std::vector<std::string> arguments{"run", example_system, "--bytes", "16KiB", "--json",
            folder_.file("result.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return call(arguments);
    }
    nlohmann::json result() { return nlohmann::json::parse(read_text_file(folder_.file("result.json"))); }
    // What a run says of its own accord, without how long the host took.
    nlohmann::json repeated()
    {
        nlohmann::json out = result();
        for (const char* key : {"wall_s", "elaborate_s", "cpu_s", "peak_rss_bytes"}) out.erase(key);
        return out;
    }

    test::ScratchFolder folder_;
};

}  // namespace

TEST_F(UserLink, IsAddedListedUsedAndRemoved)
{
    const Outcome added = add(example + "link/");
    EXPECT_EQ(without_notices(added.err), "");
    ASSERT_EQ(added.code, 0);
    EXPECT_EQ(added.out,
        "registered my_link in " + folder_.file("models") +
            "/my_link.yaml\nuse it with --set link.model=my_link, of some links --set "
            "'*.nvsw.0~*.link.model=my_link'\n");
    EXPECT_TRUE(
        has(call({"rtl", "list"}).out, "my_link: two pipelines of 20 clocks, beats of 128 bits\n  role  link\n"));
    EXPECT_TRUE(has(call({"models", "link"}).out, "model my_link"));
    EXPECT_FALSE(has(call({"models", "switch"}).out, "model my_link"));

    const Outcome all = run({"--set", "link.model=my_link"});
    EXPECT_EQ(all.code, 0) << all.out << all.err;
    EXPECT_TRUE(has(all.out, "verified    passed"));
    const nlohmann::json once = repeated();
    EXPECT_EQ(run({"--set", "link.model=my_link"}).code, 0);
    EXPECT_EQ(once, repeated());
    std::size_t links = 0;
    for (const auto& [path, parameter] : once["parameters"].items())
        if (has(path, "link.model")) {
            ++links;
            EXPECT_EQ(parameter["value"], "my_link") << path;
        }
    EXPECT_GT(links, 0U);
    EXPECT_TRUE(has(call({"explain", example_system, "--set", "link.model=my_link"}).out, "my_link"));
    // The block has a format of its own.
    const Outcome set = run({"--set", "link.model=my_link", "--set", "link.header=32"});
    EXPECT_TRUE(has(set.out, "link.header is set and changes nothing: ")) << set.out;
    // The protocol is kept at both ends, and nothing hangs on bits before reset.
    const Outcome fabric =
        call({"fabric", example_system, "--set", "link.model=my_link", "--loads", "0.3", "--check-protocol"});
    EXPECT_EQ(fabric.code, 0) << fabric.err;
    const auto& time = once["simulated_ps"];
    EXPECT_EQ(run({"--set", "link.model=my_link", "--seed", "7"}).code, 0);
    EXPECT_EQ(result()["simulated_ps"], time);

    EXPECT_EQ(call({"rtl", "remove", "my_link"}).code, 0);
    EXPECT_EQ(run({"--set", "link.model=my_link"}).code, 2);
}

TEST_F(UserLink, OneAmongLinksOfOtherModelsAndBesideASwitch)
{
    ASSERT_EQ(add(example + "link/").code, 0);
    ASSERT_EQ(add_crossbar().code, 0);
    const Outcome one = run({"--set", "*.nvsw.1~*.xpu.2.link.model=my_link"});
    EXPECT_EQ(one.code, 0) << one.out << one.err;
    EXPECT_TRUE(has(one.out, "verified    passed"));
    const Outcome both = run({"--set", "*.nvsw.0~*.link.model=my_link", "--set", "*.nvsw.1~*.link.model=reference_link",
        "--set", "link.request_credits=64", "--set", "link.response_credits=64", "--model", "*.nvsw.*=my_crossbar"});
    EXPECT_EQ(both.code, 0) << both.out << both.err;
    EXPECT_TRUE(has(both.out, "verified    passed"));
}

// Multicast and reductions go through links as any line does.
TEST_F(UserLink, CarriesOperationsOnGroups)
{
    ASSERT_EQ(add(example + "link/").code, 0);
    const Outcome ran = call({"run", "examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--algorithm", "nvls",
        "--set", "link.model=my_link"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "verified    passed"));
}

TEST_F(UserLink, ShowsItsWaveform)
{
    ASSERT_EQ(add(example + "link/").code, 0);
    const Outcome ran = run({"--set", "link.model=my_link", "--wave",
        "box.0.xpu.0~box.0.nvsw.1=" + folder_.file("wave.fst"), "--wave-window", "1us:2us"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    std::ifstream in(folder_.file("wave.fst"), std::ios::binary | std::ios::ate);
    EXPECT_GT(in.tellg(), 1000);
}

TEST_F(UserLink, ThatAltersABitIsNamedAndLeavesAWaveform)
{
    const Outcome ran = run_broken("link_pipe.sv", "beat[0] <= s_data;",
        "beat[0] <= s_data ^ (WIDTH'(s_data[126:103] == 24'd3) << 5);");
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "box.0.xpu.2~box.0.nvsw.1: at ")) << ran.out;
    EXPECT_TRUE(has(ran.out, ", end ") && has(ran.out, ": expected 0x")) << ran.out;
    EXPECT_TRUE(has(ran.out, "waveform    " + folder_.file("fault.fst"))) << ran.out;
}

TEST_F(UserLink, ThatLosesABeatIsNamed)
{
    const Outcome ran =
        run_broken("link_pipe.sv", "full[0] <= s_valid;", "full[0] <= s_valid && s_data[126:103] != 24'd3;");
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "box.0.xpu.2~box.0.nvsw.1: at ")) << ran.out;
}

TEST_F(UserLink, ThatStopsMovingEndsAsADeadlock)
{
    const Outcome ran = run_broken("link_pipe.sv", "m_ready || !m_valid;", "(m_ready || !m_valid) && WIDTH == 0;");
    EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "waiting     box.0.xpu.2~box.0.nvsw.1: nothing has moved on the pins of the block for "))
        << ran.out;
    EXPECT_TRUE(has(ran.out, "box.0.xpu.2~box.0.nvsw.1 end ")) << ran.out;
    EXPECT_TRUE(has(ran.out, ": the block does not take ")) << ran.out;
}

// An idle pin that says so is enough: a pause of 10,000 clocks in the pipelines of a link, in a collective and between two GPUs that wait for each other.
TEST_F(UserLink, MayStandStillForLongerThanQuiet)
{
    change("link_pipe.sv", "assign m_valid = full[STAGES-1];",
        "logic [15:0] paused, seen;\n    wire pausing = seen >= 16'd30 && paused < 16'd10000;\n"
        "    assign m_valid = full[STAGES-1] && !pausing;\n"
        "    always_ff @(posedge clk) if (!rst_n) {paused, seen} <= '0;\n"
        "        else begin seen <= seen + 16'(full[STAGES-1] && seen < 16'd30); paused <= paused + 16'(pausing); end");
    std::string text = read_text_file(folder_.file("link_pipe.sv"));
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"assign s_ready = m_ready || !m_valid;",
                                       "assign s_ready = !pausing && (m_ready || !m_valid);"},
             {"assign idle = full == '0;", "assign idle = full == '0 && !pausing;"}}) {
        ASSERT_NE(text.find(from), std::string::npos) << from;
        text.replace(text.find(from), from.size(), to);
    }
    write_text_file(folder_.file("link_pipe.sv"), text);
    const auto time = [&](const std::string& quiet) {
        std::string map = read_text_file(folder_.file("pipe_link.map.yaml"));
        write_text_file(folder_.file("pipe_link.map.yaml"), map + quiet);
        EXPECT_EQ(add(folder_.file("")).code, 0);
        const Outcome ran = run({"--set", "*.xpu.2~*.link.model=my_link"});
        EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
        return result()["simulated_ps"].get<std::uint64_t>();
    };
    const std::uint64_t short_quiet = time("");
    EXPECT_GT(short_quiet, 10'000U * 320U);
    EXPECT_EQ(short_quiet, time("quiet: 20000\n"));
}

TEST_F(UserLink, BadUseIsOneLine)
{
    ASSERT_EQ(add(example + "link/").code, 0);
    ASSERT_EQ(add_crossbar().code, 0);
    const std::string all = "link, reference_link, rtl_link, link_lockstep, my_link";
    EXPECT_EQ(without_notices(run({"--set", "link.model=my_lnik"}).err),
        "--set: 'my_lnik' is not a value of link.model; expected one of " + all + " (did you mean 'my_link'?)\n");
    EXPECT_EQ(without_notices(run({"--set", "link.model=my_crossbar"}).err),
        "--set: 'my_crossbar' is not a value of link.model; expected --model 'GLOB=my_crossbar', since it is a switch; "
        "a "
        "link is one of " +
            all + "\n");
    EXPECT_EQ(without_notices(run({"--model", "*.nvsw.*=my_link"}).err),
        "--model: unknown model 'my_link' for box.0.nvsw.0; expected a model of kind switch; for links use --set "
        "link.model=my_link\n");
    EXPECT_EQ(
        run({"--set", "link.model=my_link", "--set", "link.retry=go_back_n", "--set", "link.bit_error_rate=1e-9"}).code,
        2);
    // A map that has become one of the other role since.
    change("pipe_link.map.yaml", "name: my_link", "name: rtl_link");
    EXPECT_EQ(without_notices(add(folder_.file("")).err),
        folder_.file("pipe_link.map.yaml") + ": the name 'rtl_link' of kind link is taken; expected another name\n");
    change("pipe_link.map.yaml", "text: two", "text: three");
    ASSERT_EQ(add(folder_.file("")).code, 0);
    change("pipe_link.map.yaml", "role: link", "role: switch");
    EXPECT_EQ(without_notices(run({"--set", "link.model=my_link"}).err),
        folder_.file("pipe_link.map.yaml") +
            ": the map says role: switch, the block is registered as a link; expected the command 'weft rtl add' "
            "again\n");
}

}  // namespace user_link_test
