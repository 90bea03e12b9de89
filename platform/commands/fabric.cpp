#include <algorithm>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/applications/sweep/sweep_points.h"
#include "platform/commands/fabric_runs.h"
#include "platform/commands/options/named_inputs.h"
#include "platform/commands/options/traffic_options.h"
#include "platform/commands/options/system_options.h"
#include "platform/applications/fabric/fabric_bench.h"
#include "platform/applications/fabric/fabric_plot.h"
#include "platform/applications/fabric/fabric_report.h"
#include "platform/report/table_page.h"

namespace weft {

namespace {

// "0.1:0.9:0.2" or "0.1,0.5,0.9" or "0.3"
std::vector<double> loads_of(const std::string& text)
{
    std::vector<std::string> parts(1);
    const bool range = text.find(':') != std::string::npos;
    for (const char c : text) {
        if (c == (range ? ':' : ',')) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    std::vector<double> out;
    if (!range) {
        for (const std::string& part : parts) out.push_back(share_option("--loads", part, 1e-6, 1));
    } else {
        if (parts.size() != 3)
            throw usage_error("--loads " + quoted_word(text) + " is not a range", "FIRST:LAST:STEP, or a list A,B,...");
        const double first = share_option("--loads", parts[0], 1e-6, 1);
        const double last = share_option("--loads", parts[1], 1e-6, 1);
        const double step = share_option("--loads", parts[2], 1e-6, 1);
        for (int i = 0; first + i * step <= last * (1 + 1e-9); ++i) out.push_back(first + i * step);
        if (out.empty() || out.size() > 1000)
            throw usage_error("--loads " + quoted_word(text) + " is empty or has more than 1000 loads",
                "FIRST:LAST:STEP with FIRST <= LAST");
    }
    for (std::size_t i = 1; i < out.size(); ++i)
        if (out[i] <= out[i - 1]) throw usage_error("the loads do not increase", "ascending loads");
    return out;
}

// How a run that found something wrong says it, as `weft run` does.
std::string wrong_text(double load, const FabricPoint& point)
{
    constexpr std::size_t shown = 24;
    std::string out = fmt::format("WRONG       at load {:g}, {}, a module reported an error; no result\n", load,
        format_time_ps(point.wrong_at));
    for (std::size_t i = 0; i < std::min(shown, point.problems.size()); ++i)
        out += (i == 0 ? "what        " : "            ") + point.problems[i] + "\n";
    if (point.problems.size() > shown) out += fmt::format("            and {} more\n", point.problems.size() - shown);
    return out;
}

struct FabricFiles {
    const OutputFile& json;
    const OutputFile& csv;
    const OutputFile& svg;
    const OutputFile& html;
    bool quiet;

    bool to_stdout() const { return json.is_stdout() || csv.is_stdout() || svg.is_stdout(); }
};

std::vector<TablePage::Figure> figures_of(const FabricSweep& sweep)
{
    if (!sweep.whole()) return {};
    const FabricSaturation saturation = saturation_of(sweep);
    const bool estimate = saturation.is_estimate();
    return {{fmt::format("{:.4g}", estimate ? saturation.accepted : saturation.at_least()),
                !saturation.reached ? "load accepted; no saturation up to load 1"
                    : estimate      ? "load accepted at saturation"
                                    : "load at least that is sustained",
                ""},
        {fmt::format("{:.4f}", sweep.full.jain), "fairness at load 1 (Jain index)", ""}};
}

// One bench: what it prints and writes.
int write_bench(const FabricSweep& sweep, int code, const FabricFiles& files)
{
    files.json.write(files.json.wanted() ? fabric_json(sweep) : "");
    if (files.csv.wanted()) files.csv.write(curves_csv({}, {{{}, sweep, "", code}}));
    if (files.svg.wanted()) files.svg.write(fabric_svg(sweep));
    if (files.html.wanted()) {
        const FabricSetting& setting = sweep.setting;
        const std::string subtitle =
            fmt::format("{} endpoints, {} switches, {} links; seed {}; load 1 is {:.4g} GB/s of payload an endpoint",
                setting.endpoints, setting.switches, setting.links, setting.seed, setting.capacity_GBps);
        files.html.write(table_page({fmt::format("Open-loop traffic ({}) on {}", setting.pattern, setting.system),
            subtitle, {{"Latency against load", fabric_svg(sweep)}}, fabric_text(sweep), fabric_json(sweep),
            figures_of(sweep)}));
    }
    if (!files.quiet && !files.to_stdout()) print(fabric_text(sweep));
    print_notices(sweep.setting.notices);
    return code;
}

// Several, one for each combination of values.
int write_curves(const std::vector<SweepAxis>& axes, const FabricOutcome& outcome, const FabricFiles& files)
{
    std::vector<std::string> keys;
    std::vector<std::size_t> shown;
    std::string over;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        keys.push_back(axes[i].key);
        if (axes[i].values.size() > 1) shown.push_back(i);
        over += (i == 0 ? "" : ", ") + axes[i].key;
    }
    const std::vector<FabricCurve>& curves = outcome.curves;
    int worst = exit_good;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        worst = std::max(worst, curves[i].code);
        if (curves[i].message.empty()) continue;
        std::string name;
        for (std::size_t k = 0; k < keys.size(); ++k)
            name += (k == 0 ? "" : ", ") + keys[k] + "=" + curves[i].values[k];
        std::fputs(fmt::format("fabric: {}: {}\n", name, curves[i].message).c_str(), stderr);
    }
    const std::string title = "Latency against load, over " + over;
    if (files.json.wanted()) files.json.write(curves_json(keys, curves));
    if (files.csv.wanted()) files.csv.write(curves_csv(keys, curves));
    if (files.svg.wanted()) files.svg.write(curves_svg(keys, shown, curves, title));
    if (files.html.wanted())
        files.html.write(table_page({"Open-loop traffic over " + over,
            fmt::format("{} benches, one for each combination of values", curves.size()),
            {{"Latency against load", curves_svg(keys, shown, curves, title)}}, curves_text(keys, curves),
            curves_json(keys, curves), {}}));
    if (!files.quiet && !files.to_stdout()) print(curves_text(keys, curves));
    std::vector<std::string> notices;
    for (const FabricCurve& curve : curves)
        for (const std::string& notice : curve.sweep.setting.notices)
            if (std::find(notices.begin(), notices.end(), notice) == notices.end()) notices.push_back(notice);
    print_notices(notices);
    return worst;
}

}  // namespace

