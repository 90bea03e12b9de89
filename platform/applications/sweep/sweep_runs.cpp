#include "platform/applications/sweep/sweep_runs.h"

namespace weft {

SweepOutcome run_points(const RunSharing& how, const Arguments& base, const std::vector<SweepAxis>& axes,
    const std::vector<SweepPoint>& points, const std::vector<std::string>& columns)
{
    const TemporaryFolder folder("weft-sweep");
    std::vector<SharedRun> runs;
    for (const SweepPoint& point : points) {
        Arguments run{"run"};
        run.insert(run.end(), base.begin(), base.end());
        const Arguments own = point_arguments(axes, point);
        run.insert(run.end(), own.begin(), own.end());
        runs.push_back({std::move(run)});
    }
    SweepOutcome out;
    out.interrupted = make_runs(how, folder, {"--quiet", "--no-timing", "--fault-wave=none"}, runs);
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!how.ours(i)) continue;
        const SharedRun& each = runs[i];
        out.rows.push_back(make_row(points[i], each.end, each.json_path, each.error_path, columns));
        if (how.merge && !each.why.empty()) {
            out.rows.back() = {};
            out.rows.back().values = points[i];
            out.rows.back().message = "no result: " + each.why;
        }
    }
    return out;
}

}  // namespace weft
