// Every parameter of compute units and engine moves the number that it should, by what it should.
#include <gtest/gtest.h>

#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"
#include "tlm_interconnect/link/packetiser.h"

namespace parameters_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t cycle = 1000;  // ps, at the clock of these tests
constexpr std::uint64_t lines = 60;

// One workgroup, 1 GHz, no limit but the issue rate.
BoxOptions plain()
{
    BoxOptions options = box(2);
    options.engine.channels = 1;
    options.engine.unroll = 16;
    options.gpu.clock = 1'000'000'000;
    options.gpu.outstanding = 1024;
    options.gpu.lanes = 4;  // of 16 B: an instruction is a line
    options.gpu.wait_policy = WaitPolicy::waiting_atomic;
    options.l2.slices = 64;  // the lines of these tests never meet in one
    return options;
}

// A whole line that is stored to the own L2, to its acknowledge.
std::uint64_t round_trip(const BoxOptions& options)
{
    return options.gpu.unit_to_l2 + options.l2.latency + options.gpu.l2_to_unit;
}

std::uint64_t write_time(const BoxOptions& options, std::uint64_t count = lines)
{
    return access_time(options, count * 64, true);
}

std::uint64_t wire(const BoxOptions& options, std::uint64_t bytes)
{
    return bytes * 1'000'000'000'000 / options.link.bandwidth;
}

// One way of a store of a whole line, and of the addition to a flag, to the other GPU; and back.
std::uint64_t there(const BoxOptions& options, std::uint64_t bytes)
{
    return options.gpu.unit_to_port + wire(options, bytes) + options.link.latency + options.gpu.port_to_l2 +
        options.l2.latency;
}
std::uint64_t back(const BoxOptions& options)
{
    return options.gpu.l2_to_port + wire(options, 16) + options.link.latency + options.gpu.port_to_unit;
}

// A signal to the other, noticed there.
std::uint64_t met(const BoxOptions& options) { return there(options, 32) + options.gpu.l2_to_unit; }

// A load of a whole line that the other's L2 holds.
std::uint64_t get(const BoxOptions& options)
{
    return there(options, 16) + options.gpu.l2_to_port + wire(options, 80) + options.link.latency +
        options.gpu.port_to_unit;
}

std::uint64_t barrier_time(const BoxOptions& options) { return time_of(options, CollectiveOp::barrier, "direct", 0); }

}  // namespace

TEST(GpuParameters, WritesIssueOnePerCycleAndTakeARoundTrip)
{
    const BoxOptions options = plain();
    EXPECT_EQ(write_time(options), (lines - 1) * cycle + round_trip(options));
    EXPECT_EQ(write_time(options, 1), round_trip(options));
}

TEST(GpuParameters, ReadsOfColdLinesGoToMemory)
{
    const BoxOptions options = plain();
    EXPECT_EQ(access_time(options, lines * 64, false),
        (lines - 1) * cycle + round_trip(options) + idle_read(options.hbm));
}

TEST(GpuParameters, Clock)
{
    BoxOptions options = plain();
    options.gpu.clock *= 2;
    EXPECT_EQ(write_time(options), (lines - 1) * cycle / 2 + round_trip(options));
}

TEST(GpuParameters, RegistersLimitLoads)
{
    BoxOptions options = plain();
    options.engine.wavefronts = options.engine.unroll = 1;
    options.hbm.refresh = RefreshMode::none;
    const std::uint64_t load = round_trip(options) + idle_read(options.hbm);
    const auto read_time = [&] { return access_time(options, lines * 64, false); };
    // One load at a time; two chains, the second a cycle behind the first; the same with two wavefronts.
    EXPECT_EQ(read_time(), lines * load);
    options.engine.unroll = 2;
    EXPECT_EQ(read_time(), lines / 2 * load + cycle);
    options.engine.unroll = 1;
    options.engine.wavefronts = 2;
    EXPECT_EQ(read_time(), lines / 2 * load + cycle);
    // Instructions of four lines: the next one leaves when the last line of the one before is there.
    options.engine.wavefronts = 1;
    options.gpu.lanes = 16;
    EXPECT_EQ(read_time(), lines / 4 * (load + 3 * cycle));
    // Stores need their registers until they have been issued only.
    EXPECT_EQ(write_time(options), (lines - 1) * cycle + round_trip(options));
}

