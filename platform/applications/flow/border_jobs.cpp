#include "platform/applications/flow/border_jobs.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sc_models/memory/flag_stride.h"

namespace weft {

namespace {

constexpr double whole_operand = 1 - 1e-9;

std::uint64_t lines_of(std::uint64_t address, std::uint64_t bytes)
{
    return (address % line_bytes + bytes + line_bytes - 1) / line_bytes;
}

}  // namespace

BorderJobs::BorderJobs(const LineExecutor& lines, FlowCore* core, std::vector<bool> outside)
    : lines_(lines), core_(core), outside_(std::move(outside))
{
    if (core_ != nullptr) memory_.emplace(*core_);
}

void BorderJobs::open(std::uint32_t number, FlowCore::JobId core, const std::shared_ptr<const Schedule>& schedule,
    std::shared_ptr<const Schedule> whole, std::uint64_t bytes, std::uint32_t element_bytes,
    std::vector<std::uint32_t> members)
{
    Job& job = jobs_[number];
    job.number = number;
    job.core = core;
    job.layout = std::make_unique<Layout>(*schedule, bytes, element_bytes);
    job.whole = std::move(whole);
    job.members = std::move(members);
    for (std::uint32_t rank = 0; rank < job.members.size(); ++rank) {
        const auto [address, count] = lines_.flags(number, rank);
        if (count > 0) flags_[address] = {number, rank, count};
    }
    find_memory(number, job);
}

// Finds the loads of ranks at lines from ranks at flow, and their stores of parts of lines there, that go to memory first.
void BorderJobs::find_memory(std::uint32_t number, const Job& job)
{
    for (std::uint32_t rank = 0; rank < job.members.size(); ++rank) {
        const std::uint32_t endpoint = job.members[rank];
        if (outside_[endpoint]) continue;
        const auto& threads = job.whole->ranks[rank].threads;
        for (FlowCore::OutsideOperand of{rank, 0, 0, 0}; of.thread < threads.size(); ++of.thread) {
            const std::vector<Step>& steps = threads[of.thread].steps;
            for (of.step = 0; of.step < steps.size(); ++of.step)
                for (const bool loads : {true, false}) {
                    const Step& step = steps[of.step];
                    const std::vector<ChunkRef>& all = loads ? step.sources : step.destinations;
                    of.operand = 0;
                    for (std::size_t at = 0; at < all.size(); ++at) {
                        if (all[at].rank == rank) continue;
                        const std::uint32_t operand = of.operand++;
                        if (!outside_[job.members[all[at].rank]]) continue;
                        const FlowCore::OutsideOperand one{rank, of.thread, of.step, operand};
                        if (loads ? !core_->reads_first(job.core, one) : !core_->fetches_first(job.core, one)) continue;
                        for (const Range& range : ranges(job, step, loads, at))
                            memory_->add(number, job.core, endpoint, !loads, range.address, range.bytes);
                    }
                }
        }
    }
}

// One of the sources (destinations) of a step, in memory.
std::vector<BorderJobs::Range> BorderJobs::ranges(const Job& job, const Step& step, bool loads, std::size_t at) const
{
    std::vector<Range> out;
    std::uint64_t lines = 0;
    for (const Piece& piece : job.layout->pieces(step)) {
        const Place& place = loads ? piece.sources[at] : piece.destinations[at];
        const auto address = lines_.address(job.number, place.rank, place.memory, place.offset);
        if (!address) throw std::logic_error("a step moves what no buffer has");
        out.push_back({*address, piece.bytes, lines});
        lines += lines_of(*address, piece.bytes);
    }
    return out;
}

void BorderJobs::close(std::uint32_t number)
{
    for (auto at = flags_.begin(); at != flags_.end();)
        at = at->second.job == number ? flags_.erase(at) : std::next(at);
    memory_->close(number);
    jobs_.erase(number);
}

std::shared_ptr<BorderJobs::Operand> BorderJobs::made(Job& job, const FlowBorder::Share& share, bool loads)
{
    const Step& step = job.whole->ranks[share.rank].threads[share.thread].steps[share.step];
    const std::vector<ChunkRef>& all = loads ? step.sources : step.destinations;
    std::size_t at = 0;
    for (std::uint32_t left = share.operand;; ++at) {
        if (all.at(at).rank == share.rank) continue;
        if (left-- == 0) break;
    }
    auto out = std::make_shared<Operand>();
    out->endpoint = job.members[all[at].rank];
    if (++transfers_ == 0) ++transfers_;
    out->transfer = transfers_;
    out->ranges = ranges(job, step, loads, at);
    if (!out->ranges.empty())
        out->lines = out->ranges.back().first_line + lines_of(out->ranges.back().address, out->ranges.back().bytes);
    return out;
}

BorderJobs::Lines BorderJobs::take(const FlowBorder::Share& share, bool loads)
{
    Job& job = jobs_.at(share.job);
    std::shared_ptr<Operand>& known = job.operands[Job::key(share, loads)];
    if (!known) known = made(job, share, loads);
    const std::shared_ptr<Operand> operand = known;
    const std::uint64_t begin = operand->done;
    operand->fraction += share.fraction;
    const bool complete = operand->fraction >= whole_operand;
    operand->done = complete
        ? operand->lines
        : std::min<std::uint64_t>(operand->lines,
              static_cast<std::uint64_t>(std::llround(operand->fraction * static_cast<double>(operand->lines))));
    Lines out{operand, begin, operand->done};
    if (complete) job.operands.erase(Job::key(share, loads));
    return out;
}

BorderJobs::Range BorderJobs::line(const Operand& operand, std::uint64_t number)
{
    auto at = std::upper_bound(operand.ranges.begin(), operand.ranges.end(), number,
        [](std::uint64_t line, const Range& range) { return line < range.first_line; });
    --at;
    const std::uint64_t first = at->address - at->address % line_bytes + (number - at->first_line) * line_bytes;
    const std::uint64_t begin = std::max(first, at->address);
    const std::uint64_t end = std::min(first + line_bytes, at->address + at->bytes);
    return {begin, end - begin, number};
}

std::uint64_t BorderJobs::flag(std::uint32_t job, std::uint32_t rank, std::uint32_t semaphore) const
{
    return lines_.flags(job, rank).first + std::uint64_t{semaphore} * flag_stride;
}

std::optional<BorderJobs::Flag> BorderJobs::flag_at(std::uint64_t address) const
{
    auto at = flags_.upper_bound(address);
    if (at == flags_.begin()) return std::nullopt;
    --at;
    const std::uint64_t number = (address - at->first) / flag_stride;
    if (number >= at->second.count) return std::nullopt;
    return Flag{jobs_.at(at->second.job).core, at->second.rank, static_cast<std::uint32_t>(number)};
}

}  // namespace weft
