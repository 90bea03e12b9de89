// Mixed runs in parts and over processes: all nodes of flow are in one part, with the border.
#include <gtest/gtest.h>

#include <algorithm>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/random_systems.h"
#include "testbenches/parallel/same_bytes.h"
#include "testbenches/support/thorough.h"

namespace mixed_parts_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

constexpr int all_reduce = 0;
constexpr int all_gather = 2;

using Ranks = std::vector<std::vector<std::string>>;

RunSetup mixed(const std::string& name, const std::string& lines, const std::string& workload)
{
    RunSetup setup;
    setup.document = example(name);
    setup.lines = "bind:\n- {nodes: {component: nic}, kind: nic}\nlinks:\n  ic: {protocol: ic}\n" + workload;
    setup.options.lines = lines;
    return setup;
}

// Ranks of both sides in one collective, in groups of one side, with transfers, kernels and waits between them.
Ranks on_both_sides(bool in_vain = false)
{
    Ranks out;
    for (unsigned rank = 0; rank < 4; ++rank) {
        const int other = static_cast<int>((rank + 2) % 4);
        const std::string own = rank < 2 ? "1" : "2";
        NodeText leaves = send(7, other, 8, 2000);
        NodeText comes = recv(8, other, 8, 2000);
        out.push_back({comp(1, 1 + rank % 3), collective(2, all_reduce, 20'000).data({1}),
            collective(3, all_gather, 4096, own).data({1}), NodeText(4, 4, "w").integer("num_ops", 4'000'000).data({3}),
            send(5, other, 7, 3000).data({2}), recv(6, other, 7, 3000),
            NodeText(9, 2, "m").integer("tensor_size", 5000).data({4}), leaves.data({in_vain ? 8U : 6U}),
            comes.data({in_vain ? 6U : 7U}), collective(10, all_reduce, 9000).data({5, 6, 9})});
    }
    return out;
}

RunSetup trace(const Folder& folder, const Ranks& ranks, const std::string& lines, const std::string& set = "")
{
    const std::string groups = folder.write("groups.json", R"({"1": [0, 1], "2": [2, 3]})");
    RunSetup setup = mixed("two_hosts", lines, trace_lines(folder.write_set(ranks), "groups: \"" + groups + "\""));
    setup.sets = {"engine.channels=4", "engine.compute=kernel"};
    if (!set.empty()) setup.sets.push_back(set);
    return setup;
}

// What a mixed run takes of a random setup, with random nodes at lines.
RunSetup random_mixed(unsigned seed, const Folder& folder, std::string& what)
{
    RunSetup setup = random_setup(seed, folder, what);
    std::vector<std::string>& sets = setup.sets;
    sets.erase(std::remove_if(sets.begin(), sets.end(),
                   [](const std::string& set) {
                       return set.rfind("engine.protocol", 0) == 0 || set.rfind("engine.mover", 0) == 0;
                   }),
        sets.end());
    setup.options.follow = false;
    Random random(seed);
    const auto one_of = [&random](const std::string& before, unsigned count) {
        const unsigned first = random.below(count);
        return before + std::to_string(first) + "," + before + std::to_string((first + 1) % count);
    };
    if (setup.document == example("dgx_h100")) {
        setup.options.lines = one_of("dgx.0.xpu.", 8);
    } else if (setup.document == example("two_tier_8")) {
        setup.options.lines = "board." + std::to_string(random.below(2));
    } else if (setup.document.find("name: pods") == 0) {
        setup.options.lines = "p." + std::to_string(random.below(2));
    } else {
        setup.options.lines = one_of("b.0.xpu.", 3);
    }
    what += " at lines: " + setup.options.lines;
    return setup;
}

void compare_random(unsigned first, unsigned last)
{
    unsigned compared = 0;
    for (unsigned seed = first; seed < last; ++seed) {
        const Folder folder;
        std::string what;
        const RunSetup setup = random_mixed(seed, folder, what);
        const std::string whole = bytes_of(setup, {});
        if (whole.substr(0, 8) == "refused:") continue;
        for (const std::uint32_t parts : {2U, 3U}) {
            const std::string cut =
                bytes_of(setup, {parts, (seed + parts) % 3 == 1, (seed + parts) % 3 == 2 ? 2U : 1U});
            if (cut.find("of GPUs that can be apart") != std::string::npos) continue;
            EXPECT_EQ(difference(whole, cut), "") << what << " in " << parts << " parts";
            ++compared;
        }
    }
    EXPECT_GE(compared, (last - first) / 2) << "most systems are refused: the test says little";
}

using MixedProcesses = OverProcesses;
class RandomMixedParts : public ::testing::TestWithParam<unsigned> {};

}  // namespace