TEST(GpuParameters, CopiesHoldTheirRegistersFromLoadToStore)
{
    BoxOptions options = plain();
    options.engine.wavefronts = options.engine.unroll = 1;
    const std::uint64_t load = round_trip(options) + idle_read(options.hbm);
    // Three lines, each loaded, then stored to both outputs in two cycles; the next load in the third.
    EXPECT_EQ(time_of(options, CollectiveOp::broadcast, "direct", 3 * 64),
        3 * load + 2 * 2 * cycle + cycle + there(options, 80) + back(options) + there(options, 32) + back(options));
}

TEST(GpuParameters, NarrowVectorsMakeMoreRequests)
{
    BoxOptions options = plain();
    options.engine.vector = 8;  // 4 lanes of 8 B: two requests a line
    // The first half of a line fetches it, the second waits for the same fill.
    EXPECT_EQ(write_time(options), (2 * lines - 2) * cycle + round_trip(options) + idle_read(options.hbm));
}

TEST(GpuParameters, RequestsMayCoverTwoLines)
{
    BoxOptions options = plain();
    options.gpu.lanes = 8;
    EXPECT_EQ(write_time(options), (lines - 1) * cycle + round_trip(options));
    options.gpu.coalesce = 128;
    EXPECT_EQ(write_time(options), (lines / 2 - 1) * cycle + round_trip(options));
}

