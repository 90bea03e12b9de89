// `weft compare` of tables: sweeps, benches of fabrics, probes, validations.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/commands/comparing.h"

namespace compare_tables_test {

using nlohmann::json;
using weft::commands_test::changes;
using weft::commands_test::compared;
using List = std::vector<std::string>;

TEST(CompareTables, AreComparedRowByRow)
{
    const json point{{"parameters", {{"bytes", "4KiB"}}}, {"exit", 0}, {"stop", "finished"}, {"verified", "passed"},
        {"time_ps", 1000}, {"algbw_GBps", 2.0}, {"busbw_GBps", nullptr}, {"columns", {{"l2.misses", 4}}}};
    json sweep{{"schema", "weft.sweep/1"}, {"points", {point}}};
    json other = sweep;
    other["points"][0]["time_ps"] = 1500;
    other["points"][0]["columns"]["l2.misses"] = 2;
    EXPECT_EQ(changes(compared(sweep, other)),
        (List{"times.bytes=4KiB.time 50.0", "modules.bytes=4KiB.l2.misses -50.0"}));

    json fabric{{"schema", "weft.fabric/1"}, {"pattern", "uniform"}, {"saturation", 0.5},
        {"points",
            {{{"load", 0.5}, {"accepted", 0.5}, {"state", "steady"}, {"latency_ns", {{"mean", 100}, {"p99", 200}}}}}}};
    other = fabric;
    other["points"][0]["latency_ns"]["p99"] = 300;
    other["points"][0]["state"] = "saturated";
    other["saturation"] = 0.4;
    EXPECT_EQ(changes(compared(fabric, other, {"any"})),
        (List{"checks.load=0.5.state null beyond", "times.load=0.5.latency.p99 50.0",
            "bandwidths.saturation -19.999999999999996"}));

    // A combination without a result has its exit code alone.
    const json failed{{"parameters", {{"pattern", "x"}}}, {"exit", 2}, {"fabric", nullptr}, {"message", "refused"}};
    json benches{{"schema", "weft.fabric_sweep/1"}, {"keys", {"switch.queues"}},
        {"points", {{{"parameters", {{"switch.queues", "4"}}}, {"exit", 0}, {"fabric", fabric}}, failed}}};
    json changed = benches;
    changed["points"][0]["fabric"] = other;
    changed["points"][1]["exit"] = 3;
    EXPECT_EQ(changes(compared(benches, changed, {"any"})),
        (List{"checks.switch.queues=4,load=0.5.state null beyond", "checks.pattern=x.exit null beyond",
            "times.switch.queues=4,load=0.5.latency.p99 50.0",
            "bandwidths.switch.queues=4.saturation -19.999999999999996"}));

    json probe{{"schema", "weft.probe/1"}, {"profile", "h100"},
        {"rows", {{{"name", "latency.l2"}, {"unit", "ns"}, {"simulated", 200}}}}};
    other = probe;
    other["rows"][0]["simulated"] = 250;
    EXPECT_EQ(changes(compared(probe, other)), List{"times.latency.l2.simulated 25.0"});

    json validation{{"schema", "weft.validation/1"},
        {"tables",
            {{{"title", "T"}, {"unit", "GB/s"}, {"mean_error_pct", 10},
                {"rows",
                    {{{"key", "1 MiB"}, {"measured", 100}, {"simulated", 90}, {"error_pct", -10},
                        {"variant", "ring"}}}}}}}};
    other = validation;
    other["tables"][0]["rows"][0]["simulated"] = 99;
    other["tables"][0]["mean_error_pct"] = 1;
    EXPECT_EQ(changes(compared(validation, other)),
        (List{"bandwidths.T, 1 MiB.simulated 10.0", "errors.T.mean_error_pct -90.0"}));
}

// A sweep has the energies of each of its points; what is left out may differ from point to point.
TEST(CompareTables, EnergiesOfSweepsAreMeasuresAndTellWhatTheyLeaveOut)
{
    const auto point = [](const std::string& bytes, double joules, const List& unknown) {
        return json{{"parameters", {{"bytes", bytes}}}, {"exit", 0}, {"stop", "finished"}, {"verified", "passed"},
            {"columns", {{"energy.low", joules}, {"energy.low_power", 10 * joules}, {"l2.misses", 4}}},
            {"energy_unknown", unknown}};
    };
    const auto sweep = [](const json& points) { return json{{"schema", "weft.sweep/1"}, {"points", points}}; };
    const List none;
    const json one = sweep({point("1KiB", 0.5, {"hbm x: no figure"}), point("2KiB", 0.5, {"hbm x: no figure"})});
    const json other = sweep({point("1KiB", 0.75, none), point("2KiB", 0.75, {"hbm x: no figure", "idle x: no figure"}),
        point("4KiB", 1, {"l2 x: no figure"})});
    const weft::ResultComparison comparison = compared(one, other);
    EXPECT_EQ(comparison.notices,
        (List{"the energy of a.json leaves out, unlike the other: hbm x: no figure (1 of 2 points)",
            "the energy of b.json leaves out, unlike the other: idle x: no figure (1 of 2 points)"}));
    std::vector<std::string> units;
    for (const weft::Difference& each : comparison.differences)
        if (each.fact.element == "bytes=1KiB") units.push_back(each.fact.field + " " + each.fact.unit);
    EXPECT_EQ(units, (List{"energy.low J", "energy.low_power W"}));
    EXPECT_EQ(compared(one, one).notices, none);

    const json all = sweep({point("1KiB", 0.75, none), point("2KiB", 0.75, none)});
    EXPECT_EQ(compared(one, all).notices, List{"the energy of a.json leaves out, unlike the other: hbm x: no figure"});
}

// A lower bound is no value: between two of them, or one and an estimate, no difference is known.
TEST(CompareTables, ALowerBoundOfSaturationIsToldAndNotJudged)
{
    const auto fabric = [](double saturation, const char* is) {
        return json{{"schema", "weft.fabric/1"}, {"pattern", "incast"}, {"points", json::array()},
            {"saturation", saturation}, {"saturation_is", is}, {"max_accepted", 0.25}};
    };
    const json low = fabric(0.1, "lower bound");
    const json high = fabric(0.24, "lower bound");
    const json value = fabric(0.25, "estimate");
    const auto notice = [](const std::string& in_a, const std::string& in_b) {
        return List{"saturation is " + in_a + " load in a.json and " + in_b +
            " load in b.json; it is not judged where one is a lower bound, and loads nearer to it tell more"};
    };
    const weft::ResultComparison bounds = compared(low, high, {"1%"});
    EXPECT_EQ(changes(bounds), List{"bandwidths.saturation null"});
    EXPECT_EQ(bounds.notices, notice("at least 0.1", "at least 0.24"));
    const std::string text = weft::comparison_text(bounds, 10);
    EXPECT_NE(text.find("at least 0.1 load  at least 0.24 load  not known\n"), std::string::npos) << text;
    const json written = json::parse(weft::comparison_json(bounds))["differences"][0];
    EXPECT_EQ(written["a_at_least"], true);
    EXPECT_EQ(written["b_at_least"], true);
    EXPECT_TRUE(written["tolerance_pct"].is_null());

    const weft::ResultComparison mixed = compared(low, value, {"bandwidths.saturation=0%"});
    EXPECT_EQ(changes(mixed), List{"bandwidths.saturation null"});
    EXPECT_EQ(mixed.notices, notice("at least 0.1", "0.25"));
    EXPECT_EQ(json::parse(weft::comparison_json(mixed))["differences"][0]["b_at_least"], false);

    // The same bound is the same statement, and still no equal saturation.
    const weft::ResultComparison equal = compared(low, low, {"0%"});
    EXPECT_EQ(changes(equal), List());
    EXPECT_EQ(equal.notices, notice("at least 0.1", "at least 0.1"));
    EXPECT_EQ(changes(compared(fabric(0.1, "estimate"), fabric(0.1, "lower bound"))),
        List{"bandwidths.saturation null"});

    EXPECT_EQ(changes(compared(fabric(0.5, "estimate"), value, {"1%"})), List{"bandwidths.saturation -50.0 beyond"});
    EXPECT_EQ(compared(fabric(0.5, "estimate"), value).notices, List());
    json none = value;
    none["saturation"] = nullptr;
    none["saturation_is"] = nullptr;
    EXPECT_EQ(changes(compared(low, none, {"1%"})), List{"bandwidths.saturation null beyond"});

    const auto sweep = [](const json& one, const json& other) {
        return json{{"schema", "weft.fabric_sweep/1"},
            {"points",
                {{{"parameters", {{"seed", "1"}}}, {"exit", 0}, {"fabric", one}},
                    {{"parameters", {{"seed", "2"}}}, {"exit", 0}, {"fabric", other}}}}};
    };
    EXPECT_EQ(compared(sweep(low, low), sweep(high, low)).notices,
        List{"saturation of seed=1 is at least 0.1 load in a.json and at least 0.24 load in b.json, and 1 more is a "
             "lower bound; it is not judged where one is a lower bound, and loads nearer to it tell more"});
}

// A load is a share of what the links take: a fabric of half the rate accepts the same loads, and half the bytes.
TEST(CompareTables, AcceptedBandwidthsAreJudgedBesideLoads)
{
    const auto fabric = [](double capacity, const char* is) {
        return json{{"schema", "weft.fabric/1"}, {"pattern", "uniform"}, {"capacity_GBps", capacity},
            {"points", {{{"load", 0.25}, {"accepted", 0.25}, {"state", "steady"}}}}, {"saturation", 0.5},
            {"saturation_is", is}, {"max_accepted", 0.75}};
    };
    const weft::ResultComparison comparison =
        compared(fabric(160, "estimate"), fabric(80, "estimate"), {"bandwidths=1%"});
    EXPECT_EQ(changes(comparison),
        (List{"setup.capacity -50.0", "bandwidths.load=0.25.accepted_rate -50.0 beyond",
            "bandwidths.saturation_rate -50.0 beyond", "bandwidths.max_accepted_rate -50.0 beyond"}));
    ASSERT_EQ(comparison.differences.size(), 4u);
    EXPECT_EQ(comparison.differences[1].fact.unit, "GB/s");
    EXPECT_EQ(comparison.differences[1].a, 40.0);  // 0.25 of 160 GB/s
    EXPECT_EQ(comparison.differences[2].b, 40.0);  // 0.5 of 80 GB/s
    EXPECT_EQ(comparison.differences[3].a, 120.0);

    const weft::ResultComparison bound =
        compared(fabric(160, "lower bound"), fabric(80, "lower bound"), {"bandwidths.saturation*=1%"});
    EXPECT_EQ(bound.beyond(), 0u);
    EXPECT_EQ(bound.notices.size(), 1u);
    EXPECT_EQ(bound.notices[0].compare(0, 27, "saturation is at least 0.5 "), 0) << bound.notices[0];
}

// A point is what its keys say, whatever their order and however a value is written.
TEST(CompareTables, PointsAreMatchedByWhatTheirKeysSay)
{
    const auto sweep = [](const std::vector<json>& parameters) {
        json out{{"schema", "weft.sweep/1"}, {"points", json::array()}};
        for (const json& each : parameters)
            out["points"].push_back({{"parameters", each}, {"exit", 0}, {"time_ps", 1000 + 10 * out["points"].size()},
                {"columns", {{"energy.low", 1}}}, {"energy_unknown", json::array()}});
        return out;
    };
    using Ordered = nlohmann::ordered_json;
    const auto text = [](const Ordered& parameters) {
        return "{\"schema\": \"weft.sweep/1\", \"points\": [{\"exit\": 0, \"parameters\": " + parameters.dump() + "}]}";
    };
    const auto names = [](const std::string& a, const std::string& b) {
        const auto found =
            weft::compare_results(weft::read_facts("a.json", a), weft::read_facts("b.json", b), weft::Tolerances());
        EXPECT_EQ(found.compared, found.differences.size() + (found.differences.empty() ? 1 : 0));
        return changes(found);
    };
    EXPECT_EQ(names(text({{"x", "1"}, {"bytes", "2KiB"}}), text({{"bytes", "2KiB"}, {"x", "1"}})), List());

    for (const auto& [one, other] :
        std::vector<std::pair<std::string, std::string>>{{"2KiB", "2048"}, {"2 KiB", "2048 B"}, {"1.5us", "1500 ns"},
            {"50GB/s", "400Gbps"}, {"1.5 GHz", "1500MHz"}, {"0.5", "0.50"}, {"0.1", "1e-1"}, {"4", "4.0"}})
        EXPECT_EQ(changes(compared(sweep({{{"k", one}}}), sweep({{{"k", other}}}))), List()) << one << " " << other;
    for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{{"2KiB", "2KB"}, {"1us", "1000"},
             {"1ns", "1 GHz"}, {"ring", "Ring"}, {"0x10", "16"}, {"nan", "NaN"}, {"10%", "10"}, {"a,b", "b,a"}})
        EXPECT_EQ(compared(sweep({{{"k", one}}}), sweep({{{"k", other}}})).differences.size(), 6u) << one;

