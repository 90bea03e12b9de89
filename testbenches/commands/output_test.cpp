// Files are tried before a run starts and written as a whole.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <systemc>
#include <unistd.h>

#include "base/diagnostic.h"
#include "platform/console/output_file.h"
#include "platform/console/standard_output.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace output_test {

using namespace weft::commands_test;

TEST(Output, UnwritablePathsAreFoundBeforeALongRun)
{
    const Fixtures files;
    // Hours of simulation, were it to start.
    for (const std::string& path : {files.path("none/result.json"), files.path("")}) {
        const auto begun = std::chrono::steady_clock::now();
        const Outcome outcome = call({"run", "examples/dgx_h100/system.yaml", "--bytes", "4GiB", "--json", path});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err.compare(0, path.size() + 2, path + ": "), 0) << outcome.err;
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
    }
}

TEST(Output, AnOldFileStaysWhenTheRunIsRefused)
{
    const Fixtures files;
    files.write("result.json", "old");
    EXPECT_EQ(call({"run", files.pair_system(), "--ranks", "3", "--json", files.path("result.json")}).code, 2);
    EXPECT_EQ(files.read("result.json"), "old");
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml", "result.json"}));
    EXPECT_EQ(call({"run", files.pair_system(), "--json", files.path("result.json")}).code, 0);
    EXPECT_TRUE(nlohmann::json::accept(files.read("result.json")));
}

TEST(Output, AnInputIsNeverReplaced)
{
    const Fixtures files;
    const std::string system = files.pair_system();
    const std::string document = files.read("pair.yaml");
    // The folder again, by another path.
    const std::string around =
        files.path("../" + std::filesystem::path(files.path("")).parent_path().filename().string());
    files.write("mine.yaml", files.read("pair_system.yaml"));
    files.write("energies.yaml", "{}");
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& path) {
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err,
            path + ": is an input of this command and one of its outputs; expected another file for the output\n");
        EXPECT_EQ(files.read("pair.yaml"), document);
    };
    refused({"run", system, "--json", system}, system);
    refused({"run", system, "--json", around + "/pair_system.yaml"}, system);
    refused({"run", system, "--json", files.pair()}, files.pair());  // the document of the system
    refused({"graph", files.pair(), "-o", files.pair()}, files.pair());
    refused({"check", files.pair(), "--json", files.pair()}, files.pair());
    refused({"sweep", system, "--over", "bytes=4KiB", "--csv", files.pair()}, files.pair());
    refused({"run", system, "--energy", files.path("energies.yaml"), "--json", files.path("energies.yaml")},
        files.path("energies.yaml"));
}

TEST(Output, TwoOutputsAreTwoFiles)
{
    const Fixtures files;
    const std::string same = files.path("same");
    const std::vector<std::vector<std::string>> others{{"--series", same}, {"--timeline", same},
        {"--wave", "host.0=" + same}, {"--fault-wave", same}};
    for (const std::vector<std::string>& more : others) {
        std::vector<std::string> arguments{"run", files.pair_system(), "--json", same};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.err,
            same + ": two outputs of this command go to this file; expected a file for each output\n");
    }
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml"}));
    const Outcome mixed = call({"run", files.pair_system(), "--json", "-", "--series", "-"});
    EXPECT_EQ(mixed.code, 2);
    EXPECT_EQ(mixed.out, "");
    EXPECT_EQ(mixed.err, "weft: two outputs go to the standard output; expected '-' for one of them\n");
    EXPECT_EQ(call({"run", files.pair_system(), "--json", "/dev/null", "--series", "/dev/null"}).code, 0);
}

TEST(Output, WaveformsThatCannotBeWrittenAreRefused)
{
    const Fixtures files;
    const std::string path = files.path("none/w.fst");
    for (const std::string glob : {"host.0", "host.*"}) {
        const Outcome outcome = call({"run", files.pair_system(), "--wave", glob + "=" + path});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.err, path + ": cannot be written: No such file or directory; expected a writable path\n");
    }
    const Outcome outcome = call({"run", files.pair_system(), "--fault-wave", path});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, path + ": cannot be written: No such file or directory; expected a writable path\n");
}

