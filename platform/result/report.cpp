#include "platform/result/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/configuration/parameters/grouping.h"
#include "platform/result/disagreement.h"
#include "platform/result/summary.h"

namespace weft {

namespace {

// The chain and the ranks, then modules: half of the lines are theirs, if there are too many.
void add_waiting(SummaryPage& page, const RunResult& result)
{
    constexpr std::size_t most = 16;
    const std::size_t modules = result.blocked_modules;
    const std::size_t others = result.blocked.size() - modules;
    const std::size_t of_modules = std::min(modules, std::max(most / 2, most - std::min(others, most)));
    const auto from = result.blocked.begin() + static_cast<std::ptrdiff_t>(others);
    list(page, "waiting", {result.blocked.begin(), from}, most - of_modules);
    list(page, others == 0 ? "waiting" : "", {from, result.blocked.end()}, of_modules);
}

void add_stop(SummaryPage& page, const RunResult& result)
{
    const std::string when = format_time_ps(result.simulated_ps);
    if (result.stop == StopReason::deadlock) {
        page.line("DEADLOCK", "at " + when + " no progress is possible; results are partial");
        add_waiting(page, result);
    }
    if (result.stop == StopReason::wrong) {
        page.line("WRONG", "at " + when + " a module reported an error; results are partial");
        list(page, "what", result.problems, 24);
        list(page, "waveform", result.fault_waves, 4);
    }
    if (result.stop == StopReason::interrupted) page.line("INTERRUPTED", "at " + when + "; results are partial");
    if (result.stop == StopReason::until)
        page.line("stopped", "at " + when + ", at the limit of --until; results are partial");
}

std::string bandwidths(const CollectiveResult& run)
{
    if (!run.finished) return "not finished";
    return fmt::format("algbw {:.4g} GB/s, busbw {:.4g} GB/s", run.algbw_GBps, run.busbw_GBps);
}

std::string group_text(const CollectiveResult& run)
{
    constexpr std::size_t most = 24;
    const bool whole = run.members.size() <= most;
    return fmt::format("group {} (ranks {}{})", run.group, run.members.substr(0, most), whole ? "" : " ...");
}

void add_collectives(SummaryPage& page, const RunResult& result)
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
        (result.collectives.empty() ? std::string("a trace without collectives")
                                    : counted(result.collectives.size(), "collective")) +
            " on " + counted(result.ranks.size(), "rank"));
    page.line("time", format_time_ps(result.simulated_ps));
    const CollectiveResult* const first = result.collectives.empty() ? nullptr : &result.collectives.front();
    const bool groups = std::any_of(result.collectives.begin(), result.collectives.end(),
        [&](const CollectiveResult& run) { return run.group != first->group || run.members != first->members; });
    for (std::size_t i = 0; i < std::min(most, result.collectives.size()); ++i) {
        const CollectiveResult& run = result.collectives[i];
        page.row(
            fmt::format("  {:<14} {:<7} {:>5} ranks {:>10}  {:>11} to {:>11}  {}", run.op, run.algorithm, run.ranks,
                format_bytes(run.bytes), format_time_ps(run.start_ps), run.finished ? format_time_ps(run.end_ps) : "?",
                run.finished ? fmt::format("busbw {:.4g} GB/s", run.busbw_GBps) : "not finished") +
            (run.price ? ", chosen" : "") + (groups ? ", " + group_text(run) : ""));
    }
    if (result.collectives.size() > most)
        page.row(fmt::format("  and {} more (--json lists all)", result.collectives.size() - most));
}

void add_verification(SummaryPage& page, const RunResult& result)
{
    if (result.checked_connections > 0)
        page.line("protocol",
            result.protocol_problems == 0 ? fmt::format("kept on all of {} connections", result.checked_connections)
                                          : fmt::format("VIOLATED: {} calls on {} connections, named above",
                                                result.protocol_problems, result.checked_connections));
    if (!result.verification.empty())
        return page.line("verified", result.verified + ": " + result.verification + "; no data move");
    const bool barriers_only = !result.collectives.empty() &&
        std::all_of(result.collectives.begin(), result.collectives.end(),
            [](const CollectiveResult& run) { return run.op == "barrier"; });
    if (result.verified == "passed")
        page.line("verified",
            barriers_only ? "passed: a barrier leaves no data to compare" : "passed: results in memory are right");
    if (result.verified == "off") page.line("verified", "off: no data was compared");
    if (result.verified != "failed") return;
    page.line("verified", "FAILED: results in memory are wrong");
    list(page, "", result.mismatches, 8);
}

