#include "testbenches/engine/gpu_box.h"

#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "tlm_interconnect/link/buffer_space.h"

namespace weft::testing {

GpuBox::GpuBox(const BoxOptions& options) : event_queue("event_queue")
{
    const unsigned n = options.gpus;
    const auto port_to = [](unsigned from, unsigned to) { return to < from ? to : to - 1; };
    for (unsigned g = 0; g < n; ++g) {
        Gpu::Wiring wiring;
        wiring.path = "gpu" + std::to_string(g);
        wiring.endpoint = g;
        wiring.ports = options.has_switch ? n : n - 1;
        std::vector<std::vector<std::uint16_t>> routes(n);
        for (unsigned peer = 0; peer < n; ++peer)
            if (peer != g) routes[peer] = {static_cast<std::uint16_t>(port_to(g, peer))};
        wiring.routes = RouteTable(routes);
        wiring.data_on = options.data_on;
        gpus.push_back(std::make_unique<Gpu>(wiring.path.c_str(), event_queue, pool, progress, options.gpu, options.l1,
            options.l2, options.hbm, wiring, MemorySideSpec{}, NetworkSpec{}, options.copy, options.bulk));
    }
    for (unsigned a = 0; a < n; ++a)
        for (unsigned b = a + 1; b < n; ++b) {
            links.push_back(
                std::make_unique<Link>(("link" + std::to_string(links.size())).c_str(), event_queue, options.link));
            const unsigned ends[2] = {a, b};
            for (unsigned e = 0; e < 2; ++e) {
                const unsigned port = port_to(ends[e], ends[1 - e]);
                Gpu& gpu = *gpus[ends[e]];
                gpu.output(port).set_credits(buffer_space(options.link));
                gpu.link_out(port).bind(links.back()->target(e));
                links.back()->initiator(e).bind(gpu.link_in(port));
            }
        }
    if (options.has_switch)
        hub = std::make_unique<BoxSwitch>(event_queue, pool, gpus, options.link, options.hub, n - 1);
    std::vector<Accelerator*> pointers;
    for (const auto& gpu : gpus) pointers.push_back(gpu.get());
    executor =
        std::make_unique<LineExecutor>(event_queue, pointers, progress, options.engine, options.data_on, options.seed);
    if (hub) executor->set_groups(*hub);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Executor::JobId GpuBox::open(std::shared_ptr<const Schedule> schedule, std::uint64_t bytes, ElementType type)
{
    Job job;
    for (std::uint32_t rank = 0; rank < schedule->size(); ++rank) job.members.push_back(rank);
    job.schedule = std::move(schedule);
    job.bytes = bytes;
    job.type = type;
    job.name = std::string(name_of(job.schedule->op)) + " " + job.schedule->name;
    return executor->open(std::move(job));
}

void GpuBox::enter_all(Executor::JobId job)
{
    const std::uint32_t ranks = record(job).ranks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) executor->enter(job, rank, nullptr);
}

bool GpuBox::cannot_progress() const
{
    for (const auto& gpu : gpus)
        if (gpu->cannot_progress()) return true;
    return false;
}

BoxOptions box(unsigned gpus)
{
    BoxOptions options;
    options.gpus = gpus;
    options.l2.size = 4U << 20;  // tags of the usual size only cost elaboration time
    options.engine.channels = 4;
    return options;
}

Schedule lone_put()
{
    Schedule schedule;
    schedule.name = "put";
    schedule.op = CollectiveOp::send_receive;
    schedule.chunks = 1;
    schedule.ranks.resize(2);
    for (RankPlan& plan : schedule.ranks) {
        plan.input_chunks = plan.output_chunks = plan.semaphores = 1;
        plan.threads.resize(1);
    }
    schedule.ranks[0].threads[0].steps = {move_step({{0, Buffer::input, 0}}, {{1, Buffer::output, 0}}),
        signal_step(1, 0)};
    schedule.ranks[1].threads[0].steps = {wait_step(0, 0)};
    return schedule;
}

namespace {

std::vector<std::string> algorithms_of(CollectiveOp op, bool in_switch)
{
    std::vector<std::string> names;
    for (const std::string& name : algorithm_names(op))
        if ((algorithm_info(op, name)->carrier == Carrier::in_switch) == in_switch) names.push_back(name);
    return names;
}

}  // namespace

std::vector<std::string> algorithms_without_switch(CollectiveOp op) { return algorithms_of(op, false); }
std::vector<std::string> algorithms_in_switch(CollectiveOp op) { return algorithms_of(op, true); }

std::shared_ptr<Schedule> schedule_of(CollectiveOp op, const std::string& algorithm, std::uint32_t ranks,
    std::uint32_t channels, ReduceOp reduction)
{
    AlgorithmOptions options;
    options.channels = channels;
    options.reduction = reduction;
    return std::make_shared<Schedule>(make_schedule(algorithm, op, ranks, options));
}

std::uint64_t time_of(const BoxOptions& options, CollectiveOp op, const std::string& algorithm, std::uint64_t bytes,
    ElementType type)
{
    return std::stoull("0" + in_child([&] {
        GpuBox box(options);
        const auto channels = static_cast<std::uint32_t>(options.engine.channels);
        const Executor::JobId job = box.open(schedule_of(op, algorithm, options.gpus, channels), bytes, type);
        box.enter_all(job);
        box.run();
        EXPECT_TRUE(box.record(job).finished);
        EXPECT_EQ(box.record(job).mismatch, "");
        EXPECT_EQ(box.record(job).checked, options.data_on);
        EXPECT_EQ(box.pool.live(), 0u);
        return std::to_string(box.record(job).end);
    }));
}

std::uint64_t access_time(const BoxOptions& options, std::uint64_t bytes, bool write)
{
    return std::stoull("0" + in_child([&] {
        GpuBox box(options);
        Time end = 0;
        box.executor->access_memory(0, 0, bytes, write, [&] { end = box.executor->now(); });
        box.run();
        EXPECT_GT(end, 0u);
        EXPECT_EQ(box.pool.live(), 0u);
        return std::to_string(end);
    }));
}

}  // namespace weft::testing
