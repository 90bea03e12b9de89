#include "testbenches/benchmarks/table.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace weft::bench {

namespace {

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

bool Table::ReportContext(const Context& context)
{
    PrintBasicContext(&std::cerr, context);
    return true;
}

void Table::ReportRuns(const std::vector<Run>& runs)
{
    for (const Run& run : runs) {
        if (run.run_type != Run::RT_Iteration) continue;
        if (run.error_occurred) {
            std::fprintf(stderr, "%s: %s\n", run.run_name.function_name.c_str(), run.error_message.c_str());
            continue;
        }
        const auto rate = run.counters.find("hops_per_s");
        if (rate != run.counters.end()) rates_[run.run_name.function_name].push_back(rate->second.value);
        const auto lines = run.counters.find("lines_per_s");
        if (lines != run.counters.end() && lines->second.value > 0)
            lines_[run.run_name.function_name].push_back(lines->second.value);
    }
}

void Table::Finalize()
{
    std::printf("%-26s %12s %24s %5s %9s %10s\n", "", "Mhops/s", "min .. max", "runs", "ratio", "Mlines/s");
    for (const Row& row : rows_) {
        const auto found = rates_.find(row.name);
        if (found == rates_.end()) continue;
        const auto [low, high] = std::minmax_element(found->second.begin(), found->second.end());
        std::printf("%-26s %12.2f %13.2f .. %7.2f %5zu", row.name.c_str(), median(found->second) / 1e6, *low / 1e6,
            *high / 1e6, found->second.size());
        const auto base = rates_.find(row.baseline);
        if (base != rates_.end()) std::printf(" %9.2f", median(found->second) / median(base->second));
        const auto lines = lines_.find(row.name);
        if (lines != lines_.end()) std::printf(" %10.2f", median(lines->second) / 1e6);
        std::printf("\n");
    }
}

}  // namespace weft::bench
