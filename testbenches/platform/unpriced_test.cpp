// The alpha-beta figure, estimates and plans follow parameters of links whose cost is known, and say of others that they do not.
#include <gtest/gtest.h>

#include "platform/choice/unpriced_parameters.h"
#include "testbenches/platform/runs.h"

namespace unpriced_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup gather(const std::string& algorithm = "direct")
{
    RunSetup setup;
    setup.document = star_document(2);
    setup.document.replace(setup.document.find("Ethernet"), 8, "plain");  // no protocol of its own
    setup.lines = collective_lines("all_gather", algorithm, "16 KiB");
    setup.options.data_on = false;
    setup.options.progress = false;
    return setup;
}

std::string told(const RunSetup& setup)
{
    const Json result = run(setup);
    for (const Json& notice : result["notices"])
        if (notice.get<std::string>().find("do not follow") != std::string::npos) return notice;
    return {};
}

const std::string begin = "alpha-beta and the estimates of algorithms do not follow ";

}  // namespace

// A line takes one of the links of a bundle: 25 GB/s, 40 ps a byte, over 16 of them. A line of 80 B, its answer of 16 B and a signal of
// 32 B pass two links each.
TEST(Unpriced, ALineHasTheRateOfOneLinkOfABundle)
{
    const Json one = run(gather());
    const Json bundle = run(gather().with("link.bundle=16"));
    EXPECT_EQ(bundle["alpha_beta"]["alpha_ps"].get<std::uint64_t>() -
            one["alpha_beta"]["alpha_ps"].get<std::uint64_t>(),
        15U * 40 * 2 * (80 + 16 + 32));
    EXPECT_GT(bundle["simulated_ps"], one["simulated_ps"]);
    EXPECT_EQ(told(gather().with("link.bundle=16")), "");
}

// 128 lines go each way, with a region of addresses each.
TEST(Unpriced, RequestsHaveTheExtensionOfTheirRegion)
{
    const RunSetup lines = gather().with("link.merge=none").with("engine.channels=1");
    const RunSetup setup = lines.with("link.address_extension=64");
    const Json plain = run(lines);
    const Json extended = run(setup.with("link.extension_region=64"));
    const auto wire = [](const Json& result) { return result["alpha_beta"]["wire_bytes"].get<std::uint64_t>(); };
    EXPECT_EQ(wire(plain), 128U * (80 + 16));
    EXPECT_EQ(wire(extended), 128U * (80 + 64 + 16));
    std::uint64_t most = 0;
    for (const Json& link : extended["links"]) most = std::max(most, link["wire_bytes"].get<std::uint64_t>());
    EXPECT_EQ(most, wire(extended) + 32 + 64 + 16);  // a signal, and the answer to the other one
    EXPECT_EQ(told(setup.with("link.extension_region=64")), "");
    EXPECT_EQ(told(setup), begin + "link.address_extension = 64 B");
}

TEST(Unpriced, WhatCannotBeCountedIsTold)
{
    EXPECT_EQ(told(gather()), "");
    EXPECT_EQ(told(gather().with("link.ack_bytes=0").with("network.port_rate=0")), "");
    const RunSetup retry = gather().with("link.retry=go_back_n").with("link.ack_bytes=64");
    EXPECT_EQ(told(retry), begin + "link.ack_bytes = 64 B");
    EXPECT_EQ(told(gather("auto").with("network.port_rate=10GB/s")), begin + "network.port_rate = 10 GB/s");
    EXPECT_EQ(unpriced_notice(resolve_setup(retry.with("network.port_rate=10GB/s")), "bytes do", false),
        "bytes do not follow link.ack_bytes = 64 B");
}

}  // namespace unpriced_test
