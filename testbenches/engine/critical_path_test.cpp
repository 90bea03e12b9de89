// The critical path of a collective: without gaps, adding up to the picosecond, and moved by what it names.
#include <gtest/gtest.h>

#include "collectives/engine/paths/critical_path.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace critical_path_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Found {
    Time end = 0;
    std::uint64_t signals = 0;
    CauseTimes times{};
    Time of(PathCause cause) const { return times[static_cast<unsigned>(cause)]; }
};

Found path_of(const BoxOptions& options, CollectiveOp op, const std::string& algorithm, std::uint64_t bytes,
    bool logged = true)
{
    const std::string text = in_child([&] {
        GpuBox box(options);
        OperationLog log;
        if (logged) box.executor->set_log(log);
        const auto channels = static_cast<std::uint32_t>(options.engine.channels);
        const Executor::JobId job =
            box.open(schedule_of(op, algorithm, options.gpus, channels), bytes, ElementType::fp32);
        box.enter_all(job);
        box.run();
        EXPECT_TRUE(box.record(job).finished);
        EXPECT_EQ(box.record(job).mismatch, "");
        const Time end = box.record(job).end;
        if (!logged) return std::to_string(end);

        const CriticalPath path = critical_path(log, *box.executor, job);
        Time at = 0;
        std::uint64_t signals = 0;
        std::uint32_t rank = path.segments.empty() ? 0 : path.segments.front().rank;
        CauseTimes sums{};
        for (const PathSegment& segment : path.segments) {
            EXPECT_EQ(segment.begin, at) << "a gap";
            EXPECT_GT(segment.end, segment.begin);
            at = segment.end;
            EXPECT_EQ(segment.rank, rank) << "changes the rank without a signal";
            if (segment.signal) {
                rank = segment.to;
                ++signals;
            }
            Time sum = 0;
            for (unsigned cause = 0; cause < path_causes; ++cause) {
                sum += segment.times[cause];
                sums[cause] += segment.times[cause];
            }
            EXPECT_EQ(sum, segment.end - segment.begin);
        }
        EXPECT_EQ(at, end) << "the path ends with the collective";
        EXPECT_EQ(sums, path.times);
        std::string out = std::to_string(end) + " " + std::to_string(signals);
        for (const Time time : path.times) out += " " + std::to_string(time);
        return out;
    });
    Found found;
    std::size_t used = 0;
    std::size_t place = 0;
    std::vector<std::uint64_t> numbers;
    while (place < text.size()) {
        numbers.push_back(std::stoull(text.substr(place), &used));
        place += used + 1;
    }
    EXPECT_TRUE(logged ? numbers.size() == 2 + path_causes : numbers.size() == 1) << text;
    if (numbers.empty()) return found;
    found.end = numbers[0];
    if (numbers.size() < 2 + path_causes) return found;
    found.signals = numbers[1];
    for (unsigned cause = 0; cause < path_causes; ++cause) found.times[cause] = numbers[2 + cause];
    return found;
}

BoxOptions one_channel(unsigned gpus)
{
    BoxOptions options = box(gpus);
    options.engine.channels = 1;
    return options;
}

}  // namespace

// In a ring of n every step waits for the rank before: 2 (n - 1) signals.
TEST(CriticalPath, OfARingGoesThroughEveryStep)
{
    for (const unsigned n : {2U, 3U, 5U}) {
        const Found found = path_of(one_channel(n), CollectiveOp::all_reduce, "ring", 64 * n);
        EXPECT_EQ(found.signals, 2 * (n - 1)) << n;
    }
}

TEST(CriticalPath, OfDirectHasTwoSteps)
{
    EXPECT_EQ(path_of(one_channel(4), CollectiveOp::all_reduce, "direct", 1024).signals, 2U);
    EXPECT_EQ(path_of(one_channel(4), CollectiveOp::all_gather, "direct", 1024).signals, 1U);
}

