// `weft fabric`: a saturation is a load of the pattern, also where part of a sender's traffic is held up and the rest goes on.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace fabric_shares_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

// Two boxes of two accelerators. A port of 50 GB/s leads to the neighbour, another one out; between the boxes are 12.5 GB/s. Of uniform
// traffic two thirds leave the box: two accelerators of 100 GB/s ask that link for 2 * 2/3 * 100 / 12.5 times what it carries.
constexpr double asked = 32.0 / 3;
constexpr double theory = 1 / asked;

class FabricShares : public ::testing::Test {
protected:
    FabricShares()
    {
        files_.write("two.yaml", R"(name: two
devices:
- name: box
  components: [{name: xpu, choice: xpu, count: 2}, {name: sw, choice: switch, count: 1}, {name: hop, choice: switch, count: 2}, {name: out, choice: switch, count: 1}]
  links: [{name: acc, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 50}}}]
  edges:
  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: acc}
  - {ep1: {component: xpu}, ep2: {component: hop}, scheme: one2one, link: acc}
  - {ep1: {component: hop}, ep2: {component: out}, scheme: many2many, link: acc}
links: [{name: cross, description: NVLink 4, physical: {bandwidth: {gigabytes_per_second: 12.5}, latency: {ns: 50}}}]
instances: [{name: box, device: box, count: 2}]
edges: [{ep1: {instance: "box[0]", component: out}, ep2: {instance: "box[1]", component: out}, scheme: one2one, link: cross}]
)");
        system_ = files_.write("system.yaml", "infrastructure: two.yaml\nprofile: h100\n");
    }

    Outcome fabric(const std::string& loads, const std::string& duration, bool as_json) const
    {
        std::vector<std::string> arguments{"fabric", system_, "--loads", loads, "--duration", duration};
        if (as_json) arguments.insert(arguments.end(), {"--json", "-"});
        Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    }
    json result(const std::string& loads, const std::string& duration) const
    {
        return json::parse(fabric(loads, duration, true).out);
    }

private:
    Fixtures files_;
    std::string system_;
};

}  // namespace

// Senders fare alike, and the mean of what they have beyond saturation would be 0.130, 0.103 and 0.162.
TEST_F(FabricShares, SaturationIsThatOfThePatternWhateverTheLoads)
{
    struct Case {
        const char* loads;
        const char* duration;
    };
    for (const Case& of : {Case{"0.05,0.2", "20us"}, Case{"0.08,0.12", "10us"}, Case{"0.3", "5us"}}) {
        const json all = result(of.loads, of.duration);
        EXPECT_EQ(all["saturation_is"], "estimate") << of.loads;
        EXPECT_NEAR(all["saturation"].get<double>(), theory, 0.01 * theory) << of.loads;
        EXPECT_NEAR(all["limit"]["asked"].get<double>(), asked, 0.01 * asked) << of.loads;
        EXPECT_GT(all["full_load"]["jain"].get<double>(), 0.999) << of.loads;
        EXPECT_EQ(all["limit"]["name"], "box.0.out.0~box.1.out.0 from box.0.out.0") << of.loads;
    }
}

// Load 0.1 is too much by 6.7 %, of which 10 us show nothing: fewer than 2 % of all lines are missing.
TEST_F(FabricShares, ALoadThatAsksALinkForMoreThanItCarriesIsNotSustained)
{
    const json all = result("0.09,0.1", "10us");
    EXPECT_EQ(all["points"][1]["steady"], true);
    EXPECT_EQ(all["points"][1]["state"], "saturated");
    EXPECT_EQ(all["sustained"], 0.09);
    EXPECT_EQ(all["saturated_from"], 0.1);
    EXPECT_NEAR(all["saturation"].get<double>(), theory, 0.01 * theory);
    EXPECT_NE(fabric("0.09,0.1", "10us", false).out.find("  saturated: a link is asked for more than it carries"),
        std::string::npos);
}