TEST(GpuParameters, BarriersTakeTheirLatency)
{
    BoxOptions options = plain();
    const auto ring = [&] { return time_of(options, CollectiveOp::all_reduce, "ring", 128); };
    const std::uint64_t without = ring();
    options.gpu.barrier_latency = 12'345;
    // Behind the wait; those before signals pass while stores are acknowledged.
    EXPECT_EQ(ring(), without + 12'345);
}

TEST(GpuParameters, Outstanding)
{
    BoxOptions options = plain();
    options.gpu.outstanding = 1;
    EXPECT_EQ(write_time(options), lines * round_trip(options));
    // Of a unit, whatever the number of workgroups on it; two units have two such limits.
    options.engine.channels = 2;
    EXPECT_EQ(write_time(options), lines / 2 * round_trip(options));
    options.gpu.compute_units = 1;
    EXPECT_EQ(write_time(options), lines * round_trip(options));
}

TEST(EngineParameters, ChannelsShareTheLines)
{
    BoxOptions options = plain();
    options.engine.channels = 4;
    EXPECT_EQ(write_time(options), (lines / 4 - 1) * cycle + round_trip(options));
    options.engine.channels = 256;  // more than lines
    EXPECT_EQ(write_time(options), round_trip(options));
}

TEST(GpuParameters, WorkgroupsOnOneUnitShareItsIssueSlots)
{
    BoxOptions options = plain();
    options.engine.channels = 4;
    options.gpu.compute_units = 1;
    EXPECT_EQ(write_time(options), (lines - 1) * cycle + round_trip(options));
    options.gpu.compute_units = 2;
    EXPECT_EQ(write_time(options), (lines / 2 - 1) * cycle + round_trip(options));
}

TEST(GpuParameters, WorkgroupsPerUnit)
{
    BoxOptions options = plain();
    options.engine.channels = 4;
    options.gpu.compute_units = 1;
    options.gpu.workgroups_per_unit = 1;
    EXPECT_EQ(write_time(options), 4 * ((lines / 4 - 1) * cycle + round_trip(options)));
    options.gpu.workgroups_per_unit = 2;
    // The lines of the first, then those of the second; the third takes the place of the first, the fourth the second's.
    EXPECT_EQ(write_time(options), 2 * round_trip(options) + (lines / 2 - 1 + lines / 4 - 1) * cycle);
}

TEST(GpuParameters, WavefrontsPerUnit)
{
    BoxOptions options = plain();
    options.engine.channels = 4;
    options.gpu.compute_units = 1;
    options.gpu.wavefronts_per_unit = 16;  // of one workgroup
    EXPECT_EQ(write_time(options), 4 * ((lines / 4 - 1) * cycle + round_trip(options)));
    options.gpu.wavefronts_per_unit = 31;
    EXPECT_EQ(write_time(options), 4 * ((lines / 4 - 1) * cycle + round_trip(options)));
    options.gpu.wavefronts_per_unit = 64;
    EXPECT_EQ(write_time(options), (lines - 1) * cycle + round_trip(options));
}

TEST(GpuParameters, AnInstructionKeepsTheUnit)
{
    BoxOptions options = plain();
    options.engine.channels = 4;
    options.gpu.compute_units = 1;
    options.gpu.workgroups_per_unit = 2;
    options.gpu.lanes = 64;
    // All 15 lines of the first workgroup, then those of the second; the third takes the place of the first.
    EXPECT_EQ(write_time(options), 2 * round_trip(options) + (29 + 14) * cycle);
}

TEST(GpuParameters, LaunchLatencyIsPaidOnce)
{
    BoxOptions options = plain();
    const std::uint64_t without = barrier_time(options);
    options.gpu.launch_latency = 3'210'000;
    EXPECT_EQ(write_time(options), 3'210'000 + (lines - 1) * cycle + round_trip(options));
    EXPECT_EQ(barrier_time(options), 3'210'000 + without);
}

TEST(GpuParameters, ABarrierIsTheRoundTripOfASignal)
{
    const BoxOptions options = plain();
    EXPECT_EQ(barrier_time(options), there(options, 32) + back(options));
}

TEST(GpuParameters, PathsOfTheFabric)
{
    for (std::uint64_t GpuSpec::*path :
        {&GpuSpec::unit_to_port, &GpuSpec::port_to_l2, &GpuSpec::l2_to_port, &GpuSpec::port_to_unit}) {
        BoxOptions options = plain();
        options.gpu.*path += 12'345;
        EXPECT_EQ(barrier_time(options), barrier_time(plain()) + 12'345);
        EXPECT_EQ(write_time(options), write_time(plain()));
    }
}

TEST(GpuParameters, PathsToTheOwnCache)
{
    for (std::uint64_t GpuSpec::*path : {&GpuSpec::unit_to_l2, &GpuSpec::l2_to_unit}) {
        BoxOptions options = plain();
        options.gpu.*path += 12'345;
        EXPECT_EQ(write_time(options), write_time(plain()) + 12'345);
        EXPECT_EQ(barrier_time(options), barrier_time(plain()));  // the acknowledge of the signal comes last
    }
}

TEST(GpuParameters, OneLinePutIsTheSumOfItsParts)
{
    const BoxOptions options = plain();
    // Read, store to the own output and one cycle later to the other's, acknowledge, signal, acknowledge.
    EXPECT_EQ(time_of(options, CollectiveOp::broadcast, "direct", 64),
        round_trip(options) + idle_read(options.hbm) + cycle + there(options, 80) + back(options) + there(options, 32) +
            back(options));
    // A part of a line carries byte enables (16 B) and only the flits it fills.
    BoxOptions slow = options;
    slow.link.bandwidth = 1'000'000'000;
    EXPECT_EQ(time_of(slow, CollectiveOp::broadcast, "direct", 64) -
            time_of(slow, CollectiveOp::broadcast, "direct", 17),
        wire(slow, 80) - wire(slow, 16 + 32 + 16) - idle_read(options.hbm));
}

TEST(GpuParameters, AStagedOneShotIsTheSumOfItsParts)
{
    const BoxOptions options = plain();
    // The own line to its place and acknowledged, a signal, a load of the other's copy behind that of the own, the sum.
    EXPECT_EQ(time_of(options, CollectiveOp::all_reduce, "one_shot_staged", 64),
        round_trip(options) + idle_read(options.hbm) + round_trip(options) + met(options) + cycle + get(options) +
            round_trip(options));
    // Without the copy; each has loaded its own line when the other's load comes.
    EXPECT_EQ(time_of(options, CollectiveOp::all_reduce, "one_shot_get", 64),
        met(options) + cycle + get(options) + round_trip(options));
}

TEST(GpuParameters, ATwoShotByLoadsIsTheSumOfItsParts)
{
    BoxOptions options = plain();
    const std::uint64_t sum = met(options) + cycle + get(options) + idle_read(options.hbm) + round_trip(options);
    const auto two_shot = [&] { return time_of(options, CollectiveOp::all_reduce, "two_shot_load", 128); };
    EXPECT_EQ(two_shot(), sum + met(options) + cycle + get(options) + round_trip(options));
    // One set of registers: the other's sum is asked for when the own one has been loaded and stored.
    options.engine.wavefronts = options.engine.unroll = 1;
    EXPECT_EQ(two_shot(), sum + met(options) + round_trip(options) + cycle + get(options) + round_trip(options));
    options.engine.unroll = 16;
    // Behind a copy of both lines nothing is cold.
    EXPECT_EQ(time_of(options, CollectiveOp::all_reduce, "two_shot_staged", 128),
        round_trip(options) + idle_read(options.hbm) + cycle + round_trip(options) + sum - idle_read(options.hbm) +
            met(options) + cycle + get(options) + round_trip(options));
}

TEST(GpuParameters, SpinLooksAgainAfterItsInterval)
{
    const auto waiter = [](const BoxOptions& options) {  // when rank 1 sees the signal, and its polls
        return in_child([&] {
            GpuBox box(options);
            const Executor::JobId job =
                box.open(schedule_of(CollectiveOp::broadcast, "direct", 2), 64, ElementType::u8);
            Time seen = 0;
            box.executor->enter(job, 0, nullptr);
            box.executor->enter(job, 1, [&] { seen = box.executor->now(); });
            box.run();
            EXPECT_EQ(box.record(job).mismatch, "");
            return std::to_string(seen) + " " +
                std::to_string(static_cast<int>(box.gpus[1]->units().statistics()[1].value));
        });
    };
    BoxOptions options = plain();
    const std::uint64_t answered = round_trip(options) + idle_read(options.hbm) + cycle + there(options, 80) +
        back(options) + there(options, 32) + options.gpu.l2_to_unit;
    EXPECT_EQ(waiter(options), std::to_string(answered) + " 1");
    options.gpu.wait_policy = WaitPolicy::spin;
    for (const std::uint64_t interval : {1'000u, 20'000u, 100'000u}) {
        options.gpu.spin_interval = interval;
        // Polls leave every round trip + interval; the first whose turn at the slice comes after the
        // signal's.
        const std::uint64_t period = round_trip(options) + interval;
        const std::uint64_t served = answered - options.gpu.l2_to_unit - options.l2.latency;
        const std::uint64_t polls = (served - options.gpu.unit_to_l2 + period - 1) / period + 1;
        EXPECT_EQ(waiter(options),
            std::to_string((polls - 1) * period + round_trip(options)) + " " + std::to_string(polls))
            << interval;
    }
}

TEST(GpuParameters, RooflineFiguresComeFromTheSpecs)
{
    BoxOptions options = plain();
    options.gpu.peak_flops = 123'000'000'000'000;
    options.hbm.bandwidth = 2'000'000'000'000;
    const GpuBox box(options);
    EXPECT_EQ(box.executor->peak_flops(1), 123e12);
    EXPECT_EQ(box.executor->memory_rate(0), 2e12);
}

// With the flag at the one who signals, the wait crosses the link and the signal does not.
TEST(EngineParameters, FlagHomeDecidesWhetherTheSignalOrTheWaitTravels)
{
    BoxOptions options = plain();
    EXPECT_EQ(barrier_time(options), there(options, 32) + back(options));
    options.engine.flag_home = FlagHome::signaller;
    const std::uint64_t asked = wire_bytes(options.link, LineOp::await, 8, LineClass::request);
    const std::uint64_t told = wire_bytes(options.link, LineOp::await, 8, LineClass::response);
    EXPECT_EQ(barrier_time(options),
        cycle + there(options, asked) + back(options) + wire(options, told) - wire(options, 16));
    for (const char* name : {"ring", "direct", "one_shot", "one_shot_get"})
        time_of(options, CollectiveOp::all_reduce, name, 5000);
}

TEST(EngineParameters, ChannelsAMessageIsWorth)
{
    EngineSpec spec;
    EXPECT_EQ(spec.channels_for(1, 36), 36U);
    spec.channel_bytes = 8192;
    EXPECT_EQ(spec.channels_for(0, 36), 1U);
    EXPECT_EQ(spec.channels_for(8192, 36), 1U);
    EXPECT_EQ(spec.channels_for(8193, 36), 2U);
    EXPECT_EQ(spec.channels_for(36 * 8192 - 1, 36), 36U);
    EXPECT_EQ(spec.channels_for(std::uint64_t{1} << 40, 36), 36U);
    EXPECT_EQ(spec.channels_for(std::uint64_t{1} << 40, 1), 1U);
}

}  // namespace parameters_test
