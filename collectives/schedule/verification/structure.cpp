#include "collectives/schedule/verification/structure.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "collectives/schedule/order.h"

namespace weft {

namespace {

class Inspector {
public:
    Inspector(const Schedule& schedule, std::size_t most) : schedule_(schedule), most_(most) {}

    std::vector<std::string> inspect()
    {
        message();
        if (!problems_.empty()) return problems_;
        for (at_.rank = 0; at_.rank < schedule_.size(); ++at_.rank) {
            buffers();
            barriers_.clear();
            const std::vector<Thread>& threads = schedule_.ranks[at_.rank].threads;
            for (at_.thread = 0; at_.thread < threads.size(); ++at_.thread)
                for (at_.step = 0; at_.step < threads[at_.thread].steps.size(); ++at_.step) {
                    if (problems_.size() >= most_) return problems_;
                    step(threads[at_.thread].steps[at_.step]);
                }
        }
        return problems_;
    }

private:
    void problem(const std::string& text)
    {
        if (problems_.size() < most_) problems_.push_back(text);
    }

    void step_problem(const std::string& text) { problem(describe(schedule_, at_) + ": " + text); }

    void message()
    {
        const std::uint32_t n = schedule_.size();
        if (n == 0) return problem("the schedule has no ranks");
        if (schedule_.op != CollectiveOp::barrier && schedule_.op != CollectiveOp::custom && schedule_.chunks == 0)
            return problem("the schedule divides its message into 0 chunks");
        if (schedule_.root >= n) problem(fmt::format("root {} of {} ranks", schedule_.root, n));
        if (schedule_.op == CollectiveOp::send_receive && n < 2) problem("send_receive needs two ranks");
        const bool in_blocks = schedule_.op == CollectiveOp::all_gather ||
            schedule_.op == CollectiveOp::reduce_scatter || schedule_.op == CollectiveOp::all_to_all ||
            schedule_.op == CollectiveOp::gather || schedule_.op == CollectiveOp::scatter;
        if (in_blocks && schedule_.chunks % n != 0)
            problem(fmt::format("{} chunks cannot be shared by {} ranks", schedule_.chunks, n));
    }

    void buffers()
    {
        for (Buffer buffer : {Buffer::input, Buffer::output}) {
            const std::uint32_t declared = schedule_.declared_chunks(at_.rank, buffer);
            const std::uint32_t wanted = schedule_.message_chunks(at_.rank, buffer);
            if (declared != 0 && declared != wanted)
                problem(fmt::format("rank {} declares {} {} chunks, {} of {} chunks gives it {}", at_.rank, declared,
                    name_of(buffer), name_of(schedule_.op), schedule_.chunks, wanted));
        }
    }

    void operand(const ChunkRef& ref, std::uint32_t count)
    {
        if (ref.rank >= schedule_.size())
            return step_problem(fmt::format("names rank {} of {}", ref.rank, schedule_.size()));
        if (ref.count != count || count == 0)
            step_problem(fmt::format("operands of {} and {} chunks", count, ref.count));
        const std::uint32_t declared = schedule_.declared_chunks(ref.rank, ref.buffer);
        const std::uint64_t end = std::uint64_t{ref.index} + ref.count;
        if (end > declared)
            step_problem(fmt::format("{} chunk {} of rank {} is out of range, which has {}", name_of(ref.buffer),
                std::max<std::uint64_t>(ref.index, end - (end > 0)), ref.rank, declared));
    }