// Far beyond saturation lines are left at the end, and nothing tells what links are asked for.
TEST_F(FabricShares, WithoutALoadAllOfWhoseLinesArriveNothingIsToldButTheLoads)
{
    const json all = result("0.9", "40us");
    EXPECT_EQ(all["saturation_is"], "lower bound");
    EXPECT_EQ(all["saturation"], 0);
    const std::string text = fabric("0.9", "40us", false).out;
    EXPECT_NE(text.find("saturation  below load 0.9 ("), std::string::npos) << text;
    EXPECT_NE(text.find("of none of these loads have all lines arrived"), std::string::npos) << text;
}

// A line is 80 B on links of 40 GB/s, 64 of them data, a request of a read 16.
constexpr const char* lines_of_80 = R"(profile: generic
bind: [{nodes: {component: sw}, kind: switch}]
links: {l: {protocol: nvlink_4}}
parameters: {link.merge: none, switch.latency: 50 ns}
)";

double saturation(const std::string& document, const std::vector<std::string>& options, std::string* limit = nullptr)
{
    const Fixtures files;
    files.write("own.yaml", document);
    const std::string system = files.write("system.yaml", std::string("infrastructure: own.yaml\n") + lines_of_80);
    std::vector<std::string> arguments{"fabric", system, "--json", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const json all = json::parse(outcome.out);
    EXPECT_EQ(all["saturation_is"], "estimate") << all["saturation"];
    if (limit != nullptr) *limit = all["limit"]["name"];
    return all["saturation"];
}

// Eight on a switch read, three in ten lines from the first: its own link has 7 (0.3 + 0.7 / 7) answers of 80 B and its request, where load 1 has
// 96 B. No link that leaves the switch is as full.
TEST(FabricSharesOfReads, AreThoseOfTheLinkThatAnswersFill)
{
    const std::string star =
        "name: star\ndevices:\n- name: s\n  components: [{name: xpu, choice: xpu, count: 8}, "
        "{name: sw, choice: switch, count: 1}]\n"
        "  links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 40}, latency: {ns: 50}}}]\n"
        "  edges: [{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: l}]\n"
        "instances: [{name: s, device: s, count: 1}]\n";
    for (const char* loads : {"0.3,0.6", "0.2,0.45"}) {
        std::string limit;
        EXPECT_NEAR(
            saturation(star,
                {"--pattern", "hot_spot", "--fraction", "0.3", "--reads", "1", "--loads", loads, "--duration", "20us"},
                &limit),
            0.4, 0.004)
            << loads;
        EXPECT_EQ(limit, "s.0.xpu.0~s.0.sw.0 from s.0.xpu.0") << loads;
    }
}

// Three switches in a row with two accelerators each, uniform: eight in ten lines of two senders pass from the first to the second.
TEST(FabricSharesOfARow, AreThoseOfItsLinkWhateverTheLoads)
{
    const std::string row =
        "name: row\ndevices:\n- name: b\n  components: [{name: xpu, choice: xpu, count: 2}, "
        "{name: sw, choice: switch, count: 1}]\n"
        "  links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 40}, latency: {ns: 50}}}]\n"
        "  edges: [{ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: l}]\n"
        "instances: [{name: b, device: b, count: 3}]\n"
        "links: [{name: l, physical: {bandwidth: {gigabytes_per_second: 40}, latency: {ns: 50}}}]\n"
        "edges:\n- {ep1: {instance: \"b[0]\", component: sw}, ep2: {instance: \"b[1]\", component: sw}, scheme: "
        "one2one, link: l}\n"
        "- {ep1: {instance: \"b[1]\", component: sw}, ep2: {instance: \"b[2]\", component: sw}, scheme: one2one, link: "
        "l}\n";
    for (const char* loads : {"0.58,0.68", "0.6,0.7"})
        EXPECT_NEAR(saturation(row, {"--loads", loads, "--duration", "20us"}), 0.625, 0.00625) << loads;
}

}  // namespace fabric_shares_test
