// Energy of whole runs.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace energy_command_test {

using namespace weft::commands_test;
using Json = nlohmann::json;

namespace {

Json result_of(const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"run", "examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--no-data",
        "--no-timing", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome out = call(arguments);
    EXPECT_EQ(out.code, 0) << out.err;
    return Json::parse(out.out.empty() ? "{}" : out.out);
}

const Json& part_of(const Json& result, const std::string& of)
{
    for (const Json& part : result["energy"]["parts"])
        if (part["of"] == of) return part;
    static const Json none;
    ADD_FAILURE() << "no part " << of << " in " << result["energy"].dump();
    return none;
}

// The sum of these statistics over all modules of one kind.
double sum_of(const Json& result, const std::string& kind, const std::vector<std::string>& statistics)
{
    double sum = 0;
    for (const Json& module : result["modules"])
        if (module["kind"] == kind)
            for (const std::string& name : statistics) sum += module["stats"][name]["value"].get<double>();
    return sum;
}

}  // namespace

// Lines that the other partition has are accesses, too.
TEST(EnergyOfARun, CountsEveryAccessOfTheL2)
{
    const Json result = result_of({});
    EXPECT_GT(sum_of(result, "l2", {"far_hits"}), 0);
    EXPECT_EQ(part_of(result, "l2")["events"].get<double>(),
        64 * sum_of(result, "l2", {"hits", "misses", "far_hits", "merged"}));
}

// A pool counts beside the accelerators, and a cache without a figure is told.
TEST(EnergyOfARun, CountsPoolsAndTellsOfMemorySideCaches)
{
    const Fixtures files;
    const std::string table = files.write("energy.yaml",
        "hbm:\n  generic: {low: 4, high: 5, source: a test, grade: derived}\n"
        "l2:\n  generic: {low: 1, high: 2, source: a test, grade: derived}\n");
    const Outcome out = call({"run", "examples/memory_pool/system.yaml", "--no-data", "--no-timing", "--energy", table,
        "--set", "*.xpu.*.memory_side.size=16MiB", "--json", "-"});
    ASSERT_EQ(out.code, 0) << out.err;
    const Json result = Json::parse(out.out);
    EXPECT_EQ(part_of(result, "hbm")["events"].get<double>(), 512 * sum_of(result, "hbm", {"reads", "writes"}));
    EXPECT_EQ(part_of(result, "l2")["events"].get<double>(),
        64 * sum_of(result, "l2", {"hits", "misses", "far_hits", "merged"}));
    EXPECT_GT(sum_of(result, "memory_side", {"hits", "misses"}), 0);
    EXPECT_NE(result["energy"]["unknown"].dump().find("memory_side generic: the table has no figure"),
        std::string::npos)
        << result["energy"]["unknown"].dump();
}

// Bytes on the wire x 8 x pJ/bit is what is reported, to the last digit. Every link ends at a switch on one side, whose figure
// holds that end: half a link is left, and every bit comes into or out of a switch.
TEST(EnergyOfARun, IsBytesOnTheWireTimesFigure)
{
    const Json result = result_of({});
    double bits = 0;
    double switched = 0;
    for (const Json& link : result["links"]) {
        bits += link["wire_bytes"].get<double>() * 8;
        if (link["to"].get<std::string>().find("nvsw") != std::string::npos)
            switched += link["wire_bytes"].get<double>() * 8;
    }
    const Json& links = part_of(result, "links");
    EXPECT_EQ(links["events"].get<double>(), bits / 2);
    EXPECT_EQ(links["low_J"].get<double>(), bits / 2 * links["each_low"].get<double>() * 1e-12);
    EXPECT_EQ(links["high_J"].get<double>(), bits / 2 * links["each_high"].get<double>() * 1e-12);
    EXPECT_EQ(part_of(result, "switches")["events"].get<double>(), switched);
    double accesses = 0;
    for (const Json& module : result["modules"])
        if (module["kind"] == "hbm")
            accesses +=
                module["stats"]["reads"]["value"].get<double>() + module["stats"]["writes"]["value"].get<double>();
    EXPECT_GT(accesses, 0);
    EXPECT_EQ(part_of(result, "hbm")["events"].get<double>(), accesses * 64 * 8);
    EXPECT_DOUBLE_EQ(part_of(result, "idle")["events"].get<double>(), 8 * result["simulated_ps"].get<double>() * 1e-12);
}

TEST(EnergyOfARun, AKnobOfTheTableMovesItsPartAlone)
{
    const Fixtures files;
    const Json before = result_of({});
    const Json& links = part_of(before, "links");
    const std::string kind = links["kind"];
    const std::string table = files.write("e.yaml",
        "links:\n  " + kind + ": {low: " + std::to_string(2 * links["each_low"].get<double>()) +
            ", high: " + std::to_string(2 * links["each_high"].get<double>()) + "}\n");
    const Json after = result_of({"--energy", table});
    EXPECT_EQ(after["simulated_ps"], before["simulated_ps"]);
    EXPECT_EQ(part_of(after, "links")["low_J"].get<double>(), 2 * links["low_J"].get<double>());
    for (const char* other : {"switches", "hbm", "l2", "idle"})
        EXPECT_EQ(part_of(after, other), part_of(before, other)) << other;
}

