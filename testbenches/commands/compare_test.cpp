// `weft compare`: every kind of planted difference is found, named and measured; nothing else is.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "platform/applications/compare/difference.h"
#include "platform/applications/compare/difference_report.h"
#include "platform/applications/compare/read_facts.h"
#include "testbenches/commands/comparing.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace compare_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

json rank_of(int number, long finish, long busy, long flag)
{
    return {{"rank", number}, {"node", "a." + std::to_string(number)}, {"finish_ps", finish},
        {"stall_ps", {{"busy", busy}, {"flag", flag}}}};
}

json link_of(const std::string& from, const std::string& to, long busy)
{
    return {{"name", "a.0~a.1"}, {"from", from}, {"to", to}, {"GBps", 50}, {"wire_bytes", 4352},
        {"payload_bytes", 4096}, {"busy_ps", busy}, {"peak_queue", 3}, {"credit_stall_ps", nullptr}};
}

json parameter(const json& value, const std::string& unit)
{
    return {{"value", value}, {"unit", unit}, {"source", "default"}};
}

// Two ranks, 1 us, one collective.
json planted()
{
    json out;
    out["schema"] = "weft.result/1";
    out["stop"] = "finished";
    out["verified"] = "passed";
    out["simulated_ps"] = 1000000;
    out["seed"] = 1;
    out["lines"] = 128;
    out["line_hops"] = 256;
    out["wall_s"] = 0.5;
    out["system"] = {{"name", "two"}, {"endpoints", 2}, {"nodes", 2}, {"links", 1}, {"switches", 0}};
    out["collectives"] = {{{"op", "all_reduce"}, {"algorithm", "ring"}, {"ranks", 2}, {"bytes", 4096},
        {"finished", true}, {"start_ps", 0}, {"end_ps", 1000000}, {"algbw_GBps", 4.096}, {"busbw_GBps", 4.096}}};
    out["ranks"] = {rank_of(0, 990000, 300000, 1000), rank_of(1, 1000000, 300000, 1000)};
    out["links"] = {link_of("a.0", "a.1", 100000), link_of("a.1", "a.0", 100000)};
    out["modules"] = {{{"name", "a.0.l2.0"}, {"kind", "l2"}, {"model", "l2"},
                          {"stats", {{"misses", {{"value", 5}, {"unit", "lines"}}}}}},
        {{"name", "a.1.l2.0"}, {"kind", "l2"}, {"model", "l2"},
            {"stats", {{"misses", {{"value", 6}, {"unit", "lines"}}}}}}};
    out["parameters"] = {{"a.[0,1].l2.size", parameter(1024, "B")}, {"routing.path_selection", parameter("lines", "")}};
    return out;
}

std::string refusal(const std::string& text)
{
    try {
        weft::read_facts("r.json", text);
    } catch (const weft::InputError& error) {
        return error.diagnostics()[0].text();
    }
    return "";
}

using List = std::vector<std::string>;

}  // namespace

TEST(Compare, EqualResultsHaveNoDifferenceWhateverTheirWallTime)
{
    json other = planted();
    other["wall_s"] = 7.5;
    const weft::ResultComparison comparison = compared(planted(), other, {"0%"});
    EXPECT_TRUE(comparison.differences.empty());
    EXPECT_EQ(comparison.beyond(), 0u);
    EXPECT_GT(comparison.compared, 30u);
}

