// Every link carries exactly what theory says, to the byte: payload, packets, signals and acknowledges.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "testbenches/platform/expected_traffic.h"
#include "testbenches/support/thorough.h"

namespace conservation_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Place {
    const char* name;
    bool shared;
    std::uint32_t ranks;
    RouteOf (*routes)();

    std::string document() const { return shared ? shared_document(name) : example(name); }
};

const Place places[] = {{"device_dgx_h100", true, 8, dgx_h100_routes}, {"device_mi300x", true, 8, mi300x_routes},
    {"fat_tree_32", false, 64, fat_tree_32_routes}};
constexpr std::uint32_t channels = 4;
// Two whole lines, or four, for every channel of every chunk of 64 ranks.
const std::uint64_t even_bytes = weft::test::by_default(32, 64) << 10;

TheoryCase theory_of(CollectiveOp op, const std::string& algorithm, std::uint32_t ranks, std::uint64_t bytes)
{
    TheoryCase theory;
    theory.op = op;
    theory.algorithm = algorithm;
    theory.ranks = ranks;
    theory.bytes = bytes;
    theory.pipeline = AlgorithmOptions().pipeline;
    return theory;
}

RunSetup setup_of(const Place& place, CollectiveOp op, const std::string& algorithm, std::uint64_t bytes)
{
    RunSetup setup;
    setup.document = place.document();
    setup.lines = collective_lines(name_of(op), algorithm, std::to_string(bytes), "type: u8");
    // Every line a packet by itself: what lines share, of packets and of frames, depends on when they meet.
    setup.sets = {"engine.channels=" + std::to_string(channels), "link.merge=none", "link.packet_overhead=0",
        "link.credit_bytes=0", "link.frame=0", "link.frame_payload=0", "routing.stripe=64 B"};
    setup.options.data_on = place.ranks <= 8;
    return setup;
}

class Conservation : public ::testing::TestWithParam<std::tuple<Place, CollectiveOp>> {};

}  // namespace

TEST_P(Conservation, EvenMessagesByFormula)
{
    const auto& [place, op] = GetParam();
    if (place.shared && !has_shared()) GTEST_SKIP() << "no conformance data";
    for (const char* algorithm : {"ring", "direct"}) {
        const RunSetup setup = setup_of(place, op, algorithm, op == CollectiveOp::barrier ? 0 : even_bytes);
        ExpectedTraffic expected(resolve_setup(setup), place.routes());
        expected.add_by_theory(theory_of(op, algorithm, place.ranks, even_bytes), channels);
        const Json result = run(setup);
        ASSERT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 500);
        EXPECT_EQ(expected.difference(result), "") << algorithm;
        EXPECT_EQ(result.at("verified"), setup.options.data_on ? "passed" : "off");
    }
}

TEST_P(Conservation, OddMessagesStepByStep)
{
    const auto& [place, op] = GetParam();
    if (place.shared && !has_shared()) GTEST_SKIP() << "no conformance data";
    if (place.ranks > 8) GTEST_SKIP() << "the small systems suffice for odd sizes";
    for (const char* algorithm : {"ring", "direct"})
        for (const std::uint64_t bytes : {1u, 7u, 10'007u}) {
            if (bytes == 1 && !weft::test::thorough()) continue;  // most of 7 bytes' chunks are of one, too
            const RunSetup setup = setup_of(place, op, algorithm, bytes);
            AlgorithmOptions options;
            options.channels = channels;
            const Schedule schedule = make_schedule(algorithm, op, place.ranks, options);
            ExpectedTraffic expected(resolve_setup(setup), place.routes());
            expected.add_by_steps(schedule, bytes, 1);
            EXPECT_EQ(expected.difference(run(setup)), "") << algorithm << " " << bytes;
        }
}

INSTANTIATE_TEST_SUITE_P(, Conservation,
    ::testing::Combine(::testing::ValuesIn(places),
        ::testing::Values(CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
            CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::barrier)),
    [](const auto& info) {
        return std::string(std::get<0>(info.param).name) + "_" + name_of(std::get<1>(info.param));
    });

TEST(ConservationChecker, FormulaAndStepsAgree)
{
    // Two ways to the same expectation, without a simulation.
    const Place& place = places[2];
    for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::all_to_all, CollectiveOp::broadcast})
        for (const char* algorithm : {"ring", "direct"}) {
            if (op == CollectiveOp::all_to_all && !weft::test::thorough()) continue;
            const RunSetup setup = setup_of(place, op, algorithm, even_bytes);
            const ResolvedSystem system = resolve_setup(setup);
            AlgorithmOptions options;
            options.channels = channels;
            ExpectedTraffic by_steps(system, place.routes());
            by_steps.add_by_steps(make_schedule(algorithm, op, place.ranks, options), even_bytes, 1);
            ExpectedTraffic by_theory(system, place.routes());
            by_theory.add_by_theory(theory_of(op, algorithm, place.ranks, even_bytes), channels);
            EXPECT_EQ(by_theory.difference(by_steps.as_result()), "") << name_of(op) << " " << algorithm;
        }
}

TEST(ConservationChecker, OneByteTooManyOrOneLineElsewhereIsFound)
{
    const Place& place = places[2];
    const RunSetup setup = setup_of(place, CollectiveOp::all_gather, "ring", 1024);
    ExpectedTraffic expected(resolve_setup(setup), place.routes());
    expected.add_stores(0, 9, 1, 64);
    Json result = expected.as_result();
    EXPECT_EQ(expected.difference(result), "");
    Json more = result;
    more["links"][0]["wire_bytes"] = more["links"][0]["wire_bytes"].get<std::uint64_t>() + 1;
    EXPECT_NE(expected.difference(more).find("wire_bytes"), std::string::npos);
    ExpectedTraffic elsewhere(resolve_setup(setup), place.routes());
    elsewhere.add_stores(0, 9, 2, 64);  // over another spine
    EXPECT_NE(expected.difference(elsewhere.as_result()), "");
    ExpectedTraffic shorter(resolve_setup(setup), place.routes());
    shorter.add_stores(0, 9, 1, 63);
    EXPECT_NE(expected.difference(shorter.as_result()), "");
}

}  // namespace conservation_test
