// Reports as HTML: whole, self-contained, equal to the JSON, the same bytes again; and the checks of this test find what is planted.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "platform/report/activity.h"
#include "platform/report/page.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace page_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

// The page without what is inside its scripts, styles and comments.
std::string markup_of(std::string page)
{
    for (const std::string element : {"script", "style"})
        for (std::size_t at = 0; (at = page.find("<" + element, at)) != std::string::npos;) {
            const std::size_t begin = page.find('>', at) + 1;
            const std::size_t end = page.find("</" + element + ">", begin);
            if (end == std::string::npos) return page;
            page.erase(begin, end - begin);
            at = begin;
        }
    return page;
}

// The first thing that is wrong with the nesting of tags; empty: nothing.
std::string nesting_problem(const std::string& page)
{
    std::vector<std::string> open;
    const std::regex tag(R"(<(/?)([a-zA-Z0-9]+)([^<>]*)>)");
    const std::string text = markup_of(page);
    std::size_t tags = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), tag), end; found != end; ++found, ++tags) {
        const std::string name = (*found)[2];
        const std::string rest = (*found)[3];
        if (!rest.empty() && rest.back() == '/') continue;
        if ((*found)[1].length() == 0) {
            open.push_back(name);
        } else if (open.empty() || open.back() != name) {
            return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
        } else {
            open.pop_back();
        }
    }
    if (!open.empty()) return "<" + open.back() + "> is open at the end";
    const auto brackets = static_cast<std::size_t>(std::count(text.begin(), text.end(), '<'));
    return brackets == tags + 1 ? "" : fmt::format("{} '<' for {} tags and the doctype", brackets, tags);
}

// What the page would fetch from elsewhere; empty: nothing.
std::string outside_reference(const std::string& page)
{
    const std::string text = markup_of(page);
    for (const std::string word :
        {" src=", "<link", "<iframe", "<object", "<img", "<base", "@import", "http://", "https://"}) {
        std::size_t at = text.find(word);
        // The name of SVG's namespace is no address that is read.
        while (at != std::string::npos && text.compare(at, 26, "http://www.w3.org/2000/svg") == 0)
            at = text.find(word, at + 1);
        if (at != std::string::npos) return text.substr(at, 60);
    }
    const std::regex link(R"(href="([^"]*)\")");
    for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found)
        if ((*found)[1].str().substr(0, 1) != "#") return found->str();
    const std::size_t style = page.find("<style>");
    const std::string styles = page.substr(style, page.find("</style>") - style);
    return styles.find("url(") == std::string::npos && styles.find("@import") == std::string::npos
        ? ""
        : "the style fetches something";
}

json embedded(const std::string& page)
{
    const std::string begin = "<script type=\"application/json\" id=\"result\">\n";
    const std::size_t at = page.find(begin);
    if (at == std::string::npos) return nullptr;
    const std::size_t end = page.find("</script>", at);
    return json::parse(page.substr(at + begin.size(), end - at - begin.size()), nullptr, false);
}

// Exact values of the rows of a table, empty where a cell has only words.
std::vector<std::vector<std::string>> rows_of(const std::string& page, const std::string& id)
{
    std::vector<std::vector<std::string>> out;
    const std::size_t at = page.find("<table id=\"" + id + "\">");
    if (at == std::string::npos) return out;
    const std::string table = page.substr(at, page.find("</table>", at) - at);
    const std::regex row(R"(<tr>(<td.*)</tr>)");
    const std::regex cell(R"re(<td( class="[^"]*")?( data-v="([^"]*)")?>([^<]*)</td>)re");
    for (std::sregex_iterator found(table.begin(), table.end(), row), end; found != end; ++found) {
        out.emplace_back();
        const std::string cells = (*found)[1];
        for (std::sregex_iterator each(cells.begin(), cells.end(), cell); each != end; ++each)
            out.back().push_back((*each)[2].length() > 0 ? (*each)[3] : (*each)[4]);
    }
    return out;
}

