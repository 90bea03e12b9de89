// A run in parts gives the bytes of the run as a whole, for any number of parts and any order of running them.
#include <gtest/gtest.h>

#include "testbenches/parallel/same_bytes.h"

namespace parts_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup random_setup(unsigned seed, std::string& what)
{
    Random random(seed);
    RunSetup setup;
    const unsigned gpus = 3 + random.below(6);
    const unsigned kind = random.below(4);
    if (kind == 0) setup.document = star_document(gpus);
    if (kind == 1) setup.document = mesh_document(gpus);
    if (kind == 2)
        setup.document = pods_document(2 + random.below(3), 2 + random.below(2), 1 + random.below(2),
            40 + random.below(60), 90 + random.below(300));
    if (kind == 3) setup.document = example("dgx_h100");
    const std::vector<std::pair<std::string, std::vector<std::string>>> operations{
        {"all_reduce", {"ring", "direct", "tree"}}, {"all_gather", {"ring", "direct"}},
        {"reduce_scatter", {"ring", "direct"}}, {"all_to_all", {"direct"}}, {"broadcast", {"tree"}}};
    const auto& [operation, algorithms] = random.one_of(operations);
    const std::string algorithm = random.one_of(algorithms);
    const unsigned bytes = 4 * (1 + random.below(kind == 3 ? 60'000 : 15'000));
    setup.lines = collective_lines(operation, algorithm, std::to_string(bytes));
    setup.sets.push_back("engine.channels=" + std::to_string(1 + random.below(6)));
    if (random.below(2) == 0) setup.sets.push_back("link.request_credits=" + std::to_string(2 + random.below(14)));
    if (random.below(3) == 0) setup.sets.push_back("link.response_credits=" + std::to_string(2 + random.below(14)));
    if (random.below(3) == 0) setup.sets.push_back("link.merge=adjacent");
    if (random.below(3) == 0) setup.sets.push_back("engine.protocol=ll128");
    if (random.below(3) == 0)
        setup.sets.push_back("gpu.wait_policy=" + random.one_of<std::string>({"monitor", "backoff", "waiting_atomic"}));
    if (random.below(4) == 0)
        setup.sets.push_back("engine.mover=" + random.one_of<std::string>({"copy_engine", "bulk"}));
    if (random.below(4) == 0) {
        setup.sets.emplace_back("link.frame=64");
        setup.sets.emplace_back("link.frame_payload=60");
    }
    if (random.below(4) == 0) setup.sets.emplace_back("link.bundle=3");
    if (random.below(4) == 0) setup.sets.emplace_back("routing.path_selection=round_robin");
    if (random.below(4) == 0) setup.sets.emplace_back("gpu.launch_latency=2us");
    if (kind == 3 && random.below(3) == 0)
        setup.lines += "bind:\n- {nodes: {component: nvsw}, kind: nvswitch, model: crossbar}\n";
    if (random.below(6) == 0) setup.options.until = 6'000'000;
    setup.options.data_on = random.below(4) != 0;
    what = "seed " + std::to_string(seed) + ": " + setup.document.substr(0, setup.document.find('\n')) + " " +
        operation + " " + algorithm + " " + std::to_string(bytes) + " B";
    for (const std::string& set : setup.sets) what += " " + set;
    return setup;
}

}  // namespace

TEST(Parts, EightGpusBehindFourSwitches)
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = collective_lines("all_reduce", "ring", "65536");
    expect_same(setup, {2, 3, 8}, "ring");
    setup.lines = collective_lines("all_reduce", "direct", "40000");
    setup.options.data_on = false;
    expect_same(setup, {2, 8}, "direct without data");
}

// Links of two lengths: parts are pods, or smaller than pods.
TEST(Parts, PodsWithTwoLevelsOfSwitches)
{
    RunSetup setup;
    setup.document = pods_document(3, 3, 2, 40, 250);
    setup.lines = collective_lines("all_to_all", "direct", "36000");
    setup.sets = {"link.request_credits=6", "engine.channels=4"};
    expect_same(setup, {2, 3, 5}, "pods");
}

// Buffers that wait for each other in a circle through all parts.
TEST(Parts, ADeadlockOfTheFabricIsTheSame)
{
    RunSetup setup;
    setup.document = example("switch_ring");
    setup.lines = collective_lines("all_to_all", "direct", "393216");
    setup.sets = {"routing.cycles=allow", "link.request_credits=1", "link.response_credits=1"};
    EXPECT_NE(bytes_of(setup, {}).find("\"stop\": \"deadlock\""), std::string::npos);
    expect_same(setup, {2, 3}, "ring of switches");
}

TEST(Parts, RefuseWhatCannotBeCut)
{
    RunSetup setup;
    setup.document = star_document(4);
    setup.lines = collective_lines("all_reduce", "ring", "4096");
    EXPECT_EQ(refusal_of(setup, 4), "not refused");
    const auto with = [&setup](const std::string& set) { return refusal_of(setup.with(set), 2); };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(has(refusal_of(setup, 5),
        "--partitions 5, but the run has 4 groups of GPUs that can be apart; expected from 1 to 4"))
        << refusal_of(setup, 5);
    EXPECT_TRUE(
        has(with("link.retry=timeout"), "(b.0.xpu.0~b.0.sw.0 cannot be cut: link.retry, whose packets refer to "))
        << with("link.retry=timeout");
    EXPECT_TRUE(has(with("link.pool_credits=8"),
        "1 group of GPUs that can be apart (b.0.xpu.0~b.0.sw.0 cannot be cut: link.pool_credits"))
        << with("link.pool_credits=8");
    EXPECT_TRUE(has(with("link.credit_bytes=8"), "cannot be cut: link.credit_bytes")) << with("link.credit_bytes=8");
    EXPECT_TRUE(has(with("l2.model=reference_slice"), "--partitions with l2.model reference_slice of "))
        << with("l2.model=reference_slice");
    RunSetup other = setup;
    other.options.check_protocol = true;
    EXPECT_TRUE(has(refusal_of(other, 2), "--partitions with --check-protocol")) << refusal_of(other, 2);
}

class RandomParts : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomParts, GiveTheBytesOfTheWhole)
{
    std::string what;
    const RunSetup setup = random_setup(GetParam(), what);
    const std::string whole = bytes_of(setup, {});
    if (whole.substr(0, 8) == "refused:") GTEST_SKIP() << what << ": " << whole;
    expect_same(setup, {2, 3}, what);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomParts, ::testing::Range(0U, 40U));

}  // namespace parts_test
