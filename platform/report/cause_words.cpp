#include "platform/report/cause_words.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

namespace {

using Times = std::vector<std::pair<std::string, Time>>;

std::vector<std::string> three_of(Times times, double whole)
{
    std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> out;
    for (const auto& [cause, time] : times) {
        if (time == 0 || out.size() == 3) break;
        out.push_back(fmt::format("{:.1f} % ({}): {}", 100 * static_cast<double>(time) / whole, format_time_ps(time),
            words_of_cause(cause)));
    }
    return out;
}

LargestCauses largest_operations(const TraceAnalysis& trace)
{
    Time all = 0;
    for (const auto& [kind, time] : trace.path_ps) all += time;
    LargestCauses out{"The operations that took most of the time of the step, along its critical path:", {}};
    for (const TraceAnalysis::Operation& row : trace.operations) {
        if (row.on_path_ps == 0 || out.words.size() == 3) break;
        std::string what = row.what;
        if (row.bytes > 0) what += " of " + format_bytes(row.bytes);
        if (row.ranks > 0) what += fmt::format(" over {} ranks", row.ranks);
        out.words.push_back(fmt::format("{:.1f} % ({}): {}, {} time{} on all ranks",
            100 * static_cast<double>(row.on_path_ps) / static_cast<double>(std::max<Time>(1, all)),
            format_time_ps(row.on_path_ps), what, row.count, row.count == 1 ? "" : "s"));
    }
    return out;
}

}  // namespace

std::string words_of_cause(const std::string& cause)
{
    static const std::map<std::string, const char*> known{
        {"latency", "latency of links, switches and the on-die network"},
        {"memory", "caches and memory that requests go to"},
        {"serialisation", "transmission on wires and queues at ports"},
        {"compute_units", "compute units that issue, compute, or have reached their limit of requests in flight"},
        {"credits", "transactions that waited for a credit"},
        {"entry", "a rank that entered later than the first one"},
        {"launch", "the launch, until the first step begins"},
        {"flag", "waiting for a signal of another rank"},
        {"busy", "issuing requests"},
        {"issue", "waiting for a turn to issue"},
        {"registers", "waiting for registers: the limit of instructions in flight is reached"},
        {"loads", "waiting for loaded data"},
        {"unit_outstanding", "waiting at the limit of requests in flight of the compute unit"},
        {"acknowledge", "waiting for stores to be acknowledged"},
        {"barrier", "waiting for other wavefronts of the workgroup"},
        {"compute", "computing"},
        {"queued", "waiting for a free compute unit"},
        {"node_compute", "compute nodes of the trace"},
        {"node_collective", "collectives of the trace, waiting for the last member included"},
        {"node_send", "sends of the trace"},
        {"node_receive", "receives of the trace"},
        {"node_memory", "memory nodes of the trace"},
    };
    const auto found = known.find(cause);
    return found == known.end() ? cause : std::string(found->second) + " (" + cause + ")";
}

LargestCauses largest_causes(const RunResult& result)
{
    if (result.trace && !result.trace->segments.empty()) return largest_operations(*result.trace);
    const PathResult* longest = nullptr;
    Time time = 0;
    for (const PathResult& path : result.paths) {
        const CollectiveResult& run = result.collectives[path.collective];
        if (run.end_ps - run.start_ps <= time) continue;
        time = run.end_ps - run.start_ps;
        longest = &path;
    }
    if (longest != nullptr)
        return {fmt::format("Where the time of the {} went, along its critical path:",
                    result.collectives.size() == 1 ? "collective" : "longest collective"),
            three_of(longest->times_ps, static_cast<double>(time))};
    Times sums;
    std::size_t counted = 0;  // ranks that count causes
    for (const RankResult& rank : result.ranks) {
        if (!rank.stall_ps.empty()) ++counted;
        for (const auto& [cause, ps] : rank.stall_ps) {
            const auto found = std::find_if(sums.begin(), sums.end(),
                [&, name = cause](const auto& sum) { return sum.first == name; });
            if (found == sums.end())
                sums.emplace_back(cause, ps);
            else
                found->second += ps;
        }
    }
    for (auto& [cause, ps] : sums) ps /= std::max<std::size_t>(1, counted);
    return {"How the ranks spent the simulated time, in the mean:",
        three_of(sums, static_cast<double>(std::max<Time>(1, result.simulated_ps)))};
}

}  // namespace weft
