// `weft run --record`, and replay GPUs by option and by system file.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace replay_test {

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

}  // namespace

TEST(ReplayCommand, RecordsOneRunAndReplaysItInTheNext)
{
    const Fixtures files;
    const std::string file = files.path("recorded.csv");
    const json full = run_json({files.pair_system(), "--record", file});
    EXPECT_EQ(full["verified"], "passed");
    EXPECT_EQ(files.read("recorded.csv").rfind("gpu,time,to,kind,at,bytes,gap,value\n", 0), 0U);
    const json again = run_json({files.pair_system(), "--model", "host.0.xpu.1=replay:" + file});
    EXPECT_EQ(again["verified"], "off");
    EXPECT_EQ(again["ranks"][0]["finish_ps"], full["ranks"][0]["finish_ps"]);
    EXPECT_NE(again["notices"].dump().find("1 of 2 ranks are replay GPUs"), std::string::npos);
    bool found = false;
    for (const json& module : again["modules"]) {
        if (module["kind"] != "replay") continue;
        found = true;
        EXPECT_EQ(module["name"], "host.0.xpu.1.replay");
        EXPECT_GT(module["stats"]["lines"]["value"], 0);
    }
    EXPECT_TRUE(found);
}

TEST(ReplayCommand, SystemFilesNameTheTraffic)
{
    const Fixtures files;
    const std::string system =
        "infrastructure: pair.yaml\nprofile: generic\nbind:\n- {nodes: \"host.0.xpu.1\", traffic: rows.csv}\n"
        "workload: {collective: barrier, ranks: 1}\n";
    const std::string path = files.write("replay.yaml", system);
    files.write("rows.csv", "time,to,kind,at,bytes\n0,0,write,0,1 MiB\n");
    const json result = run_json({path});
    EXPECT_EQ(result["lines"], 16384);
    EXPECT_EQ(result["ranks"].size(), 2U);

    const Outcome checked = call({"check", path});
    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_NE(checked.out.find("2 endpoints over 1 link"), std::string::npos) << checked.out;
    files.write("rows.csv", "time,to,kind,at,bytes\n0,host.0.xpu.2,write,0,1 MiB\n");
    const Outcome wrong = call({"check", path});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_EQ(wrong.err,
        files.path("rows.csv") +
            ":2: 'host.0.xpu.2' is not a GPU of this run; expected a node name, +1 or -1, "
            "or a rank below 2 (did you mean 'host.0.xpu.0'?)\n");
}

TEST(ReplayCommand, ExplainShowsWhatCounts)
{
    const Fixtures files;
    const Outcome outcome = call({"explain", files.pair_system(), "--model", "host.0.xpu.1=replay:x.csv"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::size_t replay = outcome.out.find("gpu, model replay of x.csv, profile generic");
    ASSERT_NE(replay, std::string::npos) << outcome.out;
    const std::string part = outcome.out.substr(replay, outcome.out.find("\n\n", replay) - replay);
    for (const std::string shown : {"gpu.unit_to_port", "gpu.replay_in_flight", "l2.latency", "hbm.capacity"})
        EXPECT_NE(part.find(shown), std::string::npos) << shown;
    for (const std::string hidden : {"gpu.clock", "l2.size", "hbm.t_rcd"})
        EXPECT_EQ(part.find(hidden), std::string::npos) << hidden;
    EXPECT_EQ(outcome.out.substr(0, replay).find("gpu.replay_in_flight"), std::string::npos);
}

TEST(ReplayCommand, ModelOptionsAreRefusedWithAReason)
{
    const Fixtures files;
    const Outcome no_file = call({"run", files.pair_system(), "--model", "host.0.xpu.1=replay:"});
    EXPECT_EQ(no_file.code, 2);
    EXPECT_EQ(no_file.err,
        "weft: --model 'host.0.xpu.1=replay:' names no file; expected GLOB=replay:FILE, or GLOB=replay\n");
    const Outcome missing = call({"run", files.pair_system(), "--model", "host.0.xpu.1=replay:/nowhere/x.csv"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_EQ(missing.err.rfind("/nowhere/x.csv: ", 0), 0U) << missing.err;
    const std::string path = files.write("both.yaml",
        "infrastructure: pair.yaml\nbind:\n- {nodes: \"*\", model: gpu, traffic: rows.csv}\nworkload: {collective: "
        "barrier}\n");
    const Outcome both = call({"run", path});
    EXPECT_EQ(both.code, 2);
    EXPECT_EQ(both.err, path + ":3: 'traffic' with model 'gpu'; expected 'model: replay'\n");
}

TEST(ReplayCommand, TracesRunOnFullGpus)
{
    using namespace weft::chakra::testing;
    const Fixtures files;
    const Folder traces;
    const std::string prefix = traces.write_set({{collective(2, 0, 4096)}, {collective(2, 0, 4096)}});
    const Outcome refused = call({"run", files.pair(), "--trace", prefix, "--model", "host.0.xpu.1=replay"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("a rank of the trace is a replay GPU, which cannot execute nodes"), std::string::npos)
        << refused.err;
}

}  // namespace replay_test
