#include <sys/resource.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/processor_time.h"
#include "platform/result/assumptions_json.h"
#include "platform/result/disagreement.h"
#include "platform/result/report.h"
#include "platform/result/link_json.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// Counts are shown without a fraction, what JSON cannot express as null.
Json number(double value)
{
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (!std::isfinite(value)) return nullptr;
    if (value == std::floor(value) && std::abs(value) < exact) return static_cast<std::int64_t>(value);
    return value;
}

Json collectives_json(const RunResult& result)
{
    Json out = Json::array();
    for (const CollectiveResult& run : result.collectives) {
        out.push_back({{"op", run.op}, {"algorithm", run.algorithm}, {"protocol", run.protocol}, {"name", run.name},
            {"ranks", run.ranks}, {"bytes", run.bytes}, {"finished", run.finished}, {"start_ps", run.start_ps},
            {"end_ps", run.end_ps}, {"algbw_GBps", run.algbw_GBps}, {"busbw_GBps", run.busbw_GBps}});
        Json& last = out.back();
        last["group"] = run.group.empty() ? Json() : Json(run.group);
        last["members"] = run.group.empty() ? Json() : Json(run.members);
        last["type"] = run.element;
        last["reduction"] = run.reduction.empty() ? Json() : Json(run.reduction);
        last["chosen_by"] = run.price ? Json(run.price->chosen_by) : Json();
        last["estimate_ps"] = run.price ? Json(run.price->estimate_ps) : Json();
        last["terms"] = Json::array();
        if (run.price)
            for (const auto& [term, ps] : run.price->terms) last["terms"].push_back({{"name", term}, {"ps", ps}});
    }
    return out;
}

Json ranks_json(const RunResult& result)
{
    Json out = Json::array();
    for (const RankResult& rank : result.ranks) {
        Json stalls = Json::object();
        for (const auto& [cause, time] : rank.stall_ps) stalls[cause] = time;
        out.push_back(
            {{"rank", rank.rank}, {"node", rank.node}, {"finish_ps", rank.finish_ps}, {"stall_ps", std::move(stalls)}});
        if (rank.breakdown_ps.empty()) continue;
        Json& breakdown = out.back()["breakdown_ps"] = Json::object();
        for (const auto& [activity, time] : rank.breakdown_ps) breakdown[activity] = time;
    }
    return out;
}

Json modules_json(const RunResult& result)
{
    Json out = Json::array();
    for (const ModuleResult& module : result.modules) {
        Json stats = Json::object();
        for (const Statistic& statistic : module.statistics)
            stats[statistic.name] = {{"value", number(statistic.value)}, {"unit", statistic.unit}};
        out.push_back(
            {{"name", module.name}, {"kind", module.kind}, {"model", module.model}, {"stats", std::move(stats)}});
        for (const auto& [name, values] : module.by_slice) out.back()["by_slice"][name] = values;
    }
    return out;
}

Json parameters_json(const RunResult& result)
{
    Json out = Json::object();
    for (const ExplainedParameter& parameter : result.parameters) {
        Json value = parameter.value;
        if (parameter.info->unit == Unit::choice) value = parameter.text();
        if (!parameter.known) value = nullptr;
        out[parameter.path] = {{"value", std::move(value)}, {"unit", parameter.unit()}, {"source", parameter.source}};
    }
    return out;
}

Json theory_json(const RunResult& result)
{
    if (!result.theory) return nullptr;
    const AlphaBeta& theory = *result.theory;
    return {{"time_ps", theory.time_ps}, {"steps", theory.steps}, {"alpha_ps", theory.alpha_ps},
        {"wire_bytes", theory.wire_bytes}, {"bytes_per_s", theory.rate}, {"alpha", theory.explanation}};
}

