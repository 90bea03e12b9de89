#include "platform/simulation/run_trace.h"

#include "collectives/engine/paths/critical_path.h"
#include "platform/simulation/path_views.h"

namespace weft {

RunTrace::RunTrace(LineExecutor& executor, const std::vector<LineExecutor::Site>& sites)
    : executor_(executor), sites_(sites)
{
    std::map<const EventQueue*, std::size_t> number;
    for (const LineExecutor::Site& site : sites)
        if (site.queue != nullptr) number.try_emplace(site.queue, number.size());
    if (number.size() > 1) others_.resize(number.size() - 1);
    std::vector<OperationLog*> logs(executor.endpoints(), &log_);
    for (std::size_t e = 0; e < sites.size(); ++e)
        if (sites[e].queue != nullptr && number.at(sites[e].queue) > 0)
            logs[e] = &others_[number.at(sites[e].queue) - 1];
    executor.set_logs(log_, logs);
}

void RunTrace::gather()
{
    add(others_);
    others_.clear();
}

// At one time devices end their operations in the order of their names.
void RunTrace::add(const std::vector<OperationLog>& logs)
{
    log_.absorb(logs, [this](std::uint32_t a, std::uint32_t b) {
        return sites_[executor_.work(a).endpoint].device < sites_[executor_.work(b).endpoint].device;
    });
}

std::vector<PathResult> RunTrace::paths() const
{
    return path_results(executor_.records(),
        [this](Executor::JobId job) { return critical_path(log_, executor_, job); });
}

std::string RunTrace::timeline(const std::vector<std::string>& nodes, bool ended, const BackgroundKernel* beside) const
{
    Timeline out = timeline_of_nodes(nodes_, nodes, ended);
    add_paths(out, executor_.records(), [this](Executor::JobId job) { return critical_path(log_, executor_, job); });
    const auto operation = [this](std::size_t number) {
        const OperationRecord& record = log_.records()[number];
        return TimelineOperation{record.work, record.label, record.kind, record.begin, record.end, record.spent,
            record.lives.lines, record.unfinished};
    };
    add_operations(out, log_.records().size(), operation, [this](std::uint32_t work) { return executor_.work(work); });
    if (beside != nullptr) beside->add_to(out, stopped_at_);
    return out.text();
}

}  // namespace weft