TEST(Compare, EachPlantedDifferenceIsFoundByNameAndMeasured)
{
    struct Case {
        const char* pointer;
        json value;
        List expected;
    };
    const std::vector<Case> cases{
        {"/verified", "failed", {"checks.verified null"}},
        {"/collectives/0/algorithm", "direct", {"setup.collective.0.algorithm null"}},
        {"/parameters/routing.path_selection/value", "pairs", {"parameters.routing.path_selection null"}},
        {"/parameters/a.[0,1].l2.size/value", 2048, {"parameters.a.0.l2.size 100.0", "parameters.a.1.l2.size 100.0"}},
        {"/collectives/0/busbw_GBps", 4.096 * 0.75, {"bandwidths.collective.0.busbw -25.0"}},
        {"/ranks/0/finish_ps", 495000, {"times.rank.0.finish -50.0"}},
        // 1,000 ps more of 1 us, which is a doubling of the cause.
        {"/ranks/1/stall_ps/flag", 2000, {"causes.mean.flag 0.05", "causes.rank.1.flag 0.1"}},
        {"/links/1/busy_ps", 90000, {"links.a.1~a.0.busy -1.0"}},
        {"/links/0/wire_bytes", 8704, {"links.a.0~a.1.wire 100.0"}},
        {"/links/0/peak_queue", 6, {"queues.a.0~a.1.peak_queue 100.0"}},
        {"/modules/1/stats/misses/value", 17, {"modules.l2.misses 100.0"}},
        {"/lines", 64, {"modules.all.lines -50.0"}},
    };
    for (const Case& each : cases) {
        json other = planted();
        other[json::json_pointer(each.pointer)] = each.value;
        EXPECT_EQ(changes(compared(planted(), other)), each.expected) << each.pointer;
    }
}

TEST(Compare, APathOfAlikeModulesIsTakenApart)
{
    json other = planted();
    other["parameters"] = {{"a.0.l2.size", parameter(1024, "B")}, {"a.1.l2.size", parameter(4096, "B")},
        {"routing.path_selection", parameter("lines", "")}};
    EXPECT_EQ(changes(compared(planted(), other)), List{"parameters.a.1.l2.size 300.0"});
    EXPECT_EQ(weft::ungrouped("a.[0-2,5].b[1,2]"),
        (List{"a.0.b1", "a.0.b2", "a.1.b1", "a.1.b2", "a.2.b1", "a.2.b2", "a.5.b1", "a.5.b2"}));
    EXPECT_EQ(weft::ungrouped("a.[x].b"), List{"a.[x].b"});
    EXPECT_EQ(weft::ungrouped("a.[3-1]"), List{"a.[3-1]"});
    for (const char* const text : {"a.[18446744073709551615]", "a.[4294967296]", "a.[0-18446744073709551616]"})
        EXPECT_EQ(weft::ungrouped(text), List{text});
}

// What is alike in both values shares a line, but no line has two different parameters.
TEST(Compare, ParametersOfTheSameValueStayApart)
{
    json one = planted();
    json other = planted();
    one["parameters"] = {{"a.0.l2.ways", parameter(16, "")}, {"a.1.l2.ways", parameter(16, "")},
        {"a.0.gpu.lanes", parameter(16, "")}};
    other["parameters"] = {{"a.0.l2.ways", parameter(32, "")}, {"a.1.l2.ways", parameter(32, "")},
        {"a.0.gpu.lanes", parameter(32, "")}};
    const std::string text = weft::comparison_text(compared(one, other), 10);
    EXPECT_NE(text.find("  a.[0,1].l2.ways (2) "), std::string::npos) << text;
    EXPECT_NE(text.find("  a.0.gpu.lanes "), std::string::npos) << text;
}

TEST(Compare, WhatOnlyOneHasIsADifference)
{
    json other = planted();
    other["links"].erase(1);
    const weft::ResultComparison comparison = compared(planted(), other, {"5%"});
    EXPECT_EQ(changes(comparison),
        (List{"setup.a.1~a.0.rate null", "links.a.1~a.0.wire null beyond", "links.a.1~a.0.payload null beyond",
            "links.a.1~a.0.busy null beyond", "queues.a.1~a.0.peak_queue null"}));
    EXPECT_NE(weft::comparison_text(comparison, 10).find("only in A"), std::string::npos);
    EXPECT_NE(weft::comparison_text(compared(other, planted()), 10).find("only in B"), std::string::npos);
}

