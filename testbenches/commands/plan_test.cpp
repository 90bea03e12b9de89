// `weft plan` and `weft run --plan`: plans of others explained, refused and carried out.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"
#include "testbenches/plans/fixtures.h"

namespace plan_test {

using namespace weft::commands_test;
using nlohmann::json;
using weft::plans_test::pair_json;
using weft::plans_test::pair_xml;
using weft::plans_test::with;

namespace {

// Accelerators behind one switch.
std::string box(int count)
{
    return "name: box\ndevices:\n- name: card\n  components:\n  - {name: xpu, choice: xpu, count: " +
        std::to_string(count) +
        ", description: accelerator}\n  - {name: sw, choice: switch, count: 1, description: switch}\n  links:\n"
        "  - {name: up, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 80}}}\n "
        " edges:\n"
        "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: up}\n"
        "instances:\n- {name: b, device: card, count: 1}\n";
}

json parsed(const Outcome& outcome)
{
    EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
    return json::parse(outcome.out, nullptr, false);
}

void expect_in(const std::string& text, const std::vector<std::string>& parts)
{
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// Both ranks send their input to the output of the other, as packets.
const std::string packets_json = [] {
    const auto gpu = [](const char* me, const char* peer) {
        return std::string("{\"id\": ") + me + ", \"input_chunks\": 1, \"output_chunks\": 1, \"scratch_chunks\": 1,\n" +
            R"("threadblocks": [{"id": 0, "ops": [
{"name": "ppkt", "src_buff": [{"type": "i", "index": 0, "size": 1}],
 "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory", "channel_ids": [0]},
{"name": "upkt", "src_buff": [{"type": "s", "index": 0, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}]}],
"channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}]}],
"channels": [{"channel_type": "memory", "connected_to": [)" +
            peer + "]}], \"remote_buffers\": [{\"rank\": " + peer +
            R"(, "type": "s", "access_channel_types": ["memory"]}]})";
    };
    return R"({"name": "swap", "collective": "custom", "protocol": "LL", "inplace": false, "gpus": [)" + gpu("0", "1") +
        ",\n" + gpu("1", "0") + "]}\n";
}();

std::string shared(const std::string& path) { return std::string(WEFT_SHARED_DIR) + "/" + path; }

}  // namespace

TEST(Plan, ThePageOfARightPlan)
{
    const Fixtures files;
    const std::string plan = files.write("pair.xml", pair_xml);
    const Outcome outcome = call({"plan", plan, "--bytes", "64KiB", "--infra", files.pair()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    expect_in(outcome.out,
        {"plan         pair (", "\nformat       MSCCL XML, protocol Simple\n",
            "\ncollective   allreduce over 2 ranks, in place, message in 2 chunks\n",
            "\nthreads      3 thread blocks, 2 connections\n", "\nsteps        10: cpy 1, nop 1, r 2, rrc 2, s 4\n",
            "\nverified     right: all outputs end as the collective requires",
            "\ntransfers    2 one after the other (the least possible: 1)\n",
            "\nbytes        of a message of 64 KiB: every rank sends 64 KiB (the least possible: 64 KiB",
            "\npairs        2 of 2 exchange data, 64 KiB each: 0->1, 1->0\n", "\n    1  rank 0 -> 1: input 1 ",
            " block 0 step 0, line 4\n", "\n    2  rank 1 -> 0: input 1 ", " block 0 step 2, line 18\n",
            "\n  host.0.xpu.0 -> host.0.xpu.1  payload 64 KiB, on the wire ", "\n  and 1 more like it\n"});
}

// What weft run would cut: 12 bytes of fp32 in two chunks are 8 and 4 bytes, of bf16 and u8 6 and 6.
TEST(Plan, TheElementDividesTheMessageAsInARun)
{
    const Fixtures files;
    const std::string plan = files.write("half.xml",
        R"(<algo name="half" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="0">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)");
    EXPECT_EQ(parsed(call({"plan", plan, "--json", "--bytes", "12B"}))["sent"], json({8, 4}));
    EXPECT_EQ(parsed(call({"plan", plan, "--json", "--bytes", "12B", "--element", "bf16"}))["sent"], json({6, 6}));
    EXPECT_EQ(parsed(call({"plan", plan, "--json", "--bytes", "9B", "--element", "u8"}))["sent"], json({5, 4}));
    const Outcome cut = call({"plan", plan, "--bytes", "9B"});
    EXPECT_EQ(cut.code, 2);
    expect_in(cut.err, {"9 bytes are not a whole number of fp32 elements"});
    EXPECT_EQ(call({"plan", plan, "--bytes", "12B", "--element", "fp64"}).code, 2);
}

TEST(Plan, JsonHoldsTheKeysOfTheContract)
{
    const Fixtures files;
    const json plan = parsed(
        call({"plan", files.write("pair.json", pair_json), "--json", "--bytes", "64KiB", "--infra", files.pair()}));
    for (const char* key : {"format", "collective", "ranks", "steps", "verified", "problems"})
        EXPECT_TRUE(plan.contains(key)) << key;
    EXPECT_EQ(plan["schema"], "weft.plan/1");
    EXPECT_EQ(plan["format"], "mscclpp_json");
    EXPECT_EQ(plan["collective"], "allreduce");
    EXPECT_EQ(plan["op"], "all_reduce");
    EXPECT_EQ(plan["ranks"], 2);
    EXPECT_EQ(plan["steps"], 12);
    EXPECT_EQ(plan["verified"], true);
    EXPECT_EQ(plan["problems"], json::array());
    EXPECT_EQ(plan["sent"], json({65536, 65536}));
    EXPECT_EQ(plan["transfers"], 1);
    EXPECT_EQ(plan["critical_path"].size(), 1u);
    EXPECT_EQ(plan["lower_bound"]["bytes"], 65536);
    ASSERT_EQ(plan["links"].size(), 2u);
    // Each rank loads half a message and stores half a one to the other.
    EXPECT_EQ(plan["links"][0]["payload_bytes"], 65536);
}

TEST(Plan, AWrongPlanIsExitCodeOne)
{
    const Fixtures files;
    const std::string plan =
        files.write("wrong.xml", with(pair_xml, "<step s=\"1\" type=\"rrc\"", "<step s=\"1\" type=\"r\""));
    Outcome outcome = call({"plan", plan});
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    expect_in(outcome.out,
        {"\nverified     wrong: 2 problems\n",
            ": output chunk 0 of rank 0 ends wrong: expected input chunk 0 of ranks 0-1; found input "
            "chunk 0 of rank 1\n"});
    outcome = call({"plan", plan, "--json", "-"});
    EXPECT_EQ(outcome.code, 1);
    const json result = json::parse(outcome.out, nullptr, false);
    EXPECT_EQ(result["verified"], false);
    EXPECT_EQ(result["problems"].size(), 2u);
    outcome = call({"plan", files.write("peer.xml", with(pair_xml, "send=\"1\"", "send=\"5\""))});
    EXPECT_EQ(outcome.code, 1);
    expect_in(outcome.out, {"peer.xml:3: tb 0 of gpu 0 sends to gpu 5; expected a gpu below 2, or -1\n"});
}

TEST(Plan, AnUnusedSignalIsANoticeOfARightPlan)
{
    const Fixtures files;
    const std::string last = R"(         {"name": "wait", "channel_ids": [0], "channel_type": "memory"}],)";
    const std::string signal = R"(         {"name": "wait", "channel_ids": [0], "channel_type": "memory"},
         {"name": "signal", "channel_ids": [0], "channel_type": "memory"}],)";
    const std::string plan = files.write("left.json", with(pair_json, last, signal));
    const Outcome outcome = call({"plan", plan, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    const json result = json::parse(outcome.out, nullptr, false);
    EXPECT_EQ(result["verified"], true);
    ASSERT_EQ(result["notices"].size(), 1u);
    EXPECT_EQ(result["notices"][0],
        plan + ":22: memory channel 0 of gpu 1 gets 3 signals from gpu 0, but 2 waits, so 1 of them stay unused");
    const json ran = parsed(call(
        {"run", "--infra", files.pair(), "--plan", plan, "--bytes", "64KiB", "--json", "-", "--no-timing", "--quiet"}));
    EXPECT_EQ(ran["verified"], "passed");
}

TEST(Plan, WhatCannotBeReadIsExitCodeTwo)
{
    const Fixtures files;
    Outcome outcome = call({"plan", files.write("text.txt", "hello\n")});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err,
        {"text.txt: this is not a plan: it starts neither as XML nor as JSON; expected MSCCL XML, an MSCCL++ "
         "execution plan, or the prefix of Chakra traces\n"});
    outcome = call({"plan", files.write("cut.xml", pair_xml.substr(0, 300))});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err, {"cut.xml:"});
    outcome = call({"plan", files.path("none.xml")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err, "");
    outcome = call({"plan", files.path("")});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err, {"a folder"});
    EXPECT_EQ(call({"plan"}).code, 2);
}

TEST(Plan, OperandsThatANameDoesNotAllowAreExitCodeTwo)
{
    const Fixtures files;
    const Outcome outcome = call({"plan", files.write("rre.json", with(pair_json, "\"rres\"", "\"rre\""))});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err,
        {"rre.json:9: rre reads 1 local, 1 remote and writes 1 local, 1 remote; expected it to read 1 local, 1 or more "
         "remote and to write 1 local\n"});
}

TEST(Plan, RunsFromTheCommandLineAndFromASystemFile)
{
    const Fixtures files;
    const std::string xml = files.write("pair.xml", pair_xml);
    const json by_hand = parsed(call(
        {"run", "--infra", files.pair(), "--plan", xml, "--bytes", "64KiB", "--json", "-", "--no-timing", "--quiet"}));
    EXPECT_EQ(by_hand["verified"], "passed");
    EXPECT_EQ(by_hand["collectives"][0]["op"], "all_reduce");
    EXPECT_EQ(by_hand["collectives"][0]["algorithm"], "pair");
    EXPECT_EQ(by_hand["collectives"][0]["bytes"], 65536);
    EXPECT_TRUE(by_hand["alpha_beta"].is_null());
    const std::string system = files.write("system.yaml",
        "system: pair\ninfrastructure: pair.yaml\nprofile: generic\nworkload: {plan: pair.xml, bytes: 64 KiB}\n");
    const json by_file = parsed(call({"run", system, "--json", "-", "--no-timing", "--quiet"}));
    EXPECT_EQ(by_file["verified"], "passed");
    EXPECT_EQ(by_file["simulated_ps"], by_hand["simulated_ps"]);
    const json largest = parsed(call({"run", system, "--reduction", "max", "--json", "-", "--quiet"}));
    EXPECT_EQ(largest["verified"], "passed");
}

TEST(Plan, WhatDoesNotFitTheRunIsRefused)
{
    const Fixtures files;
    const std::string xml = files.write("pair.xml", pair_xml);
    const auto refusal = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"run", "--infra", files.pair()};
        all.insert(all.end(), more.begin(), more.end());
        const Outcome outcome = call(all);
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        return outcome.err;
    };
    expect_in(refusal({"--plan", xml}),
        {"the size of the plan's message is missing; expected 'bytes', or --bytes N, such as 1MiB\n"});
    expect_in(refusal({"--plan", xml, "--collective", "all_reduce", "--bytes", "1KiB"}),
        {"both --plan and --collective are given; expected one of them\n"});
    expect_in(refusal({"--plan", xml, "--trace", "x", "--bytes", "1KiB"}),
        {"both --plan and --trace are given; expected one of them\n"});
    expect_in(refusal({"--plan", xml, "--algorithm", "ring", "--bytes", "1KiB"}),
        {"option '--algorithm' with a plan; expected --collective OP, or no --algorithm\n"});
    expect_in(refusal({"--plan", xml, "--bytes", "1KiB", "--ranks", "1"}),
        {"1 ranks for a plan of 2; expected the number of ranks of the plan\n"});
    expect_in(refusal({"--plan", files.write("peer.xml", with(pair_xml, "send=\"1\"", "send=\"7\""))}),
        {"peer.xml:3: "});  // what is wrong with the plan comes before the size that it has not
    expect_in(refusal({"--plan", files.write("swap.json", packets_json), "--bytes", "1KiB", "--reduction", "max"}),
        {"reduction max for a plan that reduces nothing; expected no reduction\n"});
    expect_in(refusal({"--plan", xml, "--bytes", "1023B"}), {"1023 bytes are not a whole number of fp32 elements"});
    expect_in(
        refusal({"--plan", files.write("wrong.xml", with(pair_xml, "type=\"rrc\"", "type=\"r\"")), "--bytes", "1KiB"}),
        {"wrong.xml: output chunk 0 of rank 0 ends wrong"});
    const std::string system = files.write("system.yaml",
        "system: pair\ninfrastructure: pair.yaml\nworkload: {plan: pair.xml, collective: all_reduce, bytes: 64 KiB}\n");
    const Outcome outcome = call({"run", system});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err, {"system.yaml:3: 'collective' together with 'plan'; expected one of them\n"});
}

