// The background kernel of every rank, which repeats until the workload is over or cannot progress.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/engine/executor.h"
#include "gpu/kernels/gemm.h"
#include "platform/result/run_result.h"
#include "platform/simulation/timeline.h"

namespace weft {

class BackgroundKernel {
public:
    // `ranks`: the first endpoints. `over` says whether the workload has ended.
    BackgroundKernel(Executor& executor, Gemm kernel, std::uint32_t ranks, std::function<bool()> over);

    void start();
    bool finished() const { return running_ == 0; }
    BackgroundResult result(const std::string& kernel) const;
    // A track of each rank with its kernels, the first `most_shown` of all, and those under way where the run was stopped.
    void add_to(Timeline& out, std::optional<Time> stopped_at) const;

private:
    static constexpr std::size_t most_shown = 100'000;
    struct Span {
        std::uint32_t rank = 0;
        Time begin = 0;
        Time end = 0;
    };
    void next(std::uint32_t rank);

    Executor& executor_;
    Gemm kernel_;
    std::uint32_t ranks_;
    std::function<bool()> over_;
    std::uint32_t running_ = 0;
    std::uint64_t kernels_ = 0;
    std::vector<std::uint64_t> of_rank_;  // of these
    Time time_ = 0;                       // of finished kernels, summed
    Time end_ = 0;                        // of the last of them
    std::vector<Span> spans_;
    std::vector<std::optional<Time>> under_way_;  // by rank: since when
};

}  // namespace weft
