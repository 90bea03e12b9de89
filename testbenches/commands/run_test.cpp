// `weft run`: summary, JSON of the contract, exit code 0.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace run_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

json run_json(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
}

void expect_keys(const json& object, const std::vector<std::string>& names)
{
    for (const std::string& name : names) EXPECT_TRUE(object.contains(name)) << name;
}

}  // namespace

TEST(Run, PrintsASummary)
{
    const Fixtures files;
    const Outcome outcome = call({"run", files.pair_system()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    for (const std::string part :
        {"system      pair: 2 endpoints, 0 switches and 1 link of a graph of 2 nodes; seed 1\n",
            "\nran         all_reduce, ring, 2 ranks, 4 KiB\n", "\ntime        ", "\nbandwidth   algbw ", "busbw ",
            "\nverified    passed", "\nalpha-beta  ", "; simulated ", "\nbusiest links ",
            "\ncauses of waiting, in per cent of the simulated time, mean of the workgroups\n", "\n  ranks [0,1] "})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
    EXPECT_EQ(outcome.out.find('\033'), std::string::npos);
}

TEST(Run, JsonHoldsEveryKeyOfTheContract)
{
    const Fixtures files;
    const json result = run_json({files.pair_system(), "--seed", "7"});
    expect_keys(result,
        {"schema", "stop", "simulated_ps", "wall_s", "elaborate_s", "lines", "line_hops", "verified", "seed", "system",
            "collectives", "ranks", "links", "modules", "parameters"});
    EXPECT_EQ(result["schema"], "weft.result/1");
    EXPECT_EQ(result["stop"], "finished");
    EXPECT_EQ(result["verified"], "passed");
    EXPECT_EQ(result["seed"], 7);
    for (const std::string key : {"simulated_ps", "lines", "line_hops", "seed"})
        EXPECT_TRUE(result[key].is_number_integer()) << key;
    for (const std::string key : {"wall_s", "elaborate_s"}) EXPECT_TRUE(result[key].is_number()) << key;
    EXPECT_GT(result["wall_s"], 0);
    EXPECT_GT(result["lines"], 0);
    EXPECT_GT(result["line_hops"], result["lines"]);

    EXPECT_EQ(result["system"],
        (json{{"name", "pair"}, {"endpoints", 2}, {"nodes", 2}, {"links", 1}, {"switches", 0}}));
    ASSERT_EQ(result["collectives"].size(), 1u);
    const json& collective = result["collectives"][0];
    expect_keys(collective, {"op", "algorithm", "ranks", "bytes", "start_ps", "end_ps", "algbw_GBps", "busbw_GBps"});
    EXPECT_EQ(collective["op"], "all_reduce");
    EXPECT_EQ(collective["algorithm"], "ring");
    EXPECT_EQ(collective["ranks"], 2);
    EXPECT_EQ(collective["bytes"], 4096);
    const double duration = collective["end_ps"].get<double>() - collective["start_ps"].get<double>();
    EXPECT_NEAR(collective["algbw_GBps"].get<double>(), 4096e3 / duration, 1e-9);
    EXPECT_NEAR(collective["busbw_GBps"].get<double>(), 4096e3 / duration, 1e-9);

    ASSERT_EQ(result["ranks"].size(), 2u);
    for (const json& rank : result["ranks"]) {
        expect_keys(rank, {"rank", "node", "finish_ps", "stall_ps"});
        EXPECT_TRUE(rank["stall_ps"].is_object());
        EXPECT_LE(rank["finish_ps"], result["simulated_ps"]);
        for (const auto& stall : rank["stall_ps"]) EXPECT_TRUE(stall.is_number_integer());
    }
    EXPECT_EQ(result["ranks"][1]["node"], "host.0.xpu.1");

    ASSERT_EQ(result["links"].size(), 2u);
    for (const json& link : result["links"]) {
        expect_keys(link, {"name", "from", "to", "GBps", "wire_bytes", "payload_bytes", "busy_ps", "peak_queue"});
        EXPECT_EQ(link["name"], "host.0.xpu.0~host.0.xpu.1");
        EXPECT_EQ(link["GBps"], 50.0);
        EXPECT_GE(link["payload_bytes"], 4096);
        EXPECT_GT(link["wire_bytes"], link["payload_bytes"]);
        EXPECT_LE(link["busy_ps"], result["simulated_ps"]);
    }
    ASSERT_FALSE(result["modules"].empty());
    for (const json& module : result["modules"]) {
        expect_keys(module, {"name", "kind", "model", "stats"});
        for (const auto& [name, stat] : module["stats"].items()) {
            EXPECT_TRUE(stat["value"].is_number()) << name;
            EXPECT_TRUE(stat["unit"].is_string()) << name;
        }
    }
    ASSERT_FALSE(result["parameters"].empty());
    for (const auto& [path, parameter] : result["parameters"].items()) {
        expect_keys(parameter, {"value", "unit", "source"});
        EXPECT_FALSE(parameter["source"].get<std::string>().empty()) << path;
    }
    EXPECT_EQ(result["parameters"]["routing.path_selection"]["value"], "lines");
}

TEST(Run, TwoRunsGiveTheSameBytes)
{
    const Fixtures files;
    for (const std::string name : {"a.json", "b.json"})
        EXPECT_EQ(call({"run", files.pair_system(), "--no-timing", "--quiet", "--json", files.path(name)}).code, 0);
    const std::string first = files.read("a.json");
    EXPECT_EQ(first, files.read("b.json"));
    EXPECT_EQ(json::parse(first)["wall_s"], 0);
    EXPECT_EQ(json::parse(first)["elaborate_s"], 0);
    EXPECT_EQ(files.names(), (std::vector<std::string>{"a.json", "b.json", "pair.yaml", "pair_system.yaml"}));
}

TEST(Run, DataOffChangesNoTime)
{
    const Fixtures files;
    const json on = run_json({files.pair_system()});
    const json off = run_json({files.pair_system(), "--no-data"});
    EXPECT_EQ(off["verified"], "off");
    EXPECT_EQ(on["simulated_ps"], off["simulated_ps"]);
    EXPECT_EQ(on["links"], off["links"]);
    EXPECT_EQ(on["ranks"], off["ranks"]);
}

TEST(Run, OptionsReplaceTheWorkloadOfTheFile)
{
    const Fixtures files;
    const auto collective = [&](std::vector<std::string> options) {
        options.insert(options.begin(), files.pair_system());
        return run_json(options)["collectives"][0];
    };
    EXPECT_EQ(collective({"--bytes", "8KiB"})["bytes"], 8192);
    EXPECT_EQ(collective({"--algorithm", "direct"})["algorithm"], "direct");
    EXPECT_EQ(collective({"--ranks", "1"})["ranks"], 1);
    EXPECT_EQ(collective({"--collective", "all_to_all"})["op"], "all_to_all");
    EXPECT_EQ(collective({"--collective", "all_to_all"})["algorithm"], "direct");  // its own default
    EXPECT_EQ(collective({"--collective", "barrier"})["bytes"], 0);
    EXPECT_EQ(collective({"--element", "bf16", "--reduction", "max"})["op"], "all_reduce");
}

TEST(Run, DocumentsTakeTheirWorkloadFromOptions)
{
    const Fixtures files;
    const json named = run_json({"--infra", files.pair(), "--collective", "all_gather", "--bytes", "4KiB"});
    EXPECT_EQ(named["collectives"][0]["op"], "all_gather");
    EXPECT_EQ(named["notices"].size(), 0u);
    ASSERT_EQ(named["assumptions"].size(), 1u);
    EXPECT_EQ(named["assumptions"][0]["what"], "profile of accelerator xpu");
    const json given = run_json({files.pair(), "--collective", "all_gather", "--bytes", "4KiB"});
    EXPECT_EQ(given["simulated_ps"], named["simulated_ps"]);
}

TEST(Run, SetsParameters)
{
    const Fixtures files;
    const json slow = run_json({files.pair_system(), "--set", "link.latency=5us"});
    const json fast = run_json({files.pair_system()});
    EXPECT_GT(slow["simulated_ps"].get<double>(), fast["simulated_ps"].get<double>() + 5e6);
    bool found = false;
    for (const auto& [path, parameter] : slow["parameters"].items()) {
        if (path.find("link.latency") == std::string::npos) continue;
        found = true;
        EXPECT_EQ(parameter["value"], 5000000);
        EXPECT_EQ(parameter["unit"], "ps");
        EXPECT_EQ(parameter["source"], "--set");
    }
    EXPECT_TRUE(found);
}

TEST(Run, RunsTraces)
{
    using namespace weft::chakra::testing;
    const Fixtures files;
    const Folder traces;
    const std::string prefix =
        traces.write_set({{comp(1), collective(2, 0, 4096).data({1})}, {collective(2, 0, 4096)}});
    const json result = run_json({"--infra", files.pair(), "--trace", prefix});
    ASSERT_EQ(result["collectives"].size(), 1u);
    EXPECT_EQ(result["collectives"][0]["op"], "all_reduce");
    EXPECT_EQ(result["verified"], "passed");
    EXPECT_GE(result["simulated_ps"], 1000000);  // the microsecond of computing comes first

    const Outcome missing = call({"run", files.pair(), "--trace", traces.path() + "/none"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_EQ(missing.err,
        traces.path() + "/none: no trace has this prefix; expected PREFIX.0.et and one more file per rank\n");
}

TEST(Run, QuietSaysNothing)
{
    const Fixtures files;
    const Outcome outcome = call({"run", files.pair_system(), "--quiet"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "");
}

// And the program that ./weft demo builds first says what `weft demo` says.
TEST(Demo, SaysWhereToGoAndAloneIsThatOfTheWholeProgram)
{
    // Its speed by the host's clock is its own.
    const auto without_speed = [](std::string text) {
        const std::size_t at = text.find("\nsimulated ");
        return text.erase(at, text.find('\n', at + 1) - at);
    };
    const Outcome whole = call({"demo"});
    EXPECT_EQ(whole.code, 0) << whole.err;
    for (const std::string part : {"eight H100", "\nran         all_reduce, ring, 8 ranks, 1 MiB\n",
             "\nverified    passed", "docs/guide.md", "examples/"})
        EXPECT_NE(whole.out.find(part), std::string::npos) << part;
    const Outcome alone = Process({"demo"}, "", WEFT_DEMO_PROGRAM).wait();
    EXPECT_EQ(alone.code, whole.code);
    EXPECT_EQ(without_speed(alone.out), without_speed(whole.out));  // on stderr a slow host has lines on progress
    const Outcome refused = Process({"demo", "a.yaml"}, "", WEFT_DEMO_PROGRAM).wait();
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.err, call({"demo", "a.yaml"}).err);
}

// A rank that enters late shifts the barrier by as much.
TEST(Run, ADelayedRankEntersLater)
{
    const Fixtures files;
    const std::vector<std::string> barrier{files.pair(), "--collective", "barrier", "--profile", "generic", "--set",
        "gpu.wait_policy=waiting_atomic"};
    const auto ends = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments = barrier;
        arguments.insert(arguments.end(), more.begin(), more.end());
        const json result = run_json(arguments);
        return std::pair(result["ranks"][0]["finish_ps"].get<std::uint64_t>(),
            result["ranks"][1]["finish_ps"].get<std::uint64_t>());
    };
    const auto plain = ends({});
    const auto late = ends({"--delay", "1=10us"});
    EXPECT_EQ(late.second, plain.second + 10'000'000);
    EXPECT_GT(late.first, 10'000'000u);  // it waited
    EXPECT_LE(late.first, late.second);
    EXPECT_EQ(ends({"--delay", "1=10us", "--delay", "0=10us"}),
        std::pair(plain.first + 10'000'000, plain.second + 10'000'000));
    const std::string system = files.write("late.yaml",
        "system: late\ninfrastructure: pair.yaml\nprofile: generic\nparameters: {gpu.wait_policy: waiting_atomic}\n"
        "workload: {collective: barrier, algorithm: direct, delay: {1: 10 us}}\n");
    EXPECT_EQ(run_json({system})["ranks"][1]["finish_ps"], late.second);
}

namespace {

json on_a_mesh(std::vector<std::string> options, const std::string& bytes = "7KiB")
{
    const std::vector<std::string> always{WEFT_SOURCE_DIR "/examples/mesh_mi300x/system.yaml", "--collective",
        "all_reduce", "--bytes", bytes, "--no-data", "--set", "engine.channels=1"};
    options.insert(options.begin(), always.begin(), always.end());
    return run_json(options);
}

}  // namespace

// Of eight ranks, each with a link to every other: 2/8 S on every link with seven rings, 2 (7/8) S on eight with one.
TEST(Run, SeveralRingsUseEveryLinkOfAMesh)
{
    const auto on_links = [](const json& result) {
        std::pair<unsigned, std::uint64_t> found{0, 0};  // links that carry something, and the most that one does
        for (const json& link : result["links"]) {
            const auto payload = link["payload_bytes"].get<std::uint64_t>();
            if (payload > 0) ++found.first;
            found.second = std::max(found.second, payload / 2048 * 2048);  // flags aside
        }
        return found;
    };
    const json all = on_a_mesh({"--algorithm", "rings"}, "112KiB");
    const json one = on_a_mesh({"--algorithm", "rings", "--rings", "1"}, "112KiB");
    EXPECT_EQ(on_links(all), (std::pair<unsigned, std::uint64_t>{56, 14 * 2048}));
    EXPECT_EQ(on_links(one), (std::pair<unsigned, std::uint64_t>{8, 98 * 2048}));
    EXPECT_LT(all["simulated_ps"].get<std::uint64_t>(), one["simulated_ps"].get<std::uint64_t>());
}

// A notice, no refusal: options of a table or a sweep go to several algorithms.
TEST(Run, SaysWhichOptionsTheAlgorithmDoesNotUse)
{
    const auto notices = [](std::vector<std::string> options) {
        return on_a_mesh(std::move(options))["notices"].dump();
    };
    const std::string unused =
        " of the workload is set and changes nothing: the algorithm ring of all_reduce does not use it";
    const std::string all =
        notices({"--algorithm", "ring", "--pipeline", "3", "--rings", "2", "--dimensions", "a=4,b=2"});
    for (const char* option : {"pipeline", "rings", "dimensions"})
        EXPECT_NE(all.find(option + unused), std::string::npos) << all;
    EXPECT_EQ(notices({"--algorithm", "chain", "--pipeline", "3"}).find("changes nothing"), std::string::npos);
    EXPECT_EQ(notices({"--algorithm", "auto", "--dimensions", "a=4,b=2"}).find("changes nothing"), std::string::npos);
    EXPECT_NE(notices({"--algorithm", "ring", "--fidelity", "flow", "--pipeline", "3"}).find("pipeline" + unused),
        std::string::npos);
}

// Four links of 50 GB/s, and one of 63 that routes prefer: said, as a sweep of the bandwidth would be flat.
TEST(Run, SaysWhereOneWideLinkKeepsTheTrafficFromSeveral)
{
    const auto notices = [](const std::string& rate) {
        const Outcome run = call({"run", "examples/dgx_h100/system.yaml", "--ranks", "2", "--bytes", "4KiB",
            "--fidelity", "flow", "--set", "links.xpu_fabric.bandwidth=" + rate, "--json", "-"});
        EXPECT_EQ(run.code, 0) << run.err;
        return json::parse(run.out)["notices"].dump();
    };
    EXPECT_NE(notices("50GB/s").find(
                  "dgx.0.xpu.1 reaches dgx.0.xpu.0 by `pcie`, 63.0154 GB/s together, because a single link "
                  "there is wider: `xpu_fabric` has as few hops and 200 GB/s together"),
        std::string::npos)
        << notices("50GB/s");
    EXPECT_EQ(notices("70GB/s").find("because a single link"), std::string::npos);
}

TEST(Run, PiecesAndDimensionsSetTheStepsOfAnAlgorithm)
{
    const auto steps = [](std::vector<std::string> options) {
        return on_a_mesh(std::move(options))["alpha_beta"]["steps"];
    };
    EXPECT_EQ(steps({"--algorithm", "chain"}), 14 + 7);
    EXPECT_EQ(steps({"--algorithm", "chain", "--pipeline", "3"}), 14 + 2);
    EXPECT_EQ(steps({"--algorithm", "hierarchical", "--dimensions", "xpu=4,host=2"}), 2 * (3 + 1));
    EXPECT_EQ(steps({"--algorithm", "hierarchical", "--dimensions", "xpu=2,host=4:direct"}), 2 * (1 + 1));
}

TEST(Run, CollectivesWithARootRunToAVerifiedResult)
{
    const Fixtures files;
    for (const char* op : {"reduce", "gather", "scatter", "broadcast"}) {
        const json result = run_json({files.pair_system(), "--collective", op, "--root", "1"});
        EXPECT_EQ(result["verified"], "passed") << op;
        EXPECT_EQ(result["collectives"][0]["op"], op);
    }
}

TEST(Run, RefusesOptionsOfAlgorithmsThatCannotBe)
{
    const Fixtures files;
    const auto refused = [&](const std::vector<std::string>& options, const std::string& message) {
        std::vector<std::string> arguments{"run", files.pair_system()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    };
    refused({"--rings", "0"},
        "weft: the value '0' of '--rings' is out of range; expected a whole number from 1 to 64\n");
    refused({"--algorithm", "rings", "--rings", "2"},
        "2 rings over 2 ranks; expected at most 1 rings that share no link\n");
    refused({"--pipeline", "70000"}, "expected a whole number from 1 to 65536\n");
    refused({"--dimensions", "2x1"},
        "weft: option '--dimensions' has the value '2x1'; expected NAME=SIZE or NAME=SIZE:ALGORITHM");
    refused({"--algorithm", "hierarchical", "--dimensions", "a=2,b=2"},
        "dimensions a 2 x b 2 of 2 ranks; expected sizes that multiply to the number of ranks\n");
    const std::string system = files.write("grid.yaml",
        "system: grid\ninfrastructure: pair.yaml\nprofile: generic\n"
        "workload: {collective: all_reduce, algorithm: hierarchical, bytes: 4 KiB, dimensions: \"a=2\"}\n");
    EXPECT_EQ(run_json({system})["verified"], "passed");
    const std::string wrong = files.write("wrong.yaml",
        "system: grid\ninfrastructure: pair.yaml\nprofile: generic\n"
        "workload: {collective: all_reduce, bytes: 4 KiB, dimensions: a}\n");
    const Outcome outcome = call({"run", wrong});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(":4: 'a' are not dimensions; expected NAME=SIZE"), std::string::npos) << outcome.err;
}

TEST(Run, RefusesDelaysThatCannotBe)
{
    const Fixtures files;
    const auto refused = [&](const std::string& delay, const std::string& message) {
        const Outcome outcome = call({"run", files.pair_system(), "--delay", delay});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    };
    {
        const Outcome twice = call({"run", files.pair_system(), "--delay", "1=9us", "--delay", "1=1us"});
        EXPECT_EQ(twice.code, 2);
        EXPECT_EQ(twice.err, "weft: two delays of rank 1; expected one --delay of each rank\n");
    }
    refused("1", "weft: --delay '1' has no time; expected RANK=TIME, such as 7=10us\n");
    refused("x=1us", "weft: the value 'x' of '--delay' is out of range; expected a whole number from 0 to 65535\n");
    refused("1=1",
        "weft: the value '1' of '--delay' is not a time; expected whole picoseconds, such as 250ns, 1.5us, 2ms\n");
    refused("2=1us", "a delay of rank 2, the collective has 2; expected ranks from 0 to 1\n");
    const std::string system = files.write("late.yaml",
        "system: late\ninfrastructure: pair.yaml\nprofile: generic\n"
        "workload: {collective: all_reduce, bytes: 4 KiB, delay: {one: 10 us, 1: 10}}\n");
    const Outcome outcome = call({"run", system});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(":4: 'one' is not a rank; expected its number, such as 0\n"), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find(":4: '10' is not a time; expected a time such as 10 us\n"), std::string::npos)
        << outcome.err;
}

// Every look at a flag is counted once at a slice, and on links where flags lie at the one who signals.
TEST(Run, CountsLooksAtFlagsBySliceAndLink)
{
    const Fixtures files;
    for (const std::string home : {"waiter", "signaller"}) {
        const json result = run_json({files.pair_system(), "--set", "engine.flag_home=" + home});
        double issued = 0;
        double at_slices = 0;
        double by_slice = 0;
        for (const json& module : result["modules"]) {
            if (module["kind"] == "gpu") issued += module["stats"]["flag_reads"]["value"].get<double>();
            if (module["kind"] != "l2") continue;
            at_slices += module["stats"]["flag_reads"]["value"].get<double>();
            for (const json& reads : module["by_slice"]["flag_reads"]) by_slice += reads.get<double>();
        }
        double on_links = 0;
        for (const json& link : result["links"]) on_links += link["flag_reads"].get<double>();
        EXPECT_GT(issued, 0);
        EXPECT_EQ(at_slices, issued);
        EXPECT_EQ(by_slice, issued);
        EXPECT_EQ(on_links, home == "waiter" ? 0 : issued);
    }
}

// Without a name each operation takes its default, the first that the page of algorithms lists.
TEST(Run, TakesTheDefaultAlgorithmOfTheOperation)
{
    const Fixtures files;
    const std::string system = files.write("system.yaml",
        "system: one\ninfrastructure: pair.yaml\nprofile: generic\nworkload: {collective: all_to_all, bytes: 4 KiB}\n");
    for (const std::string fidelity : {"line", "flow"})
        EXPECT_EQ(run_json({system, "--fidelity", fidelity})["collectives"][0]["algorithm"], "direct") << fidelity;
    const weft::chakra::testing::Folder traces;
    const std::vector<std::string> rank{weft::chakra::testing::collective(1, 6, 4096),
        weft::chakra::testing::collective(2, 0, 4096).data({1})};
    const std::string prefix = traces.write_set({rank, rank});
    for (const std::string fidelity : {"line", "flow"}) {
        const json result = run_json({"--infra", files.pair(), "--trace", prefix, "--fidelity", fidelity});
        EXPECT_EQ(result["collectives"][0]["algorithm"], "direct") << fidelity;
        EXPECT_EQ(result["collectives"][1]["algorithm"], "ring") << fidelity;
    }
}

// The memory that is busier than every link is named; a run that its links bound names none.
TEST(Run, NamesTheMemoryThatBoundsIt)
{
    const Fixtures files;
    const std::vector<std::string> usual{files.pair_system(), "--bytes", "256KiB"};
    const auto with = [&](const std::string& set) {
        std::vector<std::string> arguments = usual;
        arguments.insert(arguments.end(), {"--set", set});
        return arguments;
    };
    EXPECT_FALSE(run_json(usual).contains("bound_by"));
    for (const std::string parameter : {"hbm.bandwidth", "l2.bandwidth"}) {
        const json result = run_json(with(parameter + "=5GB/s"));
        ASSERT_TRUE(result.contains("bound_by")) << parameter;
        EXPECT_EQ(result["bound_by"]["parameter"], parameter);
        EXPECT_EQ(result["bound_by"]["GBps"].get<double>(), 5.0);
        EXPECT_GT(result["bound_by"]["busy"].get<double>(), 0.5);
        EXPECT_LE(result["bound_by"]["carried_GBps"].get<double>(), 5.05);
        const json faster = run_json(with(parameter + "=10GB/s"));
        EXPECT_LT(faster["simulated_ps"].get<double>(), 0.8 * result["simulated_ps"].get<double>());
    }
    std::vector<std::string> text = with("l2.bandwidth=5GB/s");
    text.insert(text.begin(), "run");
    EXPECT_NE(call(text).out.find("memory      bound by l2.bandwidth = 5 GB/s: busy for "), std::string::npos)
        << call(text).out;
}

TEST(Run, CheckersOnAllConnectionsChangeNoTime)
{
    const Fixtures files;
    const auto result_of = [&](const char* name, std::vector<std::string> more) {
        std::vector<std::string> arguments{"run", "examples/dgx_h100/system.yaml", "--bytes", "32KiB", "--no-timing",
            "--quiet", "--json", files.path(name)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return json::parse(files.read(name));
    };
    json checked = result_of("a.json", {"--check-protocol"});
    EXPECT_GT(checked["protocol"]["connections"], 64);
    EXPECT_EQ(checked["protocol"]["violations"], 0);
    checked.erase("protocol");
    EXPECT_EQ(checked, result_of("b.json", {}));
    const Outcome summary = call({"run", files.pair_system(), "--check-protocol"});
    EXPECT_NE(summary.out.find("\nprotocol    kept on all of "), std::string::npos) << summary.out;
}

}  // namespace run_test
