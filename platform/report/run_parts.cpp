#include "platform/report/run_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/merged_statistic.h"
#include "base/units.h"
#include "platform/report/cause_words.h"
#include "platform/report/cells.h"
#include "platform/report/heat_picture.h"
#include "platform/report/timeline_picture.h"
#include "platform/plotting/colours.h"
#include "platform/plotting/graph_picture.h"
#include "platform/result/disagreement.h"

namespace weft {

namespace {

std::string verdict_of(const RunResult& result)
{
    if (result.verified == "passed") return "verified";
    return result.verified == "failed" ? "WRONG" : "not verified";
}

// Bandwidths of a kind of link as the legend says them.
std::map<std::string, std::string> rates_of(const ResolvedSystem& system)
{
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> ranges;
    const Graph& graph = system.graph();
    for (EdgeId id = 0; id < graph.edge_count(); ++id) {
        if (!system.has_bandwidth(id)) continue;
        const std::uint64_t rate = system.link(id).bandwidth;
        auto& [low, high] = ranges.emplace(graph.kind(id).link, std::pair(rate, rate)).first->second;
        low = std::min(low, rate);
        high = std::max(high, rate);
    }
    std::map<std::string, std::string> out;
    for (const auto& [link, range] : ranges)
        out[link] = format_rate(range.first) + (range.first == range.second ? "" : " to " + format_rate(range.second));
    return out;
}

void add_cause_legend(HtmlPage& page, const std::string& of, const std::vector<std::string>& causes)
{
    if (causes.empty()) return;
    std::vector<std::pair<std::string, std::string>> colours;
    for (const std::string& cause : causes) colours.emplace_back(colour_of_cause(cause), words_of_cause(cause));
    page.legend(colours, of);
}

void add_share_legend(HtmlPage& page, const std::string& least, const std::string& most)
{
    std::vector<std::pair<std::string, std::string>> colours;
    for (int i = 0; i <= 5; ++i) colours.emplace_back(colour_of_share(i / 5.0), i == 0 ? least : i == 5 ? most : "");
    page.legend(colours);
}

using RankTimes = std::vector<std::pair<std::string, Time>>;

// A row for each rank, a column for each cause that any has.
void add_rank_times(HtmlPage& page, const RunResult& result, const char* id, RankTimes RankResult::*times)
{
    HtmlTable table{id, {{"rank", true}, {"node", false}, {"finish", true}}, {}, true};
    std::vector<std::string> causes;
    for (const RankResult& rank : result.ranks)
        for (const auto& [cause, time] : rank.*times)
            if (time > 0 && std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.push_back(cause);
    for (const std::string& cause : causes) table.columns.push_back({cause, true});
    for (const RankResult& rank : result.ranks) {
        const bool open = rank.finish_ps == 0 && result.stop != StopReason::finished;
        std::vector<HtmlCell> row{count_cell(rank.rank), {rank.node},
            open ? HtmlCell{"not finished"} : time_cell(rank.finish_ps)};
        for (const std::string& cause : causes) {
            if ((rank.*times).empty()) {
                row.push_back({"not known"});
                continue;
            }
            Time time = 0;
            for (const auto& [name, ps] : rank.*times)
                if (name == cause) time = ps;
            HtmlCell cell = share_cell(static_cast<double>(time), static_cast<double>(result.simulated_ps));
            cell.exact = std::to_string(time);
            row.push_back(std::move(cell));
        }
        table.rows.push_back(std::move(row));
    }
    page.table(table);
}

}  // namespace

void add_answer(HtmlPage& page, const RunResult& result)
{
    if (result.collectives.size() == 1) {
        const CollectiveResult& run = result.collectives.front();
        page.figure(run.finished ? format_time_ps(run.end_ps - run.start_ps) : "not finished",
            "time of the collective");
        if (run.finished && run.bytes > 0) {
            page.figure(fmt::format("{:.4g} GB/s", run.busbw_GBps), "bus bandwidth (busbw)");
            page.figure(fmt::format("{:.4g} GB/s", run.algbw_GBps), "algorithm bandwidth (algbw)");
        }
    } else {
        page.figure(format_time_ps(result.simulated_ps), "simulated time");
        page.figure(std::to_string(result.collectives.size()), "collectives");
    }
    page.figure(verdict_of(result),
        !result.verification.empty()      ? "the schedule, " + result.verification + "; no data move"
            : result.verified == "passed" ? "every result in memory is right"
            : result.verified == "failed" ? "results in memory are wrong"
                                          : "no data was compared",
        result.verified == "passed"       ? "good"
            : result.verified == "failed" ? "bad"
                                          : "");
    if (result.stop != StopReason::finished)
        page.figure(name_of(result.stop), "the run did not end by itself; results are partial", "bad");
    const LargestCauses causes = largest_causes(result);
    if (!causes.words.empty()) page.causes(causes.of, causes.words);
}

void add_warnings(HtmlPage& page, const RunResult& result)
{
    std::vector<std::string> lines;
    for (const auto* list : {&result.problems, &result.mismatches, &result.blocked, &result.notices})
        lines.insert(lines.end(), list->begin(), list->end());
    for (const std::string& line : disagreements(result)) lines.push_back(line);
    for (const Assumption& assumption : result.assumptions)
        lines.push_back(fmt::format("assumed: {} ({}): {}; {}; set with {}", assumption.what(), assumption.count,
            assumption.taken, assumption.because, assumption.set_with));
    page.section("warnings", "Warnings and assumptions");
    if (lines.empty())
        page.paragraph("There are no assumptions and no warnings.");
    else
        page.list(lines);
}

void add_system(HtmlPage& page, const RunResult& result, const ResolvedSystem& system)
{
    page.section("system", "System");
    page.paragraph("Nodes are drawn in the boxes of their devices. Lines are links; the colour shows the busy time of "
                   "the busiest direction among them.");
    const Graph& graph = system.graph();
    std::map<std::string, EdgeId> edges;
    for (EdgeId id = 0; id < graph.edge_count(); ++id) edges.emplace(edge_name(graph, id), id);
    GraphPicture picture;
    picture.title = result.system;
    picture.alone = false;
    picture.rates = rates_of(system);
    const double time = static_cast<double>(std::max<Time>(1, result.simulated_ps));
    for (const LinkResult& link : result.link_results) {
        const auto found = edges.find(link.name);
        if (found == edges.end()) continue;
        EdgeUse& use = picture.use[found->second];
        const double share = static_cast<double>(link.busy_ps) / time;
        use.share = std::max(use.share, share);
        use.text += fmt::format("{}{} -> {}: busy {:.1f} %, {} B on the wire{}", use.text.empty() ? "" : "\n",
            link.from, link.to, 100 * share, link.wire_bytes,
            link.peak_queue ? fmt::format(", longest queue {}", *link.peak_queue) : "");
    }
    page.picture(graph_picture_svg(graph, lay_out(graph), picture));
}

void add_timeline(HtmlPage& page, const RunResult& result, const RunActivity& activity)
{
    page.section("timeline", "Timeline");
    page.paragraph("Collectives, the critical path and the ranks. A segment of the critical path has the colour of its "
                   "largest cause, a rank that of the state of most of their workgroups; of a trace at flow "
                   "fidelity, of its nodes.");
    // The causes of the path and the states of ranks share colours: a legend for each.
    std::vector<std::string> causes;
    for (const PathResult& path : result.paths)
        for (const auto& [cause, time] : path.times_ps)
            if (time > 0 && std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.push_back(cause);
    add_cause_legend(page, "critical path", causes);
    add_cause_legend(page, "ranks", activity.causes);
    page.picture(timeline_svg(result, activity));
    if (activity.ranks_in_all > activity.ranks.size())
        page.paragraph(fmt::format("The first {} of {} ranks are drawn; the table of ranks has all ranks.",
            activity.ranks.size(), activity.ranks_in_all));
}

void add_critical_path(HtmlPage& page, const RunResult& result)
{
    if (result.paths.empty()) return;
    page.section("path", "Critical path");
    page.paragraph("The chain of work that determined the end of a collective, by cause of waiting. Its segments add "
                   "up to the time of the collective.");
    HtmlTable table{"path-causes", {{"collective", true}, {"cause", false}, {"time", true}, {"share", true}}, {},
        false};
    for (const PathResult& path : result.paths) {
        const CollectiveResult& run = result.collectives[path.collective];
        std::vector<std::pair<std::string, Time>> times = path.times_ps;
        std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        for (const auto& [cause, time] : times)
            if (time > 0)
                table.rows.push_back({count_cell(path.collective), {words_of_cause(cause)}, time_cell(time),
                    share_cell(static_cast<double>(time), static_cast<double>(run.end_ps - run.start_ps))});
    }
    page.table(table);
    HtmlTable segments{"path-segments",
        {{"collective", true}, {"rank", true}, {"thread", true}, {"step", true}, {"what", false}, {"begin", true},
            {"end", true}, {"time", true}, {"causes", false}},
        {}, true};
    for (const PathResult& path : result.paths)
        for (const PathResult::Segment& segment : path.segments) {
            std::string causes;
            for (const auto& [cause, time] : segment.times_ps)
                causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", cause, format_time_ps(time));
            segments.rows.push_back({count_cell(path.collective), count_cell(segment.rank), count_cell(segment.thread),
                count_cell(segment.step), {segment.what}, time_cell(segment.begin_ps), time_cell(segment.end_ps),
                time_cell(segment.end_ps - segment.begin_ps), {causes}});
        }
    page.table(segments);
}

void add_ranks(HtmlPage& page, const RunResult& result)
{
    page.section("ranks", "What ranks waited for");
    page.paragraph("Shares of the simulated time, as the mean over the workgroups of a rank and its lists of copy "
                   "engines. The rest to 100 % is the "
                   "time before its first and after its last step.");
    add_rank_times(page, result, "rank-table", &RankResult::stall_ps);
    const bool spent = std::any_of(result.ranks.begin(), result.ranks.end(),
        [](const RankResult& rank) { return !rank.breakdown_ps.empty(); });
    if (!spent) return;
    page.paragraph("Time of the ranks by activity, as shares of the simulated time; the shares add up to 100 %.");
    add_rank_times(page, result, "breakdown-table", &RankResult::breakdown_ps);
}

void add_links_over_time(HtmlPage& page, const RunResult& result)
{
    if (result.series.empty()) return;
    constexpr std::size_t parts = 120;
    constexpr std::size_t most_links = 32;
    const Heat heat = read_heat(result.series, static_cast<double>(result.simulated_ps), parts, most_links);
    if (heat.links.empty()) return;
    page.section("heat", "Links over time");
    page.paragraph((heat.links_in_all > heat.links.size()
                           ? fmt::format("The {} busiest of {} link directions with traffic: busy share",
                                 heat.links.size(), heat.links_in_all)
                           : std::string("All link directions with traffic, the busiest first: busy share")) +
        (heat.queues ? ", then the number of transactions in their queues." : "."));
    add_share_legend(page, "idle", fmt::format("{:.3g} % busy", 100 * heat.most_share));
    page.picture(heat_svg(heat));
    if (!heat.queues) return;
    add_share_legend(page, "no transaction", fmt::format("{:.4g} transactions in the mean", heat.most_queue));
    page.picture(queue_svg(heat));
}

void add_link_table(HtmlPage& page, const RunResult& result)
{
    page.section("links", "Links");
    HtmlTable table{"link-table",
        {{"from", false}, {"to", false}, {"GB/s", true}, {"busy", true}, {"wire bytes", true}, {"payload bytes", true},
            {"lines", true}, {"longest queue", true}, {"waited for credits", true}},
        {}, true};
    std::vector<const LinkResult*> links;
    for (const LinkResult& link : result.link_results) links.push_back(&link);
    const bool retries =
        std::any_of(links.begin(), links.end(), [](const LinkResult* link) { return link->retry.has_value(); });
    if (retries)
        for (const char* column : {"packets with bit errors", "went back", "bytes sent again", "duplicates"})
            table.columns.push_back({column, true});
    std::stable_sort(links.begin(), links.end(),
        [](const LinkResult* a, const LinkResult* b) { return a->busy_ps > b->busy_ps; });
    for (const LinkResult* link : links) {
        HtmlCell busy = share_cell(static_cast<double>(link->busy_ps), static_cast<double>(result.simulated_ps));
        busy.exact = std::to_string(link->busy_ps);
        table.rows.push_back({{link->from}, {link->to}, number_cell(link->GBps), std::move(busy),
            count_cell(link->wire_bytes), count_cell(link->payload_bytes), count_cell(link->lines),
            link->peak_queue ? count_cell(*link->peak_queue) : HtmlCell{"not known"},
            link->credit_stall_ps ? time_cell(*link->credit_stall_ps) : HtmlCell{"not known"}});
        if (!retries) continue;
        std::vector<HtmlCell>& row = table.rows.back();
        if (const auto& retry = link->retry)
            for (const std::uint64_t count : {retry->errors, retry->replays, retry->repeated_bytes, retry->duplicates})
                row.push_back(count_cell(count));
        else
            row.insert(row.end(), 4, HtmlCell{"no retry"});
    }
    page.table(table);
}

void add_operations(HtmlPage& page, const RunResult& result, const RunActivity& activity)
{
    page.section("operations", "Operations");
    if (result.collectives.size() > 1) {
        HtmlTable table{"collective-table",
            {{"collective", true}, {"operation", false}, {"algorithm", false}, {"ranks", true}, {"bytes", true},
                {"start", true}, {"time", true}, {"algbw, GB/s", true}, {"busbw, GB/s", true}},
            {}, true};
        for (std::size_t i = 0; i < result.collectives.size(); ++i) {
            const CollectiveResult& run = result.collectives[i];
            table.rows.push_back({count_cell(i), {run.op}, {run.algorithm}, count_cell(run.ranks),
                count_cell(run.bytes), time_cell(run.start_ps),
                run.finished ? time_cell(run.end_ps - run.start_ps) : HtmlCell{"not finished"},
                number_cell(run.algbw_GBps), number_cell(run.busbw_GBps)});
        }
        page.table(table);
    }
    page.paragraph("Steps of all workgroups together, by kind, with the largest causes of their time.");
    HtmlTable table{"operation-table",
        {{"step", false}, {"count", true}, {"time of all", true}, {"mean", true}, {"longest", true}, {"mostly", false}},
        {}, false};
    for (const OperationKind& kind : activity.operations) {
        std::string most;
        Time time = 0;
        for (const auto& [cause, ps] : kind.spent_ps)
            if (ps > time) {
                time = ps;
                most = cause;
            }
        table.rows.push_back({{kind.name}, count_cell(kind.count), time_cell(kind.total_ps),
            time_cell(kind.total_ps / std::max<std::uint64_t>(1, kind.count)), time_cell(kind.longest_ps),
            {most.empty() ? ""
                          : fmt::format("{:.0f} % {}",
                                100 * static_cast<double>(time) / static_cast<double>(std::max<Time>(1, kind.total_ps)),
                                words_of_cause(most))}});
    }
    page.table(table);
}

void add_statistics(HtmlPage& page, const RunResult& result)
{
    page.section("statistics", "Statistics");
    page.paragraph("Of the modules of a kind together: the sum, of largest values the largest, of means the mean. The "
                   "JSON data in this "
                   "page have each module.");
    std::vector<std::pair<std::string, std::string>> order;
    std::map<std::pair<std::string, std::string>, std::pair<MergedStatistic, std::string>> merged;
    std::map<std::string, std::size_t> modules;
    for (const ModuleResult& module : result.modules) {
        ++modules[module.kind];
        for (const Statistic& statistic : module.statistics) {
            const MergedStatistic none(merging_of(module.kind, statistic.name));
            const auto [place, fresh] =
                merged.emplace(std::pair(module.kind, statistic.name), std::pair(none, statistic.unit));
            if (fresh) order.push_back(place->first);
            place->second.first.add(statistic.value);
        }
    }
    HtmlTable table{"statistic-table",
        {{"kind", false}, {"modules", true}, {"statistic", false}, {"value", true}, {"of", false}, {"unit", false}}, {},
        true};
    for (const auto& key : order) {
        const auto& [statistic, unit] = merged.at(key);
        const std::optional<double> value = statistic.value();
        if (!value) continue;
        table.rows.push_back({{key.first}, count_cell(modules[key.first]), {key.second},
            {fmt::format("{:.10g}", *value), std::isfinite(*value) ? fmt::format("{}", *value) : ""},
            {name_of(statistic.merging())}, {unit}});
    }
    page.table(table);
}

void add_parameters(HtmlPage& page, const RunResult& result)
{
    page.section("parameters", "Parameters");
    page.paragraph("Every parameter of every module that takes part, with the source of its value.");
    HtmlTable table{"parameter-table", {{"parameter", false}, {"value", true}, {"source", false}}, {}, true};
    for (const ExplainedParameter& parameter : result.parameters) {
        const bool number = parameter.known && parameter.info->unit != Unit::choice;
        table.rows.push_back(
            {{parameter.path}, {parameter.text(), number ? std::to_string(parameter.value) : ""}, {parameter.source}});
    }
    page.table(table);
}

}  // namespace weft
