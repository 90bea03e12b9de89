#include "platform/applications/sweep/shared_runs.h"

#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "platform/console/messages.h"
#include "platform/console/runs_progress.h"

namespace weft {

void RunSharing::check_parts(const std::string& output, const std::string& afterwards) const
{
    if (merge || shard.count == 1) return;
    const std::string parts = shard.source == "--shard"
        ? fmt::format("--shard {}/{}", shard.number, shard.count)
        : fmt::format("{} has started {} processes for parts of this {}", shard.source, shard.count, work);
    if (!store)
        throw usage_error(parts + ", and nothing keeps their results", "--keep DIR, a folder that all parts share");
    if (!output.empty())
        throw usage_error(fmt::format("{} beside parts of a {}: {}", output, work, parts),
            fmt::format("{} and {} after all parts have ended", afterwards, output));
}

bool make_runs(const RunSharing& how, const TemporaryFolder& folder, const Arguments& beside,
    std::vector<SharedRun>& runs)
{
    std::vector<ProcessCall> calls;
    std::vector<std::size_t> called;  // index in `runs`
    std::map<std::string, std::size_t> again;
    std::size_t ours = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!how.ours(i)) continue;
        ++ours;
        SharedRun& each = runs[i];
        each.json_path = folder.file(i, ".json");
        each.error_path = folder.file(i, ".txt");
        ProcessCall call;
        call.arguments = each.arguments;
        if (how.store) {
            const SweepStore::Point kept = how.store->point(each.arguments);
            each.json_path = kept.json_path;
            each.error_path = kept.error_path;
            const SweepStore::Kept found = how.store->find(each.arguments);
            each.end.code = found.done ? found.code : -1;
            each.why = found.why;
            if (found.done) how.store->note_inputs(each.arguments);
            if (!found.done && !how.merge) {
                if (found.why != SweepStore::never) ++again[found.why];
                how.store->clear(each.arguments);
                call.arguments.push_back("--inputs=" + kept.inputs_path);
            }
        }
        if (each.end.code >= 0 || how.merge) continue;
        call.arguments.insert(call.arguments.end(), beside.begin(), beside.end());
        call.arguments.push_back("--json=" + each.json_path);
        call.error_path = each.error_path;
        calls.push_back(std::move(call));
        called.push_back(i);
    }
    for (const auto& [why, count] : again)
        std::fputs(fmt::format("{}: {} run{} again: {}\n", how.command, count, count == 1 ? "" : "s", why).c_str(),
            stderr);
    if (how.store && !how.merge && calls.size() < ours)
        std::fputs(fmt::format("{}: {} of {} runs are done already\n", how.command, ours - calls.size(), ours).c_str(),
            stderr);
    RunsProgress progress(how.command, calls.size(), how.show_progress);
    return run_processes(calls, how.jobs, [&](std::size_t number, ProcessEnd end) {
        SharedRun& each = runs[called[number]];
        each.end = end;
        each.why.clear();
        if (how.store) how.store->keep(each.arguments, end);
        progress.one_more();
    });
}

}  // namespace weft
