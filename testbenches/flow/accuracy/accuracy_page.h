// How far flow is from lines, as numbers and as docs/models/flow_accuracy.md.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/flow/accuracy/accuracy_rows.h"

namespace accuracy_test {

struct Spread {
    double median = 0;
    double p90 = 0;
    double worst = 0;
    std::string worst_name;
};

Spread spread_of(const std::vector<std::pair<double, std::string>>& errors);

struct Compared {
    std::vector<Row> all;
    std::vector<double> flow_ps;
    std::vector<std::pair<double, std::string>> errors;  // size, name
    Spread spread;

    double error(std::size_t i) const { return (flow_ps[i] / all[i].lines_ps - 1) * 100; }
    double root_mean_square() const
    {
        double sum = 0;
        for (std::size_t i = 0; i < all.size(); ++i) sum += error(i) * error(i);
        return std::sqrt(sum / static_cast<double>(all.size()));
    }
};

Compared compared(const std::vector<Row>& all);

// Why a row is off: an experiment that takes the mechanism away at both fidelities.
struct Explained {
    Row row;  // with the changes, and what lines take with them
    std::string mechanism;

    bool known() const { return mechanism != "unknown"; }
};

std::vector<Explained> explained_rows();

// The page with all rows, which says how far they are off.
struct Tables {
    Compared of = compared(all_rows());
    Compared loads = compared(all_rows("loads.txt"));
    Compared in_circles = compared(all_rows("loads_in_circles.txt"));
    Compared in_switches = compared(all_rows("in_switch.txt"));
    Compared large = compared(all_rows("large.txt"));
    Compared few = compared(all_rows("few.txt"));
    Compared copies = compared(all_rows("copies.txt"));
    Compared beside = compared(beside_rows());
    Compared traces = compared(trace_rows());
    Compared probes = compared(all_rows("probe/lines.txt"));
};

// Rows of which parameters were set have them in their last column.
std::string table_of_sets(const Compared& of);
std::string table(const Compared& of);
std::string page(const Tables& tables);

}  // namespace accuracy_test
