// Receives that are posted early hold places of workgroups: what a run tells of it, at lines and at flow.
#include <gtest/gtest.h>

#include "base/held_places.h"
#include "base/units.h"
#include "collectives/engine/place_report.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace held_places_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

using Ranks = std::vector<std::vector<std::string>>;

// Two workgroups a transfer, and places for two, on `document`.
Json run_trace(const Ranks& ranks, bool flow, const std::vector<std::string>& sets = {},
    const std::string& document = star_document(2))
{
    const Folder folder;
    RunSetup setup;
    setup.document = document;
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks));
    setup.sets = {"engine.channels=2", "gpu.compute_units=1", "gpu.workgroups_per_unit=2", "engine.wavefronts=4"};
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    setup.options.data_on = setup.options.progress = false;
    if (!flow) return run(setup);
    return result_of([&] { return run_flow(resolve_setup(setup), setup.options); });
}

std::string notice_of(const Json& result, const std::string& word)
{
    for (const Json& notice : result["notices"])
        if (notice.get<std::string>().find(word) != std::string::npos) return notice;
    return "";
}

constexpr const char* hold = "posted receives held";

}  // namespace

TEST(HeldPlaces, CountHoldersAndTheLongestWaitBehindReceives)
{
    HeldPlaces places;
    places.take(TransferSide::none, 10);
    places.take(TransferSide::receive, 20, 3);
    const auto send = places.wait(TransferSide::send, 50, 2);
    const auto receive = places.wait(TransferSide::receive, 60);
    EXPECT_EQ(places.use().held, 4u);
    EXPECT_EQ(places.use().held_by_receives, 3u);
    EXPECT_EQ(places.use().waiting, 3u);
    EXPECT_EQ(places.use().waiting_sends, 2u);
    places.give_back(TransferSide::receive, 100, 3);
    places.begin(TransferSide::send, send, 130, 2);  // from 100 on no receive held one
    places.begin(TransferSide::receive, receive, 150);
    EXPECT_EQ(places.use().longest_other, 50u);
    EXPECT_EQ(places.use().longest_receive, 40u);
    EXPECT_EQ(places.use().most_by_receives, 3u);
    EXPECT_EQ(places.use().waiting, 0u);
    const auto late = places.wait(TransferSide::none, 160);
    places.cut_off(TransferSide::none, late, 300);
    EXPECT_EQ(places.use().longest_other, 140u);
    places.reset_statistics();
    EXPECT_EQ(places.use().longest_other, 0u);
    EXPECT_EQ(places.use().most_by_receives, 0u);
    EXPECT_EQ(places.use().held, 4u);
}

TEST(HeldPlaces, ADeadlockNamesThemFirst)
{
    const std::vector<std::string> of_0 = {recv(1, 1, 1, 4096), recv(2, 1, 2, 4096), send(3, 1, 3, 4096)};
    const std::vector<std::string> of_1 = {recv(1, 0, 3, 4096), send(2, 0, 1, 4096), send(3, 0, 2, 4096)};
    for (const bool flow : {false, true}) {
        const Json result = run_trace({of_0, of_1}, flow);
        EXPECT_EQ(result["stop"], "deadlock");
        EXPECT_EQ(result["blocked"][0],
            "rank 0: receives that have begun hold all 2 places of workgroups (1 unit x 2), while its sends wait for "
            "one (2 workgroups); fewer workgroups each (engine.channels), more places (gpu.workgroups_per_unit), or "
            "receives that the trace posts later would help");
        EXPECT_EQ(result["blocked"][1].get<std::string>().rfind("rank 1: receives that have begun hold all 2", 0), 0u);
        EXPECT_EQ(notice_of(result, "in a cycle"), "") << "no rank is in a collective";
        EXPECT_EQ(run_trace({of_0, of_1}, flow, {"gpu.workgroups_per_unit=8"})["stop"], "finished");
    }
}

// The send of rank 0 has no place until the data have come that rank 1 sends after 10 us: without a launch latency it waits as long as a
// run of the receive alone takes.
TEST(HeldPlaces, ANoticeTellsHowLongOthersWaited)
{
    const Ranks ranks = {{recv(1, 1, 1, 4096), send(2, 1, 2, 4096)},
        {comp(1, 10), send(2, 0, 1, 4096).data({1}), recv(3, 0, 2, 4096).data({2})}};
    const Ranks alone = {{recv(1, 1, 1, 4096)}, {comp(1, 10), send(2, 0, 1, 4096).data({1})}};
    const std::string at_once = "gpu.launch_latency=0ns";
    for (const bool flow : {false, true}) {
        const Json result = run_trace(ranks, flow, {at_once});
        EXPECT_EQ(result["stop"], "finished");
        const std::uint64_t wait = run_trace(alone, flow, {at_once})["ranks"][0]["finish_ps"];
        EXPECT_GT(wait, 10'000'000u);
        EXPECT_EQ(notice_of(result, hold),
            "workgroups waited for places that posted receives held, up to " + format_time_ps(wait) +
                " for sends and other operations at rank 0, where receives held up to 2 of 2 places (1 unit x 2): "
                "fewer workgroups each (engine.channels), more places (gpu.workgroups_per_unit), or receives that the "
                "trace posts later can make the run shorter (docs/engine.md, Places of posted receives)");
        EXPECT_EQ(notice_of(run_trace(ranks, flow, {at_once, "gpu.workgroups_per_unit=8"}), hold), "");
    }
}

// Beyond 64 ranks all run at once; what one transfer has fits, what is under way together does not.
TEST(HeldPlaces, LargeRunsTellWhatTheyDoNotModel)
{
    Ranks ranks(66, {comp(1, 1)});
    ranks[0] = {recv(1, 1, 1, 4096), send(2, 1, 2, 4096)};
    ranks[1] = {comp(1, 10), send(2, 0, 1, 4096).data({1}), recv(3, 0, 2, 4096).data({2})};
    const Json result = run_trace(ranks, true, {}, star_document(66));
    EXPECT_EQ(result["stop"], "finished");
    EXPECT_EQ(notice_of(result, "workgroups of a rank"),
        "4 workgroups of a rank run at once, where an accelerator has room for 2: beyond 64 ranks none waits for a "
        "place, so times are too short, and what cannot progress by lines may end (docs/models/flow.md)");
    EXPECT_EQ(
        notice_of(run_trace(ranks, true, {"gpu.workgroups_per_unit=4"}, star_document(66)), "workgroups of a rank"),
        "");
}

}  // namespace held_places_test
