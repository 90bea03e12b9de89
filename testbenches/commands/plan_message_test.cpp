// A plan is judged for the message that runs, and in the slices that it runs in.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace plan_message_test {

using namespace weft::commands_test;

namespace {

std::string operand(const std::string& buffer, unsigned index)
{
    return fmt::format(R"({{"type": "{}", "index": {}, "size": 1}})", buffer, index);
}

std::string remote(unsigned buffer, unsigned index)
{
    return fmt::format(R"({{"buffer_id": {}, "index": {}, "size": 1}})", buffer, index);
}

std::string operation(const std::string& name, const std::string& sources, const std::string& destinations)
{
    return fmt::format(R"({{"name": "{}", "src_buff": [{}], "dst_buff": [{}], "channel_ids": [0], )"
                       R"("channel_type": "memory"}}, {{"name": "nop"}})",
        name, sources, destinations);
}

// What a rank of two has for the other goes from its input by way of its own scratch memory to that of the other one, which adds it.
std::string by_scratch()
{
    const std::string meet = R"({"name": "signal", "channel_ids": [0], "channel_type": "memory"},
        {"name": "wait", "channel_ids": [0], "channel_type": "memory"})";
    std::string gpus;
    for (const unsigned rank : {0U, 1U}) {
        const unsigned peer = 1 - rank;
        const std::string steps = operation("copy", operand("i", peer), operand("s", 0)) + ", " +
            operation("put", operand("s", 0), remote(0, 1)) + ", " + meet + ", " +
            operation("re", operand("i", rank) + ", " + operand("s", 1), operand("o", rank)) + ", " +
            operation("put", operand("o", rank), remote(1, rank)) + ", " + meet;
        gpus += fmt::format(
            R"({}{{"id": {}, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 2, "threadblocks": [{{"id": 0,
     "ops": [{}], "channels": [{{"channel_type": "memory", "channel_ids": [0]}}],
     "remote_buffer_refs": [{{"access_channel_type": "memory", "remote_buffer_ids": [0, 1]}}]}}],
   "channels": [{{"channel_type": "memory", "connected_to": [{}]}}],
   "remote_buffers": [{{"rank": {}, "type": "s", "access_channel_types": ["memory"]}},
     {{"rank": {}, "type": "o", "access_channel_types": ["memory"]}}], "semaphores": []}})",
            rank == 0 ? "" : ", ", rank, steps, peer, peer, peer);
    }
    return R"({"name": "by_scratch", "collective": "allreduce", "protocol": "Simple", "inplace": false, "gpus": [)" +
        gpus + "]}";
}

// Only the first of two chunks is added up.
const std::string first_chunk =
    R"(<algo name="first" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">
  <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

Outcome run(const std::string& plan, const std::string& bytes, const std::string& fidelity, const std::string& slices)
{
    const Fixtures files;
    files.write("plan", plan);
    files.write("system.yaml",
        "system: pair\ninfrastructure: pair.yaml\nprofile: generic\nworkload: {plan: plan, bytes: " + bytes + "}\n");
    return call({"run", files.path("system.yaml"), "--fidelity", fidelity, "--set", "engine.slices=" + slices});
}

}  // namespace

// 8200 B have chunks of 4100 B, whose slices of a slot of scratch memory are not those of the chunk. By lines the sum was wrong, and at
// flow it was "passed".
TEST(PlanMessage, SlicesAreVerifiedForTheMessageThatRuns)
{
    for (const std::string fidelity : {"line", "flow"}) {
        EXPECT_EQ(run(by_scratch(), "8200", fidelity, "1").code, 0) << fidelity;
        EXPECT_EQ(run(by_scratch(), "8192", fidelity, "2").code, 0) << fidelity;
        const Outcome uneven = run(by_scratch(), "8200", fidelity, "2");
        EXPECT_EQ(uneven.code, 2) << fidelity << uneven.out;
        EXPECT_NE(uneven.err.find("in slices: rank 1 thread 0 step "), std::string::npos) << uneven.err;
        EXPECT_NE(uneven.err.find("or a message of a multiple of 256 bytes"), std::string::npos) << uneven.err;
    }
}

