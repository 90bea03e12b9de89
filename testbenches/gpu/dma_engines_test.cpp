// Copy engines and bulk copy engines: times without load, in flight, queueing, order.
#include <functional>

#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "testbenches/tlm_interconnect/child.h"

namespace dma_engines_test {

using namespace weft;
using weft::testing::in_child;
using weft::testing::TwoGpus;

namespace {

constexpr std::uint64_t far_line = std::uint64_t{1} << endpoint_shift;
const std::uint64_t far_flag = global_address(1, MemoryImage::flag_base);

const GpuSpec g;
const L2Spec l2;
const HbmSpec hbm;
const LinkSpec link_spec;

Time wire(LineOp op, std::uint32_t size, LineClass cls)
{
    return wire_bytes(link_spec, op, size, cls) * 1'000'000'000'000 / link_spec.bandwidth;
}

const Time hit = g.unit_to_l2 + l2.latency + g.l2_to_unit;
const Time cold = hit + idle_read(hbm);
const Time peer_store = g.unit_to_port + wire(LineOp::write, 64, LineClass::request) + link_spec.latency +
    g.port_to_l2 + l2.latency + g.l2_to_port + wire(LineOp::write, 64, LineClass::response) + link_spec.latency +
    g.port_to_unit;
const Time peer_signal = g.unit_to_port + wire(LineOp::atomic, 8, LineClass::request) + link_spec.latency +
    g.port_to_l2 + l2.latency + g.l2_to_port + wire(LineOp::atomic, 8, LineClass::response) + link_spec.latency +
    g.port_to_unit;

struct Pair : TwoGpus {
    Pair(const CopySpec& copy, const BulkSpec& bulk, bool data_on = true)
        : TwoGpus(data_on, g, l2, hbm, link_spec, {}, true, {}, {}, copy, bulk)
    {
    }

    // Brings `bytes` of GPU 0's memory into its L2, and then does what is to be measured.
    void run_warm(std::uint64_t bytes, std::function<void()> then)
    {
        Program program;
        program.add_move({}, {0}, bytes, ElementType::u8, ReduceOp::sum);
        then_ = std::move(then);
        launch(0, program, 8, 2);
        sc_core::sc_start();
    }
    Time took(std::uint64_t token) const { return done[token] - done[0]; }

    void on_workgroup_done(std::uint64_t token) override
    {
        TwoGpus::on_workgroup_done(token);
        if (token == 0 && then_) then_();
    }

private:
    std::function<void()> then_;
};

Program copy_of(std::uint64_t bytes, std::uint64_t source = 0, std::uint64_t destination = far_line)
{
    Program program;
    program.add_move({source}, {destination}, bytes, ElementType::u8, ReduceOp::sum);
    return program;
}

Program bulk_of(std::uint64_t bytes, std::uint64_t source = 0, std::uint64_t destination = far_line)
{
    Program program;
    program.add_bulk(source, {destination}, bytes);
    return program;
}

double statistic(const std::vector<Statistic>& all, const std::string& name)
{
    for (const Statistic& one : all)
        if (one.name == name) return one.value;
    ADD_FAILURE() << "no statistic " << name;
    return 0;
}

std::vector<std::uint8_t> filled(std::size_t bytes)
{
    std::vector<std::uint8_t> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 7 + 3);
    return data;
}

}  // namespace

TEST(DmaEngines, OneWarmLineByEachOfThem)
{
    const CopySpec copy;
    const BulkSpec bulk;
    const Program by_units = copy_of(64);
    const Program by_bulk = bulk_of(64);
    const auto took = [](const std::function<void(Pair&)>& launch) {
        return std::stoull(in_child([&] {
            Pair system({}, {});
            system.run_warm(4096, [&] { launch(system); });
            EXPECT_EQ(system.pool.live(), 0u);
            return std::to_string(system.took(1));
        }));
    };
    EXPECT_EQ(took([&](Pair& system) { system.launch(0, by_units); }), hit + peer_store);
    EXPECT_EQ(took([&](Pair& system) { system.launch_copies(0, by_units); }), copy.start + hit + peer_store);
    EXPECT_EQ(took([&](Pair& system) { system.launch(0, by_bulk); }), bulk.start + hit + peer_store);
}

TEST(DmaEngines, ACopyEngineTakesItsStartAndTheTwoAccesses)
{
    CopySpec copy;
    copy.start = 1'234'567;
    Pair system(copy, {});
    const Program program = copy_of(64);
    system.launch_copies(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], copy.start + cold + peer_store);
    EXPECT_EQ(system.gpus[0]->units().lines(), 0u);
}

TEST(DmaEngines, ABulkCopyTakesItsStartAndTheTwoAccesses)
{
    BulkSpec bulk;
    bulk.start = 76'543;
    Pair system({}, bulk);
    const Program program = bulk_of(64);
    system.launch(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], bulk.start + cold + peer_store);
    EXPECT_EQ(system.gpus[0]->units().lines(), 0u);  // the descriptor takes a slot and is no line
    EXPECT_EQ(statistic(system.gpus[0]->dma_engines().bulk_statistics(), "descriptors"), 1);
}