Json paths_json(const RunResult& result)
{
    Json out = Json::array();
    for (const PathResult& path : result.paths) {
        Json times = Json::object();
        for (const auto& [cause, time] : path.times_ps) times[cause] = time;
        Json segments = Json::array();
        for (const PathResult::Segment& segment : path.segments) {
            Json parts = Json::object();
            for (const auto& [cause, time] : segment.times_ps) parts[cause] = time;
            segments.push_back(
                {{"rank", segment.rank}, {"thread", segment.thread}, {"step", segment.step}, {"what", segment.what},
                    {"begin_ps", segment.begin_ps}, {"end_ps", segment.end_ps}, {"times_ps", std::move(parts)}});
        }
        out.push_back(
            {{"collective", path.collective}, {"times_ps", std::move(times)}, {"segments", std::move(segments)}});
    }
    return out;
}

Json trace_json(const TraceAnalysis& trace)
{
    const auto or_null = [](const std::optional<Time>& sum) { return sum ? Json(*sum) : Json(); };
    Json times = Json::object();
    for (const auto& [kind, time] : trace.path_ps) times[kind] = time;
    Json segments = Json::array();
    for (const TraceAnalysis::Segment& segment : trace.segments)
        segments.push_back({{"rank", segment.rank}, {"node", segment.node}, {"kind", segment.kind},
            {"name", segment.name}, {"begin_ps", segment.begin_ps}, {"end_ps", segment.end_ps}});
    Json operations = Json::array();
    for (const TraceAnalysis::Operation& row : trace.operations)
        operations.push_back({{"what", row.what}, {"bytes", row.bytes}, {"ranks", row.ranks}, {"count", row.count},
            {"total_ps", or_null(row.total_ps)}, {"longest_ps", row.longest_ps},
            {"waiting_ps", or_null(row.waiting_ps)}, {"on_path_ps", row.on_path_ps}});
    return {{"path_ps", std::move(times)}, {"segments", std::move(segments)}, {"operations", std::move(operations)}};
}

Json choice_json(const RunResult& result)
{
    if (!result.choice) return nullptr;
    Json priced = Json::array();
    for (const ChoiceResult::Priced& candidate : result.choice->priced) {
        Json terms = Json::array();
        for (const EstimateTerm& term : candidate.terms) terms.push_back({{"name", term.name}, {"ps", term.ps}});
        priced.push_back({{"algorithm", candidate.algorithm}, {"time_ps", candidate.time_ps}, {"why", candidate.why},
            {"terms", std::move(terms)}});
    }
    Json passed_over = Json::array();
    for (const ChoiceResult::PassedOver& one : result.choice->passed_over)
        passed_over.push_back({{"algorithm", one.algorithm}, {"time_ps", one.time_ps}, {"why", one.why}});
    return {{"asked", result.choice->asked}, {"priced", std::move(priced)},
        {"without_price", result.choice->without_price}, {"passed_over", std::move(passed_over)}};
}

Json beside_json(const RunResult& result)
{
    if (!result.beside) return nullptr;
    return {{"kernel", result.beside->kernel}, {"finished", result.beside->finished},
        {"mean_ps", result.beside->mean_ps}, {"end_ps", result.beside->end_ps},
        {"flops", number(result.beside->flops)}};
}

Json energy_json(const RunResult& result)
{
    if (!result.energy) return nullptr;
    const EnergyResult& energy = *result.energy;
    Json parts = Json::array();
    for (const EnergyPart& part : energy.parts)
        parts.push_back({{"of", section_of(part.event)}, {"kind", part.name},
            {"events", part.event == EnergyEvent::idle ? number(part.events * 1e-12) : number(part.events)},
            {"unit", unit_of(part.event)}, {"each_low", part.each.low}, {"each_high", part.each.high},
            {"low_J", part.low_J}, {"high_J", part.high_J}, {"source", part.each.source}, {"grade", part.each.grade}});
    const auto sum = [&](double value) { return energy.known() ? Json(value) : Json(); };
    return {{"time_ps", energy.time_ps}, {"low_J", sum(energy.low_J)}, {"high_J", sum(energy.high_J)},
        {"low_W", sum(energy.low_W)}, {"high_W", sum(energy.high_W)}, {"parts", std::move(parts)},
        {"unknown", energy.unknown}};
}

