// One simulation over processes of mpirun gives the bytes of one process.
#include <gtest/gtest.h>

#include "testbenches/commands/fixtures.h"
#include "testbenches/parallel/launcher.h"
#include "testbenches/parallel/random_systems.h"

namespace processes_test {

using namespace weft::commands_test;
using namespace weft::testing;

namespace {

// Where two texts differ first.
std::string first_difference(const std::string& a, const std::string& b)
{
    if (a == b) return "";
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
    const std::size_t from = at < 120 ? 0 : at - 120;
    return "at byte " + std::to_string(at) + ":\n" + a.substr(from, 240) + "\n-- and --\n" + b.substr(from, 240);
}

// Without the line of wall-clock figures.
std::string without_speed(std::string text)
{
    const std::size_t at = text.find("\nsimulated ");
    if (at != std::string::npos) text.erase(at, text.find('\n', at + 1) - at);
    return text;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// In one process and in so many: exit code, results as text and as JSON, notices.
void expect_same(const std::vector<std::string>& run, const std::vector<unsigned>& numbers,
    const std::vector<std::string>& of_processes = {})
{
    const Fixtures files;
    const std::vector<std::string> output{"--no-timing", "--json", files.path("r.json")};
    const Outcome whole = call(joined(run, output));
    const std::string json = files.read("r.json");
    for (const unsigned processes : numbers) {
        const Outcome outcome = call_processes(processes, joined(joined(run, output), of_processes));
        EXPECT_EQ(outcome.code, whole.code) << outcome.err;
        EXPECT_EQ(without_speed(outcome.out), without_speed(whole.out)) << processes;
        EXPECT_EQ(first_difference(json, files.read("r.json")), "") << processes << " processes";
    }
}

std::vector<std::string> arguments_of(const RunSetup& setup, const Fixtures& files)
{
    const bool is_text = setup.document.find('\n') != std::string::npos;
    const std::string document = is_text ? files.write("document.yaml", setup.document) : setup.document;
    std::vector<std::string> out{"run", files.write("system.yaml", "infrastructure: " + document + "\n" + setup.lines)};
    for (const std::string& set : setup.sets) out.insert(out.end(), {"--set", set});
    if (setup.options.until) out.insert(out.end(), {"--until", std::to_string(*setup.options.until) + "ps"});
    if (!setup.options.data_on) out.emplace_back("--no-data");
    out.insert(out.end(), {"--quiet", "--no-timing", "--json", files.path("r.json")});
    return out;
}

constexpr const char* not_over_processes = "a run over processes with ";

// Of systems at random, every fifth one in three processes.
void expect_same_at_random(unsigned begin, unsigned end)
{
    unsigned compared = 0;
    for (unsigned seed = begin; seed < end; ++seed) {
        std::string what;
        const RunSetup setup = parts_test::random_setup(seed, what);
        const Fixtures files;
        const std::vector<std::string> run = arguments_of(setup, files);
        const Outcome whole = call(run);
        if (whole.code == 2) continue;
        const std::string json = files.read("r.json");
        ASSERT_GT(json.size(), 1000U) << what;
        files.write("r.json", "");
        const Outcome outcome = call_processes(seed % 5 == 0 ? 3 : 2, run);
        if (outcome.code == 2 && outcome.err.find(not_over_processes) != std::string::npos) continue;
        EXPECT_EQ(outcome.code, whole.code) << what << outcome.err;
        EXPECT_EQ(first_difference(json, files.read("r.json")), "") << what;
        ++compared;
    }
    EXPECT_GE(compared * 2, end - begin) << "most systems are refused: the test says little";
}

class Processes : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (const std::string missing = missing_launcher(); !missing.empty()) GTEST_SKIP() << missing;
    }
};
using RandomProcesses = Processes;

const std::vector<std::string> example_run{"run", "examples/dgx_h100/system.yaml", "--bytes", "32KiB"};

}  // namespace

TEST_F(Processes, GiveTheResultOfOne)
{
    expect_same(example_run, {2, 3});
    expect_same(joined(example_run, {"--algorithm", "direct", "--no-data"}), {4});
    expect_same(example_run, {2}, {"--partitions", "8", "--threads", "2"});
}

TEST_F(Processes, StopWhereOneStops) { expect_same(joined(example_run, {"--until", "3us"}), {2, 3}); }

// The chain of buffers that wait for each other leads through all processes, and so does the list of those who wait.
TEST_F(Processes, ADeadlockIsReportedAsByOne)
{
    const Fixtures files;
    const std::string system = files.write("system.yaml",
        "infrastructure: " WEFT_SOURCE_DIR "/examples/switch_ring/switch_ring.yaml\n"
        "workload: {collective: all_to_all, algorithm: direct, bytes: 393216}\n");
    expect_same({"run", system, "--set", "routing.cycles=allow", "--set", "link.request_credits=1", "--set",
                    "link.response_credits=1"},
        {2, 3});
    const Outcome outcome = call_processes(2,
        {"run", system, "--set", "routing.cycles=allow", "--set", "link.request_credits=1", "--set",
            "link.response_credits=1"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.out.find("\nDEADLOCK "), std::string::npos) << outcome.out;
}

TEST_F(RandomProcesses, GiveTheBytesOfOne) { expect_same_at_random(0, 8); }

TEST_F(RandomProcesses, GiveTheBytesOfOneInManyMore) { expect_same_at_random(8, 100); }

}  // namespace processes_test
