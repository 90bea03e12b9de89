// Ways to wait for a flag: what they read meanwhile, when they notice, what they miss.
#include <gtest/gtest.h>

#include "testbenches/gpu/two_gpus.h"
#include "tlm_interconnect/link/packetiser.h"
#include "testbenches/tlm_interconnect/child.h"

namespace waiting_test {

using namespace weft;
using namespace weft::testing;

namespace {

const std::uint64_t flag = global_address(1, MemoryImage::flag_base);
const GpuSpec gpu;
const L2Spec l2;

// On GPU 1, as seen by the units: a request's way to the slice, and the whole round trip.
const Time round_trip = gpu.unit_to_l2 + l2.latency + gpu.l2_to_unit;

struct Outcome {
    Time noticed = 0;
    unsigned reads = 0;
};

// A workgroup of GPU 1 waits from 0 on; another one of it signals after `after`.
Outcome wait_for(WaitPolicy policy, Time after, GpuSpec spec = {}, L2Spec cache = {})
{
    const std::string text = in_child([=]() mutable {
        spec.wait_policy = policy;
        TwoGpus system(true, spec, cache);
        Program waiter;
        waiter.add_wait(flag, 1);
        Program sender;
        sender.add_compute(after);
        sender.add_signal(flag);
        system.launch(1, waiter);
        system.launch(1, sender);
        sc_core::sc_start();
        EXPECT_EQ(system.pool.live(), 0u);
        EXPECT_FALSE(system.gpus[1]->units().cannot_progress());
        return std::to_string(system.done[0]) + " " +
            std::to_string(static_cast<unsigned>(system.gpus[1]->units().statistics()[1].value));
    });
    return {std::stoull(text), static_cast<unsigned>(std::stoul(text.substr(text.find(' ') + 1)))};
}

// When the addition is performed: its turn at the slice.
Time performed(Time after) { return after + gpu.unit_to_l2; }

constexpr Time us = 1'000'000;

}  // namespace

TEST(Waiting, ReadsOfASpinGrowWithTheWait)
{
    const Time period = round_trip + gpu.spin_interval;
    for (const Time after : {1 * us, 10 * us, 20 * us, 40 * us}) {
        const Outcome outcome = wait_for(WaitPolicy::spin, after);
        const Time polls = (performed(after) - gpu.unit_to_l2 + period - 1) / period + 1;
        EXPECT_EQ(outcome.reads, polls);
        EXPECT_EQ(outcome.noticed, (polls - 1) * period + round_trip);
    }
}

TEST(Waiting, ReadsOfABackOffGrowWithItsLogarithmUpToTheLimit)
{
    GpuSpec spec;
    spec.backoff_limit = 160'000;
    for (const Time after : {1 * us, 10 * us, 40 * us}) {
        Time issued = 0;
        unsigned polls = 1;
        for (Time interval = gpu.spin_interval; issued < performed(after) - gpu.unit_to_l2; ++polls) {
            issued += round_trip + interval;
            interval = std::min<Time>(2 * interval, spec.backoff_limit);
        }
        const Outcome outcome = wait_for(WaitPolicy::backoff, after, spec);
        EXPECT_EQ(outcome.reads, polls);
        EXPECT_EQ(outcome.noticed, issued + round_trip);
    }
}

TEST(Waiting, AMonitorReadsAFixedNumberOfTimes)
{
    L2Spec cache;
    cache.monitor_timeout = 0;
    for (const Time after : {1 * us, 10 * us, 40 * us}) {
        const Outcome outcome = wait_for(WaitPolicy::monitor, after, {}, cache);
        EXPECT_EQ(outcome.reads, 3u);  // a look, the request, a look
        EXPECT_EQ(outcome.noticed, performed(after) + l2.latency + gpu.l2_to_unit + round_trip);
    }
}

TEST(Waiting, AWaitingAtomicIsOneRequest)
{
    for (const Time after : {1 * us, 10 * us, 40 * us}) {
        const Outcome outcome = wait_for(WaitPolicy::waiting_atomic, after);
        EXPECT_EQ(outcome.reads, 1u);
        EXPECT_EQ(outcome.noticed, performed(after) + l2.latency + gpu.l2_to_unit);
    }
}

// The look finds 0 at unit_to_l2; the request comes a round trip later. What changes between is missed.
TEST(Waiting, AMonitorMissesAChangeBeforeItIsSetAndFindsItWhenItsTimeIsOver)
{
    L2Spec cache;
    cache.monitor_timeout = 5 * us;
    for (const Time after : {Time{1'000}, Time{50'000}, round_trip - 1}) {
        const Outcome outcome = wait_for(WaitPolicy::monitor, after, {}, cache);
        const Time set = round_trip + gpu.unit_to_l2;
        EXPECT_EQ(outcome.noticed, set + cache.monitor_timeout + gpu.l2_to_unit + round_trip);
    }
    // A change right behind it is not missed.
    constexpr Time later = 1'000;  // than the slice is busy with the request
    EXPECT_EQ(wait_for(WaitPolicy::monitor, round_trip + later, {}, cache).noticed,
        performed(round_trip + later) + l2.latency + gpu.l2_to_unit + round_trip);
}

TEST(Waiting, AMissedChangeWithoutATimeOutIsFoundOut)
{
    GpuSpec spec;
    spec.wait_policy = WaitPolicy::monitor;
    L2Spec cache;
    cache.monitor_timeout = 0;
    TwoGpus system(true, spec, cache);
    Program waiter;
    waiter.add_wait(flag, 1, 42);
    Program sender;
    sender.add_compute(50'000);
    sender.add_signal(flag);
    system.launch(1, waiter);
    system.launch(1, sender);
    sc_core::sc_start();
    ASSERT_EQ(system.gpus[1]->units().blocked().size(), 1u);
    EXPECT_EQ(system.gpus[1]->units().blocked()[0].label, 42u);
}

TEST(Waiting, AWaitingAtomicMissesNothing)
{
    for (Time after = 7'000; after < 2 * round_trip; after += 7'000)
        EXPECT_EQ(wait_for(WaitPolicy::waiting_atomic, after).noticed,
            std::max(performed(after), gpu.unit_to_l2) + l2.latency + gpu.l2_to_unit);
}

namespace {

// When each of `waiters` workgroups of GPU 1 notices; signals at 1, 2, 3 ... us.
std::vector<Time> noticed(unsigned waiters, unsigned signals, const L2Spec& cache)
{
    GpuSpec spec;
    spec.wait_policy = WaitPolicy::waiting_atomic;
    TwoGpus system(true, spec, cache);
    Program waiter;
    waiter.add_wait(flag, 1);
    Program sender;
    for (unsigned i = 0; i < signals; ++i) {
        sender.add_compute(us);
        sender.add_signal(flag);
    }
    for (unsigned i = 0; i < waiters; ++i) system.launch(1, waiter);
    system.launch(1, sender);
    sc_core::sc_start();
    return {system.done.begin(), system.done.begin() + waiters};
}

const Time answer = l2.latency + gpu.l2_to_unit;

}  // namespace

TEST(Waking, AllThatAreDue)
{
    const Time at = performed(us) + answer;
    EXPECT_EQ(noticed(3, 1, {}), (std::vector<Time>{at, at, at}));
}

TEST(Waking, OneAfterTheOther)
{
    L2Spec cache;
    cache.wake = WakePolicy::one;
    EXPECT_EQ(noticed(3, 3, cache),
        (std::vector<Time>{performed(us) + answer, performed(2 * us) + answer, performed(3 * us) + answer}));
}

TEST(Waking, BeyondTheTableTakesTheTimeOfTheLog)
{
    L2Spec cache;
    cache.monitors = 1;
    cache.monitor_log_latency = 300'000;
    const Time at = performed(us) + answer;
    EXPECT_EQ(noticed(3, 1, cache), (std::vector<Time>{at, at + 300'000, at + 300'000}));
}

namespace {

const LinkSpec wire;

Time wire_time(LineOp op, LineClass cls)
{
    return wire_bytes(wire, op, 8, cls) * 1'000'000'000'000 / wire.bandwidth + wire.latency;
}
// A look at the other GPU's flag: to its slice, and the whole way.
Time there(LineOp op) { return gpu.unit_to_port + wire_time(op, LineClass::request) + gpu.port_to_l2; }
Time far_trip(LineOp op)
{
    return there(op) + l2.latency + gpu.l2_to_port + wire_time(op, LineClass::response) + gpu.port_to_unit;
}

struct FarOutcome {
    Time noticed = 0;
    std::uint64_t reads = 0;          // issued
    std::uint64_t request_lines = 0;  // on the link
    std::uint64_t request_bytes = 0;
    std::uint64_t answer_bytes = 0;
    std::uint64_t at_home = 0;    // looks that the slices of the flag's GPU served
    std::uint64_t elsewhere = 0;  // those of the waiter's, and in the wrong direction
};

std::uint64_t named(const std::vector<Statistic>& statistics, const std::string& name)
{
    for (const Statistic& statistic : statistics)
        if (statistic.name == name) return static_cast<std::uint64_t>(statistic.value);
    ADD_FAILURE() << "no " << name;
    return 0;
}

// A workgroup of GPU 0 waits for a flag of GPU 1, which one there signals after `after`.
FarOutcome wait_far(WaitPolicy policy, Time after, L2Spec cache = {})
{
    const std::string text = in_child([=] {
        GpuSpec spec;
        spec.wait_policy = policy;
        TwoGpus system(true, spec, cache, {}, wire);
        Program waiter;
        waiter.add_wait(flag, 1);
        Program sender;
        sender.add_compute(after);
        sender.add_signal(flag);
        system.launch(0, waiter);
        system.launch(1, sender);
        sc_core::sc_start();
        EXPECT_EQ(system.pool.live(), 0u);
        const LinkModel::Direction out = system.link.direction(0);
        const LinkModel::Direction back = system.link.direction(1);
        std::string list = std::to_string(system.done[0]);
        for (const std::uint64_t value : {named(system.gpus[0]->units().statistics(), "flag_reads"), out.flag_reads,
                 out.flag_bytes, back.flag_bytes, named(system.gpus[1]->l2_statistics(), "flag_reads"),
                 back.flag_reads + named(system.gpus[0]->l2_statistics(), "flag_reads")})
            list += " " + std::to_string(value);
        EXPECT_EQ(out.wire_bytes, out.flag_bytes);  // nothing else travels
        EXPECT_EQ(back.wire_bytes, back.flag_bytes);
        return list;
    });
    FarOutcome out;
    std::istringstream(text) >> out.noticed >> out.reads >> out.request_lines >> out.request_bytes >>
        out.answer_bytes >> out.at_home >> out.elsewhere;
    return out;
}

}  // namespace

TEST(FarFlag, LooksAreCountedOnTheLinkAndAtTheHomeSlice)
{
    const Time period = far_trip(LineOp::read) + gpu.spin_interval;
    for (const Time after : {1 * us, 10 * us, 40 * us}) {
        const FarOutcome spin = wait_far(WaitPolicy::spin, after);
        const Time polls = (performed(after) - there(LineOp::read) + period - 1) / period + 1;
        EXPECT_EQ(spin.reads, polls);
        EXPECT_EQ(spin.noticed, (polls - 1) * period + far_trip(LineOp::read));
        const FarOutcome atomic = wait_far(WaitPolicy::waiting_atomic, after);
        EXPECT_EQ(atomic.reads, 1u);
        EXPECT_EQ(atomic.noticed, performed(after) + far_trip(LineOp::await) - there(LineOp::await));
        for (const auto& [outcome, op] : {std::pair(spin, LineOp::read), std::pair(atomic, LineOp::await)}) {
            EXPECT_EQ(outcome.request_lines, outcome.reads);
            EXPECT_EQ(outcome.at_home, outcome.reads);
            EXPECT_EQ(outcome.elsewhere, 0u);
            EXPECT_EQ(outcome.request_bytes, outcome.reads * wire_bytes(wire, op, 8, LineClass::request));
            EXPECT_EQ(outcome.answer_bytes, outcome.reads * wire_bytes(wire, op, 8, LineClass::response));
        }
    }
}

TEST(FarFlag, AMonitorLooksThreeTimesHoweverLongItTakes)
{
    L2Spec cache;
    cache.monitor_timeout = 0;
    for (const Time after : {2 * us, 10 * us, 40 * us}) {
        const FarOutcome outcome = wait_far(WaitPolicy::monitor, after, cache);
        EXPECT_EQ(outcome.reads, 3u);
        EXPECT_EQ(outcome.request_lines, 3u);
        EXPECT_EQ(outcome.at_home, 3u);
    }
}

// The window between look and request is a whole trip over the link.
TEST(FarFlag, AMonitorMissesWhatHappensDuringATripAndTheWaitingAtomicDoesNot)
{
    L2Spec cache;
    cache.monitor_timeout = 5 * us;
    const Time looked = there(LineOp::read);
    const Time set = far_trip(LineOp::read) + there(LineOp::monitor);
    for (const Time at : {looked + 2'000, (looked + set) / 2, set - 2'000}) {
        const FarOutcome monitor = wait_far(WaitPolicy::monitor, at - gpu.unit_to_l2, cache);
        EXPECT_GT(monitor.noticed, set + cache.monitor_timeout);
        EXPECT_EQ(monitor.reads, 3u);
        const FarOutcome atomic = wait_far(WaitPolicy::waiting_atomic, at - gpu.unit_to_l2, cache);
        EXPECT_EQ(atomic.noticed, at + far_trip(LineOp::await) - there(LineOp::await));
    }
}

// Requests and answers take turns at a port, or a request waits behind what came before it.
TEST(PortArbiter, ARequestPassesWaitingDataOrWaitsItsTurn)
{
    constexpr Time issued = 200'000;
    constexpr unsigned stores = 256;
    const auto noticed = [](ArbiterKind kind) {
        return std::stoull(in_child([kind] {
            GpuSpec spec;
            spec.wait_policy = WaitPolicy::waiting_atomic;
            spec.port_arbiter = kind;
            L2Spec cache;
            cache.bandwidth = 1'000'000'000'000'000;
            TwoGpus system(false, spec, cache, {}, wire);
            Program writer;
            writer.add_move({}, {global_address(1, 0)}, stores * line_bytes, ElementType::u8, ReduceOp::sum);
            Program sender;
            sender.add_compute(issued);
            sender.add_signal(flag);
            Program waiter;
            waiter.add_wait(flag, 1);
            system.launch(1, waiter);
            system.launch(0, writer, 16, 2);
            system.launch(0, sender);
            sc_core::sc_start();
            return std::to_string(system.done[0]);
        }));
    };
    const Time slot = 80 * 1'000'000'000'000 / wire.bandwidth;
    const auto from_port = [&](Time left) {
        return left + wire_time(LineOp::atomic, LineClass::request) + gpu.port_to_l2 + l2.latency + gpu.l2_to_unit;
    };
    EXPECT_EQ(noticed(ArbiterKind::round_robin), from_port(gpu.unit_to_port + (issued + slot - 1) / slot * slot));
    EXPECT_EQ(noticed(ArbiterKind::arrival), from_port(gpu.unit_to_port + stores * slot));
}

// Many signals and many stores wait at one port: both kinds pass in the ratio of their weights.
TEST(PortArbiter, WeightsDecideHowSoonSignalsPassWaitingStores)
{
    const auto noticed = [](std::uint64_t control, std::uint64_t data) {
        return std::stoull(in_child([control, data] {
            GpuSpec spec;
            spec.wait_policy = WaitPolicy::waiting_atomic;
            spec.port_arbiter = ArbiterKind::weighted;
            spec.port_control_weight = control;
            spec.port_data_weight = data;
            L2Spec cache;
            cache.bandwidth = 1'000'000'000'000'000;
            TwoGpus system(false, spec, cache, {}, wire);
            Program writer;
            writer.add_move({}, {global_address(1, 0)}, 1024 * line_bytes, ElementType::u8, ReduceOp::sum);
            Program sender;
            sender.add_compute(200'000);
            for (unsigned i = 0; i < 64; ++i) sender.add_signal(flag);
            Program waiter;
            waiter.add_wait(flag, 64);
            system.launch(1, waiter);
            system.launch(0, writer, 16, 2);
            system.launch(0, sender);
            sc_core::sc_start();
            return std::to_string(system.done[0]);
        }));
    };
    const std::uint64_t equal = noticed(1, 1);
    const std::uint64_t data_first = noticed(1, 4);
    const Time store = 80 * 1'000'000'000'000 / wire.bandwidth;
    // Of 64 signals each but the first waits for one store more, or four.
    EXPECT_EQ(data_first - equal, 63 * 3 * store);
    EXPECT_LE(noticed(4, 1), equal);
}

}  // namespace waiting_test