void add_theory_lines(SummaryPage& page, const RunResult& result)
{
    if (!result.theory || result.theory->time_ps == 0) return;
    const AlphaBeta& theory = *result.theory;
    const std::uint64_t steps_ps = theory.steps * theory.alpha_ps;
    const double wire_ps =
        theory.rate == 0 ? 0 : static_cast<double>(theory.wire_bytes) * 1e12 / static_cast<double>(theory.rate);
    const double launch_ps = static_cast<double>(theory.time_ps) - static_cast<double>(steps_ps) - wire_ps;
    std::string parts = launch_ps < 2 ? "" : fmt::format("{} to launch + ", format_time_ps(std::llround(launch_ps)));
    parts += fmt::format("{} step{} x {}", theory.steps, theory.steps == 1 ? "" : "s", format_time_ps(theory.alpha_ps));
    if (theory.wire_bytes > 0)
        parts +=
            fmt::format(" + {} at {}", short_bytes(static_cast<double>(theory.wire_bytes)), format_rate(theory.rate));
    std::string difference;
    if (result.stop == StopReason::finished && result.collectives.size() == 1) {
        const CollectiveResult& run = result.collectives.front();
        const double simulated = static_cast<double>(run.end_ps - run.start_ps);
        difference = fmt::format("; simulated {:+.1f} %", (simulated / static_cast<double>(theory.time_ps) - 1) * 100);
    }
    page.line("alpha-beta", format_time_ps(theory.time_ps) + " = " + parts + difference);
    if (!theory.explanation.empty()) page.line("", "alpha: " + theory.explanation);
    page.line("",
        "for the slowest pair and the busiest link; without contention, cold misses, issue slots, overlap of chunks");
}

void add_choice(SummaryPage& page, const RunResult& result)
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
    if (priced.size() > most) page.line("", fmt::format("and {} more (--json lists all)", priced.size() - most));
    for (const ChoiceResult::PassedOver& one : result.choice->passed_over)
        page.line("", fmt::format("not {}, estimated {}: {}", one.algorithm, format_time_ps(one.time_ps), one.why));
}

void add_work(SummaryPage& page, const RunResult& result)
{
    if (result.fidelity == "flow") {
        std::string text =
            fmt::format("{} messages at flow fidelity", short_count(static_cast<double>(result.messages)));
        if (result.wall_s > 0) text += fmt::format(" in {:.3g} s; set-up {:.2g} s", result.wall_s, result.elaborate_s);
        return page.line("simulated", text);
    }
    const auto lines = static_cast<double>(result.lines);
    const auto hops = static_cast<double>(result.line_hops);
    std::string text = fmt::format("{} transactions, {} hops", short_count(lines), short_count(hops));
    if (result.fidelity == "mixed")
        text += fmt::format(" at lines, {} messages of flow", short_count(static_cast<double>(result.messages)));
    if (result.grain > 64)
        text = fmt::format("{} lines of 64 B in transactions of up to {} B, {} hops", short_count(lines), result.grain,
            short_count(hops));
    if (result.wall_s > 0)
        text += fmt::format(" in {:.3g} s ({} hops/s); elaboration {:.2g} s", result.wall_s,
            short_count(hops / result.wall_s), result.elaborate_s);
    if (result.cut && result.wall_s > 0)
        text += fmt::format("; {} windows ({}/s)", result.cut->windows,
            short_count(static_cast<double>(result.cut->windows) / result.wall_s));
    page.line("simulated", text);
}

// Payload on links beside what the schedule puts there; flags are the difference.
void add_payload(SummaryPage& page, const RunResult& result)
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
    page.line("link bytes",
        fmt::format("{} of payload, flags included; the schedule has {}; the worst link differs by {:.1f} %",
            short_bytes(counted_bytes), short_bytes(theory), worst * 100));
}

