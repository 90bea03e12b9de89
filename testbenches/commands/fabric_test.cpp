// `weft fabric`: a table, JSON and a picture of latency against load; the same bytes for the same seed.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace fabric_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

const std::string dgx = "examples/dgx_h100/system.yaml";

// A run of all loads, 2 us each where no other time is given.
Outcome fabric(const std::vector<std::string>& more, const std::string& system = dgx)
{
    std::vector<std::string> arguments{"fabric", system};
    if (std::find(more.begin(), more.end(), "--duration") == more.end())
        arguments.insert(arguments.end(), {"--duration", "2us"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments);
}

json points_of(const std::vector<std::string>& more, const std::string& system = dgx)
{
    std::vector<std::string> arguments = more;
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = fabric(arguments, system);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
}

void expect_refusal(const std::vector<std::string>& more, const std::string& message)
{
    std::vector<std::string> arguments{"fabric", dgx};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, message + "\n");
}

std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t out = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
}

}  // namespace

TEST(Fabric, PrintsATableWithARowForEachLoad)
{
    const Outcome outcome = fabric({"--loads", "0.1:0.9:0.4", "--pattern", "permutation", "--seed", "4"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out.rfind("dgx_h100: 8 endpoints, 4 switches, 32 links; pattern permutation, seed 4\n", 0), 0u)
        << outcome.out;
    EXPECT_NE(outcome.out.find("   load  accepted   mean ns    +-95%    p50 ns    p99 ns    max ns   Jain\n    0.1 "),
        std::string::npos)
        << outcome.out;
    EXPECT_EQ(count(outcome.out, "\n    0."), 3u) << outcome.out;
    EXPECT_NE(outcome.out.find("\nsaturation  "), std::string::npos);
    EXPECT_NE(outcome.out.find("\nfairness    Jain index "), std::string::npos);
    EXPECT_EQ(fabric({"--loads", "0.1", "--quiet"}).out, "");
}

// Response credits limit reads: a credit at a switch is in use for the latency of the switch and twice that of the link.
TEST(Fabric, ReadsCountWithTheirAnswers)
{
    const json limited = points_of(
        {"--loads", "0.5", "--reads", "1", "--set", "link.response_credits=16", "--set", "link.latency=100 ns"});
    const json& point = limited["points"][0];
    constexpr double most = 4 * 16 * 64 / 300.0;  // GB/s over four links
    EXPECT_EQ(point["steady"], false);
    for (const json& rate : point["source_GBps"]) {
        EXPECT_LT(rate.get<double>(), most);
        EXPECT_GT(rate.get<double>(), 0.8 * most);
    }
    const json free = points_of({"--loads", "0.5", "--reads", "1"});
    EXPECT_EQ(free["points"][0]["steady"], true);
    EXPECT_NEAR(free["points"][0]["accepted"].get<double>(), 0.5, 0.01);
}

// Writes that wait for acknowledges, too.
TEST(Fabric, AcknowledgesThatCannotReturnMakeALoadUnsteady)
{
    const json limited =
        points_of({"--loads", "0.5", "--answered", "--set", "link.response_credits=4", "--set", "link.latency=100 ns"});
    EXPECT_EQ(limited["points"][0]["steady"], false);
    for (const json& rate : limited["points"][0]["source_GBps"]) EXPECT_LT(rate.get<double>(), 4 * 4 * 64 / 300.0);
}

TEST(Fabric, ATimeOfFewLinesIsRefused)
{
    expect_refusal({"--duration", "1 ns"},
        "weft: 1 ns of traffic are fewer than 100 lines of an endpoint at load 1; expected --duration of at least "
        "17.777 ns");
}

TEST(Fabric, JsonHasTheKeysThatOthersRelyOn)
{
    const json result = points_of({"--loads", "0.2,0.6"});
    EXPECT_EQ(result["schema"], "weft.fabric/1");
    ASSERT_EQ(result["points"].size(), 2u);
    double last = 0;
    for (const json& point : result["points"]) {
        EXPECT_NEAR(point["accepted"].get<double>(), point["load"].get<double>(), 0.01);
        const json& latency = point["latency_ns"];
        EXPECT_GT(latency["mean"].get<double>(), last);
        last = latency["mean"];
        EXPECT_LE(latency["p50"].get<double>(), latency["p99"].get<double>());
        EXPECT_LE(latency["p99"].get<double>(), latency["max"].get<double>());
        EXPECT_EQ(point["steady"], true);
        EXPECT_EQ(point["missing_lines"], 0);
        EXPECT_EQ(point["source_GBps"].size(), 8u);
        EXPECT_FALSE(point.contains("round_trip_ns"));  // nothing is answered
    }
    EXPECT_GE(result["saturation"].get<double>(), result["points"][1]["accepted"].get<double>());
    EXPECT_LE(result["saturation"].get<double>(), 1.01);
    EXPECT_GT(result["jain"].get<double>(), 0.99);
    EXPECT_LE(result["jain"].get<double>(), 1.0);
    EXPECT_EQ(result["seed"], 1);
    EXPECT_EQ(result["duration_ps"], 2'000'000);
    const json answered = points_of({"--loads", "0.2", "--reads", "0.5"});
    EXPECT_GT(answered["points"][0]["round_trip_ns"]["mean"].get<double>(),
        1.5 * answered["points"][0]["latency_ns"]["mean"].get<double>());
}

TEST(Fabric, TheSameSeedGivesTheSameBytesWhateverRunsBesideIt)
{
    const Fixtures files;
    const auto run = [&](const std::string& name, const std::string& seed, const std::string& jobs) {
        const Outcome outcome = fabric({"--loads", "0.3:0.9:0.3", "--duration", "500ns", "--seed", seed, "-j", jobs,
            "--json", files.path(name + ".json"), "--svg", files.path(name + ".svg")});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out + files.read(name + ".json") + files.read(name + ".svg");
    };
    const std::string first = run("a", "7", "1");
    EXPECT_EQ(run("b", "7", "1"), first);
    EXPECT_EQ(run("c", "7", "4"), first);
    EXPECT_NE(run("d", "8", "4"), first);
    EXPECT_NE(json::parse(files.read("d.json"))["points"][0]["lines"],
        json::parse(files.read("a.json"))["points"][0]["lines"]);
}

TEST(Fabric, TheProtocolHoldsAndCheckingItChangesNothing)
{
    const std::vector<std::string> load{"--loads", "0.8", "--duration", "500ns", "--reads", "0.3", "--atomics", "0.1",
        "--answered"};
    std::vector<std::string> checked = load;
    checked.push_back("--check-protocol");
    EXPECT_EQ(points_of(checked), points_of(load));
}

TEST(Fabric, ThePictureIsComplete)
{
    const Fixtures files;
    ASSERT_EQ(fabric({"--loads", "0.2,0.5,0.8", "--svg", files.path("f.svg"), "--quiet"}).code, 0);
    const std::string svg = files.read("f.svg");
    EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
    EXPECT_EQ(count(svg, "<path "), 5u);  // mean, p50, p99; offered, accepted
    EXPECT_GE(count(svg, "<circle "), 6u);
    EXPECT_EQ(count(svg, "<text "), count(svg, "</text>"));
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_NE(svg.find(">offered load (share of injection capacity)<"), std::string::npos);
}

// Of 64 GB/s a posted write takes 80 B in place of 64: by hand.
TEST(Fabric, SaysWhatLoadOneIs)
{
    const Outcome outcome = fabric({"--loads", "0.1"});
    EXPECT_NE(outcome.out.find("  dgx.0.xpu.0 has links: 4 of 112.5 GB/s, 450 GB/s each direction; a transaction of 64 "
                               "B payload takes 80 B of them\n"
                               "  write request     80 B = 64 payload + 16 header\n"),
        std::string::npos)
        << outcome.out;
    const json one = points_of({"--loads", "0.1", "--set", "link.packet_overhead=20"})["load_one"];
    EXPECT_EQ(one["parts"][0]["bytes"]["packet"], 20);
    EXPECT_DOUBLE_EQ(one["payload_GBps"].get<double>(), 450 * 0.64);
}

// A share of 0.3 goes to one receiver: its link is full long before the others'.
TEST(Fabric, NothingBelowSaturationIsCalledSaturated)
{
    const json result = points_of({"--loads", "0.1:0.9:0.2", "--pattern", "hot_spot", "--fraction", "0.3"});
    const double saturation = result["saturation"];
    unsigned saturated = 0;
    for (const json& point : result["points"]) {
        if (point["state"] != "saturated") continue;
        ++saturated;
        EXPECT_GE(point["offered"].get<double>(), saturation);
        EXPECT_GE(point["load"].get<double>(), result["saturated_from"].get<double>());
    }
    EXPECT_GT(saturated, 1u);
    EXPECT_LT(saturation, 0.95 * result["max_accepted"].get<double>());  // other receivers still had room
    EXPECT_EQ(result["limit"]["side"], "link");
    const std::string link = result["limit"]["name"];  // to the hot receiver, not a source's own
    EXPECT_EQ(link.rfind("dgx.0.xpu.0~dgx.0.nvsw.", 0), 0u) << link;
    EXPECT_NE(link.find(" from dgx.0.nvsw."), std::string::npos) << link;
    const Outcome page = fabric({"--loads", "0.2,0.8", "--model", "*.nvsw.*=crossbar"});
    EXPECT_NE(page.out.find("limit       at load 1 no link is full"), std::string::npos) << page.out;
}

// The hot receiver's own traffic goes on when that of all others is held up: their mean is no load that all could have, but what fills the
// hot receiver's links is.
TEST(Fabric, TheMeanOfUnequalSendersIsNoSaturation)
{
    const std::vector<std::string> load{"--loads", "0.1", "--pattern", "hot_spot", "--fraction", "0.5"};
    const json result = points_of(load);
    // Seven sources send half of what they have to one receiver, and a seventh of the other half.
    constexpr double theory = 1 / (7 * (0.5 + 0.5 / 7));
    EXPECT_EQ(result["saturation_is"], "estimate");
    EXPECT_NEAR(result["saturation"].get<double>(), theory, 0.01 * theory);
    EXPECT_LT(result["full_load"]["jain"].get<double>(), 0.8);
    EXPECT_GT(result["full_load"]["accepted"].get<double>(), 1.3 * theory);
    const std::string out = fabric(load).out;
    EXPECT_NE(out.find("            which fills link dgx.0.xpu.0~dgx.0.nvsw.0 from dgx.0.nvsw.0; what passes no full "
                       "link goes on at load 1"),
        std::string::npos)
        << out;
    EXPECT_EQ(points_of({"--loads", "0.9", "--pattern", "incast"})["saturation_is"], "estimate");
}

// Two boxes of four accelerators with links of 50 GB/s and one of 25 GB/s between the boxes, which one of four flows takes in each
// direction: half of load 1 is what all can have.
TEST(Fabric, AFewSendersThatAreHeldUpAreTheSaturation)
{
    const Fixtures files;
    files.write("two.yaml", R"(name: two
devices:
- name: box
  components: [{name: xpu, choice: xpu, count: 4}, {name: sw, choice: switch, count: 1}]
  links: [{name: acc, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 50}}}]
  edges: [{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: acc}]
links: [{name: cross, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 25}, latency: {ns: 50}}}]
instances: [{name: box, device: box, count: 2}]
edges: [{ep1: {instance: "box[0]", component: sw}, ep2: {instance: "box[1]", component: sw}, scheme: one2one, link: cross}]
)");
    const std::string system = files.write("two_system.yaml", "infrastructure: two.yaml\nprofile: h100\n");
    const auto result = [&](const std::string& loads, const std::string& duration) {
        const Outcome outcome = call({"fabric", system, "--pattern", "nearest_neighbour", "--loads", loads,
            "--duration", duration, "--json", "-"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return json::parse(outcome.out);
    };
    const json all = result("0.45,0.48,0.55,0.8", "16us");
    EXPECT_EQ(all["points"][1]["steady"], true);
    EXPECT_EQ(all["points"][1]["held_up"], 0);
    EXPECT_EQ(all["points"][2]["steady"], false);
    EXPECT_EQ(all["points"][2]["held_up"], 2);
    EXPECT_EQ(all["saturation_is"], "estimate");
    EXPECT_NEAR(all["saturation"].get<double>(), 0.5, 0.005);
    EXPECT_EQ(all["saturated_from"], 0.55);
    // Its link is asked for twice what it carries; those of accelerators are full at load 1 only.
    EXPECT_EQ(all["limit"]["name"], "box.0.sw.0~box.1.sw.0 from box.0.sw.0");
    EXPECT_NEAR(all["limit"]["asked"].get<double>(), 2, 0.1);
    // The senders across get what fills their link, also where the two loads of the sweep are far apart.
    const json far = result("0.3,0.8", "16us");
    EXPECT_EQ(far["saturation_is"], "estimate");
    EXPECT_NEAR(far["saturation"].get<double>(), 0.5, 0.01);
    for (const char* seed : {"1", "2", "3"}) {
        const Outcome few = call({"fabric", system, "--pattern", "nearest_neighbour", "--loads", "0.2,0.4,0.45",
            "--duration", "1us", "--seed", seed, "--json", "-"});
        for (const json& point : json::parse(few.out)["points"])
            EXPECT_EQ(point["steady"], true) << seed << point["load"];
    }
}

// At load 1 seven send what one receives, for 50 us, and the run ends after 250. Links of a quarter of the rate: few lines.
TEST(Fabric, LatenciesOfSurvivorsAreNotShown)
{
    const Fixtures files;
    const std::string out =
        call({"fabric", dgx, "--loads", "1", "--pattern", "incast", "--duration", "50us", "--set",
                 "links.xpu_fabric.bandwidth=28GB/s", "--set", "links.pcie.bandwidth=1GB/s", "--json",
                 files.path("a.json"), "--csv", files.path("a.csv"), "--svg", files.path("a.svg")})
            .out;
    const json full = json::parse(files.read("a.json"))["full_load"];
    const auto missing = full["missing_lines"].get<double>();
    EXPECT_NEAR(missing / (missing + full["measured_lines"].get<double>()), 0.5, 0.2);
    for (const char* figure : {"mean", "ci95", "p50", "p99", "max"})
        EXPECT_TRUE(full["latency_ns"][figure].is_null()) << figure;
    EXPECT_NE(files.read("a.csv").find(",saturated,,,,,,"), std::string::npos);
    EXPECT_NE(files.read("a.svg").find("<svg"), std::string::npos);
    EXPECT_EQ(files.read("a.svg").find("nan"), std::string::npos);
    EXPECT_NE(out.find("         -         -  1.000  saturated: "), std::string::npos);
}

TEST(Fabric, TheMedianIsOfTheSameLatenciesAsTheMean)
{
    const json latency = points_of({"--loads", "0.001"})["points"][0]["latency_ns"];
    EXPECT_NEAR(latency["p50"].get<double>(), latency["mean"].get<double>(), 0.002 * latency["mean"].get<double>());
}

// What the knobs are for: each moves the number that it should.
TEST(Fabric, KnobsMoveTheirNumbers)
{
    const auto at = [](const std::vector<std::string>& more) { return points_of(more)["points"][0]; };
    // What packets wait for each other, beyond the latency that they have alone.
    const json plain = points_of({"--loads", "0.001,0.6"});
    const double alone = plain["points"][0]["latency_ns"]["mean"];
    const double wait = plain["points"][1]["latency_ns"]["mean"].get<double>() - alone;
    EXPECT_GT(wait, 0.2);
    EXPECT_GT(at({"--loads", "0.6", "--burst", "32"})["latency_ns"]["mean"].get<double>() - alone, 1.5 * wait);
    EXPECT_NEAR(at({"--loads", "0.6", "--burst", "8"})["accepted"].get<double>(), 0.6, 0.03);
    EXPECT_NEAR(at({"--loads", "0.3", "--message", "1KiB"})["accepted"].get<double>(), 0.3, 0.03);
    EXPECT_LT(points_of({"--loads", "0.6", "--size", "16"})["capacity_GBps"].get<double>(),
        plain["capacity_GBps"].get<double>());
    // Seven sources for the links of one: each gets a seventh, all together what one could carry.
    const json incast = points_of({"--loads", "0.9", "--pattern", "incast"});
    EXPECT_EQ(incast["points"][0]["steady"], false);
    EXPECT_NEAR(incast["points"][0]["accepted"].get<double>(), 1.0 / 7, 0.003);
    EXPECT_EQ(incast["system"]["senders"], 7);
    EXPECT_GT(incast["points"][0]["jain"].get<double>(), 0.999);
    const json two = points_of({"--loads", "0.9", "--pattern", "incast", "--sources", "2"})["points"][0]["source_GBps"];
    EXPECT_NEAR(two[1].get<double>(), two[2].get<double>(), 0.01 * two[1].get<double>());
    EXPECT_EQ(two[3], 0);
}

// A run holds data on the first link in the VC set of their routes, and so does the bench: with eight credits it gets what eight credits give.
TEST(Fabric, FurtherVcSetsOfALinkHoldNothingThatRoutesDoNotUse)
{
    const auto accepted = [](const std::string& vc_sets) {
        return points_of({"--loads", "1", "--pattern", "nearest_neighbour", "--set", "link.request_credits=8", "--set",
            "link.vc_sets=" + vc_sets})["points"][0]["accepted"];
    };
    EXPECT_EQ(accepted("1"), accepted("2"));
}

// The sink's links are full, and so are those of sources while buffers fill: the sink's are named.
TEST(Fabric, TheLimitOfAnIncastIsALinkOfTheSink)
{
    const json limit = points_of({"--loads", "0.9", "--pattern", "incast"})["limit"];
    EXPECT_EQ(limit["name"].get<std::string>().rfind("dgx.0.xpu.0~", 0), 0u) << limit;
    EXPECT_EQ(limit["others"], 3);
}

// 1 - (1 - 1e-4)^640 of the packets are hit, and each costs a time-out of 2 us: a few hundred packets get through.
TEST(Fabric, BitErrorsAreTheLimitAndAShortRunSaysWhatItIsWorth)
{
    const Fixtures files;
    const auto run = [](const std::string& duration, const std::string& output) {
        return call({"fabric", dgx, "--duration", duration, "--json", output, "--loads", "0.1", "--pattern",
            "permutation", "--set", "link.retry=timeout", "--set", "link.bit_error_rate=1e-4"});
    };
    const std::string said = run("20us", files.path("r.json")).out;
    const json result = json::parse(files.read("r.json"));
    EXPECT_EQ(result["limit"]["side"], "replay");
    EXPECT_GT(result["limit"]["replays"].get<int>(), 0);
    EXPECT_GT(result["saturation_ci95"].get<double>(), 0.05 * result["saturation"].get<double>());
    EXPECT_NE(said.find(" only (95 % confidence): 20 us was too short (--duration)\n"), std::string::npos) << said;
    EXPECT_NE(said.find(" repeats packets after bit errors: it went back "), std::string::npos) << said;
    const std::string none = run("2us", "/dev/null").out;
    EXPECT_NE(none.find("nothing arrived in the second half of 2 us: that was too short"), std::string::npos) << none;
    EXPECT_EQ(fabric({"--loads", "0.9", "--pattern", "permutation"}).out.find("95 % confidence"), std::string::npos);
}

TEST(Fabric, LoadsAreInBytesOfTheGeneralLinkAndClocksRoundLatencies)
{
    const auto notices = [](const std::string& latency) {
        return points_of({"--loads", "0.1", "--set", "dgx.0.xpu.*~dgx.0.nvsw.*.link.model=reference_link", "--set",
            "links.xpu_fabric.bandwidth=50GB/s", "--set", "links.xpu_fabric.latency=" + latency})["notices"]
            .dump();
    };
    const std::string uneven = notices("100ns");
    EXPECT_NE(uneven.find("link.latency of 100 ns is 312.5 clocks of 320 ps: clocked links take 313, 100.16 ns"),
        std::string::npos)
        << uneven;
    EXPECT_NE(uneven.find("are those of the model 'link'; reference_link has packets of its own"), std::string::npos)
        << uneven;
    EXPECT_EQ(notices("96ns").find("clocks of"), std::string::npos) << notices("96ns");
}

TEST(Fabric, WrongOptionsAreRefusedInOneLine)
{
    const Fixtures files;
    const Outcome alone = call({"fabric", files.pair_system(), "--loads", "0.5", "--pattern", "tornado"});
    EXPECT_EQ(alone.code, 2);
    EXPECT_NE(alone.err.find("weft: pattern tornado for 2 endpoints, where nobody sends to anybody else"),
        std::string::npos)
        << alone.err;
    expect_refusal({"--pattern", "unifrom"},
        "weft: unknown value 'unifrom' of '--pattern'; expected one of uniform, permutation, transpose, "
        "bit_complement, "
        "nearest_neighbour, tornado, hot_spot, incast, all_to_all (did you mean 'uniform'?)");
    const std::string range = "; expected FIRST:LAST:STEP, or a list A,B,...";
    expect_refusal({"--loads", "0.1:0.2"}, "weft: --loads '0.1:0.2' is not a range" + range);
    expect_refusal({"--loads", "0.5:0.1:0.1"},
        "weft: --loads '0.5:0.1:0.1' is empty or has more than 1000 loads; expected FIRST:LAST:STEP with FIRST <= "
        "LAST");
    expect_refusal({"--loads", "0.5,0.2"}, "weft: the loads do not increase; expected ascending loads");
    for (const std::string text : {"0", "abc", "1.5", "", "0.5x", "nan", "-0.1"})
        expect_refusal({"--loads=0.0001," + text},
            "weft: --loads '" + text + "' is not a number in the range; expected a number from 1e-06 to 1");
    expect_refusal({"--reads", "0.8", "--atomics", "0.4"},
        "weft: --reads and --atomics are more than all messages; expected a sum of at most 1");
    expect_refusal({"--size", "65"}, "weft: --size 65 is out of range; expected 1 to 64 bytes");
    expect_refusal({"--burst", "0.5"},
        "weft: --burst '0.5' is not a number in the range; expected a number from 1 to 1e+06");
    expect_refusal({"--fraction", "1.5"},
        "weft: --fraction '1.5' is not a number in the range; expected a number from 0 to 1");
    expect_refusal({"--answered", "--reads", "0.5", "--atomics", "0.5"},
        "weft: '--answered' with reads and atomics alone, which are always answered; expected writes among them");
    expect_refusal({"--duration", "0ns"}, "weft: --duration 0ns is too short; expected at least 1 ps");
    expect_refusal({"--fraction", "0.5"},
        "weft: 'fraction' with pattern uniform, which does not use it; expected --pattern hot_spot with it");
    expect_refusal({"--pattern", "hot_spot", "--sources", "2"},
        "weft: 'sources' with pattern hot_spot, which does not use it; expected --pattern incast with it");
    expect_refusal({"--over", "fraction=0.1,0.2"},
        "weft: 'fraction' with pattern uniform, which does not use it; expected --pattern hot_spot with it");
    expect_refusal({"--message", "100"},
        "weft: --message 100 is not a whole number of transactions of 64 B; expected a multiple of --size");
    expect_refusal({"--pattern", "incast", "--sources", "8"},
        "weft: pattern incast for 8 endpoints; expected fewer sources than endpoints");
    expect_refusal({"--pattern", "transpose"}, "weft: pattern transpose for 8 endpoints; expected a power of 4");
    expect_refusal({"--loads", "0.5", "--series", "/dev/null", "--window", "0us"},
        "weft: --window 0us is not a length of time; expected at least 1 ps");
    expect_refusal({"--svg", "/nonexistent/x.svg"},
        "/nonexistent/x.svg: cannot be written: No such file or directory; expected a writable path");
    const Outcome missing = call({"fabric", "nowhere.yaml"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_EQ(missing.err, "nowhere.yaml: cannot be read: No such file or directory; expected a readable file\n");
}

TEST(Fabric, ADeadlockIsReportedWithItsCircle)
{
    const std::vector<std::string> ring{"fabric", "--infra", "examples/switch_ring/switch_ring.yaml", "--loads", "0.9",
        "--duration", "20us", "--set", "link.request_credits=1", "--set", "link.response_credits=1"};
    // Routes that could deadlock are not run unless that is wanted.
    EXPECT_EQ(call(ring).code, 2);
    std::vector<std::string> allowed = ring;
    allowed.insert(allowed.end(), {"--set", "routing.cycles=allow", "--json", "-"});
    const Outcome outcome = call(allowed);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("weft: at load 0.9 no progress is possible:\n  circular wait:\n    "), std::string::npos)
        << outcome.err;
    EXPECT_EQ(count(outcome.err, " waits for room in the write buffer of "), 6u) << outcome.err;
    EXPECT_EQ(count(outcome.err, "which closes the circle\n"), 1u) << outcome.err;
    EXPECT_NE(outcome.err.find(" write packets wait for a credit\n"), std::string::npos) << outcome.err;
    // What comes through at other loads is shown before.
    std::vector<std::string> two = ring;
    two[4] = "0.001,0.9";
    two.insert(two.end(), {"--set", "routing.cycles=allow"});
    const Outcome table = call(two);
    EXPECT_EQ(table.code, 3);
    EXPECT_NE(table.out.find("\n  0.001    0.001"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("\n    0.9 no result\n      1 no result\n"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("\nsaturation  not known: load 1 has no result\n"), std::string::npos) << table.out;
    EXPECT_NE(table.err.find("weft: at load 0.9 no progress is possible:\n"), std::string::npos) << table.err;
}

// A port that a bundle has emptied within an instant goes on with what still waits at its source.
TEST(Fabric, ABundleOfLinksTakesSeveralLinesInAnInstant)
{
    const std::string system = std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/system.yaml";
    const Outcome ran =
        call({"fabric", system, "--loads", "0.1", "--duration", "2us", "--set", "link.bundle=4", "--quiet"});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

}  // namespace fabric_test
