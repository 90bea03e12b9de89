// Transfers of a rank to itself at flow fidelity.
#include "collectives/engine/flow/flow_executor.h"

namespace weft {

namespace {

bool to_itself(const Job& job)
{
    return job.schedule && job.schedule->op == CollectiveOp::send_receive && job.members.size() == 2 &&
        job.members[0] == job.members[1];
}

// A rank copies its input to its output, each thread a part.
std::shared_ptr<const Schedule> own_copy(std::size_t threads)
{
    auto schedule = std::make_shared<Schedule>();
    schedule->name = "copy";
    schedule->op = CollectiveOp::send_receive;
    schedule->chunks = 1;
    schedule->ranks.resize(1);
    schedule->ranks[0].input_chunks = schedule->ranks[0].output_chunks = 1;
    for (std::uint32_t t = 0; t < threads; ++t) {
        Step copy = move_step({{0, Buffer::input, 0, 1}}, {{0, Buffer::output, 0, 1}});
        copy.part = t;
        copy.parts = static_cast<std::uint32_t>(threads);
        schedule->ranks[0].threads.push_back({{copy}});
    }
    return schedule;
}

}  // namespace

void FlowExecutor::copy_at_home(Job& job)
{
    if (!to_itself(job)) return;
    const std::size_t threads = job.schedule->ranks[0].threads.size();
    std::shared_ptr<const Schedule>& copy = copies_[threads];
    if (!copy) copy = own_copy(threads);
    job.schedule = copy;
    job.members.pop_back();
    own_[entered_.size()].endpoint = job.members[0];
}

// Behind its copy the sender fences and sets flags of its own, which the receiver sees set or finds.
void FlowExecutor::enter_own(JobId id, std::uint32_t position, Done done)
{
    const auto leave = [this, id](const Done& then) {
        if (++own_.at(id).left == 2) own_.erase(id);
        then();
    };
    const CostRank& rank = core_.ranks().of(own_.at(id).endpoint);
    if (position == 0)
        return enter_core(id, 0, [this, id, &rank, leave, done = std::move(done)] {
            core_.after(rank.fence_ps + rank.load_ps, [leave, done] { leave(done); });
            core_.after(rank.fence_ps + rank.notice_ps, [this, id, leave] {
                own_.at(id).there = true;
                const Done receiver = std::move(own_.at(id).receiver);
                if (receiver) leave(receiver);
            });
        });
    if (!own_.at(id).there) {
        own_.at(id).receiver = std::move(done);
        return;
    }
    core_.after(rank.launch_ps + rank.poll_ps, [leave, done = std::move(done)] { leave(done); });
}

}  // namespace weft
