// Schedules on simulated GPUs, and the results in their memories.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"

namespace executor_test {

using namespace weft;
using namespace weft::testing;

namespace {

const CollectiveOp all_ops[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
    CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::barrier, CollectiveOp::reduce,
    CollectiveOp::gather, CollectiveOp::scatter};
const ElementType all_types[] = {ElementType::int32, ElementType::fp32, ElementType::bf16, ElementType::u8};

// Runs every collective with every algorithm, element type and size, one after another, in one box.
void run_everything(const BoxOptions& options, const std::vector<std::uint64_t>& sizes)
{
    GpuBox box(options);
    struct Next {
        std::shared_ptr<const Schedule> schedule;
        std::uint64_t bytes;
        ElementType type;
    };
    std::vector<Next> list;
    for (const CollectiveOp op : all_ops)
        for (const std::string& algorithm : algorithms_without_switch(op)) {
            const auto schedule =
                schedule_of(op, algorithm, options.gpus, static_cast<std::uint32_t>(options.engine.channels));
            for (const ElementType type : all_types)
                for (const std::uint64_t bytes : sizes)
                    list.push_back({schedule, bytes / size_of(type) * size_of(type), type});
        }
    std::size_t started = 0;
    std::uint32_t running = 0;
    const std::function<void()> next = [&] {
        if (running > 0 && --running > 0) return;
        if (started == list.size()) return;
        const Next& one = list[started++];
        const Executor::JobId job = box.open(one.schedule, one.bytes, one.type);
        running = options.gpus;
        for (std::uint32_t rank = 0; rank < options.gpus; ++rank) box.executor->enter(job, rank, next);
    };
    next();
    box.run();
    ASSERT_EQ(box.executor->records().size(), list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        const JobRecord& record = box.record(i);
        const std::string name = record.name + " " + name_of(list[i].type) + " " + std::to_string(record.bytes);
        EXPECT_TRUE(record.finished && record.checked) << name;
        EXPECT_EQ(record.mismatch, "") << name;
        EXPECT_GE(record.end, record.start) << name;
    }
    EXPECT_EQ(box.pool.live(), 0u);
}

// Flips bits of a memory at a given time.
class Vandal : public TimedComponent {
public:
    Vandal(GpuBox& box, unsigned gpu, std::uint64_t address)
        : TimedComponent(box.event_queue, "~vandal"), image_(box.gpus[gpu]->image()), address_(address)
    {
    }
    void strike(Time when) { event_queue().schedule(item_, *this, when); }

private:
    void run(ScheduledItem&) override
    {
        std::uint8_t byte = 0;
        image_.read(address_, &byte, 1);
        byte ^= 0x5a;
        image_.write(address_, &byte, 1);
    }

