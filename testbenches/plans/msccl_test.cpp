// MSCCL XML: what a plan becomes, and every kind of defect by its message.
#include <gtest/gtest.h>

#include "collectives/plans/msccl_reader.h"
#include "collectives/schedule/layout.h"
#include "testbenches/plans/fixtures.h"

namespace msccl_test {

using namespace weft;
using namespace weft::plans_test;

namespace {

Plan read(const std::string& text, bool packets = false)
{
    PlanOptions options;
    options.packets = packets;
    return read_msccl_xml(text, "plan.xml", options);
}

struct Defect {
    const char* from;
    const char* to;
    const char* problem;
};

}  // namespace

TEST(Msccl, AGoodPlanIsRight)
{
    const Plan plan = read(pair_xml);
    EXPECT_EQ(problems_of(plan), "");
    EXPECT_TRUE(plan.notices.empty());
    EXPECT_EQ(plan.schedule.op, CollectiveOp::all_reduce);
    EXPECT_TRUE(plan.schedule.in_place);
    EXPECT_EQ(plan.steps(), 10u);
    EXPECT_EQ(plan.moved, 4u);
    EXPECT_EQ(judge(plan).verification.steps, 2u);
}

// Rank 0, block 0: s, rrc, s, r. Messages of rank 1 come to scratch slots 1 and 2, behind the plan's own.
TEST(Msccl, MessagesGoThroughSlotsAndSignals)
{
    const Schedule schedule = read(pair_xml).schedule;
    const RankPlan& rank = schedule.ranks[0];
    EXPECT_EQ(rank.scratch_chunks, 3u);
    EXPECT_EQ(rank.semaphores, 1u);
    ASSERT_EQ(rank.threads.size(), 2u);
    const std::vector<Step>& steps = rank.threads[0].steps;
    const std::vector<StepKind> kinds{StepKind::move, StepKind::signal, StepKind::wait, StepKind::move, StepKind::move,
        StepKind::signal, StepKind::wait, StepKind::move};
    ASSERT_EQ(steps.size(), kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(steps[i].kind, kinds[i]) << i;
    EXPECT_EQ(steps[0].destinations[0].rank, 1u);
    EXPECT_EQ(steps[0].destinations[0].buffer, Buffer::scratch);
    ASSERT_EQ(steps[3].sources.size(), 2u);
    EXPECT_EQ(steps[3].sources[1].index, 1u);
    EXPECT_EQ(steps[7].sources[0].index, 2u);
    // The second block waits for step 1 of the first, which is its step 3 here.
    const Step& nop = rank.threads[1].steps[0];
    ASSERT_EQ(nop.after.size(), 1u);
    EXPECT_EQ(nop.after[0].thread, 0u);
    EXPECT_EQ(nop.after[0].step, 3u);
}

namespace {

// All-gather of two ranks by way of scratch of the plan.
const std::string through_scratch = [] {
    const auto gpu = [](int me) {
        const std::string own = std::to_string(me);
        const std::string peer = std::to_string(1 - me);
        const std::string depends = "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
        return "  <gpu id=\"" + own + "\" i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"1\">\n    <tb id=\"0\" send=\"" +
            peer + "\" recv=\"" + peer + "\" chan=\"0\">\n" +
            R"(<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" )" + depends +
            R"(<step s="1" type="r" srcbuf="s" srcoff="0" dstbuf="s" dstoff="0" cnt="1" )" + depends +
            R"(<step s="2" type="cpy" srcbuf="s" srcoff="0" dstbuf="o" dstoff=")" + peer + "\" cnt=\"1\" " + depends +
            R"(<step s="3" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff=")" + own + "\" cnt=\"1\" " + depends +
            "    </tb>\n  </gpu>\n";
    };
    return R"(<algo name="by_way" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="0">)"
           "\n" +
        gpu(0) + gpu(1) + "</algo>\n";
}();

}  // namespace

// One element in two chunks is 4 bytes and nothing: what is nothing moves as such, all else as whole slots.
TEST(Msccl, MovesAmongSlotsOfEmptyChunksMoveNothing)
{
    for (const bool packets : {false, true})
        for (const std::uint64_t bytes : {4, 12, 200}) {
            PlanOptions reading;
            reading.packets = packets;
            reading.bytes = bytes;
            reading.element_bytes = 4;
            const Plan plan = read_msccl_xml(through_scratch, "plan.xml", reading);
            VerifyOptions size;
            size.bytes = bytes;
            size.element_bytes = 4;
            EXPECT_TRUE(judge(plan, size).ok) << bytes;
            const Layout layout(plan.schedule, bytes, 4);
            // Rank 0 gets the second chunk.
            for (std::uint32_t rank = 0; rank < 2; ++rank) {
                std::size_t nothing = 0;
                for (const Step& step : plan.schedule.ranks[rank].threads[0].steps) {
                    if (!step.like) continue;
                    EXPECT_TRUE(layout.shares(step).empty());
                    ++nothing;
                }
                EXPECT_EQ(nothing, bytes == 4 && rank == 0 ? 1u : 0u) << bytes;
            }
        }
}

