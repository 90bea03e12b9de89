#include "collectives/workload/trace_report.h"

#include <algorithm>

#include "collectives/chakra/trace_file.h"
#include "collectives/workload/pipeline_playback.h"

namespace weft::workload {

namespace {

// Operations take as long as there are of them: a rate that is the same everywhere.
std::uint64_t operations_of(const chakra::Node& node)
{
    return node.name == "optimizer" ? 0 : node.num_ops.value_or(0);
}

void add(std::map<CommunicationKey, CommunicationSum>& to, const std::map<CommunicationKey, CommunicationSum>& from)
{
    for (const auto& [key, sum] : from) {
        CommunicationSum& all = to[key];
        all.count += sum.count;
        all.bytes += sum.bytes;
        all.sent += sum.sent;
    }
}

}  // namespace

TraceReport carry_out(const TraceJob& job, const std::function<void(const std::string&, const std::string&)>& write,
    const std::function<void(std::uint32_t)>& progress)
{
    TraceReport report;
    report.ranks = job.ranks;
    report.groups = job.groups.size();
    report.operations.assign(work_count, 0);
    report.notices = job.notices;
    std::vector<std::vector<chakra::Node>> stages;
    for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
        RankTrace trace = job.trace(rank);
        const Ledger& ledger = trace.ledger();
        report.nodes += ledger.nodes;
        for (std::size_t i = 0; i < work_count; ++i) report.operations[i] += static_cast<double>(ledger.operations[i]);
        add(report.communication, ledger.communication);
        if (rank == 0) report.first = ledger;
        if (write) {
            const std::string bytes = chakra::trace_bytes(trace.nodes());
            report.file_bytes += bytes.size();
            write("." + std::to_string(rank) + ".et", bytes);
        }
        if (job.pipeline > 1 && std::find(job.stages.begin(), job.stages.end(), rank) != job.stages.end())
            stages.push_back(std::move(trace.nodes()));
        if (progress) progress(rank);
    }
    if (write && !job.groups.empty()) write("_groups.json", chakra::group_file_text(job.groups));
    if (job.pipeline > 1) {
        report.bubble = play(stages, operations_of).bubble();
        report.bubble_formula =
            static_cast<double>(job.pipeline - 1) / static_cast<double>(job.interleave * job.microbatches);
    }
    return report;
}

}  // namespace weft::workload