TEST(EnergyOfARun, RefusesAnUnknownGrade)
{
    const Fixtures files;
    const std::string table = files.write("e.yaml",
        "links:\n  nvlink_4: {low: 1, high: 2, grade: measured}\n  xgmi: {low: 1, high: 2, grade: sure}\n");
    const Outcome out = call({"run", "examples/dgx_h100/system.yaml", "--energy", table});
    EXPECT_EQ(out.code, 2);
    EXPECT_EQ(out.err,
        table +
            ":3: unknown grade: the text 'sure'; expected read in the source, quoted, common knowledge, unverified, "
            "vendor "
            "specification, measured, derived, calibrated, inferred\n");
}

// 2 x M x N x K of each kernel that has ended, at both fidelities.
TEST(EnergyOfARun, CountsTheOperationsOfBackgroundKernels)
{
    for (const char* fidelity : {"line", "flow"}) {
        const Json result = result_of({"--beside", "gemm:256,256,64", "--fidelity", fidelity});
        const double kernels = result["beside"]["finished"];
        EXPECT_GE(kernels, 8) << fidelity;
        const Json& part = part_of(result, "operation");
        EXPECT_EQ(part["kind"], "h100");
        EXPECT_EQ(part["events"].get<double>(), kernels * 2 * 256 * 256 * 64) << fidelity;
        EXPECT_EQ(part["low_J"].get<double>(), part["events"].get<double>() * 0.3 * 1e-12) << fidelity;
    }
}

// They end after the collective, and so does the time of idle power and of the watts: mean power is below that of units at their peak.
TEST(EnergyOfARun, IsOfTheTimeUntilTheLastBackgroundKernelHasEnded)
{
    for (const char* fidelity : {"line", "flow"}) {
        const Json result = result_of({"--beside", "gemm:256,256,1024", "--ranks", "2", "--collective", "all_gather",
            "--algorithm", "direct", "--fidelity", fidelity});
        const Json& energy = result["energy"];
        const double end = result["beside"]["end_ps"];
        EXPECT_GT(end, 1.3 * result["simulated_ps"].get<double>()) << fidelity;
        EXPECT_EQ(energy["time_ps"].get<double>(), end) << fidelity;
        EXPECT_NEAR(part_of(result, "idle")["events"].get<double>(), 2 * end * 1e-12, 1e-15) << fidelity;
        EXPECT_NEAR(energy["high_W"].get<double>() * end * 1e-12, energy["high_J"].get<double>(), 1e-9) << fidelity;
        const double operations = part_of(result, "operation")["events"].get<double>() / (end * 1e-12);
        EXPECT_LT(operations, 4.0 / 132 * 2 * 989e12) << fidelity << ": four tiles of each of two take four units";
    }
}

// Where the table has no figure of the switch, the whole link is counted and the switch is listed as unknown.
TEST(EnergyOfARun, ListsWhatIsNotKnown)
{
    const Json flow = result_of({"--fidelity", "flow"});
    std::string unknown = flow["energy"]["unknown"].dump();
    EXPECT_NE(unknown.find("hbm h100: flow fidelity counts no accesses"), std::string::npos) << unknown;
    EXPECT_NE(unknown.find("l2 h100: flow fidelity counts no accesses"), std::string::npos) << unknown;
    EXPECT_GT(flow["energy"]["low_J"].get<double>(), 0);
}

TEST(EnergyOfARun, SaysWhichRowsOfATableNameNothing)
{
    const Fixtures files;
    const std::string table = files.write("e.yaml", "links:\n  nvlink_9: {low: 1, high: 2}\n");
    const Json result = result_of({"--energy", table});
    const std::string notices = result["notices"].dump();
    EXPECT_NE(notices.find("--energy: links nvlink_9: " + table + ":2 names nothing of this run"), std::string::npos)
        << notices;
    EXPECT_EQ(result["energy"]["unknown"], Json::array());
    const Outcome sweep =
        call({"sweep", "examples/dgx_h100/system.yaml", "--over", "bytes=4KiB", "--no-data", "--energy", table});
    EXPECT_NE(sweep.err.find("links nvlink_9: " + table + ":2 names nothing"), std::string::npos) << sweep.err;
}

// A sum of nothing is no sum.
TEST(EnergyOfARun, IsNotKnownWhereNothingHasAFigure)
{
    const Fixtures files;
    const Outcome run =
        call({"run", files.pair_system(), "--no-timing", "--energy", "builtin", "--json", files.path("r.json")});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("\nenergy      not known\n  unknown: "), std::string::npos) << run.out;
    const Json energy = Json::parse(files.read("r.json"))["energy"];
    EXPECT_EQ(energy["parts"], Json::array());
    for (const char* sum : {"low_J", "high_J", "low_W", "high_W"}) EXPECT_TRUE(energy[sum].is_null()) << sum;
    const Outcome schema = call({"schema", "--check", files.path("r.json")});
    EXPECT_EQ(schema.code, 0) << schema.out << schema.err;
}

