// Counters of a timeline: what nodes send, window by window.
#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "platform/result/timeline_counters.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace timeline_counters_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

struct Value {
    double at;  // us
    double value;
};

// By process and name of the counter.
std::map<std::pair<std::uint32_t, std::string>, std::vector<Value>> counters_of(const json& timeline)
{
    std::map<std::pair<std::uint32_t, std::string>, std::vector<Value>> out;
    for (const json& event : timeline["traceEvents"]) {
        if (event["ph"] != "C") continue;
        out[{event["pid"].get<std::uint32_t>(), event["name"].get<std::string>()}].push_back(
            {event["ts"].get<double>(), event["args"].begin().value().get<double>()});
    }
    return out;
}

}  // namespace

TEST(TimelineCounters, AreSumsOverTheLinksOfANode)
{
    const std::string timeline = "{\"traceEvents\":[\n"
                                 R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"rank 0: a"}})"
                                 "\n]}\n";
    const std::string series = "start_ps,length_ps,link,from,to,lines,wire_bytes,write_queue,response_queue\n"
                               "0,1000000,a~s,a,s,1,100,2,\n"
                               "0,1000000,a~t,a,t,1,300,1,0.5\n"
                               "2000000,500000,a~s,a,s,1,50,0,0\n"
                               "1000000,1000000,s~a,s,a,1,7,0,0\n";
    const auto counters = counters_of(json::parse(weft::with_counters(timeline, series)));
    ASSERT_EQ(counters.size(), 4u);
    const auto text = [&](std::uint32_t process, const char* name) {
        std::string out;
        for (const Value& each : counters.at({process, name}))
            out += std::to_string(std::lround(each.at * 1000)) + ":" + std::to_string(each.value).substr(0, 4) + " ";
        return out;
    };
    // 400 B in 1 us; nothing in the second window; 50 B in half a one.
    EXPECT_EQ(text(1, "links out"), "0:0.40 1000:0.00 2000:0.10 2500:0.00 ");
    EXPECT_EQ(text(1, "queues of links out"), "0:3.50 1000:0.00 2000:0.00 2500:0.00 ");
    EXPECT_EQ(text(1'000'000, "links out"), "0:0.00 1000:0.00 2000:0.00 ");
    EXPECT_DOUBLE_EQ(counters.at({1'000'000, "links out"})[1].value, 0.007);
    EXPECT_EQ(weft::with_counters(timeline, ""), timeline);
}

// At flow fidelity queues are not known, which is not the same as none.
TEST(TimelineCounters, OfASeriesWithoutQueuesAreOfBytesAlone)
{
    const std::string timeline = "{\"traceEvents\":[\n"
                                 R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"rank 0: a"}})"
                                 "\n]}\n";
    const std::string series = "start_ps,length_ps,link,from,to,lines,wire_bytes\n"
                               "0,1000000,a~s,a,s,1,100\n";
    const auto counters = counters_of(json::parse(weft::with_counters(timeline, series)));
    ASSERT_EQ(counters.size(), 1u);
    EXPECT_EQ(counters.begin()->first.second, "links out");
}

TEST(TimelineCounters, HaveAllBytesOfTheLinks)
{
    const Fixtures files;
    const std::vector<std::string> arguments{"run", "examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--no-data",
        "--quiet", "--timeline", files.path("t.json"), "--json", files.path("r.json")};
    ASSERT_EQ(call(arguments).code, 0);
    const std::string first = files.read("t.json");
    const json timeline = json::parse(first);
    const json result = json::parse(files.read("r.json"));
    std::map<std::string, std::uint32_t> processes;
    for (const json& event : timeline["traceEvents"])
        if (event["name"] == "process_name") {
            const std::string name = event["args"]["name"];
            const std::size_t colon = name.find(": ");
            processes[colon == std::string::npos ? name : name.substr(colon + 2)] = event["pid"];
        }
    const auto counters = counters_of(timeline);
    std::map<std::string, double> bytes;
    for (const json& link : result["links"]) bytes[link["from"]] += link["wire_bytes"].get<double>();
    std::size_t seen = 0;
    for (const auto& [node, sent] : bytes) {
        if (sent == 0) continue;
        ++seen;
        const std::vector<Value>& values = counters.at({processes.at(node), "links out"});
        double sum = 0;
        for (std::size_t i = 0; i + 1 < values.size(); ++i)
            sum += values[i].value * 1e3 * (values[i + 1].at - values[i].at);
        EXPECT_NEAR(sum / sent, 1, 1e-5) << node;
    }
    EXPECT_EQ(seen, 12u);  // GPUs and switches
    // No time changes, and the same bytes again.
    ASSERT_EQ(call({"run", "examples/dgx_h100/system.yaml", "--bytes", "64KiB", "--no-data", "--quiet", "--json",
                       files.path("p.json")})
                  .code,
        0);
    EXPECT_EQ(json::parse(files.read("p.json"))["simulated_ps"], result["simulated_ps"]);
    ASSERT_EQ(call(arguments).code, 0);
    EXPECT_EQ(files.read("t.json"), first);
}

}  // namespace timeline_counters_test
