// Counts of durations in bins that grow with the value: 1024 bins per octave, so that a percentile is at most
// 0.1 % above the true one (values below 2048 exactly), whatever the number of samples. Coarser bins put the median of
// narrow distributions above their mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm_interconnect/kernel/time.h"

namespace weft {

class LatencyHistogram {
public:
    void add(Time value)
    {
        const std::size_t bin = bin_of(value);
        if (bin >= counts_.size()) counts_.resize(bin + 1, 0);
        ++counts_[bin];
        ++total_;
        sum_ += value;
        max_ = std::max(max_, value);
        min_ = std::min(min_, value);
    }
    void merge(const LatencyHistogram& other)
    {
        if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size(), 0);
        for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
        total_ += other.total_;
        sum_ += other.sum_;
        max_ = std::max(max_, other.max_);
        min_ = std::min(min_, other.min_);
    }

    std::uint64_t count() const { return total_; }
    Time sum() const { return sum_; }
    Time max() const { return max_; }
    Time min() const { return total_ == 0 ? 0 : min_; }
    double mean() const { return total_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(total_); }
    // The smallest bin's upper end below which at least `share` (0..1) of the values lie; never above max().
    Time percentile(double share) const
    {
        const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(total_) + 0.999999);
        std::uint64_t seen = 0;
        for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
            seen += counts_[bin];
            if (seen >= wanted && seen > 0) return std::min(top_of(bin), max_);
        }
        return max_;
    }

private:
    static constexpr unsigned fine = 10;  // log2 of the bins per octave

    static std::size_t bin_of(Time value)
    {
        if (value < (Time{2} << fine)) return static_cast<std::size_t>(value);
        const unsigned octave = 63U - static_cast<unsigned>(__builtin_clzll(value)) - fine;
        return (std::size_t{octave} << fine) + static_cast<std::size_t>(value >> octave);
    }
    static Time top_of(std::size_t bin)
    {
        if (bin < (std::size_t{2} << fine)) return bin;
        const std::size_t octave = (bin >> fine) - 1;
        const Time lead = bin - (octave << fine);
        return ((lead + 1) << octave) - 1;
    }

    std::vector<std::uint64_t> counts_;
    std::uint64_t total_ = 0;
    Time sum_ = 0;
    Time max_ = 0;
    Time min_ = ~Time{0};
};

}  // namespace weft
