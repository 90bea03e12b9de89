// Wrong use: one line on stderr, nothing on stdout, exit code 2.
#include <gtest/gtest.h>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace usage_test {

using namespace weft::commands_test;

namespace {

void expect_refusal(const std::vector<std::string>& arguments, const std::string& message)
{
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.err, message + "\n");
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.code, 2);
}

}  // namespace

TEST(Usage, ANameForTwoDimensionsIsTold)
{
    const Fixtures files;
    expect_refusal({"run", files.pair_system(), "--dimensions", "a=4,a=3"},
        "weft: option '--dimensions' has the value 'a=4,a=3' with the name 'a' for two dimensions; expected a name for "
        "each dimension");
    const std::string system = files.write("twice.yaml",
        "infrastructure: pair.yaml\nprofile: generic\nworkload: {collective: all_reduce, bytes: 4 KiB, dimensions: "
        "'a=1,a=2'}\n");
    expect_refusal({"run", system},
        system + ":3: 'a=1,a=2' has the name 'a' for two dimensions; expected a name for each dimension");
}

TEST(Usage, UnknownCommandsNameTheNearest)
{
    expect_refusal({"chekc"},
        "weft: unknown command 'chekc'; expected a command that 'weft help' lists (did you mean 'check'?)");
    expect_refusal({"xyzzy"}, "weft: unknown command 'xyzzy'; expected a command that 'weft help' lists");
    expect_refusal({"test"},
        "weft: 'test' is a command of the launcher; expected ./weft test in the root of the source tree");
}

TEST(Usage, UnknownOptionsNameTheNearest)
{
    expect_refusal({"run", "--jsn", "x", "a.yaml"},
        "weft: unknown option '--jsn'; expected an option that 'weft run --help' lists (did you mean "
        "'--json'?)");
    expect_refusal({"check", "--q=3", "a.yaml"},
        "weft: unknown option '--q'; expected an option that 'weft check --help' lists");
    expect_refusal({"run", "-x"}, "weft: unknown option '-x'; expected an option that 'weft run --help' lists");
    expect_refusal({"run", "--", "a.yaml", "--quiet"},
        "weft: option '--quiet' stands behind '--'; expected options before it");
    expect_refusal({"run", "--", "--quiet"}, "weft: option '--quiet' stands behind '--'; expected options before it");
    expect_refusal({"demo", "a.yaml"}, "weft: unexpected argument 'a.yaml'; expected options only");
    expect_refusal({"run", "a.yaml", "b.yaml"}, "weft: unexpected argument 'b.yaml'; expected one SYSTEM");
}

TEST(Usage, ValuesAreDemandedOnceAndOnlyWhereTheyBelong)
{
    expect_refusal({"run", "a", "--json"}, "weft: option '--json' has no value; expected '--json FILE'");
    expect_refusal({"run", "a", "--json", "--quiet"}, "weft: option '--json' has no value; expected '--json FILE'");
    expect_refusal({"graph", "a", "-o"}, "weft: option '--output' has no value; expected '--output OUT'");
    expect_refusal({"run", "a", "--seed", "1", "--seed", "2"},
        "weft: option '--seed' is given 2 times; expected it once");
    expect_refusal({"run", "a", "--quiet=4"}, "weft: option '--quiet' takes no value; expected '--quiet' alone");
    expect_refusal({"run", ""}, "weft: the value of 'SYSTEM' is empty; expected SYSTEM");
    expect_refusal({"check"}, "weft: FILE is missing; expected 'weft check FILE ...'");
    expect_refusal({"run"}, "weft: SYSTEM is missing; expected SYSTEM or --infra FILE");
    expect_refusal({"route", "a", "--from", "b"}, "weft: --to is missing; expected --from NODE --to NODE");
    expect_refusal({"route", "a"}, "weft: --from is missing; expected --from NODE --to NODE");
    expect_refusal({"run", "a", "--infra", "b"}, "weft: both SYSTEM and --infra are given; expected one of them");
}