// Its file does not say what its result is.
TEST(Plan, ACustomPlanIsVerifiedAtNoFidelity)
{
    const Fixtures files;
    const std::string plan = files.write("custom.xml", with(pair_xml, "coll=\"allreduce\"", "coll=\"custom\""));
    const std::string document = files.write("box.yaml", box(2));
    for (const std::string fidelity : {"line", "flow", "mixed:b.0.xpu.0"}) {
        const json result = parsed(call({"run", "--infra", document, "--plan", plan, "--bytes", "1KiB", "--fidelity",
            fidelity, "--json", "-", "--quiet"}));
        EXPECT_EQ(result["stop"], "finished") << fidelity;
        EXPECT_EQ(result["verified"], "off") << fidelity;
    }
}

// Of MSCCL++ plans that state one: another is an error, where it is stated too.
TEST(Plan, AnotherReductionThanThatOfThePlanIsRefused)
{
    const Fixtures files;
    const std::string plan = files.write("pair.json", pair_json);
    const auto run = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"run", "--infra", files.pair(), "--plan", plan, "--bytes", "1KiB", "--quiet"};
        all.insert(all.end(), more.begin(), more.end());
        return call(all);
    };
    EXPECT_EQ(run({"--reduction", "sum"}).code, 0);
    Outcome outcome = run({"--reduction", "max"});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err, {"reduction max for a plan whose operations state sum; expected sum, or no reduction\n"});
    outcome = call({"run",
        files.write("system.yaml",
            "system: pair\ninfrastructure: pair.yaml\nprofile: generic\nworkload:\n  plan: pair.json\n"
            "  bytes: 1 KiB\n  reduction: min\n")});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err,
        {"system.yaml:7: reduction min for a plan whose operations state sum; expected sum, or no reduction\n"});
}

