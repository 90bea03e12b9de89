// Every packet format as the tables of links set it, merging, frames, packet overhead and credit messages included: bytes,
// packets and messages of every link equal, to the byte, a second count from the lines that entered it.
#include <functional>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "infragraph/load.h"
#include "platform/assembly/model_registry.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/result/report.h"
#include "testbenches/platform/expected_traffic.h"
#include "testbenches/platform/wire_recount.h"
#include "tlm_interconnect/link/credit_messages.h"

namespace wire_formats_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr unsigned ranks = 4;

// Names of links, by which the tables choose the format.
const char* const formats[] = {"nvlink_4", "nvlink_5", "xgmi", "ualink", "pcie_gen5", "pcie_gen6", "ethernet",
    "ethernet_sue"};

struct Traffic {
    CollectiveOp op;
    const char* algorithm;
    std::uint64_t bytes;
};
const Traffic traffics[] = {{CollectiveOp::all_reduce, "direct", 64 << 10}, {CollectiveOp::all_reduce, "ring", 10'007},
    {CollectiveOp::all_gather, "direct_get", 64 << 10}};

RunSetup setup_of(const std::string& format, bool star, const Traffic& traffic)
{
    RunSetup setup;
    setup.document = star ? star_document(ranks) : mesh_document(ranks);
    setup.lines = collective_lines(name_of(traffic.op), traffic.algorithm, std::to_string(traffic.bytes), "type: u8");
    setup.sets = {"engine.channels=4", "link.protocol=" + format};
    setup.options.data_on = true;
    return setup;
}

using Change = std::function<void(LinkSpec&)>;

// What links and taps counted, by direction. `change`: the recount takes another format than the link.
Json counted_twice(const RunSetup& setup, const Change& change = {})
{
    const std::string text = in_timed_child(
        [&] {
            Recounts seen;
            ModelRegistry registry;
            registry.add_link("tapped", "a link between taps", [&](const RunContext& run, const LinkRequest& request) {
                const LinkSpec& given = request.parameters.get<LinkSpec>();
                LinkSpec spec = given;
                if (change) change(spec);
                return tapped(request.module_name, run.event_queue, request.path,
                    make_link((request.module_name + "_inner").c_str(), run.event_queue, request.path, given,
                        request.seed),
                    spec, seen);
            });
            SystemDescription description =
                read_system_text("system.yaml", "infrastructure: inline.yaml\n" + setup.lines);
            for (const std::string& set : setup.sets) description.sets.push_back(parse_set(set));
            description.sets.push_back(parse_set("link.model=tapped"));
            LoadedGraph loaded = load_infrastructure_text("inline.yaml", setup.document);
            RunOptions options = setup.options;
            options.progress = false;
            KnownNames known;
            known.models = registry.names_by_kind();
            Json out;
            const RunResult result = run_system(
                resolve(description, std::make_shared<Graph>(std::move(loaded.graph)), known), registry, options);
            out["result"] = Json::parse(result_json(result, false));
            out["directions"] = Json::array();
            for (const auto& link : seen.links)
                for (unsigned end = 0; end < 2; ++end) {
                    const LinkModel::Direction& link_says = link->counted[end];
                    const WireRecount& direction = link->directions[end];
                    out["directions"].push_back({{"link", link->path}, {"end", end}, {"credits", direction.credits},
                        {"counted",
                            {{"lines", link_says.lines}, {"payload", link_says.payload_bytes},
                                {"wire", link_says.wire_bytes}, {"packets", link_says.packets},
                                {"messages", link_says.credit_messages}}},
                        {"recount",
                            {{"lines", direction.lines}, {"payload", direction.payload}, {"wire", direction.wire()},
                                {"packets", direction.packets}, {"messages", direction.messages}}}});
                }
            return out.dump();
        },
        100);
    return text.empty() ? Json::object() : Json::parse(text);
}

// The first direction whose two counts differ; empty when there is none.
std::string first_difference(const Json& counts)
{
    for (const Json& direction : counts.at("directions"))
        if (direction.at("counted") != direction.at("recount")) return direction.dump();
    return "";
}

class WireFormats : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};

}  // namespace

