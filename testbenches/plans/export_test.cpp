// Schedule -> MSCCL XML -> schedule: right, and the same bytes between the same ranks.
#include <gtest/gtest.h>

#include "collectives/plans/export_order.h"
#include "collectives/plans/msccl_reader.h"
#include "collectives/plans/msccl_writer.h"
#include "collectives/plans/mscclpp_reader.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "collectives/schedule/analysis/traffic.h"
#include "testbenches/plans/fixtures.h"

namespace export_test {

using namespace weft;
using namespace weft::plans_test;

namespace {

std::string all(const std::vector<Diagnostic>& problems)
{
    std::string out;
    for (const Diagnostic& problem : problems) out += problem.text() + "\n";
    return out;
}

Plan round_trip(const Schedule& schedule)
{
    const Plan plan = read_msccl_xml(write_msccl_xml(schedule), "export.xml");
    const Judgement verdict = judge(plan);
    EXPECT_TRUE(verdict.ok) << schedule.name << "\n" << all(verdict.problems) << write_msccl_xml(schedule);
    EXPECT_TRUE(plan.notices.empty() || plan.notices[0].what.find("cnt") == 0 ||
        plan.notices[0].what.find("steps") != std::string::npos)
        << plan.notices[0].text();
    if (!verdict.ok) return plan;
    // A size that all chunks and shares divide.
    const std::uint64_t bytes = std::uint64_t{64} * plan.schedule.chunks;
    const Traffic before = traffic_of(schedule, Layout(schedule, bytes, 1));
    const Traffic after = traffic_of(plan.schedule, Layout(plan.schedule, bytes, 1));
    EXPECT_EQ(before.pairs, after.pairs) << schedule.name;
    return plan;
}

bool moves_data_by_pairs(const Schedule& schedule)
{
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads)
            for (const Step& step : thread.steps)
                if (in_switch(step.kind)) return false;
    return schedule.op != CollectiveOp::barrier;
}

}  // namespace

TEST(MscclExport, EveryBuiltInAlgorithmComesBack)
{
    int count = 0;
    for (int op = 0; op <= static_cast<int>(CollectiveOp::custom); ++op)
        for (const std::string& name : algorithm_names(static_cast<CollectiveOp>(op)))
            for (const std::uint32_t ranks : {2u, 3u, 5u, 8u})
                for (const std::uint32_t channels : {1u, 3u}) {
                    AlgorithmOptions options;
                    options.channels = channels;
                    Schedule schedule;
                    try {
                        schedule = make_schedule(name, static_cast<CollectiveOp>(op), ranks, options);
                    } catch (const InputError&) {
                        continue;  // not for so many ranks
                    }
                    if (!moves_data_by_pairs(schedule)) continue;
                    const Plan plan = round_trip(schedule);
                    EXPECT_EQ(plan.schedule.chunks % schedule.chunks, 0u);
                    ++count;
                }
    EXPECT_GE(count, 14 * 4 * 2);
}

// Ring: what arrives in slots is added and sent on in one step, what is gathered is stored and sent on in one step.
TEST(MscclExport, ARingIsFused)
{
    const Schedule schedule = make_schedule("ring", CollectiveOp::all_reduce, 4, {});
    const Plan plan = round_trip(schedule);
    const std::map<std::string, std::uint64_t> ring{{"r", 4}, {"rcs", 8}, {"rrcs", 4}, {"rrs", 8}, {"s", 4}};
    EXPECT_EQ(plan.operations, ring);
    EXPECT_EQ(plan.blocks, 4u);
    EXPECT_EQ(plan.connections, 4u);
    EXPECT_EQ(judge(plan).verification.steps, 6u);
}

namespace {

std::string told(const char* algorithm, CollectiveOp op, std::uint32_t ranks)
{
    const Schedule schedule = make_schedule(algorithm, op, ranks, {});
    return export_changes(schedule, write_msccl_xml(schedule));
}

const char* const no_order = "signals, waits and barriers that no data need are not in MSCCL XML";
const char* const waiting = "and the others wait for the one that is one step with the receive or the sum";

}  // namespace

// Rounds of pairwise are an order of threads alone: seven transfers in turn, in the file all at once.
TEST(MscclExport, OrderThatNoDataNeedIsLostAndTold)
{
    EXPECT_EQ(told("ring", CollectiveOp::all_reduce, 8), "");
    EXPECT_EQ(told("pairwise", CollectiveOp::all_to_all, 8),
        std::string("the exported plan keeps the name pairwise, but its times differ, and its longest chain of "
                    "dependent transfers has 1 instead of 7: ") +
            no_order);
}

// A longer chain has lost no order: the file has steps of another form.
TEST(MscclExport, WhyAChainIsLongerIsTold)
{
    const std::string direct = told("direct", CollectiveOp::all_reduce, 4);
    EXPECT_NE(direct.find("has 3 instead of 2: a step that stores to several ranks becomes a send to each, "),
        std::string::npos)
        << direct;
    EXPECT_NE(direct.find(waiting), std::string::npos) << direct;
    const std::string halving = told("halving_doubling", CollectiveOp::all_reduce, 8);
    EXPECT_NE(halving.find("has 11 instead of 6: stores to a rank that are issued together become sends one after the "
                           "other"),
        std::string::npos)
        << halving;
    EXPECT_EQ((direct + halving).find(no_order), std::string::npos);
}