TEST(Plan, AnotherProtocolThanThatOfThePlanIsTold)
{
    const Fixtures files;
    const std::string xml = files.write("pair.xml", pair_xml);
    const std::string packets = files.write("swap.json", packets_json);
    const auto notices = [&](const std::string& plan, const std::string& protocol) {
        std::vector<std::string> all{"run", "--infra", files.pair(), "--plan", plan, "--bytes", "1KiB", "--json", "-",
            "--quiet"};
        if (!protocol.empty()) all.insert(all.end(), {"--set", "engine.protocol=" + protocol});
        return parsed(call(all))["notices"].dump();
    };
    const std::string runs = " and runs with engine.protocol = ll128; --set engine.protocol=";
    EXPECT_EQ(notices(xml, "").find("engine.protocol"), std::string::npos);
    expect_in(notices(xml, "ll128"), {"the plan states protocol Simple" + runs + "simple runs it as stated"});
    for (const char* as_it_is : {"", "ll"})
        EXPECT_EQ(notices(packets, as_it_is).find("engine.protocol"), std::string::npos) << as_it_is;
    expect_in(notices(packets, "ll128"), {"the plan has operations of packets (ll)" + runs + "ll runs it as stated"});
    expect_in(notices(packets, "simple"),
        {"the plan stores packets by its own operations and runs with ll; engine.protocol = simple changes nothing"});
}

