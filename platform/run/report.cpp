#include "platform/run/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/config/grouping.h"
#include "platform/run/disagreement.h"
#include "platform/run/run_trace.h"

namespace weft {

namespace {

// "1.84 MB": three digits, for people.
std::string short_bytes(double bytes)
{
    for (const auto& [scale, unit] :
        {std::pair(1e12, "TB"), std::pair(1e9, "GB"), std::pair(1e6, "MB"), std::pair(1e3, "kB")})
        if (bytes >= scale) return fmt::format("{:.3g} {}", bytes / scale, unit);
    return fmt::format("{:.0f} B", bytes);
}

// "5.48 M"
std::string short_count(double count)
{
    for (const auto& [scale, unit] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")})
        if (count >= scale) return fmt::format("{:.3g} {}", count / scale, unit);
    return fmt::format("{:.0f}", count);
}

std::string counted(std::size_t count, const std::string& what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : what.back() == 'h' ? "es" : "s");
}

// Never "0 %" for something nor "100 %" for less.
std::string percent(double share)
{
    if (share > 0 && share < 0.01) return "<1 %";
    return fmt::format("{:.0f} %", std::min(share * 100, share < 1 ? 99.0 : 100.0));
}

// The lines of the summary: a label, then what it says.
class Page {
public:
    void line(std::string_view label, std::string_view text)
    {
        text_ += fmt::format("{:<12}{}\n", label, text);
    }
    void row(std::string text)
    {
        text.erase(text.find_last_not_of(' ') + 1);
        text_ += text + "\n";
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

// The first `most` of `lines`, and how many are left out.
void list(Page& page, std::string_view label, const std::vector<std::string>& lines, std::size_t most)
{
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) page.line(i == 0 ? label : "", lines[i]);
    if (lines.size() > most)
        page.line("", fmt::format("and {} more (--json lists all)", lines.size() - most));
}

void add_stop(Page& page, const RunResult& result)
{
    const std::string when = format_time_ps(result.simulated_ps);
    if (result.stop == StopReason::deadlock) {
        page.line("DEADLOCK", "at " + when + " nothing can progress any more; results are partial");
        list(page, "who waits", result.blocked, 16);
    }
    if (result.stop == StopReason::wrong) {
        page.line("WRONG", "at " + when + " a module found what must not be; results are partial");
        list(page, "what", result.problems, 24);
        list(page, "waveform", result.fault_waves, 4);
    }
    if (result.stop == StopReason::interrupted)
        page.line("INTERRUPTED", "at " + when + "; results are partial");
    if (result.stop == StopReason::until)
        page.line("stopped", "at " + when + ", as --until says; results are partial");
}

std::string bandwidths(const CollectiveResult& run)
{
    if (!run.finished) return "not finished";
    return fmt::format("algbw {:.4g} GB/s, busbw {:.4g} GB/s", run.algbw_GBps, run.busbw_GBps);
}

void add_collectives(Page& page, const RunResult& result)
{
    constexpr std::size_t most = 10;
    if (result.collectives.size() == 1) {
        const CollectiveResult& run = result.collectives.front();
        std::string what = fmt::format("{}, {}{}, {}{}", run.op, run.algorithm,
            run.price ? " (chosen by " + run.price->chosen_by + ")" : "",
            run.protocol == "simple" ? "" : run.protocol + ", ", counted(run.ranks, "rank"));
        if (run.bytes > 0) what += ", " + format_bytes(run.bytes);
        page.line("ran", what);
        const Time time = run.finished ? run.end_ps - run.start_ps : result.simulated_ps;
        const bool alone = time == result.simulated_ps;
        page.line("time",
            format_time_ps(time) + (alone ? "" : " of " + format_time_ps(result.simulated_ps) + " in all"));
        if (run.bytes > 0) page.line("bandwidth", bandwidths(run));
        return;
    }
    page.line("ran",
        counted(result.collectives.size(), "collective") + " on " + counted(result.ranks.size(), "rank"));
    page.line("time", format_time_ps(result.simulated_ps));
    for (std::size_t i = 0; i < std::min(most, result.collectives.size()); ++i) {
        const CollectiveResult& run = result.collectives[i];
        page.row(fmt::format("  {:<14} {:<7} {:>5} ranks {:>10}  {:>11} to {:>11}  {}", run.op, run.algorithm,
            run.ranks, format_bytes(run.bytes), format_time_ps(run.start_ps),
            run.finished ? format_time_ps(run.end_ps) : "?",
            run.finished ? fmt::format("{:.4g} GB/s", run.busbw_GBps) : "not finished") +
            (run.price ? ", chosen" : ""));
    }
    if (result.collectives.size() > most)
        page.row(fmt::format("  and {} more (--json lists all)", result.collectives.size() - most));
}

void add_verification(Page& page, const RunResult& result)
{
    if (!result.verification.empty()) return page.line("verified", result.verified + ": " + result.verification + "; no data move");
    if (result.verified == "passed") page.line("verified", "passed: results in memory are right");
    if (result.verified == "off") page.line("verified", "off: no data was compared");
    if (result.verified != "failed") return;
    page.line("verified", "FAILED: results in memory are wrong");
    list(page, "", result.mismatches, 8);
}

void add_theory_lines(Page& page, const RunResult& result)
{
    if (!result.theory || result.theory->time_ps == 0) return;
    const AlphaBeta& theory = *result.theory;
    const std::uint64_t steps_ps = theory.steps * theory.alpha_ps;
    const double wire_ps = theory.rate == 0
        ? 0
        : static_cast<double>(theory.wire_bytes) * 1e12 / static_cast<double>(theory.rate);
    const double launch_ps = static_cast<double>(theory.time_ps) - static_cast<double>(steps_ps) - wire_ps;
    std::string parts =
        launch_ps < 2 ? "" : fmt::format("{} to launch + ", format_time_ps(std::llround(launch_ps)));
    parts += fmt::format("{} step{} x {}", theory.steps, theory.steps == 1 ? "" : "s",
        format_time_ps(theory.alpha_ps));
    if (theory.wire_bytes > 0)
        parts += fmt::format(" + {} at {}", short_bytes(static_cast<double>(theory.wire_bytes)),
            format_rate(theory.rate));
    std::string difference;
    if (result.stop == StopReason::finished && result.collectives.size() == 1) {
        const CollectiveResult& run = result.collectives.front();
        const double simulated = static_cast<double>(run.end_ps - run.start_ps);
        difference =
            fmt::format("; simulated {:+.1f} %", (simulated / static_cast<double>(theory.time_ps) - 1) * 100);
    }
    page.line("alpha-beta", format_time_ps(theory.time_ps) + " = " + parts + difference);
    if (!theory.explanation.empty()) page.line("", "alpha: " + theory.explanation);
    page.line("", "slowest pair, busiest link; without contention, cold misses, issue slots, overlap of chunks");
}

void add_choice(Page& page, const RunResult& result)
{
    constexpr std::size_t most = 3;
    if (!result.choice) return;
    const auto& priced = result.choice->priced;
    std::string difference;
    if (result.stop == StopReason::finished && result.collectives.size() == 1 && priced.front().time_ps > 0) {
        const CollectiveResult& run = result.collectives.front();
        difference = fmt::format("; simulated {:+.1f} %",
            (static_cast<double>(run.end_ps - run.start_ps) / static_cast<double>(priced.front().time_ps) - 1) * 100);
    }
    for (std::size_t i = 0; i < std::min(most, priced.size()); ++i) {
        page.line(i == 0 ? result.choice->asked : "",
            fmt::format("{}{}, estimated {} = {}{}", i == 0 ? "chose " : "before ", priced[i].algorithm,
                format_time_ps(priced[i].time_ps), text_of(priced[i].terms), i == 0 ? difference : ""));
        page.line("", "  " + priced[i].why);
    }
    if (priced.size() > most)
        page.line("", fmt::format("and {} more (--json lists all)", priced.size() - most));
    for (const ChoiceResult::PassedOver& one : result.choice->passed_over)
        page.line("", fmt::format("not {}, estimated {}: {}", one.algorithm, format_time_ps(one.time_ps), one.why));
}

// Directions of links with alike names and loads.
struct LinkGroup {
    const LinkResult* first;
    std::vector<std::string> names;  // "from~to"
    int share = 0;                   // of the time busy, per cent
};

std::string without_digits(std::string name)
{
    name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }),
        name.end());
    return name;
}

