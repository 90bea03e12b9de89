// What is seen of runs at flow fidelity: causes of waiting, critical paths, timelines, links over time. All of it adds up, is moved
// by what it names, and changes no time.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/comma_list.h"
#include "base/diagnostic.h"
#include "collectives/flow/flow_log.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "infragraph/dimension_notation.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/result/report.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/scratch_folder.h"
#include "testbenches/support/thorough.h"

namespace flow_views_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup on(const std::string& document, const std::string& op, const std::string& algorithm, const std::string& bytes,
    const std::string& more = "")
{
    RunSetup out;
    out.document = document;
    out.lines = "profile: generic\nrouting: {cycles: allow}\n" + collective_lines(op, algorithm, bytes, more);
    out.sets = {"engine.channels=4"};
    out.options.progress = false;
    return out;
}

RunSetup dgx(const std::string& algorithm, const std::string& bytes)
{
    RunSetup out = on(example("dgx_h100"), "all_reduce", algorithm, bytes);
    out.lines = "profile: h100\n" + collective_lines("all_reduce", algorithm, bytes);
    return out;
}

RunResult flow_run(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

RunOptions all_seen(RunOptions options)
{
    options.follow = options.watch = true;
    options.window = 1'000'000;
    return options;
}

RunResult seen(const RunSetup& setup) { return run_flow(resolve_setup(setup), all_seen(setup.options)); }

Time cause_of(const RankResult& rank, const std::string& cause)
{
    for (const auto& [name, time] : rank.stall_ps)
        if (name == cause) return time;
    ADD_FAILURE() << "no cause " << cause;
    return 0;
}

Time on_path(const RunResult& result, const std::string& cause)
{
    for (const auto& [name, time] : result.paths.at(0).times_ps)
        if (name == cause) return time;
    ADD_FAILURE() << "no cause " << cause;
    return 0;
}

// 500 ns a link.
std::string notation_file(const test::ScratchFolder& folder, const std::string& notation, std::uint64_t bandwidth)
{
    std::vector<NotationDimension> dimensions = parse_notation(notation);
    for (NotationDimension& dimension : dimensions) {
        dimension.bandwidth = bandwidth;
        dimension.latency_ps = 500'000;
    }
    const std::string file = folder.path() + fmt::format("/system_{}.yaml", bandwidth);
    std::ofstream(file) << notation_document(notation, dimensions);
    return file;
}

// Several kinds of systems, algorithms and protocols: steps that store, load, move packets, and steps of switches.
std::vector<RunSetup> systems(const test::ScratchFolder& folder, bool short_ones = true)
{
    std::vector<RunSetup> out;
    for (const char* algorithm : {"ring", "direct", "two_shot_get", "tree", "nvls", "push_reduce"}) {
        out.push_back(dgx(algorithm, "256 KiB"));
        if (short_ones) out.push_back(dgx(algorithm, "772"));
    }
    for (const char* set : {"engine.protocol=ll", "engine.protocol=ll128", "engine.slices=4", "engine.staging=fifo"})
        out.push_back(dgx("ring", "300000").with(set));
    out.push_back(dgx("direct", "64 KiB").with("engine.protocol=ll"));
    out.push_back(dgx("ring", "256 KiB").with("engine.mover=bulk"));
    out.push_back(on(example("dgx_h100"), "all_gather", "direct", "1 MiB").with("engine.mover=copy_engine"));
    out.push_back(on(example("fat_tree_32"), "all_to_all", "pairwise", "256 KiB").with("engine.channels=1"));
    out.push_back(on(example("fat_tree_32"), "all_gather", "direct_get", "64 KiB").with("engine.channels=1"));
    out.push_back(on(example("switch_ring"), "broadcast", "tree", "1 MiB"));
    // Paths that pass ranks, with buffers between them.
    out.push_back(on(notation_file(folder, "Ring(6)", 50'000'000'000), "all_to_all", "direct", "1 MiB"));
    out.push_back(on(mesh_document(4), "reduce_scatter", "ring", "1 MiB"));
    out.push_back(on(star_document(4), "all_reduce", "ring", "64 KiB", "delay: {2: 40 us}"));
    out.push_back(on(star_document(66), "all_reduce", "ring", "64 KiB").with("engine.channels=1"));  // a rank at a time
    for (RunSetup& each : out) each.sets.insert(each.sets.begin() + 1, "engine.channels=2");  // where none says one
    return out;
}

std::string text_of(const RunSetup& setup)
{
    std::string out = setup.lines;
    for (const std::string& set : setup.sets) out += set + " ";
    return out;
}

void expect_whole(const PathResult& path, const CollectiveResult& of, const std::string& what)
{
    std::map<std::string, Time> sums;
    Time at = of.start_ps;
    std::uint32_t rank = path.segments.front().rank;
    for (const PathResult::Segment& segment : path.segments) {
        ASSERT_EQ(segment.begin_ps, at) << what << ": a gap";
        ASSERT_EQ(segment.rank, rank) << what << ": another rank without a signal";
        at = segment.end_ps;
        if (segment.what != "step") rank = static_cast<std::uint32_t>(std::stoul(segment.what.substr(15)));
        Time sum = 0;
        for (const auto& [cause, time] : segment.times_ps) {
            sum += time;
            sums[cause] += time;
        }
        ASSERT_EQ(sum, segment.end_ps - segment.begin_ps) << what;
    }
    EXPECT_EQ(at, of.end_ps) << what;
    Time all = 0;
    for (const auto& [cause, time] : path.times_ps) {
        EXPECT_EQ(time, sums[cause]) << what << " " << cause;
        all += time;
    }
    EXPECT_EQ(all, of.end_ps - of.start_ps) << what;
}

bool tells(const RunResult& result, const std::string& text)
{
    return std::any_of(result.notices.begin(), result.notices.end(),
        [&text](const std::string& notice) { return notice.find(text) != std::string::npos; });
}

}  // namespace

// From its launch to its end a thread has one operation after the other, and each picosecond one cause.
TEST(FlowLog, CausesOfAThreadAddUpToItsLife)
{
    const test::ScratchFolder folder;
    for (const RunSetup& setup : systems(folder, test::thorough())) {
        const ResolvedSystem system = resolve_setup(setup);
        if (system.engine().protocol != Protocol::simple || system.engine().slices > 1 ||
            system.engine().staging != StagingMode::none)
            continue;  // their schedules are made by the executor
        const std::vector<NodeId> members = members_of(system);
        const auto ranks = static_cast<std::uint32_t>(members.size());
        AlgorithmOptions options;
        options.channels = static_cast<std::uint32_t>(system.engine().channels);
        CollectiveOp op{};
        ASSERT_TRUE(collective_from_name(system.workload.collective, op));
        const auto program = std::make_shared<const FlowProgram>(
            program_of(make_schedule(system.workload.algorithm, op, ranks, options)));
        std::vector<Time> ends[2];
        for (const bool logged : {false, true}) {
            FlowFabric fabric(system, members);
            FlowCore core(fabric.ranks(), fabric.book(), flow_rules(ranks));
            core.set_switches([&fabric] { return fabric.switches(); });
            FlowLog log(1'000'000);
            if (logged) core.set_log(&log);
            FlowJob job;
            job.program = program;
            job.bytes = system.workload.bytes;
            job.members.resize(ranks);
            std::iota(job.members.begin(), job.members.end(), 0U);
            const FlowCore::JobId id = core.open(std::move(job));
            ends[logged].resize(ranks);
            for (std::uint32_t rank = 0; rank < ranks; ++rank)
                core.enter(id, rank, [&core, &at = ends[logged][rank]] { at = core.now(); });
            core.run();
            if (!logged) continue;
            EXPECT_EQ(ends[0], ends[1]) << text_of(setup);
            std::vector<Time> thread_end(log.works().size());
            std::vector<FlowTimes> sums(ranks);
            for (const FlowRecord& record : log.records()) {
                const FlowLog::Work& work = log.works()[record.work];
                Time& at = thread_end[record.work];
                if (at == 0) at = fabric.ranks().of(work.endpoint).launch_ps;
                ASSERT_EQ(record.begin, at) << text_of(setup) << "operation " << record.operation;
                at = record.end;
                ASSERT_EQ(std::accumulate(record.spent.begin(), record.spent.end(), Time{0}), record.end - record.begin)
                    << text_of(setup) << "operation " << record.operation;
                for (unsigned cause = 0; cause < flow_causes; ++cause)
                    sums[work.endpoint][cause] += record.spent[cause];
            }
            std::vector<Time> last(ranks);
            for (std::size_t work = 0; work < thread_end.size(); ++work) {
                Time& of_rank = last[log.works()[work].endpoint];
                of_rank = std::max(of_rank, thread_end[work]);
            }
            EXPECT_EQ(last, ends[1]) << text_of(setup) << "the last thread of a rank ends with it";
            for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_EQ(sums[rank], log.times(rank)) << text_of(setup);
        }
    }
}

TEST(FlowViews, NothingChangesATimeAndPathsAddUp)
{
    const test::ScratchFolder folder;
    for (const RunSetup& setup : systems(folder)) {
        const std::string what = text_of(setup);
        const ResolvedSystem system = resolve_setup(setup);
        const RunResult plain = run_flow(system, setup.options);
        const RunResult result = run_flow(system, all_seen(setup.options));
        EXPECT_EQ(plain.simulated_ps, result.simulated_ps) << what;
        ASSERT_EQ(plain.ranks.size(), result.ranks.size());
        for (std::size_t rank = 0; rank < plain.ranks.size(); ++rank) {
            EXPECT_EQ(plain.ranks[rank].finish_ps, result.ranks[rank].finish_ps) << what;
            if (plain.ranks.size() <= 64) {
                EXPECT_EQ(plain.ranks[rank].stall_ps, result.ranks[rank].stall_ps) << what;
            }
        }
        ASSERT_EQ(plain.link_results.size(), result.link_results.size()) << what;
        for (std::size_t link = 0; link < plain.link_results.size(); ++link)
            EXPECT_EQ(plain.link_results[link].busy_ps, result.link_results[link].busy_ps) << what;
        EXPECT_TRUE(plain.paths.empty() && plain.timeline.empty() && plain.series.empty());
        ASSERT_EQ(result.paths.size(), 1U) << what;
        expect_whole(result.paths[0], result.collectives[0], what);
    }
}

// Moves of less than a unit may have in flight; larger ones wait for places, too.
TEST(FlowViews, ASlowerLinkIsWaitedForByAcknowledgesAndSerialisation)
{
    const test::ScratchFolder folder;
    const RunResult fast =
        seen(on(notation_file(folder, "Switch(4)", 100'000'000'000), "all_reduce", "ring", "256 KiB"));
    const RunResult slow = seen(on(notation_file(folder, "Switch(4)", 5'000'000'000), "all_reduce", "ring", "256 KiB"));
    const Time longer = slow.simulated_ps - fast.simulated_ps;
    EXPECT_GT(cause_of(slow.ranks[0], "acknowledge"), cause_of(fast.ranks[0], "acknowledge") + longer / 2);
    EXPECT_NEAR(static_cast<double>(on_path(slow, "serialisation") - on_path(fast, "serialisation")),
        static_cast<double>(longer), 0.1 * static_cast<double>(longer));
    // What does not depend on the rate stays, but for the shares of waits for many transfers, of which the first ones queue less.
    EXPECT_NEAR(static_cast<double>(on_path(slow, "latency")) / static_cast<double>(on_path(fast, "latency")), 1, 0.3);
}

TEST(FlowViews, LatencyOfLinksIsLatency)
{
    const RunSetup setup = on(star_document(4), "all_reduce", "ring", "16 KiB");
    const RunResult near = seen(setup);
    const RunResult far = seen(setup.with("link.latency=2us"));
    const Time longer = far.simulated_ps - near.simulated_ps;
    EXPECT_NEAR(static_cast<double>(on_path(far, "latency") - on_path(near, "latency")), static_cast<double>(longer),
        0.05 * static_cast<double>(longer));
}

// The others wait for its signals as long as it is late; the path begins with its entry.
TEST(FlowViews, ALateRankIsFlagTimeOfTheOthers)
{
    const RunResult at_once = seen(on(star_document(4), "all_reduce", "ring", "64 KiB"));
    const RunResult late = seen(on(star_document(4), "all_reduce", "ring", "64 KiB", "delay: {2: 40 us}"));
    for (const std::uint32_t rank : {0U, 1U, 3U}) {
        const Time more = cause_of(late.ranks[rank], "flag") - cause_of(at_once.ranks[rank], "flag");
        EXPECT_NEAR(static_cast<double>(more), 40e6, 8e6) << rank;
    }
    EXPECT_LT(cause_of(late.ranks[2], "flag"), cause_of(at_once.ranks[2], "flag"));
    EXPECT_EQ(late.paths[0].segments.front().rank, 2U);
    EXPECT_EQ(on_path(late, "entry"), 40'000'000U);
    EXPECT_EQ(on_path(late, "launch"), on_path(at_once, "launch"));
    EXPECT_EQ(on_path(at_once, "entry"), 0U);
}

TEST(FlowViews, FewRegistersAreWaitedFor)
{
    const RunSetup setup = on(star_document(4), "all_gather", "direct_get", "1 MiB");
    const RunResult many = seen(setup);
    const RunResult few = seen(setup.with("gpu.outstanding=8"));
    EXPECT_GT(few.simulated_ps, many.simulated_ps);
    EXPECT_GT(cause_of(few.ranks[0], "unit_outstanding"), cause_of(many.ranks[0], "unit_outstanding"));
    EXPECT_GT(on_path(few, "compute_units"), on_path(many, "compute_units"));
}

// Where the times are those of the line model, so are the shares of causes and of the path.
TEST(FlowViews, SharesAreThoseOfLines)
{
    for (const char* algorithm : {"ring", "tree"}) {
        RunSetup setup = dgx(algorithm, "256 KiB");
        setup.sets.clear();
        setup.options.follow = true;
        const Json flow = Json::parse(result_json(flow_run(setup), false));
        setup.options.data_on = false;
        const Json lines = run(setup);
        ASSERT_TRUE(lines.contains("ranks")) << lines.dump().substr(0, 200);
        const auto expect_alike = [&](const std::vector<std::string>& causes, bool path) {
            const auto share = [&](const Json& result) {
                double sum = 0;
                for (const std::string& cause : causes)
                    sum += (path ? result["critical_paths"][0]["times_ps"] : result["ranks"][0]["stall_ps"])[cause]
                               .get<double>();
                return sum / result["simulated_ps"].get<double>();
            };
            EXPECT_NEAR(share(flow), share(lines), 0.08)
                << algorithm << " " << causes.front() << (path ? ", path" : "");
        };
        // A thread of flow has no wavefronts, of which others issue, or come later to a barrier.
        expect_alike({"busy", "issue"}, false);
        expect_alike({"flag", "barrier"}, false);
        for (const char* cause : {"registers", "loads", "unit_outstanding", "acknowledge"})
            expect_alike({cause}, false);
        for (const char* cause : {"launch", "compute_units", "latency", "memory", "flag"}) expect_alike({cause}, true);
        expect_alike({"serialisation", "credits"}, true);
        for (const auto& [key, value] : lines["ranks"][0]["stall_ps"].items())
            EXPECT_TRUE(flow["ranks"][0]["stall_ps"].contains(key)) << key;
        for (const auto& [key, value] : lines["critical_paths"][0].items())
            EXPECT_TRUE(flow["critical_paths"][0].contains(key)) << key;
    }
}

// Places of a unit are full because links are: the time is that of its transfers.
TEST(FlowViews, APathOverFullLinksIsSerialisationAsByLines)
{
    RunSetup setup = on(example("dgx_h100"), "all_gather", "direct", "2 MiB");
    setup.lines = "profile: h100\n" + collective_lines("all_gather", "direct", "2 MiB");
    setup.sets.clear();
    setup.options.follow = true;
    const Json flow = Json::parse(result_json(flow_run(setup), false));
    setup.options.data_on = false;
    const Json lines = run(setup);
    const auto share = [](const Json& result, const std::vector<std::string>& causes) {
        double sum = 0;
        for (const std::string& cause : causes)
            sum += result["critical_paths"][0]["times_ps"][cause].get<double>() / result["simulated_ps"].get<double>();
        return sum;
    };
    EXPECT_GT(flow["ranks"][0]["stall_ps"]["unit_outstanding"], 0.3 * flow["simulated_ps"].get<double>());
    EXPECT_GT(share(lines, {"serialisation", "credits"}), 0.45);
    EXPECT_NEAR(share(flow, {"serialisation"}), share(lines, {"serialisation", "credits"}), 0.08);
    // Without others in the way: a wavefront that has issued waits for others, which is `latency`; a thread of flow waits for a place.
    EXPECT_NEAR(share(flow, {"latency", "compute_units"}), share(lines, {"latency", "compute_units"}), 0.08);
}

TEST(FlowViews, OneRankForAllHasTheCausesOfAll)
{
    RunSetup setup = on(star_document(100), "all_reduce", "ring", "1 MiB").with("engine.channels=1");
    EXPECT_TRUE(flow_run(setup).ranks[0].stall_ps.empty()) << "of more than 64 ranks they are kept when asked for";
    setup.options.watch = true;
    setup.options.window = 2'000'000;
    const RunResult one = flow_run(setup);
    EXPECT_EQ(one.symmetry.substr(0, 2), "on");
    EXPECT_TRUE(tells(one, "no virtual channels"));
    setup.options.symmetry = false;
    const RunResult all = flow_run(setup);
    for (std::size_t rank = 0; rank < 100; ++rank) ASSERT_EQ(one.ranks[rank].stall_ps, all.ranks[rank].stall_ps);
    EXPECT_EQ(one.series, all.series);
    setup.options.symmetry = setup.options.follow = true;
    const RunResult followed = flow_run(setup);
    EXPECT_EQ(followed.symmetry.substr(0, 4), "off:");
    EXPECT_TRUE(tells(followed, "symmetry: all ranks are run"));
    EXPECT_EQ(followed.simulated_ps, all.simulated_ps);
    EXPECT_EQ(followed.ranks[7].stall_ps, all.ranks[7].stall_ps);
}

TEST(FlowViews, TooManyOperationsAreRefusedAndAPageGoesWithout)
{
    RunSetup setup = on(star_document(420), "all_reduce", "ring", "1 MiB").with("engine.channels=1");
    setup.options.follow = true;
    std::string said = "accepted";
    try {
        flow_run(setup);
    } catch (const InputError& error) {
        said = error.what();
    }
    EXPECT_NE(said.find("keep a record of every operation, and this collective has 1056300 of them"), std::string::npos)
        << said;
    setup.options.follow_if_small = true;
    const RunResult page = flow_run(setup);
    EXPECT_TRUE(page.paths.empty() && page.timeline.empty());
    EXPECT_TRUE(tells(page, "no critical path and no timeline"));
    EXPECT_EQ(page.symmetry.substr(0, 2), "on");
}

// The rows of a link add up to its totals, also where links shared a clock at first, and no row is longer than its window.
TEST(FlowSeries, WindowsAddUpToTheTotalsOfLinks)
{
    const test::ScratchFolder folder;
    for (const RunSetup& setup : systems(folder, test::thorough())) {
        const RunResult result = seen(setup);
        struct Sum {
            std::uint64_t lines = 0, wire = 0, payload = 0, busy = 0;
        };
        std::map<std::string, Sum> sums;
        std::istringstream in(result.series);
        std::string row;
        std::getline(in, row);
        EXPECT_EQ(row,
            "start_ps,length_ps,link,from,to,lines,wire_bytes,payload_bytes,busy_ps,utilisation,credit_stall_ps");
        while (std::getline(in, row)) {
            const std::vector<std::string_view> cells = comma_list(row);
            ASSERT_EQ(cells.size(), 11U) << row;
            const auto number = [&](std::size_t i) { return std::stoull(std::string(cells[i])); };
            EXPECT_EQ(number(0) % 1'000'000, 0U);
            EXPECT_LE(number(1), 1'000'000U);
            EXPECT_LE(number(8), number(1)) << text_of(setup) << row;
            Sum& sum = sums[std::string(cells[3]) + ">" + std::string(cells[4])];
            sum.lines += number(5);
            sum.wire += number(6);
            sum.payload += number(7);
            sum.busy += number(8);
        }
        EXPECT_EQ(sums.size(), result.link_results.size()) << text_of(setup);
        for (const LinkResult& link : result.link_results) {
            const Sum& sum = sums[link.from + ">" + link.to];
            EXPECT_EQ(sum.busy, link.busy_ps) << text_of(setup) << link.from;
            EXPECT_EQ(sum.payload, link.payload_bytes) << text_of(setup) << link.from;
            EXPECT_EQ(sum.wire, link.wire_bytes) << text_of(setup) << link.from;
            EXPECT_EQ(sum.lines, link.lines) << text_of(setup) << link.from;
        }
    }
}

TEST(FlowSeries, TooManyWindowsGetLongerAndANoticeTellsIt)
{
    RunSetup setup = dgx("ring", "64 KiB");
    setup.options.window = 1;
    const RunResult result = flow_run(setup);
    EXPECT_TRUE(tells(result, "links over time are in windows of"));
    EXPECT_LE(std::count(result.series.begin(), result.series.end(), '\n'), 1 + (1 << 20));
    setup.options.window = 0;
    EXPECT_EQ(result.simulated_ps, flow_run(setup).simulated_ps);
}

TEST(FlowViews, SlicesOfATrackNeverOverlapAndTwoRunsGiveTheSameBytes)
{
    for (const char* algorithm : {"ring", "two_shot_get"}) {
        const RunSetup setup = dgx(algorithm, "256 KiB");
        const RunResult result = seen(setup);
        const RunResult again = seen(setup);
        EXPECT_EQ(result.timeline, again.timeline);
        EXPECT_EQ(result.series, again.series);
        EXPECT_EQ(result_json(result, false), result_json(again, false));
        std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> tracks;
        const nlohmann::json timeline = nlohmann::json::parse(result.timeline);
        for (const nlohmann::json& event : timeline["traceEvents"])
            if (event["ph"] == "X")
                tracks[{event["pid"], event["tid"]}].emplace_back(event["ts"],
                    event["ts"].get<double>() + event["dur"].get<double>());
        EXPECT_EQ(tracks.size(), 1U + 8 * 4);  // the path, and workgroups
        for (auto& [track, slices] : tracks) {
            std::sort(slices.begin(), slices.end());
            for (std::size_t i = 1; i < slices.size(); ++i)
                EXPECT_LE(slices[i - 1].second, slices[i].first + 1e-7) << track.first << "." << track.second;
        }
    }
}

// A step of training: its collectives have paths, beside that of the whole trace, and no time changes.
TEST(FlowViews, CollectivesOfATraceHavePaths)
{
    if (!has_shared()) GTEST_SKIP() << "no shared traces";
    const std::string folder = std::string(WEFT_SHARED_DIR) + "/chakra/stage/llama_tp2_pp2_mb4/";
    RunSetup setup;
    setup.document = shared_document("device_dgx_h100");
    setup.lines = trace_lines(folder + "llama_tp2_pp2_mb4", "groups: \"" + folder + "comm_group.json\"");
    setup.options.progress = false;
    const RunResult result = seen(setup);
    EXPECT_EQ(flow_run(setup).simulated_ps, result.simulated_ps);
    ASSERT_TRUE(result.trace);
    ASSERT_EQ(result.paths.size(), result.collectives.size());
    for (const PathResult& path : result.paths)
        expect_whole(path, result.collectives[path.collective], fmt::format("collective {}", path.collective));
    for (const RankResult& rank : result.ranks) {
        Time sum = 0;
        for (const auto& [cause, time] : rank.stall_ps) sum += time;
        EXPECT_GT(sum, 0U);
    }
}

// A run that is stopped has the causes so far, and no path.
TEST(FlowViews, AStoppedRunHasTheCausesSoFar)
{
    RunSetup setup = dgx("ring", "1 MiB");
    setup.options.until = 9'000'000;
    const RunResult result = seen(setup);
    EXPECT_TRUE(result.paths.empty());
    Time sum = 0;
    for (const auto& [cause, time] : result.ranks[0].stall_ps) sum += time;
    EXPECT_TRUE(sum > 7'000'000U && sum <= 9'000'000U) << sum;
}

}  // namespace flow_views_test
