// Runs over processes that are refused or ended: said once, and nobody is left behind.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text_file.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/parallel/launcher.h"
#include "testbenches/support/thorough.h"

namespace processes_stop_test {

using namespace weft::commands_test;
using namespace weft::testing;

namespace {

class ProcessesStop : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (const std::string missing = missing_launcher(); !missing.empty()) GTEST_SKIP() << missing;
    }

    // Every process of a long run, once all simulate.
    std::vector<pid_t> started(Process& launcher, unsigned processes) const
    {
        EXPECT_TRUE(launcher.wait_for_err("simulated ")) << launcher.err();
        const std::vector<pid_t> out = processes_below(launcher.pid(), processes);
        for (const pid_t process : out) EXPECT_NE(process, 0);
        return out;
    }
    static void expect_gone(const std::vector<pid_t>& processes)
    {
        for (int tries = 0; tries < 300; ++tries) {
            bool any = false;
            for (const pid_t process : processes) any = any || alive(process);
            if (!any) return;
            ::usleep(10000);
        }
        ADD_FAILURE() << "a process is left behind";
    }

    const Fixtures files;
    std::vector<std::string> long_run(unsigned number = 0) const
    {
        std::vector<std::string> out = launch(2,
            {"run", "examples/dgx_h100/system.yaml", "--bytes", "4GiB", "--no-data", "--json", json_of(number)});
        // How long mpirun waits for its processes to end, twice: one second, its default, may be too short beside other tests.
        out.insert(out.begin(), {"--mca", "odls_base_sigkill_timeout", "2"});
        return out;
    }
    std::string json_of(unsigned number = 0) const { return files.path("r" + std::to_string(number) + ".json"); }
    // A long run for each victim, which gets `signal`; then each run's launcher, processes and victim. All at once: what takes
    // long is that mpirun waits. By default the first victim alone.
    void end_runs(int signal, std::vector<unsigned> victims,
        const std::function<void(Process& launcher, const std::vector<pid_t>& processes, unsigned victim)>& expect)
        const
    {
        if (!weft::test::thorough()) victims.resize(1);
        std::deque<Process> launchers;
        for (const unsigned victim : victims) launchers.emplace_back(long_run(victim), "", "mpirun");
        std::vector<std::vector<pid_t>> processes;
        for (Process& launcher : launchers) {
            processes.push_back(started(launcher, 2));
            if (HasFailure()) return;
        }
        for (std::size_t run = 0; run < victims.size(); ++run) ::kill(processes[run][victims[run]], signal);
        for (std::size_t run = 0; run < victims.size(); ++run) {
            expect(launchers[run], processes[run], victims[run]);
            expect_gone(processes[run]);
        }
    }
};

}  // namespace

TEST_F(ProcessesStop, BadInputIsSaidOnce)
{
    const auto refused = [](const std::vector<std::string>& run, const std::string& line) {
        const Outcome outcome = call_processes(3, run);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_EQ(outcome.err, line + "\n");
        EXPECT_EQ(outcome.out, "");
    };
    const std::string system = "examples/dgx_h100/system.yaml";
    refused({"run", "examples/dgx_h100/none.yaml"},
        "examples/dgx_h100/none.yaml: cannot be read: No such file or directory; expected a readable file");
    // Process 0 alone finds these.
    refused({"run", system, "--json", "/none/r.json"},
        "/none/r.json: cannot be written: No such file or directory; expected a writable path");
    refused({"run", system, "--partitions", "2"},
        "weft: the value '2' of '--partitions' is out of range; expected a whole number from 3 to 65535");
    if (weft::test::thorough()) {
        refused({"run", system, "--partitions", "4", "--threads", "2"},
            "weft: the value '2' of '--threads' is out of range; expected a whole number from 1 to 1");
        refused({"run", system, "--fidelity", "flow"},
            "weft: several processes with --fidelity flow; expected --fidelity line, or one process");
    }
    const Outcome large = call_processes(2, {"run", system, "--memory-limit", "1MB"});
    EXPECT_EQ(large.code, 2);
    const std::size_t at = large.err.find("this run takes ");
    EXPECT_NE(at, std::string::npos) << large.err;
    EXPECT_EQ(large.err.find("this run takes ", at + 1), std::string::npos) << large.err;
}