// The busiest first.
std::vector<LinkGroup> busy_groups(const RunResult& result)
{
    std::map<std::tuple<int, double, std::string>, std::size_t> index;
    std::vector<LinkGroup> groups;
    for (const LinkResult& link : result.link_results) {
        if (link.busy_ps == 0 || result.simulated_ps == 0) continue;
        const double share = static_cast<double>(link.busy_ps) / static_cast<double>(result.simulated_ps);
        const int rounded = static_cast<int>(std::lround(share * 100));
        const std::string name = link.from + "~" + link.to;
        const auto [entry, fresh] =
            index.try_emplace({rounded, link.GBps, without_digits(name)}, groups.size());
        if (fresh) groups.push_back({&link, {}, rounded});
        groups[entry->second].names.push_back(name);
    }
    std::stable_sort(groups.begin(), groups.end(),
        [](const LinkGroup& a, const LinkGroup& b) { return a.share > b.share; });
    return groups;
}

void add_links(Page& page, const RunResult& result)
{
    constexpr std::size_t most = 5;
    constexpr std::size_t width = 49;
    const std::vector<LinkGroup> groups = busy_groups(result);
    if (groups.empty()) return;
    page.row(fmt::format("\n{:<{}} {:>5} {:>8} {:>5} {:>9} {:>9} {:>6}", "busiest links", width + 2, "count",
        "GB/s", "busy", "on wire", "payload", "queue"));
    for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
        const LinkGroup& group = groups[i];
        std::string name = group_names(group.names, 1).front().text;
        if (const std::size_t joint = name.find('~'); joint != std::string::npos)
            name.replace(joint, 1, " -> ");
        const LinkResult& link = *group.first;
        if (name.size() > width) {
            page.row("  " + name);
            name.clear();
        }
        page.row(fmt::format("  {:<{}} {:>5} {:>8.4g} {:>5} {:>9} {:>9} {:>6}", name, width,
            group.names.size(), link.GBps, group.share == 0 ? "<1 %" : fmt::format("{} %", group.share),
            short_bytes(static_cast<double>(link.wire_bytes)),
            short_bytes(static_cast<double>(link.payload_bytes)), link.peak_queue));
    }
    if (groups.size() > most)
        page.row(fmt::format("  and {} groups of less busy ones", groups.size() - most));
}

