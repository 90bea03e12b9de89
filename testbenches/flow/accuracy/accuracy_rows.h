// Runs at both fidelities that are compared: what is in the files of accuracy/, and how it is run.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "testbenches/platform/runs.h"

namespace accuracy_test {

// Lines of a file of accuracy/, without those of comments, as words.
std::vector<std::vector<std::string>> rows(const std::string& name);

struct Row {
    std::string system, op, algorithm, bytes;
    double lines_ps = 0;
    std::vector<std::string> sets{};  // beyond those of the system
    std::string beside{};             // background kernel

    std::string name() const
    {
        return system + " " + op + " " + algorithm + (bytes.empty() ? "" : " " + bytes) +
            (beside.empty() ? "" : fmt::format(" {}{}{}", beside, sets.empty() ? "" : " ", fmt::join(sets, " ")));
    }
};

std::vector<Row> all_rows(const std::string& name = "lines.txt");
// Collectives with a kernel beside them: it follows the time.
std::vector<Row> beside_rows();
std::vector<Row> trace_rows();

weft::RunOptions quiet();  // without data and progress
// Simulated ps. By flow a run for all who ask for it: the page and the bounds look at the same experiments.
double by_flow(const Row& row);
double by_lines(const Row& row);

}  // namespace accuracy_test
