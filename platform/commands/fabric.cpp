#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/text_file.h"
#include "base/units.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/applications/sweep/processes.h"
#include "platform/commands/system_options.h"
#include "platform/console/temporary_folder.h"
#include "platform/applications/fabric/fabric_bench.h"
#include "platform/applications/fabric/fabric_plot.h"
#include "platform/applications/fabric/fabric_report.h"
#include "platform/report/table_page.h"

namespace weft {

namespace {

double share_option(const std::string& option, const std::string& value, double low, double high)
{
    double out = 0;
    std::size_t used = 0;
    try {
        out = std::stod(value, &used);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used == 0 || used != value.size() || !(out >= low && out <= high))
        throw usage_error(option + " " + quoted_word(value) + " is not a number in the range",
            fmt::format("a number from {:g} to {:g}", low, high));
    return out;
}

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

struct TrafficOptions {
    std::string pattern = "uniform";
    std::string fraction;
    std::string sources;
    std::string burst;
    std::string reads;
    std::string atomics;
    std::string size;
    std::string message;
    std::string duration;
    bool answered = false;

    void add(CommandLine& line)
    {
        line.section("traffic");
        line.value("--pattern", "P", pattern, "traffic pattern: " + one_of(pattern_names()) + "; default uniform");
        line.value("--fraction", "F", fraction, "hot_spot: share of the messages that go to endpoint 0; default 0.5");
        line.value("--sources", "N", sources,
            "incast: number of endpoints that send to endpoint 0; default all others");
        line.value("--burst", "N", burst,
            "messages come back to back in bursts of this mean length, at the same mean load; default no bursts "
            "(Bernoulli)");
        line.value("--reads", "F", reads, "share of the messages that are reads; default 0");
        line.value("--atomics", "F", atomics, "share of the messages that are 8-byte atomics; default 0");
        line.flag("--answered", answered, "writes are acknowledged instead of posted");
        line.value("--size", "BYTES", size, "payload of a transaction, 1 to 64 B; default 64");
        line.value("--message", "BYTES", message,
            "size of a message, which is divided into transactions; default one transaction");
        line.value("--duration", "TIME", duration,
            "simulated time in which transactions are created; default the time of 20000 transactions of an endpoint "
            "at full load, at least 20 us");
    }