TEST(EnergyOfARun, IsListedAndRefusedByLine)
{
    const Outcome page =
        call({"run", "examples/dgx_h100/system.yaml", "--bytes", "4KiB", "--no-data", "--energy", "builtin"});
    EXPECT_EQ(page.code, 0);
    for (const char* part : {"\nenergy      ", "J for the known parts", "pJ/bit", "unverified", "idle"})
        EXPECT_NE(page.out.find(part), std::string::npos) << part << page.out;
    const Fixtures files;
    const Outcome refused = call({"run", "examples/dgx_h100/system.yaml", "--energy",
        files.write("e.yaml", "links:\n  x: {low: 3, high: 2}\n")});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("e.yaml:2: 'low' is above 'high'"), std::string::npos) << refused.err;
}

TEST(EnergyOfARun, IsAColumnOfASweep)
{
    const Fixtures files;
    const Outcome sweep = call({"sweep", files.pair_system(), "--over", "bytes=4KiB,64KiB", "--energy", "builtin",
        "--column", "energy.high", "--svg", files.path("e.svg"), "--y", "energy.high"});
    EXPECT_EQ(sweep.code, 0) << sweep.err;
    EXPECT_NE(sweep.out.find("energy.high"), std::string::npos);
    EXPECT_NE(files.read("e.svg").find("<svg"), std::string::npos);
    const Outcome all =
        call({"sweep", files.pair_system(), "--over", "bytes=4KiB,64KiB", "--energy", "builtin", "--csv", "-"});
    EXPECT_EQ(all.code, 0) << all.err;
    EXPECT_NE(
        all.out.find(",energy.low_J,energy.high_J,energy.low_power_W,energy.high_power_W,energy_unknown,message,"),
        std::string::npos)
        << all.out;
    EXPECT_NE(all.out.find(",finished,0,,,,,links ethernet: the table has no figure; "), std::string::npos) << all.out;
    EXPECT_NE(sweep.out.find("-                  links ethernet, "), std::string::npos) << sweep.out;
    EXPECT_NE(sweep.out.find("\nenergy is of the known parts; left out:\n  links ethernet: the table has no "
                             "figure\n"),
        std::string::npos)
        << sweep.out;
    EXPECT_NE(files.read("e.svg").find("energy.high (J)"), std::string::npos);
}

// The table, the page and both files say that flow counts no accesses; numbers are short and have their unit.
TEST(EnergyOfASweep, NamesWhatRowsDoNotCount)
{
    const Fixtures files;
    const Outcome out = call({"sweep", "examples/dgx_h100/system.yaml", "--over", "fidelity=line,flow", "--bytes",
        "64KiB", "--no-data", "--energy", "builtin", "--json", files.path("s.json"), "--csv", files.path("s.csv"),
        "--html", files.path("s.html")});
    ASSERT_EQ(out.code, 0) << out.err;
    const Json points = Json::parse(files.read("s.json"))["points"];
    EXPECT_EQ(points[0]["energy_unknown"], Json::array());
    EXPECT_EQ(points[1]["energy_unknown"],
        (Json{"hbm h100: flow fidelity counts no accesses", "l2 h100: flow fidelity counts no accesses"}));
    EXPECT_EQ(points[0]["columns"]["energy.low"], result_of({})["energy"]["low_J"]);
    EXPECT_NE(out.out.find("612.4 W            nothing\n"), std::string::npos) << out.out;
    EXPECT_NE(out.out.find(" W            hbm h100, l2 h100\n"), std::string::npos) << out.out;
    const std::string word = "which are not the same in all rows: totals do not compare; left out:\n  1 of 2 runs: hbm "
                             "h100: flow fidelity counts no accesses\n";
    EXPECT_NE(out.out.find(word), std::string::npos) << out.out;
    EXPECT_NE(files.read("s.html").find("totals do not compare"), std::string::npos);
    EXPECT_NE(files.read("s.csv").find(",hbm h100: flow fidelity counts no accesses; l2 h100: "), std::string::npos);
    const Outcome schema = call({"schema", "--check", files.path("s.json")});
    EXPECT_EQ(schema.code, 0) << schema.out << schema.err;
}

TEST(EnergyOfASweep, OfARunThatHasNotFinishedIsEmpty)
{
    const Outcome out = call({"sweep", "examples/dgx_h100/system.yaml", "--over", "bytes=16KiB", "--no-data", "--until",
        "5us", "--energy", "builtin", "--csv", "-"});
    EXPECT_NE(out.out.find("16384,,,,off,until,0,,,,,,,\n"), std::string::npos) << out.out << out.err;
}

}  // namespace energy_command_test