TEST_F(ProcessesStop, HelpIsPrintedOnce)
{
    const Outcome alone = call({"run", "--help"});
    const Outcome outcome = call_processes(2, {"run", "--help"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, alone.out);
}

// More memory than one process may have: the others learn it and end, with the number of the one that failed.
TEST_F(ProcessesStop, MemoryThatRunsOutIsSaidOnce)
{
    const std::string limited =
        files.write("limited.sh", "#!/bin/bash\n[ $OMPI_COMM_WORLD_RANK = 1 ] && ulimit -v 500000\nexec \"$@\"\n");
    std::filesystem::permissions(limited, std::filesystem::perms::owner_all);
    // Where memory runs out inside the library of MPI, as it does once in some 25 runs, nobody asks Weft: then once more.
    Outcome outcome;
    for (int tries = 0; tries == 0 || (tries < 4 && outcome.err.find("PMIX ERROR") != std::string::npos); ++tries)
        outcome = call_processes(2,
            {WEFT_PROGRAM, "run", "examples/dgx_h100/system.yaml", "--bytes", "512MiB", "--memory-limit", "100GB"},
            limited);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("weft: process 1: not enough memory; expected a smaller system or message, more "
                               "processes, or --no-data\n"),
        std::string::npos)
        << outcome.err;
    EXPECT_EQ(outcome.out, "");
}

TEST_F(ProcessesStop, AProcessThatDiesIsNamedAndEndsTheOthers)
{
    end_runs(SIGKILL, {0, 1}, [](Process& launcher, const std::vector<pid_t>& processes, unsigned victim) {
        const Outcome outcome = launcher.wait();
        EXPECT_NE(outcome.code, 0);
        EXPECT_NE(outcome.err.find("weft: process " + std::to_string(victim) + " (pid " +
                      std::to_string(processes[victim]) + ") has died; no result is written\n"),
            std::string::npos)
            << outcome.err;
        EXPECT_EQ(outcome.out, "");
    });
}

TEST_F(ProcessesStop, OneSignalEndsAllWithWhatThereIs)
{
    end_runs(SIGINT, {1, 0}, [this](Process& launcher, const std::vector<pid_t>&, unsigned victim) {
        const Outcome outcome = launcher.wait();
        EXPECT_EQ(outcome.code, 130) << outcome.err;
        EXPECT_NE(outcome.out.find("\nINTERRUPTED at "), std::string::npos) << outcome.out << outcome.err;
        const nlohmann::json result = nlohmann::json::parse(weft::read_text_file(json_of(victim)));
        EXPECT_EQ(result["stop"], "interrupted");
        EXPECT_EQ(result["partial"], true);
        EXPECT_GT(result["simulated_ps"], 0);
    });
}

// Ctrl-C goes to mpirun, which ends its processes.
TEST_F(ProcessesStop, CtrlCKeepsWhatThereIs)
{
    Process launcher(long_run(), "", "mpirun");
    const std::vector<pid_t> processes = started(launcher, 2);
    if (HasFailure()) return;
    launcher.send(SIGINT);
    launcher.wait();
    expect_gone(processes);
    const nlohmann::json result = nlohmann::json::parse(weft::read_text_file(json_of()));
    EXPECT_EQ(result["stop"], "interrupted");
    EXPECT_EQ(result["partial"], true);
}

// The program without the module beside it.
TEST_F(ProcessesStop, AProgramWithoutMpiSaysSo)
{
    const std::string program = files.path("weft");
    std::filesystem::copy_file(WEFT_PROGRAM, program);
    const Outcome outcome = call_processes(2, {"run", "examples/dgx_h100/system.yaml", "--bytes", "4KiB"}, program);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err,
        "weft: Open MPI started it in 2 processes, but this program was built without MPI; expected a build with "
        "libopenmpi-dev, or a start without a launcher\n");
    EXPECT_EQ(outcome.out, "");
}

// srun without a plug-in of MPI.
TEST(ProcessesApart, AreToldThatEachSimulatesTheWhole)
{
    const std::vector<std::string> run{"run", "examples/dgx_h100/system.yaml", "--bytes", "4KiB", "--quiet"};
    const std::string notice =
        "notice: srun has started 2 processes without MPI, and each of them simulates the whole system";
    ::setenv("SLURM_STEP_NUM_TASKS", "2", 1);
    ::setenv("SLURM_PROCID", "0", 1);
    EXPECT_EQ(call(run).err.rfind(notice, 0), 0U);
    ::setenv("WEFT_ALONE", "1", 1);
    EXPECT_EQ(call(run).err, "");
    ::unsetenv("WEFT_ALONE");
    ::setenv("SLURM_PROCID", "1", 1);
    EXPECT_EQ(call(run).err, "");
    ::setenv("SLURM_PROCID", "0", 1);
    ::setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    EXPECT_EQ(call(run).err, "");
}

// The runs of a sweep are processes of their own, though they inherit what the launcher says.
TEST_F(ProcessesStop, RunsOfASweepAreAlone)
{
    const std::string kept = files.path("kept");
    const std::vector<std::string> sweep{"sweep", files.pair_system(), "--over", "bytes=1KiB,2KiB,4KiB", "--keep",
        kept};
    const Outcome outcome = call_processes(2, sweep);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::string> merge = sweep;
    merge.emplace_back("--merge");
    const Outcome merged = call(merge);
    EXPECT_EQ(merged.code, 0) << merged.err << merged.out;
}

}  // namespace processes_stop_test
