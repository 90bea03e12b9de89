// MSCCL++ plans: what operations become, old and new spellings, and every kind of defect by its message.
#include <gtest/gtest.h>

#include "collectives/plans/mscclpp_reader.h"
#include "testbenches/plans/fixtures.h"

namespace mscclpp_test {

using namespace weft;
using namespace weft::plans_test;

namespace {

Plan read(const std::string& text, std::uint64_t bytes = 0)
{
    PlanOptions options;
    options.bytes = bytes;
    return read_mscclpp_json(text, "plan.json", options);
}

struct Defect {
    const char* from;
    const char* to;
    const char* problem;
};

// One gpu of a custom plan with `ops` in one block; the other has `others`. Both have a memory channel and a port to the
// other, a switch channel over both for scratch, and remote buffers 0 (input) and 1 (scratch).
std::string two_gpus(const std::string& ops, const std::string& others, const std::string& collective = "custom")
{
    const auto gpu = [](int id, const std::string& operations) {
        const std::string me = std::to_string(id);
        const std::string peer = std::to_string(1 - id);
        return "{\"id\": " + me + ", \"input_chunks\": 4, \"output_chunks\": 4, \"scratch_chunks\": 4,\n" +
            "\"threadblocks\": [{\"id\": 0, \"ops\": [" + operations + "],\n" +
            "\"channels\": [{\"channel_type\": \"memory\", \"channel_ids\": [0]}, {\"channel_type\": \"port\", "
            "\"channel_ids\": [0]}, {\"channel_type\": \"switch\", \"channel_ids\": [0]}],\n" +
            "\"remote_buffer_refs\": [{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": [0, 1]}, "
            "{\"access_channel_type\": \"port\", \"remote_buffer_ids\": [1]}]}],\n" +
            "\"channels\": [{\"channel_type\": \"memory\", \"connected_to\": [" + peer +
            "]}, {\"channel_type\": \"port\", \"connected_to\": [" + peer +
            "]}, {\"channel_type\": \"switch\", \"buff\": \"s\", \"rank_groups\": [{\"size\": 2, \"ranks\": [0, "
            "1]}]}],\n\"remote_buffers\": [{\"rank\": " +
            peer + ", \"type\": \"i\", \"access_channel_types\": [\"memory\"]}, {\"rank\": " + peer +
            ", \"type\": \"s\", \"access_channel_types\": [\"memory\", \"port\"]}],\n" +
            "\"semaphores\": [{\"init_value\": 0}, {\"init_value\": 1}]}";
    };
    return "{\"name\": \"two\", \"collective\": \"" + collective +
        "\", \"protocol\": \"Simple\", \"inplace\": false,\n\"gpus\": [\n" + gpu(0, ops) + ",\n" + gpu(1, others) +
        "]}\n";
}

const std::string local_i0 = R"({"type": "i", "index": 0, "size": 1})";
const std::string local_s1 = R"({"type": "s", "index": 1, "size": 1})";
const std::string remote_i0 = R"({"buffer_id": 0, "index": 0, "size": 1})";
const std::string remote_s1 = R"({"buffer_id": 1, "index": 1, "size": 1})";
const std::string remote_s2 = R"({"buffer_id": 1, "index": 2, "size": 1})";
const std::string local_o0 = R"({"type": "o", "index": 0, "size": 1})";

std::string op(const std::string& name, const std::string& sources, const std::string& destinations,
    const std::string& channel = "memory")
{
    return "{\"name\": \"" + name + "\", \"src_buff\": [" + sources + "], \"dst_buff\": [" + destinations +
        "], \"channel_type\": \"" + channel + "\", \"channel_ids\": [0]}";
}

const std::vector<Step>& steps_of(const Plan& plan) { return plan.schedule.ranks[0].threads[0].steps; }

// The one data step of rank 0.
Step only_step(const std::string& operation)
{
    const Plan plan = read(two_gpus(operation, ""));
    EXPECT_TRUE(plan.problems.empty()) << plan.problems.front().text();
    for (const Step& step : steps_of(plan))
        if (is_data(step.kind)) return step;
    ADD_FAILURE() << "no data step of " << operation;
    return {};
}

void expect_operands(const Step& step, const std::vector<ChunkRef>& sources, const std::vector<ChunkRef>& destinations)
{
    const auto expect = [](const std::vector<ChunkRef>& found, const std::vector<ChunkRef>& wanted) {
        ASSERT_EQ(found.size(), wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].rank, wanted[i].rank) << i;
            EXPECT_EQ(found[i].buffer, wanted[i].buffer) << i;
            EXPECT_EQ(found[i].index, wanted[i].index) << i;
        }
    };
    expect(step.sources, sources);
    expect(step.destinations, destinations);
}

