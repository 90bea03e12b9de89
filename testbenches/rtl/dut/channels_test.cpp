// Lines to pins and back, for each protocol.
#include <fmt/format.h>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "testbenches/rtl/dut/dut_bench.h"
#include "testbenches/rtl/rtl_test.h"

namespace channels_test {

using namespace weft;
using weft::dut_test::DutBench;

namespace {

using Channels = ShortRtlTest;

std::string axi_stream(unsigned width, unsigned fault = 0)
{
    return fmt::format(R"(name: echo
role: switch
top: echo_stream
ports: 2
parameters: {{W: {}, PORTS: "{{ports}}"}}
clocks: [{{pin: aclk}}]
reset: {{pin: areset, active: high, clocks: 3}}
ties: {{fault: {}, slow: 0}}
idle: idle
in: {{protocol: axi_stream, tvalid: s_tvalid, tready: s_tready, tdata: s_tdata, tkeep: s_tkeep, tlast: s_tlast, tdest: s_tdest, tid: s_tid}}
out: {{protocol: axi_stream, tvalid: m_tvalid, tready: m_tready, tdata: m_tdata, tkeep: m_tkeep, tlast: m_tlast, tdest: m_tdest, tid: m_tid}}
)",
        width, fault);
}

std::string valid_ready(unsigned width, unsigned fault = 0, bool slow = false)
{
    return fmt::format(R"(name: echo
role: switch
top: echo_stream
ports: 2
parameters: {{W: {}, PORTS: "{{ports}}"}}
clocks: [{{pin: aclk}}]
reset: {{pin: areset, active: high}}
ties: {{s_tkeep: 0, fault: {}, slow: {}}}
in: {{protocol: valid_ready, valid: s_tvalid, ready: s_tready, data: s_tdata, last: s_tlast, dest: s_tdest, id: s_tid}}
out: {{protocol: valid_ready, valid: m_tvalid, ready: m_tready, data: m_tdata, last: m_tlast, dest: m_tdest, id: m_tid}}
)",
        width, fault, slow ? 1 : 0);
}

std::string credit(unsigned in, unsigned out, unsigned fault = 0, bool interleave = false)
{
    return fmt::format(R"(name: echo
role: switch
top: echo_credit
ports: 1
parameters: {{VCS: "{{vcs}}", W: 320, IN_CREDITS: 4, OUT_CREDITS: 4}}
clocks: [{{pin: clk}}]
reset: {{pin: rst_n}}
ties: {{fault: {}, interleave: {}}}
in: {{protocol: credit, credits: {}, valid: in_valid, data: in_data, vc: in_vc, credit: in_credit}}
out: {{protocol: credit, credits: {}, valid: out_valid, data: out_data, vc: out_vc, credit: out_credit}}
)",
        fault, interleave ? 1 : 0, in, out);
}

// `reset`: how the block begins, a line of the map.
std::string negedge(const std::string& reset)
{
    return "name: echo\nrole: switch\ntop: negedge_echo\nports: 1\nclocks: [{pin: clk}]\n" + reset +
        "\nin: {protocol: valid_ready, valid: s_valid, ready: s_ready, data: s_data}\n"
        "out: {protocol: valid_ready, valid: m_valid, ready: m_ready, data: m_data}\n";
}

// Every load with every amount of back-pressure.
void expect_all_through(DutBench& bench, std::uint64_t at_least)
{
    for (const double load : {0.1, 0.5, 1.0})
        for (const double room : {0.2, 0.7, 1.0}) bench.run(2000, load, room);
    bench.drain(500);
    EXPECT_EQ(bench.problem(), "");
    EXPECT_EQ(bench.received(), bench.sent());
    EXPECT_GT(bench.sent(), at_least);
}

}  // namespace

TEST_F(Channels, AxiStreamCarriesEachLineWhateverTheWidthOfABeat)
{
    for (const unsigned width : {64U, 128U, 256U, 640U, 1024U}) {
        DutBench bench(axi_stream(width), "echo_stream.sv", {2, 1, 1000}, width);
        expect_all_through(bench, 18000ULL * 64 / 640 / 4);
        EXPECT_TRUE(bench.block().idle());
    }
}

TEST_F(Channels, ReadyMayWaitForValid)
{
    DutBench bench(valid_ready(128, 0, true), "echo_stream.sv", {2, 1, 1000});
    expect_all_through(bench, 500);
}

TEST_F(Channels, ValidReadyIsAsFastAsItsBeats)
{
    // The echo takes a clock; a line of five beats is out five clocks after its first is on the pins.
    for (const unsigned width : {128U, 640U}) {
        DutBench bench(valid_ready(width), "echo_stream.sv", {2, 1, 1000});
        bench.run(1000, 1.0, 1.0);
        EXPECT_EQ(bench.problem(), "");
        EXPECT_EQ(bench.least_clocks(), 640U / width);
        EXPECT_GE(bench.sent(), 2 * 1000U / (640 / width) - 2);
    }
}

TEST_F(Channels, BreaksOfTheProtocolAreNamed)
{
    const auto problem = [](const std::string& map) {
        DutBench bench(map, "echo_stream.sv", {2, 1, 1000});
        bench.run(200, 0.7, 0.5);
        return bench.problem();
    };
    EXPECT_EQ(problem(axi_stream(128, 1)), "beat 1 of 5 with last = 1");
    EXPECT_EQ(problem(axi_stream(128, 2)), "valid falls before ready");
    EXPECT_EQ(problem(axi_stream(128, 3)), "the bytes of beat 1 of 5 differ from those that went in");
    // Valid/ready in general does not ask that valid stays.
    EXPECT_EQ(problem(valid_ready(128, 2)), "");
}

