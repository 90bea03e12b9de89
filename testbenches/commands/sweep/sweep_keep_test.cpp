// `weft sweep --keep`: what is done is not done again, and parts make the whole.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace sweep_keep_test {

using namespace weft::commands_test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> sweep_of(const Fixtures& files, const std::vector<std::string>& more)
{
    std::vector<std::string> out{"sweep", files.pair_system(), "--over", "bytes=4KiB,8KiB,16KiB", "--over",
        "algorithm=ring,direct"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

// Of two points.
std::vector<std::string> two_of(const Fixtures& files, const std::vector<std::string>& more)
{
    std::vector<std::string> out{"sweep", files.pair_system(), "--over", "bytes=4KiB,8KiB"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

std::size_t done_in(const std::string& folder)
{
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(std::count_if(fs::directory_iterator(folder), fs::directory_iterator(),
        [](const fs::directory_entry& entry) { return entry.path().extension() == ".done"; }));
}

}  // namespace

TEST(SweepKeep, WhatIsDoneIsNotDoneAgain)
{
    const Fixtures files;
    const std::string keep = files.path("keep");
    const Outcome plain = call(sweep_of(files, {"--csv", "-"}));
    const Outcome first = call(sweep_of(files, {"--csv", "-", "--keep", keep}));
    EXPECT_EQ(first.out, plain.out);
    EXPECT_EQ(first.err, "");
    EXPECT_EQ(done_in(keep), 6u);
    const Outcome second = call(sweep_of(files, {"--csv", "-", "--keep", keep}));
    EXPECT_EQ(second.out, plain.out);
    EXPECT_EQ(second.err, "sweep: 6 of 6 runs are done already\n");
    // Other points of the same sweep find those that they have in common.
    const Outcome more =
        call({"sweep", files.pair_system(), "--over", "bytes=8KiB,32KiB", "--over", "algorithm=ring", "--keep", keep});
    EXPECT_EQ(more.err, "sweep: 1 of 2 runs are done already\n");
}

TEST(SweepKeep, AnOptionOrAFileThatDiffersIsAnotherRun)
{
    const Fixtures files;
    const std::string keep = files.path("keep");
    ASSERT_EQ(call(two_of(files, {"--keep", keep})).code, 0);
    fs::path result = fs::directory_iterator(keep)->path();
    fs::remove(result.replace_extension(".json"));
    EXPECT_EQ(call(two_of(files, {"--keep", keep})).err,
        "sweep: 1 run again: its result is gone\nsweep: 1 of 2 runs are done already\n");
    for (const char* part : {".json", ".done"}) {
        result.replace_extension(part);
        fs::resize_file(result, fs::file_size(result) / 2);
        const Outcome again = call(two_of(files, {"--keep", keep}));
        EXPECT_EQ(again.code, 0);
        EXPECT_EQ(again.err.find("sweep: 1 run again: "), 0u) << again.err;
        EXPECT_NE(again.err.find(" damaged\nsweep: 1 of 2 runs are done already\n"), std::string::npos) << again.err;
    }
    EXPECT_EQ(call(two_of(files, {"--keep", keep, "--no-data"})).err, "");
    files.write("pair.yaml", files.read("pair.yaml") + "# read again\n");
    const Outcome changed = call(two_of(files, {"--keep", keep}));
    EXPECT_EQ(changed.err, "sweep: 2 runs again: " + files.pair() + " has changed\n");
    EXPECT_EQ(call(two_of(files, {"--keep", keep})).err, "sweep: 2 of 2 runs are done already\n");
}

TEST(SweepKeep, ResultsOfAnotherProgramAreNotTaken)
{
    const Fixtures files;
    const std::string keep = files.path("keep");
    ASSERT_EQ(call(two_of(files, {"--keep", keep})).code, 0);
    for (const fs::directory_entry& entry : fs::directory_iterator(keep)) {
        if (entry.path().extension() != ".done") continue;
        std::ifstream in(entry.path());
        nlohmann::ordered_json record = nlohmann::ordered_json::parse(in);
        record["program"] = "00000000-0000-5000-8000-000000000000";
        std::ofstream(entry.path()) << record.dump();
    }
    EXPECT_EQ(call(two_of(files, {"--keep", keep})).err, "sweep: 2 runs again: the program is another\n");
}

TEST(SweepKeep, PartsMakeTheWholeAndAMissingOneIsNamed)
{
    const Fixtures files;
    const std::string keep = files.path("keep");
    const Outcome plain = call(sweep_of(files, {"--json", "-"}));
    const Outcome one = call(sweep_of(files, {"--keep", keep, "--shard", "1/4"}));
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(one.out, "part 1 of 4: 2 of 6 points\n");
    EXPECT_EQ(call(sweep_of(files, {"--keep", keep, "--shard", "2/4"})).out, "part 2 of 4: 2 of 6 points\n");
    EXPECT_EQ(call(sweep_of(files, {"--keep", keep, "--shard", "4/4"})).out, "part 4 of 4: 1 of 6 points\n");
    const Outcome early = call(sweep_of(files, {"--keep", keep, "--merge"}));
    EXPECT_EQ(early.code, 1);
    EXPECT_EQ(early.err, "sweep: bytes=8KiB, algorithm=ring: no result: not run yet\n");
    EXPECT_EQ(done_in(keep), 5u);
    EXPECT_EQ(call(sweep_of(files, {"--keep", keep, "--shard", "3/4", "--quiet"})).out, "");
    const Outcome merged = call(sweep_of(files, {"--keep", keep, "--merge", "--json", "-"}));
    EXPECT_EQ(merged.code, 0) << merged.err;
    EXPECT_EQ(merged.err, "");
    EXPECT_EQ(merged.out, plain.out);
}

TEST(SweepKeep, ASweepThatWasKilledGoesOn)
{
    const Fixtures files;
    const std::string keep = files.path("keep");
    std::vector<std::string> arguments{"sweep", files.pair_system(), "--over",
        "bytes=128KiB,129KiB,130KiB,131KiB,132KiB,133KiB", "--csv", files.path("a.csv"), "-j", "1", "--keep", keep};
    {
        Process process(arguments);
        for (int i = 0; i < 6000 && done_in(keep) == 0; ++i) ::usleep(10'000);
        process.send(SIGKILL);
        process.wait();
    }
    const std::size_t done = done_in(keep);
    ASSERT_GE(done, 1u);
    const Outcome again = call(arguments);
    EXPECT_EQ(again.code, 0);
    EXPECT_EQ(again.err, "sweep: " + std::to_string(done) + " of 6 runs are done already\n");
    arguments.resize(arguments.size() - 2);
    const std::string kept = files.read("a.csv");
    ASSERT_EQ(call(arguments).code, 0);
    EXPECT_EQ(files.read("a.csv"), kept);
}

TEST(SweepKeep, ARunThatFailedIsReportedAndTriedAgain)
{
    const Fixtures files;
    const std::string keep = files.path("keep");
    const std::vector<std::string> arguments{"sweep", files.pair_system(), "--over", "algorithm=ring,nvls", "--keep",
        keep, "--csv", "-"};
    const Outcome first = call(arguments);
    EXPECT_EQ(first.code, 2);
    EXPECT_EQ(first.err.compare(0, 23, "sweep: algorithm=nvls: "), 0) << first.err;
    EXPECT_EQ(done_in(keep), 1u);
    const Outcome second = call(arguments);
    EXPECT_EQ(second.out, first.out);
    EXPECT_EQ(second.err, "sweep: 1 of 2 runs are done already\n" + first.err);
}

TEST(SweepKeep, PartsNeedAFolderAndWriteNoTable)
{
    const Fixtures files;
    EXPECT_EQ(call(sweep_of(files, {"--shard", "1/2"})).err,
        "weft: --shard 1/2, and nothing keeps their results; expected --keep DIR, a folder that all parts share\n");
    EXPECT_EQ(call(sweep_of(files, {"--shard", "1/2", "--keep", files.path("k"), "--csv", "-"})).err,
        "weft: --csv beside parts of a sweep: --shard 1/2; expected weft sweep with --keep DIR --merge and --csv after "
        "all parts have ended\n");
    EXPECT_EQ(call(sweep_of(files, {"--merge"})).err,
        "weft: --merge without --keep; expected --keep DIR, the folder with the results of the parts\n");
    const std::string file = files.write("file", "");
    const Outcome no_folder = call(sweep_of(files, {"--keep", file}));
    EXPECT_EQ(no_folder.code, 2);
    EXPECT_EQ(no_folder.err.compare(0, file.size() + 2, file + ": "), 0) << no_folder.err;
}

TEST(SweepKeep, ProcessesOfALauncherShareThePoints)
{
    const Fixtures files;
    const std::string keep = files.path("keep");
    const Outcome plain = call(sweep_of(files, {"--csv", "-"}));
    ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    ::setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    EXPECT_EQ(call(sweep_of(files, {})).err,
        "weft: Open MPI has started 2 processes for parts of this sweep, and nothing keeps their results; expected "
        "--keep DIR, a folder that all parts share\n");
    EXPECT_EQ(call(sweep_of(files, {"--keep", keep})).out, "part 1 of 2: 3 of 6 points\n");
    ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    EXPECT_EQ(call(sweep_of(files, {"--keep", keep})).out, "part 2 of 2: 3 of 6 points\n");
    ::unsetenv("OMPI_COMM_WORLD_SIZE");
    ::unsetenv("OMPI_COMM_WORLD_RANK");
    EXPECT_EQ(call(sweep_of(files, {"--keep", keep, "--merge", "--csv", "-"})).out, plain.out);
}

TEST(RunInputs, AreAllFilesThatARunRead)
{
    const Fixtures files;
    const Outcome traces = call({"workload", "micro", "--sizes", "4KiB", "--ranks", "2", "-o", files.path("t")});
    ASSERT_EQ(traces.code, 0) << traces.err;
    const Outcome outcome = call({"run", files.pair(), "--trace", files.path("t"), "--groups",
        files.path("t_groups.json"), "--profile", "generic", "--inputs", files.path("i.json"), "--quiet"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json record = nlohmann::json::parse(files.read("i.json"));
    EXPECT_EQ(record["schema"], "weft.inputs/1");
    std::vector<std::string> paths;
    for (const auto& file : record["files"]) {
        paths.push_back(file["path"]);
        if (file["digest"].is_null()) continue;  // a trace of one more rank would have been read
        EXPECT_EQ(file["bytes"], fs::file_size(paths.back())) << paths.back();
        EXPECT_EQ(std::string(file["digest"]).size(), 36u);
    }
    EXPECT_EQ(paths,
        (std::vector<std::string>{files.pair(), files.path("t.0.et"), files.path("t.1.et"), files.path("t.2.et"),
            files.path("t_groups.json")}));
    EXPECT_TRUE(record["files"][3]["digest"].is_null());
    EXPECT_EQ(call({"schema", "--check", files.path("i.json")}).out, files.path("i.json") + ": weft.inputs/1\n");
}

// A name, and a path, that are longer than the file system has.
TEST(SweepKeep, FoldersThatCannotBeAreRefused)
{
    const Fixtures files;
    std::string deep = files.path("");
    while (deep.size() < 4000) deep += std::string(90, 'a') + "/";
    for (const std::string& keep : {files.path(std::string(256, 'k')), deep + std::string(4090 - deep.size(), 'b')}) {
        const Outcome outcome = call(two_of(files, {"--keep", keep}));
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err,
            keep + ": cannot be made: File name too long; expected a folder for the results of the sweep\n");
    }
}

}  // namespace sweep_keep_test