const ChunkRef i0{0, Buffer::input, 0};
const ChunkRef o0{0, Buffer::output, 0};
const ChunkRef s1{0, Buffer::scratch, 1};
const ChunkRef p1{0, Buffer::packets, 1};
const ChunkRef far_i0{1, Buffer::input, 0};
const ChunkRef far_s1{1, Buffer::scratch, 1};
const ChunkRef far_p1{1, Buffer::packets, 1};
const ChunkRef far_p2{1, Buffer::packets, 2};

}  // namespace

TEST(Mscclpp, AGoodPlanIsRight)
{
    const Plan plan = read(pair_json);
    EXPECT_EQ(problems_of(plan), "");
    EXPECT_TRUE(plan.notices.empty());
    EXPECT_EQ(plan.alignment, 16u);
    EXPECT_TRUE(plan.own_reduction);
    EXPECT_EQ(plan.moved, 4u);
}

TEST(Mscclpp, OperationsReadAndWriteWhatTheySay)
{
    expect_operands(only_step(op("put", local_i0, remote_s1)), {i0}, {far_s1});
    expect_operands(only_step(op("get", remote_i0, local_s1)), {far_i0}, {s1});
    expect_operands(only_step(op("copy", local_i0, local_s1)), {i0}, {s1});
    expect_operands(only_step(op("re", local_i0 + "," + local_s1, local_i0)), {i0, s1}, {i0});
    expect_operands(only_step(op("res", local_i0 + "," + local_s1, local_i0 + "," + remote_s1)), {i0, s1},
        {i0, far_s1});
    expect_operands(only_step(op("rre", local_i0 + "," + remote_i0, local_o0)), {i0, far_i0}, {o0});
    expect_operands(only_step(op("rres", local_i0 + "," + remote_i0, local_o0 + "," + remote_s1)), {i0, far_i0},
        {o0, far_s1});
    expect_operands(only_step(op("ppkt", local_i0, remote_s1)), {i0}, {far_p1});
    expect_operands(only_step(op("cpkt", local_i0, local_s1)), {i0}, {p1});
    expect_operands(only_step(op("upkt", local_s1, local_o0)), {p1}, {o0});
    expect_operands(only_step(op("rppkt", local_s1, remote_s1 + "," + remote_s2)), {p1}, {far_p1, far_p2});
    expect_operands(only_step(op("repkt", local_i0 + "," + local_s1, local_o0)), {i0, p1}, {o0});
    expect_operands(only_step(op("respkt", local_i0 + "," + local_s1, local_o0 + "," + remote_s2)), {i0, p1},
        {o0, far_p2});
    expect_operands(
        only_step(op("recpkt", local_i0 + "," + local_s1, local_o0 + R"(,{"type": "s", "index": 2, "size": 1})")),
        {i0, p1}, {o0, {0, Buffer::packets, 2}});
    expect_operands(only_step(op("recspkt", local_i0 + "," + local_s1,
                        local_o0 + R"(,{"type": "s", "index": 3, "size": 1},)" + remote_s2)),
        {i0, p1}, {o0, {0, Buffer::packets, 3}, far_p2});
}