// `weft plan` counts the bytes that a run puts on each link. They differ by packets of several lines, whose number depends on the times of the run.
TEST(Plan, LinksCarryThePacketsOfTheProtocol)
{
    const Fixtures files;
    const std::string plans[] = {files.write("pair.xml", pair_xml), files.write("swap.json", packets_json)};
    for (const std::string& plan : plans)
        for (const std::string protocol : {"simple", "ll", "ll128"}) {
            const std::vector<std::string> rest{"--bytes", "192KiB", "--infra", files.pair(), "--set",
                "engine.protocol=" + protocol, "--json"};
            std::vector<std::string> explain{"plan", plan};
            explain.insert(explain.end(), rest.begin(), rest.end());
            std::vector<std::string> run{"run", "--plan", plan, "--quiet"};
            run.insert(run.end(), rest.begin(), rest.end());
            run.push_back("-");
            const json told = parsed(call(explain))["links"];
            const json measured = parsed(call(run))["links"];
            ASSERT_EQ(told.size(), measured.size());
            for (std::size_t i = 0; i < told.size(); ++i) {
                EXPECT_EQ(told[i]["payload_bytes"], 196608);
                const double wire = measured[i]["wire_bytes"];
                EXPECT_NEAR(told[i]["wire_bytes"].get<double>() / wire, 1, 0.02) << plan << " " << protocol;
            }
        }
    const Outcome page =
        call({"plan", plans[1], "--bytes", "64KiB", "--infra", files.pair(), "--set", "engine.protocol=ll128"});
    expect_in(page.out, {", by the time that their bytes take, in packets of ll128\n"});
}

