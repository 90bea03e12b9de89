// Users' blocks as links of fabrics: the time of a lone line and of a full link by formula, every protocol, broken ones named.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rtl/dut/dut_link.h"
#include "rtl/dut/port_map_reader.h"
#include "testbenches/rtl/dut/dut_bench.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"

namespace dut_link_test {

using namespace weft;
using namespace weft::testing;

namespace {

using DutLinkTest = ShortRtlTest;

std::string example(const std::string& name) { return std::string(WEFT_SOURCE_DIR) + "/examples/rtl_block/" + name; }

struct Block {
    std::string map;
    std::vector<std::string> files;
};

const Block pipes{"link/pipe_link.map.yaml", {example("link/pipe_link.sv"), example("link/link_pipe.sv")}};
// Crossbars of two ports.
const std::vector<std::string> crossing{example("crossbar.sv"), example("crossbar_queue.sv")};
Block crossbar(const std::string& name)
{
    Block out{name + ".map.yaml", crossing};
    if (name != "crossbar") out.files.push_back(example(name + ".sv"));
    return out;
}

using Change = std::function<void(PortMap&)>;

PortMap link_map(const Block& block, const Change& change)
{
    PortMap map = read_port_map(example(block.map));
    map.role = BlockRole::link;
    map.ports = 2;
    for (MapClock& clock : map.clocks)
        if (clock.period == 0) clock.period = 500;
    if (change) change(map);
    return map;
}

// Links are of `block`, its map changed.
FabricSystem::Options with(const Block& block, const Change& change = nullptr)
{
    FabricSystem::Options options;
    options.link.latency = 20'000;
    options.link.request_credits = options.link.response_credits = 64;
    options.make_link = [block, change](const std::string& name, EventQueue& event_queue, const LinkSpec& spec,
                            std::uint64_t seed) {
        return std::make_unique<DutLink>(name.c_str(), event_queue, name, spec, link_map(block, change), block.files,
            WaveWindow{}, seed);
    };
    return options;
}

Change pipe(unsigned width, unsigned stages, Time clock)
{
    return [=](PortMap& map) {
        map.parameters = {{"WIDTH", std::to_string(width)}, {"STAGES", std::to_string(stages)}};
        map.clocks[0].period = clock;
    };
}

unsigned beats_of(unsigned width) { return (640 + width - 1) / width; }
Time edge(Time time, Time clock) { return (time + clock - 1) / clock * clock; }

std::string trace_of(const Fabric& fabric, const FabricSystem::Options& options, unsigned lines, unsigned seed)
{
    return in_child([&] {
        FabricSystem system(fabric, options);
        system.issue_random(lines, seed);
        run_all(system);
        for (const auto& link : system.links) EXPECT_EQ(link->problems(), std::vector<std::string>());
        system.expect_clean();
        return system.trace();
    });
}

// What is found to be wrong, and else what is stuck or when all was over, of a hundred writes from end 0, one every `apart`.
std::string broken(unsigned fault, Time apart = 0, std::uint64_t seed = 1)
{
    const std::string text = fmt::format(R"(name: broken
role: link
top: broken_link
ties: {{fault: {}, pause: 0}}
clocks: [{{pin: clk, period: 500ps}}]
reset: {{pin: rst, active: high}}
idle: idle
in: {{protocol: valid_ready, valid: s_valid, ready: s_ready, data: s_data}}
out: {{protocol: valid_ready, valid: m_valid, ready: m_ready, data: m_data}}
)",
        fault);
    return in_child([&] {
        FabricSystem::Options options = with(pipes);
        options.seed = seed;
        options.make_link = [&](const std::string& name, EventQueue& event_queue, const LinkSpec& spec,
                                std::uint64_t of) {
            return std::make_unique<DutLink>(name.c_str(), event_queue, name, spec,
                read_port_map_text("map.yaml", text), std::vector<std::string>{dut_test::block_file("broken_link.sv")},
                WaveWindow{}, of);
        };
        FabricSystem system(two_ends(64'000'000'000), options);
        for (unsigned i = 0; i < 100; ++i) system.endpoints[0]->issue(i * apart, LineOp::write, 1, 64 * i);
        run_all(system);
        const DutLink& link = dynamic_cast<const DutLink&>(*system.links[0]);
        std::string out;
        for (const std::string& line : link.problems()) out += line + "\n";
        EXPECT_EQ(link.fault().has_value(), !out.empty());
        if (out.empty())
            for (const std::string& line : link.blocked()) out += line + "\n";
        return out.empty() ? std::to_string(system.event_queue.last()) : out;
    });
}

void expect_part(const std::string& text, const std::string& part)
{
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace

// Its beats go in one a clock from the first edge on; the last comes out STAGES clocks after it went in. An answer that is made in
// the clock of the last beat is on the pins in the next.
TEST_F(DutLinkTest, ALoneLineTakesItsBeatsAndTheStages)
{
    for (const auto& [width, stages, clock] : {std::tuple{128U, 20U, 320U}, {256U, 7U, 700U}, {640U, 1U, 1300U}})
        for (const Time issued : {1'000'000U, 1'000'001U, 1'000'319U}) {
            const std::string times = in_child([&, w = width, s = stages, c = clock] {
                FabricSystem system(two_ends(), with(pipes, pipe(w, s, c)));
                system.endpoints[0]->issue(issued, LineOp::write, 1, 0);
                system.endpoints[1]->issue(issued + 1'000'000, LineOp::read, 0, 0);
                run_all(system);
                system.expect_clean();
                return fmt::format("{} {} {} {}", system.endpoints[1]->served.at(0).at,
                    system.endpoints[0]->answered.at(0).at, system.endpoints[0]->served.at(0).at,
                    system.endpoints[1]->answered.at(0).at);
            });
            const Time way = (beats_of(width) - 1 + stages) * Time{clock};
            const Time write = edge(issued, clock) + way;
            const Time read = edge(issued + 1'000'000, clock) + way;
            EXPECT_EQ(times, fmt::format("{} {} {} {}", write, write + clock + way, read, read + clock + way)) << width;
        }
}

// A line for as many clocks as it has beats: 64 B in 5 x 320 ps are 40 GB/s.
TEST_F(DutLinkTest, AFullLinkCarriesALineInAsManyClocksAsItHasBeats)
{
    constexpr unsigned lines = 1000;
    for (const auto& [width, stages, clock] : {std::tuple{128U, 20U, 320U}, {256U, 7U, 320U}, {640U, 1U, 1000U}}) {
        const std::string result = in_child([&, w = width, s = stages, c = clock] {
            FabricSystem system(two_ends(), with(pipes, pipe(w, s, c)));
            for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
            run_all(system);
            system.expect_clean();
            const LinkModel::Direction counts = system.links[0]->direction(0);
            EXPECT_EQ(counts.lines, lines);
            EXPECT_EQ(counts.payload_bytes, 64 * lines);
            EXPECT_EQ(counts.wire_bytes, lines * beats_of(w) * w / 8);
            EXPECT_EQ(counts.busy, lines * beats_of(w) * c);
            EXPECT_EQ(system.links[0]->direction(1).lines, lines);
            EXPECT_EQ(system.links[0]->direction(1).payload_bytes, 0U);
            system.links[0]->reset_statistics();
            EXPECT_EQ(system.links[0]->line_hops(), 0U);
            return std::to_string(system.endpoints[1]->served.at(lines - 1).at);
        });
        EXPECT_EQ(result, std::to_string((lines * beats_of(width) - 1 + stages) * Time{clock})) << width;
    }
}

// A line goes when the slot of the line `credits` before it is free and the wire is: what is behind the link bounds what is inside.
TEST_F(DutLinkTest, FewCreditsBoundWhatIsInside)
{
    constexpr Time clock = 320;
    constexpr unsigned lines = 200;
    constexpr unsigned stages = 20;
    for (const unsigned credits : {1U, 4U, 12U, 40U}) {
        FabricSystem::Options options = with(pipes, pipe(128, stages, clock));
        options.link.request_credits = credits;
        const std::string last = in_child([&] {
            FabricSystem system(two_ends(), options);
            for (unsigned i = 0; i < lines; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
            run_all(system);
            system.expect_clean();
            return std::to_string(system.endpoints[1]->served.at(lines - 1).at);
        });
        std::vector<Time> sent;
        std::vector<Time> out;
        Time pins = 0;  // free from then on
        for (unsigned i = 0; i < lines; ++i) {
            const Time slot = i < credits ? 0 : out[i - credits] + options.link.latency;
            const Time wire = i == 0 ? 0 : sent[i - 1] + 5 * clock;
            sent.push_back(std::max(slot, wire));
            const Time first = std::max(edge(sent[i], clock), pins);
            pins = first + 5 * clock;
            out.push_back(first + (4 + stages) * clock);
        }
        EXPECT_EQ(last, std::to_string(out.back())) << credits;
    }
}

TEST_F(DutLinkTest, RandomTrafficComesThroughWholeAndInOrderByEveryProtocol)
{
    std::vector<Block> blocks{pipes};
    for (const std::string name : {"crossbar", "tagged/tagged_crossbar", "credit/credit_crossbar", "axi4/axi_crossbar",
             "axi_stream/axis_crossbar", "two_clocks/crossing_crossbar"}) {
        if (name == "axi4/axi_crossbar" && !test::thorough()) break;  // switches have the others
        blocks.push_back(crossbar(name));
    }
    for (const Block& block : blocks) {
        FabricSystem::Options options = with(block);
        const std::string trace = trace_of(star(4, 120'000'000'000), options, 150, 1);
        EXPECT_GT(trace.size(), 1000U) << block.map;
        // Whatever order the modules were made in.
        options.reversed = true;
        EXPECT_EQ(trace_of(star(4, 120'000'000'000), options, 150, 1), trace) << block.map;
    }
}

TEST_F(DutLinkTest, ChannelsMayBeSplitInVcSetsAndPoolCredits)
{
    FabricSystem::Options options = with(pipes);
    options.link.vcs = RequestVcs::split;
    options.link.vc_sets = 2;
    options.link.pool_credits = 8;
    options.link.request_credits = 2;
    EXPECT_GT(trace_of(star(4), options, 100, 3).size(), 1000U);
}

// Both classes at once, each by its own stream, take no longer than the longer of the two.
TEST_F(DutLinkTest, StreamsApartCarryBothClassesAtOnce)
{
    const auto end = [](const std::string& name) {
        return std::stoull(in_child([&] {
            FabricSystem system(two_ends(), with(crossbar(name)));
            for (unsigned i = 0; i < 400; ++i)
                for (unsigned e = 0; e < 2; ++e) system.endpoints[e]->issue(0, LineOp::write, 1 - e, 64 * i);
            run_all(system);
            system.expect_clean();
            return std::to_string(system.event_queue.last());
        }));
    };
    // A line in a clock: 400 requests and 400 answers in either direction.
    const std::uint64_t together = end("crossbar");
    const std::uint64_t apart = end("tagged/tagged_crossbar");
    EXPECT_GE(together, 800U * 500);
    EXPECT_LT(together, 850U * 500);
    EXPECT_GE(apart, 400U * 500);
    EXPECT_LT(apart, 450U * 500);
}

TEST_F(DutLinkTest, IsNotClockedWhileItSaysIdle)
{
    const std::string clocks = in_child([] {
        FabricSystem system(two_ends(), with(pipes));
        for (unsigned i = 0; i < 4; ++i) system.endpoints[0]->issue(i * 1'000'000'000ULL, LineOp::write, 1, 64 * i);
        run_all(system);
        system.expect_clean();
        const std::vector<Statistic> all = system.links[0]->statistics();
        EXPECT_EQ(all.back().name, "clocks");
        return std::to_string(static_cast<unsigned>(all.back().value));
    });
    // 25 clocks there and 25 back, and a few until it is believed.
    EXPECT_GE(std::stoul(clocks), 4U * 50);
    EXPECT_LT(std::stoul(clocks), 4U * 60);
}

TEST_F(DutLinkTest, WhatABrokenOneDoesIsNamed)
{
    EXPECT_EQ(broken(0).find_first_not_of("0123456789"), std::string::npos) << broken(0);
    const std::string dropped = broken(1);
    expect_part(dropped, "link0: at ");
    expect_part(dropped,
        ", end 1: a transaction out of order: it came out ahead of 1 earlier transactions (write of 64 B, 0 -> 1 at "
        "0x200, ");
    expect_part(dropped, "an earlier transaction went into end 0 at ");
    expect_part(dropped, "and is missing: write of 64 B, 0 -> 1 at 0x1c0, ");
    // Its tag is that of another by then, or will be.
    expect_part(broken(2), ", end 1: a transaction that comes out a second time (write of 64 B, 0 -> 1 at 0x1c0, ");
    expect_part(broken(2, 10'000),
        ", end 1: a transaction that comes out a second time (write of 64 B, 0 -> 1 at 0x1c0, ");
    expect_part(broken(3), ", end 1: data byte 9: expected ");
    expect_part(broken(4),
        ", end 1: a transaction out of order: it came out ahead of 1 earlier transactions (write of 64 B, 0 -> 1 at "
        "0x200, ");
    expect_part(broken(5), ", end 0: a transaction for end 1 (write of 64 B, 0 -> 1 at 0x1c0, ");
    const std::string stuck = broken(6);
    expect_part(stuck, "link0 end 0: the block does not take write of 64 B, 0 -> 1 at ");
    expect_part(stuck, "link0 end 0: ");
    expect_part(stuck, "transactions wait for the block");
    expect_part(broken(8), "the block: ");
    expect_part(broken(8), "line 7 has come");
}

// A register that no reset sets begins with bits from the seed.
TEST_F(DutLinkTest, BitsBeforeResetComeFromTheSeed)
{
    std::set<std::string> ends;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) ends.insert(broken(7, 0, seed));
    EXPECT_GT(ends.size(), 1U);
    EXPECT_EQ(broken(7, 0, 3), broken(7, 0, 3));
    EXPECT_EQ(broken(0, 0, 1), broken(0, 0, 2));
}

TEST_F(DutLinkTest, RefusesWhatItIsNot)
{
    const auto refusal = [](const std::function<void(FabricSystem::Options&)>& change) {
        return in_child([&]() -> std::string {
            FabricSystem::Options options = with(pipes);
            change(options);
            try {
                FabricSystem system(two_ends(), options);
            } catch (const InputError& error) {
                return error.what();
            }
            return "";
        });
    };
    EXPECT_EQ(refusal([](FabricSystem::Options&) {}), "");
    expect_part(refusal([](FabricSystem::Options& options) { options.link.bit_error_rate = 1; }),
        "link.bit_error_rate=0");
}

}  // namespace dut_link_test