// Of a message of one element the second chunk is empty.
TEST(PlanMessage, APlanThatIsRightForItsMessageAloneRuns)
{
    for (const std::string fidelity : {"line", "flow"}) {
        const Outcome one = run(first_chunk, "4", fidelity, "1");
        EXPECT_EQ(one.code, 0) << fidelity << one.err;
        EXPECT_NE(one.out.find("verified    passed"), std::string::npos) << one.out;
        EXPECT_EQ(run(first_chunk, "8", fidelity, "1").code, 2) << fidelity;
    }
}

// Without a system nothing would read them.
TEST(PlanMessage, OptionsOfASystemNeedOne)
{
    const Fixtures files;
    const std::string plan = files.write("first.xml", first_chunk);
    for (const char* option : {"--set=l2.siez=3", "--set=nonsense", "--seed=nan", "--profile=nosuch", "--model=a=b",
             "--plugin=/nonexistent.so", "--annotate=/nonexistent", "--lenient"}) {
        const Outcome outcome = call({"plan", plan, option});
        const std::string text = option;
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err,
            "weft: option '" + text.substr(0, text.find('=')) + "' needs a system; expected --infra FILE with it\n");
    }
}

// As `weft run` has it; no size of a plan is wrong because of these.
TEST(PlanMessage, ASizeThatNoMessageHasIsRefused)
{
    const Fixtures files;
    const std::string plan = files.write("first.xml", first_chunk);
    const auto refused = [&](const std::string& bytes, const std::string& expected) {
        const Outcome outcome = call({"plan", plan, "--bytes", bytes});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err, "weft: option '--bytes' has the value '" + bytes + "'; expected " + expected + "\n");
    };
    for (const char* none : {"0", "0B", "0KiB"}) refused(none, "at least one byte, such as 1MiB");
    refused("281474976710660", "at most 2^48 bytes");
    EXPECT_EQ(call({"plan", plan, "--bytes", "281474976710656"}).err, "");
}

// Ring all-gather of three ranks, for a system of two with a workload of its own: the ranks are the plan's.
TEST(PlanMessage, RanksThatASystemLacksAreThePlans)
{
    const Fixtures files;
    std::string text =
        R"(<algo name="ring3" proto="Simple" nchannels="1" nchunksperloop="3" ngpus="3" coll="allgather" inplace="0">)";
    for (unsigned g = 0; g < 3; ++g) {
        const auto step = [](unsigned s, const char* type, char from, unsigned source, unsigned target) {
            return fmt::format(
                R"(<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="o" dstoff="{}" cnt="1" depid="-1" deps="-1" hasdep="0"/>)",
                s, type, from, source, target);
        };
        const unsigned before = (g + 2) % 3;
        const unsigned last = (g + 1) % 3;
        text += fmt::format(
            R"(<gpu id="{}" i_chunks="1" o_chunks="3" s_chunks="0"><tb id="0" send="{}" recv="{}" chan="0">)", g, last,
            before);
        text += step(0, "cpy", 'i', 0, g) + step(1, "s", 'i', 0, g) + step(2, "rcs", 'o', before, before) +
            step(3, "r", 'o', last, last) + "</tb></gpu>";
    }
    const std::string plan = files.write("three.xml", text + "</algo>\n");
    const std::string expected = "; expected a system with as many xpu nodes as the plan has ranks\n";
    const Outcome outcome = call({"plan", plan, "--bytes", "12KiB", "--infra", files.pair_system()});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err,
        plan + ": the plan has 3 ranks, but " + files.pair_system() + " has 2 xpu nodes for them" + expected);
    EXPECT_EQ(call({"plan", plan, "--bytes", "12KiB", "--infra", files.pair()}).err,
        plan + ": the plan has 3 ranks, but " + files.pair() + " has 2 xpu nodes for them" + expected);
    EXPECT_EQ(call({"plan", plan, "--bytes", "12KiB"}).code, 0);
}

}  // namespace plan_message_test
