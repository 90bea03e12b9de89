#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "platform/applications/sweep/sweep_energy.h"
#include "platform/applications/sweep/sweep_plot.h"
#include "platform/applications/sweep/sweep_runs.h"
#include "platform/applications/sweep/sweep_table.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/commands/options/grain_option.h"
#include "platform/commands/options/named_inputs.h"
#include "platform/commands/options/system_options.h"
#include "platform/commands/options/workload_options.h"
#include "platform/configuration/parameters/old_names.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/report/table_page.h"

namespace weft {

namespace {

std::string name_of_point(const std::vector<SweepAxis>& axes, const SweepPoint& point)
{
    std::string out;
    for (std::size_t i = 0; i < axes.size(); ++i) out += (i == 0 ? "" : ", ") + axes[i].key + "=" + point[i];
    return out;
}

// How many runs have a result, and how many of those are verified.
std::vector<TablePage::Figure> figures_of(const std::vector<SweepRow>& rows)
{
    const auto count = [&](auto&& has) { return std::count_if(rows.begin(), rows.end(), has); };
    const auto finished = count([](const SweepRow& row) { return row.message.empty() && row.stop == "finished"; });
    const auto passed = count([](const SweepRow& row) { return row.verified == "passed"; });
    const auto failed = count([](const SweepRow& row) { return row.verified == "failed"; });
    const bool all = static_cast<std::size_t>(finished) == rows.size();
    std::vector<TablePage::Figure> out{
        {fmt::format("{} of {}", finished, rows.size()), "runs finished", all ? "" : "bad"}};
    if (failed > 0)
        out.push_back({fmt::format("{} WRONG", failed), "results in memory are wrong", "bad"});
    else if (passed > 0)
        out.push_back({fmt::format("{} verified", passed),
            static_cast<std::size_t>(passed) == rows.size() ? "every result in memory is right"
                                                            : "the others compared no data",
            "good"});
    else
        out.push_back({"not verified", "no data was compared", ""});
    return out;
}

std::string keys_of(const std::vector<SweepAxis>& axes)
{
    std::string out;
    for (const SweepAxis& axis : axes) out += (out.empty() ? "" : ", ") + axis.key;
    return out;
}

// One line on stderr for each run that has no result or a bad one, also where no table is shown.
void report_failures(const std::vector<SweepAxis>& axes, const std::vector<SweepRow>& rows, bool interrupted)
{
    std::size_t unfinished = 0;
    for (const SweepRow& row : rows) {
        if (interrupted && (row.code < 0 || row.code == exit_interrupted)) {
            ++unfinished;
            continue;
        }
        if (row.code == exit_good) continue;
        std::string what = row.message;
        if (what.empty()) what = row.stop == "finished" ? "a check failed" : row.stop;
        if (row.code == exit_wrong && row.verified == "failed") what = "results in memory are wrong";
        std::fputs(fmt::format("sweep: {}: {}\n", name_of_point(axes, row.values), what).c_str(), stderr);
    }
    if (interrupted)
        std::fputs(fmt::format("sweep: interrupted: {} of {} runs did not finish\n", unfinished, rows.size()).c_str(),
            stderr);
}

// The worst that happened to any point.
int exit_code_of(const std::vector<SweepRow>& rows, bool interrupted)
{
    if (interrupted) return exit_interrupted;
    int worst = exit_good;
    for (const SweepRow& row : rows) worst = std::max(worst, row.code < 0 ? static_cast<int>(exit_wrong) : row.code);
    return worst;
}

// Assumptions of the first point stand for all. A point that cannot be resolved says so itself when it is run.
void report_first_point(const SystemOptions& options, const WorkloadOptions& workload, SystemDescription description,
    LoadedGraph loaded, const ModelRegistry& registry, const std::vector<SweepAxis>& axes, const SweepPoint& point)
{
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].kind == SweepAxis::Kind::parameter)
            description.sets.push_back(parse_set(axes[i].key + "=" + point[i]));
        if (axes[i].kind == SweepAxis::Kind::model)
            description.bindings.push_back(parse_model_option(axes[i].glob() + "=" + point[i]));
        if (axes[i].key == "profile") {
            description.profile = point[i];
            description.profile_file = "--profile";
        }
    }
    try {
        workload.apply(description.workload);
    } catch (const InputError&) {
        description.workload = {};  // the points complete it; all accelerators count here
    }
    note_named_inputs(description);
    std::optional<ResolvedSystem> system;
    try {
        system = resolve_loaded(description, std::move(loaded), registry);
        plan_fabric(*system, members_of(*system));
    } catch (const InputError&) {
        return;
    }
    options.report_assumptions(*system);
}