// What an algorithm does, written by one run and carried out by the next.
TEST(Plan, AnExportedRunIsAPlan)
{
    const Fixtures files;
    const std::string document = files.write("box.yaml", box(4));
    const std::string xml = files.path("ring.xml");
    const json ring = parsed(call({"run", "--infra", document, "--collective", "all_reduce", "--bytes", "64KiB",
        "--set", "engine.channels=2", "--export", xml, "--json", "-", "--quiet"}));
    const json plan = parsed(call({"plan", xml, "--json", "--bytes", "64KiB"}));
    EXPECT_EQ(plan["verified"], true);
    EXPECT_EQ(plan["chunks"], 8);
    EXPECT_EQ(plan["sent"], json({98304, 98304, 98304, 98304}));
    EXPECT_EQ(plan["transfers"], 6);
    const json again =
        parsed(call({"run", "--infra", document, "--plan", xml, "--bytes", "64KiB", "--json", "-", "--quiet"}));
    EXPECT_EQ(again["verified"], "passed");
    EXPECT_EQ(ring["collectives"][0]["bytes"], again["collectives"][0]["bytes"]);
    // From plan to plan.
    const std::string json_plan = files.write("pair.json", pair_json);
    EXPECT_EQ(call({"plan", json_plan, "--export", files.path("pair.xml")}).code, 0);
    EXPECT_EQ(parsed(call({"plan", files.path("pair.xml"), "--json"}))["verified"], true);
    const json gather = parsed(call({"run", "--infra", document, "--collective", "gather", "--bytes", "4KiB",
        "--export", xml, "--json", "-", "--quiet"}));
    EXPECT_NE(gather["notices"].dump().find("MSCCL has no name for gather"), std::string::npos) << gather["notices"];
    const json gathered = parsed(
        call({"run", "--infra", document, "--plan", xml, "--bytes", "4100B", "--json", "-", "--no-timing", "--quiet"}));
    EXPECT_EQ(gathered["collectives"][0]["op"], "gather");
    EXPECT_EQ(gathered["verified"], "passed");
    const Outcome barrier = call({"run", "--infra", document, "--collective", "barrier", "--export", xml});
    EXPECT_EQ(barrier.code, 2);
    expect_in(barrier.err, {"a barrier has no form in MSCCL XML"});
}

// Shared plans that need no more than stores, loads and signals. To be extended as more can be carried out.
class SharedPlan : public testing::TestWithParam<const char*> {};

TEST_P(SharedPlan, RunsToAVerifiedResult)
{
    const std::string path = shared(GetParam());
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared plans";
    const Fixtures files;
    const json explained = parsed(call({"plan", path, "--json"}));
    const int ranks = explained["ranks"];
    for (const int gpus : {2, 4, 8}) {
        if (gpus < ranks) continue;
        const std::string document = files.write("box.yaml", box(gpus));
        const json result =
            parsed(call({"run", "--infra", document, "--plan", path, "--bytes", "32KiB", "--json", "-", "--quiet"}));
        EXPECT_EQ(result["stop"], "finished");
        EXPECT_EQ(result["verified"], "passed") << gpus;
        EXPECT_EQ(result["collectives"][0]["ranks"], ranks);
    }
}