// Channels of links with alike names, and the one of them whose lines waited longest.
struct WaitGroup {
    const LinkResult::Channel* worst;
    std::vector<std::string> names;  // "from~to"
};

// Where lines of a watched run waited, for credits or for others: the longest first.
std::vector<WaitGroup> wait_groups(const RunResult& result)
{
    const auto time = [](const LinkResult::Channel& channel) {
        return channel.count.credit_stall + channel.count.arbitration_wait;
    };
    std::map<std::pair<std::string, std::string>, std::size_t> index;
    std::vector<WaitGroup> groups;
    for (const LinkResult& link : result.link_results) {
        const std::string name = link.from + "~" + link.to;
        for (const LinkResult::Channel& channel : link.channels) {
            if (time(channel) == 0) continue;
            const auto [entry, fresh] = index.try_emplace({channel.name, without_digits(name)}, groups.size());
            if (fresh) groups.push_back({&channel, {}});
            WaitGroup& group = groups[entry->second];
            group.names.push_back(name);
            if (time(channel) > time(*group.worst)) group.worst = &channel;
        }
    }
    std::stable_sort(groups.begin(), groups.end(),
        [&](const WaitGroup& a, const WaitGroup& b) { return time(*a.worst) > time(*b.worst); });
    return groups;
}