TEST(Output, WaveformsAreNoVcd)
{
    const Fixtures files;
    const Outcome outcome = call({"run", files.pair_system(), "--wave", "host.0=" + files.path("w.vcd")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err,
        "weft: option '--wave' names the file '" + files.path("w.vcd") +
            "'; waveforms are FST; expected a name such as switch.fst\n");
}

TEST(Output, WaveformsOfWhatIsNoRtlAreRefused)
{
    const Fixtures files;
    const Outcome outcome = call({"run", files.pair_system(), "--wave", "host.0=" + files.path("w.fst")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.find(
                  "weft: --wave host.0: no RTL block has that name; expected the path of a module that runs as RTL"),
        0U)
        << outcome.err;
}

TEST(Output, ABarrierHasNoDataToCompare)
{
    const Fixtures files;
    const Outcome barrier = call({"run", "--infra", files.pair(), "--collective", "barrier"});
    EXPECT_NE(barrier.out.find("passed: a barrier leaves no data to compare\n"), std::string::npos) << barrier.out;
}

TEST(Output, DevicesAreNotReplaced)
{
    const Fixtures files;
    const auto before = std::filesystem::status("/dev/null").type();
    EXPECT_EQ(call({"run", files.pair_system(), "--json", "/dev/null"}).code, 0);
    EXPECT_EQ(std::filesystem::status("/dev/null").type(), before);
}

// Renamed into place, a file would take the place of the link.
TEST(Output, LinksStayLinks)
{
    const Fixtures files;
    files.write("real.svg", "old");
    std::filesystem::permissions(files.path("real.svg"), std::filesystem::perms(0600));
    std::filesystem::create_symlink("real.svg", files.path("link.svg"));
    std::filesystem::create_directory(files.path("more"));
    std::filesystem::create_symlink("more/new.svg", files.path("dangling.svg"));
    for (const std::string link : {"link.svg", "dangling.svg"}) {
        EXPECT_EQ(call({"graph", files.pair(), "--format", "svg", "-o", files.path(link)}).code, 0);
        EXPECT_TRUE(std::filesystem::is_symlink(files.path(link))) << link;
        EXPECT_NE(files.read(link).find("<svg"), std::string::npos) << link;
    }
    EXPECT_NE(files.read("real.svg"), "old");
    EXPECT_NE(files.read("more/new.svg"), "");
    EXPECT_EQ(std::filesystem::status(files.path("real.svg")).permissions(), std::filesystem::perms(0600));
    EXPECT_EQ(files.names(),
        (std::vector<std::string>{"dangling.svg", "link.svg", "more", "pair.yaml", "pair_system.yaml", "real.svg"}));
}

// Each in a folder of the test: what stands in /dev is not put at risk.
TEST(Output, OpenFilesAreWrittenWhereTheyAre)
{
    const Fixtures files;
    std::filesystem::create_symlink("/proc/self/fd/1", files.path("stdout"));
    const std::string out = files.write("out.txt", "");
    EXPECT_EQ(Process({"run", files.pair_system(), "--no-timing", "--json", files.path("stdout")}, out).wait().code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(files.path("stdout")));
    const std::string text = files.read("out.txt");
    EXPECT_EQ(text.substr(0, 2), "{\n") << text.substr(0, 80);  // as with --json -
    EXPECT_EQ(text, call({"run", files.pair_system(), "--no-timing", "--json", "-"}).out);
}

TEST(Output, TheFileOfTheStandardOutputIsNotReplaced)
{
    const Fixtures files;
    const Outcome outcome =
        Process({"run", files.pair_system(), "--json", files.path("out.txt")}, files.write("out.txt", "")).wait();
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("out.txt: the standard output goes to this file, too; expected another file"),
        std::string::npos)
        << outcome.err;
}

TEST(Output, AFileBeyondTheLimitOfTheShellIsRefused)
{
    const Fixtures files;
    const std::string result = files.path("result.json");
    Process process({"-c", "ulimit -f 1; exec " WEFT_PROGRAM " run " + files.pair_system() + " --json " + result}, "",
        "/bin/bash");
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("result.json: cannot be written: File too large; expected a writable path"),
        std::string::npos)
        << outcome.err;
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml"}));
}

