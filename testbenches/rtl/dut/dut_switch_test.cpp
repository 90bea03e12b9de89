// Users' blocks as switches of fabrics: random traffic, the time of a lone line by formula, credits that run out.
#include <fmt/format.h>

#include "base/text_file.h"
#include "rtl/dut/dut_switch.h"
#include "rtl/dut/port_map_reader.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/scratch_folder.h"
#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"

namespace dut_switch_test {

using namespace weft;
using namespace weft::testing;

namespace {

using DutSwitchTest = ShortRtlTest;

std::string example(const std::string& name) { return std::string(WEFT_SOURCE_DIR) + "/examples/rtl_block/" + name; }

struct Block {
    std::string map;
    std::vector<std::string> files;
};

const Block crossbar{"crossbar.map.yaml", {example("crossbar.sv"), example("crossbar_queue.sv")}};
const Block tagged{"tagged/tagged_crossbar.map.yaml",
    {example("crossbar.sv"), example("crossbar_queue.sv"), example("tagged/tagged_crossbar.sv")}};
const Block axi4{"axi4/axi_crossbar.map.yaml",
    {example("crossbar.sv"), example("crossbar_queue.sv"), example("axi4/axi_crossbar.sv")}};
const Block axi_stream{"axi_stream/axis_crossbar.map.yaml",
    {example("crossbar.sv"), example("crossbar_queue.sv"), example("axi_stream/axis_crossbar.sv")}};
const Block credit{"credit/credit_crossbar.map.yaml",
    {example("crossbar.sv"), example("crossbar_queue.sv"), example("credit/credit_crossbar.sv")}};
const Block two_clocks{"two_clocks/crossing_crossbar.map.yaml",
    {example("crossbar.sv"), example("crossbar_queue.sv"), example("two_clocks/crossing_crossbar.sv")}};

// `change` is done to the map.
FabricSystem::Options with(const Block& block, const std::function<void(PortMap&)>& change = nullptr)
{
    FabricSystem::Options options = clocked(reference);
    options.make = [block, change](const std::string& name, EventQueue& event_queue, const SwitchSpec& spec,
                       unsigned ports, RouteTable routes) {
        PortMap map = read_port_map(example(block.map));
        if (change) change(map);
        return std::make_unique<DutSwitch>(name.c_str(), event_queue, name, spec, ports, std::move(routes), map,
            block.files);
    };
    return options;
}

std::string trace_of(const Fabric& fabric, const FabricSystem::Options& options, unsigned lines, unsigned seed)
{
    return in_child([&] {
        FabricSystem system(fabric, options);
        system.issue_random(lines, seed);
        run_all(system);
        for (const auto& other : system.others) {
            if (other == nullptr) continue;
            EXPECT_EQ(other->problems(), std::vector<std::string>());
        }
        system.expect_clean();
        return system.trace();
    });
}

// When a lone request is at its home.
Time lone(const FabricSystem::Options& options, LineOp op)
{
    return std::stoull(in_child([&] {
        FabricSystem system(star(4), options);
        system.endpoints[0]->issue(0, op, 1, 0);
        run_all(system);
        system.expect_clean();
        return std::to_string(system.endpoints[1]->served.at(0).at);
    }));
}

void expect_whole_and_in_order(unsigned seed)
{
    for (const Block& block : {crossbar, tagged, axi4, axi_stream, credit, two_clocks}) {
        // By default without the one that takes the compiler longest: Axi4 has its channels.
        if (!test::thorough() && block.map == axi4.map) continue;
        FabricSystem::Options options = with(block);
        const std::string trace = trace_of(star(4, 120'000'000'000), options, 300, seed);
        EXPECT_GT(trace.size(), 1000U);
        if (!test::thorough() && block.map != crossbar.map) continue;
        // Whatever order the modules were made in.
        options.reversed = true;
        EXPECT_EQ(trace_of(star(4, 120'000'000'000), options, 300, seed), trace);
    }
}

}  // namespace

TEST_F(DutSwitchTest, RandomTrafficComesThroughWholeAndInOrder) { expect_whole_and_in_order(1); }

TEST_F(DutSwitchTest, MoreSeeds)
{
    for (const unsigned seed : {2U, 3U}) expect_whole_and_in_order(seed);
}

TEST_F(DutSwitchTest, SeveralInAFabric)
{
    for (const Block& block : {tagged, axi4})
        EXPECT_GT(trace_of(two_tiers(3, 2, 2), with(block), 150, 5).size(), 1000U);
}

TEST_F(DutSwitchTest, ALoneLineTakesItsLinksAndTheBlocksClocks)
{
    // Both links take the same: half of what two of them take around a switch without time.
    FabricSystem::Options bare = with(crossbar);
    bare.make = nullptr;
    bare.switches.latency = bare.switches.traversal = 0;
    for (const LineOp op : {LineOp::read, LineOp::write}) {
        const Time link = lone(bare, op) / 2;
        for (const Time clock : {500U, 700U, 1300U}) {
            const Time on_pins = (link + clock - 1) / clock * clock;
            EXPECT_EQ(lone(with(crossbar, [&](PortMap& map) { map.clocks[0].period = clock; }), op),
                on_pins + clock + link);
            FabricSystem::Options by_switch = with(crossbar);
            by_switch.switches.clock = by_switch.switches.transfer = by_switch.switches.credit_delay = clock;
            EXPECT_EQ(lone(by_switch, op), on_pins + clock + link);
        }
    }
}

TEST_F(DutSwitchTest, FewCreditsAndSmallBuffersHoldUpButLoseNothing)
{
    FabricSystem::Options options = with(tagged, [](PortMap& map) { map.output_buffer = 1; });
    options.link.request_credits = options.link.response_credits = 1;
    const std::string slow = trace_of(star(4, 120'000'000'000), options, 100, 9);
    EXPECT_GT(slow.size(), 1000U);
    EXPECT_NE(slow, trace_of(star(4, 120'000'000'000), with(tagged), 100, 9));
}

TEST_F(DutSwitchTest, IsNotClockedWhileItSaysIdleOrIsQuiet)
{
    const auto clocks = [](const std::function<void(PortMap&)>& change) {
        return std::stoul(in_child([&] {
            FabricSystem system(star(4), with(crossbar, change));
            for (unsigned i = 0; i < 4; ++i) system.endpoints[0]->issue(i * 1'000'000'000ULL, LineOp::write, 1, 64 * i);
            run_all(system);
            system.expect_clean();
            return std::to_string(static_cast<unsigned>(system.others[0]->statistics()[1].value));
        }));
    };
    // Request and answer of each line: two clocks, and a few until it is believed.
    EXPECT_LT(clocks(nullptr), 4U * 2 * 10);
    const auto quiet = [](unsigned limit) {
        return [limit](PortMap& map) {
            map.idle.pin.clear();
            map.quiet = limit;
        };
    };
    EXPECT_LT(clocks(quiet(10)), clocks(quiet(100)));
    EXPECT_LT(clocks(quiet(100)), 4U * 2 * 110);
}

// An arbiter that changes its mind while it waits for ready is a fault over AXI4.
TEST_F(DutSwitchTest, AnOfferThatChangesBeforeReadyIsNamed)
{
    const test::ScratchFolder folder;
    const std::string steady = "(m_ready[o] ? 1 : 0)) % PORTS);";
    std::string text = read_text_file(example("crossbar.sv"));
    const std::size_t at = text.find("if (grant[o][i]) next[o] <= PW'((i + " + steady);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 3, "if (m_ready[o] && ");
    text.replace(text.find("&& (grant[o][i])"), 16, "&& grant[o][i])");
    write_text_file(folder.file("crossbar.sv"), text);
    Block block = axi4;
    block.files[0] = folder.file("crossbar.sv");
    const std::string problem = in_child([&] {
        FabricSystem system(star(4, 120'000'000'000), with(block));
        system.issue_random(300, 1);
        run_all(system);
        const std::vector<std::string> problems =
            system.others[0] == nullptr ? system.others[4]->problems() : system.others[0]->problems();
        return problems.empty() ? std::string() : problems.front();
    });
    EXPECT_NE(problem.find("before ready"), std::string::npos) << problem;
}

}  // namespace dut_switch_test
