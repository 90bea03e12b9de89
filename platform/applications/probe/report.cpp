#include "platform/applications/probe/report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"

namespace weft {

namespace {

std::string number(double value) { return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value); }

std::string source_text(const PublishedFigure& figure) { return figure.source + " (" + figure.grade + ")"; }

// "hbm.bandwidth 3049", and what of it is reached where that is little.
std::string bound_text(const ProbeReport& report, const std::string& row, double value)
{
    const RateLimit* bound = report.bound(row);
    if (bound == nullptr) return "";
    const double share = value / bound->rate;
    return bound->parameter + " " + number(bound->rate) +
        (share < near_bound ? fmt::format(" ({:.0f} %)", share * 100) : "");
}

void add_matrix(std::string& out, const ProbeMatrix& matrix)
{
    out += fmt::format("\n{}, {} (from row to column)\n     ", matrix.name, matrix.unit);
    for (std::size_t to = 0; to < matrix.values.size(); ++to) out += fmt::format("{:>9}", to);
    out += '\n';
    for (std::size_t from = 0; from < matrix.values.size(); ++from) {
        out += fmt::format("{:>5}", from);
        for (std::size_t to = 0; to < matrix.values.size(); ++to)
            out += from == to ? fmt::format("{:>9}", "-") : fmt::format("{:9.1f}", matrix.values[from][to]);
        out += '\n';
    }
}

void add_curve(std::string& out, const ProbeCurve& curve)
{
    out += fmt::format("\n{}\n{:>14} {:>10}{}\n", curve.name, curve.x_unit, curve.y_unit,
        curve.expected.empty() ? "" : "     theory  error %");
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        const auto& [x, y] = curve.points[i];
        out += fmt::format("{:14.0f} {:10.1f}", x, y);
        if (!curve.expected.empty())
            out += fmt::format(" {:10.1f} {:+8.2f}", curve.expected[i], (y / curve.expected[i] - 1) * 100);
        out += '\n';
    }
}

}  // namespace

const PublishedFigure* ProbeReport::figure(const std::string& row) const
{
    if (published == nullptr) return nullptr;
    const auto found = published->figures.find(row);
    return found == published->figures.end() ? nullptr : &found->second;
}

const RateLimit* ProbeReport::bound(const std::string& row) const
{
    const auto found = limits.find(row);
    return found == limits.end() || found->second.empty() ? nullptr : &found->second.front();
}

double ProbeReport::error_pct(double simulated, const PublishedFigure& figure)
{
    return (simulated / figure.middle() - 1) * 100;
}

std::vector<std::string> beyond_bounds(const ProbeReport& report)
{
    std::vector<std::string> out;
    constexpr double beyond = 1.05;  // docs/probe.md: ends and refreshes are up to 5 % of a row
    for (const auto& [row, value] : report.result.values)
        if (const RateLimit* bound = report.bound(row); bound != nullptr && value > beyond * bound->rate)
            out.push_back(fmt::format(
                "{} is {:.0f} % above its bound {} {}: what its longer kernel does more is no steady state here", row,
                (value / bound->rate - 1) * 100, bound->parameter, number(bound->rate)));
    return out;
}

std::string probe_text(const ProbeReport& report)
{
    std::string out =
        fmt::format("{}: profile {}, {} accelerators\n\n", report.system, report.profile, report.endpoints);
    out += fmt::format("{:<24} {:>10} {:<5} {:>16} {:>8}  {:<34} {}\n", "row", "simulated", "unit", "published",
        "error %", "bound by, GB/s", "source");
    for (const auto& [name, value] : report.result.values) {
        const ProbeRow& row = *find_probe_row(name);
        const PublishedFigure* figure = report.figure(name);
        out += fmt::format("{:<24} {:>10} {:<5} ", name, number(value), row.unit);
        const std::string bound = bound_text(report, name, value);
        out += figure == nullptr ? fmt::format("{:>16} {:>8}  {:<34} {}", "-", "-", bound, row.text)
                                 : fmt::format("{:>16} {:>+8.1f}  {:<34} {}", figure->text(),
                                       ProbeReport::error_pct(value, *figure), bound, source_text(*figure));
        out += '\n';
    }
    for (const ProbeMatrix& matrix : report.result.matrices) add_matrix(out, matrix);
    for (const ProbeCurve& curve : report.result.curves) add_curve(out, curve);
    return out;
}

std::string probe_json(const ProbeReport& report)
{
    using Json = nlohmann::ordered_json;
    Json out{{"schema", "weft.probe/1"}, {"profile", report.profile}, {"system", report.system},
        {"endpoints", report.endpoints}, {"rows", Json::array()}};
    for (const auto& [name, value] : report.result.values) {
        const ProbeRow& row = *find_probe_row(name);
        const PublishedFigure* figure = report.figure(name);
        Json entry{{"name", name}, {"unit", row.unit}, {"simulated", value}, {"published", nullptr},
            {"error_pct", nullptr}, {"source", nullptr}};
        if (figure != nullptr) {
            entry["published"] = figure->middle();
            entry["error_pct"] = ProbeReport::error_pct(value, *figure);
            entry["source"] = source_text(*figure);
            entry["published_low"] = figure->low;
            entry["published_high"] = figure->high;
        }
        entry["text"] = row.text;
        if (const RateLimit* bound = report.bound(name)) {
            entry["bound_by"] = {{"parameter", bound->parameter}, {"GBps", bound->rate}};
            entry["limits"] = Json::array();
            for (const RateLimit& limit : report.limits.at(name))
                entry["limits"].push_back({{"parameter", limit.parameter}, {"GBps", limit.rate}});
        }
        out["rows"].push_back(std::move(entry));
    }
    if (!report.result.matrices.empty()) {
        out["matrices"] = Json::array();
        for (const ProbeMatrix& matrix : report.result.matrices)
            out["matrices"].push_back({{"name", matrix.name}, {"unit", matrix.unit}, {"values", matrix.values}});
    }
    if (!report.result.curves.empty()) {
        out["curves"] = Json::array();
        for (const ProbeCurve& curve : report.result.curves) {
            Json entry{{"name", curve.name}, {"x_unit", curve.x_unit}, {"y_unit", curve.y_unit},
                {"points", curve.points}};
            if (!curve.expected.empty()) entry["expected"] = curve.expected;
            out["curves"].push_back(std::move(entry));
        }
    }
    return out.dump(1) + "\n";
}

std::string probe_markdown(const ProbeReport& report)
{
    std::string out =
        "| row | unit | simulated | bound by, GB/s | published | error % | source |\n|---|---|---|---|---|---|---|\n";
    for (const auto& [name, value] : report.result.values) {
        const PublishedFigure* figure = report.figure(name);
        out += fmt::format("| {} | {} | {} | {} | ", name, find_probe_row(name)->unit, number(value),
            bound_text(report, name, value));
        out += figure == nullptr ? "| | |\n"
                                 : fmt::format("{} | {:+.1f} | {} |\n", figure->text(),
                                       ProbeReport::error_pct(value, *figure), source_text(*figure));
    }
    return out;
}

}  // namespace weft
