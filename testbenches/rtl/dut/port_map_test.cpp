// What is wrong with a map, where, and what was expected.
#include <fmt/format.h>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "rtl/dut/port_map_reader.h"

namespace port_map_test {

using namespace weft;

namespace {

const std::string good = R"(name: mine
role: switch
top: block
ports: 4
parameters: {PORTS: "{ports}"}
clocks:
- {pin: clk}
reset: {pin: rst_n}
idle: idle
ties: {test: 0}
in:
  protocol: valid_ready
  valid: s_valid
  ready: s_ready
  data: s_data
  dest: s_dest
out:
  protocol: valid_ready
  valid: m_valid
  ready: m_ready
  data: m_data
)";

const std::vector<PinInfo> block_pins{{"clk", 1, true}, {"rst_n", 1, true}, {"idle", 1, false}, {"test", 1, true},
    {"s_valid", 4, true}, {"s_ready", 4, false}, {"s_data", 2560, true}, {"s_dest", 8, true}, {"m_valid", 4, false},
    {"m_ready", 4, true}, {"m_data", 2560, false}};

// `good` with one line replaced.
std::string with(const std::string& line, const std::string& by)
{
    std::string out = good;
    const std::size_t at = out.find(line);
    EXPECT_NE(at, std::string::npos) << line;
    return at == std::string::npos ? out : out.replace(at, line.size(), by);
}

// All that is said of the map, and of the map against the pins, without the name of the file.
std::string said(const std::string& map, const std::vector<PinInfo>& pins = block_pins)
{
    std::string out;
    try {
        check_map(read_port_map_text("m.yaml", map), pins, 4);
    } catch (const InputError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) out += (out.empty() ? "" : "\n") + diagnostic.text();
    }
    return out;
}

}  // namespace

TEST(PortMap, AGoodOneSaysWhereEachBitIs)
{
    EXPECT_EQ(said(good), "");
    const PortMap map = read_port_map_text("m.yaml", good);
    EXPECT_EQ(map.name, "mine");
    EXPECT_TRUE(map.scales());
    EXPECT_EQ(map.parameters_for(7, 4).at("PORTS"), "7");
    EXPECT_EQ(map.streams.at(0).layout.bits(), 640U);
    const PinSlice slice = slice_of(*map.streams.at(0).signal("dest"), 3, 4, block_pins);
    EXPECT_EQ(slice.pin, "s_dest");
    EXPECT_EQ(slice.at, 6U);
    EXPECT_EQ(slice.width, 2U);
}

TEST(PortMap, APinForEachPortAndAPackedStructure)
{
    // data of port p in bits 642 p + 2 .., valid and the port it is for beside it
    std::vector<PinInfo> pins = block_pins;
    pins[6] = {"s", 4 * 643, true};
    pins.erase(pins.begin() + 7);
    pins.erase(pins.begin() + 4);
    pins[4].name = "s_ready_0";
    pins[4].width = 1;
    for (const char* const name : {"s_ready_1", "s_ready_2", "s_ready_3"}) pins.push_back({name, 1, false});
    std::string map = with("valid: s_valid", "valid: {pin: s, at: 0, stride: 643, width: 1}");
    const auto change = [&](const std::string& line, const std::string& by) {
        map.replace(map.find(line), line.size(), by);
    };
    change("dest: s_dest", "dest: {pin: s, at: 1, stride: 643, width: 2}");
    change("data: s_data", "data: {pin: s, at: 3, stride: 643, width: 640}");
    change("ready: s_ready", "ready: \"s_ready_{p}\"");
    EXPECT_EQ(said(map, pins), "");
    const PinSlice slice = slice_of(*read_port_map_text("m.yaml", map).streams.at(0).signal("ready"), 2, 4, pins);
    EXPECT_EQ(slice.pin, "s_ready_2");
    EXPECT_EQ(slice.at, 0U);
    change("at: 3, stride", "at: 4, stride");
    EXPECT_NE(
        said(map, pins).find(
            "m.yaml:15: data of input 3 is bits 2572..1933 of pin 's', which has 2572; expected bits that the pin has"),
        std::string::npos)
        << said(map, pins);
}

TEST(PortMap, PinsThatAreNotThereOrPointTheOtherWay)
{
    EXPECT_EQ(said(with("valid: s_valid", "valid: s_vaild")),
        "m.yaml: the map drives no value to the input 's_valid'; expected a stream, or 'ties: {s_valid: 0}'\n"
        "m.yaml:13: valid of input 0 names the pin 's_vaild', which the block does not have; expected a pin of module "
        "block (did you mean 's_valid'?)");
    EXPECT_EQ(said(with("ready: m_ready", "ready: m_valid")),
        "m.yaml: the map drives no value to the input 'm_ready'; expected a stream, or 'ties: {m_ready: 0}'\n"
        "m.yaml:20: ready of output 0 names the pin 'm_valid', which is an output of the block; expected an input");
    EXPECT_EQ(said(with("idle: idle", "idle: test")),
        "m.yaml:9: idle names the pin 'test', which is an input of the block; expected an output");
}

