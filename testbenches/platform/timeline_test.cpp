// Timelines of traces: nodes, arrows and the path of the whole trace, as viewers want them.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace timeline_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

using Ranks = std::vector<std::vector<std::string>>;
using Track = std::pair<std::uint64_t, std::uint64_t>;  // process and thread

// Two collectives at once, a send that a receive waits for, memory and computation.
Ranks step()
{
    Ranks ranks;
    for (std::uint64_t rank = 0; rank < 4; ++rank) {
        std::vector<std::string> nodes{comp(1, 5 + 10 * rank), collective(2, 0, 65536).data({1}),
            collective(3, 0, 4096).data({1}), comp(4, 3).data({2})};
        if (rank == 0) nodes.push_back(send(5, 1, 7, 100'000).data({3}));
        if (rank == 1) nodes.push_back(recv(5, 0, 7, 100'000));
        ranks.push_back(std::move(nodes));
    }
    return ranks;
}

struct Followed {
    Json trace;
    Json result;
};

Followed followed(const std::vector<std::string>& sets)
{
    const Folder folder;
    RunSetup setup;
    setup.document = mesh_document(4);
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(step()), "");
    setup.sets = sets;
    setup.sets.emplace_back("engine.channels=4");
    setup.options.follow = true;
    const std::string text = in_timed_child([&setup] { return run_here(setup).timeline; }, 60);
    return {Json::parse(text), run(setup)};
}

// "" or which slices of a track overlap without one being inside the other. In picoseconds.
std::string overlaps(const Json& trace)
{
    std::map<Track, std::vector<std::pair<std::int64_t, std::int64_t>>> slices;
    for (const Json& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        const auto begin = static_cast<std::int64_t>(std::llround(event["ts"].get<double>() * 1e6));
        const auto length = static_cast<std::int64_t>(std::llround(event["dur"].get<double>() * 1e6));
        slices[{event["pid"].get<std::uint64_t>(), event["tid"].get<std::uint64_t>()}].emplace_back(begin,
            -(begin + length));
    }
    for (auto& [track, list] : slices) {
        std::sort(list.begin(), list.end());
        std::vector<std::int64_t> open;
        for (const auto& [begin, minus_end] : list) {
            while (!open.empty() && open.back() <= begin) open.pop_back();
            if (!open.empty() && open.back() < -minus_end)
                return std::to_string(track.first) + "/" + std::to_string(track.second) + " at " +
                    std::to_string(begin) + " ps";
            open.push_back(-minus_end);
        }
    }
    return "";
}

}  // namespace

TEST(Timeline, SlicesOfATrackNeverOverlap)
{
    const Followed run = followed({"engine.communication_in_flight=3"});
    EXPECT_EQ(overlaps(run.trace), "");
    // The check finds what is planted.
    Json broken = run.trace;
    Json slice = {{"ph", "X"}, {"pid", 1}, {"tid", 900}, {"name", "a"}, {"ts", 1.0}, {"dur", 2.0}};
    broken["traceEvents"].push_back(slice);
    slice["ts"] = 2.0;
    broken["traceEvents"].push_back(slice);
    EXPECT_EQ(overlaps(broken), "1/900 at 2000000 ps");
}

TEST(Timeline, EveryTrackHasAName)
{
    const Followed run = followed({"engine.communication_in_flight=3"});
    std::set<Track> named;
    std::set<std::string> names;
    std::set<Track> used;
    for (const Json& event : run.trace["traceEvents"]) {
        if (event["ph"] == "M" && event["name"] == "thread_name") {
            EXPECT_TRUE(named.insert({event["pid"].get<std::uint64_t>(), event["tid"].get<std::uint64_t>()}).second)
                << event.dump();
            names.insert(event["args"]["name"].get<std::string>());
        } else if (event["ph"] == "X") {
            used.insert({event["pid"].get<std::uint64_t>(), event["tid"].get<std::uint64_t>()});
        }
    }
    EXPECT_EQ(named, used);
    for (const std::string name :
        {"whole trace", "collectives", "compute", "communication", "communication 2", "workgroup 0"})
        EXPECT_EQ(names.count(name), 1U) << name;
}

TEST(Timeline, NodesHaveTheirNamesAndArrowsLeadFromSendToReceive)
{
    const Followed run = followed({});
    std::size_t nodes = 0;
    std::vector<Json> arrows;
    for (const Json& event : run.trace["traceEvents"]) {
        if (event["ph"] == "s" || event["ph"] == "f") arrows.push_back(event);
        if (event["ph"] == "X" && event["pid"] != 0 && event.contains("cat")) {
            ++nodes;
            EXPECT_TRUE(event["args"].contains("kind")) << event.dump();
        }
    }
    EXPECT_EQ(nodes, 4U * 4 + 2);
    ASSERT_EQ(arrows.size(), 2U);
    EXPECT_EQ(arrows[0]["id"], arrows[1]["id"]);
    EXPECT_EQ(arrows[0]["pid"], 1);
    EXPECT_EQ(arrows[1]["pid"], 2);
    EXPECT_LE(arrows[0]["ts"].get<double>(), arrows[1]["ts"].get<double>());
    // Each end lies in a slice of its track.
    for (const Json& arrow : arrows)
        EXPECT_TRUE(std::any_of(run.trace["traceEvents"].begin(), run.trace["traceEvents"].end(),
            [&](const Json& event) {
                return event["ph"] == "X" && event["pid"] == arrow["pid"] && event["tid"] == arrow["tid"] &&
                    event["ts"].get<double>() <= arrow["ts"].get<double>() &&
                    arrow["ts"].get<double>() < event["ts"].get<double>() + event["dur"].get<double>();
            }))
            << arrow.dump();
}

// Rank 3 computes longest, so the path begins there; its shares add up to the time of the run.
TEST(Timeline, ThePathOfTheTraceAddsUpToItsTime)
{
    const Followed run = followed({});
    const Json& trace = run.result["trace"];
    std::uint64_t sum = 0;
    for (const auto& [kind, time] : trace["path_ps"].items()) sum += time.get<std::uint64_t>();
    EXPECT_EQ(sum, run.result["simulated_ps"].get<std::uint64_t>());
    EXPECT_EQ(trace["segments"][0]["rank"], 3);
    EXPECT_EQ(trace["segments"][0]["kind"], "compute");
    EXPECT_EQ(trace["segments"][0]["end_ps"], 35'000'000);
    std::uint64_t at = 0;
    for (const Json& segment : trace["segments"]) {
        EXPECT_EQ(segment["begin_ps"].get<std::uint64_t>(), at);
        at = segment["end_ps"].get<std::uint64_t>();
    }
    EXPECT_EQ(at, run.result["simulated_ps"].get<std::uint64_t>());
    bool found = false;
    for (const Json& row : trace["operations"]) {
        if (row["what"] != "all_reduce" || row["bytes"] != 65536) continue;
        found = true;
        EXPECT_EQ(row["count"], 1);
        EXPECT_EQ(row["waiting_ps"], (30 + 20 + 10) * 1'000'000);  // for rank 3
    }
    EXPECT_TRUE(found);
}

// What decides the end of a trace is not known before it.
TEST(Timeline, ATraceThatWasStoppedHasNoPath)
{
    const Folder folder;
    RunSetup setup;
    setup.document = mesh_document(4);
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(step()), "");
    setup.options.follow = true;
    setup.options.until = 33'000'000;  // rank 0 has ended its first node, rank 3 none
    const std::string timeline = in_timed_child([&setup] { return run_here(setup).timeline; }, 60);
    EXPECT_EQ(timeline.find("whole trace"), std::string::npos);
    const Json result = run(setup);
    EXPECT_EQ(result["stop"], "until");
    EXPECT_TRUE(result["trace"]["path_ps"].empty());
    EXPECT_TRUE(result["trace"]["segments"].empty());
    EXPECT_EQ(result["trace"]["operations"][0]["what"], "compute c");
    EXPECT_EQ(result["trace"]["operations"][0]["on_path_ps"], 0);
    EXPECT_NE(result["notices"].dump().find("no critical path: the trace did not run to its end"), std::string::npos);
}

TEST(Timeline, ItIsTheSameForTheSameRun) { EXPECT_EQ(followed({}).trace, followed({}).trace); }

}  // namespace timeline_test
