#include "platform/simulation/run_end.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/processor_time.h"
#include "platform/assembly/link_results.h"
#include "platform/simulation/gathered.h"

namespace weft {

namespace {

std::uint64_t resident_bytes_of_process()
{
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return static_cast<std::uint64_t>(use.ru_maxrss) * 1024;
}

// Requests and responses that came in by the sockets of one side.
std::uint64_t came_in(const LineTargetSocket& target, const LineInitiatorSocket& initiator)
{
    return target.calls().lines + initiator.calls().lines;
}

// What a module keeps without a word, as one of somebody else may.
std::string kept_by(const std::string& name, const std::string& model, std::uint64_t in, std::uint64_t out)
{
    if (in <= out) return {};
    return fmt::format("{} (model {}): {} transactions came in, {} went out, and it says nothing of the rest", name,
        model, in, out);
}

// What went out is what came in at the links, whose sides at the switch are where it is.
std::string kept_by(const System& system, const Graph& graph, const System::SwitchPlace& at)
{
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    for (const System::LinkPlace& place : system.links()) {
        const Edge& edge = graph.edge(place.edge);
        if (edge.a != at.node && edge.b != at.node) continue;
        const unsigned end = edge.a == at.node ? 0 : 1;
        in += came_in(*place.ends[end].target, *place.ends[end].initiator);
        out += came_in(place.link->target(end), place.link->initiator(end));
    }
    return kept_by(at.path, at.model, in, out);
}

// What went out is what came in at the modules at its ends. Nothing, where another process has one of them: such a link is one
// of ours, in two halves.
std::string kept_by(const ResolvedSystem& resolved, const System::LinkPlace& place)
{
    if (place.ends[0].target == nullptr || place.ends[1].target == nullptr) return {};
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    for (unsigned end = 0; end < 2; ++end) {
        in += came_in(place.link->target(end), place.link->initiator(end));
        out += came_in(*place.ends[end].target, *place.ends[end].initiator);
    }
    return kept_by(edge_name(resolved.graph(), place.edge), resolved.link_model(place.edge), in, out);
}

// Ahead of who waits for them, switches before links.
void add_suspects(PlannedRun& run, BuiltRun& parts, EndReport& out)
{
    std::uint64_t place = 0;
    const auto add = [&out, &place](std::string line) {
        if (!line.empty()) out.suspects.emplace_back(place, std::move(line));
    };
    const auto add_standing = [&add](const BlockHost* block) {
        if (block != nullptr) add(block->standing());
    };
    for (const System::SwitchPlace& at : parts.system.switches()) {
        ++place;
        if (at.module == nullptr) continue;
        add_standing(BlockHost::of(at.module.get()));
        // Ours take several transactions of a group for one, and keep nothing without a word.
        const bool ours = at.model == "switch" || at.model == "crossbar";
        if (!ours && at.module->blocked().empty()) add(kept_by(parts.system, run.resolved.graph(), at));
    }
    for (const System::LinkPlace& at : parts.system.links()) {
        ++place;
        if (at.link == nullptr) continue;
        add_standing(BlockHost::of(at.link.get()));
        if (at.link->blocked().empty()) add(kept_by(run.resolved, at));
    }
}

// Ranks in their order, then modules in the order of System::blocked().
void add_waiting(PlannedRun& run, BuiltRun& parts, EndReport& out)
{
    out.buffer_waits = parts.system.fabric().buffer_waits();
    for (auto& silent : parts.system.fabric().silent_switches()) out.buffer_waits.push_back(std::move(silent));
    const auto add = [](std::vector<std::pair<std::uint64_t, std::string>>& to, std::uint64_t place,
                         std::vector<std::string> lines) {
        for (std::string& line : lines) to.emplace_back(place, std::move(line));
    };
    // The nodes of a trace are the same in all processes.
    if (run.options.group == nullptr || run.options.group->first()) add(out.waiting_ranks, 0, run.load.blocked());
    for (std::uint32_t endpoint = 0; endpoint < parts.executor.endpoints(); ++endpoint)
        add(out.waiting_ranks, 1 + endpoint, parts.executor.blocked_at(endpoint));
    std::uint64_t place = 0;
    for (ReplayGpu* replay : parts.system.replays())
        if (++place; replay != nullptr) add(out.waiting_modules, place, replay->blocked());
    for (const System::SwitchPlace& at : parts.system.switches())
        if (++place; at.module != nullptr) add(out.waiting_modules, place, at.module->blocked());
    for (const System::LinkPlace& at : parts.system.links())
        if (++place; at.link != nullptr) add(out.waiting_modules, place, at.link->blocked());
    for (const Gpu* gpu : parts.system.gpus()) {
        ++place;
        for (std::size_t s = 0; gpu != nullptr && s < gpu->slices().size(); ++s)
            add(out.waiting_modules, place, gpu->slices()[s]->blocked());
        if (gpu != nullptr) add(out.waiting_modules, place, parts.system.unanswered(gpu->endpoint()));
    }
    if (run.options.around != nullptr) add(out.waiting_modules, ++place, run.options.around->blocked());
}

}  // namespace

Pulse agreed(const Pulse& own, ProcessGroup* group) { return group == nullptr ? own : group->processes().agree(own); }

bool overdue(System& system, Time now, ProcessGroup* group)
{
    if (group == nullptr) return system.overdue(now);
    EndReport all;
    const EndReport own = [&system] {
        EndReport out;
        out.buffer_waits = system.fabric().buffer_waits();
        return out;
    }();
    for (const Bytes& each : group->processes().share(own.bytes())) all.add(EndReport::of(each));
    std::vector<BufferWait> waits;
    for (auto& [place, wait] : all.buffer_waits) waits.push_back(std::move(wait));
    const std::string circle = FabricModules::circle_of(waits);
    Pulse here;
    here.flags = (system.fabric().moves(circle) ? 1U : 0U) | (system.anything_overdue(now, false) ? 2U : 0U) |
        (system.anything_moves(now) ? 4U : 0U) | (system.anything_overdue(now, true) ? 8U : 0U);
    const Pulse everywhere = agreed(here, group);
    const bool still = system.stands_still(everywhere.has(4));
    return system.circle_stands(everywhere.has(1) ? "" : circle) || everywhere.has(2) ||
        (everywhere.has(8) && !everywhere.has(4)) || still;
}

LineExecutor::FlagValues flags_elsewhere(const LineExecutor& executor, const std::vector<std::uint64_t>& wanted,
    Processes& processes)
{
    ByteWriter questions;
    questions.list(wanted);
    ByteWriter answers;
    for (const Bytes& each : processes.share(questions.bytes()))
        for (const std::uint64_t address : ByteReader(each).values<std::uint64_t>())
            if (executor.has_flag(address)) {
                answers.put(address);
                answers.put(executor.flag_here(address));
            }
    LineExecutor::FlagValues out;
    for (const Bytes& each : processes.share(answers.bytes())) {
        ByteReader in(each);
        for (std::size_t read = 0; read < each.size(); read += 2 * sizeof(std::uint64_t)) {
            const auto address = in.take<std::uint64_t>();
            out[address] = in.take<std::uint64_t>();
        }
    }
    return out;
}

RunEnd RunEnd::of(const System& system, bool interrupted, ProcessGroup* group)
{
    RunEnd out;
    out.idle = system.idle();
    out.stopped = system.stopped();
    out.cannot_progress = system.cannot_progress();
    out.interrupted = interrupted;
    const std::vector<ReplayGpu*> replays = system.replays();
    out.all_replayed = std::all_of(replays.begin(), replays.end(),
        [](const ReplayGpu* replay) { return replay == nullptr || replay->finished(); });
    out.last = system.last();
    if (group == nullptr) return out;
    Pulse own;
    own.since = out.last;
    const bool flags[] = {!out.idle, out.stopped, out.cannot_progress, out.interrupted, !out.all_replayed};
    for (unsigned bit = 0; bit < std::size(flags); ++bit) own.flags |= std::uint64_t{flags[bit]} << bit;
    const Pulse all = group->processes().agree(own);
    const auto any = [&all](unsigned bit) { return all.has(std::uint64_t{1} << bit); };
    return {!any(0), any(1), any(2), any(3), !any(4), all.since};
}

EndReport end_report_of(PlannedRun& run, BuiltRun& parts, bool ended, bool waiting)
{
    EndReport out;
    System& system = parts.system;
    if (ended) {
        system.check_contents();
        system.finish_checkers();
    }
    out.problems = system.problems();
    out.fault = system.fault();
    if (ended) out.unsettled = system.unsettled();
    if (waiting) {
        parts.executor.look_at_flags_elsewhere();
        add_suspects(run, parts, out);
        add_waiting(run, parts, out);
    }
    out.last = system.last();
    out.lines = system.lines();
    out.line_hops = system.line_hops();
    const std::vector<Gpu*> gpus = system.gpus();
    for (const RankResult& rank : rank_results(system, run.plan, run.load, run.accelerators)) {
        std::vector<Time>& stalls = out.stalls.emplace_back();
        if (gpus[rank.rank] == nullptr) continue;
        for (const auto& [cause, time] : rank.stall_ps) stalls.push_back(time);
    }
    for (std::uint32_t rank = 0; rank < parts.executor.endpoints(); ++rank)
        out.places.push_back(
            run.options.around != nullptr && rank < run.accelerators && parts.system.gpus()[rank] == nullptr
                ? run.options.around->places(rank)
                : parts.executor.places(rank));
    for (const ReplayGpu* replay : system.replays())
        out.replayed.push_back(replay == nullptr ? 0 : replay->finish_time());
    for (const JobRecord& record : parts.executor.records())
        out.mismatches.push_back({record.mismatch_at, record.mismatch});
    if (run.options.around != nullptr) out.around = run.options.around->share();
    out.modules = module_results(system, run.resolved, run.plan);
    out.cpu_s = processor_seconds();
    out.rss = resident_bytes_of_process();
    return out;
}

Time counted_until(const PlannedRun& run, const RunEnd& end, const System& system)
{
    Pulse wrong;
    wrong.busy = system.problems().empty() ? 0 : 1;
    const bool anything_wrong = agreed(wrong, run.options.group).busy > 0;
    const bool finished = run.load.finished() && end.all_replayed;
    const bool until =
        run.options.until && !anything_wrong && !finished && !end.interrupted && !end.idle && !end.cannot_progress;
    return until ? std::max(end.last, *run.options.until) : end.last;
}

void cut_off(PlannedRun& run, BuiltRun& parts, Time last)
{
    if (run.options.around != nullptr) run.options.around->cut_off(last);
    for (Gpu* gpu : parts.system.gpus()) {
        if (gpu == nullptr) continue;
        gpu->units().cut_off(last);
        gpu->dma_engines().cut_off(last);
    }
}

bool collect(EndReport& own, ProcessGroup* group)
{
    if (group == nullptr) return true;
    const std::vector<Bytes> all = group->processes().collect(own.bytes());
    group->enter(ProcessGroup::Phase::ended);
    if (!group->first()) return false;
    for (std::size_t process = 1; process < all.size(); ++process) own.add(EndReport::of(all[process]));
    return true;
}

}  // namespace weft