void add_stalls(Page& page, const RunResult& result)
{
    constexpr std::size_t most = 6;
    constexpr std::size_t width = 45;
    const std::vector<WaitGroup> groups = wait_groups(result);
    if (groups.empty() || result.simulated_ps == 0) return;
    page.row(fmt::format("\n{:<{}} {:>5} {:>9} {:>6} {:>13} {:>12} {:>10}", "where lines waited; the worst of each", width + 2,
        "count", "channel", "queue", "credit stall", "wait a line", "longest"));
    const auto time = static_cast<double>(result.simulated_ps);
    for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
        const PortWatch::Channel& count = groups[i].worst->count;
        std::string name = group_names(groups[i].names, 1).front().text;
        if (const std::size_t joint = name.find('~'); joint != std::string::npos) name.replace(joint, 1, " -> ");
        if (name.size() > width) {
            page.row("  " + name);
            name.clear();
        }
        page.row(fmt::format("  {:<{}} {:>5} {:>9} {:>6.3g} {:>13} {:>12} {:>10}", name, width, groups[i].names.size(),
            groups[i].worst->name, static_cast<double>(count.queue_area) / time,
            percent(static_cast<double>(count.credit_stall) / time),
            format_time_ps(count.arbitration_wait / std::max<std::uint64_t>(1, count.lines)),
            format_time_ps(count.arbitration_longest)));
    }
    if (groups.size() > most) page.row(fmt::format("  and {} more groups (--json lists all)", groups.size() - most));
}

// Ranks that spent their time like the first of them.
struct RankGroup {
    std::vector<std::string> ranks;
    std::vector<double> shares;  // by cause
};

using Times = std::vector<std::pair<std::string, Time>>;  // by cause

std::vector<double> shares_of(const Times& times)
{
    double total = 0;
    for (const auto& entry : times) total += static_cast<double>(entry.second);
    std::vector<double> shares;
    if (total == 0) return shares;
    for (const auto& entry : times) shares.push_back(static_cast<double>(entry.second) / total);
    return shares;
}

std::vector<RankGroup> alike_ranks(const RunResult& result, Times RankResult::*times, double tolerance)
{
    std::vector<RankGroup> groups;
    for (const RankResult& rank : result.ranks) {
        const std::vector<double> shares = shares_of(rank.*times);
        if (shares.empty()) continue;
        const auto alike = [&](const RankGroup& group) {
            for (std::size_t i = 0; i < shares.size(); ++i)
                if (std::abs(group.shares[i] - shares[i]) > tolerance) return false;
            return true;
        };
        const auto group = std::find_if(groups.begin(), groups.end(), alike);
        if (group == groups.end())
            groups.push_back({{std::to_string(rank.rank)}, shares});
        else
            group->ranks.push_back(std::to_string(rank.rank));
    }
    return groups;
}

void add_shares(Page& page, const RunResult& result, Times RankResult::*times, const std::string& heading)
{
    constexpr std::size_t most = 6;
    std::vector<RankGroup> groups;
    for (const double tolerance : {0.02, 0.05, 0.1, 0.25}) {
        groups = alike_ranks(result, times, tolerance);
        if (groups.size() <= most) break;
    }
    if (groups.empty()) return;
    // Causes that cost any rank something.
    const Times& causes = result.ranks.front().*times;
    std::vector<std::size_t> shown;
    std::string title = std::string(18, ' ');
    const auto width = [&](std::size_t cause) {
        return std::max<std::size_t>(6, causes[cause].first.size() + 1);
    };
    for (std::size_t cause = 0; cause < causes.size(); ++cause) {
        if (std::none_of(groups.begin(), groups.end(),
                [&](const RankGroup& group) { return group.shares[cause] > 0; }))
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
        for (const std::size_t cause : shown)
            row += fmt::format(" {:>{}}", percent(group.shares[cause]), width(cause));
        page.row(row);
    }
    if (groups.size() > most)
        page.row(fmt::format("  and {} more groups (--json lists all)", groups.size() - most));
}