// The systems that the points are of: one, or those of --over system.
std::vector<std::string> systems_of(const SystemOptions& options, const std::vector<SweepAxis>& axes)
{
    for (const SweepAxis& axis : axes) {
        if (axis.kind != SweepAxis::Kind::system) continue;
        if (options.names_system()) throw usage_error("both a system and --over system are given", "one of them");
        return axis.values;
    }
    return {""};
}

// What every point would refuse: a plan has no algorithm, and is no collective.
void refuse_beside_plan(const std::vector<SweepAxis>& axes, const Arguments& base, const Workload& of_system)
{
    // "--over KEY", "--KEY", or nothing.
    const auto given = [&](const std::string& key) -> std::string {
        for (const SweepAxis& axis : axes)
            if (axis.kind == SweepAxis::Kind::option && axis.key == key) return "--over " + key;
        const std::string option = "--" + key + "=";
        const auto has = [&option](
                             const std::string& argument) { return argument.compare(0, option.size(), option) == 0; };
        return std::any_of(base.begin(), base.end(), has) ? "--" + key : "";
    };
    const std::string plan = given("plan");
    for (const char* other : {"collective", "trace"}) {
        const std::string instead = given(other);
        if (!instead.empty() && !plan.empty())
            throw usage_error("both " + plan + " and " + instead + " are given", "one of them");
        if (!instead.empty()) return;
    }
    const std::string algorithm = given("algorithm");
    if (!algorithm.empty() && !plan.empty())
        throw usage_error("both " + plan + " and " + algorithm + " are given", "a plan, or algorithms of a collective");
    if (!algorithm.empty() && !of_system.plan.empty())
        throw usage_error(algorithm + " for a system file whose workload is a plan",
            "--collective OP, or no " + algorithm);
}

// The first of the points of a system.
SweepPoint first_of_system(const std::vector<SweepAxis>& axes, const std::string& system)
{
    SweepPoint point;
    for (const SweepAxis& axis : axes)
        point.push_back(axis.kind == SweepAxis::Kind::system ? system : axis.values.front());
    return point;
}

// Old names among the values of the other points, whose runs are not heard: the first point has said its own.
void report_old_values(const std::vector<SweepAxis>& axes, const BlockTable& blocks)
{
    OldNames old_names;
    for (const SweepAxis& axis : axes) {
        if (axis.kind == SweepAxis::Kind::option || axis.kind == SweepAxis::Kind::system) continue;
        if (axis.kind == SweepAxis::Kind::model) {
            OldNames models;
            for (std::size_t i = 1; i < axis.values.size(); ++i)
                for (const OldName& name : all_old_names())
                    if (name.kind == OldName::Kind::model) models.model(name.owner, axis.values[i], "--over", 0);
            print_notices(models.notices());
            continue;
        }
        OldNames said;  // of the path
        const std::string path = said.path(axis.key, blocks, "--over", 0);
        const std::size_t last = path.rfind('.');
        const std::size_t before = last == 0 ? std::string::npos : path.rfind('.', last - 1);
        const std::string parameter =
            path.compare(0, 6, "links.") == 0 ? "link" + path.substr(last) : path.substr(before + 1);
        old_names.value(parameter, axis.values.front(), "", 0);
        const std::size_t known = old_names.notices().size();
        for (const std::string& value : axis.values) old_names.value(parameter, value, "--over", 0);
        print_notices({old_names.notices().begin() + static_cast<std::ptrdiff_t>(known), old_names.notices().end()});
    }
}

}  // namespace