// The energies are in every result; that one run had to print them is no difference. What one leaves out is told.
TEST(Compare, EnergyIsComparedWhateverTheOptionsOfTheRun)
{
    json one = planted();
    one["energy"] = {{"low_J", 0.5}, {"high_J", 1.0}, {"low_W", 5}, {"high_W", 10}, {"parts", json::array()},
        {"unknown", {"l2 x: the table has no figure"}}};
    json printed = one;
    printed["modules"].push_back({{"name", "energy"}, {"kind", "energy"}, {"model", "table"},
        {"stats", {{"low", {{"value", 0.5}, {"unit", "J"}}}}}});
    EXPECT_EQ(changes(compared(one, printed, {"modules=0%"})), List());

    json other = printed;
    other["energy"]["high_J"] = 1.5;
    other["energy"]["unknown"] = {"hbm x: flow fidelity counts no accesses"};
    const weft::ResultComparison comparison = compared(one, other);
    EXPECT_EQ(changes(comparison), List{"modules.energy.high 50.0"});
    EXPECT_EQ(comparison.notices,
        (List{"the energy of a.json leaves out, unlike the other: l2 x: the table has no figure",
            "the energy of b.json leaves out, unlike the other: hbm x: flow fidelity counts no accesses"}));

    other["energy"]["low_J"] = nullptr;
    EXPECT_EQ(changes(compared(one, other)), (List{"modules.energy.low null", "modules.energy.high 50.0"}));
}

// The totals of the same events differ because the tables do.
TEST(Compare, FiguresOfEnergyThatDifferAreTold)
{
    const auto with = [](double low, const char* source, const char* of) {
        json out = planted();
        out["energy"] = {{"low_J", low}, {"high_J", 7}, {"low_W", 5}, {"high_W", 10},
            {"parts",
                {{{"of", of}, {"kind", "nvlink_4"}, {"events", 1}, {"unit", "pJ/bit"}, {"each_low", low},
                    {"each_high", 7}, {"low_J", low}, {"high_J", 7}, {"source", source}, {"grade", "a test"}}}},
            {"unknown", json::array()}};
        return out;
    };
    EXPECT_EQ(compared(with(5, "one.yaml:2", "links"), with(5.5, "two.yaml:3", "links")).notices,
        List{"the energies are by different figures: links nvlink_4: 5 to 7 pJ/bit (one.yaml:2) and 5.5 to 7 pJ/bit "
             "(two.yaml:3)"});
    EXPECT_EQ(compared(with(5, "one.yaml:2", "links"), with(5, "two.yaml:3", "links")).notices, List());
    EXPECT_EQ(compared(with(5, "one.yaml:2", "links"), with(6, "two.yaml:3", "switches")).notices, List());
}

// Of rank 0 alone both results know the causes: 0 is not taken for the others.
TEST(Compare, MeansAreOfRanksWhoseCausesBothKnow)
{
    json flow = planted();
    flow["ranks"][0]["stall_ps"]["busy"] = 310000;  // 1 % of the time
    flow["ranks"][1]["stall_ps"] = json::object();
    const weft::ResultComparison comparison = compared(planted(), flow);
    EXPECT_EQ(changes(comparison),
        (List{"causes.mean.busy 1.0", "causes.rank.0.busy 1.0", "causes.rank.1.busy null", "causes.rank.1.flag null"}));
    EXPECT_EQ(comparison.notices,
        List{
            "causes: a.json has those of 2 of 2 ranks, b.json of 1 of 2: means are over the 1 that have them in both"});

    json other = planted();
    other["ranks"][0]["stall_ps"] = json::object();
    EXPECT_EQ(compared(flow, other).notices,
        List{"causes: a.json has those of 1 of 2 ranks, b.json of 1 of 2: no rank has them in both, and no means are "
             "compared"});
}

