// Room for write-backs: who displaces a dirty line waits while as many as may be are on their way to memory.
#include <algorithm>
#include <deque>

#include "testbenches/sc_models/l2_bench.h"
#include "testbenches/tlm_interconnect/child.h"

namespace l2_write_backs_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr Time us = 1'000'000;

constexpr Time interval = 50'000;  // in which a memory takes a line

// A slice of 16 sets of 4 ways whose 64 lines are all dirty, from 1 us on.
struct DirtyBench : L2Bench {
    explicit DirtyBench(std::uint64_t most, L2Spec spec = small_l2()) : L2Bench(with(spec, most), true, 0, interval)
    {
        for (unsigned line = 0; line < 64; ++line) issue(0, LineOp::write, line);
    }
    static L2Spec with(L2Spec spec, std::uint64_t most)
    {
        spec.outstanding_write_backs = most;
        return spec;
    }
    Time at(std::size_t access) const { return L2Bench::at(64 + access); }
};

// The most writes that waited for their turn at the memory at once.
std::size_t most_waiting(const LineMemory& memory)
{
    std::size_t most = 0;
    Time free_at = 0;
    std::deque<Time> starts;  // of writes
    for (std::size_t i = 0; i < memory.arrivals.size(); ++i) {
        const Time start = std::max(free_at, memory.arrivals[i]);
        free_at = start + interval;
        if (memory.operations[i] != LineOp::write) continue;
        while (!starts.empty() && starts.front() <= memory.arrivals[i]) starts.pop_front();
        starts.push_back(start);
        most = std::max(most, starts.size());
    }
    return most;
}

// Takes a write that comes at once within the call that brings it, and others 100 ns late.
struct PromptMemory : sc_core::sc_module, TimedComponent, LineTarget {
    PromptMemory(sc_core::sc_module_name name, EventQueue& event_queue)
        : sc_module(name), TimedComponent(event_queue, std::string(this->name())), in("in", *this)
    {
    }
    Time on_request(unsigned, Line& line, Time delay) override
    {
        in.return_request_credit(line, delay == 0 ? 0 : delay + 100'000);
        event_queue().schedule(line, *this, event_queue().now() + delay + memory_latency);
        return 0;
    }
    void run(ScheduledItem& item) override
    {
        Line& line = Line::of(item);
        line.set_response_status(tlm::TLM_OK_RESPONSE);
        in.send_response(line, 0);
    }
    LineTargetSocket in;
};

}  // namespace