TEST(PortMap, WidthsOverlapsAndInputsThatNothingDrives)
{
    EXPECT_EQ(said(with("valid: m_valid", "valid: {pin: m_valid, stride: 1, width: 2}")),
        "m.yaml:19: bit 1 of pin 'm_valid' is valid of output 0 and valid of output 1; expected one use of each bit\n"
        "m.yaml:19: valid of output 3 is bits 4..3 of pin 'm_valid', which has 4; expected bits that the pin has");
    EXPECT_EQ(said(with("ties: {test: 0}", "")),
        "m.yaml: the map drives no value to the input 'test'; expected a stream, or 'ties: {test: 0}'");
    EXPECT_EQ(said(with("ties: {test: 0}", "ties: {test: 2}")),
        "m.yaml:10: 2 does not fit in the 1 bits of pin 'test'; expected a smaller number");
    EXPECT_EQ(said(with("dest: s_dest", "dest: {pin: s_dest, stride: 2, width: 1}")),
        "m.yaml: the map drives no value to bit 1 of the input 's_dest'; expected a stream, or 'ties: {s_dest: 0}'\n"
        "m.yaml:16: dest of a port has 1 bits for 4 ports; expected enough for each");
    EXPECT_EQ(said(with("- {pin: clk}", "- {pin: s_dest}")),
        "m.yaml: the map drives no value to the input 'clk'; expected a stream, or 'ties: {clk: 0}'\n"
        "m.yaml:7: a clock names the pin 's_dest' of 8 bits; expected 1\n"
        "m.yaml:16: bit 0 of pin 's_dest' is a clock and dest of input 0; expected one use of each bit\n"
        "m.yaml:16: bit 2 of pin 's_dest' is a clock and dest of input 1; expected one use of each bit\n"
        "m.yaml:16: bit 4 of pin 's_dest' is a clock and dest of input 2; expected one use of each bit\n"
        "m.yaml:16: bit 6 of pin 's_dest' is a clock and dest of input 3; expected one use of each bit");
}

TEST(PortMap, WhatAMapCannotSay)
{
    const auto expect = [](const std::string& line, const std::string& by, const std::string& message) {
        EXPECT_EQ(said(with(line, by)), message);
    };
    expect("name: mine", "name: my/block",
        "m.yaml:1: the name 'my/block'; expected letters, digits, _ and -, at most 64");
    expect("name: mine", "name: \"\"", "m.yaml:1: the name ''; expected letters, digits, _ and -, at most 64");
    expect("role: switch", "role: gpu", "m.yaml:2: 'role' is 'gpu'; expected one of switch, link");
    expect("ports: 4", "ports: 65", "m.yaml:4: 'ports' is '65'; expected a whole number from 1 to 64");
    expect("- {pin: clk}", "- {pin: clk, period: 5}",
        "m.yaml:7: the period is '5'; expected a time, such as 800ps, or switch.clock");
    expect("  protocol: valid_ready\n  valid: m_valid", "  protocol: axi5\n  valid: m_valid",
        "m.yaml:18: 'protocol' is 'axi5'; expected one of valid_ready, credit, axi_stream, axi4");
    expect("dest: s_dest", "dest: s_dest\n  clock: clk2",
        "m.yaml:12: the clock 'clk2' of a stream is not a clock of the map; expected a pin of 'clocks'");
    expect("dest: s_dest", "dest: s_dest\n  lines: requests",
        "m.yaml:12: the streams of 'in' do not carry each transaction exactly once; expected one stream, or one of "
        "'lines: "
        "requests' and one of "
        "'lines: responses'");
    expect("dest: s_dest",
        "dest: s_dest\n  packing: {tag: 0, source: 24, destination: 40, operation: 56, response: 60, data: 60}",
        "m.yaml:17: data overlaps response; expected bits of its own");
    expect("dest: s_dest", "dest: s_dest\n  packing: {tag: 0, source: 24, operation: 56, response: 60, data: 64}",
        "m.yaml:17: the stream does not carry 'destination'; expected all fields of a transaction: destination, "
        "source, operation, response, tag, data");
}

// A link has two ends and a clock of its own, and nothing that waits behind it.
TEST(PortMap, OfALink)
{
    std::string link = with("role: switch", "role: link");
    const auto change = [&](const std::string& from, const std::string& to) {
        link.replace(link.find(from), from.size(), to);
    };
    EXPECT_EQ(said(link),
        "m.yaml:1: a link with 4 ports; expected 2, its ends\n"
        "m.yaml:7: a clock of a link without a period; expected a time, such as 800ps");
    change("ports: 4\n", "");
    change("{pin: clk}", "{pin: clk, period: switch.clock}");
    change("idle: idle", "output_buffer: 4");
    EXPECT_EQ(said(link),
        "m.yaml:6: the period is 'switch.clock'; expected a time, such as 800ps\n"
        "m.yaml:8: 'output_buffer' of a link; expected a map without it: the sender holds a slot of the buffer behind "
        "the link");
    change("switch.clock", "320ps");
    change("output_buffer: 4", "idle: idle");
    const PortMap map = read_port_map_text("m.yaml", link);
    EXPECT_EQ(map.role, BlockRole::link);
    EXPECT_EQ(map.ports, 2U);
    EXPECT_EQ(map.clocks.at(0).period, 320U);
}

}  // namespace port_map_test