TEST(Mscclpp, RelaxedSignalsOrderNoData)
{
    const auto sync = [](const std::string& name) {
        return R"({"name": ")" + name + R"(", "channel_type": "memory", "channel_ids": [0]})";
    };
    const std::string nop = R"({"name": "nop"})";
    // A rank stores to its peer, which copies what came.
    const auto verdict = [&](const std::string& before, const std::string& wait_before, const std::string& signal,
                             const std::string& wait) {
        const std::string first = before.empty() ? "" : sync(before) + "," + nop + ",";
        const std::string other = wait_before.empty() ? "" : sync(wait_before) + "," + nop + ",";
        return judge(read(two_gpus(first + op("put", local_i0, remote_s1) + "," + nop + "," + sync(signal),
            other + sync(wait) + "," + nop + "," + op("copy", local_s1, local_o0))));
    };
    EXPECT_TRUE(verdict("", "", "signal", "wait").ok);
    for (const auto& [signal, wait] :
        {std::pair("rlxsignal", "wait"), std::pair("signal", "rlxwait"), std::pair("rlxsignal", "rlxwait")}) {
        const Judgement wrong = verdict("", "", signal, wait);
        EXPECT_FALSE(wrong.ok) << signal << " " << wait;
        EXPECT_TRUE(wrong.verification.ok);
        ASSERT_FALSE(wrong.problems.empty());
        EXPECT_NE(wrong.problems.front().text().find("expected signal and wait in place of rlxsignal and rlxwait"),
            std::string::npos)
            << wrong.problems.front().text();
        EXPECT_GT(wrong.problems.front().line, 0);
    }
    // Relaxed ones that only hold ranks up may stand before.
    EXPECT_TRUE(verdict("rlxsignal", "rlxwait", "signal", "wait").ok);
    EXPECT_FALSE(verdict("signal", "wait", "rlxsignal", "rlxwait").ok);
}

TEST(Mscclpp, SwitchOperationsReachTheGroup)
{
    const std::string group = R"({"switch_channel_id": 0, "index": 1, "size": 1})";
    Step step = only_step(op("glres", group, group, "switch"));
    EXPECT_EQ(step.kind, StepKind::reduce_multicast);
    expect_operands(step, {s1, far_s1}, {s1, far_s1});
    step = only_step(op("gstore", local_i0, group, "switch"));
    EXPECT_EQ(step.kind, StepKind::multicast);
    expect_operands(step, {i0}, {s1, far_s1});
    step = only_step(op("gstorepkt", local_i0, group, "switch"));
    expect_operands(step, {i0}, {p1, far_p1});
    step = only_step(op("glre", group, local_o0, "switch"));
    EXPECT_EQ(step.kind, StepKind::load_reduce);
    expect_operands(step, {s1, far_s1}, {o0});
}

TEST(Mscclpp, NewSpellingsMeanTheSame)
{
    const std::string group = R"({"switch_channel_id": 0, "index": 1, "size": 1})";
    std::string text = two_gpus(op("glres", group, group, "switch"), "");
    text = with(with(text, "\"buff\"", "\"buffer_type\""), "\"buff\"", "\"buffer_type\"");
    EXPECT_TRUE(read(text).problems.empty());
    EXPECT_EQ(steps_of(read(text))[0].kind, StepKind::reduce_multicast);
}

TEST(Mscclpp, PortsPutAndSignalInOne)
{
    const Plan plan = read(two_gpus(op("pwsf", local_i0, R"({"buffer_id": 0, "index": 1, "size": 1})", "port"),
        R"({"name": "wait", "channel_ids": [0], "channel_type": "port"})"));
    EXPECT_EQ(problems_of(plan), "");
    ASSERT_EQ(steps_of(plan).size(), 3u);
    expect_operands(steps_of(plan)[0], {i0}, {far_s1});
    EXPECT_EQ(steps_of(plan)[1].kind, StepKind::signal);
    // Semaphore 0 of a rank is its memory channel, 1 its port.
    EXPECT_EQ(steps_of(plan)[1].semaphore, 1u);
    EXPECT_EQ(steps_of(plan)[2].kind, StepKind::nop);  // the flush
    for (const Step& step : steps_of(plan)) EXPECT_EQ(step.channel, StepChannel::port);
    const Plan memory = read(two_gpus(op("pws", local_i0, R"({"buffer_id": 0, "index": 1, "size": 1})", "memory"),
        R"({"name": "wait", "channel_ids": [0], "channel_type": "memory"})"));
    ASSERT_EQ(steps_of(memory).size(), 2u);
    for (const Step& step : steps_of(memory)) EXPECT_EQ(step.channel, StepChannel::memory);
}

