#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "platform/configuration/parameters/grouping.h"
#include "platform/result/summary.h"

namespace weft {

namespace {

// Three digits.
std::string short_time(Time ps)
{
    for (const auto& [scale, unit] :
        {std::pair(1e12, "s"), std::pair(1e9, "ms"), std::pair(1e6, "us"), std::pair(1e3, "ns")})
        if (static_cast<double>(ps) >= scale) return fmt::format("{:.3g} {}", static_cast<double>(ps) / scale, unit);
    return fmt::format("{} ps", ps);
}

std::vector<std::pair<std::string, Time>> longest_first(std::vector<std::pair<std::string, Time>> times)
{
    std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    while (!times.empty() && times.back().second == 0) times.pop_back();
    return times;
}

// Ranks that spent their time like the first of them.
struct RankGroup {
    std::vector<std::string> ranks;
    std::vector<double> first;   // shares of the first one, by cause
    std::vector<double> shares;  // the mean of all
};

// Each cause as a share of the simulated time; empty where no cause has any time.
std::vector<double> shares_of(const CauseTimes& times, Time simulated)
{
    std::vector<double> shares;
    if (std::all_of(times.begin(), times.end(), [](const auto& entry) { return entry.second == 0; })) return shares;
    for (const auto& entry : times)
        shares.push_back(static_cast<double>(entry.second) / static_cast<double>(simulated));
    return shares;
}

std::vector<RankGroup> alike_ranks(const RunResult& result, CauseTimes RankResult::*times, double tolerance)
{
    std::vector<RankGroup> groups;
    for (const RankResult& rank : result.ranks) {
        const std::vector<double> shares = shares_of(rank.*times, result.simulated_ps);
        if (shares.empty()) continue;
        const auto alike = [&](const RankGroup& group) {
            for (std::size_t i = 0; i < shares.size(); ++i)
                if (std::abs(group.first[i] - shares[i]) > tolerance) return false;
            return true;
        };
        const auto group = std::find_if(groups.begin(), groups.end(), alike);
        if (group == groups.end()) {
            groups.push_back({{std::to_string(rank.rank)}, shares, shares});
            continue;
        }
        group->ranks.push_back(std::to_string(rank.rank));
        for (std::size_t i = 0; i < shares.size(); ++i) group->shares[i] += shares[i];
    }
    for (RankGroup& group : groups)
        for (double& share : group.shares) share /= static_cast<double>(group.ranks.size());
    return groups;
}

}  // namespace

void add_shares(SummaryPage& page, const RunResult& result, CauseTimes RankResult::*times, const std::string& heading)
{
    constexpr std::size_t most = 6;
    std::vector<RankGroup> groups;
    for (const double tolerance : {0.02, 0.05, 0.1, 0.25}) {
        groups = alike_ranks(result, times, tolerance);
        if (groups.size() <= most) break;
    }
    if (groups.empty()) return;
    // Causes that cost any rank something.
    const auto first = std::find_if(result.ranks.begin(), result.ranks.end(),
        [times](const RankResult& rank) { return !(rank.*times).empty(); });
    const CauseTimes& causes = (*first).*times;
    std::vector<std::size_t> shown;
    std::string title = std::string(18, ' ');
    const auto width = [&](std::size_t cause) { return std::max<std::size_t>(6, causes[cause].first.size() + 1); };
    for (std::size_t cause = 0; cause < causes.size(); ++cause) {
        if (std::none_of(groups.begin(), groups.end(), [&](const RankGroup& group) { return group.shares[cause] > 0; }))
            continue;
        shown.push_back(cause);
        title += fmt::format(" {:>{}}", causes[cause].first, width(cause));
    }
    page.row("\n" + heading);
    page.row(title);
    for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
        const RankGroup& group = groups[i];
        std::string name = group_names(group.ranks, 1).front().text;
        name = name.size() > 10 ? fmt::format("{} ranks", group.ranks.size())
                                : (group.ranks.size() == 1 ? "rank " : "ranks ") + name;
        std::string row = fmt::format("  {:<16}", name);
        for (const std::size_t cause : shown) row += fmt::format(" {:>{}}", percent(group.shares[cause]), width(cause));
        page.row(row);
    }
    if (groups.size() > most) page.row(fmt::format("  and {} more groups (--json lists all)", groups.size() - most));
}

std::string trace_summary(const RunResult& result)
{
    constexpr std::size_t most = 10;
    if (!result.trace || result.trace->operations.empty()) return "";
    const TraceAnalysis& trace = *result.trace;
    const bool path = !trace.segments.empty();  // of a trace that ended
    const auto total = path ? static_cast<double>(trace.segments.back().end_ps) : 0;
    const auto sum = [](const std::optional<Time>& time) { return time ? short_time(*time) : std::string(">213 d"); };
    const auto share = [total](Time time) { return 100 * static_cast<double>(time) / total; };
    std::string out;
    if (path) out += "\ncritical path of the trace: the operations that determined its end\n";
    for (const auto& [kind, time] : longest_first(trace.path_ps))
        out += fmt::format("  {:<14} {:>11} {:>5.1f} %\n", kind, format_time_ps(time), share(time));
    out += "\noperations                       size  ranks  count    in all  longest  waited";
    out += path ? "  on path\n" : "\n";
    for (std::size_t i = 0; i < std::min(most, trace.operations.size()); ++i) {
        const TraceAnalysis::Operation& row = trace.operations[i];
        const std::string what = row.what.size() > 24 ? row.what.substr(0, 21) + "..." : row.what;
        out += fmt::format("  {:<24} {:>10} {:>6} {:>6} {:>9} {:>8} {:>7}", what,
            row.bytes > 0 ? format_bytes(row.bytes) : "", row.ranks > 0 ? std::to_string(row.ranks) : "", row.count,
            sum(row.total_ps), short_time(row.longest_ps), sum(row.waiting_ps));
        out += path ? fmt::format(" {:>6.1f} %\n", share(row.on_path_ps)) : "\n";
    }
    if (trace.operations.size() > most)
        out += fmt::format("  and {} more (--json lists all)\n", trace.operations.size() - most);
    return out;
}

std::string path_summary(const RunResult& result)
{
    constexpr std::size_t most = 10;
    if (result.paths.empty()) return "";
    std::string out = "\ncritical path: the time of a collective by cause\n";
    for (std::size_t i = 0; i < std::min(most, result.paths.size()); ++i) {
        const PathResult& path = result.paths[i];
        const CollectiveResult& run = result.collectives[path.collective];
        const Time total = run.end_ps - run.start_ps;
        std::size_t signals = 0;
        for (const PathResult::Segment& segment : path.segments) signals += segment.what != "step";
        if (result.paths.size() > 1)
            out += fmt::format("  {} of {} at {}, {}\n", run.op, format_bytes(run.bytes), format_time_ps(run.start_ps),
                format_time_ps(total));
        for (const auto& [cause, time] : longest_first(path.times_ps))
            out += fmt::format("  {:<14} {:>11} {:>5.1f} %\n", cause, format_time_ps(time),
                static_cast<double>(time) * 100 / static_cast<double>(total));
        out += fmt::format("  {} segments, {} signals between ranks (--json lists them, --timeline draws them)\n",
            path.segments.size(), signals);
    }
    if (result.paths.size() > most)
        out += fmt::format("  and {} more (--json lists all)\n", result.paths.size() - most);
    return out;
}

}  // namespace weft
