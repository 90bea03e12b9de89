// Every hop is a call of nb_transport over the bound interface: sockets count what comes in by theirs, modules what they
// hand on, and the two are equal.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "testbenches/gpu/two_gpus.h"
#include "testbenches/platform/switch_board.h"

namespace interface_calls_test {

using namespace weft;
using namespace weft::testing;

namespace {

SocketCalls operator+(const SocketCalls& a, const SocketCalls& b) { return {a.lines + b.lines, a.credits + b.credits}; }

// What came in by the sockets of `objects` and of all that is inside them.
SocketCalls calls_in(const std::vector<sc_core::sc_object*>& objects)
{
    SocketCalls sum;
    for (sc_core::sc_object* object : objects) {
        if (const auto* target = dynamic_cast<const LineTargetSocket*>(object)) sum = sum + target->calls();
        if (const auto* initiator = dynamic_cast<const LineInitiatorSocket*>(object)) sum = sum + initiator->calls();
        sum = sum + calls_in(object->get_child_objects());
    }
    return sum;
}

// What the sockets of a link took in against what its wires carried; empty when they are equal. Each line gives its credit
// back over the other wire.
std::string past_the_sockets(LinkModel& link)
{
    SocketCalls in;
    for (unsigned end = 0; end < 2; ++end) in = in + link.target(end).calls() + link.initiator(end).calls();
    std::string out;
    if (in.lines != link.line_hops())
        out += std::to_string(link.line_hops()) + " transactions carried, " + std::to_string(in.lines) +
            " came in by the interface; ";
    if (in.credits != link.line_hops())
        out += std::to_string(link.line_hops()) + " credits due, " + std::to_string(in.credits) +
            " came in by the interface; ";
    return out;
}

// The same of a whole system, whose modules count what they hand on (line_hops of a result).
std::string past_the_sockets(const System& system)
{
    std::string out;
    for (const System::LinkPlace& place : system.links()) out += past_the_sockets(*place.link);
    const SocketCalls in = calls_in(sc_core::sc_get_top_level_objects());
    if (in.lines == 0) out += "no calls at all; ";
    if (in.lines != system.line_hops())
        out += std::to_string(system.line_hops()) + " hops, " + std::to_string(in.lines) + " calls; ";
    return out;
}

// In mirrored partitions a fill from the other one crosses inside its slice, which counts it as a hop without a socket.
RunSetup dgx()
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = "profile: h100\n";
    setup.sets = {"l2.partitions=1"};
    return setup;
}

std::string after(const RunSetup& setup, const Schedule& schedule, std::uint64_t bytes,
    const std::function<void(SwitchBoard&)>& then = {})
{
    return in_timed_child(
        [&] {
            SwitchBoard board(setup, false, schedule.size());
            const Executor::JobId job = board.open(schedule, bytes, ElementType::fp32);
            board.enter_all(job);
            board.run();
            EXPECT_TRUE(board.record(job).finished);
            if (then) then(board);
            return past_the_sockets(board.system);
        },
        100);
}

Schedule ring_of(std::uint32_t ranks) { return make_schedule("ring", CollectiveOp::all_reduce, ranks); }

// A store of one line to the peer, whose cache takes it without memory.
void store_to_peer(TwoGpus& box)
{
    Program program;
    program.add_move({}, {std::uint64_t{1} << endpoint_shift}, line_bytes, ElementType::u8, ReduceOp::sum);
    box.launch(0, program);
    sc_core::sc_start();
}

}  // namespace

TEST(InterfaceCalls, OneForEachHopOfARing) { EXPECT_EQ(after(dgx(), ring_of(8), 64 << 10), ""); }

TEST(InterfaceCalls, OneForEachHopOfWhatSwitchesCarryOut)
{
    EXPECT_EQ(after(dgx(), reduce_multicast_all_reduce(8, 2), 64 << 10), "");
    EXPECT_EQ(after(dgx(), push_all_reduce(8, 2), 64 << 10), "");
}

TEST(InterfaceCalls, OneForEachHopThroughAScheduledCrossbar)
{
    RunSetup setup = dgx();
    setup.lines += "bind:\n- {nodes: {component: nvsw}, kind: nvswitch, model: crossbar}\n";
    EXPECT_EQ(after(setup, ring_of(8), 64 << 10), "");
}

TEST(InterfaceCalls, OneForEachHopThroughAMemorySideCache)
{
    RunSetup setup;
    setup.document = example("mesh_mi300x");
    setup.lines = "profile: mi300x\n";
    EXPECT_EQ(after(setup, ring_of(8), 64 << 10), "");
}

TEST(InterfaceCalls, OneForEachHopOverLinksInPackets)
{
    EXPECT_EQ(after(dgx().with("link.merge=adjacent").with("link.credit_bytes=4"), ring_of(8), 64 << 10), "");
}

// Unit, crossbar, port, link, port, crossbar, slice: six hops out and six back. The slice gives the request's credit back over
// crossbar, port, link and port, the port at home the response's over link and port.
TEST(InterfaceCalls, AStoreToAPeerIsTwelveHopsAndSixCredits)
{
    EXPECT_EQ(in_timed_child(
                  [] {
                      TwoGpus box;
                      store_to_peer(box);
                      const SocketCalls in = calls_in(sc_core::sc_get_top_level_objects());
                      return std::to_string(in.lines) + " " + std::to_string(in.credits) + " " +
                          past_the_sockets(box.link);
                  },
                  100),
        "12 6 ");
}

// A planted defect: somebody calls the module behind a socket himself.
TEST(InterfaceCalls, AModuleThatIsCalledPastItsSocketIsFound)
{
    const std::string text = after(dgx(), ring_of(8), 64 << 10, [](SwitchBoard& board) {
        LinkModel& link = *board.system.links().front().link;
        Line& line = board.system.pool().take();
        line.begin(LineOp::write, global_address(1, 0), line_bytes);
        dynamic_cast<LineTarget&>(link).on_request(0, line, 0);
    });
    EXPECT_NE(text.find(" transactions carried, "), std::string::npos) << text;
}

// Another: a line takes its way by the sockets, and its credit does not come back by them.
TEST(InterfaceCalls, ACreditThatGoesPastALinkIsFound)
{
    const std::string text = after(dgx(), ring_of(8), 64 << 10, [](SwitchBoard& board) {
        Line& line = board.system.pool().take();
        line.begin(LineOp::write, global_address(1, 0), line_bytes);
        board.system.links().front().ends[0].initiator->send_request(line, 0);
    });
    EXPECT_NE(text.find(" credits due, "), std::string::npos) << text;
    EXPECT_EQ(text.find(" hops, "), std::string::npos) << text;
}

}  // namespace interface_calls_test
