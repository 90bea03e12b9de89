// `weft fabric`: what load 1 counts of addresses, and values that cannot do what they say.
#include <tuple>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace fabric_load_one_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

Outcome fabric(const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"fabric", "examples/dgx_h100/system.yaml", "--loads", "0.5", "--duration", "1us",
        "--pattern", "nearest_neighbour", "--set", "link.merge=none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call(arguments);
}

json with_region(const std::string& region, const std::string& ways = "1")
{
    const Outcome outcome = fabric({"--set", "link.address_extension=16", "--set", "link.extension_region=" + region,
        "--set", "link.extension_ways=" + ways, "--watch", "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
}

}  // namespace

// Places are drawn from 1 GiB of the one destination: of two regions one is kept, of one all but the first request are in it.
TEST(FabricLoadOne, HasAddressExtensionsAsOftenAsRegionsAreMissed)
{
    for (const auto& [region, ways, bytes] : std::vector<std::tuple<std::string, std::string, unsigned>>{
             {"1MiB", "1", 16}, {"512MiB", "1", 8}, {"256MiB", "3", 4}, {"512MiB", "2", 0}, {"256TiB", "1", 0}}) {
        const json result = with_region(region, ways);
        EXPECT_EQ(result["load_one"]["parts"][0]["bytes"]["extension"], bytes) << region;
        std::uint64_t wire = 0;
        std::uint64_t lines = 0;
        for (const json& link : result["points"][0]["links"]) {
            wire += link["wire_bytes"].get<std::uint64_t>();
            lines += link["lines"].get<std::uint64_t>();
        }
        EXPECT_NEAR(static_cast<double>(wire) / static_cast<double>(lines), 80 + bytes, 0.5) << region;
    }
}

TEST(FabricLoadOne, ATransferThatHoldsNoOutputIsTold)
{
    const std::string told =
        "switch.transfer of 4 nodes without switch.output_buffer: lines hold inputs of the crossbar so long, "
        "and outputs as long as their wires";
    const std::vector<std::string> crossbar{"--model", "*.nvsw.*=crossbar", "--set", "switch.clock=100ps"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), crossbar.begin(), crossbar.end());
        const Outcome outcome = fabric(more);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return (outcome.out + outcome.err).find(told) != std::string::npos;
    };
    EXPECT_TRUE(with({"--set", "switch.transfer=300ps"}));
    EXPECT_FALSE(with({}));
    EXPECT_FALSE(with({"--set", "switch.transfer=300ps", "--set", "switch.output_buffer=4"}));
}

TEST(FabricLoadOne, ABatchOfMoreCreditsThanABufferHasIsCutAndTold)
{
    const auto batch = [](const std::string& credits) {
        return fabric({"--set", "link.credit_bytes=16", "--set", "link.credit_batch=" + credits, "--set",
            "link.request_credits=10"});
    };
    const Outcome larger = batch("11");
    EXPECT_EQ(larger.code, 0) << larger.err;
    const std::string told = ": a message returns 10, no more credits than the smallest buffer has";
    EXPECT_NE((larger.out + larger.err).find(told), std::string::npos) << larger.err;
    const Outcome same = batch("10");
    EXPECT_EQ((same.out + same.err).find(told), std::string::npos) << same.err;
}

}  // namespace fabric_load_one_test
