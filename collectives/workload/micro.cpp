#include <algorithm>
#include <map>
#include <memory>

#include "base/diagnostic.h"
#include "collectives/workload/trace_job.h"

namespace weft::workload {

namespace {

using chakra::CollectiveType;

struct MicroOperation {
    const char* name;
    CollectiveType type;
};
constexpr MicroOperation micro_table[] = {{"all_reduce", CollectiveType::all_reduce},
    {"all_gather", CollectiveType::all_gather}, {"reduce_scatter", CollectiveType::reduce_scatter},
    {"all_to_all", CollectiveType::all_to_all}, {"broadcast", CollectiveType::broadcast},
    {"barrier", CollectiveType::barrier}};

struct MicroRun {
    const MicroOperation* operation;
    std::uint64_t size;
    std::uint32_t ranks;
};

const MicroOperation* micro_operation(const std::string& name)
{
    const auto* found = std::find_if(std::begin(micro_table), std::end(micro_table),
        [&](const MicroOperation& one) { return name == one.name; });
    return found == std::end(micro_table) ? nullptr : found;
}

std::vector<MicroRun> micro_runs(const MicroOptions& options)
{
    std::vector<MicroRun> runs;
    for (const std::string& name : options.operations) {
        const MicroOperation* operation = micro_operation(name);
        const bool sized = operation->type != CollectiveType::barrier;
        const std::vector<std::uint64_t> sizes = sized ? options.sizes : std::vector<std::uint64_t>{0};
        for (const std::uint32_t ranks : options.ranks)
            for (const std::uint64_t size : sizes) {
                const bool shared = operation->type == CollectiveType::all_gather ||
                    operation->type == CollectiveType::reduce_scatter || operation->type == CollectiveType::all_to_all;
                if (shared && size % ranks != 0)
                    throw InputError("weft", 0,
                        std::to_string(size) + " bytes of " + name + " over " + std::to_string(ranks) + " ranks",
                        "sizes that are multiples of the number of ranks");
                runs.push_back({operation, size, ranks});
            }
    }
    return runs;
}

}  // namespace

const std::vector<std::string>& micro_operations()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const MicroOperation& operation : micro_table) out.emplace_back(operation.name);
        return out;
    }();
    return names;
}

TraceJob micro_job(const MicroOptions& options)
{
    for (const std::string& name : options.operations)
        if (micro_operation(name) == nullptr)
            throw InputError("weft", 0, "unknown collective '" + name + "'",
                "one of all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, barrier");
    TraceJob job;
    job.ranks = *std::max_element(options.ranks.begin(), options.ranks.end());
    std::map<std::uint32_t, Membership> groups;
    for (const std::uint32_t ranks : options.ranks) {
        if (ranks < 2)
            throw InputError("weft", 0, "a collective over " + std::to_string(ranks) + " ranks", "2 or more");
        Membership& group = groups[ranks];
        if (!group.ranks.empty()) continue;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) group.ranks.push_back(rank);
    }
    for (auto& [ranks, group] : groups) {
        group.name = std::to_string(job.groups.size() + 1);
        job.groups.emplace(job.groups.size() + 1, group.ranks);
    }
    const auto runs = std::make_shared<const std::vector<MicroRun>>(micro_runs(options));
    const std::uint64_t iterations = options.iterations;
    job.trace = [runs, groups, iterations, all = groups.at(job.ranks)](std::uint32_t rank) {
        RankTrace trace(rank);
        std::uint32_t before = runs->front().ranks;
        for (const MicroRun& run : *runs) {
            // Ranks that had no part in what came before must not come early.
            if (run.ranks != before) trace.in_chain("barrier between", {"benchmark", CollectiveType::barrier, 0, all});
            before = run.ranks;
            for (std::uint64_t i = 0; i < iterations; ++i) {
                if (rank >= run.ranks) continue;
                const bool gathers = run.operation->type == CollectiveType::all_gather;
                trace.in_chain(std::string(run.operation->name) + " " + std::to_string(run.size) + " B, " +
                        std::to_string(run.ranks) + " ranks, " + std::to_string(i + 1),
                    {"benchmark", run.operation->type, gathers ? run.size / run.ranks : run.size,
                        groups.at(run.ranks)});
            }
        }
        return trace;
    };
    if (groups.size() > 1)
        job.notices.emplace_back("a barrier of all ranks separates the parts with different numbers of ranks; "
                                 "ASTRA-sim refuses barriers, and a single number in --ranks avoids them");
    if (std::any_of(options.operations.begin(), options.operations.end(),
            [](const std::string& name) { return name == "broadcast" || name == "barrier"; }))
        job.notices.emplace_back("ASTRA-sim replays the duration of a broadcast and refuses a barrier; Weft runs both");
    return job;
}

}  // namespace weft::workload