int sweep_command(const Arguments& arguments)
{
    CommandLine line("sweep",
        "Runs a system once for every combination of the given values, each run in a process of its own, and prints "
        "one table. A failed run is shown with its message. The exit code is the largest of all runs.\n\n"
        "  weft sweep examples/dgx_h100/system.yaml --over bytes=256KiB,1MiB --over algorithm=ring,direct\n"
        "  weft sweep examples/dgx_h100/system.yaml --over links.xpu_fabric.latency=50ns,100ns -j 4\n"
        "  weft sweep examples/dgx_h100/system.yaml --over bytes=64KiB,1MiB,16MiB --svg t.svg\n"
        "  weft sweep --over system=examples/clos_8/system.yaml,examples/dgx_h100/system.yaml\n");
    SystemOptions options;
    WorkloadOptions workload;
    std::vector<std::string> over;
    std::string jobs_text;
    std::string json;
    std::string csv;
    std::string svg;
    std::string html;
    SweepPlot plot;
    std::string y;
    std::vector<std::string> columns;
    bool no_data = false;
    bool check = false;
    std::string until;
    std::string fidelity;
    std::string grain;
    std::string memory_limit;
    std::string energy;
    bool quiet = false;
    RunSharing how;
    how.command = "sweep";
    how.work = "sweep";
    std::string keep;
    std::string shard;
    options.add_file_or_infra(line, "SYSTEM");
    options.add_reading(line);
    options.add_strict(line);
    options.add_parameters(line);
    workload.add(line);
    line.section("sweep");
    line.values("--over", "KEY=V1,V2,...", over,
        "values of a parameter, with the name that --set takes; of model:GLOB, models as for --model; of system, "
        "files in place of SYSTEM; or of an option: " +
            one_of(sweep_options()) + "; repeatable: all combinations are run, and the last key varies fastest");
    line.values("--column", "NAME", columns,
        "one more column, repeatable: KIND.STATISTIC, a statistic of the modules of that kind in the JSON of weft run "
        "together, such as l2.misses; link.FIELD, of all link directions together, such as link.flag_bytes. Sums; the "
        "largest of largest values (peak_queue), the mean of means; - where it is not known of all of them, as in "
        "mixed runs");
    line.value("-j,--jobs", "N", jobs_text, "runs at a time; default the number of cores");
    line.value("--keep", "DIR", keep,
        "keep the result of every run in this folder, and run only the points that have no result there: a sweep that "
        "was cut "
        "short goes on. A run counts as done while the program, the options and all files that it read are the same");
    line.value("--shard", "I/N", shard,
        "run the I-th of N parts of the points, with --keep; auto: the number that Open MPI, MPICH, srun or a Slurm "
        "job "
        "array gives this process. Under mpirun and srun auto is the default");
    line.flag("--merge", how.merge, "run nothing, and print the table of all points from the results in --keep");
    line.section("simulation");
    line.value("--fidelity", "line|flow|mixed:NAME", fidelity,
        "fidelity of each run, as for weft run: line for transactions of 64 bytes, flow for whole transfers, "
        "mixed:NAME "
        "for both");
    line.value("--grain", "SIZE|P%", grain, "bytes of the widest transaction of each run, as for weft run");
    line.flag("--no-data", no_data, "simulate without data: faster, less memory, the same times, but no verification");
    line.flag("--check-protocol", check,
        "put a protocol checker on every connection of each run; slow, but changes no simulated time");
    line.value("--until", "TIME", until, "stop each run at this simulated time; units ps ns us ms s");
    line.value("--energy", "TABLE", energy,
        "builtin, or a file with energies of events: adds columns energy.low and energy.high (J), energy.low_power and "
        "energy.high_power (W)");
    line.value("--memory-limit", "SIZE", memory_limit,
        "refuse runs whose estimates take more memory; default the available memory of the machine");
    line.section("output");
    line.value("--json", "FILE", json, "write the table as JSON; '-' writes JSON instead of the table");
    line.value("--csv", "FILE", csv, "write the table as CSV; '-' writes CSV instead of the table");
    line.value("--svg", "FILE", svg,
        "write a picture of a column over a key, with one curve for each combination of the other keys");
    line.value("--html", "FILE", html, "write the table and the picture as one HTML page that needs no network");
    line.value("--x", "KEY", plot.x, "of --svg: the key along the axis; default the numeric key with the most values");
    line.value("--y", "COLUMN", y, "of --svg: time, algbw, busbw or one of --column; default time");
    line.value("--title", "TEXT", plot.title, "of --svg: the title of the picture");
    line.flag("--quiet", quiet, "print no table and no progress; failures of runs are still printed on stderr");
    if (!line.parse(arguments)) return exit_good;

    const Arguments base = line.given({"--over", "--column", "--jobs", "--json", "--csv", "--svg", "--html", "--x",
        "--y", "--title", "--keep", "--shard", "--merge", "--quiet"});
    const std::vector<SweepAxis> axes = parse_axes(over, base);
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    how.shard = parse_shard(shard);
    if (!keep.empty()) how.store.emplace(keep);
    const std::vector<std::pair<const char*, const std::string*>> outputs{{"--json", &json}, {"--csv", &csv},
        {"--svg", &svg}, {"--html", &html}};
    if (how.merge && !how.store)
        throw usage_error("--merge without --keep", "--keep DIR, the folder with the results of the parts");
    for (const auto& [option, file] : outputs)
        how.check_parts(file->empty() ? "" : option, "weft sweep with --keep DIR --merge");
    // A launcher starts as many processes as there is room for.
    const bool launched = !how.shard.source.empty() && how.shard.source != "--shard";
    const auto jobs =
        jobs_text.empty() ? (launched ? 1 : cores) : static_cast<unsigned>(number_option("--jobs", jobs_text, 1, 1024));
    const OutputFile json_output(json);
    check_columns(columns);
    if (!energy.empty())
        for (const std::string& column : energy_columns())
            if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    if (!y.empty()) plot.y = y;
    if (svg.empty() && html.empty() && !(plot.x + y + plot.title).empty())
        throw usage_error("'--x', '--y' and '--title' need a picture", "--svg FILE or --html FILE with them");
    check_plot(plot, axes, columns);
    const OutputFile csv_output(csv);
    const OutputFile svg_output(svg);
    const OutputFile html_output(html);
    const std::vector<std::string> systems = systems_of(options, axes);
    const std::vector<SweepPoint> points = combine(axes);
    // What is wrong with the files is wrong with every point.
    const ModelRegistry registry = options.registry();
    workload.note_inputs();
    note_named_inputs(axes);
    if (energy != "builtin") note_named_input(energy);
    for (const std::string& system : systems) {
        if (!system.empty()) options.set_file(system);
        options.refuse_streams("sweep");
        SystemDescription description = options.description();
        LoadedGraph loaded = options.load(description);
        refuse_beside_plan(axes, base, description.workload);
        report_first_point(options, workload, std::move(description), std::move(loaded), registry, axes,
            first_of_system(axes, system));
    }
    report_old_values(axes, *registry.blocks());
    how.jobs = jobs;
    how.show_progress = !quiet;
    const bool by_error = is_allowed_error(grain);
    const auto [rows, interrupted] = run_points(how, base, axes, points, columns);
    report_failures(axes, rows, interrupted);
    print_notices(notices_of(rows));
    const std::string missing = columns_missing(columns, rows);
    std::fputs(missing.c_str(), stderr);
    const int code = missing.empty() ? exit_code_of(rows, interrupted) : static_cast<int>(exit_refused);
    if (json_output.wanted()) json_output.write(sweep_json(axes, columns, rows));
    if (csv_output.wanted()) csv_output.write(sweep_csv(axes, columns, rows, by_error));
    if (svg_output.wanted()) svg_output.write(sweep_svg(plot, axes, columns, rows));
    if (html_output.wanted()) {
        const std::string subtitle = fmt::format("{} runs, one for each combination of values{}", rows.size(),
            interrupted ? "; interrupted: partial" : "");
        html_output.write(
            table_page({"Sweep over " + keys_of(axes), subtitle, {{"Picture", sweep_svg(plot, axes, columns, rows)}},
                sweep_text(axes, columns, rows, by_error), sweep_json(axes, columns, rows), figures_of(rows)}));
    }
    if (how.shard.count > 1 && !how.merge) {
        if (!quiet)
            print(fmt::format("part {} of {}: {} of {} points\n", how.shard.number, how.shard.count, rows.size(),
                points.size()));
        return code;
    }
    if (!quiet && !json_output.is_stdout() && !csv_output.is_stdout() && !svg_output.is_stdout())
        print((interrupted ? "interrupted: partial\n" : "") + sweep_text(axes, columns, rows, by_error));
    return code;
}

}  // namespace weft