// In packets every step waits for the data of the rank before.
TEST(CriticalPath, OfPacketsGoesThroughEveryStep)
{
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128})
        for (const unsigned n : {2U, 3U, 5U}) {
            BoxOptions options = one_channel(n);
            options.engine.protocol = protocol;
            EXPECT_EQ(path_of(options, CollectiveOp::all_reduce, "ring", 64 * n).signals, 2 * (n - 1)) << n;
            EXPECT_EQ(path_of(options, CollectiveOp::all_reduce, "direct", 64 * n).signals, 2U) << n;
            EXPECT_EQ(path_of(options, CollectiveOp::all_gather, "ring", 64 * n).signals, n - 1) << n;
        }
}

// Many instructions of many wavefronts and channels: still without gaps. Where wires are busy the path stays with those who
// fill them, so it may change the rank less often than there are steps.
TEST(CriticalPath, OfLargePacketsAddsUp)
{
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128}) {
        BoxOptions options = box(4);
        options.engine.protocol = protocol;
        EXPECT_GE(path_of(options, CollectiveOp::all_reduce, "ring", 100'000).signals, 1U);
        options.engine.ll128_fence = true;
        EXPECT_GE(path_of(options, CollectiveOp::all_reduce, "ring", 100'000).signals, 1U);
    }
}

// A step is one way over the link in packets; slow looks are flags.
TEST(CriticalPath, OfPacketsNamesItsCauses)
{
    BoxOptions options = one_channel(2);
    options.engine.protocol = Protocol::ll;
    const Found before = path_of(options, CollectiveOp::all_reduce, "ring", 128);
    options.link.latency += 1'000'000;
    const Found longer = path_of(options, CollectiveOp::all_reduce, "ring", 128);
    // The acknowledge that the workgroup ends with is not behind the last packets.
    EXPECT_NEAR(static_cast<double>(longer.of(PathCause::latency) - before.of(PathCause::latency)),
        static_cast<double>(longer.end - before.end), 0.1 * static_cast<double>(longer.end - before.end));
    EXPECT_GE(longer.end - before.end, 2 * Time{1'000'000} - 1000);
    options.link.latency -= 1'000'000;
    options.gpu.spin_interval = 5'000'000;
    const Found slow = path_of(options, CollectiveOp::all_reduce, "ring", 128);
    EXPECT_GT(slow.of(PathCause::flag) - before.of(PathCause::flag), (slow.end - before.end) * 9 / 10);
}

TEST(CriticalPath, FollowingChangesNoTime)
{
    for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128})
        for (const char* algorithm : {"ring", "direct"}) {
            BoxOptions options = box(4);
            options.engine.protocol = protocol;
            EXPECT_EQ(path_of(options, CollectiveOp::all_reduce, algorithm, 40'000).end,
                path_of(options, CollectiveOp::all_reduce, algorithm, 40'000, false).end);
        }
}

// One line a step: what the links take longer is on the path once for each store, acknowledge and signal, and is latency.
TEST(CriticalPath, LatencyOfLinksIsLatency)
{
    BoxOptions options = one_channel(2);
    const Found before = path_of(options, CollectiveOp::all_reduce, "ring", 128);
    options.link.latency += 1'000'000;
    const Found after = path_of(options, CollectiveOp::all_reduce, "ring", 128);
    const Time more = after.end - before.end;
    EXPECT_GE(more, 2 * 3 * Time{1'000'000} - 1000);  // of a later poll
    EXPECT_NEAR(static_cast<double>(after.of(PathCause::latency) - before.of(PathCause::latency)),
        static_cast<double>(more), 0.05 * static_cast<double>(more));
}

TEST(CriticalPath, ANarrowWireIsSerialisation)
{
    BoxOptions options = box(2);
    options.link.bandwidth = 10'000'000'000;
    const Found narrow = path_of(options, CollectiveOp::all_gather, "direct", 1 << 20);
    EXPECT_GT(narrow.of(PathCause::serialisation), narrow.end / 2);
    options.link.bandwidth = 400'000'000'000;
    const Found wide = path_of(options, CollectiveOp::all_gather, "direct", 1 << 20);
    EXPECT_LT(wide.of(PathCause::serialisation), narrow.of(PathCause::serialisation) / 10);
}

// The lines of bulk copies are those of their workgroup; an engine at its rate, or that starts, is the units'.
TEST(CriticalPath, OfBulkCopiesNamesItsCauses)
{
    BoxOptions options = one_channel(2);
    options.engine.mover = Mover::bulk;
    options.link.bandwidth = 10'000'000'000;
    const Found narrow = path_of(options, CollectiveOp::all_gather, "direct", 1 << 20);
    EXPECT_GT(narrow.of(PathCause::serialisation), narrow.end / 2);

    // Each rank stores 512 KiB at itself and at the other.
    options.link.bandwidth = 400'000'000'000;
    options.bulk.rate = 5'000'000'000;
    const Found slow = path_of(options, CollectiveOp::all_gather, "direct", 1 << 20);
    const Time copy = 2 * (std::uint64_t{1} << 19) * 200;
    EXPECT_GT(slow.of(PathCause::compute_units), copy - copy / 1000);
    EXPECT_LT(slow.end, copy + copy / 100);
    // Two workgroups by one engine: each waits for the copies of the other as well.
    options.gpu.compute_units = 1;
    options.engine.channels = 2;
    const Found shared = path_of(options, CollectiveOp::all_gather, "direct", 1 << 20);
    EXPECT_GT(shared.of(PathCause::compute_units), copy - copy / 1000);
    EXPECT_LT(shared.end, copy + copy / 100);
    options.gpu.compute_units = box(2).gpu.compute_units;
    options.engine.channels = 1;

    options.bulk.rate = 400'000'000'000;
    const Found before = path_of(options, CollectiveOp::all_gather, "direct", 128);
    options.bulk.start += 1'000'000;
    const Found late = path_of(options, CollectiveOp::all_gather, "direct", 128);
    EXPECT_EQ(late.end, before.end + 1'000'000);
    EXPECT_EQ(late.of(PathCause::compute_units), before.of(PathCause::compute_units) + 1'000'000);
    options.link.latency += 1'000'000;
    const Found far = path_of(options, CollectiveOp::all_gather, "direct", 128);
    const auto more = static_cast<double>(far.end - late.end);
    EXPECT_GE(more, 3 * 999'000.0);  // store, acknowledge, signal
    EXPECT_NEAR(static_cast<double>(far.of(PathCause::latency) - late.of(PathCause::latency)), more, 0.05 * more);
}

// Few lines in flight and an idle wire: it is the units that hold it up.
TEST(CriticalPath, FewInstructionsInFlightAreTheUnits)
{
    BoxOptions options = one_channel(2);
    options.engine.wavefronts = 1;
    options.engine.unroll = 1;
    const Found few = path_of(options, CollectiveOp::all_gather, "direct", 1 << 18);
    options.engine.wavefronts = 16;
    options.engine.unroll = 8;
    const Found many = path_of(options, CollectiveOp::all_gather, "direct", 1 << 18);
    EXPECT_LT(many.end, few.end);
    const auto share = [](const Found& found) {
        return static_cast<double>(found.of(PathCause::compute_units) + found.of(PathCause::latency)) /
            static_cast<double>(found.end);
    };
    EXPECT_GT(share(few), 0.5);
    EXPECT_LT(share(many), share(few));
}

TEST(CriticalPath, SlowPollsAreFlags)
{
    BoxOptions options = one_channel(2);
    const Found quick = path_of(options, CollectiveOp::all_reduce, "ring", 128);
    options.gpu.spin_interval = 5'000'000;
    const Found slow = path_of(options, CollectiveOp::all_reduce, "ring", 128);
    EXPECT_GT(slow.of(PathCause::flag) - quick.of(PathCause::flag), (slow.end - quick.end) * 9 / 10);
}

TEST(CriticalPath, LaunchIsThePartBeforeTheFirstWorkgroup)
{
    BoxOptions options = one_channel(2);
    options.gpu.launch_latency = 2'000'000;
    EXPECT_EQ(path_of(options, CollectiveOp::all_gather, "direct", 128).of(PathCause::launch), 2'000'000U);
}

}  // namespace critical_path_test