TEST(Compare, ARankThatHasNotFinishedHasNoTime)
{
    json other = planted();
    other["stop"] = "until";
    other["ranks"][0]["finish_ps"] = 0;
    const weft::ResultComparison comparison = compared(planted(), other);
    EXPECT_EQ(changes(comparison), (List{"checks.stop null", "times.rank.0.finish null"}));
    EXPECT_FALSE(comparison.differences[1].in_b);
    // It took no part in a run that did finish.
    other["stop"] = "finished";
    EXPECT_EQ(changes(compared(planted(), other)), List{"times.rank.0.finish -100.0"});
}

// Of two collectives in 1 us, one of 0.1 us: 1 ns more is 0.1 % of the time of the run, not 1 % of that of the collective.
TEST(Compare, CausesOfACriticalPathAreSharesOfTheWholeTime)
{
    json one = planted();
    one["critical_paths"] = {{{"collective", 0}, {"times_ps", {{"flag", 900000}}}, {"segments", json::array()}},
        {{"collective", 1}, {"times_ps", {{"busy", 60000}, {"flag", 40000}}}, {"segments", json::array()}}};
    json other = one;
    other["critical_paths"][1]["times_ps"]["flag"] = 41000;
    EXPECT_EQ(changes(compared(one, other)), List{"causes.critical_path.1.flag 0.1"});
}

TEST(Compare, AToleranceJudgesWhatItNames)
{
    json other = planted();
    other["simulated_ps"] = 1019000;  // +1.9 %
    other["collectives"][0]["busbw_GBps"] = 4.096 * 0.5;
    other["lines"] = 256;
    const auto beyond = [&](const List& tolerances) { return compared(planted(), other, tolerances).beyond(); };
    EXPECT_EQ(beyond({}), 0u);
    EXPECT_EQ(beyond({"2%"}), 1u);
    EXPECT_EQ(beyond({"1.89%"}), 2u);
    EXPECT_EQ(beyond({"1.9%"}), 1u);  // the limit itself is allowed
    EXPECT_EQ(beyond({"2%", "bandwidths=50%"}), 0u);
    EXPECT_EQ(beyond({"bandwidths=50%", "2%"}), 1u);  // the last that matches holds
    EXPECT_EQ(beyond({"2%", "*.busbw=any"}), 0u);
    EXPECT_EQ(beyond({"modules=50%"}), 1u);
    EXPECT_EQ(beyond({"times=0%"}), 1u);

    json wrong = planted();
    wrong["verified"] = "failed";
    EXPECT_EQ(compared(planted(), wrong, {"any"}).beyond(), 1u);

    json from_zero = planted();
    from_zero["ranks"][0]["finish_ps"] = 0;
    EXPECT_EQ(compared(from_zero, planted(), {"100000%"}).beyond(), 1u);
}

TEST(Compare, ToleranceThatSaysNothingIsRefused)
{
    for (const std::string text : {"2", "%", "-1%", "x%", "=2%", "times=", "1e3%", "times=2"})
        EXPECT_THROW(weft::Tolerances().add(text), weft::InputError) << text;
    EXPECT_THROW(compared(planted(), planted(), {"tmes=2%"}), weft::InputError);
    EXPECT_NO_THROW(compared(planted(), planted(), {"times=2%", "links.*.busy=any"}));
}