TEST(MixedParts, CollectivesGiveTheBytesOfTheWhole)
{
    for (const char* algorithm : {"ring", "direct", "two_shot_get"}) {
        expect_same(mixed("two_hosts", "host.0", collective_lines("all_reduce", algorithm, "16384")), {2, 3},
            algorithm);
        if (!test::thorough() && algorithm == std::string("direct")) continue;  // others put and load there
        expect_same(mixed("clos_8", "host.0,host.3,host.4", collective_lines("all_reduce", algorithm, "16384")), {2, 4},
            algorithm);
    }
}

TEST(MixedParts, TracesGiveTheBytesOfTheWhole)
{
    const Folder folder;
    for (const char* order : {"fifo", "lifo", "priority"})
        expect_same(trace(folder, on_both_sides(), "host.0", std::string("engine.collective_order=") + order), {2, 3},
            order);
    expect_same(trace(folder, on_both_sides(), "host.1"), {2, 3}, "the first ranks are flow");
}

TEST(MixedParts, LateRanksSeriesAndAnEarlyEnd)
{
    for (const char* late : {"0", "3"})
        expect_same(mixed("two_hosts", "host.0",
                        collective_lines("all_gather", "ring", "8192", std::string("delay: {") + late + ": 2us}")),
            {2, 3}, late);
    RunSetup setup = mixed("clos_8", "host.2,host.3", collective_lines("all_reduce", "direct", "65536"));
    setup.options.window = 900'000;
    expect_same(setup, {2, 3}, "series");
    setup.options.until = 9'000'000;
    expect_same(setup, {2}, "until");
}

TEST(MixedParts, ADeadlockHasTheSameReport)
{
    const Folder folder;
    const RunSetup setup = trace(folder, on_both_sides(true), "host.0");
    EXPECT_NE(bytes_of(setup, {}).find("waits for"), std::string::npos);
    expect_same(setup, {2, 3}, "in vain");
}

TEST(MixedParts, NodesOfFlowStayTogether)
{
    const std::string file = ::testing::TempDir() + "mixed_parts.yaml";
    RunSetup setup = mixed("clos_8", "host.0,host.1", collective_lines("all_reduce", "ring", "65536"));
    setup.options.parts = PartsFile{};
    setup.options.parts->file = file;
    setup.options.parts->parts = {{{"host.0.*", 1}, {"host.2.*", 1}, {"host.3.*", 1}, {"host.4.*", 1}},
        {{"host.1.*", 2}, {"host.5.*", 2}, {"host.6.*", 2}, {"host.7.*", 2}}};
    setup.options.parts->lines = {1, 2};
    const std::string said = refusal_of(setup, 2);
    EXPECT_NE(said.find("cannot be apart"), std::string::npos) << said;
    EXPECT_NE(said.find("both are flow"), std::string::npos) << said;
}

TEST_F(MixedProcesses, GiveTheBytesOfOne)
{
    const Folder folder;
    expect_same_over({2, 3}, mixed("clos_8", "host.0,host.3,host.4", collective_lines("all_reduce", "direct", "16384")),
        "direct");
    if (test::thorough()) expect_same_over({2}, trace(folder, on_both_sides(), "host.0"), "a trace");
    expect_same_over({2}, trace(folder, on_both_sides(), "host.1"), "the first ranks are flow");
    expect_same_over({2}, trace(folder, on_both_sides(true), "host.0"), "in vain");
}

TEST_P(RandomMixedParts, GiveTheBytesOfTheWhole)
{
    constexpr unsigned systems = 10;
    compare_random(GetParam() * systems, (GetParam() + 1) * systems);
}

INSTANTIATE_TEST_SUITE_P(Few, RandomMixedParts, ::testing::Range(0U, 1U));
INSTANTIATE_TEST_SUITE_P(Seeds, RandomMixedParts, ::testing::Range(1U, 20U));

}  // namespace mixed_parts_test