// The slots of messages have no names in the file.
TEST(Msccl, MessagesOfAConnectionAreNamedAsSuch)
{
    Plan late = read(through_scratch);
    std::vector<Step>& steps = late.schedule.ranks[1].threads[0].steps;
    steps.erase(steps.begin());
    const std::string text = problems_of(late);
    EXPECT_NE(text.find("reads chunk 0 of message 0 of connection 1 -> 0, channel 0"), std::string::npos) << text;
}

TEST(Msccl, AsPacketsThereAreNoSignals)
{
    const Plan plan = read(pair_xml, true);
    EXPECT_EQ(problems_of(plan), "");
    EXPECT_EQ(plan.schedule.ranks[0].packet_chunks, 2u);
    EXPECT_EQ(plan.schedule.ranks[0].scratch_chunks, 1u);
    for (const RankPlan& rank : plan.schedule.ranks)
        for (const Thread& thread : rank.threads)
            for (const Step& step : thread.steps)
                EXPECT_TRUE(step.kind == StepKind::move || step.kind == StepKind::nop);
}

TEST(Msccl, TheNewerFormMeansTheSame)
{
    std::string text = pair_xml;
    for (std::size_t at = text.find("<step s="); at != std::string::npos; at = text.find("<step s="))
        text.replace(at, 8, "<op step=");
    for (const std::string left_out : {" depid=\"-1\" deps=\"-1\"", " hasdep=\"0\""})
        for (std::size_t at = text.find(left_out); at != std::string::npos; at = text.find(left_out))
            text.erase(at, left_out.size());
    text = with(text, "srcbuf=\"i\" srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\"", "buf=\"i\" off=\"1\"");
    EXPECT_EQ(problems_of(read(text)), "");
}

TEST(Msccl, DefectsOfStructureAreNamedWithTheirLine)
{
    const Defect defects[] = {
        {"send=\"1\" recv=\"1\"", "send=\"7\" recv=\"1\"",
            "plan.xml:3: tb 0 of gpu 0 sends to gpu 7; expected a gpu below 2, or -1"},
        {"send=\"1\" recv=\"1\"", "send=\"0\" recv=\"1\"",
            "plan.xml:3: tb 0 of gpu 0 sends to itself; expected another gpu, or -1"},
        {"send=\"1\" recv=\"1\" chan=\"0\"", "send=\"1\" recv=\"1\" chan=\"1\"",
            "plan.xml:3: channel 1 of 1; expected channels below nchannels"},
        {"send=\"1\" recv=\"1\"", "send=\"-1\" recv=\"1\"",
            "plan.xml:4: step s sends in tb 0 of gpu 0, which has no peer to send to; expected a peer in 'send'"},
        {"send=\"1\" recv=\"1\"", "send=\"1\" recv=\"-1\"",
            "plan.xml:5: step rrc receives in tb 0 of gpu 0, which has no peer to receive from; expected a peer in "
            "'recv'"},
        {"srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\" cnt=\"1\"", "srcoff=\"2\" dstbuf=\"i\" dstoff=\"1\" cnt=\"1\"",
            "plan.xml:4: srcoff 2 and cnt 1 lie outside the input of gpu 0; expected chunks 0 to 1"},
        {"dstbuf=\"s\" dstoff=\"0\"", "dstbuf=\"o\" dstoff=\"0\"",
            "plan.xml:11: dstoff 0 and cnt 1 lie outside the output of gpu 0; expected a buffer with chunks"},
        {"depid=\"0\" deps=\"1\"", "depid=\"3\" deps=\"1\"",
            "plan.xml:10: depends on step 1 of tb 3, which gpu 0 does not have; expected an existing step, or -1 for "
            "both"},
        {"depid=\"0\" deps=\"1\"", "depid=\"0\" deps=\"4\"",
            "plan.xml:10: depends on step 4 of tb 0, which gpu 0 does not have; expected an existing step, or -1 for "
            "both"},
        {"id=\"5\"", "id=\"0\"", "plan.xml:9: tb 0 of gpu 0 twice; expected ids of their own"},
        {"<gpu id=\"1\"", "<gpu id=\"0\"", "plan.xml:14: gpu 0 twice; expected once"},
        {"ngpus=\"2\"", "ngpus=\"3\"", "plan.xml:1: gpu 2 of 3 is missing; expected every gpu"},
        {"i_chunks=\"2\"", "i_chunks=\"4\"",
            "plan.xml:2: gpu 0 has i_chunks=\"4\", which is 4 chunks; expected 2, the value of nchunksperloop"},
    };
    for (const Defect& defect : defects)
        EXPECT_NE(problems_of(read(with(pair_xml, defect.from, defect.to))).find(defect.problem), std::string::npos)
            << defect.to << "\n"
            << problems_of(read(with(pair_xml, defect.from, defect.to)));
}