    MemoryImage& image_;
    std::uint64_t address_;
    ScheduledItem item_;
};

// What the check says of a schedule after `spoil` has changed it; the result must be reported as wrong.
std::string mismatch_of(const std::shared_ptr<Schedule>& schedule, const std::function<void(Schedule&)>& spoil)
{
    spoil(*schedule);
    GpuBox box(weft::testing::box(schedule->size()));
    const Executor::JobId job = box.open(schedule, 4096, ElementType::int32);
    box.enter_all(job);
    box.run();
    EXPECT_TRUE(box.record(job).finished);
    EXPECT_TRUE(box.record(job).checked);
    return box.record(job).mismatch;
}

}  // namespace

TEST(Executor, EverythingOnTwoGpus)
{
    run_everything(box(2), {0, 1, 7, 64, 1000, 4097, test::by_default(20'011, 65'537)});
}

TEST(Executor, EverythingOnFourGpus)
{
    run_everything(box(4), {0, 1, 3, 7, 64, 1000, 4097, test::by_default(10'007, 30'011)});
}

TEST(Executor, EverythingOnThreeGpusWithOneChannelAndNarrowWindows)
{
    BoxOptions options = box(3);
    options.engine.channels = 1;
    options.engine.wavefronts = 3;
    options.engine.unroll = 1;
    options.gpu.outstanding = 2;
    options.link.request_credits = options.link.response_credits = 1;
    options.l2.outstanding_misses = 1;
    run_everything(options, {7, 65, 1001});
}

TEST(Executor, EverythingWithMonitorsAndATinyCache)
{
    BoxOptions options = box(2);
    options.gpu.wait_policy = WaitPolicy::waiting_atomic;
    options.l2 = {};
    options.l2.size = 4096;
    options.l2.ways = 2;
    options.l2.slices = 4;
    options.hbm.channels = 4;
    run_everything(options, {7, 9001});
}

TEST(Executor, EverythingByCopyEngines)
{
    BoxOptions options = box(4);
    options.engine.mover = Mover::copy_engine;
    options.copy.start = 100'000;
    run_everything(options, {0, 1, 7, 64, 1000, 4097});
}

TEST(Executor, EverythingByOneNarrowCopyEngineWithOneQueueForEachChannel)
{
    BoxOptions options = box(3);
    options.engine.mover = Mover::copy_engine;
    options.copy.start = 0;
    options.copy.engines = 1;
    options.copy.queues = options.engine.channels;
    options.copy.in_flight = 1;
    run_everything(options, {7, 65, 1001});
}

TEST(Executor, EverythingByBulkCopies)
{
    BoxOptions options = box(4);
    options.engine.mover = Mover::bulk;
    run_everything(options, {0, 1, 7, 64, 1000, 4097});
}

TEST(Executor, EverythingByNarrowBulkCopiers)
{
    BoxOptions options = box(3);
    options.engine.mover = Mover::bulk;
    options.bulk.queue = options.bulk.in_flight = 1;
    options.bulk.start = 0;
    run_everything(options, {7, 65, 1001});
}

TEST(Executor, MinimumAndMaximumAreReducedToo)
{
    for (const ReduceOp reduction : {ReduceOp::min, ReduceOp::max})
        for (const char* algorithm : {"ring", "direct"})
            in_child([&] {
                GpuBox box(weft::testing::box(4));
                const auto schedule = schedule_of(CollectiveOp::all_reduce, algorithm, 4, 2, reduction);
                const Executor::JobId job = box.open(schedule, 4000, ElementType::fp32);
                box.enter_all(job);
                box.run();
                EXPECT_EQ(box.record(job).mismatch, "") << algorithm << " " << name_of(reduction);
                return std::string();
            });
}

TEST(Executor, ByteCorruptedDuringTheRunIsReported)
{
    // Byte 100 of the input of rank 1, before anybody has read it.
    const auto run = [](Time when) {
        return in_child([&] {
            GpuBox box(weft::testing::box(2));
            Vandal vandal(box, 1, 100);
            const Executor::JobId job =
                box.open(schedule_of(CollectiveOp::all_gather, "direct", 2), 1024, ElementType::u8);
            box.enter_all(job);
            vandal.strike(when);
            box.run();
            EXPECT_TRUE(box.record(job).finished);
            return box.record(job).mismatch;
        });
    };
    EXPECT_EQ(run(0).find("rank 0: output chunk 1, byte 612: expected u8 "), 0u) << run(0);
    EXPECT_EQ(run(5'000'000), "");  // too late to be seen
}

TEST(Executor, WrongSchedulesThatAreWellFormedAreReported)
{
    // The last forwarded chunk of rank 0 is another one.
    EXPECT_EQ(in_child([] {
        return mismatch_of(schedule_of(CollectiveOp::all_gather, "ring", 4), [](Schedule& schedule) {
            std::vector<Step>& steps = schedule.ranks[0].threads[0].steps;
            const auto last = std::find_if(steps.rbegin(), steps.rend(), [](const Step& s) { return is_data(s.kind); });
            last->sources[0].index = 0;
        });
    }).find("rank 1: output chunk 2, byte 2048: expected int32"),
        0u);
    // A rank leaves its own contribution out.
    EXPECT_EQ(in_child([] {
        return mismatch_of(schedule_of(CollectiveOp::reduce_scatter, "ring", 4),
            [](Schedule& schedule) { schedule.ranks[3].threads[0].steps.back().sources.pop_back(); });
    }).find("rank 3: output chunk 0, byte 0: expected int32"),
        0u);
    // Two chunks in each other's place.
    EXPECT_EQ(in_child([] {
        return mismatch_of(schedule_of(CollectiveOp::all_to_all, "direct", 3), [](Schedule& schedule) {
            std::vector<Step>& steps = schedule.ranks[1].threads[0].steps;
            std::swap(steps[0].sources, steps[1].sources);
        });
    }).find("rank 0: output chunk 1, byte "),
        0u);
}

TEST(Executor, ASignalTooEarlyIsSeenInTheData)
{
    // The first step of a ring forwards nothing: the signal stays, the data do not come.
    EXPECT_NE(in_child([] {
        return mismatch_of(schedule_of(CollectiveOp::all_reduce, "ring", 3), [](Schedule& schedule) {
            schedule.ranks[2].threads[0].steps.erase(schedule.ranks[2].threads[0].steps.begin());
        });
    }),
        "");
}

TEST(Executor, DataOnAndOffTakeTheSameTimeToThePicosecond)
{
    for (const CollectiveOp op : all_ops)
        for (const std::string& algorithm : algorithms_without_switch(op)) {
            BoxOptions options = box(3);
            const std::uint64_t with = time_of(options, op, algorithm, 3'007);
            options.data_on = false;
            EXPECT_EQ(with, time_of(options, op, algorithm, 3'007)) << name_of(op) << " " << algorithm;
            options.data_on = true;
            options.seed = 99;
            EXPECT_EQ(with, time_of(options, op, algorithm, 3'007)) << name_of(op) << " " << algorithm;
        }
}

TEST(Executor, SpinAndMonitorMoveTheSameData)
{
    for (const char* algorithm : {"ring", "direct"}) {
        BoxOptions options = box(4);
        const std::uint64_t spin = time_of(options, CollectiveOp::all_reduce, algorithm, 5000, ElementType::fp32);
        options.gpu.wait_policy = WaitPolicy::waiting_atomic;
        const std::uint64_t monitor = time_of(options, CollectiveOp::all_reduce, algorithm, 5000, ElementType::fp32);
        EXPECT_LE(monitor, spin);
    }
}

TEST(Executor, JobsThatOverlapKeepTheirBuffersApart)
{
    GpuBox box(weft::testing::box(4));
    std::vector<Executor::JobId> jobs;
    for (int i = 0; i < 6; ++i) {
        const CollectiveOp op = all_ops[i];
        jobs.push_back(
            box.open(schedule_of(op, "ring", 4, 2), op == CollectiveOp::barrier ? 0 : 8000, ElementType::fp32));
    }
    for (const Executor::JobId job : jobs) box.enter_all(job);
    box.run();
    for (const Executor::JobId job : jobs) {
        EXPECT_TRUE(box.record(job).finished) << box.record(job).name;
        EXPECT_EQ(box.record(job).mismatch, "") << box.record(job).name;
    }
}

TEST(Executor, OneAfterAnotherTheyRunInTheMemoryOfOne)
{
    BoxOptions options = box(2);
    options.hbm.capacity = 1 << 20;
    GpuBox box(options);
    const std::function<void(int)> next = [&](int left) {
        if (left == 0) return;
        const Executor::JobId job =
            box.open(schedule_of(CollectiveOp::all_gather, "direct", 2), 500'000, ElementType::u8);
        box.executor->enter(job, 0, nullptr);
        box.executor->enter(job, 1, nullptr);
        box.executor->on_finished = [&, left](Executor::JobId) {
            box.executor->wait(0, 1'000'000, [&, left] { next(left - 1); });
        };
    };
    next(5);
    box.run();
    EXPECT_EQ(box.executor->records().size(), 5u);
    for (const JobRecord& record : box.executor->records()) EXPECT_EQ(record.mismatch, "");
}

TEST(Executor, BuffersLargerThanTheMemoryAreRefused)
{
    BoxOptions options = box(2);
    options.hbm.capacity = 1 << 20;
    GpuBox box(options);
    try {
        box.open(schedule_of(CollectiveOp::all_reduce, "ring", 2), 1 << 20, ElementType::u8);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("the buffers do not fit into the memory of gpu0 (1 MiB)"),
            std::string::npos)
            << error.what();
    }
    EXPECT_THROW(box.executor->access_memory(0, 0, ~std::uint64_t{0}, false, nullptr), InputError);
    EXPECT_THROW(box.executor->access_memory(0, 0, (1 << 20) + 1, true, nullptr), InputError);
}

TEST(Executor, WaitingBeyondTheEndOfTimeIsRefused)
{
    GpuBox box(weft::testing::box(2));
    bool reached = false;
    std::string text;
    box.executor->wait(0, std::uint64_t{1} << 63, [&] {
        reached = true;
        try {
            box.executor->wait(0, std::uint64_t{1} << 63, nullptr);
        } catch (const InputError& error) {
            text = error.what();
        }
    });
    box.run();
    EXPECT_TRUE(reached);
    EXPECT_NE(text.find("simulated time"), std::string::npos) << text;
}

TEST(Executor, InputErrorsDuringTheRunComeOutAsInputErrors)
{
    GpuBox box(weft::testing::box(2));
    box.executor->wait(0, 1000, [] { throw InputError("trace.0.et", 7, "what is wrong", "what is right"); });
    box.executor->wait(0, 2000, [] { ADD_FAILURE() << "time went on"; });
    box.run();
    try {
        box.executor->rethrow();
        FAIL() << "nothing thrown";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "trace.0.et:7: what is wrong; expected what is right");
    }
}

}  // namespace executor_test