// The second channel of rank 0 to rank 1 is the other end of the second of rank 1 to rank 0.
TEST(Mscclpp, ChannelsPairUpByOrder)
{
    std::string text = two_gpus(R"({"name": "signal", "channel_ids": [1], "channel_type": "memory"})",
        R"({"name": "wait", "channel_ids": [0], "channel_type": "memory"})");
    text = with(text, "\"connected_to\": [1]", "\"connected_to\": [1, 1]");
    text = with(text, "\"connected_to\": [0]", "\"connected_to\": [0, 0]");
    text = with(text, "\"memory\", \"channel_ids\": [0]}", "\"memory\", \"channel_ids\": [0, 1]}");
    const std::size_t second = text.find("\"id\": 1");
    text = text.substr(0, second) +
        with(text.substr(second), "\"memory\", \"channel_ids\": [0]}", "\"memory\", \"channel_ids\": [1]}");
    EXPECT_EQ(problems_of(read(text)), "");
    EXPECT_EQ(steps_of(read(text))[0].semaphore, 1u);
}

TEST(Mscclpp, SemaphoresJoinBlocksOfAGpu)
{
    const std::string acquire = R"({"name": "sem_acquire", "semaphore_ids": [0]})";
    const std::string release = R"({"name": "sem_release", "semaphore_ids": [0]})";
    const Plan plan = read(two_gpus(release + "," + acquire, ""));
    EXPECT_EQ(problems_of(plan), "");
    EXPECT_EQ(steps_of(plan)[0].kind, StepKind::signal);
    EXPECT_EQ(steps_of(plan)[0].peer, 0u);
    EXPECT_EQ(steps_of(plan)[1].kind, StepKind::wait);
    // The second starts at one: the first acquire needs no release.
    EXPECT_EQ(problems_of(read(two_gpus(R"({"name": "sem_acquire", "semaphore_ids": [1]})", ""))), "");
    EXPECT_NE(problems_of(read(two_gpus(acquire, ""))).find("which no rank sends"), std::string::npos);
}

// A pool of one credit: the copy takes it, the end gives it back. Credits may be left, waits may not.
TEST(Mscclpp, ASemaphoreMayEndWithTokensAndNeverBelowZero)
{
    const std::string acquire = R"({"name": "sem_acquire", "semaphore_ids": [1]})";
    const std::string release = R"({"name": "sem_release", "semaphore_ids": [1]})";
    const auto notices = [](const Plan& plan) {
        std::string out;
        for (const Diagnostic& notice : plan.notices) out += notice.text() + "\n";
        return out;
    };
    const Plan full = read(two_gpus(acquire + "," + release, ""));
    EXPECT_EQ(problems_of(full), "");
    EXPECT_EQ(notices(full),
        "plan.json:3: semaphore 1 of gpu 0 starts at 1, is released 1 times and acquired 1 times, and ends at 1\n");
    const Plan fuller = read(two_gpus(acquire + "," + release + "," + release, ""));
    EXPECT_EQ(problems_of(fuller), "");
    EXPECT_NE(notices(fuller).find("and ends at 2"), std::string::npos) << notices(fuller);
    const Plan empty = read(two_gpus(acquire + "," + release + "," + acquire, ""));
    EXPECT_EQ(problems_of(empty) + notices(empty), "");
    const Plan below = read(two_gpus(acquire + "," + release + "," + acquire + "," + acquire, ""));
    EXPECT_NE(problems_of(below).find("never runs: it waits for signal 2"), std::string::npos) << problems_of(below);
    EXPECT_EQ(notices(below), "");
}