void add_work(Page& page, const RunResult& result)
{
    if (result.fidelity == "flow") {
        std::string text = fmt::format("{} messages at flow fidelity", short_count(static_cast<double>(result.messages)));
        if (result.wall_s > 0) text += fmt::format(" in {:.3g} s; set-up {:.2g} s", result.wall_s, result.elaborate_s);
        return page.line("simulated", text);
    }
    const auto lines = static_cast<double>(result.lines);
    const auto hops = static_cast<double>(result.line_hops);
    std::string text = fmt::format("{} lines, {} line hops", short_count(lines), short_count(hops));
    if (result.wall_s > 0)
        text += fmt::format(" in {:.3g} s ({} hops/s); elaboration {:.2g} s", result.wall_s,
            short_count(hops / result.wall_s), result.elaborate_s);
    page.line("simulated", text);
}

// Payload on links beside what the schedule puts there; flags are the difference.
void add_payload(Page& page, const RunResult& result)
{
    double counted_bytes = 0;
    double theory = 0;
    double worst = 0;
    for (const LinkResult& link : result.link_results) {
        if (!link.theory_payload) return;
        counted_bytes += static_cast<double>(link.payload_bytes);
        theory += *link.theory_payload;
        if (*link.theory_payload > 0)
            worst = std::max(worst, std::abs(static_cast<double>(link.payload_bytes) / *link.theory_payload - 1));
    }
    if (theory == 0) return;
    page.line("link bytes", fmt::format("{} of payload, flags among it; the schedule has {}; {:.1f} % apart on the worst link",
                                short_bytes(counted_bytes), short_bytes(theory), worst * 100));
}

// Looks at flags that went over links.
void add_flags(Page& page, const RunResult& result)
{
    double reads = 0;
    double bytes = 0;
    for (const LinkResult& link : result.link_results) {
        reads += static_cast<double>(link.flag_reads);
        bytes += static_cast<double>(link.flag_bytes);
    }
    if (bytes > 0)
        page.line("flags", fmt::format("{} on links by looks at flags; {} requests, counted on each link",
                               short_bytes(bytes), short_count(reads)));
}

// Messages of network cards, and which of them are single lines that no transfer holds together.
void add_cards(Page& page, const RunResult& result)
{
    std::map<std::string, double> sums;
    for (const ModuleResult& module : result.modules)
        for (const Statistic& statistic : module.statistics)
            if (statistic.name.find("message") != std::string::npos) sums[statistic.name] += statistic.value;
    if (sums["messages"] == 0) return;
    page.line("cards", fmt::format("{} messages of {} lines by network cards; {} of them single lines: signals, looks at flags, "
                                   "words, which cost a message each",
                           short_count(sums["messages"]), short_count(sums["message_lines"]), short_count(sums["single_messages"])));
}

}  // namespace

std::string result_summary(const RunResult& result)
{
    Page page;
    page.line("system",
        fmt::format("{}: {}, {} and {} of a graph of {}; seed {}", result.system,
            counted(result.endpoints, "endpoint"), counted(result.switches, "switch"),
            counted(result.links, "link"), counted(result.nodes, "node"), result.seed));
    add_stop(page, result);
    add_collectives(page, result);
    add_verification(page, result);
    if (result.beside)
        page.line("beside", fmt::format("{}: {} kernels of {} in the mean, {:.3g} TFLOP/s a rank", result.beside->kernel,
            result.beside->finished, format_time_ps(result.beside->mean_ps), result.beside->flops / 1e12));
    add_choice(page, result);
    add_theory_lines(page, result);
    list(page, "apart", disagreements(result), 3);
    add_work(page, result);
    add_payload(page, result);
    add_flags(page, result);
    add_cards(page, result);
    if (const auto& bound = result.memory_bound)
        page.line("memory", fmt::format("bound by {} = {:.4g} GB/s: busy for {} of the time{} at {}, carried {:.4g} GB/s",
            bound->parameter, bound->most_GBps, percent(bound->share), bound->parameter == "hbm.bandwidth" ? ", refreshes included," : "",
            bound->gpu, bound->GBps));
    list(page, "notices", result.notices, 6);
    list(page, "assumed", assumption_lines(result.assumptions), 16);
    add_links(page, result);
    add_stalls(page, result);
    add_shares(page, result, &RankResult::breakdown_ps, "how ranks spent the time, in per cent of all");
    add_shares(page, result, &RankResult::stall_ps, "what ranks waited for, in per cent of their time");
    return page.take() + path_summary(result);
}

}  // namespace weft
