// How parts of the executor end: ranks leave their jobs, jobs are compared and give back their memory.
#include <stdexcept>

#include "collectives/engine/lines/executor_parts.h"

namespace weft {

// The last workgroup of the part has ended: the rank leaves its job, or the memory access is done.
void LineExecutor::end_one(Part& part)
{
    const Done done = std::move(part.done);
    if (part.of_job) {
        leave(*jobs_.at(part.job), part.position);
    } else if (part.bytes > 0) {
        const std::uint32_t home = endpoint_of(part.address);
        if (!absent(home)) endpoints_[home]->image().discard(local_of(part.address), part.bytes);
        memories_[home].release(part.address, part.bytes);
    }
    if (done) guarded(done);
    recycle(part);
}

// In the order in which ranks leave, unless the run is cut.
void LineExecutor::leave(Running& job, std::uint32_t position)
{
    job.last_left = std::max(job.last_left, now());
    const bool later = divided_ && !in_turns_;
    if (later && !told_) leaves_.push_back({job.id, position, now()});
    if (++job.left < job.job.schedule->size()) return;
    if (!later) {
        finish(job);
    } else {
        ended_.push_back(job.id);
    }
}

void LineExecutor::tell_leaves(const std::vector<Leave>& leaves)
{
    for (const Leave& told : leaves) {
        const auto found = elsewhere_.find({told.job, told.position});
        if (found == elsewhere_.end()) throw std::logic_error("a rank of another process leaves a job twice");
        const Done done = std::move(found->second);
        elsewhere_.erase(found);
        told_ = told.at;
        leave(*jobs_.at(told.job), told.position);
        if (done) done();
        told_.reset();
    }
}

void LineExecutor::finish(Running& job)
{
    const Schedule& schedule = *job.job.schedule;
    JobRecord& record = records_[job.id];
    record.finished = true;
    record.end = job.last_left;
    const auto address = [&](std::uint32_t rank, Buffer memory) {
        return local_of(job.addresses[rank].memory[static_cast<unsigned>(memory)]);
    };
    if (data_on_) {
        const auto mismatch = check_outputs(
            schedule, *job.layout, job.job.type, seed_ + job.id,
            [&](std::uint32_t rank, std::uint64_t begin, std::uint64_t bytes, std::uint8_t* out) {
                const Place place = job.layout->place_of(rank, Buffer::output);
                endpoints_[job.job.members[rank]]->image().read(address(rank, place.memory) + place.offset + begin, out,
                    bytes);
            },
            [&](std::uint32_t rank) { return !absent(job.job.members[rank]); });
        if (mismatch) {
            record.mismatch = mismatch->text;
            record.mismatch_at = std::uint64_t{mismatch->chunk} << 32U | mismatch->rank;
        }
        record.checked = schedule.op != CollectiveOp::custom;
    }
    if (on_finished) on_finished(job.id);
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        const std::uint32_t endpoint = job.job.members[rank];
        for (const Buffer buffer : all_buffers) {
            const std::uint64_t bytes = job.memory().bytes(rank, buffer);
            if (bytes == 0) continue;
            if (!absent(endpoint)) endpoints_[endpoint]->image().discard(address(rank, buffer), bytes);
            if (job.in_switch.memories[static_cast<unsigned>(buffer)]) continue;
            memories_[endpoint].release(job.addresses[rank].memory[static_cast<unsigned>(buffer)], bytes);
        }
        flags_[endpoint].release(job.addresses[rank].flags, job.flags[rank] * flag_stride);
    }
    for (const Buffer buffer : all_buffers) {
        const std::uint64_t bytes =
            job.in_switch.memories[static_cast<unsigned>(buffer)] ? job.memory().most_bytes(buffer) : 0;
        if (bytes > 0) symmetric_.release(job.endpoints, bytes, address(0, buffer));
    }
    jobs_.erase(job.id);
}

void LineExecutor::finish_ended()
{
    for (const JobId id : ended_) finish(*jobs_.at(id));
    ended_.clear();
}

}  // namespace weft