// What the wait would have ordered is another matter: AMissingWaitIsARace.
TEST(Mscclpp, AnUnusedSignalOfAChannelIsANotice)
{
    const Plan plan = read(two_gpus(R"({"name": "signal", "channel_ids": [0], "channel_type": "memory"})", ""));
    EXPECT_EQ(problems_of(plan), "");
    ASSERT_EQ(plan.notices.size(), 1u);
    EXPECT_EQ(plan.notices[0].what,
        "memory channel 0 of gpu 1 gets 1 signals from gpu 0, but 0 waits, so 1 of them stay unused");
}

// Said once, wherever it comes first.
TEST(Mscclpp, KeysThatAreNoneAreNamed)
{
    const std::string wait = R"({"name": "wait", "channel_ids": [0], "channel_type": "memory"})";
    const std::string text = two_gpus(R"({"name": "signal", "channel_ids": [0], "channel_type": "memory"})", wait);
    EXPECT_TRUE(read(text).notices.empty());
    const Plan plan = read(
        with(with(text, "\"coll", "\"note\\u0001\": 0, \"coll"), "\"access_channel_types", "\"acess_channel_types"));
    ASSERT_EQ(plan.notices.size(), 2u);
    EXPECT_EQ(plan.notices[0].text(), "plan.json:1: the key 'note?' is not one of a plan, and is not read");
    EXPECT_NE(plan.notices[1].text().find("(did you mean 'access_channel_types'?)"), std::string::npos);
    EXPECT_NE(problems_of(read(with(text, "\"wait\", \"ch", "\"wait\", \"c"))).find("a wait on no channel"),
        std::string::npos);
}

TEST(Mscclpp, DataOperationsNameChannelsThatAreThere)
{
    const std::string good = op("put", local_i0, remote_s1);
    const std::string put = with(good, "\"channel_ids\": [0]", "\"channel_ids\": [3]");
    EXPECT_EQ(problems_of(read(two_gpus(good, ""))), "");
    EXPECT_NE(problems_of(read(two_gpus(put, ""))).find("memory channel 3 in threadblock 0"), std::string::npos);
}

// However a message is found, its text names the file once, in front.
TEST(Mscclpp, MessagesNameTheFileOnce)
{
    const std::string left = R"({"name": "signal", "channel_ids": [0], "channel_type": "memory"})";
    const std::string stuck = R"({"name": "sem_acquire", "semaphore_ids": [0]})";
    int messages = 0;
    const auto once = [&messages](const std::string& text) {
        ++messages;
        EXPECT_EQ(text.rfind("plan.json:", 0), 0u) << text;
        EXPECT_EQ(text.find("plan.json", 1), std::string::npos) << text;
    };
    for (const std::string& operations : {left, stuck}) {
        const Plan plan = read(two_gpus(operations, ""));
        for (const Diagnostic& problem : judge(plan).problems) once(problem.text());
        for (const Diagnostic& notice : plan.notices) once(notice.text());
    }
    once(refusal_of_json("{"));
    const Plan uneven = read(with(pair_json, "\"input_chunks\": 2", "\"input_chunks\": 3"));
    for (const Diagnostic& problem : judge(uneven).problems) once(problem.text());
    EXPECT_GE(messages, 4);
}

TEST(Mscclpp, BarriersJoinBlocks)
{
    const Plan plan = read(two_gpus(R"({"name": "barrier", "barrier_id": 0, "num_threadblocks": 1})", ""));
    EXPECT_EQ(problems_of(plan), "");
    EXPECT_EQ(steps_of(plan)[0].kind, StepKind::barrier);
    EXPECT_NE(problems_of(read(two_gpus(R"({"name": "barrier", "barrier_id": 0, "num_threadblocks": 2})", "")))
                  .find("barrier of 2 participants on a rank of 1 threads"),
        std::string::npos);
}

