// What the limit of requests in flight costs, reckoned by hand: on the clock of places, in an estimate, in a choice.
#include <gtest/gtest.h>

#include "collectives/synthesis/request_places.h"
#include "testbenches/platform/runs.h"
#include "testbenches/synthesis/documents.h"
#include "testbenches/synthesis/graphs.h"

namespace request_places_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr std::uint64_t chunk = 1000;  // bytes
constexpr std::uint64_t round_ps = 2 * hop_ps;

void expect_delay(const RequestPlaces::Delay& delay, std::uint64_t first, std::uint64_t last)
{
    EXPECT_EQ(delay.first, first);
    EXPECT_EQ(delay.last, last);
}

// Of four ranks with a wire between every two, in one channel; `places` bytes may be without a response.
std::uint64_t time_of(const std::string& algorithm, CollectiveOp op, double places)
{
    CostGraph graph = mesh_graph(4);
    for (CostRank& rank : graph.ranks) rank.outstanding = places;
    return price(algorithm, op, graph, 4 * chunk).time_ps;
}

}  // namespace

// 100 bytes at once, for 2000 ps each.
TEST(RequestPlaces, AreHeldByAllMovesTogether)
{
    RequestPlaces places;
    expect_delay(places.take(0, 100 * 2000, 2000, 100), 0, 0);  // as many as there are
    expect_delay(places.take(0, 50 * 2000, 2000, 100), 0, 1000);
    expect_delay(places.take(0, 300 * 2000, 2000, 100), 1000, 7000);
    // A round trip after the last of them all places are free.
    expect_delay(places.take(9000, 100 * 2000, 2000, 100), 0, 0);
    expect_delay(places.take(10000, 100 * 2000, 2000, 100), 0, 1000);
}

TEST(RequestPlaces, DelayNothingThatFitsBesideAllThatIsWithoutAResponse)
{
    RequestPlaces places;
    for (std::uint64_t i = 0; i < 100; ++i)  // a quarter of them in every quarter of a round trip
        expect_delay(places.take(500 * i, 25 * 2000, 2000, 100), 0, 0);
    RequestPlaces far;  // half of them for a longer time, and a quarter for a short one
    expect_delay(far.take(0, 50 * 8000, 8000, 100), 0, 0);
    expect_delay(far.take(0, 25 * 1000, 1000, 100), 0, 0);
    RequestPlaces any;
    for (int i = 0; i < 3; ++i) expect_delay(any.take(0, 1e9, 2000, 0), 0, 0);
}

// Stores to three peers, in three moves, each by its own wire. Whatever the moves are, places / round trip is the rate; those that
// find a place at once are a round trip earlier. Then the last line's way, its acknowledge, the signal and that of it.
TEST(RequestPlaces, AreSharedByMovesOfARun)
{
    const auto at_the_limit = [](std::uint64_t places) {
        return 3 * chunk * round_ps / places - round_ps + 4 * hop_ps;
    };
    EXPECT_EQ(time_of("direct", CollectiveOp::all_to_all, 250), at_the_limit(250));
    EXPECT_EQ(time_of("direct", CollectiveOp::all_to_all, 500), at_the_limit(500));
    EXPECT_EQ(time_of("direct", CollectiveOp::all_to_all, chunk),
        at_the_limit(chunk));  // a move for itself would find places
    // From 3 x chunk on there are places for all: wires are the limit.
    const std::uint64_t by_wires = chunk * wire_ps + 4 * hop_ps;
    for (const double places : {3.0 * chunk, 0.0})
        EXPECT_EQ(time_of("direct", CollectiveOp::all_to_all, places), by_wires) << places;
}

// Three loads, and three stores of the sum: both hold places for a round trip. Before them the signals of the peers, after them the
// last store's way, its acknowledge, the signal and that of it.
TEST(RequestPlaces, AreSharedByLoadsAndTheStoresOfWhatTheyBring)
{
    const auto at_the_limit = [](std::uint64_t places) {
        return hop_ps + 6 * chunk * round_ps / places - round_ps + 4 * hop_ps;
    };
    EXPECT_EQ(time_of("two_shot_get", CollectiveOp::all_reduce, 250), at_the_limit(250));
    EXPECT_EQ(time_of("two_shot_get", CollectiveOp::all_reduce, 500), at_the_limit(500));
    EXPECT_EQ(time_of("two_shot_get", CollectiveOp::all_reduce, chunk), at_the_limit(chunk));
    // The stores begin when loads have come, so for as many as there are loads no store waits.
    const std::uint64_t by_wires = hop_ps + round_ps + chunk * wire_ps + 4 * hop_ps;
    for (const double places : {3.0 * chunk, 0.0})
        EXPECT_EQ(time_of("two_shot_get", CollectiveOp::all_reduce, places), by_wires) << places;
}

// Four accelerators, one channel, 128 requests: two_shot_get loads and stores 3 x 128 KiB with 8 KiB in flight. Where the limit holds
// for each piece by itself, its estimate is 20.1 us, the lowest; by lines it takes 66.3, and the choice 42.0.
TEST(RequestPlaces, DecideWhatIsChosenInOneChannel)
{
    const weft::testing::Place place = mesh_place(4);
    const auto run_of = [&](const std::string& algorithm) {
        RunSetup out;
        out.document = place.document;
        out.lines = "profile: generic\n" + collective_lines("all_reduce", algorithm, "512 KiB");
        out.sets = place.sets;
        out.sets.insert(out.sets.end(), {"engine.channels=1", "gpu.outstanding=128"});
        out.options.data_on = false;
        return run(out);
    };
    const Json chosen = run_of("auto");
    EXPECT_EQ(chosen["collectives"][0]["algorithm"], "multi_dim");
    const double by_loads = run_of("two_shot_get").value("simulated_ps", 0.0);
    EXPECT_LT(1.5 * chosen.value("simulated_ps", 0.0), by_loads);
    for (const Json& priced : chosen["choice"]["priced"]) {
        if (priced["algorithm"] != "two_shot_get") continue;
        EXPECT_NEAR(priced["time_ps"].get<double>(), by_loads, 0.05 * by_loads);
    }
    EXPECT_LT(chosen.value("simulated_ps", 0.0), run_of("rings").value("simulated_ps", 0.0));
}

}  // namespace request_places_test