// None has its turn in the middle of another's: all lines of one set, so that each displaces the one before it.
TEST(L2WriteBacks, AMemoryMayTakeALineInTheCallThatBringsIt)
{
    L2Spec spec = small_l2();
    spec.size = 64;
    spec.ways = 1;
    spec.outstanding_write_backs = 1;
    EventQueue event_queue("event_queue");
    LinePool pool;
    MemoryImage image(true);
    L2Slice slice("slice", event_queue, "slice", spec, 0, image, pool, 3);
    LineIssuer issuer("issuer", event_queue, pool);
    PromptMemory memory("memory", event_queue);
    issuer.out.bind(slice.target);
    slice.memory.bind(memory.in);
    for (unsigned i = 0; i < 20; ++i) issuer.issue(0, LineOp::write, global_address(3, i * 64));
    sc_core::sc_start();
    EXPECT_EQ(pool.live(), 0u);
    // The first has an empty place. What the second displaces is taken late, what the others do at once.
    for (unsigned i = 0; i < 2; ++i) EXPECT_EQ(issuer.done[i].at, 60'000 + i * step);
    for (unsigned i = 2; i < 20; ++i) EXPECT_EQ(issuer.done[i].at, step + 60'000 + 100'000) << i;
    EXPECT_EQ(slice.hops(), 20u + 19u);
}

TEST(L2WriteBacks, WritesRunAtTheRateAtWhichMemoryTakesThem)
{
    DirtyBench bench(2);
    for (unsigned i = 0; i < 20; ++i) bench.issue(us, LineOp::write, 64 + i);
    bench.run();
    // The first line is taken as it comes, at 1.06 us.
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(bench.at(i), us + 60'000 + i * step);
    for (unsigned i = 3; i < 20; ++i) EXPECT_EQ(bench.at(i), us + 60'000 + (i - 2) * interval);
    EXPECT_EQ(bench.statistic("write_backs"), 20);
    EXPECT_EQ(bench.statistic("write_back_waits"), 18);
    EXPECT_EQ(most_waiting(bench.memory), 2u);
}

TEST(L2WriteBacks, WithoutALimitNoneWaits)
{
    DirtyBench bench(0);
    for (unsigned i = 0; i < 20; ++i) bench.issue(us, LineOp::write, 64 + i);
    bench.run();
    for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(bench.at(i), us + 60'000 + i * step);
    EXPECT_EQ(bench.statistic("write_back_waits"), 0);
}

TEST(L2WriteBacks, MissesWaitToo)
{
    DirtyBench bench(1);
    bench.issue(us, LineOp::write, 64);
    bench.issue(us, LineOp::read, 65);
    bench.issue(us, LineOp::read, 66);
    bench.run();
    // Each brings the memory a write-back and a fill: those of the first at 1.061 us, behind the line that came at 1.06.
    EXPECT_EQ(bench.at(1), us + 60'000 + 2 * interval + memory_latency);
    EXPECT_EQ(bench.at(2), us + 60'000 + 4 * interval + memory_latency);
}

TEST(L2WriteBacks, HitsPassWhoWaitsAndCleanVictimsFollow)
{
    DirtyBench bench(1);
    // The four lines of set 2 are clean from here on.
    for (unsigned i = 0; i < 4; ++i) bench.issue((1 + i) * us, LineOp::read, 66 + 16 * i);
    bench.issue(10 * us, LineOp::write, 64);
    bench.issue(10 * us, LineOp::read, 65);
    bench.issue(10 * us, LineOp::read, 5);
    bench.issue(10 * us, LineOp::read, 2);
    bench.run();
    EXPECT_EQ(bench.at(5), 10 * us + 60'000 + 2 * interval + memory_latency);
    EXPECT_EQ(bench.at(6), 10 * us + 60'000 + 2 * step);
    // It displaces a clean line, but needs a tag.
    EXPECT_EQ(bench.at(7), 10 * us + 60'000 + 3 * interval + memory_latency);
    EXPECT_EQ(bench.statistic("write_back_waits"), 2);
}

TEST(L2WriteBacks, AReadDoesNotPassTheWriteOfItsLine)
{
    for (const ContentsPolicy contents : {ContentsPolicy::flat, ContentsPolicy::cached})
        in_child([contents] {
            L2Spec spec = small_l2();
            spec.contents = contents;
            spec.outstanding_write_backs = 1;
            L2Bench bench(spec, true, 0, interval);
            // A set of two dirty lines, used before two clean ones.
            for (unsigned i = 0; i < 4; ++i) bench.issue((1 + i) * us, i < 2 ? LineOp::write : LineOp::read, 16 * i);
            bench.issue(10 * us, LineOp::write, 64);
            Line& write = bench.issue(10 * us, LineOp::write, 80);
            std::fill_n(write.data(), 64, std::uint8_t{9});
            bench.issue(10 * us, LineOp::read, 16);  // what the write would displace; next would be a clean one
            bench.issue(10 * us, LineOp::read, 80);
            bench.run();
            EXPECT_EQ(bench.at(5), 10 * us + 61'000);
            EXPECT_EQ(bench.at(7), 10 * us + 63'000);
            EXPECT_EQ(bench.issuer.done[7].data[0], 9);
            return std::string();
        });
}

TEST(L2WriteBacks, BothSectorsOfATagLeaveAtOnce)
{
    L2Spec spec = small_l2();
    spec.line = 128;
    DirtyBench bench(3, spec);
    for (unsigned i = 0; i < 8; ++i) bench.issue(us, LineOp::write, 64 + 2 * i);
    bench.run();
    // The second finds two on their way, the third four.
    for (unsigned i = 0; i < 2; ++i) EXPECT_EQ(bench.at(i), us + 60'000 + i * step);
    for (unsigned i = 2; i < 8; ++i) EXPECT_EQ(bench.at(i), us + 60'000 + interval + (i - 2) * 2 * interval);
}

// Two partitions have the room of two slices together.
TEST(L2WriteBacks, MirroredPartitionsMoveVictimsFirst)
{
    L2Spec spec = small_l2();
    spec.slices = 2;
    spec.partitions = 2;
    spec.size *= 2;
    spec.bandwidth *= 2;
    spec.outstanding_write_backs = 1;
    L2Bench bench(spec, true, 0, interval);
    // As many dirty lines as both partitions hold together, from one of them; then as many again.
    for (unsigned i = 0; i < 256; ++i) bench.issue(us + 10 * step * i, LineOp::write, i);
    bench.run();
    EXPECT_EQ(bench.statistic("hits"), 256);
    EXPECT_EQ(bench.statistic("write_backs"), 128);
    EXPECT_GT(bench.statistic("write_back_waits"), 100);
    EXPECT_LE(most_waiting(bench.memory), 2u);
    EXPECT_LE(most_waiting(*bench.other_memory), 2u);
}

}  // namespace l2_write_backs_test