// Of this process so far.
std::uint64_t most_resident_bytes()
{
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return static_cast<std::uint64_t>(use.ru_maxrss) * 1024;
}

}  // namespace

std::string result_json(const RunResult& result, bool timing)
{
    Json out;
    out["schema"] = "weft.result/1";
    out["fidelity"] = result.fidelity;
    out["grain"] = result.grain;
    out["stop"] = name_of(result.stop);
    out["partial"] = result.stop != StopReason::finished;
    out["simulated_ps"] = result.simulated_ps;
    out["wall_s"] = timing ? Json(result.wall_s) : Json(0);
    out["elaborate_s"] = timing ? Json(result.elaborate_s) : Json(0);
    out["cpu_s"] = timing ? Json(result.processes ? result.processes->cpu_s : processor_seconds()) : Json(0);
    out["peak_rss_bytes"] =
        timing ? Json(result.processes ? result.processes->peak_rss_bytes : most_resident_bytes()) : Json(0);
    out["partitions"] = timing ? result.partitions : 0;
    if (timing && result.cut)
        out["cut"] = {{"windows", result.cut->windows}, {"records", result.cut->records},
            {"windows_per_s", result.wall_s > 0 ? static_cast<double>(result.cut->windows) / result.wall_s : 0},
            {"exchange_s", result.cut->exchange_s}, {"deliver_s", result.cut->deliver_s}};
    out["lines"] = result.lines;
    out["line_hops"] = result.line_hops;
    if (result.fidelity != "line") out["messages"] = result.messages;
    out["verified"] = result.verified;
    if (!result.calibration.empty()) out["calibration"] = result.calibration;
    if (!result.symmetry.empty()) out["symmetry"] = result.symmetry;
    if (!result.verification.empty()) out["verification"] = result.verification;
    if (result.checked_connections > 0)
        out["protocol"] = {{"connections", result.checked_connections}, {"violations", result.protocol_problems}};
    out["seed"] = result.seed;
    out["system"] = {{"name", result.system}, {"endpoints", result.endpoints}, {"nodes", result.nodes},
        {"links", result.links}, {"switches", result.switches}};
    out["collectives"] = collectives_json(result);
    out["ranks"] = ranks_json(result);
    out["links"] = links_json(result.link_results, result.simulated_ps);
    if (result.links_left_out) out["links_left_out"] = true;
    out["modules"] = modules_json(result);
    if (result.memory_bound)
        out["bound_by"] = {{"parameter", result.memory_bound->parameter}, {"GBps", result.memory_bound->most_GBps},
            {"gpu", result.memory_bound->gpu}, {"carried_GBps", result.memory_bound->GBps},
            {"busy", result.memory_bound->share}};
    out["parameters"] = parameters_json(result);
    out["estimate"] = {{"memory_bytes", static_cast<std::uint64_t>(result.estimate.bytes())},
        {"transactions", static_cast<std::uint64_t>(result.estimate.transactions)},
        {"wall_s", result.estimate.seconds}};
    out["alpha_beta"] = theory_json(result);
    out["choice"] = choice_json(result);
    out["disagreements"] = disagreements(result);
    out["beside"] = beside_json(result);
    if (result.trace) out["trace"] = trace_json(*result.trace);
    if (!result.paths.empty()) out["critical_paths"] = paths_json(result);
    out["energy"] = energy_json(result);
    out["mismatches"] = result.mismatches;
    out["blocked"] = result.blocked;
    out["problems"] = result.problems;
    out["fault_waves"] = result.fault_waves;
    out["notices"] = result.notices;
    out["assumptions"] = assumptions_json(result.assumptions);
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft
