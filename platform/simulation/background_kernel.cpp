#include "platform/simulation/background_kernel.h"

#include <utility>

namespace weft {

BackgroundKernel::BackgroundKernel(Executor& executor, Gemm kernel, std::uint32_t ranks, std::function<bool()> over)
    : executor_(executor), kernel_(kernel), ranks_(ranks), over_(std::move(over)), of_rank_(ranks), under_way_(ranks)
{
}

void BackgroundKernel::start()
{
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        ++running_;
        next(rank);
    }
}

void BackgroundKernel::next(std::uint32_t rank)
{
    const Time begun = executor_.now();
    under_way_[rank] = begun;
    executor_.run_gemm(rank, kernel_, [this, rank, begun] {
        under_way_[rank].reset();
        ++kernels_;
        ++of_rank_[rank];
        time_ += executor_.now() - begun;
        end_ = executor_.now();
        if (spans_.size() < most_shown) spans_.push_back({rank, begun, executor_.now()});
        if (over_() || executor_.only_waits()) {
            --running_;
        } else {
            next(rank);
        }
    });
}

void BackgroundKernel::add_to(Timeline& out, std::optional<Time> stopped_at) const
{
    constexpr std::uint32_t track = 90'000;  // in front of those of nodes
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) out.name_thread(rank + 1, track, "background kernel");
    for (const Span& span : spans_) out.add({span.rank + 1, track, "kernel", span.begin, span.end, "", {}});
    if (!stopped_at || spans_.size() == most_shown) return;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
        if (under_way_[rank] && *under_way_[rank] < *stopped_at)
            out.add({rank + 1, track, "kernel", *under_way_[rank], *stopped_at, Timeline::unfinished, {}});
}

BackgroundResult BackgroundKernel::result(const std::string& kernel) const
{
    BackgroundResult out;
    out.kernel = kernel;
    out.finished = kernels_;
    out.end_ps = end_;
    const auto each = static_cast<double>(kernel_.operations());
    for (const std::uint64_t kernels : of_rank_) out.operations.push_back(static_cast<double>(kernels) * each);
    if (kernels_ == 0) return out;
    out.mean_ps = time_ / kernels_;
    out.flops = each * static_cast<double>(kernels_) * 1e12 / static_cast<double>(time_);
    return out;
}

}  // namespace weft