    void data(const Step& step)
    {
        if (step.sources.empty()) step_problem("has no source");
        if (step.destinations.empty()) step_problem("has no destination");
        if (step.sources.empty() || step.destinations.empty()) return;
        if (step.parts == 0 || step.part >= step.parts)
            step_problem(fmt::format("handles part {} of {}", step.part, step.parts));
        for (const ChunkRef& source : step.sources) operand(source, step.sources.front().count);
        for (const ChunkRef& destination : step.destinations) operand(destination, step.sources.front().count);
        if (step.like) {
            operand(*step.like, step.sources.front().count);
            if (is_slot(step.like->buffer))
                step_problem("takes its length from a slot, which has no length of its own");
        }
        if (step.kind == StepKind::multicast) {
            if (step.sources.size() > 1) step_problem("multicasts more than one source");
            same_chunk(step.destinations);
        }
        if (step.kind == StepKind::load_reduce) same_chunk(step.sources);
        if (step.kind == StepKind::reduce_multicast) {
            same_chunk(step.sources);
            same_chunk(step.destinations);
        }
        if (step.kind == StepKind::push_reduce) push(step);
        for (const ChunkRef& source : step.sources)
            if (source.buffer == Buffer::packets && (source.rank != at_.rank || in_switch(step.kind)))
                step_problem(fmt::format("reads packets of rank {}; only the units of that rank can", source.rank));
    }

    void push(const Step& step)
    {
        same_chunk(step.destinations);
        if (step.sources.size() > 1 || step.sources.front().rank != at_.rank)
            step_problem("pushes more or other sources than one of its own rank");
        std::vector<std::uint32_t> members;
        for (const ChunkRef& member : step.destinations) members.push_back(member.rank);
        std::sort(members.begin(), members.end());
        if (std::adjacent_find(members.begin(), members.end()) != members.end()) step_problem("names a member twice");
        if (!std::binary_search(members.begin(), members.end(), at_.rank))
            step_problem("pushes to a group without its own rank");
    }

    void same_chunk(const std::vector<ChunkRef>& refs)
    {
        for (const ChunkRef& ref : refs)
            if (ref.buffer != refs.front().buffer || ref.index != refs.front().index)
                step_problem(
                    fmt::format("the switch reaches the same chunk of every rank, not {} chunk {} and {} chunk {}",
                        name_of(refs.front().buffer), refs.front().index, name_of(ref.buffer), ref.index));
    }

    void semaphore(const Step& step)
    {
        if (step.peer >= schedule_.size())
            return step_problem(fmt::format("names rank {} of {}", step.peer, schedule_.size()));
        const std::uint32_t owner = step.kind == StepKind::signal ? step.peer : at_.rank;
        if (step.semaphore >= schedule_.ranks[owner].semaphores)
            step_problem(fmt::format("semaphore {} of rank {} is out of range, which has {}", step.semaphore, owner,
                schedule_.ranks[owner].semaphores));
    }

    void barrier(const Step& step)
    {
        const std::size_t threads = schedule_.ranks[at_.rank].threads.size();
        if (step.participants == 0 || step.participants > threads)
            step_problem(fmt::format("barrier of {} participants on a rank of {} threads", step.participants, threads));
        const auto known = barriers_.emplace(step.semaphore, step.participants).first;
        if (known->second != step.participants)
            step_problem(fmt::format("barrier {} has {} participants here and {} elsewhere", step.semaphore,
                step.participants, known->second));
    }

    void step(const Step& step)
    {
        const std::vector<Thread>& threads = schedule_.ranks[at_.rank].threads;
        for (const StepId& dependency : step.after)
            if (dependency.thread >= threads.size() || dependency.step >= threads[dependency.thread].steps.size())
                step_problem(fmt::format("depends on step {} of thread {}, which does not exist", dependency.step,
                    dependency.thread));
        if (is_data(step.kind)) {
            data(step);
        } else {
            if (!step.sources.empty() || !step.destinations.empty()) step_problem("has operands but moves no data");
            if (step.with_previous) step_problem("cannot run together with the previous step");
        }
        if (step.with_previous && (at_.step == 0 || !is_data(threads[at_.thread].steps[at_.step - 1].kind)))
            step_problem("has no data step before it with which it could run together");
        if (step.kind == StepKind::signal || step.kind == StepKind::wait) semaphore(step);
        if (step.kind == StepKind::barrier) barrier(step);
    }

    const Schedule& schedule_;
    std::size_t most_;
    StepAt at_;
    std::map<std::uint32_t, std::uint32_t> barriers_;  // of the rank: id to participants
    std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> malformed_parts(const Schedule& schedule, std::size_t most)
{
    return Inspector(schedule, most).inspect();
}

}  // namespace weft
