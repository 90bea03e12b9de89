#include "platform/applications/flow/large_collective.h"

#include <algorithm>

#include <fmt/format.h>

#include "collectives/flow/programs/rank_writers.h"
#include "collectives/schedule/verification/verify.h"
#include "collectives/synthesis/estimate.h"

namespace weft {

namespace {

// Moves of small messages, and of others, whose channels differ less.
constexpr std::uint64_t most_small_moves = 400'000;
constexpr std::uint64_t most_moves = 200'000;
constexpr std::uint64_t most_signals = 4 * most_small_moves;  // a move without data has one, too

bool small(const CollectiveRequest& request, std::uint64_t chunks)
{
    return FlowExecutor::small(request.bytes, chunks * request.options.channels);
}

FlowProgram in_one_channel(const CollectiveRequest& request)
{
    AlgorithmOptions options = request.options;
    options.channels = 1;
    const auto ranks = static_cast<std::uint32_t>(request.members.size());
    return program_for_all(request.algorithm, request.op, ranks, options);
}

// As many of the channels as keep the play short, where one has `chunks` and `moves`. With more channels than there are elements for, chunks
// are empty, and as many moves as with these carry something.
std::uint32_t played_channels(const CollectiveRequest& request, std::uint64_t chunks, std::uint64_t moves)
{
    const std::uint64_t elements = request.bytes / size_of(request.type);
    const std::uint64_t with_data = std::max<std::uint64_t>(1, elements / std::max<std::uint64_t>(1, chunks));
    const std::uint64_t most = small(request, chunks) ? most_small_moves : most_moves;
    const auto fits = [&](std::uint64_t played) {
        return std::min(played, with_data) * moves <= most && played * moves <= most_signals;
    };
    const std::uint32_t channels = request.options.channels;
    std::uint32_t played = channels;
    while (played > 1 && (!fits(played) || channels % played != 0)) --played;
    return played;
}

}  // namespace

std::uint32_t played_channels(const CollectiveRequest& request, const Schedule& one)
{
    return played_channels(request, one.chunks, data_steps(one));
}

Schedule played_schedule(const CollectiveRequest& request, const std::string& algorithm, std::uint32_t& played)
{
    const auto ranks = static_cast<std::uint32_t>(request.members.size());
    AlgorithmOptions options = request.options;
    options.channels = 1;
    Schedule one = make_schedule(algorithm, request.op, ranks, options);
    options.channels = played = played_channels(request, one);
    return played == 1 ? std::move(one) : make_schedule(algorithm, request.op, ranks, options);
}

bool needs_layout(const CollectiveRequest& request)
{
    const FlowProgram one = in_one_channel(request);
    return small(request, one.chunks) && one.moves() * request.options.channels <= most_small_moves;
}

LargeCollective::LargeCollective(FlowExecutor& executor, const CollectiveRequest& request)
    : executor_(executor), request_(request)
{
    const auto ranks = static_cast<std::uint32_t>(request.members.size());
    const FlowProgram one = in_one_channel(request);
    short_signals_ = one.moves() > most_small_moves;
    played_ = played_channels(request, one.chunks, one.moves());
    AlgorithmOptions options = request.options;
    options.channels = played_;
    program_ = std::make_shared<const FlowProgram>(
        program_for_all(request.algorithm, request.op, ranks, options, request.options.channels / played_));
    proof_ranks_ = ranks;
    shrink_for_proof(request.algorithm, proof_ranks_, options);
    require_right(make_schedule(request.algorithm, request.op, proof_ranks_, options));
    finish_.assign(ranks, 0);
}

std::string LargeCollective::notice() const
{
    constexpr double least = 1024;  // B, of which a signal of about 48 B is 5 %
    const double chunk = static_cast<double>(request_.bytes) / program_->chunks * played_ / request_.options.channels;
    if (!short_signals_ || chunk >= least) return "";
    return fmt::format(
        "beyond {} moves signals take no wire: each is about 48 B by lines, beside {:.0f} B of data, so bytes on "
        "the wires and times are too low (docs/models/flow.md, Against lines)",
        most_small_moves, chunk);
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
