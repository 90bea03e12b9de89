#include "platform/applications/flow/large_collective.h"

#include <algorithm>

#include "collectives/flow/programs/rank_writers.h"
#include "collectives/schedule/verification/verify.h"

namespace weft {

namespace {

constexpr std::uint64_t most_moves_played = 200'000;

}  // namespace

std::uint32_t played_channels(std::uint32_t channels, std::uint64_t moves_of_one)
{
    std::uint32_t played = channels;
    while (played > 1 && (played * moves_of_one > most_moves_played || channels % played != 0)) --played;
    return played;
}

LargeCollective::LargeCollective(FlowExecutor& executor, const CollectiveRequest& request)
    : executor_(executor), request_(request)
{
    const auto ranks = static_cast<std::uint32_t>(request.members.size());
    AlgorithmOptions options = request.options;
    options.channels = 1;
    const std::uint64_t moves = program_for_all(request.algorithm, request.op, ranks, options).moves();
    options.channels = played_channels(request.options.channels, moves);
    played_ = options.channels;
    program_ = std::make_shared<const FlowProgram>(
        program_for_all(request.algorithm, request.op, ranks, options, request.options.channels / played_));
    proof_ranks_ = ranks;
    shrink_for_proof(request.algorithm, proof_ranks_, options);
    require_right(make_schedule(request.algorithm, request.op, proof_ranks_, options));
    finish_.assign(ranks, 0);
}

bool LargeCollective::plain() const
{
    for (std::uint32_t rank = 0; rank < request_.members.size(); ++rank)
        if (request_.members[rank] != rank) return false;
    return std::all_of(request_.delays.begin(), request_.delays.end(), [](Picoseconds delay) { return delay == 0; });
}

void LargeCollective::start()
{
    Job job;
    job.bytes = request_.bytes;
    job.type = request_.type;
    job.reduction = request_.options.reduction;
    job.members = request_.members;
    job.name = name_of(request_.op);
    const Executor::JobId id = executor_.open(std::move(job), program_);
    left_ = finish_.size();
    if (one_for_all_)
        return executor_.enter(id, 0, [this] {
            finish_.assign(finish_.size(), executor_.now());
            left_ = 0;
        });
    for (std::uint32_t rank = 0; rank < finish_.size(); ++rank) {
        const Picoseconds delay = rank < request_.delays.size() ? request_.delays[rank] : 0;
        if (delay == 0) {
            enter(id, rank);
        } else {
            executor_.wait(request_.members[rank], delay, [this, id, rank] { enter(id, rank); });
        }
    }
}

void LargeCollective::enter(Executor::JobId job, std::uint32_t rank)
{
    executor_.enter(job, rank, [this, rank] {
        finish_[rank] = executor_.now();
        --left_;
    });
}

}  // namespace weft
