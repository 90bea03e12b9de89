#include "collectives/engine/collective_driver.h"

#include "base/diagnostic.h"
#include "collectives/schedule/verify.h"

namespace weft {

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
    require_right(*schedule_);
    finish_.assign(ranks, 0);
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
            executor_.wait(delay, [this, id, rank] { enter(id, rank); });
        }
    }
}

void CollectiveDriver::enter(Executor::JobId job, std::uint32_t rank)
{
    executor_.enter(job, rank, [this, rank] {
        finish_[rank] = executor_.now();
        if (--running_ == 0 && --rounds_left_ > 0) next_round();
    });
}

}  // namespace weft
