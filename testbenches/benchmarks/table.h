// One table out of many runs: median, spread, and the ratio to a row that is the baseline.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace weft::bench {

struct Row {
    std::string name;      // as registered with Google Benchmark
    std::string baseline;  // name of the row that it is compared with; its own name for a baseline
};

class Table : public benchmark::BenchmarkReporter {
public:
    explicit Table(std::vector<Row> rows) : rows_(std::move(rows)) {}

    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;
    void Finalize() override;

private:
    std::vector<Row> rows_;
    std::map<std::string, std::vector<double>> rates_;  // hops per second of each run, by row
    std::map<std::string, std::vector<double>> lines_;  // lines per second, where there are any
};

}  // namespace weft::bench
