#include "tlm_interconnect/traffic/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace weft {

Measurement::Measurement(Time duration, std::uint32_t endpoints)
    : duration_(duration), length_(std::max<Time>(1, (duration + batches - 1) / batches)), batches_(batches)
{
    for (Batch& batch : batches_) batch.by_source.assign(endpoints, {});
}

unsigned Measurement::warm_up() const
{
    // From the end on: sums over the batches that would be kept.
    double sum = 0;
    double squares = 0;
    double kept = 0;
    double best = -1;
    unsigned drop = 0;
    for (unsigned b = batches; b-- > 0;) {
        const double mean = batches_[b].latency.mean();
        if (batches_[b].latency.count() > 0) {
            sum += mean;
            squares += mean * mean;
            kept += 1;
        }
        if (b > batches / 2 || kept < 2) continue;
        const double variance = std::max(0.0, squares / kept - sum / kept * (sum / kept));
        const double error = variance / kept;
        if (best < 0 || error <= best) {
            best = error;
            drop = b;
        }
    }
    return drop;
}

// Whether the backlog of a source grows in the second half by more than is left to it and to chance, and has done so in each quarter
// since the first: what a queue has at one instant by chance does not. A line has `line` bytes.
bool Measurement::is_held_up(std::size_t source, double together, double line) const
{
    constexpr unsigned quarter = batches / 4;
    constexpr double deviations = 4;
    std::array<double, 4> mean{};
    double backlog = 0;
    double begin = 0;
    double offered = 0;
    for (unsigned b = 0; b < batches; ++b) {
        const Bytes& bytes = batches_[b].by_source[source];
        backlog += static_cast<double>(bytes.offered) - static_cast<double>(bytes.accepted);
        mean[b / quarter] += backlog / quarter;
        if (b + 1 == batches / 2) begin = backlog;
        if (b >= batches / 2) offered += static_cast<double>(bytes.offered);
    }
    const double grown = backlog - begin;
    const double under_way = std::max(0.0, (mean[2] + mean[3]) / 2) / line;
    const double by_chance = deviations * std::sqrt(2 * under_way * together) * line;
    return grown > std::max(missing_share * offered, by_chance) && mean[3] - mean[1] > grown / 2 && mean[3] > mean[2] &&
        mean[2] > mean[1];
}

Measurement::Result Measurement::result(double together, double delivered_after) const
{
    constexpr unsigned groups = 10;
    constexpr double t95 = 2.262;  // 9 degrees of freedom
    Result out;
    out.dropped = warm_up();
    LatencyHistogram all;
    std::vector<LatencyHistogram> parts(groups);
    std::uint64_t offered = 0;
    std::uint64_t accepted = 0;
    std::uint64_t created = 0;
    std::uint64_t created_late = 0;
    std::vector<double> delivered(groups, 0);
    std::vector<std::uint64_t> by_source(batches_[0].by_source.size(), 0);
    const unsigned kept = batches - out.dropped;
    for (unsigned b = out.dropped; b < batches; ++b) {
        const Batch& batch = batches_[b];
        all.merge(batch.latency);
        parts[(b - out.dropped) * groups / kept].merge(batch.latency);
        created += batch.created;
        if (b < batches / 2) continue;
        offered += batch.offered;
        created_late += batch.created;
        accepted += batch.accepted;
        delivered[(b - batches / 2) * groups / (batches - batches / 2)] += static_cast<double>(batch.accepted);
        for (std::size_t s = 0; s < by_source.size(); ++s) by_source[s] += batch.by_source[s].accepted;
    }
    out.lines = all.count();
    out.missing = created - std::min(created, out.lines);
    out.mean = all.mean();
    out.p50 = all.percentile(0.5);
    out.p99 = all.percentile(0.99);
    out.max = all.max();
    const double seconds = static_cast<double>(duration_ - std::min(duration_ - 1, batches / 2 * length_)) * 1e-12;
    out.offered = static_cast<double>(offered) / seconds;
    out.accepted = static_cast<double>(accepted) / seconds;
    const double mean = static_cast<double>(accepted) / groups;
    double spread = 0;
    for (const double part : delivered) spread += (part - mean) * (part - mean);
    out.accepted_half_width = t95 * std::sqrt(spread / (groups - 1) / groups) * groups / seconds;
    for (const std::uint64_t bytes : by_source) out.by_source.push_back(static_cast<double>(bytes) / seconds);

    out.half_width = std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    double squares = 0;
    double used = 0;
    for (const LatencyHistogram& part : parts) {
        if (part.count() == 0) continue;
        sum += part.mean();
        squares += part.mean() * part.mean();
        used += 1;
    }
    if (used > 1) {
        const double variance = std::max(0.0, (squares - sum * sum / used) / (used - 1));
        out.half_width = t95 * std::sqrt(variance / used);
    }
    const bool rising = used == groups && parts[groups - 1].mean() > 1.5 * parts[0].mean() &&
        parts[groups - 1].mean() > parts[groups / 2].mean() && parts[groups / 2].mean() > parts[0].mean();
    const double under_way = static_cast<double>(created_late) / (seconds * 1e12) * std::max(out.mean, delivered_after);
    const double by_chance = created_late == 0
        ? 0
        : 3 * std::sqrt(2 * under_way * together) * static_cast<double>(offered) / static_cast<double>(created_late);
    // Beyond saturation latency grows, and with it what long messages could have under way by chance: there no more than a share
    // counts as chance.
    const double absent = static_cast<double>(offered) - static_cast<double>(accepted);
    const double most = together > 1 ? chance_share * static_cast<double>(offered) : static_cast<double>(offered);
    const double allowed = std::max(missing_share * static_cast<double>(offered), std::min(by_chance, most));
    const double line = created_late == 0 ? 1 : static_cast<double>(offered) / static_cast<double>(created_late);
    for (std::size_t s = 0; s < by_source.size(); ++s) out.held_up.push_back(is_held_up(s, together, line));
    const bool all_go_on = std::find(out.held_up.begin(), out.held_up.end(), true) == out.held_up.end();
    out.steady = out.lines > 0 && out.missing == 0 && absent <= allowed && all_go_on && !rising;
    if (static_cast<double>(out.missing) > unknown_share * static_cast<double>(out.lines + out.missing)) {
        out.mean = out.half_width = std::numeric_limits<double>::quiet_NaN();
        out.p50 = out.p99 = out.max = 0;
    }
    return out;
}

double jain_index(const std::vector<double>& shares)
{
    double sum = 0;
    double squares = 0;
    for (const double share : shares) {
        sum += share;
        squares += share * share;
    }
    return squares == 0 ? 1 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

}  // namespace weft