// 4 chunks of 1 KiB; units of 512 B: two rounds over one chunk, four over two.
TEST(Mscclpp, PipelinesAreUnrolledForTheMessage)
{
    const std::string inner = R"("ops": [{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 2}],
        "dst_buff": [{"type": "o", "index": 0, "size": 2}]}]})";
    const std::string text =
        two_gpus(R"({"name": "pipeline", "iter_context": {"unit_size": 512, "num_chunks": 2}, )" + inner, "");
    const Plan plan = read(text, 4096);
    EXPECT_EQ(problems_of(plan), "");
    ASSERT_EQ(steps_of(plan).size(), 4u);
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(steps_of(plan)[i].part, i);
        EXPECT_EQ(steps_of(plan)[i].parts, 4u);
    }
    EXPECT_EQ(steps_of(read(text)).size(), 2u);  // of no size in particular
    EXPECT_EQ(plan.operations.at("copy"), 1u);
    EXPECT_EQ(refusal_of_json(two_gpus(
                  R"({"name": "pipeline", "iter_context": {"unit_size": 1, "num_chunks": 1}, "ops": [{"name":
"pipeline"}]})",
                  "")),
        "plan.json:4: a pipeline in a pipeline; expected operations");
}

TEST(Mscclpp, BlocksShareAnOperand)
{
    const Step step = only_step(R"({"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 2}],
        "dst_buff": [{"type": "s", "index": 0, "size": 2}], "tbg_info": {"tb_id": 1, "tbg_size": 2}})");
    EXPECT_EQ(step.part, 1u);
    EXPECT_EQ(step.parts, 2u);
}

// Without a nop between them, operations that do not touch each other's chunks run together.
TEST(Mscclpp, IndependentOperationsRunTogether)
{
    const std::string nop = R"(,{"name": "nop"},)";
    const std::string puts = op("put", local_i0, remote_s1) + "," + op("put", local_i0, remote_s2);
    EXPECT_TRUE(steps_of(read(two_gpus(puts, "")))[1].with_previous);
    const std::string apart = op("put", local_i0, remote_s1) + nop + op("put", local_i0, remote_s2);
    EXPECT_FALSE(steps_of(read(two_gpus(apart, "")))[1].with_previous);
    const std::string chain = op("copy", local_i0, local_s1) + "," + op("put", local_s1, remote_s2);
    EXPECT_FALSE(steps_of(read(two_gpus(chain, "")))[1].with_previous);
}

TEST(Mscclpp, DefectsAreNamedWithTheirLine)
{
    const Defect defects[] = {
        {"\"connected_to\": [1]", "\"connected_to\": [7]",
            "plan.json:18: channel to rank 7 of 2; expected an existing rank"},
        {"{\"rank\": 1", "{\"rank\": 2", "plan.json:19: remote buffer of rank 2 of 2; expected an existing rank"},
        {"\"remote_buffer_ids\": [0]", "\"remote_buffer_ids\": [3]",
            "plan.json:17: remote buffer 3 of 1; expected one that the gpu has"},
        {"\"memory\", \"channel_ids\": [0]}]", "\"memory\", \"channel_ids\": [2]}]",
            "plan.json:16: memory channel 2 of 1; expected one that the gpu has"},
        {"\"channel_ids\": [0]", "\"channel_ids\": [1]",
            "plan.json:7: memory channel 1 in threadblock 0 of gpu 0, which has 1; expected an index into the lists of "
            "the threadblock"},
        {"{\"buffer_id\": 0", "{\"buffer_id\": 2",
            "plan.json:10: memory buffer 2 in threadblock 0 of gpu 0, which has 1; expected an index into the lists of "
            "the threadblock"},
        {"{\"id\": 1,", "{\"id\": 2,", "plan.json:21: gpu 2 at place 1; expected entry k with id k"},
        {"         {\"name\": \"signal\", \"channel_ids\": [0], \"channel_type\": \"memory\"},\n", "",
            "plan.json:20: memory channel 0 of gpu 1 gets 1 signals from gpu 0, but 2 waits; expected as "
            "many signals as waits"},
        {"\"reduce_op\": \"sum\"", "\"reduce_op\": \"max\"", "plan.json:26: two reductions in one plan; expected one"},
        {"\"index\": 0, \"size\": 1}]", "\"index\": 2, \"size\": 1}]",
            "plan.json:9: rank 0 thread 0 step 2 (move): input chunk 2 of rank 1 is out of range, which has 2"},
    };
    for (const Defect& defect : defects)
        EXPECT_NE(problems_of(read(with(pair_json, defect.from, defect.to))).find(defect.problem), std::string::npos)
            << defect.to << "\n"
            << problems_of(read(with(pair_json, defect.from, defect.to)));
}

