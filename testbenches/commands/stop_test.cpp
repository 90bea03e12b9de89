// Runs that do not finish: limits, deadlock, interruption.
#include <csignal>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/commands/fixtures.h"
#include "testbenches/commands/process.h"

namespace stop_test {

using namespace weft::commands_test;
using nlohmann::json;

TEST(Stop, UntilEndsARunThere)
{
    const Fixtures files;
    const Outcome outcome =
        call({"run", files.pair_system(), "--until", "1us", "--json", files.path("r.json")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\nstopped     at 1 us, as --until says; results are partial\n"),
        std::string::npos)
        << outcome.out;
    const json result = json::parse(files.read("r.json"));
    EXPECT_EQ(result["stop"], "until");
    EXPECT_EQ(result["simulated_ps"], 1000000);
    EXPECT_EQ(result["partial"], true);
    EXPECT_EQ(result["verified"], "off");
}

TEST(Stop, MutuallyWaitingReceivesAreNamed)
{
    using namespace weft::chakra::testing;
    const Fixtures files;
    const Folder traces;
    const std::string prefix = traces.write_set({{recv(1, 1, 5, 256), NodeText(send(2, 1, 6, 256)).data({1})},
        {recv(1, 0, 6, 256), NodeText(send(2, 0, 5, 256)).data({1})}});
    const Outcome outcome = call({"run", files.pair(), "--trace", prefix, "--json", files.path("r.json")});
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_NE(outcome.out.find("\nDEADLOCK    at "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\nwho waits   "), std::string::npos) << outcome.out;
    const json result = json::parse(files.read("r.json"));
    EXPECT_EQ(result["stop"], "deadlock");
    EXPECT_EQ(result["partial"], true);
    ASSERT_GE(result["blocked"].size(), 2u) << result["blocked"];
    const std::string all = result["blocked"].dump();
    for (const std::string rank : {"rank 0", "rank 1"}) EXPECT_NE(all.find(rank), std::string::npos) << all;
}

TEST(Stop, CtrlCKeepsWhatThereIs)
{
    const Fixtures files;
    Process process({"run", "examples/dgx_h100/system.yaml", "--bytes", "4GiB", "--no-data", "--json",
        files.path("r.json")});
    ASSERT_TRUE(process.wait_for_err("simulated ")) << process.err();
    process.send(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_NE(outcome.out.find("\nINTERRUPTED at "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("results are partial"), std::string::npos) << outcome.out;
    const json result = json::parse(files.read("r.json"));
    EXPECT_EQ(result["stop"], "interrupted");
    EXPECT_EQ(result["partial"], true);
    EXPECT_GT(result["simulated_ps"], 0);
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml", "r.json"}));
}

}  // namespace stop_test
