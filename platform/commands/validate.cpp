#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/read_files.h"
#include "base/text_file.h"
#include "base/units.h"
#include "platform/commands/options/grain_option.h"
#include "platform/console/command_line.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/applications/sweep/shared_runs.h"
#include "platform/applications/sweep/sweep_table.h"
#include "platform/console/temporary_folder.h"
#include "platform/report/table_page.h"
#include "platform/applications/validation/launch_groups.h"
#include "platform/applications/validation/page_sections.h"
#include "platform/applications/validation/validation_report.h"

namespace weft {

namespace {

// `page` as it stands. Throws InputError with what a page is.
std::string read_page(const std::string& page)
{
    try {
        return read_text_file(page);
    } catch (const InputError& error) {
        throw InputError(page, 0, error.diagnostics().front().what, page_form);
    }
}

// The size of the message of a run: that of the row, or what the options state. Absent: the system file has it.
std::optional<std::uint64_t> bytes_of(const MeasuredTable& table, const RunVariant& variant, std::uint64_t number)
{
    if (table.over_bytes()) return number;
    const std::string option = "--bytes=";
    std::optional<std::uint64_t> out;
    for (const std::vector<std::string>* options : {&table.options, &variant.options})
        for (const std::string& text : *options)
            if (text.rfind(option, 0) == 0) out = parse_bytes(text.substr(option.size()));
    return out;
}

constexpr const char* at_flow = "--fidelity=flow";

// Models that are faster than transactions of a line, for all tables or for their large messages.
class Faster {
public:
    Faster(const std::string& fidelity, const std::string& grain, const std::string& flow_beyond)
    {
        if (fidelity == "flow" && !flow_beyond.empty())
            throw InputError("", 0, "--flow-beyond at flow fidelity, which all runs have then", "one of the two");
        if (!flow_beyond.empty()) {
            flow_beyond_ = parse_bytes(flow_beyond);
            if (!flow_beyond_)
                throw usage_error("option '--flow-beyond' has the value " + quoted_word(flow_beyond),
                    "a size, such as 4MiB");
        }
        if (!fidelity.empty() && fidelity != "line" && fidelity != "flow")
            throw InputError("", 0, "--fidelity = " + fidelity, "line or flow");
        if (fidelity == "flow" && !grain.empty())
            throw InputError("", 0, "--grain at flow fidelity, which has no transactions", "one of the two");
        if (fidelity == "flow") take(at_flow, "flow fidelity");
        if (grain.empty()) return;
        const std::string value = grain_value(grain);
        take("--grain=" + grain,
            "grain " + grain +
                (is_allowed_error(grain) ? ": " + value + ", or finer where a model has none as wide" : ""));
    }

    // The page of the documentation is one of comparisons by lines.
    void require_no_page(const std::string& page) const
    {
        const std::string option = option_.empty() && flow_beyond_ ? "--flow-beyond" : option_;
        if (!option.empty() && !page.empty())
            throw InputError("", 0, "--page with " + option, "--markdown, or runs by transactions of a line");
    }

    // Flow takes no longer for large messages: no row of a table need be continued from smaller ones.
    void apply(MeasuredTable& table) const
    {
        std::string names = name_;
        bool large = false;
        for (const RunVariant& variant : table.variants)
            for (const MeasuredRow& row : table.rows)
                large = large || (row.not_simulated.empty() && takes_flow(table, variant, row.number));
        if (large) {
            names += fmt::format("{}flow fidelity beyond {}", names.empty() ? "" : "; ", format_bytes(*flow_beyond_));
            table.largest.reset();
        }
        if (!names.empty()) table.title += " (" + names + ")";
    }
    std::string option_of(const MeasuredTable& table, const RunVariant& variant, std::uint64_t number) const
    {
        return takes_flow(table, variant, number) ? at_flow : option_;
    }
    // As a large message.
    bool takes_flow(const MeasuredTable& table, const RunVariant& variant, std::uint64_t number) const
    {
        const std::optional<std::uint64_t> bytes = bytes_of(table, variant, number);
        return flow_beyond_ && bytes && variant.covers(number) && *bytes > *flow_beyond_;
    }

private:
    void take(const std::string& option, const std::string& name)
    {
        option_ = option;
        name_ = name;
    }