TEST(DmaEngines, BandwidthIsLinesInFlightOverLatency)
{
    // Lines apart by 6.4 ns meet nowhere; n of them go round in the time of a load and a store.
    const Time round = hit + peer_store;
    for (const std::uint64_t in_flight : {1, 4, 16, 64})
        for (const bool engine : {false, true})
            in_child([&] {
                CopySpec copy;
                BulkSpec bulk;
                copy.in_flight = bulk.in_flight = in_flight;
                copy.rate = bulk.rate = 10'000'000'000;
                Pair system(copy, bulk, false);
                const Program program = engine ? copy_of(16384) : bulk_of(16384);
                system.run_warm(16384, [&] {
                    if (engine) {
                        system.launch_copies(0, program);
                    } else {
                        system.launch(0, program);
                    }
                });
                EXPECT_EQ(system.took(1),
                    (engine ? copy.start : bulk.start) + 256 / in_flight * round + (in_flight - 1) * 6400)
                    << in_flight << (engine ? " engine" : " bulk");
                return std::string();
            });
}

TEST(DmaEngines, BeyondTheKneeTheRateHolds)
{
    for (const std::uint64_t rate : {5'000'000'000ULL, 10'000'000'000ULL})
        in_child([&] {
            CopySpec copy;
            copy.rate = rate;
            Pair system(copy, {}, false);
            const Program program = copy_of(65536);
            system.run_warm(65536, [&] { system.launch_copies(0, program); });
            EXPECT_EQ(system.took(1), copy.start + 1023 * (64'000'000'000'000 / rate) + hit + peer_store);
            return std::string();
        });
}

TEST(DmaEngines, DescriptorsOfAnEngineFollowOneAnother)
{
    const auto second_of = [](std::uint64_t engines, std::uint64_t queues) {
        return std::stoull(in_child([&] {
            CopySpec copy;
            copy.engines = engines;
            copy.queues = queues;
            Pair system(copy, {});
            const Program first = copy_of(64, 0, 1024);
            const Program second = copy_of(64, 128, 1280);
            system.run_warm(4096, [&] {
                system.launch_copies(0, first);
                system.launch_copies(0, second);
            });
            EXPECT_EQ(system.took(1), copy.start + 2 * hit);
            EXPECT_EQ(statistic(system.gpus[0]->dma_engines().copy_statistics(), "time_queued"),
                engines == 1 && queues > 1 ? static_cast<double>(copy.start) : 0.0);
            EXPECT_EQ(statistic(system.gpus[0]->dma_engines().copy_statistics(), "time_lists_queued"),
                queues == 1 ? static_cast<double>(copy.start + 2 * hit) : 0.0);
            return std::to_string(system.took(2));
        }));
    };
    const CopySpec copy;
    EXPECT_EQ(second_of(2, 64), copy.start + 2 * hit);
    EXPECT_EQ(second_of(1, 64), 2 * copy.start + 2 * hit);
    EXPECT_EQ(second_of(1, 1), 2 * (copy.start + 2 * hit));
}

TEST(DmaEngines, BulkCopiesOfAUnitFollowOneAnotherAndAreLimited)
{
    const auto time_with = [](std::uint64_t queue) {
        return std::stoull(in_child([&] {
            BulkSpec bulk;
            bulk.queue = queue;
            Pair system({}, bulk);
            Program program = bulk_of(64);
            program.add_bulk(128, {far_line + 128}, 64);
            system.run_warm(4096, [&] { system.launch(0, program); });
            return std::to_string(system.took(1));
        }));
    };
    const BulkSpec bulk;
    EXPECT_EQ(time_with(2), 2 * bulk.start + hit + peer_store);  // the second comes to the head with the first load
    EXPECT_EQ(time_with(1), 2 * (bulk.start + hit + peer_store));
}