TEST(Compare, BadInputIsNamedWithFileAndLine)
{
    EXPECT_EQ(refusal("{\n \"schema\": \"weft.result/1\",\n").compare(0, 29, "r.json:3: this is not JSON: '"), 0);
    EXPECT_EQ(refusal("[]"), "r.json:1: a list in the place of an object; expected an object");
    EXPECT_EQ(refusal("{}"), "r.json:1: the object lacks 'schema'; expected a text");
    EXPECT_EQ(refusal("{\n\"schema\": \"x/1\"}"),
        "r.json:2: schema 'x/1' cannot be compared; expected the JSON of weft run, sweep, fabric, probe or "
        "validate");
    json broken = planted();
    broken["ranks"][1].erase("finish_ps");
    EXPECT_NE(refusal(broken.dump(1)).find(": the object lacks 'finish_ps'; expected a number"), std::string::npos);
    broken = planted();
    broken["links"][0]["busy_ps"] = "much";
    EXPECT_NE(refusal(broken.dump(1)).find("'busy_ps' is not a number; expected a number"), std::string::npos);
    broken = planted();
    const auto at = [](const std::string& text, const std::string& key) {
        const auto key_at = text.begin() + static_cast<std::ptrdiff_t>(text.find("\"" + key + "\""));
        return "r.json:" + std::to_string(1 + std::count(text.begin(), key_at, '\n'));
    };
    for (const json& seed : {json(-1), json(1.5)}) {
        broken["seed"] = seed;
        const std::string text = broken.dump(1);
        EXPECT_EQ(refusal(text),
            at(text, "seed") + ": 'seed' is " + seed.dump() + "; expected a whole number of 0 or more");
    }
    broken = planted();
    broken["collectives"][0]["bytes"] = -4096;
    const std::string text = broken.dump(1);
    EXPECT_EQ(refusal(text), at(text, "bytes") + ": 'bytes' is -4096; expected a whole number of 0 or more");
    const json point{{"parameters", json::object()}, {"seed", -1}};
    EXPECT_EQ(refusal(json{{"schema", "weft.sweep/1"}, {"points", {point}}}.dump()),
        "r.json:1: 'seed' is -1; expected a whole number of 0 or more");
    const json sweep{{"schema", "weft.sweep/1"}, {"points", json::array()}};
    EXPECT_THROW(compared(planted(), sweep), weft::InputError);
}

TEST(Compare, TheCommandComparesRunsAndEndsWithOneBeyondTheTolerance)
{
    const Fixtures files;
    const auto run = [&](const std::string& name, const std::string& latency) {
        ASSERT_EQ(call({"run", files.pair_system(), "--quiet", "--set", "link.latency=" + latency, "--json",
                           files.path(name)})
                      .code,
            0);
    };
    run("a.json", "80ns");
    run("b.json", "80ns");
    run("c.json", "800ns");
    const std::string a = files.path("a.json");
    const Outcome same = call({"compare", a, files.path("b.json"), "--tolerance", "0%"});
    EXPECT_EQ(same.code, 0) << same.err;
    EXPECT_NE(same.out.find("\nsame        all "), std::string::npos) << same.out;

    const Outcome free = call({"compare", a, files.path("c.json")});
    EXPECT_EQ(free.code, 0) << free.err;
    EXPECT_NE(free.out.find("without --tolerance none counts as a failure"), std::string::npos) << free.out;
    EXPECT_NE(free.out.find("link.latency"), std::string::npos) << free.out;

    const Outcome strict =
        call({"compare", a, files.path("c.json"), "--tolerance", "2%", "--json", files.path("d.json")});
    EXPECT_EQ(strict.code, 1);
    EXPECT_EQ(strict.err, "");
    EXPECT_NE(strict.out.find("BEYOND 2 %"), std::string::npos) << strict.out;
    const json written = json::parse(files.read("d.json"));
    EXPECT_EQ(written["schema"], "weft.comparison/1");
    EXPECT_GT(written["beyond"], 0);
    EXPECT_EQ(call({"compare", a, files.path("c.json"), "--tolerance", "2%", "--quiet"}).out, "");

    EXPECT_EQ(call({"compare", a, "--quiet"}).code, 2);
    const Outcome missing = call({"compare", a, files.path("none.json")});
    EXPECT_EQ(missing.code, 2);
    EXPECT_NE(missing.err.find("none.json: "), std::string::npos) << missing.err;
    files.write("text.json", "a,b\n");
    const Outcome text = call({"compare", files.path("text.json"), a});
    EXPECT_EQ(text.code, 2);
    EXPECT_NE(text.err.find("text.json:1: this is not JSON: 'a'; expected a JSON object\n"), std::string::npos)
        << text.err;
    EXPECT_EQ(text.out, "");
}

}  // namespace compare_test