    std::string option_;
    std::string name_;
    std::optional<std::uint64_t> flow_beyond_;
};

// A variant of a table at one number, and its run: one for all that are alike.
struct Planned {
    std::size_t table = 0;
    SimulatedRun run;
    std::size_t place = 0;
};

Arguments arguments_of(const MeasuredTable& table, const SimulatedRun& run, const Faster& faster)
{
    Arguments out{"run", table.system, "--quiet", "--no-timing", "--no-data"};
    out.insert(out.end(), table.options.begin(), table.options.end());
    const std::string option = faster.option_of(table, table.variants[run.variant], run.number);
    if (!option.empty()) out.push_back(option);
    const std::vector<std::string>& own = table.variants[run.variant].options;
    out.insert(out.end(), own.begin(), own.end());
    out.push_back("--" + table.over + "=" + std::to_string(run.number) + (table.over_bytes() ? " B" : ""));
    return out;
}

// Counts the tables of each launch group, and says where a constant is fitted over some of them only.
std::vector<std::string> note_launch_groups(std::vector<ValidationResult>& results)
{
    std::vector<MeasuredTable> given;
    for (const ValidationResult& result : results) given.push_back(result.table);
    const std::vector<MeasuredTable> absent = absent_tables(given);
    std::vector<MeasuredTable> all = given;
    all.insert(all.end(), absent.begin(), absent.end());
    check_launch_groups(all);
    for (ValidationResult& result : results) {
        if (result.table.launch_group.empty()) continue;
        result.group_tables = static_cast<std::size_t>(std::count_if(all.begin(), all.end(),
            [&](const MeasuredTable& table) { return table.launch_group == result.table.launch_group; }));
    }
    return launch_notices(given, absent);
}

bool is_simulated(const MeasuredTable& table)
{
    return std::any_of(table.rows.begin(), table.rows.end(),
        [](const MeasuredRow& row) { return row.not_simulated.empty(); });
}

// Whether `page` has a summary and every other section of it is one of the tables: a part of them makes no summary.
bool has_all_tables(const std::string& page, const std::vector<ValidationResult>& results)
{
    std::set<std::string> left = section_names(page);
    if (left.erase("summary") == 0) return false;
    for (const ValidationResult& result : results) left.erase(table_name(result.table));
    return left.empty();
}

}  // namespace

int validate_command(const Arguments& arguments)
{
    CommandLine line("validate",
        "Compares simulated collectives with measured ones. Each TABLE names a system, options of weft run and the "
        "measurements. Every row is run in a process of its own and printed with its measurement and its error. A row "
        "takes the fastest of the table's variants. Tables of one launch group share one launch constant. Runs with "
        "the same options are made once.\n\n"
        "  weft validate examples/validation/h100_ring_busbw.yaml\n"
        "  weft validate examples/validation/*.yaml --markdown out/page.md --svg out\n"
        "  weft validate examples/validation/*.yaml --page docs/validation.md --svg docs/pictures\n");
    std::vector<std::string> files;
    std::string jobs_text;
    std::string keep;
    std::string shard;
    std::string json;
    std::string markdown;
    std::string page;
    std::string svg;
    std::string html;
    std::string fidelity;
    std::string grain;
    std::string flow_beyond;
    bool check = false;
    bool quiet = false;
    line.positionals("TABLE", files, "tables of measurements: YAML");
    line.value("-j,--jobs", "N", jobs_text, "runs at a time; default the number of cores");
    line.value("--keep", "DIR", keep,
        "keep the result of every run in this folder, and make only the runs that have none there, as in weft sweep");
    line.value("--shard", "I/N", shard,
        "make the I-th of N parts of the runs, with --keep; auto: the number that Open MPI, MPICH, srun or a Slurm job "
        "array gives this process. Under mpirun and srun auto is the default. After all parts, --keep alone compares");
    line.value("--fidelity", "line|flow", fidelity,
        "of all runs: whole transfers at flow fidelity give an answer in minutes; titles say so. Default line");
    line.value("--grain", "SIZE|P%", grain, "of all runs, as in weft run: wide transactions are faster and less exact");
    line.value("--flow-beyond", "SIZE", flow_beyond,
        "runs of larger messages than this at flow fidelity, the others by transactions: 4MiB saves most of the time; "
        "titles say so");
    line.flag("--check-protocol", check,
        "put a protocol checker on every connection of each run; slow, but changes no simulated time");
    line.section("output");
    line.value("--json", "FILE", json, "write the comparison as JSON; '-' writes JSON instead of the text");
    line.value("--markdown", "FILE", markdown, "write a section for each table as Markdown");
    line.value("--page", "FILE", page,
        "replace the sections of an existing Markdown page between lines <!-- weft validate: TABLE --> and <!-- end "
        "-->; a section named summary gets a line for each table if all tables of the page are given");
    line.value("--svg", "FOLDER", svg, "write a picture of each table to this folder, named validation_TABLE.svg");
    line.value("--html", "FILE", html, "write all tables and pictures as one HTML page that needs no network");
    line.flag("--quiet", quiet, "print no text and no progress");
    if (!line.parse(arguments)) return exit_good;

    const Faster faster(fidelity, grain, flow_beyond);
    faster.require_no_page(page);

    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    RunSharing how;
    how.command = "validate";
    how.work = "validation";
    how.shard = parse_shard(shard);
    if (!keep.empty()) how.store.emplace(keep);
    const std::vector<std::pair<const char*, const std::string*>> outputs{{"--json", &json}, {"--markdown", &markdown},
        {"--page", &page}, {"--svg", &svg}, {"--html", &html}};
    for (const auto& [option, file] : outputs)
        how.check_parts(file->empty() ? "" : option, "weft validate with --keep DIR");
    const bool in_parts = how.shard.count > 1;
    // A launcher starts as many processes as there is room for.
    const bool launched = in_parts && how.shard.source != "--shard";
    how.jobs =
        jobs_text.empty() ? (launched ? 1 : cores) : static_cast<unsigned>(number_option("--jobs", jobs_text, 1, 1024));
    how.show_progress = !quiet;
    const OutputFile json_output(json);
    const OutputFile markdown_output(markdown);
    const OutputFile page_output(page, OutputFile::Use::updated);
    const OutputFile html_output(html);
    const std::string page_text = page_output.wanted() ? read_page(page) : "";
    std::vector<ValidationResult> results;
    std::vector<Planned> planned;
    for (const std::string& file : files) {
        ValidationResult result;
        result.table = read_measured(file, read_text_file(file, std::size_t{1} << 26));
        if (!std::filesystem::is_regular_file(result.table.system))
            throw InputError(file, result.table.system_line,
                "the system " + quoted_word(result.table.system) + " is not there",
                "a system file or an InfraGraph document, its path from the folder of the table");
        note_read_file(result.table.system);  // by the runs
        faster.apply(result.table);
        for (std::size_t variant = 0; variant < result.table.variants.size(); ++variant)
            for (const std::uint64_t number : numbers_to_run(result.table, result.table.variants[variant]))
                planned.push_back({results.size(), {number, variant, 0, 0}, 0});
        results.push_back(std::move(result));
    }
    std::vector<std::string> notices = note_launch_groups(results);
    std::vector<OutputFile> pictures;
    std::vector<std::string> picture_names(results.size());
    const std::filesystem::path reader = std::filesystem::path(page.empty() ? markdown : page).parent_path();
    for (std::size_t i = 0; i < results.size() && !svg.empty(); ++i) {
        if (!is_simulated(results[i].table)) {
            pictures.emplace_back("");
            continue;
        }
        pictures.emplace_back(svg + "/validation_" + table_name(results[i].table) + ".svg");
        picture_names[i] = (std::filesystem::path(svg).lexically_relative(reader) /
            ("validation_" + table_name(results[i].table) + ".svg"))
                               .generic_string();
    }

    if (page_output.wanted()) {
        std::map<std::string, std::string> places;
        for (const ValidationResult& result : results) places[table_name(result.table)];
        with_sections(page, page_text, places);  // refuses a page without a place before anything runs
    }
    const bool writes_summary = has_all_tables(page_text, results);
    if (!writes_summary && section_names(page_text).count("summary") > 0)
        notices.push_back("the summary of " + page + " is not changed because not all tables of the page are given");
    if (!quiet) print_notices(notices);

    const TemporaryFolder folder("weft-validate");
    std::vector<SharedRun> all;
    std::map<Arguments, std::size_t> known;
    for (Planned& plan : planned) {
        const MeasuredTable& table = results[plan.table].table;
        SharedRun run{arguments_of(table, plan.run, faster)};
        // Flow has no protocol.
        if (check && !faster.takes_flow(table, table.variants[plan.run.variant], plan.run.number))
            run.arguments.emplace_back("--check-protocol");
        const auto [place, is_new] = known.emplace(run.arguments, all.size());
        plan.place = place->second;
        if (is_new) all.push_back(std::move(run));
    }
    if (make_runs(how, folder, {}, all)) {
        std::fputs(how.store ? "weft: interrupted; nothing is compared, the runs that have ended are kept\n"
                             : "weft: interrupted; nothing is compared\n",
            stderr);
        return exit_interrupted;
    }
    if (in_parts) {
        if (!quiet)
            print(fmt::format("part {} of {}: {} of {} runs\n", how.shard.number, how.shard.count,
                how.shard.size(all.size()), all.size()));
        bool bad = false;
        for (std::size_t i = 0; i < all.size(); ++i) bad = bad || (how.ours(i) && all[i].end.code != 0);
        return bad ? exit_wrong : exit_good;
    }

    std::vector<TableRuns> runs;
    for (const ValidationResult& result : results) runs.push_back({&result.table, {}});
    bool failed = false;
    for (Planned& plan : planned) {
        const SharedRun& made_run = all[plan.place];
        const SweepRow row = make_row({}, made_run.end, made_run.json_path, made_run.error_path, {});
        SimulatedRun& run = plan.run;
        ValidationResult& result = results[plan.table];
        if (row.time_ps && row.stop == "finished") {
            run.us = static_cast<double>(*row.time_ps) * 1e-6;
            run.busbw_times_us = row.busbw_GBps.value_or(0) * run.us;
            if (result.table.quantity == MeasuredTable::Quantity::busbw && run.busbw_times_us <= 0)
                throw InputError(result.table.file, result.table.quantity_line,
                    fmt::format("'quantity: busbw', but the run of {} has no bus bandwidth", run.number),
                    "quantity: time, or runs of a single collective that moves bytes");
        } else {
            failed = true;
            result.failures.push_back(fmt::format("no result for {}{}{}: {}", run.number,
                result.table.variants[run.variant].name.empty() ? "" : ", ", result.table.variants[run.variant].name,
                row.message.empty() ? row.stop : row.message));
        }
        runs[plan.table].runs.push_back(run);
    }
    std::vector<Comparison> comparisons = compare_all(runs);
    for (std::size_t i = 0; i < results.size(); ++i) {
        results[i].comparison = std::move(comparisons[i]);
        for (const std::uint64_t number : rows_left_out(results[i].table, results[i].comparison))
            results[i].failures.push_back(
                fmt::format("row {} is left out: it goes on from {} and {} ('largest'), and no variant "
                            "has results for both",
                    number, *results[i].table.largest / 2, *results[i].table.largest));
    }
    if (json_output.wanted()) json_output.write(validation_json(results));
    if (markdown_output.wanted()) markdown_output.write(validation_markdown(results, picture_names));
    if (page_output.wanted()) {
        std::map<std::string, std::string> sections;
        for (std::size_t i = 0; i < results.size(); ++i)
            sections[table_name(results[i].table)] = validation_section(results[i], picture_names[i]);
        if (writes_summary) sections["summary"] = validation_summary(results);
        page_output.write(with_sections(page, page_text, sections));
    }
    for (std::size_t i = 0; i < pictures.size(); ++i)
        if (pictures[i].wanted()) pictures[i].write(validation_svg(results[i]));
    if (html_output.wanted()) {
        TablePage report{"Simulated and measured",
            fmt::format("{} table{}", results.size(), results.size() == 1 ? "" : "s"), {}, validation_text(results),
            validation_json(results)};
        for (const ValidationResult& result : results)
            if (simulated_rows(result.comparison) > 0)
                report.figures.push_back({fmt::format("{:.1f} %", result.comparison.mean_error * 100),
                    "mean error: " + result.table.title, ""});
        for (const ValidationResult& result : results)
            if (is_simulated(result.table)) report.pictures.push_back({result.table.title, validation_svg(result)});
        html_output.write(table_page(report));
    }
    if (!quiet && !json_output.is_stdout()) print(validation_text(results));
    return failed ? exit_wrong : exit_good;
}

}  // namespace weft
