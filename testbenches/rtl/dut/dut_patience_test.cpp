// For how long a user's block is clocked that stands still: as long as it says, and to an end where it hangs.
#include <fmt/format.h>

#include "rtl/dut/dut_link.h"
#include "rtl/dut/port_map_reader.h"
#include "testbenches/rtl/dut/dut_bench.h"
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/tlm_interconnect/child.h"

namespace dut_patience_test {

using namespace weft;
using namespace weft::testing;

namespace {

using DutPatience = ShortRtlTest;

constexpr Time clock = 500;

// blocks/broken_link.sv
struct Faulty {
    unsigned fault = 0;
    unsigned pause = 0;  // clocks
    bool idle = true;    // it has the pin
    unsigned quiet = 0;  // 0: as by default
};

PortMap map_of(const Faulty& faulty)
{
    return read_port_map_text("map.yaml",
        fmt::format(R"(name: broken
role: link
top: broken_link
ties: {{fault: {}, pause: {}}}
clocks: [{{pin: clk, period: 500ps}}]
reset: {{pin: rst, active: high}}
{}{}in: {{protocol: valid_ready, valid: s_valid, ready: s_ready, data: s_data}}
out: {{protocol: valid_ready, valid: m_valid, ready: m_ready, data: m_data}}
)",
            faulty.fault, faulty.pause, faulty.idle ? "idle: idle\n" : "",
            faulty.quiet > 0 ? fmt::format("quiet: {}\n", faulty.quiet) : ""));
}

struct Outcome {
    std::vector<Time> served;  // of ten writes from end 0, all at time 0
    Time last = 0;             // item that changed something
    Time end = 0;              // item
    std::string standing;
};

// `late`: one more from end 1 at that time.
Outcome run(const Faulty& faulty, Time late = 0)
{
    const std::string text = in_child([&] {
        FabricSystem::Options options;
        options.link.latency = 20'000;
        options.link.request_credits = options.link.response_credits = 64;
        options.make_link = [&](const std::string& name, EventQueue& event_queue, const LinkSpec& spec,
                                std::uint64_t seed) {
            return std::make_unique<DutLink>(name.c_str(), event_queue, name, spec, map_of(faulty),
                std::vector<std::string>{dut_test::block_file("broken_link.sv")}, WaveWindow{}, seed);
        };
        FabricSystem system(two_ends(64'000'000'000), options);
        for (unsigned i = 0; i < 10; ++i) system.endpoints[0]->issue(0, LineOp::write, 1, 64 * i);
        if (late > 0) system.endpoints[1]->issue(late, LineOp::write, 0, 0);
        run_all(system);
        const auto& link = dynamic_cast<const DutLink&>(*system.links[0]);
        EXPECT_EQ(link.problems(), std::vector<std::string>());
        std::string out = fmt::format("{} {} {}", system.event_queue.last_effect(), system.event_queue.last(),
            system.endpoints[1]->served.size());
        for (const Endpoint::Record& record : system.endpoints[1]->served) out += fmt::format(" {}", record.at);
        return out + "\n" + link.standing();
    });
    Outcome out;
    std::istringstream in(text);
    std::size_t count = 0;
    in >> out.last >> out.end >> count;
    out.served.resize(count);
    for (Time& time : out.served) in >> time;
    in.ignore();
    std::getline(in, out.standing);
    return out;
}

// The line that waits, and those behind it, are later by the pause and nothing else.
void expect_later(const Outcome& out, const Outcome& without, unsigned pause)
{
    ASSERT_EQ(out.served.size(), 10U) << out.standing;
    for (unsigned i = 0; i < 10; ++i)
        EXPECT_EQ(out.served[i], without.served[i] + (i < 7 ? 0 : pause * clock)) << i << ", pause " << pause;
    EXPECT_EQ(out.standing, "");
}

void expect_part(const std::string& text, const std::string& part)
{
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace

// 1024 clocks is the default of `quiet`.
TEST_F(DutPatience, APauseTakesItsClocksHoweverLongItIs)
{
    const Outcome without = run({});
    ASSERT_EQ(without.served.size(), 10U);
    for (const unsigned pause : {3U, 1'500U, 60'000U}) {
        expect_later(run({9, pause}), without, pause);
        expect_later(run({9, pause, false}), without, pause);
    }
    expect_later(run({9, 1'500, true, 10}), without, 1'500);
    expect_later(run({9, 100'000, true, 100'000}), without, 100'000);
}

// 100,000 clocks are 50 us.
TEST_F(DutPatience, WhileOthersHaveSomethingToDoNoPauseIsTooLong)
{
    const Outcome without = run({0}, 60'000'000);
    expect_later(run({9, 100'000}, 60'000'000), without, 100'000);
    expect_later(run({9, 100'000, false}, 60'000'000), without, 100'000);
}

TEST_F(DutPatience, ABlockThatHangsIsGivenUpAndSaysWhy)
{
    const Outcome hangs = run({9, 100'000});
    EXPECT_EQ(hangs.served.size(), 7U);
    // Line 7 was the last to go in or come out, but for the answers of those before it.
    EXPECT_LT(hangs.last, 1'000'000U);
    EXPECT_GE(hangs.end, 65'536 * clock);
    EXPECT_LT(hangs.end, 68'000 * clock);
    EXPECT_EQ(hangs.standing,
        "link0: nothing has moved on the pins of the block for 65537 clocks; transactions inside: 3, in front of it: "
        "0; its idle pin says "
        "busy; if it only takes so long, set quiet in its map to more");
    expect_part(run({9, 100'000, false}).standing, "inside: 3, in front of it: 0; it has no idle pin; ");
    expect_part(run({6}).standing, "inside: 0, in front of it: 2; its idle pin says idle; ");
}

// One that says that it is busy for ever, and holds nothing, does not keep a run alive.
TEST_F(DutPatience, ABlockThatIsNeverIdleEndsWithTheRun)
{
    const Outcome honest = run({0});
    const Outcome liar = run({10});
    EXPECT_EQ(liar.served, honest.served);
    EXPECT_EQ(liar.standing, "");
    EXPECT_LT(liar.end, honest.end + 1'100 * clock);
    EXPECT_EQ(run({10}, 60'000'000).served, honest.served);
}

}  // namespace dut_patience_test