    // Differences have the names of A, which patterns of --tolerance match; energies of a point stay with it.
    json other = sweep({{{"bytes", "4096"}}, {{"bytes", "2048"}}});
    other["points"][0]["energy_unknown"] = {"hbm x: no figure"};
    other["points"][0]["columns"]["energy.low"] = 2;
    const weft::ResultComparison comparison =
        compared(sweep({{{"bytes", "2KiB"}}, {{"bytes", "4KiB"}}}), other, {"times.bytes=4KiB.time=0%"});
    EXPECT_EQ(changes(comparison),
        (List{"times.bytes=2KiB.time 1.0", "times.bytes=4KiB.time -0.9900990099009901 beyond",
            "modules.bytes=4KiB.energy.low 100.0"}));
    EXPECT_EQ(comparison.notices,
        List{"the energy of b.json leaves out, unlike the other: hbm x: no figure (1 of 2 points)"});

    // One result may have a value in two spellings: its own spelling goes first, then the order.
    EXPECT_EQ(changes(compared(sweep({{{"k", "2048"}}, {{"k", "2KiB"}}}), sweep({{{"k", "2KiB"}}, {{"k", "2048 B"}}}))),
        (List{"times.k=2048.time 1.0", "times.k=2KiB.time -0.9900990099009901"}));

    const json load{{"schema", "weft.fabric/1"}, {"pattern", "uniform"},
        {"points", {{{"load", 1}, {"state", "steady"}}}}};
    const auto benches = [&](const std::string& value) {
        return json{{"schema", "weft.fabric_sweep/1"},
            {"points", {{{"parameters", {{"link.latency", value}}}, {"exit", 0}, {"fabric", load}}}}};
    };
    EXPECT_EQ(changes(compared(benches("1us"), benches("1000ns"))), List());
    json same = load;
    same["points"][0]["load"] = 1.0;
    EXPECT_EQ(changes(compared(load, same)), List());
}

}  // namespace compare_tables_test
