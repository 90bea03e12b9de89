#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text_file.h"
#include "platform/applications/probe/report.h"
#include "platform/applications/sweep/processes.h"
#include "platform/commands/options/system_options.h"
#include "platform/configuration/parameters/glob.h"
#include "platform/configuration/tables/profile.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/console/runs_progress.h"
#include "platform/console/temporary_folder.h"
#include "platform/report/table_page.h"

namespace weft {

namespace {

// "latency.*,bandwidth.l2"
std::set<std::string> rows_of(const std::string& text)
{
    std::vector<std::string> patterns(1);
    for (const char c : text) {
        if (c == ',') {
            patterns.emplace_back();
        } else {
            patterns.back() += c;
        }
    }
    std::vector<std::string> names;
    for (const ProbeRow& row : probe_rows()) names.emplace_back(row.name);
    std::set<std::string> out;
    for (const std::string& pattern : patterns) {
        const std::size_t before = out.size();
        for (const std::string& name : names)
            if (glob_matches(pattern, name)) out.insert(name);
        if (out.size() == before &&
            std::none_of(out.begin(), out.end(), [&](const auto& name) { return glob_matches(pattern, name); }))
            throw usage_error("--only " + quoted_word(pattern) + " is not a row",
                with_nearest("a row or a pattern such as latency.*; 'weft probe --help' lists them", pattern, names));
    }
    return out;
}

std::string row_list()
{
    std::string out;
    for (const ProbeRow& row : probe_rows()) out += (out.empty() ? "" : ", ") + std::string(row.name);
    return out;
}

ProbePart part_named(const std::string& name)
{
    std::vector<std::string> names;
    for (const ProbePart part : probe_parts()) {
        if (name == name_of(part)) return part;
        names.emplace_back(name_of(part));
    }
    throw usage_error("unknown part " + quoted_word(name), one_of(names));
}

// The system that --infra or a file describes; a profile alone stands for its usual node of eight.
ResolvedSystem system_of(const SystemOptions& options, const std::string& profile, const ModelRegistry& registry)
{
    if (options.names_system()) {
        const SystemDescription description = options.description();
        return resolve_loaded(description, options.load(description), registry);
    }
    if (profile.empty()) throw usage_error("the system to probe is missing", "--profile GPU, --infra FILE or SYSTEM");
    SystemDescription description = options.description_of("node of eight");
    ProfileStore store;
    const Profile* found = store.get(profile, "--profile", 0);
    const PublishedPart* part = PublishedTable::built_in().find(found->name);
    return resolve_loaded(description,
        load_infrastructure_text(description.infrastructure, node_document(found->name, found->scale_up.family, part)),
        registry);
}

// Rows that were asked for and are not among the results are named; without any result that is an error.
void tell_absent(const ResolvedSystem& system, const std::set<std::string>& wanted, const ProbeReport& report)
{
    std::vector<std::string> absent;
    for (const ProbeRow& row : probe_rows()) {
        const auto& values = report.result.values;
        if (wanted.count(row.name) != 0 &&
            std::none_of(values.begin(), values.end(), [&row](const auto& value) { return value.first == row.name; }))
            absent.push_back(std::string(row.name) + " is no row of this system: " + why_absent(system, row.name));
    }
    if (report.result.values.empty() && report.result.curves.empty() && !absent.empty())
        throw usage_error(fmt::format("{}", fmt::join(absent, "; ")), "another row, or a system that has it");
    print_notices(absent);
}

[[noreturn]] void pass_error_on(const std::string& text)
{
    std::string first = text.substr(0, text.find('\n'));
    if (first.compare(0, 6, "weft: ") == 0) first.erase(0, 6);
    throw usage_error(first.empty() ? "a simulation of the probe ended without a result" : first, "");
}

}  // namespace

int probe_command(const Arguments& arguments)
{
    CommandLine line("probe",
        "Runs hardware micro-benchmarks as programs inside the simulation and compares them with published figures: "
        "latency of dependent loads and bandwidth of each memory level, traffic between peers, hand-off of a word, "
        "kernels and barriers. If a range is published, the error is relative to its middle. A bandwidth is printed "
        "with the parameter that bounds it; the JSON lists all bounds. docs/probe.md describes the measurement of each "
        "row.\n\n"
        "  weft probe --profile h100\n"
        "  weft probe --profile mi300x --only 'latency.*' --chase chase.svg\n"
        "  weft probe --infra FILE --set l2.size=40MiB\n");
    SystemOptions options;
    std::string only;
    std::string json;
    std::string markdown;
    std::string html;
    std::string chase;
    std::string jobs_text;
    std::string part;
    bool little = false;
    bool check = false;
    bool quiet = false;
    options.add_file_or_infra(line, "SYSTEM");
    options.add_reading(line);
    options.add_strict(line);
    options.add_parameters(line);
    line.section("measurement");
    line.value("--only", "NAMES", only, "run only these rows, a list of names and patterns, out of " + row_list());
    line.value("--chase", "FILE", chase,
        "also measure latency over footprints: print a table and write a picture to FILE");
    line.flag("--little", little,
        "also measure bandwidth over loads in flight, compared with min(peak, loads x 64 B / latency)");
    line.flag("--check-protocol", check,
        "put a protocol checker on every connection; slow, but changes no simulated time");
    line.value("-j,--jobs", "N", jobs_text, "simulations at a time; default the number of cores");
    line.section("output");
    line.value("--json", "FILE", json, "write the rows as JSON; '-' writes JSON instead of the table");
    line.value("--markdown", "FILE", markdown, "write the rows as a table of Markdown");
    line.value("--html", "FILE", html, "write the rows as one HTML page that needs no network");
    line.value("--part", "NAME:FILE", part,
        "run one simulation in this process and write its result for another weft process");
    line.flag("--quiet", quiet, "print no table and no progress");
    if (!line.parse(arguments)) return exit_good;

    std::set<std::string> rows;
    for (const ProbeRow& row : probe_rows()) rows.insert(row.name);
    if (!only.empty()) rows = rows_of(only);
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const auto jobs = jobs_text.empty() ? cores : static_cast<unsigned>(number_option("--jobs", jobs_text, 1, 1024));
    const OutputFile json_output(json);
    const OutputFile markdown_output(markdown);
    const OutputFile html_output(html);
    const OutputFile chase_output(chase);
    const ModelRegistry registry = options.registry();
    const ResolvedSystem system = system_of(options, options.profile(), registry);
    if (system.endpoints().empty())
        throw InputError(system.infrastructure, 0, "has no accelerator", "a node of type xpu");

    if (part.empty()) options.report_assumptions(system);

    if (!part.empty()) {
        const std::size_t colon = part.find(':');
        if (colon == std::string::npos)
            throw usage_error("--part " + quoted_word(part) + " names no file", "NAME:FILE");
        try {
            const ProbeResult result = measure(part_named(part.substr(0, colon)), system, registry, check);
            OutputFile(part.substr(colon + 1)).write(part_json(result));
        } catch (const ProbeStuck& stuck) {
            std::fputs(("weft: " + std::string(stuck.what()) + "\n").c_str(), stderr);
            return exit_stuck;
        }
        return exit_good;
    }

    std::vector<ProbePart> parts;
    for (const ProbePart candidate : probe_parts()) {
        bool wanted =
            (candidate == ProbePart::curve && chase_output.wanted()) || (candidate == ProbePart::little && little);
        for (const ProbeRow& row : probe_rows())
            wanted = wanted || (row.part == candidate && rows.count(row.name) != 0);
        if (wanted) parts.push_back(candidate);
    }
    options.refuse_streams("probe");
    const Arguments base =
        line.given({"--only", "--chase", "--little", "--jobs", "--json", "--markdown", "--html", "--part", "--quiet"});
    const TemporaryFolder folder("weft-probe");
    std::vector<ProcessCall> calls;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ProcessCall call;
        call.arguments = {"probe", std::string("--part=") + name_of(parts[i]) + ":" + folder.file(i, ".json")};
        call.arguments.insert(call.arguments.end(), base.begin(), base.end());
        call.error_path = folder.file(i, ".txt");
        calls.push_back(std::move(call));
    }
    std::vector<ProcessEnd> ends(parts.size());
    bool interrupted = false;
    {
        RunsProgress progress("probe", calls.size(), !quiet);
        interrupted = run_processes(calls, jobs, [&](std::size_t i, ProcessEnd end) {
            ends[i] = end;
            progress.one_more();
        });
    }
    if (interrupted) {
        std::fputs("weft: interrupted; no result is written\n", stderr);
        return exit_interrupted;
    }
    ProbeReport report;
    std::vector<std::string> notices;
    report.profile = system.profile(system.endpoints().front());
    report.system = system.name;
    report.endpoints = system.endpoints().size();
    report.published = PublishedTable::built_in().find(report.profile);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (ends[i].code == exit_stuck) {
            std::fputs(errors_of(folder.file(i, ".txt")).c_str(), stderr);
            return exit_stuck;
        }
        if (ends[i].code != exit_good) pass_error_on(errors_of(folder.file(i, ".txt")));
        ProbeResult result = part_from_json(read_text_file(folder.file(i, ".json")));
        for (auto& [row, value] : result.values)
            if (rows.count(row) != 0) {
                report.result.add(row, value);
                report.limits[row] = limits_of(system, row);
            }
        for (const auto& [row, notice] : result.notices)
            if (rows.count(row) != 0) notices.push_back(notice);
        std::move(result.matrices.begin(), result.matrices.end(), std::back_inserter(report.result.matrices));
        std::move(result.curves.begin(), result.curves.end(), std::back_inserter(report.result.curves));
    }
    if (!only.empty()) tell_absent(system, rows, report);
    print_notices(notices);
    print_notices(beyond_bounds(report));
    json_output.write(json_output.wanted() ? probe_json(report) : "");
    markdown_output.write(markdown_output.wanted() ? probe_markdown(report) : "");
    if (html_output.wanted()) {
        TablePage page{"Micro-benchmarks of " + report.profile,
            fmt::format("{}, {} accelerators; compared with published figures where they exist", report.system,
                report.endpoints),
            {}, probe_text(report), probe_json(report)};
        page.figures.push_back({fmt::format("{}", report.result.values.size()), "rows measured", ""});
        if (!probe_svg(report).empty()) page.pictures.push_back({"Latency over footprints", probe_svg(report)});
        html_output.write(table_page(page));
    }
    chase_output.write(chase_output.wanted() ? probe_svg(report) : "");
    if (!quiet && !json_output.is_stdout()) print(probe_text(report));
    return exit_good;
}

}  // namespace weft
