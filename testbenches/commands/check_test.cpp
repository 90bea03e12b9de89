#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace check_test {

using namespace weft::commands_test;

namespace {

std::string document_text(const std::string& path)
{
    return "file         " + path +
        "\nname         pair\ninstances    host = 1 x card\nnodes        2 (xpu 2)\n"
        "edges        1 (wire 1)\nendpoints    2 (nodes of type xpu)\ncomponents   1 connected\nisolated     "
        "0\n";
}

// The fixture names no part.
const std::string open_profile = "assumed      2 accelerators `xpu`: no profile given, taken as generic (L2 ";

}  // namespace

TEST(Check, SaysWhatIsInADocument)
{
    const Fixtures files;
    const Outcome outcome = call({"check", files.pair()});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out.substr(0, outcome.out.find("assumed")), document_text(files.pair()));
    EXPECT_EQ(outcome.out.substr(outcome.out.find("assumed"), open_profile.size()), open_profile);
    EXPECT_EQ(outcome.err, "");
}

TEST(Check, TakesSystemFiles)
{
    const Fixtures files;
    const Outcome outcome = call({"check", files.pair_system()});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out,
        document_text(files.pair()) + "system       pair (" + files.pair_system() +
            ")\nprofiles     generic 2\nworkload     all_reduce over 4 KiB of fp32 (sum), algorithm ring\n"
            "routes       2 endpoints over 1 link, free of deadlock\n");
}

// 1200 ranks on 28,101 nodes: more than 2^25 entries of tables of routes. A run at flow fidelity refers to this command.
TEST(Check, ChecksWhatItCanOfASystemWithoutTablesOfRoutes)
{
    const Fixtures files;
    files.write("large.yaml", R"(name: large
devices:
- name: box
  components: [{name: xpu, choice: xpu, count: 1200}, {name: sw, choice: switch, count: 1}, {name: cpu, choice: cpu, count: 26900}]
  links: [{name: wire, physical: {bandwidth: {gigabytes_per_second: 50}}}]
  edges: [{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}]
instances: [{name: box, device: box, count: 1}]
edges: []
)");
    const std::string system = files.write("large_system.yaml",
        "infrastructure: large.yaml\nprofile: h100\nworkload: {collective: all_reduce, algorithm: ring, bytes: 1 "
        "MiB}\n");
    const Outcome outcome = call({"check", system});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(
                  "\nroutes       1200 endpoints; for flow fidelity alone, which finds paths pair by pair\n"
                  "notice       1200 ranks on 28101 nodes are too many for tables of routes. Not checked: "),
        std::string::npos)
        << outcome.out;
    EXPECT_NE(outcome.out.find("\nassumed      1200 links `wire`"), std::string::npos) << outcome.out;
    EXPECT_EQ(call({"check", system, "--strict"}).code, 2);
}

