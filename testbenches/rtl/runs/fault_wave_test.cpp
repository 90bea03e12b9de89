// A block that goes wrong in a run leaves a waveform of what went before, that nobody has asked for.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "testbenches/process/process.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/scratch_folder.h"

namespace fault_wave_test {

using namespace weft;
using commands_test::call;
using commands_test::Outcome;

namespace {

// Small: quickly verilated.
const std::vector<std::string> one_switch{"--model", "*.nvsw.1=switch_lockstep", "--set", "switch.clock=500 ps",
    "--set", "switch.multicast_groups=0", "--set", "link.request_credits=8", "--set", "link.response_credits=8"};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::uint64_t big_endian(const std::string& bytes, std::size_t at)
{
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < 8; ++i) out = out << 8 | static_cast<unsigned char>(bytes.at(at + i));
    return out;
}

// Copies of the RTL with one place changed.
class FaultWave : public RtlTest {
protected:
    void SetUp() override
    {
        RtlTest::SetUp();
        std::filesystem::copy(WEFT_SOURCE_DIR "/rtl", folder_.file("rtl"), std::filesystem::copy_options::recursive);
        ::setenv("WEFT_RTL_DIR", folder_.file("rtl").c_str(), 1);
    }
    void TearDown() override { ::unsetenv("WEFT_RTL_DIR"); }
    void change(const std::string& file, const std::string& from, const std::string& to)
    {
        const std::string path = folder_.file("rtl/" + file);
        std::string text = read_text_file(path);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        write_text_file(path, text.replace(at, from.size(), to));
    }
    void break_switch()
    {
        change("switch/weft_switch.sv", "sent_data[o] = read_data[i];",
            "sent_data[o] = read_data[i] ^ (WIDTH'(read_data[i][126:103] == 24'd7) << 200);");
    }
    Outcome run(const std::vector<std::string>& more)
    {
        std::vector<std::string> arguments{"run", "examples/rtl_block/system.yaml", "--fault-wave",
            folder_.file("fault.fst"), "--json", folder_.file("result.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return call(arguments);
    }
    nlohmann::json result() { return nlohmann::json::parse(read_text_file(folder_.file("result.json"))); }
    bool is_there(const std::string& file) { return std::filesystem::exists(folder_.file(file)); }
    // Of the 200 clocks before `at` ps: its header has the times of its first and last change.
    void expect_window(const std::string& file, std::uint64_t at, std::uint64_t clock)
    {
        std::ifstream in(folder_.file(file), std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(in), {}};
        ASSERT_GT(bytes.size(), 1000U);
        EXPECT_EQ(big_endian(bytes, 9), at - 200 * clock);
        EXPECT_GE(big_endian(bytes, 17), at);
        EXPECT_LE(big_endian(bytes, 17), at + clock);
    }

    test::ScratchFolder folder_;
};

// "...: clock 5254 (2627000 ps)..."
std::uint64_t time_of(const std::string& problem) { return std::stoull(problem.substr(problem.find('(') + 1)); }

}  // namespace

TEST_F(FaultWave, OfASwitchThatDiffersFromItsReference)
{
    break_switch();
    const Outcome ran = run(one_switch);
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_TRUE(has(ran.out, "waveform    " + folder_.file("fault.fst"))) << ran.out;
    EXPECT_EQ(result()["fault_waves"], nlohmann::json::array({folder_.file("fault.fst")}));
    const std::string problem = result()["problems"].at(0);
    EXPECT_TRUE(has(problem, "box.0.nvsw.1: clock ")) << problem;
    EXPECT_TRUE(has(problem, "out_data[")) << problem;
    expect_window("fault.fst", time_of(problem), 500);
}

TEST_F(FaultWave, NoneThatNobodyWants)
{
    break_switch();
    std::vector<std::string> arguments{"run", "examples/rtl_block/system.yaml", "--fault-wave", "none"};
    arguments.insert(arguments.end(), one_switch.begin(), one_switch.end());
    const Outcome without = call(arguments);
    EXPECT_EQ(without.code, 1);
    EXPECT_FALSE(has(without.out, "waveform"));
}

// A file for either end that was clocked: here nothing has reached the other yet.
TEST_F(FaultWave, OfALinkThatDiffersFromItsReference)
{
    change("link/weft_link_crc.sv", "before_last ^ flit", "before_last ^ ~flit");
    const Outcome ran = run({"--set", "link.model=link_lockstep"});
    EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
    EXPECT_EQ(result()["fault_waves"], nlohmann::json::array({folder_.file("fault.0.fst")}));
    EXPECT_TRUE(is_there("fault.0.fst"));
    EXPECT_FALSE(is_there("fault.1.fst"));
}

TEST_F(FaultWave, NoneOfARunThatIsRight)
{
    const Outcome ran = run(one_switch);
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_FALSE(is_there("fault.fst"));
    EXPECT_TRUE(result()["fault_waves"].empty());
}

}  // namespace fault_wave_test
