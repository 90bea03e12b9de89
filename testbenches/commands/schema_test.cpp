// Results of every command are what docs/result.schema.json says, with no key that it does not describe; and the checker finds
// what is planted.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "platform/schema/result_schema.h"
#include "platform/schema/schema_check.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace schema_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

// All that is wrong with `value`, and the keys that are not described, one a line.
std::string findings(const std::string& schema, const std::string& value)
{
    const weft::SchemaFindings found =
        weft::check_against(weft::read_json(schema, "schema"), weft::read_json(value, "v"), "v");
    std::string out;
    for (const weft::Diagnostic& each : found.problems) out += each.text() + "\n";
    for (const weft::Diagnostic& each : found.undescribed) out += each.text() + "\n";
    return out;
}

// The result that a command writes to stdout.
std::string result_of(std::vector<std::string> arguments, int code = 0)
{
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return outcome.out;
}

void expect_described(const std::string& result) { EXPECT_EQ(findings(weft::result_schema(), result), ""); }

}  // namespace

TEST(Schema, DescribesEveryKeyOfRuns)
{
    const Fixtures files;
    expect_described(result_of({"run", files.pair_system()}));
    expect_described(result_of({"run", files.pair_system(), "--watch", "--critical-path", "--no-data", "--no-timing"}));
    expect_described(result_of({"run", files.pair_system(), "--until", "1us"}));
    expect_described(result_of({"run", files.pair_system(), "--fidelity", "flow"}));
    expect_described(result_of(
        {"run", "examples/two_hosts/system.yaml", "--bytes", "4KiB", "--fidelity", "mixed", "--lines", "host.0"}));
    expect_described(result_of({"run", files.pair_system(), "--algorithm", "auto", "--beside", "gemm:256,256,256"}));
    expect_described(result_of(
        {"run", "examples/dgx_h100/system.yaml", "--bytes", "4KiB", "--algorithm", "synthesize", "--no-data"}));
}

// The table of docs/commands.md has every key that the schema has, of links too.
TEST(Schema, TheManualHasEveryKeyOfRuns)
{
    std::ifstream file(std::string(WEFT_SOURCE_DIR) + "/docs/commands.md");
    std::stringstream text;
    text << file.rdbuf();
    const std::string page = text.str();
    const std::size_t begin = page.find("**JSON.** `--json FILE` writes one object");
    ASSERT_NE(begin, std::string::npos);
    const std::string table = page.substr(begin, page.find("\n## sweep", begin) - begin);
    const json schema = json::parse(weft::result_schema());
    std::string rows;  // the first column
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);)
        if (line.compare(0, 3, "| `") == 0) rows += line.substr(0, line.find(" | ", 2));
    for (const auto& [key, described] : schema["$defs"]["result"]["properties"].items())
        EXPECT_NE(rows.find("`" + key + "`"), std::string::npos) << key;
    const std::size_t links = table.find("\n| `links` | ");
    ASSERT_NE(links, std::string::npos);
    const std::string row = table.substr(links, table.find('\n', links + 1) - links);
    for (const auto& [key, described] : schema["$defs"]["link"]["properties"].items())
        EXPECT_NE(row.find(key), std::string::npos) << key;
}

// And what bit errors cost is among them, and in the summary.
TEST(Schema, DescribesWhatRetriesCost)
{
    const Fixtures files;
    const std::vector<std::string> errors{"--bytes", "64KiB", "--set", "link.retry=go_back_n", "--set",
        "link.bit_error_rate=1e-5"};
    std::vector<std::string> run{"run", files.pair_system()};
    EXPECT_EQ(result_of(run).find("\"replays\""), std::string::npos);
    run.insert(run.end(), errors.begin(), errors.end());
    const std::string result = result_of(run);
    expect_described(result);
    std::uint64_t hit = 0;
    std::uint64_t replays = 0;
    std::uint64_t again = 0;
    const json parsed = json::parse(result);
    for (const json& link : parsed["links"]) {
        hit += link["errors"].get<std::uint64_t>();
        replays += link["replays"].get<std::uint64_t>();
        again += link["repeated_bytes"].get<std::uint64_t>();
        EXPECT_LT(link["repeated_bytes"], link["wire_bytes"]);
    }
    EXPECT_GT(hit, 0U);
    EXPECT_GT(replays, 0U);
    EXPECT_GT(again, 0U);
    const std::string line = std::to_string(hit) + " packets hit by bit errors; senders went back " +
        std::to_string(replays) + " times and sent ";
    EXPECT_NE(call(run).out.find(line), std::string::npos);
}

