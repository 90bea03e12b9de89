#include "collectives/engine/collective_driver.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/verification/verify.h"

namespace weft {

namespace {

constexpr std::uint32_t most_ranks_of_proof = 64;
constexpr std::uint32_t most_of_dimension_of_proof = 8;

// The algorithm among so few ranks that it can be followed, with as many dimensions.
Schedule smaller(const CollectiveRequest& request, std::uint32_t ranks)
{
    AlgorithmOptions options = request.options;
    if (!options.dimensions.empty()) {
        ranks = 1;
        for (Dimension& dimension : options.dimensions)
            ranks *= dimension.size = std::min(dimension.size, most_of_dimension_of_proof);
    } else {
        ranks = std::min(ranks, most_ranks_of_proof);
    }
    options.root = std::min(options.root, ranks - 1);
    return make_held_schedule(request.algorithm, request.op, ranks, options);
}

}  // namespace

CollectiveDriver::CollectiveDriver(Executor& executor, CollectiveRequest request)
    : executor_(executor), request_(std::move(request)), rounds_left_(request_.repeat)
{
    const auto ranks = static_cast<std::uint32_t>(request_.members.size());
    schedule_ = request_.schedule;
    if (!schedule_ && request_.algorithm.empty()) {
        const std::vector<std::string> names = algorithm_names(request_.op);
        if (names.empty())
            throw InputError("", 0, std::string(name_of(request_.op)) + " has no built-in algorithm",
                "a collective that has one");
        request_.algorithm = names.front();
    }
    if (!schedule_)
        schedule_ =
            std::make_shared<Schedule>(make_held_schedule(request_.algorithm, request_.op, ranks, request_.options));
    verify_schedule();
    finish_.assign(ranks, 0);
}

void CollectiveDriver::verify_schedule()
{
    // Orders of ranks are part of a ring, and a plan is what it is.
    const bool of_any_size = !request_.schedule && request_.options.orders.empty();
    Verification verdict = verify(*schedule_);
    // A plan may be right for its message, and for no other.
    if (!verdict.ok && request_.schedule && request_.bytes > 0)
        verdict = verify(*schedule_, message_of(request_.bytes, static_cast<std::uint32_t>(size_of(request_.type))));
    if (!verdict.too_large || !of_any_size) return require_right(*schedule_, verdict);
    const Schedule proof = smaller(request_, schedule_->size());
    require_right(proof);
    notices_.push_back(fmt::format("{} among {} ranks is too large to be verified ({}): it was verified among {}",
        schedule_->name, schedule_->size(), verdict.problems.front(), proof.size()));
}

void CollectiveDriver::start() { next_round(); }

void CollectiveDriver::next_round()
{
    Job job;
    job.schedule = schedule_;
    job.bytes = request_.bytes;
    job.type = request_.type;
    job.members = request_.members;
    job.name = name_of(request_.op);
    const Executor::JobId id = executor_.open(std::move(job));
    running_ = schedule_->size();
    for (std::uint32_t rank = 0; rank < schedule_->size(); ++rank) {
        const Picoseconds delay = rank < request_.delays.size() ? request_.delays[rank] : 0;
        if (delay == 0) {
            enter(id, rank);
        } else {
            executor_.wait(request_.members[rank], delay, [this, id, rank] { enter(id, rank); });
        }
    }
}

void CollectiveDriver::enter(Executor::JobId job, std::uint32_t rank)
{
    executor_.enter(job, rank, [this, rank] {
        if (rounds_left_ == 1) finish_[rank] = executor_.now();
        if (--running_ == 0 && --rounds_left_ > 0) next_round();
    });
}

}  // namespace weft
