// What traced lines wait for at a port, to the picosecond.
#include <gtest/gtest.h>

#include "tlm_interconnect/protocol/line_pool.h"
#include "tlm_interconnect/switch/port_meter.h"

namespace port_meter_test {

using namespace weft;

namespace {

// A port whose wire is free when the test says so.
class MeteredPort {
public:
    MeteredPort()
    {
        queues_.lay_out(BufferSpace::of(4, 4), 1, 0);
        meter_.attach(watch_, queues_);
    }
    // `usable`: since when the next credit can be used.
    Line& join(Time now, Time usable)
    {
        Line& line = pool_.take();
        line.begin(LineOp::write, 0, 64).flag(LineHeader::traced_flag);
        line.breakdown().begin(now);
        queues_.push(line, slot(), 0, nullptr);
        meter_.queued(line, slot(), 0, now, [usable](unsigned) { return usable; });
        return line;
    }
    void look(Time now, Time usable)
    {
        meter_.look(queues_, now, [usable](unsigned) { return usable; });
    }
    LatencyBreakdown::Leg leave(Time now, Time usable)
    {
        look(now, usable);
        Line& line = queues_.pop(slot(), 0);
        meter_.leaves(line, LineClass::request, slot(), now);
        meter_.sent(slot(), 0, now, now + 10);
        return line.breakdown().out;
    }
    Time stall() const { return watch_.stall(slot()); }

private:
    unsigned slot() const { return queues_.slot_of(vc_of(VcClass::request, 0)); }

    LinePool pool_;
    ChannelQueues queues_;
    PortWatch watch_;
    PortMeter meter_;
};

}  // namespace

TEST(PortMeter, CreditsAreTheTimeWithoutACreditAndNotTheAgeOfTheLinesOwn)
{
    MeteredPort port;
    port.join(5, 0);
    port.join(5, 0);
    EXPECT_EQ(port.leave(10, 0).credits, 0u);
    // Its own credit came at 8, but one was there all the time.
    const LatencyBreakdown::Leg second = port.leave(20, 8);
    EXPECT_EQ(second.credits, 0u);
    EXPECT_EQ(second.queued, 15u);
    EXPECT_EQ(port.stall(), 0u);
}

TEST(PortMeter, ALineHasTheStallOfItsChannelWhileItWaits)
{
    MeteredPort port;
    port.join(0, 0);
    port.leave(0, 0);
    port.join(2, CreditAccount::no_time);
    port.join(6, CreditAccount::no_time);  // in the middle of the stall
    port.look(10, 14);
    const LatencyBreakdown::Leg first = port.leave(15, 14);
    EXPECT_EQ(first.credits, 12u);  // 2 to 14
    EXPECT_EQ(first.queued, 1u);
    const LatencyBreakdown::Leg second = port.leave(30, 27);
    EXPECT_EQ(second.credits, 8u + 12u);  // 6 to 14, 15 to 27
    EXPECT_EQ(second.queued, 4u);
    EXPECT_EQ(port.stall(), 12u + 12u);
}

// Another channel took the credit of the pool that came at 5.
TEST(PortMeter, ACreditThatAnotherChannelTookWasThere)
{
    MeteredPort port;
    port.join(0, CreditAccount::no_time);
    port.look(10, 5);
    const LatencyBreakdown::Leg line = port.leave(30, 20);
    EXPECT_EQ(line.credits, 5u + 10u);
    EXPECT_EQ(line.queued, 15u);
}

}  // namespace port_meter_test
