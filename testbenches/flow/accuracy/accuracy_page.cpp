#include "testbenches/flow/accuracy/accuracy_page.h"

#include <algorithm>

namespace accuracy_test {

namespace {

std::string table_of_mechanisms(const std::vector<const Compared*>& tables)
{
    std::string out = "| row | error | mechanism | taken away by | error then |\n|---|---|---|---|---|\n";
    for (const Explained& each : explained_rows())
        for (const Compared* of : tables)
            for (std::size_t i = 0; i < of->all.size(); ++i) {
                if (of->all[i].name() != each.row.name()) continue;
                const double left = each.known() ? (by_flow(each.row) / each.row.lines_ps - 1) * 100 : 0;
                out += fmt::format("| {} | {:+.1f} % | {} | {} | {} |\n", each.row.name(), of->error(i), each.mechanism,
                    each.known() ? fmt::format("`{}`", fmt::join(each.row.sets, " ")) : "",
                    each.known() ? fmt::format("{:+.1f} %", left) : "");
            }
    return out;
}

std::string heading(const std::string& title, const Spread& is, std::size_t count)
{
    return fmt::format("\n## {}\n\n{} rows: median {:.1f} %, nine in ten within {:.1f} %, worst {:.1f} % ({}).\n\n",
        title, count, is.median, is.p90, is.worst, is.worst_name);
}

}  // namespace

Spread spread_of(const std::vector<std::pair<double, std::string>>& errors)
{
    std::vector<std::pair<double, std::string>> sorted = errors;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t last = sorted.size() - 1;
    return {(sorted[last / 2].first + sorted[(last + 1) / 2].first) / 2, sorted[last * 9 / 10].first,
        sorted[last].first, sorted[last].second};
}

Compared compared(const std::vector<Row>& all)
{
    Compared out;
    out.all = all;
    for (const Row& row : all) {
        out.flow_ps.push_back(by_flow(row));
        out.errors.emplace_back(std::abs(out.flow_ps.back() / row.lines_ps - 1) * 100, row.name());
    }
    out.spread = spread_of(out.errors);
    return out;
}

std::string table_of_sets(const Compared& of)
{
    std::string out = "| system | collective | algorithm | size | set | lines, us | flow, us | error |\n"
                      "|---|---|---|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < of.all.size(); ++i) {
        const Row& row = of.all[i];
        out += fmt::format("| {} | {} | {} | {} | {}{}{} | {:.2f} | {:.2f} | {:+.1f} % |\n", row.system, row.op,
            row.algorithm, row.bytes, row.beside, row.beside.empty() || row.sets.empty() ? "" : " ",
            fmt::join(row.sets, " "), row.lines_ps / 1e6, of.flow_ps[i] / 1e6, of.error(i));
    }
    return out;
}

std::string table(const Compared& of)
{
    std::string out =
        "| system | collective | algorithm | size | lines, us | flow, us | error |\n|---|---|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < of.all.size(); ++i)
        out += fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:+.1f} % |\n", of.all[i].system, of.all[i].op,
            of.all[i].algorithm, of.all[i].bytes, of.all[i].lines_ps / 1e6, of.flow_ps[i] / 1e6, of.error(i));
    return out;
}

std::vector<Explained> explained_rows()
{
    std::vector<Explained> out;
    for (const auto& words : rows("mechanisms.txt")) {
        Explained each{{words.at(0), words.at(1), words.at(2), words.at(3), 0, {}, {}}, words.at(4)};
        if (each.known()) each.row.lines_ps = std::stod(words.at(5));
        if (each.known()) each.row.sets.assign(words.begin() + 6, words.end());
        out.push_back(std::move(each));
    }
    return out;
}

std::string page(const Tables& tables)
{
    const auto& [of, loads, in_circles, in_switches, large, few, copies, beside, traces, probes] = tables;
    const Spread& is = of.spread;
    std::string out =
        "# Flow fidelity against lines: all rows\n\n"
        "What it means and why rows are off: [flow](flow.md#against-lines). Written by `WEFT_UPDATE_DOCS=1\n"
        "build/release/tests/flow_test --gtest_filter=FlowAccuracy.MedianNineInTenAndWorstStayWithinTheirBounds`; "
        "nothing is fitted to these rows. The probes are at the end.\n\n";
    out += fmt::format("{} rows: median {:.1f} %, nine in ten within {:.1f} %, worst {:.1f} % ({}).\n\n", of.all.size(),
        is.median, is.p90, is.worst, is.worst_name);
    out += "The rows that are more than 10 % off are explained [at the end](#rows-beyond-10-).\n\n";
    out += table(of);
    out += heading("Loads", loads.spread, loads.all.size()) + table(loads);
    out += heading("Loads where buffers can wait in a circle", in_circles.spread, in_circles.all.size()) +
        table(in_circles);
    out += heading("Steps in switches", in_switches.spread, in_switches.all.size()) + table(in_switches);
    out += heading("Beyond 64 ranks", large.spread, large.all.size()) + table(large);
    out += heading("Few channels and few registers", few.spread, few.all.size()) + table_of_sets(few);
    out += heading("Copy engines and bulk copies", copies.spread, copies.all.size()) + table_of_sets(copies);
    out += heading("Beside a kernel", beside.spread, beside.all.size()) + table_of_sets(beside);
    out += fmt::format("\n## Traces\n\n`testbenches/flow/accuracy/traces.txt` has the commands that wrote them. Median "
                       "{:.1f} %, worst {:.1f} % ({}).\n\n",
        traces.spread.median, traces.spread.worst, traces.spread.worst_name);
    out += table(traces);
    out += fmt::format(
        "\n## Probes\n\nRuns on other systems and of other sizes, by which two numbers of the model were chosen "
        "([flow](flow.md#probes)): root mean\nsquare {:.1f} %.\n\n",
        probes.root_mean_square());
    out += table(probes) +
        "\n## Rows beyond 10 %\n\nWhat the mechanisms are: [flow](flow.md#against-lines). Each is shown by a run at "
        "both "
        "fidelities without it. Of rows that are \"unknown\", nothing that was tried took the error away.\n\n";
    return out + table_of_mechanisms({&of, &loads, &in_switches, &large, &probes});
}

}  // namespace accuracy_test
