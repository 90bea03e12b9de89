// Columns of `weft sweep`: one value for all modules or links, or none where it would be that of some.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace sweep_columns_test {

using namespace weft::commands_test;
using nlohmann::json;

TEST(SweepColumns, LargestValuesAreNotAddedUp)
{
    const Fixtures files;
    const Outcome sweep = call({"sweep", files.pair_system(), "--over", "bytes=8KiB", "--column", "port.peak_queue",
        "--column", "link.peak_queue", "--json", files.path("s.json")});
    ASSERT_EQ(sweep.code, 0) << sweep.err;
    const json run = json::parse(call({"run", files.pair_system(), "--bytes", "8KiB", "--json", "-"}).out);
    double ports = 0;
    double links = 0;
    std::size_t busy = 0;
    for (const json& module : run["modules"])
        if (module["kind"] == "port") ports = std::max(ports, module["stats"]["peak_queue"]["value"].get<double>());
    for (const json& link : run["links"]) {
        links = std::max(links, link["peak_queue"].get<double>());
        busy += link["peak_queue"] > 0;
    }
    ASSERT_GT(busy, 1U);
    const json columns = json::parse(files.read("s.json"))["points"][0]["columns"];
    EXPECT_EQ(columns, (json{{"port.peak_queue", ports}, {"link.peak_queue", links}}));
}

// Links at flow have no packets, and the ranks there no modules; bytes are known of all.
TEST(SweepColumns, WhatIsKnownOfAPartOfARunIsLeftOut)
{
    const Fixtures files;
    const std::string system = std::string(WEFT_SOURCE_DIR) + "/examples/two_hosts/system.yaml";
    const std::vector<std::string> names{"link.wire_bytes", "link.packets", "link.theory_payload_bytes", "hbm.reads"};
    std::vector<std::string> arguments{"sweep", system, "--bytes", "4KiB", "--over", "fidelity=line,flow,mixed:host.0",
        "--json", files.path("s.json")};
    for (const std::string& name : names) arguments.insert(arguments.end(), {"--column", name});
    const Outcome sweep = call(arguments);
    ASSERT_EQ(sweep.code, 0) << sweep.err;
    const json points = json::parse(files.read("s.json"))["points"];
    for (const std::string& name : names) {
        EXPECT_TRUE(points[0]["columns"][name].is_number()) << name;
        EXPECT_EQ(points[2]["columns"][name].is_number(), name == "link.wire_bytes") << name;
    }
}

// Of so many links a result at flow lists the busiest.
TEST(SweepColumns, LinksThatAreNotListedAreInNoSum)
{
    const Fixtures files;
    const std::string network = files.path("net.yaml");
    ASSERT_EQ(call({"network", "FullyConnected(130)", "--bandwidth", "5GB/s", "-o", network}).code, 0);
    const Outcome sweep = call({"sweep", "--infra", network, "--collective", "all_reduce", "--algorithm", "direct",
        "--bytes", "130KiB", "--set", "engine.channels=1", "--over", "fidelity=flow", "--column", "link.wire_bytes",
        "--json", files.path("s.json")});
    EXPECT_EQ(sweep.code, 2);
    EXPECT_NE(
        sweep.err.find(
            "no run has a column 'link.wire_bytes'; expected a statistic of 'modules' or a field of 'links' in the "
            "JSON of weft run, of all of them: a mixed run has modules of a part, and large results at flow leave out "
            "links"),
        std::string::npos)
        << sweep.err;
    EXPECT_TRUE(json::parse(files.read("s.json"))["points"][0]["columns"]["link.wire_bytes"].is_null());
}

}  // namespace sweep_columns_test