TEST(Mscclpp, AChannelHasTwoEnds)
{
    const std::string text = with(with(pair_json, "\"connected_to\": [1]", "\"connected_to\": [1, 1]"),
        "\"memory\", \"channel_ids\": [0]}]", "\"memory\", \"channel_ids\": [1]}]");
    EXPECT_NE(problems_of(read(text))
                  .find("plan.json:7: memory channel 1 from gpu 0 to gpu 1 has no other end; expected as "
                        "many channels from gpu 1 to gpu 0"),
        std::string::npos)
        << problems_of(read(text));
}

TEST(Mscclpp, AMissingWaitIsARace)
{
    // Both say that they are done, and none waits for the other to enter.
    const std::string signal = "         {\"name\": \"signal\", \"channel_ids\": [0], \"channel_type\": \"memory\"},\n";
    const std::string wait = "         {\"name\": \"wait\", \"channel_ids\": [0], \"channel_type\": \"memory\"},\n";
    const std::string text = with(with(pair_json, signal + wait, ""), signal + wait, "");
    EXPECT_EQ(problems_of(read(text)),
        "plan.json:7: rank 0 thread 0 step 0 (move) reads input chunk 0 of rank 1, but rank 1 may not have entered; "
        "expected a handshake with it\nplan.json:22: rank 1 thread 0 step 0 (move) reads input chunk 1 of rank 0, but "
        "rank 0 may not have entered; expected a handshake with it\n");
    const std::string nop = "         {\"name\": \"nop\"},\n";
    EXPECT_EQ(problems_of(read(with(pair_json, nop, ""))), "");
    const std::string wrong = with(pair_json, "\"type\": \"i\", \"index\": 1, \"size\": 1}, {\"buffer_id\"",
        "\"type\": \"i\", \"index\": 0, \"size\": 1}, {\"buffer_id\"");
    EXPECT_NE(problems_of(read(wrong)).find("unordered with"), std::string::npos) << problems_of(read(wrong));
}

// In place, a chunk is written where a packet was read from: the packet that comes back proves that it was read.
TEST(Mscclpp, PacketsProveThatTheirSourcesWereRead)
{
    const auto gpu = [](const char* me, const char* peer, const char* mine, const char* other) {
        return std::string("{\"id\": ") + me + ", \"input_chunks\": 2, \"output_chunks\": 2, \"scratch_chunks\": 4,\n" +
            "\"threadblocks\": [\n{\"id\": 0, \"ops\": [{\"name\": \"ppkt\", \"channel_type\": \"memory\", "
            "\"src_buff\": [{\"type\": \"i\", \"index\": " +
            other + "}], \"dst_buff\": [{\"buffer_id\": 0, \"index\": " + other +
            "}]},\n{\"name\": \"respkt\", \"channel_type\": \"memory\", \"src_buff\": [{\"type\": \"i\", \"index\": " +
            mine + "}, {\"type\": \"s\", \"index\": " + mine +
            "}], \"dst_buff\": [{\"type\": \"i\", \"index\": " + mine +
            "}, {\"buffer_id\": 0, \"index\": 2, \"size\": 1}]}],\n\"channels\": [], \"remote_buffer_refs\": "
            "[{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": [0]}]},\n" +
            "{\"id\": 1, \"ops\": [{\"name\": \"upkt\", \"src_buff\": [{\"type\": \"s\", \"index\": 2, \"size\": 1}], "
            "\"dst_buff\": [{\"type\": \"i\", \"index\": " +
            other + "}]}], \"channels\": []}],\n" +
            "\"channels\": [{\"channel_type\": \"memory\", \"connected_to\": [" + peer +
            "]}], \"remote_buffers\": [{\"rank\": " + peer +
            ", \"type\": \"s\", \"access_channel_types\": [\"memory\"]}]}";
    };
    const char *const zero = R"(0, "size": 1)", *const one = R"(1, "size": 1)";
    const std::string head = R"({"name": "x", "collective": "allreduce", "protocol": "LL", "inplace": true, "gpus": [)";
    const std::string text = head + gpu("0", "1", zero, one) + ",\n" + gpu("1", "0", one, zero) + "]}";
    EXPECT_EQ(problems_of(read(text)), "");
    // A packet of something else proves nothing: rank 0 sends its term back without having read what rank 1 sends.
    const std::string begin = "\", \"channel_type\": \"memory\", \"src_buff\": [" + local_i0;
    const std::string away = "{\"buffer_id\": 0, \"index\": 2, \"size\": 1}]";
    const std::string term = ", {\"type\": \"s\", \"index\": 0, \"size\": 1}], \"dst_buff\": [" + local_i0 + ", ";
    const std::string other =
        with(text, "\"respkt" + begin + term + away, "\"ppkt" + begin + "], \"dst_buff\": [" + away);
    EXPECT_NE(problems_of(read(other)).find("unordered with rank 1 thread 0 step 0 (move), which reads it"),
        std::string::npos)
        << problems_of(read(other));
}

