#include <gtest/gtest.h>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace explain_test {

using namespace weft::commands_test;

namespace {

// The line of `text` that holds `part`; empty when none does.
std::string line_with(const std::string& text, const std::string& part)
{
    const std::size_t at = text.find(part);
    if (at == std::string::npos) return "";
    const std::size_t start = text.rfind('\n', at) + 1;
    return text.substr(start, text.find('\n', at) - start);
}

}  // namespace

TEST(Explain, NamesTheSourceOfEveryValue)
{
    const Fixtures files;
    const Outcome outcome =
        call({"explain", files.pair_system(), "--set", "l2.size=8MiB", "--set", "host.0.xpu.1.gpu.outstanding=7"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(line_with(outcome.out, "l2.size").find("8 MiB"), std::string::npos);
    EXPECT_NE(line_with(outcome.out, "l2.size").find("--set"), std::string::npos);
    EXPECT_NE(line_with(outcome.out, "link.bandwidth").find("50 GB/s"), std::string::npos);
    EXPECT_NE(line_with(outcome.out, "link.bandwidth").find("pair.yaml:7"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("host.0.xpu.1\n"), std::string::npos) << outcome.out;
}

TEST(Explain, TakesDocumentsAndCanLeaveOutWhatIsNotUsed)
{
    const std::string system = "examples/dgx_h100/system.yaml";
    const Outcome all = call({"explain", system});
    const Outcome used = call({"explain", system, "--used"});
    EXPECT_EQ(all.code, 0);
    EXPECT_EQ(used.code, 0);
    EXPECT_NE(all.out.find("link pcie"), std::string::npos);
    EXPECT_EQ(used.out.find("link pcie"), std::string::npos);
    EXPECT_EQ(call({"explain", "--infra", "examples/dgx_h100/dgx_h100.yaml"}).code, 0);
}

TEST(Models, ListsKindsParametersAndProfiles)
{
    const Outcome outcome = call({"models"});
    EXPECT_EQ(outcome.code, 0);
    for (const std::string part : {"\nkind gpu\n  model gpu ", "\nkind switch\n  model crossbar ", "\n  model switch ",
             "    l2.size ", "    routing.path_selection ", "  h100 ", "  mi300x "})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
    const std::string line = line_with(outcome.out, "switch.latency");
    EXPECT_EQ(line, "    switch.latency                 ps      100 ns         1 ps to 1 ms");
    EXPECT_NE(line_with(outcome.out, "gpu.wait_policy").find("one of spin, backoff"), std::string::npos);

    const Outcome one = call({"models", "switch"});
    EXPECT_EQ(one.code, 0);
    EXPECT_NE(one.out.find("kind switch"), std::string::npos);
    EXPECT_EQ(one.out.find("kind gpu"), std::string::npos);
}

}  // namespace explain_test
