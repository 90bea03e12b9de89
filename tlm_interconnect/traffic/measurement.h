// Measurements of open-loop traffic: latency and throughput, by batches of the creation time of transactions.
//
// The run is cut into batches of equal length. Warm-up is found afterwards: of the means of all batches the leading
// ones are dropped that make the standard error of the rest smallest (MSER [White 1997]), at most half of them.
// Latency counts over lines created in the batches that are left; the 95 % confidence interval of its mean
// comes from the means of ten groups of them (t distribution). Throughput counts what is delivered in the second half of
// the run, its confidence interval that of ten parts of that half.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm_interconnect/traffic/latency_histogram.h"

namespace weft {

class Measurement {
public:
    static constexpr unsigned batches = 100;

    // Lines created in [0, duration) count.
    Measurement(Time duration, std::uint32_t endpoints);

    void created(std::uint32_t source, Time at, std::uint32_t bytes)
    {
        Batch& batch = batch_of(at);
        batch.offered += bytes;
        ++batch.created;
        batch.by_source[source].offered += bytes;
    }
    // Creation to arrival, for the latency.
    void add_latency(Time created_at, Time at) { batch_of(created_at).latency.add(at - created_at); }
    // Payload of `source` that is where it belongs, for the throughput: that of a read is there with its answer.
    void add_delivered(std::uint32_t source, Time at, std::uint32_t bytes)
    {
        if (at >= duration_) return;
        Batch& now = batch_of(at);
        now.accepted += bytes;
        now.by_source[source].accepted += bytes;
    }
    void arrived(std::uint32_t source, Time created_at, Time at, std::uint32_t bytes)
    {
        add_latency(created_at, at);
        add_delivered(source, at, bytes);
    }

    static constexpr double missing_share = 0.02;
    static constexpr double chance_share = 0.05;
    // Latencies are those of all lines as long as no larger share of them is missing.
    static constexpr double unknown_share = 0.01;

    struct Result {
        unsigned dropped = 0;       // batches of warm-up
        std::uint64_t lines = 0;    // that the latency is over
        std::uint64_t missing = 0;  // created in the same time and not arrived
        double mean = 0;            // ps; NaN: so many are missing that those which came say nothing about all
        double half_width = 0;      // ps, of the 95 % confidence interval; NaN: too few lines to tell
        Time p50 = 0;               // 0 where the mean is NaN, as p99 and max
        Time p99 = 0;
        Time max = 0;
        double offered = 0;  // B/s, all endpoints together
        double accepted = 0;
        double accepted_half_width = 0;  // B/s, of its 95 % confidence interval
        std::vector<double> by_source;   // B/s that arrived, by who sent it
        std::vector<bool> held_up;       // whose backlog keeps growing
        bool steady = false;  // accepted what was offered, no source is held up, and latency does not keep rising
    };
    // In a steady state `missing_share` of the offered rate may be missing, of all sources together and of each. So may what differs by
    // chance between the lines under way at the begin and at the end, three standard deviations (of a single source four); lines
    // come `together` lines at a time (where that is more than one, of all together no more than `chance_share`), and are delivered
    // after `delivered_after` ps where that is later than they arrive.
    Result result(double together = 1, double delivered_after = 0) const;

private:
    struct Bytes {
        std::uint64_t offered = 0;
        std::uint64_t accepted = 0;
    };
    struct Batch {
        LatencyHistogram latency;
        std::uint64_t created = 0;
        std::uint64_t offered = 0;
        std::uint64_t accepted = 0;
        std::vector<Bytes> by_source;
    };
    // Most calls are about the time that the last one was about: no division.
    Batch& batch_of(Time at)
    {
        if (at - current_begin_ >= length_) {
            current_ = static_cast<std::size_t>(at / length_);
            current_begin_ = current_ * length_;
        }
        return batches_[current_];
    }
    unsigned warm_up() const;
    bool is_held_up(std::size_t source, double together, double line) const;

    Time duration_;
    Time length_;
    std::size_t current_ = 0;
    Time current_begin_ = 0;
    std::vector<Batch> batches_;
};

// (sum x)^2 / (n sum x^2): 1 when all get the same [Jain 1984].
double jain_index(const std::vector<double>& shares);

}  // namespace weft