// Looks at flags that went over links.
void add_flags(SummaryPage& page, const RunResult& result)
{
    double reads = 0;
    double bytes = 0;
    for (const LinkResult& link : result.link_results) {
        reads += static_cast<double>(link.flag_reads);
        bytes += static_cast<double>(link.flag_bytes);
    }
    if (bytes > 0)
        page.line("flags",
            fmt::format("{} on links by polls of flags; {} requests, counted on each link", short_bytes(bytes),
                short_count(reads)));
}

// Bit errors and repetitions of all links with a retry protocol.
void add_retries(SummaryPage& page, const RunResult& result)
{
    LinkResult::Retry sum;
    bool any = false;
    for (const LinkResult& link : result.link_results) {
        if (!link.retry) continue;
        any = true;
        sum.errors += link.retry->errors;
        sum.replays += link.retry->replays;
        sum.repeated_bytes += link.retry->repeated_bytes;
    }
    if (any)
        page.line("retries",
            fmt::format("{} packets hit by bit errors; senders went back {} times and sent {} again", sum.errors,
                sum.replays, short_bytes(static_cast<double>(sum.repeated_bytes))));
}

// Messages of network cards, and which of them are single lines that no transfer holds together.
void add_cards(SummaryPage& page, const RunResult& result)
{
    std::map<std::string, double> sums;
    for (const ModuleResult& module : result.modules)
        for (const Statistic& statistic : module.statistics)
            if (statistic.name.find("message") != std::string::npos) sums[statistic.name] += statistic.value;
    if (sums["messages"] == 0) return;
    page.line("cards",
        fmt::format("{} messages with {} transactions by network cards; {} of them have a single transaction (a "
                    "signal, a poll or a word), which costs a whole message",
            short_count(sums["messages"]), short_count(sums["message_lines"]), short_count(sums["single_messages"])));
}

}  // namespace

std::string result_summary(const RunResult& result)
{
    SummaryPage page;
    page.line("system",
        fmt::format("{}: {}, {} and {} of a graph of {}; seed {}", result.system, counted(result.endpoints, "endpoint"),
            counted(result.switches, "switch"), counted(result.links, "link"), counted(result.nodes, "node"),
            result.seed));
    add_stop(page, result);
    add_collectives(page, result);
    add_verification(page, result);
    if (result.beside && result.beside->finished == 0)
        page.line("background", result.beside->kernel + ": none has ended");
    else if (result.beside)
        page.line("background",
            fmt::format("{}: {} kernels of {} in the mean, {:.3g} TFLOP/s for each rank{}", result.beside->kernel,
                result.beside->finished, format_time_ps(result.beside->mean_ps), result.beside->flops / 1e12,
                result.beside->end_ps <= result.simulated_ps
                    ? ""
                    : "; the last ends at " + format_time_ps(result.beside->end_ps) +
                        ", and statistics and energies are counted until then"));
    add_choice(page, result);
    add_theory_lines(page, result);
    list(page, "apart", disagreements(result), 3);
    add_work(page, result);
    add_payload(page, result);
    add_flags(page, result);
    add_retries(page, result);
    add_cards(page, result);
    if (const auto& bound = result.memory_bound)
        page.line("memory",
            fmt::format("bound by {} = {:.4g} GB/s: busy for {} of the time{} at {}, carried {:.4g} GB/s",
                bound->parameter, bound->most_GBps, percent(bound->share),
                bound->parameter == "hbm.bandwidth" ? ", refreshes included," : "", bound->gpu, bound->GBps));
    list(page, "notices", result.notices, 6);
    list(page, "assumed", assumption_lines(result.assumptions), 16);
    add_links(page, result);
    add_stalls(page, result);
    add_shares(page, result, &RankResult::breakdown_ps, "activities of the ranks, in per cent of the simulated time");
    add_shares(page, result, &RankResult::stall_ps,
        "causes of waiting, in per cent of the simulated time, mean of the workgroups");
    return page.take() + trace_summary(result) + path_summary(result);
}

}  // namespace weft