void expect_whole(const std::string& page)
{
    EXPECT_EQ(nesting_problem(page), "");
    EXPECT_EQ(outside_reference(page), "");
}

}  // namespace

TEST(Page, OfARunHoldsTheNumbersOfItsJson)
{
    const Fixtures files;
    const std::string html = files.path("r.html");
    const Outcome outcome =
        call({"run", files.pair_system(), "--quiet", "--no-timing", "--html", html, "--json", files.path("r.json")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const std::string page = files.read("r.html");
    expect_whole(page);
    const json result = json::parse(files.read("r.json"));
    EXPECT_EQ(embedded(page), result);
    EXPECT_NE(page.find("<h1>all_reduce of 4 KiB on pair</h1>"), std::string::npos);
    EXPECT_NE(page.find("<b>verified</b>"), std::string::npos);

    const auto links = rows_of(page, "link-table");
    ASSERT_EQ(links.size(), result["links"].size());
    for (const auto& row : links) {
        const auto found = std::find_if(result["links"].begin(), result["links"].end(),
            [&](const json& link) { return link["from"] == row[0]; });
        ASSERT_NE(found, result["links"].end());
        EXPECT_EQ(row[3], (*found)["busy_ps"].dump());
        EXPECT_EQ(row[4], (*found)["wire_bytes"].dump());
        EXPECT_EQ(row[7], (*found)["peak_queue"].dump());
    }
    const auto ranks = rows_of(page, "rank-table");
    ASSERT_EQ(ranks.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(ranks[i][1], result["ranks"][i]["node"]);
        EXPECT_EQ(ranks[i][2], result["ranks"][i]["finish_ps"].dump());
    }
    const auto segments = rows_of(page, "path-segments");
    ASSERT_EQ(segments.size(), result["critical_paths"][0]["segments"].size());
    for (std::size_t i = 0; i < segments.size(); ++i)
        EXPECT_EQ(segments[i][6], result["critical_paths"][0]["segments"][i]["end_ps"].dump());
    const auto parameters = rows_of(page, "parameter-table");
    EXPECT_EQ(parameters.size(), result["parameters"].size());
    for (const auto& row : parameters) {
        const json& value = result["parameters"][row[0]]["value"];
        if (value.is_number()) {
            EXPECT_EQ(row[1], value.dump()) << row[0];
        }
    }
    for (const char* id :
        {"system", "timeline", "path", "ranks", "heat", "links", "operations", "parameters", "warnings"})
        EXPECT_NE(page.find(fmt::format("<h2 id=\"{}\">", id)), std::string::npos) << id;
}

TEST(Page, HasTheRetriesOfLinks)
{
    const Fixtures files;
    ASSERT_EQ(call({"run", files.pair_system(), "--set", "link.retry=go_back_n", "--set", "link.bit_error_rate=1e-5",
                       "--quiet", "--html", files.path("r.html")})
                  .code,
        0);
    const std::string page = files.read("r.html");
    expect_whole(page);
    const json result = embedded(page);
    const auto rows = rows_of(page, "link-table");
    ASSERT_EQ(rows.size(), 2u);
    std::uint64_t repeated = 0;
    for (const auto& row : rows)
        for (const json& link : result["links"]) {
            if (link["from"] != row[0]) continue;
            repeated += link["repeated_bytes"].get<std::uint64_t>();
            EXPECT_EQ(row[9], link["errors"].dump());
            EXPECT_EQ(row[10], link["replays"].dump());
            EXPECT_EQ(row[11], link["repeated_bytes"].dump());
            EXPECT_EQ(row[12], link["duplicates"].dump());
        }
    EXPECT_GT(repeated, 0u);
}

TEST(Page, HasTheEnergyOfARunAndWhatIsNotKnown)
{
    const Fixtures files;
    ASSERT_EQ(call({"run", "examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--no-data", "--quiet", "--html",
                       files.path("r.html")})
                  .code,
        0);
    const std::string page = files.read("r.html");
    expect_whole(page);
    const json energy = embedded(page)["energy"];
    const auto rows = rows_of(page, "energy-table");
    ASSERT_EQ(rows.size(), energy["parts"].size());
    ASSERT_GE(rows.size(), 3u);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const json& part = energy["parts"][i];
        EXPECT_EQ(rows[i][1], part["kind"]);
        EXPECT_EQ(std::stod(rows[i][2]), part["events"].get<double>());
        EXPECT_EQ(std::stod(rows[i][7]), part["high_J"].get<double>());
        EXPECT_EQ(rows[i][9], part["grade"]);
    }
    ASSERT_EQ(call({"run", files.pair_system(), "--quiet", "--html", files.path("r.html")}).code, 0);
    const std::string unknown = files.read("r.html");
    EXPECT_TRUE(rows_of(unknown, "energy-table").empty());
    const json result = embedded(unknown);
    for (const json& what : result["energy"]["unknown"])
        EXPECT_NE(unknown.find("<li>" + what.get<std::string>()), std::string::npos) << what;
}

TEST(Page, OfFlowFidelityHasPathCausesAndLinksOverTimeButNoQueues)
{
    const Fixtures files;
    const Outcome outcome =
        call({"run", files.pair_system(), "--fidelity", "flow", "--quiet", "--html", files.path("r.html")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::string page = files.read("r.html");
    expect_whole(page);
    EXPECT_EQ(embedded(page)["fidelity"], "flow");
    for (const char* id : {"heat", "path", "timeline"})
        EXPECT_NE(page.find(fmt::format("<h2 id=\"{}\">", id)), std::string::npos) << id;
    EXPECT_EQ(page.find("transactions in the queues of links"), std::string::npos);
    EXPECT_FALSE(rows_of(page, "path-segments").empty());
    EXPECT_FALSE(rows_of(page, "operation-table").empty());
    EXPECT_EQ(rows_of(page, "rank-table").size(), 2u);
    EXPECT_GT(embedded(page)["ranks"][0]["stall_ps"]["acknowledge"].get<std::uint64_t>(), 0u);
    EXPECT_EQ(rows_of(page, "link-table").size(), 2u);
    EXPECT_EQ(page.find("every result in memory is right"), std::string::npos);
    EXPECT_NE(page.find("the schedule, symbolic; no data move"), std::string::npos);
    EXPECT_EQ(page.find("bytes simulated"), std::string::npos);
}

TEST(Page, ChangesNoTimeAndRepeatsToTheByte)
{
    const Fixtures files;
    ASSERT_EQ(call({"run", files.pair_system(), "--quiet", "--json", files.path("plain.json")}).code, 0);
    for (const std::string name : {"a.html", "b.html"})
        ASSERT_EQ(call({"run", files.pair_system(), "--quiet", "--html", files.path(name)}).code, 0);
    EXPECT_EQ(files.read("a.html"), files.read("b.html"));
    EXPECT_EQ(embedded(files.read("a.html"))["simulated_ps"], json::parse(files.read("plain.json"))["simulated_ps"]);
}

TEST(Page, NamesCannotBreakOutOfThePage)
{
    const Fixtures files;
    const std::string system = files.write("s.yaml",
        "system: \"</script><b>&amp;\\\"x\"\ninfrastructure: pair.yaml\nprofile: generic\n"
        "workload: {collective: all_reduce, bytes: 4 KiB}\n");
    ASSERT_EQ(call({"run", system, "--quiet", "--html", files.path("r.html")}).code, 0);
    const std::string page = files.read("r.html");
    expect_whole(page);
    EXPECT_EQ(page.find("</script><b>"), std::string::npos);
    EXPECT_EQ(embedded(page)["system"]["name"], "</script><b>&amp;\"x");
}

TEST(Page, OfAStoppedRunSaysSo)
{
    const Fixtures files;
    ASSERT_EQ(
        call({"run", files.pair_system(), "--quiet", "--until", "1us", "--no-data", "--html", files.path("r.html")})
            .code,
        0);
    const std::string page = files.read("r.html");
    expect_whole(page);
    EXPECT_NE(page.find("results are partial"), std::string::npos);
    EXPECT_NE(page.find("not verified"), std::string::npos);
}

TEST(Page, OfATraceHasItsCollectivesAndHowRanksSpentTheTime)
{
    using namespace weft::chakra::testing;
    const Fixtures files;
    const Folder traces;
    const std::vector<std::string> rank{comp(1), collective(2, 0, 4096).data({1}), collective(3, 0, 8192).data({2})};
    const std::string prefix = traces.write_set({rank, rank});
    ASSERT_EQ(call({"run", "--infra", files.pair(), "--trace", prefix, "--quiet", "--html", files.path("t.html")}).code,
        0);
    const std::string page = files.read("t.html");
    expect_whole(page);
    const json result = embedded(page);
    const auto collectives = rows_of(page, "collective-table");
    ASSERT_EQ(collectives.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(collectives[i][5], result["collectives"][i]["start_ps"].dump());
    const auto kinds = rows_of(page, "trace-path");
    std::uint64_t sum = 0;
    for (const auto& row : kinds) {
        EXPECT_EQ(row[1], result["trace"]["path_ps"][row[0]].dump());
        sum += std::stoull(row[1]);
    }
    EXPECT_EQ(sum, result["simulated_ps"].get<std::uint64_t>());
    const auto operations = rows_of(page, "trace-operations");
    ASSERT_EQ(operations.size(), result["trace"]["operations"].size());
    for (std::size_t i = 0; i < operations.size(); ++i)
        EXPECT_EQ(operations[i][7], result["trace"]["operations"][i]["on_path_ps"].dump());
    EXPECT_EQ(rows_of(page, "trace-segments").size(), result["trace"]["segments"].size());
    EXPECT_NE(page.find("of 8 KiB over 2 ranks, 1 time on all ranks</li>"), std::string::npos);
    const auto spent = rows_of(page, "breakdown-table");
    ASSERT_EQ(spent.size(), 2u);
    const json& breakdown = result["ranks"][1]["breakdown_ps"];
    for (const auto& [activity, ps] : breakdown.items()) {
        if (ps == 0) continue;
        EXPECT_NE(std::find(spent[1].begin(), spent[1].end(), ps.dump()), spent[1].end()) << activity;
    }
}

TEST(Page, OfTheOtherCommandsHoldsTheirTables)
{
    const Fixtures files;
    const auto page_of = [&](std::vector<std::string> arguments, const std::string& list) {
        arguments.insert(arguments.end(), {"--html", files.path("p.html"), "--json", files.path("p.json")});
        const Outcome outcome = call(arguments);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const std::string page = files.read("p.html");
        expect_whole(page);
        const json result = json::parse(files.read("p.json"));
        EXPECT_EQ(embedded(page), result);
        EXPECT_EQ(rows_of(page, list).size(), result[list].size()) << list;
        EXPECT_FALSE(result[list].empty());
    };
    page_of(
        {"sweep", files.pair_system(), "--over", "bytes=4KiB,8KiB", "--over", "gpu.launch_latency=5us,50ns", "--quiet"},
        "points");
    // Tables sort by what a value means: 50 ns is less than 5 us.
    const auto points = rows_of(files.read("p.html"), "points");
    ASSERT_EQ(points.size(), 4U);
    EXPECT_EQ(points[1][0], "4096");
    EXPECT_EQ(points[1][1], "50000");
    EXPECT_EQ(points[2][0], "8192");
    EXPECT_EQ(points[2][1], "5000000");
    page_of({"fabric", "examples/dgx_h100/system.yaml", "--loads", "0.5", "--duration", "1us", "--quiet"}, "points");
    page_of({"probe", "--profile", "v100", "--only", "latency.l1,latency.peer"}, "rows");
    const std::string table = files.write("t.yaml",
        "validation:\n  title: T\n  source: S\n  system: pair_system.yaml\n  rows: {4 KiB: 100 us, 8 KiB: 120 us}\n");
    page_of({"validate", table, "--quiet"}, "tables");
}

namespace {

// Colours of the charts of a page that its dark scheme leaves as they are.
std::string colours_for_light_only(const std::string& page)
{
    const std::size_t first = page.find("<div class=\"picture paper\">");
    EXPECT_NE(first, std::string::npos);
    std::string out;
    const std::regex colour("(fill|stroke)=\"(#[0-9a-f]{6})\"");
    const std::string chart = page.substr(first, page.find("</svg>", first) - first);
    for (std::sregex_iterator at(chart.begin(), chart.end(), colour), end; at != end; ++at) {
        const std::string rule = ".paper svg [" + at->str() + "]{";
        const bool root = chart.find("<svg") < static_cast<std::size_t>(at->position()) &&
            static_cast<std::size_t>(at->position()) < chart.find('>', chart.find("<svg"));
        if (!root && page.find(rule) == std::string::npos) out += at->str() + " ";
    }
    return out;
}

}  // namespace

TEST(Page, ChartsFollowTheDarkSchemeAndListsAreHeadedByNames)
{
    const Fixtures files;
    const auto page_of = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--html", files.path("p.html")});
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return files.read("p.html");
    };
    const std::string sweep = page_of({"sweep", files.pair_system(), "--over", "bytes=4KiB,8KiB", "--quiet"});
    EXPECT_EQ(colours_for_light_only(sweep), "");
    EXPECT_NE(sweep.find(">Points</h2>"), std::string::npos);
    std::string planted = sweep;
    planted.insert(planted.find("</svg>", planted.find("<div class=\"picture paper\">")), "<path fill=\"#123456\"/>");
    EXPECT_EQ(colours_for_light_only(planted), "fill=\"#123456\" ");
    EXPECT_EQ(colours_for_light_only(page_of(
                  {"fabric", "examples/dgx_h100/system.yaml", "--loads", "0.5", "--duration", "1us", "--quiet"})),
        "");
    const std::string probe = page_of({"probe", "--profile", "v100", "--only", "bandwidth.l1"});
    EXPECT_NE(probe.find(">bandwidth.l1: limits</h2>"), std::string::npos);
    const std::string run = page_of({"run", files.pair_system(), "--quiet"});
    EXPECT_NE(run.find("<div class=\"legend\"><b>critical path</b>"), std::string::npos);
    EXPECT_NE(run.find("<div class=\"legend\"><b>ranks</b>"), std::string::npos);
}

TEST(Page, TheChecksOfThisTestFindWhatIsPlanted)
{
    weft::HtmlPage page("a < b", "c");
    page.section("s", "S");
    page.table({"t", {{"x", true}}, {{{"1 us", "1000000"}}}, true});
    const std::string good = page.finish();
    expect_whole(good);
    EXPECT_EQ(rows_of(good, "t"), (std::vector<std::vector<std::string>>{{"1000000"}}));
    const auto planted = [&](const std::string& text) {
        std::string bad = good;
        return bad.insert(bad.find("</main>"), text);
    };
    EXPECT_NE(nesting_problem(planted("<p>")), "");
    EXPECT_NE(nesting_problem(planted("</div>")), "");
    EXPECT_NE(nesting_problem(planted("1 < 2")), "");
    EXPECT_NE(outside_reference(planted("<img src=\"x.png\"/>")), "");
    EXPECT_NE(outside_reference(planted("<a href=\"https://example.org\">x</a>")), "");
    EXPECT_EQ(outside_reference(planted("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>")), "");
}

// Two operations of 100 ps on a time of 200 ps in four parts: 0 to 100 ps loads; 50 to 150 ps half flag, half busy.
TEST(Page, ActivityCountsTheTimeOfOperationsInTheirParts)
{
    const std::string timeline =
        "{\"traceEvents\":[\n"
        R"({"ph":"X","pid":1,"tid":0,"name":"move 0","ts":0.000000,"dur":0.000100,"args":{"loads_ps":100}},)"
        "\n"
        R"({"ph":"X","pid":1,"tid":1,"name":"wait 1","ts":0.000050,"dur":0.000100,"args":{"flag_ps":50,"busy_ps":50}})"
        "\n]}\n";
    const weft::RunActivity activity = weft::read_activity(timeline, 200, 4, 8);
    ASSERT_EQ(activity.ranks.size(), 1u);
    EXPECT_EQ(activity.causes.size(), 3u);
    const auto spent = [&](std::size_t part, const std::string& cause) {
        const auto place = static_cast<std::size_t>(
            std::find(activity.causes.begin(), activity.causes.end(), cause) - activity.causes.begin());
        const std::vector<double>& times = activity.ranks[0].parts[part];
        return place < times.size() ? times[place] : 0.0;
    };
    EXPECT_DOUBLE_EQ(spent(0, "loads"), 50);
    EXPECT_DOUBLE_EQ(spent(1, "loads"), 50);
    EXPECT_DOUBLE_EQ(spent(2, "loads"), 0);
    EXPECT_DOUBLE_EQ(spent(1, "flag"), 25);
    EXPECT_DOUBLE_EQ(spent(2, "busy"), 25);
    EXPECT_DOUBLE_EQ(spent(3, "busy"), 0);
    ASSERT_EQ(activity.operations.size(), 2u);
    EXPECT_EQ(activity.operations[0].total_ps, 100u);
    EXPECT_EQ(activity.operations[0].name, "move");
}

TEST(Page, ActivityOfRanksWithoutWorkgroupsIsThatOfTheirNodes)
{
    const std::string timeline = "{\"traceEvents\":[\n"
                                 R"({"ph":"X","cat":"node","pid":0,"tid":0,"name":"path","ts":0,"dur":0.0002,)"
                                 R"("args":{"kind":"compute"}},)"
                                 "\n"
                                 R"({"ph":"X","cat":"node","pid":2,"tid":0,"name":"a","ts":0,"dur":0.0001,)"
                                 R"("args":{"kind":"compute"}},)"
                                 "\n"
                                 R"({"ph":"X","cat":"node","pid":2,"tid":1,"name":"b","ts":0.0001,"dur":0.0001,)"
                                 R"("args":{"kind":"collective"}})"
                                 "\n]}\n";
    const weft::RunActivity activity = weft::read_activity(timeline, 200, 2, 8);
    EXPECT_EQ(activity.causes, (std::vector<std::string>{"node_compute", "node_collective"}));
    ASSERT_EQ(activity.ranks.size(), 1u);
    EXPECT_EQ(activity.ranks[0].rank, 1u);
    EXPECT_EQ(activity.ranks[0].parts, (std::vector<std::vector<double>>{{100}, {0, 100}}));
    EXPECT_TRUE(activity.operations.empty());
}

TEST(Page, ABrowserRunsItsScripts)
{
    if (std::system("chromium --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "chromium is not there";
    const Fixtures files;
    ASSERT_EQ(call({"run", files.pair_system(), "--quiet", "--html", files.path("r.html")}).code, 0);
    const bool zooms = files.read("r.html").find("Michael Bostock") != std::string::npos;
    const std::string command = "timeout 100 chromium --headless --no-sandbox --disable-gpu --user-data-dir='" +
        files.path("profile") + "' --virtual-time-budget=3000 --dump-dom 'file://" + files.path("r.html") + "' > '" +
        files.path("dom.html") + "' 2>/dev/null";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "chromium does not run here";
    const std::string dom = files.read("dom.html");
    EXPECT_NE(dom.find("title=\"sorts the table\""), std::string::npos);
    EXPECT_EQ(dom.find("<button") != std::string::npos, zooms);
}

}  // namespace page_test