TEST(Usage, ValuesAreChecked)
{
    const Fixtures files;
    const std::string& system = files.pair_system();
    const auto run = [&](const std::string& option, const std::string& value, const std::string& message) {
        expect_refusal({"run", system, option, value}, message);
    };
    run("--seed", "-1",
        "weft: the value '-1' of '--seed' is out of range; expected a whole number from 0 to "
        "18446744073709551615");
    run("--seed", "18446744073709551616",
        "weft: the value '18446744073709551616' of '--seed' is out of range; expected a whole number from 0 "
        "to "
        "18446744073709551615");
    run("--ranks", "0", "weft: the value '0' of '--ranks' is out of range; expected a whole number from 1 to 65535");
    run("--bytes", "1x",
        "weft: the value '1x' of '--bytes' is not a size; expected whole bytes, such as 4096, 64KiB, 1MiB, "
        "1.5GB");
    run("--until", "5",
        "weft: the value '5' of '--until' is not a time; expected whole picoseconds, such as 250ns, "
        "1.5us, 2ms");
    run("--algorithm", "rign",
        "weft: unknown value 'rign' of '--algorithm'; expected one of ring, direct, one_shot, one_shot_get, "
        "two_shot_get, one_shot_staged, two_shot_load, two_shot_staged, rings, bidirectional_ring, bruck, pat, "
        "hierarchical, multi_dim, tree, double_tree, chain, recursive_doubling, "
        "halving_doubling, nvls, nvls_one_shot, push_reduce, nvls_tree, auto, synthesize (did you mean 'ring'?)");
    run("--collective", "all_redcue",
        "weft: unknown value 'all_redcue' of '--collective'; expected one of all_reduce, all_gather, "
        "reduce_scatter, all_to_all, broadcast, reduce, gather, scatter, barrier (did you mean 'all_reduce'?)");
    run("--element", "fp16",
        "weft: unknown value 'fp16' of '--element'; expected one of int32, fp32, bf16, u8 (did you mean "
        "'fp32'?)");
    run("--reduction", "avg", "weft: unknown value 'avg' of '--reduction'; expected one of sum, min, max");
    run("--profile", "h1000", "--profile: unknown profile 'h1000'; expected a profile (did you mean 'h100'?)");
    run("--set", "l2.size", "weft: --set 'l2.size' is incomplete; expected PATH=VALUE, such as l2.size=40MiB");
    run("--set", "l2.sizes=4",
        "--set: unknown parameter 'l2.sizes'; expected a parameter of l2 (did you mean 'size'?)");
    run("--model", "*=gpux",
        "--model: unknown model 'gpux' for host.0.xpu.0; expected a model of kind gpu (did you mean 'gpu'?)");
    run("--json", "/nonexistent/x",
        "/nonexistent/x: cannot be written: No such file or directory; expected a writable path");
    expect_refusal({"graph", files.pair(), "--format", "pdf"},
        "weft: unknown value 'pdf' of '--format'; expected one of json, dot, svg");
    expect_refusal({"models", "gpuu"},
        "weft: unknown value 'gpuu' of 'KIND'; expected one of gpu, link, memory, slice, switch (did you mean 'gpu'?)");
    expect_refusal({"route", files.pair(), "--from", "host.0.xpu.0", "--to", "host.0.xpu.2"},
        "weft: unknown node 'host.0.xpu.2' of '--to'; expected a node that 'weft graph' lists (did you mean "
        "'host.0.xpu.0'?)");
    expect_refusal({"route", files.pair(), "--from", "host.0.xpu.0", "--to", "host.0.xpu.0"},
        "weft: '--from' and '--to' are the same node; expected two nodes");
}

TEST(Usage, AMissingDocumentIsToldWhereItIsNamed)
{
    const Fixtures files;
    const std::string system = files.write("s.yaml", "system: x\ninfrastructure: none.yaml\n");
    for (const char* command : {"run", "check", "explain"})
        expect_refusal({command, system},
            system + ":2: the infrastructure '" + files.path("none.yaml") +
                "' cannot be read: No such file or directory; expected a readable file");
}

