// A run in parts gives the bytes of the run as a whole, for any number of parts and any order of running them.
#include <random>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/result/report.h"
#include "testbenches/parallel/random_systems.h"

namespace parts_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr unsigned most_seconds = 200;

// The result as JSON without wall-clock times, or why it was refused.
std::string bytes_of(RunSetup setup, std::uint32_t partitions, bool backwards = false, std::uint32_t threads = 1)
{
    setup.options.partitions = partitions;
    setup.options.threads = threads;
    setup.options.backwards = backwards;
    setup.options.progress = false;
    return in_timed_child(
        [&setup] {
            try {
                const RunResult result = run_system(resolve_setup(setup), ModelRegistry(), setup.options);
                std::string text = result_json(result, false);
                for (const std::string& line : result.blocked) text += line + "\n";
                return text;
            } catch (const InputError& error) {
                return std::string("refused: ") + error.what();
            }
        },
        most_seconds);
}

// Where two texts differ first, for people.
std::string difference(const std::string& a, const std::string& b)
{
    if (a == b) return "";
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
    const std::size_t from = at < 120 ? 0 : at - 120;
    return "at byte " + std::to_string(at) + ":\n" + a.substr(from, 240) + "\n-- and --\n" + b.substr(from, 240);
}

void expect_same(const RunSetup& setup, const std::vector<std::uint32_t>& numbers, const std::string& what)
{
    const std::string whole = bytes_of(setup, 1);
    ASSERT_NE(whole.substr(0, 8), "refused:") << what << whole;
    ASSERT_GT(whole.size(), 1000U) << what;
    for (const std::uint32_t parts : numbers) {
        EXPECT_EQ(difference(whole, bytes_of(setup, parts)), "") << what << " in " << parts << " parts";
        EXPECT_EQ(difference(whole, bytes_of(setup, parts, true)), "")
            << what << " in " << parts << " parts, the last first";
        EXPECT_EQ(difference(whole, bytes_of(setup, parts, false, 2)), "")
            << what << " in " << parts << " parts, 2 threads";
    }
}

std::string refusal(const RunSetup& setup, std::uint32_t partitions)
{
    const std::string text = bytes_of(setup, partitions);
    return text.substr(0, 9) == "refused: " ? text.substr(9) : "not refused";
}

// Pods of GPUs behind switches, joined by a core of switches with longer links.
std::string pods_document(unsigned pods, unsigned gpus, unsigned switches, unsigned near_ns, unsigned far_ns)
{
    return "name: pods\ndevices:\n- name: pod\n  components:\n  - {name: xpu, choice: xpu, count: " +
        std::to_string(gpus) + "}\n  - {name: sw, choice: switch, count: " + std::to_string(switches) +
        "}\n  links:\n  - {name: wire, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 30}, "
        "latency: {ns: " +
        std::to_string(near_ns) +
        "}}}\n  edges:\n  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n"
        "- name: core\n  components:\n  - {name: asic, choice: switch, count: 1}\n  links: []\n  edges: []\n"
        "instances:\n- {name: p, device: pod, count: " +
        std::to_string(pods) +
        "}\n- {name: c, device: core, count: 2}\nlinks:\n- {name: trunk, description: Ethernet, physical: {bandwidth: "
        "{gigabytes_per_second: 40}, latency: {ns: " +
        std::to_string(far_ns) +
        "}}}\nedges:\n- {ep1: {instance: p, component: sw}, ep2: {instance: c, component: asic}, scheme: many2many, "
        "link: trunk}\n";
}

struct Random {
    explicit Random(unsigned seed) : engine(seed) {}

    std::mt19937 engine;
    unsigned below(unsigned limit) { return static_cast<unsigned>(engine() % limit); }
    template <class T>
    const T& one_of(const std::vector<T>& list)
    {
        return list[below(static_cast<unsigned>(list.size()))];
    }
};

}  // namespace

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
    EXPECT_NE(bytes_of(setup, 1).find("\"stop\": \"deadlock\""), std::string::npos);
    expect_same(setup, {2, 3}, "ring of switches");
}

TEST(Parts, RefuseWhatCannotBeCut)
{
    RunSetup setup;
    setup.document = star_document(4);
    setup.lines = collective_lines("all_reduce", "ring", "4096");
    EXPECT_EQ(refusal(setup, 4), "not refused");
    const auto with = [&setup](const std::string& set) { return refusal(setup.with(set), 2); };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(has(refusal(setup, 5),
        "--partitions 5, but the run has 4 groups of GPUs that can be apart; expected from 1 to 4"))
        << refusal(setup, 5);
    EXPECT_TRUE(
        has(with("link.retry=timeout"), "--partitions with link.retry of b.0.xpu.0~b.0.sw.0; expected --partitions 1"))
        << with("link.retry=timeout");
    EXPECT_TRUE(has(with("link.pool_credits=8"),
        "1 group of GPUs that can be apart (b.0.xpu.0~b.0.sw.0 cannot be cut: link.pool_credits"))
        << with("link.pool_credits=8");
    EXPECT_TRUE(has(with("link.credit_bytes=8"), "cannot be cut: link.credit_bytes")) << with("link.credit_bytes=8");
    EXPECT_TRUE(has(with("l2.model=reference_slice"), "--partitions with l2.model reference_slice of "))
        << with("l2.model=reference_slice");
    RunSetup other = setup;
    other.options.watch = true;
    EXPECT_TRUE(has(refusal(other, 2), "--partitions with --watch")) << refusal(other, 2);
    other = setup;
    other.options.check_protocol = true;
    EXPECT_TRUE(has(refusal(other, 2), "--partitions with --check-protocol")) << refusal(other, 2);
    other = setup;
    other.lines = collective_lines("all_reduce", "nvls", "4096");
    EXPECT_TRUE(has(refusal(other, 2), "steps that switches execute")) << refusal(other, 2);
    other.lines = collective_lines("all_reduce", "ring", "4096", "delay: {1: 2us}");
    EXPECT_TRUE(has(refusal(other, 2), "ranks that enter late")) << refusal(other, 2);
}

class RandomParts : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomParts, GiveTheBytesOfTheWhole)
{
    std::string what;
    const RunSetup setup = random_setup(GetParam(), what);
    const std::string whole = bytes_of(setup, 1);
    if (whole.substr(0, 8) == "refused:") GTEST_SKIP() << what << ": " << whole;
    expect_same(setup, {2, 3}, what);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomParts, ::testing::Range(0U, 40U));

}  // namespace parts_test