TEST_P(WireFormats, BytesOfLinksAreThoseOfTheirLines)
{
    const auto& [format, star] = GetParam();
    for (const Traffic& traffic : traffics) {
        const RunSetup setup = setup_of(format, star, traffic);
        const Json counts = counted_twice(setup);
        ASSERT_EQ(counts["result"].value("verified", ""), "passed") << traffic.algorithm;
        ASSERT_EQ(counts["directions"].size(), star ? 2u * ranks : ranks * (ranks - 1u));
        EXPECT_EQ(first_difference(counts), "") << traffic.algorithm;
        const LinkSpec spec = resolve_setup(setup).link(0);
        std::uint64_t wire = 0;
        std::uint64_t sent[2] = {};
        for (const Json& direction : counts["directions"]) {
            const auto lines = direction["counted"]["lines"].get<std::uint64_t>();
            const auto packets = direction["counted"]["packets"].get<std::uint64_t>();
            EXPECT_LE(packets, lines);
            // A packet holds a whole block at the most, whoever counts.
            EXPECT_GE(packets * std::max<std::uint64_t>(spec.max_payload, line_bytes),
                direction["counted"]["payload"].get<std::uint64_t>());
            wire += direction["counted"]["wire"].get<std::uint64_t>();
            sent[0] += packets;
            sent[1] += direction["counted"]["messages"].get<std::uint64_t>();
            // Every line that came the other way gave its credit back.
            for (const Json& back : counts["directions"]) {
                if (back["link"] != direction["link"] || back["end"] == direction["end"]) continue;
                EXPECT_EQ(direction["credits"], back["counted"]["lines"]);
            }
            const std::uint64_t messages = direction["credits"].get<std::uint64_t>() / credits_of_message(spec);
            EXPECT_EQ(direction["counted"]["messages"], spec.credit_bytes > 0 ? messages : 0);
        }
        std::uint64_t reported[3] = {};
        for (const Json& link : counts["result"]["links"]) {
            reported[0] += link["wire_bytes"].get<std::uint64_t>();
            reported[1] += link["packets"].get<std::uint64_t>();
            reported[2] += link["credit_messages"].get<std::uint64_t>();
        }
        EXPECT_EQ(reported[0], wire);
        EXPECT_EQ(reported[1], sent[0]);
        EXPECT_EQ(reported[2], sent[1]);
    }
}