TEST(Usage, WorkloadsAreComplete)
{
    const Fixtures files;
    expect_refusal({"run", files.pair()},
        "weft: the workload is missing; expected --collective OP --bytes N, --plan FILE --bytes N or --trace PREFIX, "
        "or a "
        "system file with a workload");
    expect_refusal({"run", files.pair(), "--collective", "all_reduce"},
        "weft: the size of the collective is missing; expected --bytes N, such as 1MiB");
    expect_refusal({"run", files.pair(), "--collective", "all_reduce", "--trace", "x"},
        "weft: both --collective and --trace are given; expected one of them");
    expect_refusal({"run", files.pair(), "--bytes", "4KiB"},
        "weft: option '--bytes' needs a collective; expected --collective OP with it");
    expect_refusal({"run", files.pair_system(), "--groups", "x"},
        "weft: option '--groups' needs a trace; expected --trace PREFIX with it");
    expect_refusal({"run", files.pair_system(), "--trace", "x", "--ranks", "1"},
        "weft: option '--ranks' needs a collective; expected --collective OP with it");
    expect_refusal({"run", files.pair_system(), "--root", "1"},
        "weft: option '--root' needs a broadcast, reduce, gather or scatter; expected a collective with a root, such "
        "as --collective broadcast");
    expect_refusal({"run", files.pair_system(), "--collective", "barrier", "--bytes", "4"},
        "weft: option '--bytes' needs a collective with a message; a barrier has none; expected no --bytes");
    expect_refusal({"run", files.pair_system(), "--bytes", "0"},
        "weft: option '--bytes' has the value '0'; expected at least one byte, such as 1MiB");
    expect_refusal({"run", files.pair_system(), "--threads", "2"},
        "weft: --threads 2 with one part; expected more parts, with --partitions N or --parts FILE");
    expect_refusal({"run", "--infra", files.pair_system()},
        files.pair_system() + ": is a system file; expected an InfraGraph document, or no --infra before it");
}

TEST(Usage, EveryProblemOfAFileHasALine)
{
    const Fixtures files;
    const std::string path = files.write("wrong.yaml",
        "system: pair\ninfrastructure: pair.yaml\nprofil: generic\nworkload: {collective: all_reduce, byte: "
        "4 KiB}\n");
    const Outcome outcome = call({"run", path});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(path + ":3: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(path + ":4: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("'profile'"), std::string::npos) << outcome.err;
}

TEST(Usage, AFileThatIsNotThereIsNamed)
{
    for (const std::string command : {"run", "check", "graph", "explain"})
        expect_refusal({command, "nowhere.yaml"},
            "nowhere.yaml: cannot be read: No such file or directory; expected a readable file");
}

TEST(Usage, APageOfValidateIsSaidToBeAPage)
{
    const Fixtures files;
    const std::string page = files.path("none.md");
    expect_refusal({"validate", "examples/validation/h100_ring_busbw.yaml", "--page", page},
        page +
            ": cannot be read: No such file or directory; expected an existing Markdown page with lines '<!-- weft "
            "validate: TABLE -->' "
            "and '<!-- end -->' around each table's section");
}

// A document is written only with values that a run takes; those at the ends of the ranges are.
TEST(Usage, NetworkRefusesWhatARunRefuses)
{
    const Fixtures files;
    const auto network = [&](const std::string& bandwidth, const std::string& latency) {
        return call(
            {"network", "Switch(2)", "--bandwidth", bandwidth, "--latency", latency, "-o", files.path("n.yaml")});
    };
    EXPECT_EQ(network("1KB/s", "500ns").err,
        "weft: option '--bandwidth' has the value '1KB/s', which is out of range; expected 1 MB/s to 100 TB/s\n");
    EXPECT_EQ(network("50GB/s", "100s").err,
        "weft: option '--latency' has the value '100s', which is out of range; expected 1 ps to 1 s\n");
    EXPECT_EQ(network("50GB/s", "0ns").code, 2);
    EXPECT_EQ(network("101TB/s", "1ns").code, 2);
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml"}));
    for (const auto& [bandwidth, latency] : {std::pair{"1MB/s", "1ps"}, {"100TB/s", "1s"}}) {
        ASSERT_EQ(network(bandwidth, latency).code, 0);
        const Outcome explained = call({"explain", "--infra", files.path("n.yaml")});
        EXPECT_EQ(explained.code, 0) << explained.err;
    }
}

// The option that was given, of the two that cut a system.
TEST(Usage, PartsAreNotCalledPartitions)
{
    const Fixtures files;
    const std::string parts = files.write("parts.yaml", "parts:\n- [\"*.xpu.0\"]\n- [\"*.xpu.1\"]\n");
    const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
        std::vector<std::string> arguments{"run", files.pair_system()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.err, "weft: " + why + "\n");
    };
    refused({"--parts", parts, "--fidelity", "flow"},
        "--parts with --fidelity flow; expected --fidelity line, or no --parts");
    refused({"--partitions", "2", "--fidelity", "flow"},
        "--partitions with --fidelity flow; expected --fidelity line, or --partitions 1");
    refused({"--parts", parts, "--check-protocol"}, "--parts with --check-protocol; expected no --parts");
    refused({"--parts", parts, "--wave", "host.0=w.fst"}, "--parts with --wave; expected no --parts");
}

}  // namespace usage_test