TEST(Check, RefusesASystemThatCouldDeadlock)
{
    const Outcome outcome = call({"check", "examples/switch_ring/system.yaml"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("ring.0.sw.0 -> ring.1.sw.0, ring.1.sw.0 -> ring.2.sw.0"), std::string::npos)
        << outcome.err;
    EXPECT_EQ(call({"check", "examples/switch_ring/switch_ring.yaml"}).code, 0);
}

// All that `weft run` refuses before it makes a module.
TEST(Check, RefusesWorkloadsThatCannotRun)
{
    const Fixtures files;
    files.write("plan.xml", "<algo name='none'>");
    const auto refused = [&files](const std::string& workload, const std::string& what, const std::string& more = "") {
        const std::string path = files.write("bad.yaml",
            "infrastructure: pair.yaml\nprofile: generic\n" + more + "workload: {" + workload + "}\n");
        const Outcome outcome = call({"check", path});
        EXPECT_EQ(outcome.code, 2) << workload;
        EXPECT_EQ(outcome.out, "") << workload;
        EXPECT_NE(outcome.err.find(what), std::string::npos) << workload << ": " << outcome.err;
        EXPECT_EQ(call({"run", path}).err, outcome.err) << workload;
    };
    const std::string place = files.path("bad.yaml") + ":3: ";
    refused("collective: all_reduce, bytes: 4 KiB, algorithm: pairwise",
        place + "all_reduce has no algorithm 'pairwise'");
    refused("collective: all_reduce, bytes: 3 B", place + "3 bytes are not a whole number of fp32 elements");
    refused("collective: all_reduce, bytes: 4 KiB, delay: {9: 1 us}", place + "a delay of rank 9");
    refused("collective: broadcast, bytes: 4 KiB, root: 7", place);
    refused("collective: all_reduce, bytes: 4 KiB, algorithm: rings, rings: 9", place);
    refused("plan: nowhere.xml, bytes: 4 KiB", "nowhere.xml: cannot be read");
    refused("plan: plan.xml, bytes: 4 KiB", "plan.xml:1: ");
    refused("trace: nowhere", "nowhere");
    refused("collective: all_reduce, bytes: 4 KiB, algorithm: ring",
        place + "ring: engine.channel=switch with an algorithm", "parameters: {engine.channel: switch}\n");
    refused("collective: all_reduce, bytes: 4 KiB",
        files.path("bad.yaml") + ":3: bit errors on a link without retry, at ",
        "parameters: {link.bit_error_rate: 1e-6}\n");
    refused("collective: all_reduce, bytes: 4 KiB", "engine.grain",
        "parameters: {engine.grain: 512 B, link.request_credits: 2}\n");
    refused("collective: all_reduce, bytes: 0", place + "'bytes' is 0; expected at least one byte, such as 1 MiB");
    // 48 MiB of input and 96 MiB of output.
    refused("collective: all_gather, bytes: 96 MiB",
        files.path("bad.yaml") +
            ":3: all_gather: the buffers do not fit into the memory of host.0.xpu.0 (64 MiB); expected a smaller "
            "message or a larger hbm.capacity\n",
        "parameters: {hbm.capacity: 64 MiB}\n");
    EXPECT_EQ(files.names().size(), 4U);
}

// No groups at all, and fewer than a push reduce has, whose chunks are combined in orders of their own.
TEST(Check, RefusesStepsInSwitchesThatHaveNoGroups)
{
    const Fixtures files;
    files.write("box.yaml", R"(name: box
devices:
- name: d
  components: [{name: xpu, choice: xpu, count: 4, description: accelerator}, {name: sw, choice: switch, count: 2, description: NVSwitch}]
  links: [{name: l, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 50}}}]
  edges: [{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: l}]
instances: [{name: d, device: d, count: 1}]
)");
    const auto outcome_of = [&files](const char* command, const std::string& groups, const std::string& workload) {
        return call({command,
            files.write("system.yaml",
                "infrastructure: box.yaml\nprofile: generic\nparameters: {" + groups + "}\nworkload: {" + workload +
                    "}\n")});
    };
    for (const auto& [groups, workload] : std::vector<std::pair<std::string, std::string>>{
             {"switch.multicast_groups: 0", "collective: all_reduce, algorithm: nvls, bytes: 1 KiB"},
             {"switch.multicast_groups: 2", "collective: all_reduce, algorithm: push_reduce, bytes: 1 KiB"}}) {
        const Outcome check = outcome_of("check", groups, workload);
        const Outcome run = outcome_of("run", groups, workload);
        EXPECT_EQ(check.code, run.code) << workload << check.err << run.err;
        if (run.code != 0) {
            EXPECT_EQ(check.err, run.err);
        }
    }
    const Outcome none =
        outcome_of("check", "switch.multicast_groups: 0", "collective: all_reduce, algorithm: nvls, bytes: 1 KiB");
    EXPECT_EQ(none.err,
        files.path("system.yaml") +
            ":3: d.0.sw.0: the table of 0 groups is full; expected fewer groups, or a larger "
            "switch.multicast_groups\n");
}

// As a run has them.
TEST(Check, TakesParametersAndAWorkloadFromTheCommandLine)
{
    const Fixtures files;
    const Outcome good =
        call({"check", files.pair(), "--profile", "generic", "--collective", "all_gather", "--bytes", "1MiB"});
    EXPECT_EQ(good.code, 0) << good.err;
    EXPECT_EQ(good.out,
        document_text(files.pair()) +
            "profiles     generic 2\nworkload     all_gather over 1 MiB, algorithm ring\n"
            "routes       2 endpoints over 1 link, free of deadlock\n");
    const Outcome room = call({"check", files.pair_system(), "--bytes", "1GiB", "--set", "hbm.capacity=512MiB"});
    EXPECT_EQ(room.code, 2);
    EXPECT_EQ(room.err.find("--set: all_reduce: the buffers do not fit into the memory of host.0.xpu.0 (512 MiB)"), 0U)
        << room.err;
    EXPECT_EQ(call({"check", files.pair(), "--set", "routing.stripe=100"}).err,
        "--set: routing.stripe = 100 B is not a power of 2; expected 64 B, 128 B, 256 B, ...\n");
    EXPECT_EQ(call({"check", files.pair_system(), "--bytes", "0"}).code, 2);
}

