// Port channels: a put and a signal as requests to a proxy, to the picosecond; collectives through them; what contradicts.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "gpu/copies/port_proxy.h"
#include "testbenches/engine/gpu_box.h"
#include "testbenches/tlm_interconnect/child.h"

namespace port_channel_test {

using namespace weft;
using namespace weft::testing;

namespace {

// One channel at 1 GHz, memory without refreshes, flags that are noticed at once.
BoxOptions plain(EngineChannel channel)
{
    BoxOptions options = box(2);
    options.engine.channels = 1;
    options.engine.channel = channel;
    options.gpu.clock = 1'000'000'000;
    options.gpu.wait_policy = WaitPolicy::waiting_atomic;
    options.hbm.refresh = RefreshMode::none;
    return options;
}

std::uint64_t time_of_put(const BoxOptions& options, std::uint64_t bytes = 64)
{
    return std::stoull("0" + in_child([&] {
        GpuBox box(options);
        const Executor::JobId job = box.open(std::make_shared<Schedule>(lone_put()), bytes, ElementType::u8);
        box.enter_all(job);
        box.run();
        EXPECT_TRUE(box.record(job).finished);
        EXPECT_EQ(box.record(job).mismatch, "");
        return std::to_string(box.record(job).end);
    }));
}

// The parts of a put of one line, and of its signal.
struct Parts {
    explicit Parts(const BoxOptions& options)
    {
        const auto wire = [&](std::uint64_t bytes) { return bytes * 1'000'000'000'000 / options.link.bandwidth; };
        const GpuSpec& g = options.gpu;
        const auto there = [&](std::uint64_t bytes) {
            return g.unit_to_port + wire(bytes) + options.link.latency + g.port_to_l2 + options.l2.latency;
        };
        const std::uint64_t back = g.l2_to_port + wire(16) + options.link.latency + g.port_to_unit;
        load = g.unit_to_l2 + options.l2.latency + g.l2_to_unit + idle_read(options.hbm);
        put = there(80) + back;
        signal = there(32) + back;
    }

