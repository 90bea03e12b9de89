// The executor of a mixed run: of each job some ranks are carried out as lines, the others as flow.
//
// Both executors open every job. That of lines knows the addresses of all members, and keeps the order of all ends; of what the other one has
// it only hears when it is over. Over processes only that with the border has flow.
#pragma once

#include <memory>
#include <vector>

#include "collectives/engine/lines/delegate.h"
#include "collectives/engine/flow/flow_executor.h"
#include "collectives/engine/lines/line_executor.h"
#include "collectives/engine/protocol_choice.h"
#include "platform/applications/flow/border_jobs.h"
#include "platform/applications/flow/line_border.h"

namespace weft {

class MixedExecutor final : public Executor, private Delegate {
public:
    // `outside`: endpoints that `flow` has. `flow` and `border` are null where another process has them.
    MixedExecutor(LineExecutor& lines, FlowExecutor* flow, LineBorder* border, std::vector<bool> outside);

    std::uint32_t endpoints() const override { return lines_.endpoints(); }
    Picoseconds now() const override { return lines_.now(); }
    JobId open(Job job) override;
    void enter(JobId job, std::uint32_t position, Done done) override;
    void access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, Done done) override;
    void run_kernel(std::uint32_t endpoint, const KernelWork& work, Done done) override
    {
        lines_.run_kernel(endpoint, work, std::move(done));
    }
    void run_gemm(std::uint32_t endpoint, const Gemm& gemm, Done done) override
    {
        lines_.run_gemm(endpoint, gemm, std::move(done));
    }
    bool only_waits() const override { return lines_.only_waits(); }
    void wait(std::uint32_t endpoint, Picoseconds duration, Done done) override
    {
        lines_.wait(endpoint, duration, std::move(done));
    }
    double peak_flops(std::uint32_t endpoint) const override { return lines_.peak_flops(endpoint); }
    double memory_rate(std::uint32_t endpoint) const override { return lines_.memory_rate(endpoint); }
    const GpuSpec& compute_units(std::uint32_t endpoint) const override { return lines_.compute_units(endpoint); }
    const std::vector<JobRecord>& records() const override { return lines_.records(); }

private:
    struct Open {
        std::vector<std::uint32_t> members;
        std::uint32_t left = 0;
    };
    void leave(JobId job);
    template <class Action>
    void in_flow(const Action& action);

    void enter(JobId job, std::uint32_t position, Token token) override;
    void access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write,
        Token token) override;
    void run_kernel(std::uint32_t endpoint, const KernelWork& work, Token token) override;
    void wait(std::uint32_t endpoint, Picoseconds duration, Token token) override;

    LineExecutor& lines_;
    FlowExecutor* flow_;
    LineBorder* border_;
    std::vector<bool> outside_;
    BorderJobs jobs_;
    ProtocolChoice protocols_;
    std::map<JobId, Open> open_;
};

}  // namespace weft
