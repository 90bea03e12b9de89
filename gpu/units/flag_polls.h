// Waits of workgroups for flags: the requests of their polls, and what follows from the responses.
//
// Owns: the count of polls, and whether it has found that the run cannot progress; the state of each wait is in its workgroup
// (flag_wait.h). Called by: ProgramFlow.
//
// Timing, by `wait_policy`: spin = an 8-byte load of the flag, again `spin_interval` after each response; backoff = the same with an
// interval that doubles up to `backoff_limit`; monitor = a load, then a request that the home slice answers when the flag
// changes, then a load again; waiting_atomic = one request that the home slice answers when the flag has the value.
// With several flags a poll issues one request a cycle; the interval to the next begins when all have their responses.
#pragma once

#include <algorithm>

#include "gpu/units/compute_unit.h"
#include "gpu/interface/gpu_spec.h"
#include "gpu/units/progress.h"
#include "gpu/units/unit_network.h"
#include "gpu/units/unit_scheduler.h"

namespace weft {

class FlagPolls {
public:
    FlagPolls(const GpuSpec& spec, UnitScheduler& scheduler, UnitNetwork& network, Progress& progress)
        : policy_(spec.wait_policy), spin_interval_(spec.spin_interval),
          backoff_limit_(std::max(spec.backoff_limit, spec.spin_interval)), scheduler_(scheduler), network_(network),
          progress_(progress)
    {
    }

    // The wait starts, and its interval has passed: a poll is to issue.
    void start(Workgroup& group)
    {
        group.wait.set_interval(spin_interval_);
        poll(group);
    }
    void poll(Workgroup& group)
    {
        group.wait.begin_poll();
        group.zero->to_issue = true;
    }
    // One request of the poll issues.
    void issue(ComputeUnit& unit, Wavefront& wave);

    enum class Outcome : std::uint8_t { waits, polls, ended };
    // The response for a flag: the wait has ended, a poll is to issue now, or it waits: for more responses, or for its interval.
    Outcome respond(Workgroup& group, std::uint32_t flag, Line& line);

    // A workgroup that waits for flags with stores under way that others may wait for: one of them is performed. With the last it is no
    // longer busy. Signals under way count in Progress by themselves.
    void acknowledged(Workgroup& group);

    // Whether it polls until the flags have their values; waiting atomics do not.
    bool spins() const { return policy_ != WaitPolicy::waiting_atomic; }
    // Before a run is given up, for a workgroup that does not spin: where its flags have their values by now, its responses are on their
    // way, and it counts as busy again.
    template <class FlagAt>
    void expect_responses(Workgroup& group, FlagAt flag_at)
    {
        bool all = true;
        group.wait.for_each_missing([&](std::uint32_t number) {
            const Wavefront::Word wait = group.zero->word(number);
            all = all && flag_at(wait.address) >= wait.value;
        });
        if (!all) return;
        group.spinning = false;
        progress_.busy();
    }

    bool cannot_progress() const { return cannot_progress_; }
    std::uint64_t polls() const { return polls_; }
    void reset_statistics() { polls_ = 0; }

private:
    void stand(Workgroup& group);

    WaitPolicy policy_;
    bool cannot_progress_ = false;
    Time spin_interval_;
    Time backoff_limit_;
    UnitScheduler& scheduler_;
    UnitNetwork& network_;
    Progress& progress_;
    std::uint64_t polls_ = 0;
};

}  // namespace weft
