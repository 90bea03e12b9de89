#include "platform/applications/flow/mixed_executor.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/channels.h"

namespace weft {

MixedExecutor::MixedExecutor(LineExecutor& lines, FlowExecutor* flow, LineBorder* border, std::vector<bool> outside)
    : lines_(lines), flow_(flow), border_(border), outside_(std::move(outside)),
      jobs_(lines, flow == nullptr ? nullptr : &flow->core(), outside_)
{
    lines_.set_delegate(flow_ == nullptr ? nullptr : this, outside_);
    if (border_ != nullptr) border_->join(lines, jobs_);
}

template <class Action>
void MixedExecutor::in_flow(const Action& action)
{
    border_->begin(lines_.now());
    action();
    border_->finish();
}

Executor::JobId MixedExecutor::open(Job job)
{
    if (flow_ == nullptr) return lines_.open(std::move(job));
    const EngineSpec engine = job.engine.value_or(lines_.spec());
    const std::shared_ptr<const Schedule> carried_out =
        protocols_.carried_out(job.schedule, engine, job.bytes, static_cast<std::uint32_t>(size_of(job.type)));
    const std::shared_ptr<const Schedule> all =
        carried_out->channels == 1 ? carried_out : std::make_shared<const Schedule>(whole(*carried_out));
    const std::uint64_t bytes = job.bytes;
    const auto element = static_cast<std::uint32_t>(size_of(job.type));
    const std::vector<std::uint32_t> members = job.members;
    JobId number = 0;
    in_flow([&] { number = flow_->open(job); });
    lines_.open(std::move(job));
    jobs_.open(static_cast<std::uint32_t>(number), flow_->core_job(number), carried_out, all, bytes, element, members);
    open_[number].members = members;
    return number;
}

void MixedExecutor::leave(JobId job)
{
    Open& open = open_.at(job);
    if (++open.left < open.members.size()) return;
    jobs_.close(static_cast<std::uint32_t>(job));
    open_.erase(job);
}

void MixedExecutor::enter(JobId job, std::uint32_t position, Done done)
{
    if (flow_ == nullptr) return lines_.enter(job, position, std::move(done));
    const bool outside = outside_[open_.at(job).members[position]];
    if (!outside) flow_->enter_outside(job);
    lines_.enter(job, position, [this, job, outside, done = std::move(done)] {
        if (!outside) flow_->leave_outside(job);
        leave(job);
        if (done) done();
    });
}

void MixedExecutor::access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write,
    Done done)
{
    if (outside_[endpoint] != outside_[home])
        throw InputError("memory node", 0, "it reaches from lines to flow, which mixed fidelity has not",
            "memories on the side of their rank, or --fidelity line or flow");
    lines_.access_memory(endpoint, home, bytes, write, std::move(done));
}

void MixedExecutor::enter(JobId job, std::uint32_t position, Token token)
{
    in_flow([&] { flow_->enter(job, position, [this, token] { lines_.ended(token); }); });
}

void MixedExecutor::access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write,
    Token token)
{
    in_flow([&] { flow_->access_memory(endpoint, home, bytes, write, [this, token] { lines_.ended(token); }); });
}

void MixedExecutor::run_kernel(std::uint32_t endpoint, const KernelWork& work, Token token)
{
    in_flow([&] { flow_->run_kernel(endpoint, work, [this, token] { lines_.ended(token); }); });
}

void MixedExecutor::wait(std::uint32_t endpoint, Picoseconds duration, Token token)
{
    in_flow([&] { flow_->wait(endpoint, duration, [this, token] { lines_.ended(token); }); });
}

}  // namespace weft