INSTANTIATE_TEST_SUITE_P(Shared, SharedPlan,
    testing::Values("collectives/msccl_xml/allgather_allpairs_4r.xml",
        "collectives/msccl_xml/allgather_ring_4r_2ch.xml", "collectives/msccl_xml/allreduce_1step_4r.xml",
        "collectives/msccl_xml/allreduce_allpairs_4r.xml", "collectives/msccl_xml/allreduce_recursive_hd_8r.xml",
        "collectives/msccl_xml/allreduce_ring_4r.xml", "collectives/msccl_xml/allreduce_ring_8r.xml",
        "collectives/msccl_xml/allreduce_ring_8r_8ch.xml", "collectives/msccl_xml/alltoall_allpairs_4r.xml",
        "collectives/msccl_xml/alltoall_two_step_2x4.xml", "collectives/mscclpp_json/allreduce.json",
        "collectives/mscclpp_json/mpp_allgather.json", "collectives/mscclpp_json/mpp_allgather_2node.json",
        "collectives/mscclpp_json/mpp_allreduce_2gpu_2mb.json", "collectives/mscclpp_json/mpp_alltoall_4gpu.json",
        "collectives/mscclpp_json/mpp_reducescatter_2node.json", "collectives/mscclpp_json/reduce.json",
        "collectives/mscclpp_json/allreduce_packet.json", "collectives/mscclpp_json/mpp_allgather_packet_4gpu.json",
        "collectives/mscclpp_json/mpp_allreduce_naive_4gpu.json",
        "collectives/mscclpp_json/mpp_allreduce_packet_4gpu.json", "collectives/mscclpp_json/transfer_pack.json",
        "collectives/mscclpp_json/mpp_allreduce_nvls_4gpu.json",
        "collectives/mscclpp_json/mpp_allreduce_nvls_pipeline.json"),
    [](const auto& info) {
        const std::string path = info.param;
        const std::size_t name = path.rfind('/') + 1;
        return path.substr(name, path.rfind('.') - name);
    });

// Two ranks that exchange their message in one step of `chunks` chunks.
std::string exchange_xml(int chunks)
{
    const std::string all = std::to_string(chunks);
    std::string out = "<algo name=\"x\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"" + all +
        "\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\">\n";
    for (const std::string rank : {"0", "1"}) {
        const std::string peer = rank == "0" ? "1" : "0";
        out += "<gpu id=\"" + rank + "\" i_chunks=\"" + all +
            "\" o_chunks=\"0\" s_chunks=\"2\">\n<tb id=\"0\" send=\"" + peer + "\" recv=\"" + peer + "\" chan=\"0\">\n";
        int number = 0;
        for (const std::string type : {"s", "rrc"})
            out += "<step s=\"" + std::to_string(number++) + "\" type=\"" + type +
                "\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"" + all +
                "\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
        out += "</tb>\n</gpu>\n";
    }
    return out + "</algo>\n";
}

// A step is one copy, in however many chunks the plan counts it; scratch slots of other lengths than a line cut it in pieces, which went
// one after the other: 40 chunks of 100 B took 11.6 us, one of 4000 B 2.5.
TEST(Plan, PiecesOfAStepAreOneCopyByAllWavefronts)
{
    const Fixtures files;
    const std::string document = files.write("box.yaml", box(2));
    const auto time = [&](int chunks, const std::string& protocol) {
        const std::string plan = files.write("x" + std::to_string(chunks) + ".xml", exchange_xml(chunks));
        return parsed(call({"run", "--infra", document, "--plan", plan, "--bytes", "4000", "--set",
            "engine.protocol=" + protocol, "--json", "-", "--quiet"}))["simulated_ps"]
            .get<double>();
    };
    for (const std::string protocol : {"simple", "ll"}) {
        SCOPED_TRACE(protocol);
        const double whole = time(1, protocol);
        const bool packets = protocol == "ll";  // each chunk begins with a packet of its own
        EXPECT_LT(time(10, protocol), (packets ? 1.06 : 1.01) * whole);
        EXPECT_LT(time(40, protocol), (packets ? 1.34 : 1.18) * whole);
    }
}

// A custom collective has no result to check; it ends.
TEST(Plan, SharedChakraTracesRun)
{
    const std::string folder = shared("chakra/custom_collective");
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared traces";
    const Fixtures files;
    const std::string document = files.write("box.yaml", box(4));
    for (const std::string name :
        {"allreduce_ring_4r", "allgather_ring_4r_2ch", "alltoall_allpairs_4r", "allreduce_allpairs_4r"}) {
        const json result = parsed(
            call({"run", "--infra", document, "--plan", folder + "/" + name + "/" + name, "--json", "-", "--quiet"}));
        EXPECT_EQ(result["stop"], "finished") << name;
        EXPECT_EQ(result["verified"], "off") << name;
        EXPECT_EQ(result["collectives"][0]["bytes"], 262144) << name;
    }
}

}  // namespace plan_test
