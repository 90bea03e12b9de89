#include "base/diagnostic.h"
#include "collectives/schedule/protocol/protocol.h"

namespace weft {

namespace {

constexpr std::uint64_t most_parts = 65536;

// Steps of a thread in groups: waits, then data, then signals. Each group is repeated, a part of the data at a time.
class Slicer {
public:
    Slicer(const Schedule& schedule, const Thread& thread, std::uint32_t slices)
        : schedule_(schedule), steps_(thread.steps), slices_(slices)
    {
    }

    // `last` becomes, of every step, the number of its last repetition.
    std::vector<Step> run(std::vector<std::uint32_t>& last)
    {
        last.resize(steps_.size());
        for (std::size_t begin = 0; begin < steps_.size();) {
            const std::size_t end = group_end(begin);
            if (!repeats(begin, end)) {
                for (; begin < end; ++begin) add(steps_[begin], begin, last);
                continue;
            }
            for (std::uint32_t slice = 0; slice < slices_; ++slice)
                for (std::size_t s = begin; s < end; ++s) add(part_of(steps_[s], slice), s, last);
            begin = end;
        }
        return std::move(out_);
    }

private:
    static int phase(const Step& step)
    {
        if (step.kind == StepKind::wait) return 0;
        if (is_data(step.kind)) return 1;
        if (step.kind == StepKind::signal) return 2;
        return 3;
    }

    // A step that waits for one of another thread does so for its last repetition, which may come behind that of data before it in the
    // group: these would never be there.
    std::size_t group_end(std::size_t begin) const
    {
        std::size_t end = begin + 1;
        if (phase(steps_[begin]) == 3) return end;
        const auto goes_on = [&](const Step& step) {
            const bool behind_others = phase(steps_[end - 1]) > 0;
            return phase(step) != 3 && phase(step) >= phase(steps_[end - 1]) && !(behind_others && !step.after.empty());
        };
        while (end < steps_.size() && goes_on(steps_[end])) ++end;
        return end;
    }

    // Signals and waits of a collective that moves nothing stay single.
    bool repeats(std::size_t begin, std::size_t end) const
    {
        if (schedule_.op == CollectiveOp::barrier) return false;
        return end > begin + 1 || phase(steps_[begin]) != 3;
    }

    Step part_of(const Step& step, std::uint32_t slice) const
    {
        Step part = step;
        if (!is_data(step.kind)) return part;
        if (std::uint64_t{step.parts} * slices_ > most_parts)
            throw InputError(schedule_.name, 0, "more than 65536 parts of a chunk", "fewer slices or channels");
        part.part = step.part * slices_ + slice;
        part.parts = step.parts * slices_;
        return part;
    }

    void add(Step step, std::size_t number, std::vector<std::uint32_t>& last)
    {
        last[number] = static_cast<std::uint32_t>(out_.size());
        out_.push_back(std::move(step));
    }

    const Schedule& schedule_;
    const std::vector<Step>& steps_;
    std::uint32_t slices_;
    std::vector<Step> out_;
};

}  // namespace

Schedule in_slices(const Schedule& schedule, std::uint32_t slices)
{
    Schedule out = schedule;
    if (slices <= 1) return out;
    for (RankPlan& plan : out.ranks) {
        std::vector<std::vector<std::uint32_t>> last(plan.threads.size());
        for (std::size_t t = 0; t < plan.threads.size(); ++t)
            plan.threads[t].steps = Slicer(schedule, plan.threads[t], slices).run(last[t]);
        for (Thread& thread : plan.threads)
            for (Step& step : thread.steps)
                for (StepId& id : step.after) id.step = last[id.thread][id.step];
    }
    return out;
}

}  // namespace weft