TEST(Msccl, ConnectionsMustMatch)
{
    const std::string last =
        "      <step s=\"3\" type=\"r\" srcbuf=\"i\" srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\" cnt=\"1\" depid=\"-1\" "
        "deps=\"-1\" hasdep=\"0\"/>\n";
    EXPECT_EQ(problems_of(read(with(pair_xml, last, ""))),
        "plan.xml:17: 2 messages are sent from gpu 1 to gpu 0 on channel 0 but 1 are received; expected the same "
        "number\n");
    EXPECT_EQ(problems_of(read(with(pair_xml, "srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\" cnt=\"1\"",
                  "srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"2\""))),
        "plan.xml:17: message 0 from gpu 0 to gpu 1 on channel 0 is sent with cnt 2 (line 4) and received with cnt 1; "
        "expected equal counts\n");
    const std::string elsewhere = with(with(pair_xml, "nchannels=\"1\"", "nchannels=\"2\""),
        "send=\"0\" recv=\"0\" chan=\"0\"", "send=\"0\" recv=\"0\" chan=\"1\"");
    EXPECT_EQ(problems_of(read(elsewhere)),
        "plan.xml:3: no block receives the data sent from gpu 0 to gpu 1 on channel 0; expected a block with that peer "
        "and channel\n"
        "plan.xml:15: no block receives the data sent from gpu 1 to gpu 0 on channel 1; expected a block with that "
        "peer "
        "and channel\n"
        "plan.xml:15: no block sends the data received from gpu 0 to gpu 1 on channel 1; expected a block with that "
        "peer "
        "and channel\n"
        "plan.xml:3: no block sends the data received from gpu 1 to gpu 0 on channel 0; expected a block with that "
        "peer "
        "and channel\n");
    const std::string twice = with(pair_xml, "<tb id=\"5\" send=\"-1\"", "<tb id=\"5\" send=\"1\"");
    EXPECT_EQ(problems_of(read(twice)),
        "plan.xml:9: tb 0 and tb 5 of gpu 0 send on one connection; expected one block for each connection and "
        "direction\n");
}

TEST(Msccl, CyclesAreSpelledOut)
{
    // Step 0 of tb 0 waits for the copy, which waits for step 1 of tb 0.
    const std::string cycle = with(pair_xml, "cnt=\"1\" depid=\"-1\" deps=\"-1\"", "cnt=\"1\" depid=\"5\" deps=\"1\"");
    EXPECT_EQ(problems_of(read(cycle)),
        "plan.xml:4: steps of gpu 0 wait for each other: tb 0 step 0 for tb 5 step 1, tb 5 step 0 for tb 0 step 1; "
        "expected dependencies without a cycle\n");
}

// Both ranks receive first: every message is matched, and none is ever sent.
TEST(Msccl, ADeadlockIsFound)
{
    const std::string receive =
        "      <step s=\"0\" type=\"r\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" "
        "deps=\"-1\" hasdep=\"0\"/>\n"
        "      <step s=\"1\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" "
        "deps=\"-1\" hasdep=\"0\"/>\n";
    const std::string gpu = "<tb id=\"0\" send=\"{}\" recv=\"{}\" chan=\"0\">\n" + receive + "</tb></gpu>\n";
    const std::string text =
        "<algo name=\"x\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"1\" ngpus=\"2\" coll=\"custom\" "
        "inplace=\"0\">\n<gpu id=\"0\" i_chunks=\"1\" o_chunks=\"0\" s_chunks=\"0\">" +
        with(with(gpu, "{}", "1"), "{}", "1") + "<gpu id=\"1\" i_chunks=\"1\" o_chunks=\"0\" s_chunks=\"0\">" +
        with(with(gpu, "{}", "0"), "{}", "0") + "</algo>";
    EXPECT_EQ(problems_of(read(text)),
        "plan.xml:3: rank 0 thread 0 step 0 (wait) never runs: it waits for signal 1 on semaphore 0 from rank 1, "
        "which rank 1 thread 0 would send in step 3\n"
        "plan.xml:7: rank 1 thread 0 step 0 (wait) never runs: it waits for signal 1 on semaphore 0 from rank 0, "
        "which rank 0 thread 0 would send in step 3\n");
}