// Loads become sends, however long the chain.
TEST(MscclExport, LoadsThatBecomeSendsAreTold)
{
    const std::string get = told("one_shot_get", CollectiveOp::all_reduce, 4);
    EXPECT_EQ(get.find("longest chain"), std::string::npos) << get;
    EXPECT_NE(get.find("loads become sends of the other side"), std::string::npos) << get;
    EXPECT_EQ(told("one_shot", CollectiveOp::all_reduce, 4).find("loads"), std::string::npos);
}

TEST(MscclExport, ARootSurvives)
{
    AlgorithmOptions options;
    options.root = 2;
    const Plan plan = round_trip(make_schedule("ring", CollectiveOp::broadcast, 4, options));
    EXPECT_EQ(plan.schedule.root, 2u);
}

// Chunks of unequal length: sizes that the ranks do not divide.
TEST(MscclExport, EverySizeComesBack)
{
    int count = 0;
    for (int op = 0; op <= static_cast<int>(CollectiveOp::custom); ++op)
        for (const std::string& name : algorithm_names(static_cast<CollectiveOp>(op)))
            for (const std::uint32_t channels : {1u, 5u})
                for (const std::uint64_t bytes : {12u, 1012u, 4100u, 65536u}) {
                    AlgorithmOptions options;
                    options.channels = channels;
                    options.root = has_root(static_cast<CollectiveOp>(op)) ? 3 : 0;
                    Schedule schedule;
                    try {
                        schedule = make_schedule(name, static_cast<CollectiveOp>(op), 5, options);
                    } catch (const InputError&) {
                        continue;
                    }
                    if (!moves_data_by_pairs(schedule)) continue;
                    VerifyOptions sizes;
                    sizes.bytes = bytes;
                    sizes.element_bytes = 4;
                    PlanOptions reading;
                    reading.bytes = bytes;
                    reading.element_bytes = 4;
                    const Judgement verdict =
                        judge(read_msccl_xml(write_msccl_xml(schedule), "export.xml", reading), sizes);
                    EXPECT_TRUE(verdict.ok)
                        << name_of(schedule.op) << " " << name << " " << channels << " " << bytes << "\n"
                        << all(verdict.problems).substr(0, 300);
                    ++count;
                }
    EXPECT_GE(count, 20 * 2 * 4);
}

// The format has no name for them; an attribute of our own says what they are.
TEST(MscclExport, AGatherIsOneAgain)
{
    const Schedule schedule = make_schedule("direct", CollectiveOp::gather, 4, {});
    const std::string xml = write_msccl_xml(schedule);
    const Plan plan = read_msccl_xml(xml, "export.xml");
    EXPECT_EQ(plan.collective, "custom");
    EXPECT_EQ(plan.schedule.op, CollectiveOp::gather);
    EXPECT_EQ(refusal_of_xml(with(xml, "op=\"gather\"", "op=\"reduce\"")),
        "plan.xml:1: op 'reduce'; expected gather or scatter");
    EXPECT_EQ(refusal_of_xml(with(xml, "coll=\"custom\"", "coll=\"allgather\"")),
        "plan.xml:1: op 'gather' of coll 'allgather'; expected op with coll=\"custom\"");
    const std::string wrong = with(xml, "i_chunks=\"1\"", "i_chunks=\"2\"");
    EXPECT_NE(problems_of(read_msccl_xml(wrong, "export.xml")).find("i_chunks=\"2\", which is 8 chunks"),
        std::string::npos);
}

TEST(MscclExport, PlansOfOthersComeBack)
{
    round_trip(read_msccl_xml(pair_xml, "pair.xml").schedule);
    round_trip(read_mscclpp_json(pair_json, "pair.json").schedule);
    PlanOptions packets;
    packets.packets = true;
    round_trip(read_msccl_xml(pair_xml, "pair.xml", packets).schedule);
}

TEST(MscclExport, WhatHasNoCounterpartIsRefused)
{
    const auto refusal = [](const Schedule& schedule) -> std::string {
        try {
            write_msccl_xml(schedule);
        } catch (const InputError& error) {
            return error.diagnostics().front().text();
        }
        return "";
    };
    EXPECT_NE(refusal(make_schedule("ring", CollectiveOp::barrier, 4, {})).find("a barrier has no form in MSCCL XML"),
        std::string::npos);
    Schedule schedule = make_schedule("direct", CollectiveOp::broadcast, 4, {});
    schedule.ranks[0].threads[0].steps[0].kind = StepKind::multicast;
    EXPECT_NE(refusal(schedule).find("multicast has no form in MSCCL XML; expected transfers between two ranks"),
        std::string::npos);
}

}  // namespace export_test
