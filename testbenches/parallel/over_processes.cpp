#include "testbenches/parallel/over_processes.h"

#include <filesystem>

#include "testbenches/parallel/launcher.h"
#include "testbenches/parallel/same_bytes.h"
#include "testbenches/support/thorough.h"

namespace weft::testing {

using namespace weft::commands_test;

namespace {

void without_line(std::string& text, const std::string& begin)
{
    const std::size_t at = text.find("\n" + begin);
    if (at != std::string::npos) text.erase(at, text.find('\n', at + 1) - at);
}

}  // namespace

void OverProcesses::SetUp()
{
    if (const std::string missing = missing_launcher(); !missing.empty()) GTEST_SKIP() << missing;
}

Written written_by(unsigned processes, const RunSetup& setup, const Fixtures& files,
    const std::vector<std::string>& more)
{
    const std::vector<std::string> outputs{"json", "series", "record", "timeline"};
    for (const std::string& file : outputs) std::filesystem::remove(files.path(file));
    const bool is_text = setup.document.find('\n') != std::string::npos;
    const std::string document = is_text ? files.write("document.yaml", setup.document) : setup.document;
    std::vector<std::string> run{"run", files.write("system.yaml", "infrastructure: " + document + "\n" + setup.lines)};
    for (const std::string& set : setup.sets) run.insert(run.end(), {"--set", set});
    const RunOptions& options = setup.options;
    if (options.until) run.insert(run.end(), {"--until", std::to_string(*options.until) + "ps"});
    if (!options.lines.empty()) run.insert(run.end(), {"--fidelity", "mixed", "--lines", options.lines});
    if (!options.data_on) run.emplace_back("--no-data");
    if (options.watch) run.emplace_back("--watch");
    if (options.follow) run.insert(run.end(), {"--critical-path", "--timeline", files.path("timeline")});
    if (options.window > 0) run.insert(run.end(), {"--series", files.path("series")});
    if (options.window > 0 || options.follow)
        run.insert(run.end(), {"--window", std::to_string(options.window > 0 ? options.window : 1'000'000) + "ps"});
    if (options.record) run.insert(run.end(), {"--record", files.path("record")});
    run.insert(run.end(), {"--no-timing", "--json", files.path("json")});
    run.insert(run.end(), more.begin(), more.end());
    Outcome outcome = processes == 1 ? call(run) : call_processes(processes, run);
    without_line(outcome.out, "simulated ");
    Written out{outcome.code, outcome.out, outcome.err};
    for (const std::string& file : outputs)
        if (std::filesystem::exists(files.path(file))) out.text += files.read(file);
    return out;
}

void expect_same_over(const std::vector<unsigned>& numbers, const RunSetup& setup, const std::string& what,
    const std::vector<std::string>& of_processes)
{
    const Fixtures files;
    const Written whole = written_by(1, setup, files);
    ASSERT_NE(whole.code, 2) << what << whole.err;
    ASSERT_GT(whole.text.size(), 1000U) << what;
    for (const unsigned processes : numbers) {
        if (!test::thorough() && processes != numbers.front()) break;
        const Written cut = written_by(processes, setup, files, of_processes);
        EXPECT_EQ(cut.code, whole.code) << what << " over " << processes << " processes: " << cut.err;
        EXPECT_EQ(difference(whole.text, cut.text), "") << what << " over " << processes << " processes";
    }
}

}  // namespace weft::testing
