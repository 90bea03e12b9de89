// What was measured: rows by the names of `weft probe` where it has the row, and curves. Written as JSON.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace hardware {

struct Row {
    std::string name;
    std::string unit;
    std::vector<double> samples;  // of repeats, or of places (lines, pairs of SMs); the median is the value
    std::string how;
};

struct Curve {
    std::string name;
    std::string x;
    std::string y;
    std::vector<std::pair<double, double>> points;
    std::string how;
};

class Report {
public:
    void fact(const std::string& name, const std::string& value) { facts_.emplace_back(name, value); }
    void row(const std::string& name, const std::string& unit, std::vector<double> samples, const std::string& how);
    void curve(Curve curve);
    void write(std::FILE* out) const;

private:
    std::vector<std::pair<std::string, std::string>> facts_;
    std::vector<Row> rows_;
    std::vector<Curve> curves_;
};

// Of a part of sorted samples: 0 the smallest, 0.5 the median, 1 the largest.
double quantile(std::vector<double> samples, double part);
inline double median(std::vector<double> samples) { return quantile(std::move(samples), 0.5); }

}  // namespace hardware
