// Sweeps over plans of others.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"
#include "testbenches/plans/fixtures.h"

namespace sweep_plan_test {

using namespace weft::commands_test;
using nlohmann::json;
using weft::plans_test::pair_json;
using weft::plans_test::pair_xml;
using Arguments = std::vector<std::string>;

namespace {

void expect_refused(const std::vector<std::string>& arguments, const std::string& why)
{
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, why + "\n");
}

}  // namespace

// Each plan is run as `weft run --plan` runs it.
TEST(SweepPlan, PlansAreValuesOfAKey)
{
    const Fixtures files;
    const std::string xml = files.write("pair.xml", pair_xml);
    const std::string other = files.write("pair.json", pair_json);
    const Arguments over{"sweep", "--infra", files.pair(), "--bytes", "64KiB", "--over", "plan=" + xml + "," + other};
    const auto with = [](Arguments arguments, const Arguments& more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const Outcome outcome = call(with(over, {"--json", "-"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json table = json::parse(outcome.out, nullptr, false);
    ASSERT_EQ(table["points"].size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string plan = i == 0 ? xml : other;
        const json& point = table["points"][i];
        EXPECT_EQ(point["parameters"]["plan"], plan) << point.dump();
        const Outcome alone =
            call({"run", "--infra", files.pair(), "--plan", plan, "--bytes", "64KiB", "--json", "-", "--no-timing"});
        EXPECT_EQ(point["verified"], "passed");
        EXPECT_EQ(point["time_ps"], json::parse(alone.out, nullptr, false)["collectives"][0]["end_ps"]);
    }
    EXPECT_EQ(call(with(over, {"--csv", "-"})).out.substr(0, 5), "plan,");
    const std::string kept = files.write("a.json", outcome.out);
    const Outcome same = call({"compare", kept, files.write("b.json", outcome.out)});
    EXPECT_EQ(same.code, 0) << same.err << same.out;
}

// Said once, before any run.
TEST(SweepPlan, APlanHasNoAlgorithm)
{
    const Fixtures files;
    const std::string xml = files.write("pair.xml", pair_xml);
    const std::string infra = files.pair();
    expect_refused({"sweep", "--infra", infra, "--plan", xml, "--bytes", "64KiB", "--over", "algorithm=ring,direct"},
        "weft: both --plan and --over algorithm are given; expected a plan, or algorithms of a collective");
    expect_refused({"sweep", "--infra", infra, "--algorithm", "ring", "--bytes", "64KiB", "--over", "plan=" + xml},
        "weft: both --over plan and --algorithm are given; expected a plan, or algorithms of a collective");
    expect_refused(
        {"sweep", "--infra", infra, "--collective", "all_reduce", "--bytes", "64KiB", "--over", "plan=" + xml},
        "weft: both --over plan and --collective are given; expected one of them");
    const std::string system =
        files.write("planned.yaml", "infrastructure: " + infra + "\nworkload: {plan: " + xml + ", bytes: 64 KiB}\n");
    expect_refused({"sweep", system, "--over", "algorithm=ring,direct"},
        "weft: --over algorithm for a system file whose workload is a plan; expected --collective OP, or no --over "
        "algorithm");
    const Outcome instead =
        call({"sweep", system, "--collective", "all_reduce", "--bytes", "64KiB", "--over", "algorithm=ring,direct"});
    EXPECT_EQ(instead.code, 0) << instead.err;
}

}  // namespace sweep_plan_test