TEST(Schema, DescribesEveryKeyOfARunOfATrace)
{
    using namespace weft::chakra::testing;
    const Fixtures files;
    const Folder traces;
    const std::string prefix =
        traces.write_set({{comp(1), collective(2, 0, 4096).data({1})}, {collective(2, 0, 4096)}});
    const std::string result = result_of({"run", "--infra", files.pair(), "--trace", prefix, "--critical-path"});
    expect_described(result);
    EXPECT_NE(result.find("\"breakdown_ps\""), std::string::npos);
}

TEST(Schema, DescribesEveryKeyOfTheOtherCommands)
{
    const Fixtures files;
    const std::string sweep = result_of({"sweep", files.pair_system(), "--over", "algorithm=ring,auto", "--over",
                                            "bytes=4KiB,3", "--column", "l2.misses", "--quiet"},
        2);
    expect_described(sweep);
    expect_described(result_of(
        {"fabric", "examples/dgx_h100/system.yaml", "--loads", "0.5", "--duration", "1us", "--answered", "--watch"}));
    expect_described(result_of({"probe", "--profile", "v100", "--only", "latency.l1,latency.peer"}));
    expect_described(result_of({"workload", "training", "--model", "llama3_8b", "--pp", "2", "--tp", "2"}));
    expect_described(result_of({"probe", "--profile", "h100", "--only", "bandwidth.l2", "--set", "gpu.compute_units=4",
        "--set", "l2.partitions=1", "--set", "l2.slices=8", "--set", "l2.size=1MiB", "--set", "hbm.channels=8"}));
    const std::string table = files.write("t.yaml",
        "validation:\n  title: T\n  source: S\n  system: pair_system.yaml\n  launch: fitted\n"
        "  rows: {4 KiB: 100 us, 8 KiB: {measured: 120 us, not_simulated: example}}\n");
    expect_described(result_of({"validate", table}));
    const std::string a = files.write("a.json", sweep);
    expect_described(result_of({"compare", a, a, "--tolerance", "1%"}));
    const std::string b = files.write("b.json", result_of({"run", files.pair_system(), "--set", "link.latency=1us"}));
    const std::string c = files.write("c.json", result_of({"run", files.pair_system()}));
    expect_described(result_of({"compare", b, c}));
}

TEST(Schema, TheCheckerFindsWhatIsPlanted)
{
    const Fixtures files;
    const json good = json::parse(result_of({"run", files.pair_system()}));
    struct Case {
        const char* pointer;
        json value;
        const char* finding;
    };
    const std::vector<Case> cases{
        {"/simulated_ps", -1, "simulated_ps is -1; expected at least 0"},
        {"/simulated_ps", 1.5, "simulated_ps is 1.5; expected integer"},
        {"/stop", "ended", "stop is 'ended'; expected one of finished, deadlock, until, interrupted, wrong"},
        {"/schema", "weft.result/2",
            "the result has the schema 'weft.result/2'; expected one of weft.result/1, weft.sweep/1"},
        {"/links/0/busy_ps", nullptr, "links[].busy_ps is "},
        {"/ranks/1/stall_ps/flag", "much", "ranks[].stall_ps.* is 'much'; expected integer"},
        {"/system/more", 1, "'more' of system is not described by the schema"},
        {"/alpha_beta", "x", "alpha_beta is 'x'; expected object or null"},
    };
    for (const Case& each : cases) {
        json bad = good;
        bad[json::json_pointer(each.pointer)] = each.value;
        EXPECT_NE(findings(weft::result_schema(), bad.dump(1)).find(each.finding), std::string::npos)
            << each.pointer << "\n"
            << findings(weft::result_schema(), bad.dump(1));
    }
    for (const auto& [key, value] : good.items()) {
        json bad = good;
        bad.erase(key);
        EXPECT_NE(findings(weft::result_schema(), bad.dump(1)), "") << key;
    }
    EXPECT_THROW(findings("{\"maximum\": 3}", "4"), weft::InputError);
    EXPECT_THROW(findings("{\"$ref\": \"#/$defs/none\"}", "4"), weft::InputError);
}

TEST(Schema, TheCommandPrintsTheSchemaAndChecksFiles)
{
    EXPECT_EQ(call({"schema"}).out, weft::result_schema());
    const Fixtures files;
    const std::string good = files.write("good.json", result_of({"run", files.pair_system()}));
    const Outcome said = call({"schema", "--check", good});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out, good + ": weft.result/1\n");
    EXPECT_EQ(said.err, "");
    json more = json::parse(files.read("good.json"));
    more["extra"] = 1;
    const Outcome noticed = call({"schema", "--check", files.write("more.json", more.dump(1))});
    EXPECT_EQ(noticed.code, 0);
    EXPECT_NE(noticed.err.find("'extra' of the result is not described by the schema"), std::string::npos)
        << noticed.err;
    more["seed"] = "one";
    const Outcome refused = call({"schema", "--check", files.write("bad.json", more.dump(1))});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find(": seed is 'one'; expected integer\n"), std::string::npos) << refused.err;
}

}  // namespace schema_test