// At the line of the key; what the command line gives is at none.
TEST(Check, NamesTheLineOfTheKeyThatDoesNotFit)
{
    const Fixtures files;
    const std::string path = files.write("bad.yaml",
        "infrastructure: pair.yaml\nprofile: generic\nworkload:\n  collective: broadcast\n  bytes: 6 B\n  root: 7\n"
        "  delay: {5: 1 us}\n  ranks: 3\n");
    const auto expect_err = [&](const std::vector<std::string>& more, const std::string& err) {
        std::vector<std::string> arguments{"run", path};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.err.compare(0, err.size(), err), 0) << err << " expected, is " << outcome.err;
    };
    const std::string bytes = "6 bytes are not a whole number of fp32 elements";
    expect_err({"--ranks", "2"}, path + ":5: " + bytes);
    expect_err({"--ranks", "2", "--bytes", "6"}, "weft: " + bytes);
    expect_err({"--ranks", "2", "--bytes", "8"}, path + ":7: a delay of rank 5");
    expect_err({"--ranks", "2", "--bytes", "8", "--delay", "6=1us"}, "weft: a delay of rank 6");
    expect_err({"--ranks", "2", "--bytes", "8", "--delay", "1=1us"}, path + ":6: ");
    expect_err({"--ranks", "2", "--bytes", "8", "--delay", "1=1us", "--root", "9"}, "weft: ");
    expect_err({}, path + ":8: the workload has 3 ranks");
    expect_err({"--ranks", "4"}, "weft: the workload has 4 ranks");
}

// The command line refuses the same options.
TEST(Check, RefusesKeysThatTheCollectiveHasNoUseFor)
{
    const Fixtures files;
    const auto refused = [&files](const std::string& workload, const std::string& message) {
        const std::string path =
            files.write("bad.yaml", "infrastructure: pair.yaml\nprofile: generic\nworkload: {" + workload + "}\n");
        EXPECT_EQ(call({"check", path}).err, path + ":3: " + message + "\n");
    };
    refused("collective: all_reduce, bytes: 4 KiB, root: 1",
        "'root' with 'all_reduce'; expected a broadcast, reduce, gather or scatter, or no 'root'");
    refused("collective: all_gather, bytes: 4 KiB, reduction: max",
        "'reduction' with 'all_gather'; expected all_reduce, reduce_scatter or reduce, or no 'reduction'");
    refused("collective: barrier, bytes: 4 KiB", "'bytes' with a barrier, which has no message; expected no 'bytes'");
    refused("collective: all_reduce, bytes: 4 KiB, chunks: 2",
        "'chunks' without a synthesized schedule; expected 'algorithm: synthesize' with it");
    refused("collective: all_reduce, bytes: 4 KiB, algorithm: tree, pipeline: 0",
        "'pipeline' is 0; expected at least 1");
}

TEST(Check, NamesFileAndLineOfWhatIsWrong)
{
    const Fixtures files;
    std::string text = files.read("pair.yaml");
    text.replace(text.find("link: wire"), 10, "link: wir");
    const std::string path = files.write("wrong.yaml", text);
    const Outcome outcome = call({"check", path});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.compare(0, path.size() + 4, path + ":9: "), 0) << outcome.err;
    EXPECT_NE(outcome.err.find("'wire'"), std::string::npos) << outcome.err;

    const Outcome lenient = call({"check", path, "--lenient"});
    EXPECT_EQ(lenient.code, 0) << lenient.err;
    EXPECT_NE(lenient.out.find("notice       " + path + ":9: "), std::string::npos) << lenient.out;
}

TEST(Check, WritesJson)
{
    const Fixtures files;
    EXPECT_EQ(call({"check", files.pair(), "--json", files.path("check.json")}).out, call({"check", files.pair()}).out);
    const auto json = nlohmann::json::parse(files.read("check.json"));
    EXPECT_EQ(json["nodes"], 2);
    EXPECT_EQ(json["endpoints"], 2);
    EXPECT_EQ(json["assumptions"][0]["what"], "profile of accelerator xpu");
    EXPECT_EQ(call({"check", files.pair(), "--json", "-"}).out, files.read("check.json"));
}

}  // namespace check_test
