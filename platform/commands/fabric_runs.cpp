#include "platform/commands/fabric_runs.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "platform/applications/sweep/processes.h"
#include "platform/console/runs_progress.h"
#include "platform/console/temporary_folder.h"

namespace weft {

namespace {

// What a run without a point left: its messages.
std::string failure_text(double load, ProcessEnd end, const std::string& text)
{
    if (end.signal != 0)
        return text + fmt::format("weft: the run of load {:g} was ended by signal {}\n", load, end.signal);
    return text.empty() ? fmt::format("weft: the run of load {:g} left no result and no message\n", load) : text;
}

std::string first_line(std::string text)
{
    text.erase(std::min(text.find('\n'), text.size()));
    if (!text.empty() && text.back() == ':') text.pop_back();  // what follows it is left out
    return text.compare(0, 6, "weft: ") == 0 ? text.substr(6) : text;
}

}  // namespace

FabricOutcome run_loads(const FabricRuns& runs)
{
    const TemporaryFolder folder("weft-fabric");
    std::vector<double> loads = runs.loads;
    if (loads.back() < 1) loads.push_back(1);
    std::vector<ProcessCall> calls;
    for (const Arguments& point : runs.points) {
        for (std::size_t i = 0; i < loads.size(); ++i) {
            ProcessCall call;
            call.arguments = {"fabric", "--loads=" + fmt::format("{}", loads[i]),
                "--point=" + folder.file(calls.size(), ".json")};
            call.arguments.insert(call.arguments.end(), runs.base.begin(), runs.base.end());
            call.arguments.insert(call.arguments.end(), point.begin(), point.end());
            if (i == 0) call.arguments.insert(call.arguments.end(), runs.first.begin(), runs.first.end());
            call.error_path = folder.file(calls.size(), ".txt");
            calls.push_back(std::move(call));
        }
    }
    std::vector<ProcessEnd> ends(calls.size());
    FabricOutcome out;
    RunsProgress progress("fabric", calls.size(), runs.show_progress);
    out.interrupted = run_processes(calls, runs.jobs, [&](std::size_t number, ProcessEnd end) {
        ends[number] = end;
        progress.one_more();
    });
    if (out.interrupted) return out;
    for (std::size_t p = 0; p < runs.points.size(); ++p) {
        FabricCurve curve;
        curve.values = runs.values[p];
        std::string errors;
        for (std::size_t i = 0; i < loads.size(); ++i) {
            const std::size_t number = p * loads.size() + i;
            const ProcessEnd end = ends[number];
            curve.code = std::max(curve.code, end.code < 0 ? static_cast<int>(exit_wrong) : end.code);
            // A protocol problem leaves a point and exit code 1, what a module finds wrong the code only.
            if ((end.code != exit_good && end.code != exit_wrong) ||
                !std::filesystem::is_regular_file(folder.file(number, ".json"))) {
                // A deadlock at one load leaves the points of the others; the first deadlock is reported.
                curve.sweep.failed.push_back(loads[i]);
                curve.code = std::max(curve.code, static_cast<int>(exit_wrong));
                if (!errors.empty()) continue;
                errors = failure_text(loads[i], end, errors_of(folder.file(number, ".txt")));
                curve.message = first_line(errors);
                continue;
            }
            FabricResult result = point_from_json(read_text_file(folder.file(number, ".json")));
            curve.sweep.setting = std::move(result.setting);
            if (i + 1 == loads.size()) curve.sweep.full = result.point;
            if (i < runs.loads.size()) curve.sweep.points.push_back(std::move(result.point));
        }
        out.curves.push_back(std::move(curve));
        out.errors.push_back(std::move(errors));
    }
    return out;
}

}  // namespace weft
