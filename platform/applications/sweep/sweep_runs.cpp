#include "platform/applications/sweep/sweep_runs.h"

#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "platform/console/temporary_folder.h"

namespace weft {

namespace {

std::string progress_text(std::size_t done, std::size_t all)
{
    return fmt::format("\rsweep: {} of {} runs done", done, all);
}

// Why points whose results were kept are run again, one line a reason.
void report_again(const std::map<std::string, std::size_t>& again)
{
    for (const auto& [why, count] : again)
        std::fputs(fmt::format("sweep: {} run{} again: {}\n", count, count == 1 ? "" : "s", why).c_str(), stderr);
}

}  // namespace

SweepOutcome run_points(const SweepRuns& how, const Arguments& base, const std::vector<SweepAxis>& axes,
    const std::vector<SweepPoint>& points, const std::vector<std::string>& columns)
{
    struct Ours {
        std::size_t point;
        Arguments run;
        std::string json_path;
        std::string error_path;
        ProcessEnd end;
        std::string why;  // there is no result
    };
    const TemporaryFolder folder("weft-sweep");
    std::vector<Ours> ours;
    std::vector<ProcessCall> calls;
    std::vector<std::size_t> called;  // index in `ours`
    std::map<std::string, std::size_t> again;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!how.merge && !how.shard.has(i)) continue;
        Ours each{i, {"run"}, folder.file(i, ".json"), folder.file(i, ".txt"), {}, ""};
        each.run.insert(each.run.end(), base.begin(), base.end());
        const Arguments own = point_arguments(axes, points[i]);
        each.run.insert(each.run.end(), own.begin(), own.end());
        ProcessCall call;
        call.arguments = each.run;
        if (how.store) {
            const SweepStore::Point kept = how.store->point(each.run);
            each.json_path = kept.json_path;
            each.error_path = kept.error_path;
            const SweepStore::Kept found = how.store->find(each.run);
            each.end.code = found.done ? found.code : -1;
            each.why = found.why;
            if (!found.done && !how.merge) {
                if (found.why != SweepStore::never) ++again[found.why];
                how.store->clear(each.run);
                call.arguments.push_back("--inputs=" + kept.inputs_path);
            }
        }
        if (each.end.code < 0 && !how.merge) {
            for (const char* option : {"--quiet", "--no-timing", "--fault-wave=none"}) call.arguments.push_back(option);
            call.arguments.push_back("--json=" + each.json_path);
            call.error_path = each.error_path;
            calls.push_back(std::move(call));
            called.push_back(ours.size());
        }
        ours.push_back(std::move(each));
    }
    report_again(again);
    if (how.store && !how.merge && calls.size() < ours.size())
        std::fputs(
            fmt::format("sweep: {} of {} runs are done already\n", ours.size() - calls.size(), ours.size()).c_str(),
            stderr);
    std::size_t done = 0;
    SweepOutcome out;
    out.interrupted = run_processes(calls, how.jobs, [&](std::size_t number, ProcessEnd end) {
        Ours& each = ours[called[number]];
        each.end = end;
        each.why.clear();
        if (how.store) how.store->keep(each.run, end);
        ++done;
        if (how.show_progress) std::fputs(progress_text(done, calls.size()).c_str(), stderr);
    });
    if (how.show_progress && !calls.empty()) std::fputs("\n", stderr);
    for (const Ours& each : ours) {
        out.rows.push_back(make_row(points[each.point], each.end, each.json_path, each.error_path, columns));
        if (how.merge && !each.why.empty()) {
            out.rows.back() = {};
            out.rows.back().values = points[each.point];
            out.rows.back().message = "no result: " + each.why;
        }
    }
    return out;
}

}  // namespace weft