    TrafficSpec spec(std::uint64_t seed) const
    {
        TrafficSpec out;
        check_choice("--pattern", pattern, pattern_names());
        const auto found = std::find(pattern_names().begin(), pattern_names().end(), pattern);
        out.pattern.kind = static_cast<PatternKind>(found - pattern_names().begin());
        if (!fraction.empty()) out.pattern.fraction = share_option("--fraction", fraction, 0, 1);
        if (!sources.empty())
            out.pattern.sources = static_cast<std::uint32_t>(number_option("--sources", sources, 1, 60000));
        if (!burst.empty()) out.burst = share_option("--burst", burst, 1, 1e6);
        if (!reads.empty()) out.reads = share_option("--reads", reads, 0, 1);
        if (!atomics.empty()) out.atomics = share_option("--atomics", atomics, 0, 1);
        if (out.reads + out.atomics > 1)
            throw usage_error("--reads and --atomics are more than all messages", "a sum of at most 1");
        out.posted = !answered;
        if (!size.empty()) out.size = static_cast<std::uint32_t>(bytes_in("--size", size, 64));
        if (!message.empty())
            out.message =
                static_cast<std::uint32_t>((bytes_in("--message", message, 1 << 20) + out.size - 1) / out.size);
        if (!duration.empty()) {
            out.duration = time_option("--duration", duration);
            if (out.duration == 0) throw usage_error("--duration " + duration + " is too short", "at least 1 ps");
        }
        out.seed = seed;
        return out;
    }

private:
    static std::uint64_t bytes_in(const std::string& option, const std::string& value, std::uint64_t most)
    {
        const std::uint64_t bytes = bytes_option(option, value);
        if (bytes < 1 || bytes > most)
            throw usage_error(option + " " + value + " is out of range", "1 to " + std::to_string(most) + " bytes");
        return bytes;
    }
};

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

// What a run without a point left: its messages on stderr, and the exit code for it.
int pass_on(double load, ProcessEnd end, const std::string& text)
{
    std::fputs(text.c_str(), stderr);
    if (end.signal != 0) {
        std::fputs(fmt::format("weft: signal {1} ended the run of load {0:g}\n", load, end.signal).c_str(), stderr);
        return exit_wrong;
    }
    if (text.empty())
        std::fputs(fmt::format("weft: the run of load {:g} left no result and no message\n", load).c_str(), stderr);
    return end.code > 0 ? end.code : static_cast<int>(exit_wrong);
}

bool is_file(const std::string& path)
{
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0;
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
    std::string json;
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
    line.flag("--check-protocol", check,
        "put a protocol checker on every connection; slow, but changes no simulated time");
    line.flag("--watch", watch,
        "count for every virtual channel of every link, in the JSON: queues, credits, stalls, waits for others");
    line.value("-j,--jobs", "N", jobs_text, "runs at a time; default the number of cores");
    line.section("output");
    line.value("--json", "FILE", json, "write all points as JSON; '-' writes JSON instead of the table");
    line.value("--svg", "FILE", svg, "write a picture of latency against load");
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
    const OutputFile svg_output(svg);
    const OutputFile html_output(html);
    const OutputFile series_output(series);
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
    const Arguments base =
        line.given({"--loads", "--jobs", "--json", "--svg", "--html", "--point", "--quiet", "--series", "--window"});
    const TemporaryFolder folder("weft-fabric");
    std::vector<double> all = loads;
    if (all.back() < 1) all.push_back(1);
    std::vector<ProcessCall> calls;
    for (std::size_t i = 0; i < all.size(); ++i) {
        ProcessCall call;
        call.arguments = {"fabric", "--loads=" + fmt::format("{}", all[i]), "--point=" + folder.file(i, ".json")};
        call.arguments.insert(call.arguments.end(), base.begin(), base.end());
        if (i == 0 && !series.empty()) {
            call.arguments.push_back("--series=" + series);
            if (!window.empty()) call.arguments.push_back("--window=" + window);
        }
        call.error_path = folder.file(i, ".txt");
        calls.push_back(std::move(call));
    }
    std::vector<ProcessEnd> ends(all.size());
    const bool interrupted = run_processes(calls, jobs, [&](std::size_t point, ProcessEnd end) { ends[point] = end; });
    if (interrupted) {
        std::fputs("weft: interrupted; no result is written\n", stderr);
        return exit_interrupted;
    }
    FabricSweep sweep;
    for (std::size_t i = 0; i < all.size(); ++i) {
        // A protocol problem leaves a point and exit code 1, what a module finds wrong the code only.
        if ((ends[i].code != exit_good && ends[i].code != exit_wrong) || !is_file(folder.file(i, ".json")))
            return pass_on(all[i], ends[i], read_text_file(folder.file(i, ".txt")));
        FabricResult result = point_from_json(read_text_file(folder.file(i, ".json")));
        sweep.setting = std::move(result.setting);
        if (i + 1 == all.size()) sweep.full = result.point;
        if (i < loads.size()) sweep.points.push_back(std::move(result.point));
    }
    json_output.write(json_output.wanted() ? fabric_json(sweep) : "");
    if (svg_output.wanted()) svg_output.write(fabric_svg(sweep));
    if (html_output.wanted()) {
        const FabricSetting& setting = sweep.setting;
        const std::string subtitle =
            fmt::format("{} endpoints, {} switches, {} links; seed {}; load 1 is {:.4g} GB/s of payload an endpoint",
                setting.endpoints, setting.switches, setting.links, setting.seed, setting.capacity_GBps);
        html_output.write(table_page({fmt::format("Open-loop traffic ({}) on {}", setting.pattern, setting.system),
            subtitle, {{"Latency against load", fabric_svg(sweep)}}, fabric_text(sweep), fabric_json(sweep),
            {{fmt::format("{:.4g}", saturation_of(sweep).accepted),
                 saturation_of(sweep).reached ? "load accepted at saturation"
                                              : "load accepted; no saturation up to load 1",
                 ""},
                {fmt::format("{:.4f}", sweep.full.jain), "fairness at load 1 (Jain index)", ""}}}));
    }
    if (!quiet && !json_output.is_stdout()) print(fabric_text(sweep));
    const bool wrong =
        std::any_of(ends.begin(), ends.end(), [](const ProcessEnd& end) { return end.code == exit_wrong; });
    return wrong ? exit_wrong : exit_good;
}

}  // namespace weft