TEST(Output, AFullStandardOutputIsAFailure)
{
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const Fixtures files;
    Process process({"graph", files.pair()}, "/dev/full");
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "weft: the standard output cannot be written; expected an output with free space\n");
}

TEST(OutputFile, LeavesNothingBehindWhenNothingIsWritten)
{
    const Fixtures files;
    {
        const weft::OutputFile output(files.path("result.json"));
    }
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml"}));
    EXPECT_THROW(weft::OutputFile(files.path("none/x")), weft::InputError);
    EXPECT_THROW(weft::OutputFile(files.path("")), weft::InputError);
    weft::OutputFile(files.path("result.json")).write("all of it");
    EXPECT_EQ(files.read("result.json"), "all of it");
    EXPECT_FALSE(weft::OutputFile("").wanted());
}

TEST(Output, AnEmptyWindowOfASeriesLeavesStdoutToTheResult)
{
    const Fixtures files;
    const Outcome outcome = call({"run", files.pair_system(), "--set", "link.latency=5us", "--series",
        files.path("s.csv"), "--window", "100ns", "--json", "-", "--quiet"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["stop"], "finished");
}

TEST(Output, AnEndBeforeTheFirstEventWarnsNobody)
{
    const Fixtures files;
    const Outcome outcome = call(
        {"run", files.pair_system(), "--set", "gpu.launch_latency=1us", "--until", "1ns", "--json", "-", "--quiet"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["stop"], "until");
}

TEST(Output, NoiseOfOthersReachesStderr)
{
    const Fixtures files;
    std::fflush(nullptr);
    const int out = ::dup(1);
    const int err = ::dup(2);
    ::dup2(::open(files.path("out").c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(files.path("err").c_str(), O_WRONLY | O_CREAT, 0600), 2);
    weft::keep_output_for_results();
    std::printf("a model's chatter\n");
    SC_REPORT_WARNING("/planted", "a doubt");
    std::fputs("a result\n", weft::results());
    std::fflush(nullptr);
    ::dup2(out, 1);
    ::dup2(err, 2);
    EXPECT_EQ(files.read("out"), "a result\n");
    const std::string noise = files.read("err");
    EXPECT_NE(noise.find("a model's chatter\n"), std::string::npos) << noise;
    EXPECT_NE(noise.find("weft: SystemC warning: /planted: a doubt\n"), std::string::npos) << noise;
}

// Names of a document may have what SystemC allows in none: spaces. Results have them as they stand there.
TEST(Output, NamesWithSpacesNeedNoWarning)
{
    const Fixtures files;
    const std::string document = files.write("spaces.yaml", R"yaml(name: one
devices:
- name: "card x"
  components:
  - {name: "x <b>pu (1)", choice: xpu, count: 2, description: accelerator}
  - {name: sw, choice: switch, count: 1, description: switch}
  links:
  - {name: up, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 80}}}
  edges:
  - {ep1: {component: "x <b>pu (1)"}, ep2: {component: sw}, scheme: many2many, link: up}
instances:
- {name: "host a", device: "card x", count: 1}
- {name: "host_a", device: "card x", count: 1}
)yaml");
    const Outcome outcome = call({"run", "--infra", document, "--profile", "generic", "--collective", "all_reduce",
        "--bytes", "4KiB", "--ranks", "2", "--set", "host a.0.*.l2.size=16MiB", "--quiet", "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("host a.0.x <b>pu (1).0"), std::string::npos) << outcome.out.substr(0, 2000);
}

}  // namespace output_test