TEST(Msccl, AWrongResultIsFound)
{
    // Rank 1 forwards its own term in place of the sum.
    const std::string swapped = with(pair_xml, "<step s=\"1\" type=\"rrc\" srcbuf=\"i\" srcoff=\"1\"",
        "<step s=\"1\" type=\"r\" srcbuf=\"i\" srcoff=\"1\"");
    EXPECT_EQ(problems_of(read(swapped)),
        "plan.xml: output chunk 1 of rank 0 ends wrong: expected input chunk 1 of ranks 0-1; found input chunk 1 of "
        "rank 0\n"
        "plan.xml: output chunk 1 of rank 1 ends wrong: expected input chunk 1 of ranks 0-1; found input chunk 1 of "
        "rank 0\n");
    // Without its dependency the second block may copy too early.
    const std::string early = with(pair_xml, "depid=\"0\" deps=\"1\"", "depid=\"-1\" deps=\"-1\"");
    EXPECT_NE(problems_of(read(early)).find("unordered with"), std::string::npos);
}

TEST(Msccl, WhatARuntimeStumblesOverIsANotice)
{
    const Plan plan = read(with(pair_xml, "hasdep=\"1\"", "hasdep=\"0\""));
    EXPECT_EQ(problems_of(plan), "");
    ASSERT_EQ(plan.notices.size(), 1u);
    EXPECT_EQ(plan.notices[0].text(),
        "plan.xml:10: depends on step 1 of tb 0, which has hasdep=\"0\"; expected hasdep=\"1\" there; else the runtime "
        "never signals that step");
}

// Said once, wherever it comes first. Those of runtimes that mean nothing here are known.
TEST(Msccl, AttributesThatAreNoneAreNamed)
{
    EXPECT_TRUE(read(with(pair_xml, " ngpus", " nthreads=\"512\" ngpus")).notices.empty());
    const Plan plan =
        read(with(with(pair_xml, " ngpus", " minbytes=\"4\" ngpus"), " type=\"rrc\"", " remark=\"1\" type=\"rrc\""));
    ASSERT_EQ(plan.notices.size(), 2u);
    EXPECT_EQ(plan.notices[0].text(),
        "plan.xml:1: the attribute 'minbytes' is not one of a plan, and is not read; expected a known attribute (did "
        "you "
        "mean 'minBytes'?)");
    EXPECT_EQ(plan.notices[1].text(), "plan.xml:5: the attribute 'remark' is not one of a plan, and is not read");
}

TEST(Msccl, WhatIsNoPlanIsRefused)
{
    const Defect defects[] = {
        {"<algo", "<plan", "plan.xml:22: </algo> closes no open element; expected </plan>"},
        {" ngpus=\"2\"", "", "plan.xml:1: <algo> without ngpus; expected ngpus=\"...\""},
        {"ngpus=\"2\"", "ngpus=\"two\"", "plan.xml:1: ngpus='two'; expected a whole number from 1 to 4096"},
        {"ngpus=\"2\"", "ngpus=\"2", "plan.xml:1: '\"' inside an element; expected '='"},
        {" ngpus", " minBytes=\"9\" maxBytes=\"8\" ngpus",
            "plan.xml:1: minBytes=9 above maxBytes=8; expected a least size that is not above the largest"},
        {"coll=\"allreduce\"", "coll=\"all\"",
            "plan.xml:1: coll 'all'; expected one of allreduce, allgather, reduce, broadcast, alltoall, "
            "reduce_scatter, custom"},
        {"proto=\"Simple\"", "proto=\"UDP\"", "plan.xml:1: proto 'UDP'; expected Simple, LL or LL128"},
        {"type=\"rrc\"", "type=\"ra\"",
            "plan.xml:5: type 'ra'; expected one of s, r, rcs, rrc, rrs, rrcs, cpy, re, nop"},
        {"srcbuf=\"i\"", "srcbuf=\"x\"", "plan.xml:4: srcbuf='x'; expected i, o or s"},
        {"<step s=\"1\"", "<step s=\"2\"", "plan.xml:5: step 2 of tb 0; expected step 1, counted from 0"},
        {"<tb id", "<block id", "plan.xml:8: </tb> closes no open element; expected </block>"},
        {"</algo>", "", "plan.xml:23: <algo> of line 1 is never closed; expected </algo>"},
        {"<gpu id=\"0\"", "<cpu></cpu><gpu id=\"0\"", "plan.xml:2: <cpu> in <algo>; expected <gpu>"},
        {"<tb id", "text <tb id", "plan.xml:3: text between elements; expected elements and comments"},
        {"</algo>", "</algo>junk", "plan.xml:22: text between elements; expected elements and comments"},
    };
    for (const Defect& defect : defects)
        EXPECT_EQ(refusal_of_xml(with(pair_xml, defect.from, defect.to)), defect.problem);
}

TEST(Msccl, EveryPrefixIsRefusedOrWrong)
{
    for (std::size_t size = 0; size + 2 < pair_xml.size(); size += 7)
        EXPECT_NE(refusal_of_xml(pair_xml.substr(0, size)), "") << size;
}

}  // namespace msccl_test