TEST(Mscclpp, WhatIsNoPlanIsRefused)
{
    const Defect defects[] = {
        {"\"gpus\"", "\"cpus\"", "plan.json:1: this is not an execution plan; expected an object with 'gpus'"},
        {"\"name\": \"pair\", ", "", "plan.json:1: no 'name'; expected a text"},
        {"allreduce", "allreduced",
            "plan.json:2: collective 'allreduced'; expected one of allreduce, allgather, reducescatter, alltoall, "
            "sendrecv, custom, test"},
        {"\"Simple\"", "\"LL128\"", "plan.json:2: protocol 'LL128'; expected Simple or LL"},
        {"\"inplace\": true", "\"inplace\": 1", "plan.json:2: 'inplace' is a number; expected a boolean"},
        {"\"input_chunks\": 2", "\"input_chunks\": -2",
            "plan.json:4: 'input_chunks' is -2; expected a whole number up to 1048576"},
        {"\"rres\"", "\"rrres\"",
            "plan.json:9: unknown operation in threadblock 0 of gpu 0; expected one of pipeline, nop, "
            "barrier, signal, rlxsignal, wait, rlxwait, flush, sem_acquire, sem_release, put, pws, pwsf, get, copy, "
            "re, "
            "res, rre, rres, ppkt, cpkt, upkt, rppkt, repkt, respkt, recpkt, recspkt, glres, gstore, gstorepkt, glre"},
        {"\"channel_type\": \"memory\"}", "\"channel_type\": \"pipe\"}",
            "plan.json:7: 'channel_type' is 'pipe'; expected memory, port or switch"},
        {", \"size\": 1}", "}", "plan.json:10: no 'size'; expected a number"},
        {"\"type\": \"i\"", "\"type\": \"x\"", "plan.json:10: 'type' is 'x'; expected i, o or s"},
        {"\"reduce_op\": \"sum\"", "\"reduce_op\": \"avg\"",
            "plan.json:12: 'reduce_op' has an unknown name; expected sum, min or max"},
        {"\"gpus\": [", "\"gpus\": [,", "plan.json:3: this is not JSON: '\"gpus\": [,'; expected a JSON object"},
    };
    for (const Defect& defect : defects)
        EXPECT_EQ(refusal_of_json(with(pair_json, defect.from, defect.to)), defect.problem);
    for (std::size_t size = 0; size + 2 < pair_json.size(); size += 11)
        EXPECT_NE(refusal_of_json(pair_json.substr(0, size)), "") << size;
}

}  // namespace mscclpp_test
