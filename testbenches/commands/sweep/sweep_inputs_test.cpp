// Files that only the runs of a sweep read are inputs of the sweep, too.
#include <algorithm>

#include <gtest/gtest.h>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"
#include "testbenches/plans/fixtures.h"

namespace sweep_inputs_test {

using namespace weft::commands_test;
using weft::plans_test::pair_xml;
using Words = std::vector<std::string>;

namespace {

Words with(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// Refused before anything runs, and the file stays.
void expect_refused(const Fixtures& files, const Words& arguments, const std::string& name)
{
    const std::string before = files.read(name);
    const Outcome outcome = call(with(arguments, {"--csv", files.path(name)}));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    const std::string refusal = files.path(name) +
        ": is an input of this command and one of its outputs; expected another file for the output\n";
    EXPECT_EQ(outcome.err.substr(outcome.err.size() - std::min(outcome.err.size(), refusal.size())), refusal)
        << outcome.err;
    EXPECT_EQ(outcome.err.find("sweep: "), std::string::npos) << outcome.err;
    EXPECT_EQ(files.read(name), before);
}

}  // namespace

TEST(SweepInputs, WhatOptionsNameIsNeverReplaced)
{
    const Fixtures files;
    const std::string plan = files.write("pair.xml", pair_xml);
    const std::string profile = files.write("p.yaml", "profile: mine\nbase: generic\n");
    const std::string table = files.write("energies.yaml", "{}");
    const std::string csv = files.write("replay.csv", "gpu,time,to,kind,at,bytes,gap,value\n");
    const std::string traces = files.path("tr");
    ASSERT_EQ(call({"workload", "micro", "--ops", "all_reduce", "--sizes", "1KiB", "--ranks", "2", "-o", traces}).code,
        0);
    const Words document{"sweep", "--infra", files.pair()};
    const Words system{"sweep", files.pair_system(), "--over", "bytes=4KiB"};
    expect_refused(files, with(document, {"--bytes", "4KiB", "--over", "plan=" + plan}), "pair.xml");
    expect_refused(files, with(document, {"--plan", plan, "--over", "bytes=4KiB"}), "pair.xml");
    const Words traced = with(document, {"--trace", traces, "--groups", traces + "_groups.json", "--over", "seed=1,2"});
    expect_refused(files, traced, "tr.0.et");
    expect_refused(files, traced, "tr.1.et");
    expect_refused(files, traced, "tr_groups.json");
    expect_refused(files, with(system, {"--energy", table}), "energies.yaml");
    expect_refused(files, with(system, {"--profile", profile}), "p.yaml");
    expect_refused(files, with(system, {"--over", "profile=generic," + profile}), "p.yaml");
    expect_refused(files, with(system, {"--model", "host.0.xpu.1=replay:" + csv}), "replay.csv");
    expect_refused(files, with(system, {"--over", "model:host.0.xpu.1=replay:" + csv}), "replay.csv");
    expect_refused(files, {"fabric", files.pair(), "--loads", "0.1", "--over", "profile=generic," + profile}, "p.yaml");
}

TEST(SweepInputs, WhatTheSystemFileNamesIsNeverReplaced)
{
    const Fixtures files;
    files.write("pair.xml", pair_xml);
    files.write("p.yaml", "profile: mine\nbase: generic\n");
    files.write("replay.csv", "gpu,time,to,kind,at,bytes,gap,value\n");
    const std::string system = files.write("s.yaml",
        "system: pair\ninfrastructure: pair.yaml\nprofile: p.yaml\nbind:\n"
        "- {nodes: host.0.xpu.1, traffic: replay.csv}\nworkload: {plan: pair.xml, bytes: 4 KiB}\n");
    for (const char* name : {"p.yaml", "replay.csv", "pair.xml"}) {
        expect_refused(files, {"sweep", system, "--over", "seed=1,2"}, name);
        expect_refused(files, {"sweep", "--over", "system=" + files.pair_system() + "," + system}, name);
    }
}

// The document of a table's system: only the runs read it, and say so, and the record of kept ones has it.
TEST(SweepInputs, WhatARunHasReadIsNeverReplaced)
{
    const Fixtures files;
    const std::string document = files.read("pair.yaml");
    const std::string table = files.write("t.yaml",
        "validation:\n  title: T\n  source: S\n  system: pair_system.yaml\n  rows: {4 KiB: 1 us}\n");
    const Words validate{"validate", table, "--quiet", "--keep", files.path("kept")};
    const auto refused = [&](const std::string& output) {
        const Outcome outcome = call(with(validate, {"--json", output}));
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        const std::string refusal =
            output + ": is an input of this command and one of its outputs; expected another file for the output\n";
        EXPECT_EQ(outcome.err.substr(outcome.err.size() - std::min(outcome.err.size(), refusal.size())), refusal)
            << outcome.err;
        EXPECT_EQ(files.read("pair.yaml"), document);
    };
    refused(files.pair());
    refused(files.pair());  // kept by now
    refused(files.pair_system());
    EXPECT_EQ(call(with(validate, {"--json", files.path("t.json")})).code, 0);
}

}  // namespace sweep_inputs_test
