// The executor of a mixed run: of each job some ranks are carried out as lines, the others as flow.
//
// Both executors open every job. That of lines knows the addresses of all members; of a rank that the other one has it only hears
// that it enters and leaves.
#pragma once

#include <memory>
#include <vector>

#include "collectives/engine/flow_executor.h"
#include "collectives/engine/line_executor.h"
#include "collectives/engine/protocol_choice.h"
#include "platform/applications/flow/border_jobs.h"
#include "platform/applications/flow/line_border.h"

namespace weft {

class MixedExecutor final : public Executor {
public:
    // `outside`: endpoints that `flow` has.
    MixedExecutor(LineExecutor& lines, FlowExecutor& flow, LineBorder& border, std::vector<bool> outside);

    std::uint32_t endpoints() const override { return lines_.endpoints(); }
    Picoseconds now() const override { return lines_.now(); }
    JobId open(Job job) override;
    void enter(JobId job, std::uint32_t position, Done done) override;
    void access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, Done done) override;
    void run_kernel(std::uint32_t endpoint, const KernelWork& work, Done done) override;
    void wait(std::uint32_t endpoint, Picoseconds duration, Done done) override;
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

    LineExecutor& lines_;
    FlowExecutor& flow_;
    LineBorder& border_;
    std::vector<bool> outside_;
    BorderJobs jobs_;
    ProtocolChoice protocols_;
    std::map<JobId, Open> open_;
};

}  // namespace weft
