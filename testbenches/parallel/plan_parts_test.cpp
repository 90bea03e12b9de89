// Plans of packets and signals in parts and over processes: what is under way decides whether a run can go on.
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/same_bytes.h"
#include "testbenches/support/scratch_folder.h"

namespace plan_parts_test {

using namespace weft;
using namespace weft::testing;

namespace {

// One block of a rank with these operations, one channel to `peer`, and its buffer of packets.
std::string rank_of(unsigned id, unsigned peer, const std::string& operations, const std::string& more_peers = "")
{
    return "{\"id\": " + std::to_string(id) +
        ", \"input_chunks\": 1, \"output_chunks\": 1, \"scratch_chunks\": 1,\n\"threadblocks\": [{\"id\": 0, \"ops\": "
        "[" +
        operations + R"(], "channels": [{"channel_type": "memory", "channel_ids": [0)" +
        (more_peers.empty() ? "" : ", 1") +
        R"(]}], "remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}]}],
"channels": [{"channel_type": "memory", "connected_to": [)" +
        std::to_string(peer) + more_peers + "]}],\n\"remote_buffers\": [{\"rank\": " + std::to_string(peer) +
        R"(, "type": "s", "access_channel_types": ["memory"]}], "semaphores": []})";
}

const char* const put = R"({"name": "ppkt", "src_buff": [{"type": "i", "index": 0, "size": 1}],
 "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_ids": [0], "channel_type": "memory"})";
const char* const take = R"({"name": "upkt", "src_buff": [{"type": "s", "index": 0, "size": 1}],
 "dst_buff": [{"type": "o", "index": 0, "size": 1}]})";

std::string on_channel(const std::string& operation, unsigned channel = 0)
{
    return "{\"name\": \"" + operation + "\", \"channel_ids\": [" + std::to_string(channel) +
        "], \"channel_type\": \"memory\"}";
}

RunSetup planned(const test::ScratchFolder& folder, const std::string& ranks, const std::string& policy,
    const std::string& more = "")
{
    write_text_file(folder.file("plan.json"),
        "{\"name\": \"plan\", \"collective\": \"custom\", \"protocol\": \"LL\", \"inplace\": false, \"gpus\": [" +
            ranks + "]}\n");
    RunSetup setup;
    setup.document = mesh_document(3);
    setup.lines = "workload: {plan: \"" + folder.file("plan.json") + "\", bytes: 128 B" + more + "}\n";
    setup.sets = {"gpu.wait_policy=" + policy, "link.latency=3us"};
    return setup;
}

// Rank 0 sends packets and waits for the signal of rank 1, which the packets let go on.
RunSetup answered(const test::ScratchFolder& folder, const std::string& policy)
{
    return planned(folder,
        rank_of(0, 1, std::string(put) + ", " + on_channel("wait")) + ",\n" +
            rank_of(1, 0, std::string(take) + ", " + on_channel("signal")),
        policy);
}

// Rank 0 waits for a flag of rank 2, and then sends packets to rank 1, which polls for them all the time.
RunSetup chained(const test::ScratchFolder& folder, const std::string& policy, const std::string& more = "")
{
    return planned(folder,
        rank_of(0, 1, on_channel("wait", 1) + ", " + put, ", 2") + ",\n" + rank_of(1, 0, take) + ",\n" +
            rank_of(2, 0, on_channel("signal")),
        policy, more)
        .with("engine.flag_home=signaller");
}

void expect_end(const RunSetup& setup) { EXPECT_EQ(run(setup).value("stop", ""), "finished"); }

const char* const policies[] = {"spin", "backoff", "monitor", "waiting_atomic"};

using PlanProcesses = OverProcesses;

}  // namespace

TEST(PlanParts, PacketsUnderWayWhileTheirSenderWaits)
{
    for (const char* policy : policies) {
        const test::ScratchFolder folder;
        const RunSetup setup = answered(folder, policy);
        expect_end(setup);
        expect_same(setup, {2}, policy);
    }
}

// The response to a waiting atomic has a longer way than the acknowledge of the signal.
TEST(PlanParts, ResponsesUnderWayToAWaitingAtomic)
{
    for (const char* policy : policies) {
        const test::ScratchFolder folder;
        const RunSetup setup = chained(folder, policy);
        expect_end(setup);
        expect_same(setup, {2, 3}, policy);
    }
}

// The signal comes between the read of the flag and the monitor for it.
RunSetup missed(const test::ScratchFolder& folder) { return chained(folder, "monitor", ", delay: {2: 5us}"); }

// With a time-out it reads the flag again. Without one it waits for ever, and rank 1 would poll for ever.
TEST(PlanParts, AMonitorThatHasMissedTheSignal)
{
    const test::ScratchFolder folder;
    expect_end(missed(folder));
    const RunSetup setup = missed(folder).with("l2.monitor_timeout=0");
    const Json result = run(setup);
    EXPECT_EQ(result.value("stop", ""), "deadlock");
    EXPECT_LT(result.value("simulated_ps", 0.0), 1.2e9) << "found at the tenth look";
    expect_same(setup, {2, 3}, "monitor");
}

TEST_F(PlanProcesses, WhatIsUnderWay)
{
    const test::ScratchFolder folder;
    expect_same_over({2}, answered(folder, "spin"), "packets");
    expect_same_over({3, 2}, chained(folder, "waiting_atomic"), "waiting atomic");
    expect_same_over({2}, missed(folder).with("l2.monitor_timeout=0"), "monitor");
}

}  // namespace plan_parts_test
