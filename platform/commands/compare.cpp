#include <fmt/format.h>

#include "base/text_file.h"
#include "platform/console/command_line.h"
#include "platform/console/messages.h"
#include "platform/console/output_file.h"
#include "platform/applications/compare/difference_report.h"
#include "platform/applications/compare/read_facts.h"

namespace weft {

int compare_command(const Arguments& arguments)
{
    CommandLine line("compare",
        "Prints the differences between two results of weft run, sweep, fabric, probe or validate (--json): checks, "
        "parameters, times, bandwidths, causes of waiting, links, queues, statistics. With --tolerance the exit code "
        "is 1 if a difference is beyond it, for use in scripts. The change of a number is B / A - 1. The change of a "
        "cause, and of the time that a link was busy, is the difference divided by the whole time of A.\n\n"
        "  weft compare before.json after.json\n"
        "  weft compare before.json after.json --tolerance 2%\n"
        "  weft compare a.json b.json --tolerance 1% --tolerance links=5% --tolerance 'times.rank.*=any'\n");
    std::vector<std::string> files;
    std::vector<std::string> tolerance_texts;
    std::string json;
    bool all = false;
    bool quiet = false;
    line.positionals("RESULT", files, "two results of the same command: A, then B");
    line.values("--tolerance", "P", tolerance_texts,
        "the permitted change: 2% for times, bandwidths, causes and links; GROUP=2% or PATTERN=2% for others, where "
        "GROUP is one of " +
            one_of(fact_group_names()).substr(7) +
            " and PATTERN matches names of the JSON such as links.*.busy; 'any' instead of a share permits every "
            "change; repeatable, the last match applies");
    line.flag("--all", all, "print all differences, not only the ten largest of each group");
    line.section("output");
    line.value("--json", "FILE", json, "write all differences as JSON; '-' writes JSON instead of the text");
    line.flag("--quiet", quiet, "print no text");
    if (!line.parse(arguments)) return exit_good;

    if (files.size() != 2)
        throw usage_error(fmt::format("{} result{} to compare", files.size(), files.size() == 1 ? "" : "s"),
            "two: weft compare A.json B.json");
    Tolerances tolerances;
    for (const std::string& text : tolerance_texts) tolerances.add(text);
    const OutputFile json_output(json);
    const Facts of_a = read_facts(files[0], read_text_file(files[0], longest_result));
    const Facts of_b = read_facts(files[1], read_text_file(files[1], longest_result));
    const ResultComparison comparison = compare_results(of_a, of_b, tolerances);
    if (json_output.wanted()) json_output.write(comparison_json(comparison));
    constexpr std::size_t usual = 10;
    if (!quiet && !json_output.is_stdout())
        print(comparison_text(comparison, all ? comparison.differences.size() : usual));
    return comparison.beyond() > 0 ? exit_wrong : exit_good;
}

}  // namespace weft