int fabric_command(const Arguments& arguments)
{
    CommandLine line("fabric",
        "Simulates open-loop traffic over a system's fabric. Each accelerator becomes a sink and a source that sends "
        "at a given rate, independent of the state of its earlier transactions. Each load is a run of its own. Prints "
        "the accepted throughput, the latency from creation to arrival, the load at which the fabric saturates, and "
        "the fairness between sources. The warm-up of a run is detected and left out.\n\n"
        "  weft fabric examples/dgx_h100/system.yaml --pattern uniform --loads 0.1:0.9:0.1\n"
        "  weft fabric examples/fat_tree_32/system.yaml --pattern hot_spot --loads 0.1,0.2 --svg curve.svg\n");
    SystemOptions options;
    TrafficOptions traffic;
    std::string loads_text = "0.1:0.9:0.2";
    std::string jobs_text;
    std::vector<std::string> over;
    std::string json;
    std::string csv;
    std::string svg;
    std::string html;
    std::string part;
    std::string series;
    std::string window;
    bool check = false;
    bool watch = false;
    bool quiet = false;
    options.add_file_or_infra(line, "SYSTEM");
    options.add_reading(line);
    options.add_strict(line);
    options.add_parameters(line);
    traffic.add(line);
    line.section("measurement");
    line.value("--loads", "A:B:STEP", loads_text,
        "offered loads, as a range or a list A,B,...; load 1 is the most of this traffic that the links of an endpoint "
        "can carry; default 0.1:0.9:0.2");
    line.values("--over", "KEY=V1,V2,...", over,
        "a bench for each value of a parameter, with the name that --set takes; of model:GLOB, models as for --model; "
        "or of an "
        "option: " +
            one_of(fabric_sweep_options()) + "; repeatable: all combinations are run");
    line.flag("--check-protocol", check,
        "put a protocol checker on every connection; slow, but changes no simulated time");
    line.flag("--watch", watch,
        "count for every virtual channel of every link, in the JSON: queues, credits, stalls, waits for others");
    line.value("-j,--jobs", "N", jobs_text, "runs at a time; default the number of cores");
    line.section("output");
    line.value("--json", "FILE", json, "write all points as JSON; '-' writes JSON instead of the table");
    line.value("--csv", "FILE", csv,
        "write a row for each load, comma-separated, times in ns, rates in GB/s; '-' writes it instead of the table");
    line.value("--svg", "FILE", svg,
        "write a picture of latency against load; with --over a curve for each combination");
    line.value("--html", "FILE", html, "write the points and the picture as one HTML page that needs no network");
    line.value("--series", "FILE", series,
        "for a single load: write the activity of each link in each window of time, comma-separated");
    line.value("--window", "TIME", window, "length of a window of --series; default 1 us");
    line.value("--point", "FILE", part,
        "run the first load in this process and write its result for another weft process");
    line.flag("--quiet", quiet, "print no table");
    if (!line.parse(arguments)) return exit_good;

    const std::vector<double> loads = loads_of(loads_text);
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const auto jobs = jobs_text.empty() ? cores : static_cast<unsigned>(number_option("--jobs", jobs_text, 1, 1024));
    const OutputFile json_output(json);
    const OutputFile csv_output(csv);
    const OutputFile svg_output(svg);
    const OutputFile html_output(html);
    const OutputFile series_output(series);
    Arguments base = line.given({"--loads", "--over", "--jobs", "--json", "--csv", "--svg", "--html", "--point",
        "--quiet", "--series", "--window"});
    const std::vector<SweepAxis> axes =
        over.empty() ? std::vector<SweepAxis>{} : parse_axes(over, base, fabric_sweep_options());
    if (!series.empty() && !axes.empty()) throw usage_error("--series beside --over", "a single bench");
    if (!window.empty() && series.empty()) throw usage_error("--window without --series", "--series FILE");
    if (!series.empty() && loads.size() != 1)
        throw usage_error("--series of several loads", "a single load in --loads");
    const SystemDescription description = options.description();
    LoadedGraph loaded = options.load(description);
    const ModelRegistry registry = options.registry();
    const ResolvedSystem system = resolve_loaded(description, std::move(loaded), registry);
    if (part.empty()) options.report_assumptions(system);
    FabricOptions bench;
    bench.traffic = traffic.spec(system.seed);
    std::vector<std::string> varied;
    for (const SweepAxis& axis : axes) varied.push_back(axis.key);
    if (part.empty()) traffic.refuse_idle(varied);
    bench.check_protocol = check;
    bench.watch = watch;
    if (!series.empty()) bench.window = window_option(window);

    if (!part.empty()) {
        bench.traffic.load = loads.front();
        const FabricResult result = run_fabric(system, registry, bench);
        if (!result.point.problems.empty()) {
            std::fputs(wrong_text(loads.front(), result.point).c_str(), stderr);
            return exit_wrong;
        }
        if (!result.point.blocked.empty()) {
            std::string text = fmt::format("at load {:g} no progress is possible:", loads.front());
            constexpr std::size_t shown = 40;
            const std::vector<std::string>& blocked = result.point.blocked;
            for (std::size_t i = 0; i < std::min(shown, blocked.size()); ++i) text += "\n  " + blocked[i];
            if (blocked.size() > shown) text += fmt::format("\n  and {} more", blocked.size() - shown);
            std::fputs(("weft: " + text + "\n").c_str(), stderr);
            return exit_stuck;
        }
        series_output.write(result.point.series);
        OutputFile(part).write(point_json(result));
        return result.point.protocol_problems > 0 ? exit_wrong : exit_good;
    }

    options.refuse_streams("fabric");
    note_named_inputs(axes);
    FabricRuns runs;
    runs.loads = loads;
    runs.base = std::move(base);
    runs.jobs = jobs;
    runs.points = {{}};
    runs.values = {{}};
    if (!axes.empty()) {
        runs.values = combine(axes);
        runs.points.clear();
        for (const SweepPoint& point : runs.values) runs.points.push_back(point_arguments(axes, point));
    }
    if (!series.empty()) runs.first.push_back("--series=" + series);
    if (!window.empty()) runs.first.push_back("--window=" + window);
    runs.show_progress = !quiet;
    const FabricOutcome outcome = run_loads(runs);
    if (outcome.interrupted) {
        std::fputs("weft: interrupted; no result is written\n", stderr);
        return exit_interrupted;
    }
    const FabricFiles files{json_output, csv_output, svg_output, html_output, quiet};
    if (!axes.empty()) return write_curves(axes, outcome, files);
    const FabricCurve& only = outcome.curves.front();
    const int code = only.has_points() ? write_bench(only.sweep, only.code, files) : only.code;
    std::fflush(stdout);
    std::fputs(outcome.errors.front().c_str(), stderr);
    return code;
}

}  // namespace weft
