// Our own sample plans, whose figures were worked out by hand, and every shared one: read, verified, and counted as the
// golden figures say.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "collectives/plans/longest_chain.h"
#include "collectives/plans/plan.h"

namespace golden_test {

using namespace weft;
using nlohmann::json;

namespace {

struct Samples {
    std::string folder;  // of the files
    std::string golden;
    int xml;
    int mscclpp;
};
const Samples shared{std::string(WEFT_SHARED_DIR) + "/collectives/",
    std::string(WEFT_SHARED_DIR) + "/collectives/golden.json", 10, 15};
const Samples own{std::string(WEFT_SOURCE_DIR) + "/",
    std::string(WEFT_SOURCE_DIR) + "/testbenches/plans/own/golden.json", 1, 3};

json figures_of(const Samples& samples)
{
    std::ifstream file(samples.golden);
    return file ? json::parse(file) : json();
}

std::string all(const std::vector<Diagnostic>& problems)
{
    std::string out;
    for (const Diagnostic& problem : problems) out += problem.text() + "\n";
    return out;
}

// What both formats state.
void expect_figures(const std::string& file, const json& figures, const Plan& plan)
{
    EXPECT_EQ(plan.name, figures["name"]) << file;
    EXPECT_EQ(plan.collective, figures["coll"]) << file;
    EXPECT_EQ(plan.protocol, figures.value("proto", figures.value("protocol", ""))) << file;
    EXPECT_EQ(plan.blocks, figures["tbs"]) << file;
    const json operations = figures.contains("types") ? figures["types"] : figures["ops"];
    EXPECT_EQ(json(plan.operations), operations) << file;
    const RankPlan& first = plan.schedule.ranks.at(0);
    EXPECT_EQ(first.input_chunks, figures["i"]) << file;
    EXPECT_EQ(first.output_chunks, figures["o"]) << file;
}

// Figures by chunks have no verdict where blocks share one. By bytes there is one: all outputs come out right in the
// order tried, but a block reads halves that the other block of the peer wrote, and hears of its own half only.
void expect_only_races(const std::string& file, const Judgement& verdict)
{
    EXPECT_FALSE(verdict.ok) << file;
    for (const Diagnostic& problem : verdict.problems)
        EXPECT_NE(problem.what.find("unordered with"), std::string::npos) << problem.text();
}

void expect_msccl_xml(const Samples& samples, const json& figures)
{
    int count = 0;
    for (const auto& [file, expected] : figures.items()) {
        if (file.find(".xml") == std::string::npos) continue;
        for (const bool packets : {false, true}) {
            PlanOptions options;
            options.packets = packets;
            const Plan plan = read_plan(samples.folder + file, options);
            const Judgement verdict = judge(plan);
            EXPECT_TRUE(verdict.ok) << file << (packets ? " as packets" : "") << "\n" << all(verdict.problems);
            EXPECT_EQ(verdict.ok, expected["correct"].get<bool>()) << file;
            EXPECT_TRUE(plan.notices.empty()) << file << " " << plan.notices.front().text();
            EXPECT_EQ(plan.schedule.size(), expected["ngpus"]) << file;
            EXPECT_EQ(plan.schedule.chunks, expected["nchunks"]) << file;
            EXPECT_EQ(plan.moved, expected["sent_total"]) << file;
            EXPECT_EQ(plan.most_moved, expected["sent_max"]) << file;
            EXPECT_EQ(plan.connections, expected["conns"]) << file;
            EXPECT_EQ(longest_chain(plan.schedule).size(), verdict.verification.steps) << file;
            expect_figures(file, expected, plan);
        }
        ++count;
    }
    EXPECT_EQ(count, samples.xml);
}

void expect_mscclpp_json(const Samples& samples, const json& figures)
{
    int count = 0;
    for (const auto& [file, expected] : figures.items()) {
        if (file.find(".xml") != std::string::npos) continue;
        const Plan plan = read_plan(samples.folder + file);
        const Judgement verdict = judge(plan);
        if (!expected["correct"].is_null())
            EXPECT_EQ(verdict.ok, expected["correct"].get<bool>()) << file << "\n" << all(verdict.problems);
        else
            expect_only_races(file, verdict);
        EXPECT_EQ(plan.schedule.size(), expected["gpus"]) << file;
        EXPECT_EQ(plan.moved, expected["moved"]) << file;
        EXPECT_EQ(longest_chain(plan.schedule).size(), verdict.verification.steps) << file;
        expect_figures(file, expected, plan);
        ++count;
    }
    EXPECT_EQ(count, samples.mscclpp);
}

}  // namespace

TEST(PlansGolden, OwnMscclXml) { expect_msccl_xml(own, figures_of(own)); }
TEST(PlansGolden, OwnMscclppJson) { expect_mscclpp_json(own, figures_of(own)); }

TEST(PlansGolden, MscclXml)
{
    const json figures = figures_of(shared);
    if (figures.is_null()) GTEST_SKIP() << "no shared plans";
    expect_msccl_xml(shared, figures);
}

TEST(PlansGolden, MscclppJson)
{
    const json figures = figures_of(shared);
    if (figures.is_null()) GTEST_SKIP() << "no shared plans";
    expect_mscclpp_json(shared, figures);
}

}  // namespace golden_test
