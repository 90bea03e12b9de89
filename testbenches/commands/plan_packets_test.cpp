// `weft plan` and `weft run --plan` of packets that line fidelity refuses.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace plan_packets_test {

using namespace weft::commands_test;

namespace {

std::string notices(const Outcome& outcome)
{
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false)["notices"].dump();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// One of two blocks that read half of a slot each.
std::string half(int number)
{
    return "{\"id\": " + std::to_string(number) +
        R"(, "ops": [{"name": "upkt", "src_buff": [{"type": "s", "index": 0, "size": 1}],
 "dst_buff": [{"type": "o", "index": 0, "size": 1}], "tbg_info": {"tb_id": )" +
        std::to_string(number) + R"(, "tbg_size": 2}}], "channels": [], "remote_buffer_refs": []})";
}

}  // namespace

// Rank 0 stores a chunk in packets by one block.
TEST(PlanPackets, ReadInOtherPartsThanStoredAreTold)
{
    const Fixtures files;
    const std::string text = R"({"name": "halves", "collective": "custom", "protocol": "LL", "inplace": false, "gpus": [
{"id": 0, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 1, "threadblocks": [{"id": 0, "ops": [
{"name": "ppkt", "src_buff": [{"type": "i", "index": 0, "size": 1}],
 "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory", "channel_ids": [0]}],
"channels": [{"channel_type": "memory", "channel_ids": [0]}],
"remote_buffer_refs": [{"access_channel_type": "memory", "remote_buffer_ids": [0]}]}],
"channels": [{"channel_type": "memory", "connected_to": [1]}],
"remote_buffers": [{"rank": 1, "type": "s", "access_channel_types": ["memory"]}]},
{"id": 1, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 1, "threadblocks": [)" +
        half(0) + ", " + half(1) + R"(], "channels": [{"channel_type": "memory", "connected_to": [0]}],
"remote_buffers": []}]}
)";
    const std::string plan = files.write("halves.json", text);
    const std::string refused = "packets in slot 0 of rank 1 are stored and read in different parts; expected the same "
                                "part of the same chunks on both sides, or --fidelity flow";
    const std::string told = notices(call({"plan", plan, "--bytes", "4KiB", "--json"}));
    EXPECT_TRUE(has(told, "line fidelity refuses a message of 4 KiB: halves: " + refused)) << told;
    // Of a message of one line the first block has all.
    EXPECT_FALSE(has(notices(call({"plan", plan, "--bytes", "64B", "--json"})), "refuses"));
    std::vector<std::string> run{"run", "--infra", files.pair(), "--plan", plan, "--bytes", "4KiB", "--quiet"};
    const Outcome lines = call(run);
    EXPECT_EQ(lines.code, 2);
    EXPECT_TRUE(has(lines.err, refused)) << lines.err;
    run.insert(run.end(), {"--fidelity", "flow"});
    EXPECT_EQ(call(run).code, 0);
}

}  // namespace plan_packets_test
