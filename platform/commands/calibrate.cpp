#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "base/units.h"
#include "platform/applications/flow/flow_calibration.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/applications/sweep/processes.h"
#include "platform/commands/options/system_options.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/console/temporary_folder.h"

namespace weft {

namespace {

constexpr std::uint32_t most_ranks_probed = 8;
constexpr int least_wait = 30;  // hundredths of a packet, as those below
constexpr int most_wait = 130;
constexpr int step_of_wait = 5;

// Collectives in which both directions of links are in use, and sizes that published comparisons leave out.
std::vector<CalibrationProbe> probes_to_run()
{
    std::vector<CalibrationProbe> out;
    for (const auto& [collective, algorithm] :
        {std::pair{"all_gather", "ring"}, {"all_reduce", "direct"}, {"all_to_all", "pairwise"}})
        for (const char* bytes : {"96KiB", "384KiB"}) out.push_back({collective, algorithm, bytes});
    return out;
}

// Runs by lines, each in a process of its own; false: interrupted.
bool run_lines(std::vector<CalibrationProbe>& probes, const Arguments& base, std::uint32_t ranks, unsigned jobs)
{
    const TemporaryFolder folder("weft-calibrate");
    std::vector<ProcessCall> calls;
    for (std::size_t i = 0; i < probes.size(); ++i) {
        ProcessCall call;
        call.arguments = {"run", "--collective", probes[i].collective, "--algorithm", probes[i].algorithm, "--bytes",
            probes[i].bytes, "--ranks", std::to_string(ranks), "--no-data", "--no-timing", "--quiet", "--json",
            folder.file(i, ".json")};
        call.arguments.insert(call.arguments.end(), base.begin(), base.end());
        call.error_path = folder.file(i, ".txt");
        calls.push_back(std::move(call));
    }
    std::vector<ProcessEnd> ends(probes.size());
    if (run_processes(calls, jobs, [&](std::size_t i, ProcessEnd end) { ends[i] = end; })) return false;
    for (std::size_t i = 0; i < probes.size(); ++i) {
        if (ends[i].code != exit_good) {
            const std::string text = errors_of(folder.file(i, ".txt"));
            throw usage_error(fmt::format("the probe {} {} of {} ended without a result: {}", probes[i].collective,
                                  probes[i].algorithm, probes[i].bytes, text.substr(0, text.find('\n'))),
                "");
        }
        probes[i].line_ps =
            nlohmann::json::parse(read_text_file(folder.file(i, ".json"))).at("simulated_ps").get<std::uint64_t>();
    }
    return true;
}

std::string table_of(const std::vector<CalibrationProbe>& probes)
{
    std::string out =
        fmt::format("{:<12}{:<10}{:>8}{:>13}{:>13}{:>9}\n", "probe", "", "bytes", "lines, us", "flow, us", "error");
    for (const CalibrationProbe& probe : probes)
        out += fmt::format("{:<12}{:<10}{:>8}{:>13.3f}{:>13.3f}{:>+7.1f} %\n", probe.collective, probe.algorithm,
            probe.bytes, static_cast<double>(probe.line_ps) / 1e6, static_cast<double>(probe.flow_ps) / 1e6,
            (static_cast<double>(probe.flow_ps) / static_cast<double>(probe.line_ps) - 1) * 100);
    return out;
}

// Beyond this error (root mean square) the probes differ by more than the wait of credits. With the numbers of the program, the
// systems that these were chosen by have 10.6 % at most (docs/models/flow.md).
constexpr double large_error = 0.15;

// Warnings about the number found: it is at the end of the range, or its error is large.
std::string remarks_on(double best, double error, bool matters)
{
    std::string out;
    if (matters && (std::lround(best * 100) == least_wait || std::lround(best * 100) == most_wait))
        out += fmt::format("{:.2f} is the end of the range that is searched, {:.2f} to {:.2f}: the least error may lie "
                           "beyond it\n",
            best, least_wait / 100.0, most_wait / 100.0);
    if (error > large_error)
        out += fmt::format("the error stays above {:.0f} %: the times of this system depend on more than the wait of "
                           "credits; run it by lines, or compare flow with lines before it is used\n",
            large_error * 100);
    return out;
}

}  // namespace

int calibrate_command(const Arguments& arguments)
{
    CommandLine line("calibrate",
        "Measures for one system the number that flow fidelity takes from runs in place of parameters: how long a "
        "credit "
        "of acknowledges waits for packets of data. Runs six short collectives on the first accelerators, at most "
        "eight, "
        "at line fidelity and by flow, and writes the number with the least error, and these runs, to a file for 'weft "
        "run "
        "--fidelity flow --calibration FILE'.\n\n"
        "  weft calibrate examples/clos_8/system.yaml -o clos.calibration.yaml\n"
        "  weft run examples/clos_8/system.yaml --fidelity flow --calibration clos.calibration.yaml\n");
    SystemOptions options;
    std::string path;
    std::string ranks_text;
    std::string jobs_text;
    options.add_file_or_infra(line, "SYSTEM");
    options.add_reading(line);
    options.add_parameters(line);
    line.section("measurement");
    line.value("--ranks", "N", ranks_text, "the first N accelerators take part, 2 to 8; default 8, or all of fewer");
    line.value("-j,--jobs", "N", jobs_text, "simulations at a time; default the number of cores");
    line.section("output");
    line.value("-o,--output", "OUT", path, "the file to write; without it only the table is printed");
    if (!line.parse(arguments)) return exit_good;
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const auto jobs = jobs_text.empty() ? cores : static_cast<unsigned>(number_option("--jobs", jobs_text, 1, 1024));
    options.refuse_streams("calibrate");
    const OutputFile output(path);
    SystemDescription description = options.description();
    const ModelRegistry registry = options.registry();
    const LoadedGraph loaded = options.load(description);
    description.workload = Workload{};
    const auto resolve_with = [&](const CalibrationProbe& probe, std::uint32_t ranks) {
        SystemDescription of = description;
        of.workload.kind = Workload::Kind::collective;
        of.workload.collective = probe.collective;
        of.workload.algorithm = probe.algorithm;
        of.workload.bytes = *parse_bytes(probe.bytes);
        of.workload.rank_count = ranks;
        return resolve_loaded(of, loaded, registry);
    };
    std::vector<CalibrationProbe> probes = probes_to_run();
    const ResolvedSystem first = resolve_with(probes.front(), 2);
    const auto there = static_cast<std::uint32_t>(std::min<std::size_t>(first.endpoints().size(), most_ranks_probed));
    if (there < 2) throw InputError(first.infrastructure, 0, "has no two accelerators", "two that exchange data");
    const auto ranks =
        ranks_text.empty() ? there : static_cast<std::uint32_t>(number_option("--ranks", ranks_text, 2, there));
    std::vector<ResolvedSystem> systems;
    for (const CalibrationProbe& probe : probes) systems.push_back(resolve_with(probe, ranks));
    if (!run_lines(probes, line.given({"--ranks", "--jobs", "--output"}), ranks, jobs)) {
        std::fputs("weft: interrupted; no calibration is written\n", stderr);
        return exit_interrupted;
    }
    std::vector<std::string> notices;  // of the runs at flow, each once
    const auto flow_with = [&](std::optional<double> wait) {
        std::vector<CalibrationProbe> out = probes;
        RunOptions run;
        run.flow = true;
        run.progress = false;
        run.credit_wait = wait;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const RunResult result = run_flow(systems[i], run);
            out[i].flow_ps = result.simulated_ps;
            for (const std::string& notice : result.notices)
                if (std::find(notices.begin(), notices.end(), notice) == notices.end()) notices.push_back(notice);
        }
        return out;
    };
    const FlowCalibration built_in;
    const double before = error_of(flow_with({}));
    double best = built_in.credit_wait;
    std::vector<CalibrationProbe> found = flow_with(best);
    for (int wait = least_wait; wait <= most_wait; wait += step_of_wait) {
        std::vector<CalibrationProbe> tried = flow_with(wait / 100.0);
        if (error_of(tried) >= error_of(found)) continue;
        best = wait / 100.0;
        found = std::move(tried);
    }
    const bool matters = error_of(flow_with(0)) != before || best != built_in.credit_wait;
    output.write(output.wanted() ? calibration_text(first.name, blocks_digest(first), best, found) : "");
    if (!output.is_stdout())
        print(table_of(found) +
            fmt::format(
                "credit_wait {:.2f} packets, error {:.2f} % (root mean square); those of the program, {:.2f} and "
                "behind network cards {:.2f}: {:.2f} %\n{}",
                best, error_of(found) * 100, built_in.credit_wait, built_in.credit_wait_of_cards, before * 100,
                matters ? "" : "no credit of these links waits for packets: the number changes nothing here\n") +
            remarks_on(best, error_of(found), matters));
    print_notices(notices);
    return exit_good;
}

}  // namespace weft