TEST_F(Channels, CreditsOfEachChannel)
{
    for (const unsigned channels : {2U, 4U}) {
        DutBench bench(credit(4, 4), "echo_credit.sv", {1, channels, 1000}, channels);
        expect_all_through(bench, 2000);
    }
}

TEST_F(Channels, CreditsThatDoNotAddUpAreHeard)
{
    const auto problem = [](const std::string& map) {
        DutBench bench(map, "echo_credit.sv", {1, 2, 1000});
        bench.run(500, 1.0, 0.2);
        return bench.problem();
    };
    EXPECT_EQ(problem(credit(4, 4, 1)), "a beat without a credit; 4 credits are in use");
    EXPECT_EQ(problem(credit(4, 4, 2)), "a credit more than the 4 that the map gives");
    // The map promises more than the block has: its own assertion, and the bench against the block the other way.
    EXPECT_NE(problem(credit(6, 4)).find("a beat without a credit"), std::string::npos);
    EXPECT_EQ(problem(credit(4, 2)), "a beat without a credit; 2 credits are in use");
}

TEST_F(Channels, ABlockMayHaveSeveralClocks)
{
    const std::string map = R"(name: cross
role: switch
top: two_clocks
ports: 1
clocks: [{pin: fast, period: 700ps}, {pin: slow, period: 1300ps}]
reset: {pin: rst, active: high, clocks: 4}
ties: {mode: 9}
in: {protocol: valid_ready, valid: s_valid, ready: s_ready, data: s_data}
out: {protocol: valid_ready, clock: slow, valid: m_valid, ready: m_ready, data: m_data}
)";
    DutBench bench(map, "two_clocks.sv", {1, 1, 1000});
    bench.run(20000, 1.0, 1.0);
    bench.drain(100);
    EXPECT_EQ(bench.problem(), "");
    EXPECT_EQ(bench.received(), bench.sent());
    // 14 us of fast clocks; a line takes two to three clocks of each side to cross and to say so.
    EXPECT_NEAR(static_cast<double>(bench.sent()), 20000 * 700 / (2.5 * 700 + 2.5 * 1300), 800);
    // A tie that is wrong is seen in the data.
    DutBench wrong(std::string(map).replace(map.find("mode: 9"), 7, "mode: 8"), "two_clocks.sv", {1, 1, 1000});
    wrong.run(100, 1.0, 1.0);
    EXPECT_NE(wrong.problem(), "");
}

TEST_F(Channels, AValueWithoutRoomOnThePinsIsRefused)
{
    std::string map = valid_ready(640);
    map.replace(map.find("data: s_tdata"), 13,
        "data: s_tdata, packing: {destination: {at: 0, width: 4}, source: 16, operation: 32, response: 36, tag: 40, "
        "data: 64}");
    map.replace(map.find("data: m_tdata"), 13,
        "data: m_tdata, packing: {destination: {at: 0, width: 4}, source: 16, operation: 32, response: 36, tag: 40, "
        "data: 64}");
    DutBench bench(map, "echo_stream.sv", {2, 1, 1000});
    EXPECT_THROW(bench.run(100, 1.0, 1.0), InputError);
}

// The beats of two lines reach us in turns, each with its channel.
TEST_F(Channels, BeatsOfDifferentChannelsMayAlternate)
{
    for (const unsigned channels : {2U, 4U}) {
        DutBench bench(credit(4, 4, 0, true), "echo_credit.sv", {1, channels, 1000}, channels);
        expect_all_through(bench, 2000);
        EXPECT_EQ(bench.unsettled(), "");
    }
}

// Nothing shows while the run goes on: there are credits enough. It does when all should be home.
TEST_F(Channels, ALostCreditIsMissedAtTheEnd)
{
    const auto missing = [](unsigned fault) {
        DutBench bench(credit(4, 4, fault), "echo_credit.sv", {1, 2, 1000});
        bench.run(600, 0.9, 1.0);
        bench.drain(100);
        EXPECT_EQ(bench.problem(), "");
        EXPECT_EQ(bench.received(), bench.sent());
        EXPECT_GT(bench.sent(), 250U);
        EXPECT_LT(bench.sent(), 500U);
        return bench.unsettled();
    };
    EXPECT_EQ(missing(0), "");
    const std::string found = missing(3);
    EXPECT_EQ(found.substr(0, 26), "1 of 4 credits of channel ") << found;
    EXPECT_NE(found.find("did not come back: the block took the beats, and holds or lost the credits"),
        std::string::npos)
        << found;
}

// Inputs change just after the rising edge that consumed them: a block may look at them when its clock falls.
TEST_F(Channels, InputsMayBeTakenWhenTheClockFalls)
{
    for (const std::string reset : {"reset: {pin: rst_n}", "ties: {rst_n: 1}"}) {
        DutBench bench(negedge(reset), "negedge_echo.sv", {1, 1, 1000});
        expect_all_through(bench, 1000);
        EXPECT_EQ(bench.least_clocks(), 1U) << reset;
    }
}

}  // namespace channels_test