    std::uint64_t load = 0;
    std::uint64_t put = 0;     // with its acknowledge
    std::uint64_t signal = 0;  // likewise
};

}  // namespace

TEST(PortProxy, LooksAgainAndAgainAndTakesOneRequestAtATime)
{
    CopySpec spec;
    spec.request_latency = 700;
    spec.proxy_poll = 100;
    spec.proxy_service = 1000;
    PortProxy proxy(spec);
    EXPECT_EQ(proxy.handed_on(50), 800u + 1000);     // there at 750, found at 800
    EXPECT_EQ(proxy.handed_on(60), 1800u + 1000);    // there at 760, found when the first is done
    EXPECT_EQ(proxy.handed_on(2801), 3600u + 1000);  // there at 3501: looks at 2800, 2900, ...
    EXPECT_EQ(proxy.handed_on(3900), 4600u + 1000);  // there at 4600, when the third is done
    EXPECT_EQ(proxy.requests(), 4u);
    EXPECT_EQ(proxy.queued(), 50u + 1040 + 99 + 0);
}

// A put and its signal, one after the other: by a unit, by a quick proxy, by a slow one.
TEST(PortChannel, APutTakesTheSumOfItsParts)
{
    const Parts parts(plain(EngineChannel::port));
    EXPECT_EQ(time_of_put(plain(EngineChannel::memory)), parts.load + parts.put + parts.signal);
    BoxOptions options = plain(EngineChannel::port);
    options.copy.proxy_service = 100'000;
    const CopySpec& copy = options.copy;
    ASSERT_EQ(copy.request_latency % copy.proxy_poll, 0u);
    // The copy engine has the signal long before it has done the copy.
    EXPECT_EQ(time_of_put(options),
        copy.request_latency + copy.proxy_service + copy.start + parts.load + parts.put + parts.signal);
    // The proxy has done with the copy long before it has done with the signal.
    options.copy.proxy_service = 6'000'000;
    EXPECT_EQ(time_of_put(options), copy.request_latency + 2 * copy.proxy_service + parts.signal);
}

TEST(PortChannel, EveryParameterMovesItsPart)
{
    BoxOptions options = plain(EngineChannel::port);
    options.copy.proxy_service = 100'000;
    const std::uint64_t before = time_of_put(options);
    options.copy.request_latency += 1'000'000;
    EXPECT_EQ(time_of_put(options), before + 1'000'000);
    options.copy.start += 300'000;
    EXPECT_EQ(time_of_put(options), before + 1'300'000);
    options.copy.proxy_service += 50'000;
    EXPECT_EQ(time_of_put(options), before + 1'350'000);
    // Looks at 0, 900 ns, 1.8 us: the request of 1.7 us waits 100 ns.
    options.copy.proxy_poll = 900'000;
    EXPECT_EQ(time_of_put(options), before + 1'450'000);
    options.gpu.fence_latency = 500'000;  // nothing to wait for but what the port does
    EXPECT_EQ(time_of_put(options), before + 1'450'000);
}

// Every channel of a rank has a request for its put, to all peers at once, and one for the signal to each peer. The proxy takes
// them one after the other; only the last signal stands behind the last of them.
TEST(PortChannel, RequestsOfAllChannelsGoOneAfterTheOther)
{
    BoxOptions options = plain(EngineChannel::port);
    options.gpus = 4;
    options.gpu.wait_policy = WaitPolicy::waiting_atomic;
    const Parts parts(options);
    const CopySpec& copy = options.copy;
    for (const std::uint64_t channels : {1, 2, 8, 32}) {
        options.engine.channels = channels;
        EXPECT_EQ(time_of(options, CollectiveOp::all_gather, "direct", 4 * 64 * channels),
            copy.request_latency + channels * (1 + 3) * copy.proxy_service + parts.signal)
            << channels;
    }
}

// MSCCL++'s tutorials, two GPUs, 1 KiB both ways with a signal: 20.49 us by port channels, 6.5 us by memory channels.
TEST(PortChannel, CostsWhatTheTutorialsMeasured)
{
    BoxOptions options = box(2);
    options.engine.channels = 1;
    const auto time = [&](EngineChannel channel) {
        options.engine.channel = channel;
        return static_cast<double>(time_of(options, CollectiveOp::all_to_all, "direct", 2048));
    };
    EXPECT_NEAR(time(EngineChannel::port) - time(EngineChannel::memory), 13.99e6, 0.3e6);
}

TEST(PortChannel, CollectivesEndRight)
{
    for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::all_to_all,
             CollectiveOp::broadcast, CollectiveOp::barrier})
        for (const std::string& algorithm : algorithms_without_switch(op)) {
            BoxOptions options = box(4);
            options.engine.channels = 2;
            options.engine.channel = EngineChannel::port;
            options.copy.queues = 1;  // lists of ports need no place
            EXPECT_GT(time_of(options, op, algorithm, op == CollectiveOp::barrier ? 0 : 40'000, ElementType::bf16), 0u)
                << name_of(op) << " " << algorithm;
        }
}

TEST(PortChannel, TimesAreTheSameWithoutData)
{
    BoxOptions options = box(3);
    options.engine.channel = EngineChannel::port;
    const std::uint64_t with = time_of(options, CollectiveOp::all_reduce, "ring", 50'000);
    options.data_on = false;
    EXPECT_EQ(time_of(options, CollectiveOp::all_reduce, "ring", 50'000), with);
}

TEST(PortChannel, IsWhatAPlanNamesUnlessTheRunSaysOtherwise)
{
    Schedule named = lone_put();
    for (Step& step : named.ranks[0].threads[0].steps) step.channel = StepChannel::port;
    const auto time = [&](EngineChannel channel) {
        return std::stoull("0" + in_child([&] {
            GpuBox box(plain(channel));
            const Executor::JobId job = box.open(std::make_shared<Schedule>(named), 64, ElementType::u8);
            box.enter_all(job);
            box.run();
            return std::to_string(box.record(job).end);
        }));
    };
    EXPECT_EQ(time(EngineChannel::any), time_of_put(plain(EngineChannel::port)));
    EXPECT_EQ(time(EngineChannel::port), time_of_put(plain(EngineChannel::port)));
    EXPECT_EQ(time(EngineChannel::memory), time_of_put(plain(EngineChannel::memory)));
    EXPECT_EQ(time_of_put(plain(EngineChannel::any)), time_of_put(plain(EngineChannel::memory)));
}

// What units overwrite is flushed first: the put has read it then.
TEST(PortChannel, UnitsDoNotOverwriteWhatAPutStillReads)
{
    Schedule schedule = lone_put();
    schedule.op = CollectiveOp::custom;
    for (RankPlan& plan : schedule.ranks) plan.scratch_chunks = 1;
    std::vector<Step>& steps = schedule.ranks[0].threads[0].steps;
    const ChunkRef slot{0, Buffer::scratch, 0};
    steps.insert(steps.begin(), move_step({{0, Buffer::input, 0}}, {slot}));
    steps[1].sources = {slot};
    steps.insert(steps.begin() + 2, move_step({{0, Buffer::output, 0}}, {slot}));
    const std::string found = in_child([&] {
        GpuBox box(plain(EngineChannel::port));
        const Executor::JobId job = box.open(std::make_shared<Schedule>(schedule), 64, ElementType::u8);
        const std::uint64_t at[2] = {*box.executor->address(job, 0, Buffer::input, 0),
            *box.executor->address(job, 1, Buffer::output, 0)};
        std::string same = "not called";
        box.executor->on_finished = [&](Executor::JobId) {
            std::uint8_t bytes[2][64];
            for (unsigned rank = 0; rank < 2; ++rank) box.gpus[rank]->image().read(local_of(at[rank]), bytes[rank], 64);
            same = std::equal(bytes[0], bytes[0] + 64, bytes[1]) ? "same" : "different";
        };
        box.enter_all(job);
        box.run();
        return same;
    });
    EXPECT_EQ(found, "same");
}

// A flush is a request behind the put; the workgroup knows at its next look.
TEST(PortChannel, AFlushWaitsForThePut)
{
    Schedule flushed = lone_put();
    for (Step& step : flushed.ranks[0].threads[0].steps) step.channel = StepChannel::port;
    Step flush;
    flush.channel = StepChannel::port;
    flushed.ranks[0].threads[0].steps.push_back(flush);
    BoxOptions options = plain(EngineChannel::any);
    const std::uint64_t end = std::stoull("0" + in_child([&] {
        GpuBox box(options);
        const Executor::JobId job = box.open(std::make_shared<Schedule>(flushed), 64, ElementType::u8);
        box.enter_all(job);
        box.run();
        return std::to_string(box.record(job).end);
    }));
    // Three requests; the flag of the last is an addition in the own L2, and the answer to who waits there.
    const std::uint64_t own = options.gpu.unit_to_l2 + options.l2.latency + options.gpu.l2_to_unit;
    EXPECT_EQ(end, options.copy.request_latency + 3 * options.copy.proxy_service + own);
}

TEST(PortChannel, WhoWaitsInVainIsNamed)
{
    for (const WaitPolicy policy : {WaitPolicy::spin, WaitPolicy::waiting_atomic}) {
        const std::string text = in_child([policy] {
            BoxOptions options = plain(EngineChannel::port);
            options.gpu.wait_policy = policy;
            GpuBox box(options);
            const Executor::JobId job =
                box.open(schedule_of(CollectiveOp::all_gather, "ring", 2), 4096, ElementType::u8);
            box.executor->enter(job, 0, nullptr);
            box.run();
            EXPECT_FALSE(box.record(job).finished);
            EXPECT_TRUE(box.executor->only_waits());
            const std::vector<std::string> blocked = box.executor->blocked();
            return blocked.size() == 1 ? blocked[0] : std::to_string(blocked.size());
        });
        EXPECT_EQ(text,
            "gpu0 (rank 0 of all_gather ring): step 2 waits for signal 1 of semaphore 0 from rank 1, and has 0");
    }
}

TEST(PortChannel, WhatContradictsIsRefused)
{
    const auto refusal = [](const BoxOptions& options) {
        return in_child([&] {
            GpuBox box(options);
            try {
                box.open(schedule_of(CollectiveOp::all_gather, "ring", 2), 4096, ElementType::u8);
            } catch (const InputError& error) {
                return std::string(error.what());
            }
            return std::string("none");
        });
    };
    BoxOptions options = plain(EngineChannel::port);
    options.engine.mover = Mover::bulk;
    EXPECT_EQ(refusal(options),
        "ring: port channels with engine.mover other than units: the proxy of a port channel uses the copy engines "
        "itself; expected engine.mover=units, or engine.channel=memory");
    options = plain(EngineChannel::port);
    options.engine.protocol = Protocol::ll;
    EXPECT_EQ(refusal(options),
        "ring: engine.channel=port with packets: only units store packets; expected engine.protocol=simple, or "
        "engine.channel=memory");
    EXPECT_EQ(refusal(plain(EngineChannel::in_switch)),
        "ring: engine.channel=switch with an algorithm that has no steps in switches; expected an algorithm with steps "
        "in switches, or another engine.channel");
    EXPECT_EQ(refusal(plain(EngineChannel::memory)), "none");
}

}  // namespace port_channel_test
