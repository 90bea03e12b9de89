#include "testbenches/platform/switch_board.h"

#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/builders.h"
#include "collectives/schedule/verification/verify.h"

namespace weft::testing {

SwitchBoard::SwitchBoard(const RunSetup& setup, bool data_on, std::uint64_t ranks)
    : resolved(resolve_setup(setup)), plan(plan_fabric(resolved, members_of(resolved, ranks))),
      system(resolved, plan, registry, data_on), groups(system, resolved, plan),
      executor(system.event_queue(), system.accelerators(), system.progress(), resolved.engine(), data_on,
          resolved.seed)
{
    executor.set_groups(groups);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Executor::JobId SwitchBoard::open(Schedule schedule, std::uint64_t bytes, ElementType type,
    std::vector<std::uint32_t> members)
{
    const Verification verdict = verify(schedule);
    EXPECT_TRUE(verdict.ok) << schedule.name << ": " << (verdict.ok ? "" : verdict.problems.front());
    Job job;
    for (std::uint32_t rank = 0; rank < schedule.size() && members.size() < schedule.size(); ++rank)
        members.push_back(rank);
    job.members = std::move(members);
    job.name = schedule.name;
    job.schedule = std::make_shared<Schedule>(std::move(schedule));
    job.bytes = bytes;
    job.type = type;
    return executor.open(std::move(job));
}

void SwitchBoard::enter_all(Executor::JobId job)
{
    const std::uint32_t ranks = record(job).ranks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) executor.enter(job, rank, nullptr);
}

void SwitchBoard::run()
{
    sc_core::sc_start();
    executor.rethrow();
}

Time SwitchBoard::time_of(Executor::JobId job) const
{
    const JobRecord& found = record(job);
    EXPECT_TRUE(found.finished) << found.name;
    EXPECT_EQ(found.mismatch, "") << found.name;
    return found.end - found.start;
}

namespace {

LinkResult link_of(const SwitchBoard& board, std::uint32_t endpoint, std::size_t number, bool from)
{
    const std::string& name = board.plan.fabric.nodes[board.plan.members[endpoint]].name;
    for (LinkResult& link : link_results(board.system.fabric(), board.resolved.graph(), 1))
        if ((from ? link.from : link.to) == name && number-- == 0) return link;
    ADD_FAILURE() << "no such link of " << name;
    return {};
}

std::vector<ChunkRef> of_all(std::uint32_t ranks, Buffer buffer, std::uint32_t chunk)
{
    std::vector<ChunkRef> out;
    for (std::uint32_t r = 0; r < ranks; ++r) out.push_back({r, buffer, chunk, 1});
    return out;
}

// Everybody tells everybody, and waits for everybody.
void meet(algorithms::Program& program, std::uint32_t ranks, std::uint32_t rank, std::uint32_t channel)
{
    const std::uint32_t first = channel * (ranks - 1);
    for (std::uint32_t i = 1; i < ranks; ++i) {
        const std::uint32_t peer = (rank + i) % ranks;
        program.signal(peer, first + algorithms::peer_slot(peer, rank));
    }
    for (std::uint32_t i = 1; i < ranks; ++i) {
        const std::uint32_t peer = (rank + i) % ranks;
        program.wait(peer, first + algorithms::peer_slot(rank, peer));
    }
}

struct Shape {
    CollectiveOp op;
    StepKind kind;
    std::uint32_t chunks;
    bool in_place = false;
    ReduceOp reduction = ReduceOp::sum;
};

// One step for each thread; operands(rank, step) fills it in, or leaves it empty.
template <class Operands>
Schedule one_step(const Shape& shape, std::uint32_t ranks, std::uint32_t channels, const Operands& operands)
{
    Schedule schedule;
    schedule.op = shape.op;
    schedule.name = std::string(name_of(shape.kind)) + " " + name_of(shape.op);
    schedule.reduction = shape.reduction;
    schedule.in_place = shape.in_place;
    schedule.ranks.resize(ranks);
    algorithms::frame(schedule, shape.chunks, 0, channels * (ranks - 1), channels);
    algorithms::for_each_program(schedule, channels,
        [&](algorithms::Program& program, std::uint32_t rank, std::uint32_t channel) {
            meet(program, ranks, rank, channel);
            Step step;
            operands(rank, step);
            if (!step.sources.empty()) {
                program.move(step.sources, step.destinations);
                schedule.ranks[rank].threads[channel].steps.back().kind = shape.kind;
            }
            meet(program, ranks, rank, channel);
        });
    return schedule;
}

}  // namespace

LinkResult SwitchBoard::up(std::uint32_t endpoint, std::size_t number) const
{
    return link_of(*this, endpoint, number, true);
}

LinkResult SwitchBoard::down(std::uint32_t endpoint, std::size_t number) const
{
    return link_of(*this, endpoint, number, false);
}

double SwitchBoard::switch_statistic(const std::string& name, std::size_t number) const
{
    for (const Statistic& entry : system.switches()[number].module->statistics())
        if (entry.name == name) return entry.value;
    return -1;
}

Schedule reduce_multicast_all_reduce(std::uint32_t ranks, std::uint32_t channels, bool in_place, ReduceOp reduction)
{
    return one_step({CollectiveOp::all_reduce, StepKind::reduce_multicast, ranks, in_place, reduction}, ranks, channels,
        [ranks](std::uint32_t rank, Step& step) {
            step.sources = of_all(ranks, Buffer::input, rank);
            step.destinations = of_all(ranks, Buffer::output, rank);
        });
}

Schedule load_reduce_all_reduce(std::uint32_t ranks, std::uint32_t channels)
{
    return one_step({CollectiveOp::all_reduce, StepKind::load_reduce, 1}, ranks, channels,
        [ranks](std::uint32_t rank, Step& step) {
            step.sources = of_all(ranks, Buffer::input, 0);
            step.destinations = {{rank, Buffer::output, 0, 1}};
        });
}

Schedule push_all_reduce(std::uint32_t ranks, std::uint32_t channels, ReduceOp reduction)
{
    return one_step({CollectiveOp::all_reduce, StepKind::push_reduce, 1, false, reduction}, ranks, channels,
        [ranks](std::uint32_t rank, Step& step) {
            step.sources = {{rank, Buffer::input, 0, 1}};
            step.destinations = of_all(ranks, Buffer::output, 0);
        });
}

Schedule load_reduce_scatter(std::uint32_t ranks, std::uint32_t channels, ReduceOp reduction)
{
    return one_step({CollectiveOp::reduce_scatter, StepKind::load_reduce, ranks, false, reduction}, ranks, channels,
        [ranks](std::uint32_t rank, Step& step) {
            step.sources = of_all(ranks, Buffer::input, rank);
            step.destinations = {{rank, Buffer::output, 0, 1}};
        });
}

Schedule multicast_all_gather(std::uint32_t ranks, std::uint32_t channels)
{
    return one_step({CollectiveOp::all_gather, StepKind::multicast, ranks}, ranks, channels,
        [ranks](std::uint32_t rank, Step& step) {
            step.sources = {{rank, Buffer::input, 0, 1}};
            step.destinations = of_all(ranks, Buffer::output, rank);
        });
}

Schedule multicast_broadcast(std::uint32_t ranks, std::uint32_t channels)
{
    return one_step({CollectiveOp::broadcast, StepKind::multicast, 1}, ranks, channels,
        [ranks](std::uint32_t rank, Step& step) {
            if (rank != 0) return;
            step.sources = {{0, Buffer::input, 0, 1}};
            step.destinations = of_all(ranks, Buffer::output, 0);
        });
}

}  // namespace weft::testing