TEST(DmaEngines, DataArriveAtAnyAlignmentAndAtSeveralDestinations)
{
    for (const bool engine : {false, true})
        in_child([&] {
            Pair system({}, {});
            const std::vector<std::uint8_t> sent = filled(1000);
            system.gpus[0]->image().write(13, sent.data(), sent.size());
            Program program;
            if (engine) {
                program.add_move({13}, {far_line + 4096 + 40, 70'001}, sent.size(), ElementType::u8, ReduceOp::sum);
                system.launch_copies(0, program);
            } else {
                program.add_bulk(13, {far_line + 4096 + 40, 70'001}, sent.size());
                system.launch(0, program);
            }
            sc_core::sc_start();
            std::vector<std::uint8_t> got(sent.size());
            system.gpus[1]->image().read(4096 + 40, got.data(), got.size());
            EXPECT_EQ(got, sent);
            system.gpus[0]->image().read(70'001, got.data(), got.size());
            EXPECT_EQ(got, sent);
            EXPECT_EQ(system.pool.live(), 0u);
            EXPECT_EQ(system.checkers.problems(), 0u);
            return std::string();
        });
}

TEST(DmaEngines, AListSignalsWhenItsCopiesAreAcknowledged)
{
    CopySpec copy;
    Pair system(copy, {});
    Program program = copy_of(64);
    program.add_signal(far_flag);
    system.launch_copies(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], copy.start + cold + peer_store + peer_signal);
    EXPECT_EQ(system.gpus[1]->image().flag(MemoryImage::flag_base), 1u);
}

TEST(DmaEngines, AListWaitsByLookingAgainAndAgain)
{
    CopySpec copy;
    copy.poll_interval = 1'000'000;
    Pair system(copy, {});
    Program list;
    list.add_wait(global_address(0, MemoryImage::flag_base), 1);
    list.add_move({0}, {far_line}, 64, ElementType::u8, ReduceOp::sum);
    Program unit;
    unit.add_compute(1'500'000);
    unit.add_signal(global_address(0, MemoryImage::flag_base));
    system.launch_copies(0, list);
    system.launch(0, unit);
    sc_core::sc_start();
    // Looks begin at 0, at hit + interval and at twice that; the last one finds it.
    EXPECT_EQ(system.done[0], 2 * (hit + copy.poll_interval) + hit + copy.start + cold + peer_store);
    EXPECT_EQ(statistic(system.gpus[0]->dma_engines().copy_statistics(), "flag_reads"), 3);
}

TEST(DmaEngines, AListThatWaitsHoldsUpNoOther)
{
    CopySpec copy;
    copy.engines = 1;
    Pair system(copy, {});
    Program waiting;
    waiting.add_wait(global_address(0, MemoryImage::flag_base), 1);
    Program releasing = copy_of(64);
    releasing.add_signal(global_address(0, MemoryImage::flag_base));
    system.launch_copies(0, waiting);
    system.launch_copies(0, releasing);
    sc_core::sc_start();
    EXPECT_FALSE(system.gpus[0]->cannot_progress());
    EXPECT_GT(system.done[0], copy.start);
}

TEST(DmaEngines, AFenceInAListWaitsForWhatItCopied)
{
    CopySpec copy;
    Pair system(copy, {});
    const std::vector<std::uint8_t> sent = filled(64);
    system.gpus[0]->image().write(0, sent.data(), 64);
    Program program = copy_of(64, 0, 4096);
    program.add_fence(Scope::system);
    program.add_move({4096}, {far_line}, 64, ElementType::u8, ReduceOp::sum);
    system.launch_copies(0, program);
    sc_core::sc_start();
    std::vector<std::uint8_t> got(64);
    system.gpus[1]->image().read(0, got.data(), 64);
    EXPECT_EQ(got, sent);
    EXPECT_EQ(system.done[0], 2 * copy.start + cold + hit + hit + peer_store);
}

TEST(DmaEngines, AListThatWaitsForNothingIsFoundOut)
{
    Pair system({}, {});
    Program list;
    list.add_wait(global_address(1, MemoryImage::flag_base), 1, 42);
    system.launch_copies(1, list);
    sc_core::sc_start();
    EXPECT_TRUE(system.gpus[1]->cannot_progress());
    const auto blocked = system.gpus[1]->blocked_workgroups();
    ASSERT_EQ(blocked.size(), 1u);
    EXPECT_EQ(blocked[0].label, 42u);
    EXPECT_EQ(blocked[0].value, 1u);
}

TEST(DmaEngines, ASignalFollowsABulkCopyOnlyBehindItsWait)
{
    // What a reader finds in the last word of the copy once it has seen the flag.
    const auto found = [](bool wait) {
        return std::stoull(in_child([&] {
            Pair system({}, {});
            const std::uint64_t value = 4711;
            system.gpus[0]->image().write(4096 - 8, reinterpret_cast<const std::uint8_t*>(&value), 8);
            Program writer = bulk_of(4096);
            if (wait) writer.add_bulk_wait();
            writer.add_signal(far_flag);
            Program reader;
            reader.add_wait(far_flag, 1);
            reader.add_load(far_line + 4096 - 8, 0);
            std::uint64_t result = 99;
            system.launch(0, writer);
            system.launch(1, reader, 1, 1, &result);
            sc_core::sc_start();
            return std::to_string(result);
        }));
    };
    EXPECT_EQ(found(true), 4711u);
    EXPECT_EQ(found(false), 0u);
}

TEST(DmaEngines, AWorkgroupComputesWhileItsBulkCopyRuns)
{
    BulkSpec bulk;
    Pair system({}, bulk);
    Program program = bulk_of(64);
    program.add_compute(5'000'000);
    program.add_bulk_wait();
    system.launch(0, program);
    sc_core::sc_start();
    EXPECT_EQ(system.done[0], 5'000'000u);
}

}  // namespace dma_engines_test