// Lines and payload, which no format changes, are those of the schedule.
TEST_P(WireFormats, LinesAreThoseOfTheSchedule)
{
    const auto& [format, star] = GetParam();
    const bool through_switch = star;
    const auto routes = [through_switch](std::uint32_t from, std::uint32_t to, std::uint64_t) {
        const auto xpu = [](std::uint32_t rank) { return "b.0.xpu." + std::to_string(rank); };
        return through_switch ? std::vector<std::string>{xpu(from), "b.0.sw.0", xpu(to)}
                              : std::vector<std::string>{xpu(from), xpu(to)};
    };
    for (const Traffic& traffic : {traffics[0], traffics[1]}) {
        const RunSetup setup = setup_of(format, star, traffic);
        AlgorithmOptions options;
        options.channels = 4;
        ExpectedTraffic expected(resolve_setup(setup), routes);
        expected.add_by_steps(make_schedule(traffic.algorithm, traffic.op, ranks, options), traffic.bytes, 1);
        std::map<std::pair<std::string, std::string>, std::pair<Json, Json>> wanted;
        const Json theory = expected.as_result();
        const Json simulated = run(setup);
        ASSERT_EQ(simulated.at("links").size(), star ? 2u * ranks : ranks * (ranks - 1u));
        for (const Json& link : theory.at("links"))
            wanted[{link["from"], link["to"]}] = {link["lines"], link["payload_bytes"]};
        for (const Json& link : simulated.at("links")) {
            const auto [lines, payload] = wanted[{link["from"], link["to"]}];
            EXPECT_EQ(link["lines"], lines.is_null() ? Json(0) : lines) << link["name"];
            EXPECT_EQ(link["payload_bytes"], payload.is_null() ? Json(0) : payload) << link["name"];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, WireFormats, ::testing::Combine(::testing::ValuesIn(formats), ::testing::Bool()),
    [](const auto& info) {
        return std::string(std::get<0>(info.param)) + (std::get<1>(info.param) ? "_star" : "_mesh");
    });

// Over network cards, whatever moves the data: a transfer is a message, cut into packets. Whole lines of 4 KiB and more.
RunSetup cards(const std::string& algorithm, const std::string& mover)
{
    RunSetup setup;
    setup.document = read_text_file(example("two_hosts"));
    setup.lines = collective_lines("all_gather", algorithm, "393216", "type: u8") +
        "bind:\n- {nodes: {component: nic}, kind: nic}\nlinks:\n  ic: {protocol: ic}\n";
    setup.sets = {"engine.channels=4", "engine.mover=" + mover};
    setup.options.data_on = true;
    return setup;
}

// The same of links between cards and switches. Others have rates at which a picosecond holds no whole byte, so that a second
// count of what left without a gap would need the link's own remainders.
std::string first_difference_on_networks(const Json& counts)
{
    unsigned seen = 0;
    for (const Json& direction : counts.at("directions")) {
        const auto link = direction.at("link").get<std::string>();
        if (link.find("nic.") == std::string::npos || link.find("leaf.0.port.") == std::string::npos) continue;
        ++seen;
        if (direction.at("counted") != direction.at("recount")) return direction.dump();
    }
    return seen == 8 ? "" : "not 4 links in 2 directions";
}

TEST(WireFormatsOfCards, BytesFollowFromTransfers)
{
    for (const auto& [algorithm, mover] :
        {std::pair("ring", "units"), std::pair("direct_get", "units"), std::pair("ring", "copy_engine")}) {
        const Json counts = counted_twice(cards(algorithm, mover));
        ASSERT_EQ(counts["result"].value("verified", ""), "passed") << algorithm;
        EXPECT_EQ(first_difference_on_networks(counts), "") << algorithm << " by " << mover;
    }
}

// Packets are cut for the narrowest link of the network, wherever it is.
TEST(WireFormatsOfCards, OneNarrowLinkSetsTheMtuOfThePath)
{
    const auto packets = [](const std::string& narrow) {
        const Json counts = counted_twice(cards("ring", "units").with(narrow));
        std::uint64_t sum = 0;
        for (const Json& direction : counts.at("directions"))
            if (direction["link"].get<std::string>().find("leaf.0.port") != std::string::npos)
                sum += direction["counted"]["packets"].get<std::uint64_t>();
        return sum;
    };
    const std::uint64_t all = packets("host.*.nic.*~leaf.0.port.*.link.max_payload=2080");
    EXPECT_EQ(packets("host.1.nic.1~leaf.0.port.3.link.max_payload=2080"), all);
    EXPECT_LT(packets("host.1.nic.1~leaf.0.port.3.link.max_payload=4160"), all);
}

TEST(WireFormatsOfCards, AnotherFormatIsSeen)
{
    for (const auto& [what, change] :
        {std::pair<const char*, Change>("message_header", [](LinkSpec& spec) { spec.message_header += 1; }),
            std::pair<const char*, Change>("message_answer", [](LinkSpec& spec) { spec.message_answer += 1; }),
            std::pair<const char*, Change>("max_payload", [](LinkSpec& spec) { spec.max_payload /= 2; })})
        EXPECT_EQ(first_difference_on_networks(counted_twice(cards("ring", "units"), change)).substr(0, 1), "{")
            << what;
}

// Every figure of a format is seen: with another one, the recount differs.
TEST(WireFormatsChecker, AnotherFormatIsSeen)
{
    struct Case {
        const char* format;
        const char* what;
        Change change;
    };
    const Case cases[] = {{"nvlink_4", "header", [](LinkSpec& spec) { spec.header += 1; }},
        {"nvlink_4", "max_payload", [](LinkSpec& spec) { spec.max_payload = 256; }},
        {"nvlink_4", "merge", [](LinkSpec& spec) { spec.merge = MergeKind::none; }},
        {"nvlink_5", "flit", [](LinkSpec& spec) { spec.flit = 32; }},
        {"xgmi", "frame_payload", [](LinkSpec& spec) { spec.frame_payload = 47; }},
        {"ualink", "response_saving", [](LinkSpec& spec) { spec.response_saving = 0; }},
        {"ualink", "extension_ways", [](LinkSpec& spec) { spec.address_extension = 0; }},
        {"ualink", "atomic_extra", [](LinkSpec& spec) { spec.atomic_extra += 1; }},
        {"pcie_gen5", "credit_batch", [](LinkSpec& spec) { spec.credit_batch = 7; }},
        {"pcie_gen5", "credit_bytes", [](LinkSpec& spec) { spec.credit_bytes = 4; }},
        {"ethernet", "packet_overhead", [](LinkSpec& spec) { spec.packet_overhead += 1; }},
        {"ethernet_sue", "max_payload", [](LinkSpec& spec) { spec.max_payload = 2048; }}};
    for (const Case& wrong : cases)
        EXPECT_NE(first_difference(counted_twice(setup_of(wrong.format, false, traffics[0]), wrong.change)), "")
            << wrong.format << " " << wrong.what;
    EXPECT_NE(first_difference(counted_twice(setup_of("nvlink_4", false, traffics[1]),
                  [](LinkSpec& spec) { spec.byte_enable += 1; })),
        "");
}

}  // namespace wire_formats_test
