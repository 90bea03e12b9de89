// Switches as clocked blocks in fabrics: the reference model against model `crossbar`, RTL against the reference
// model, to the picosecond.
#include "testbenches/rtl/modules/clocked_fabric.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/tlm_interconnect/child.h"

namespace clocked_switch_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Case {
    const char* name;
    AllocatorKind allocator;
    unsigned iterations;
    QueueKind queues;
};

// Model `crossbar` takes as many lines of an input in a clock as come, a block one: links that bring one at most, and links
// that bring headers faster.
constexpr std::uint64_t slow = 30'000'000'000;
constexpr std::uint64_t fast = 120'000'000'000;

constexpr Case cases[] = {
    {"islip", AllocatorKind::islip, 1, QueueKind::voq},
    {"islip_of_two_rounds", AllocatorKind::islip, 2, QueueKind::voq},
    {"round_robin", AllocatorKind::round_robin, 1, QueueKind::voq},
    {"one_queue", AllocatorKind::islip, 1, QueueKind::fifo},
};

// "time node what source tag" of everything that arrives anywhere.
std::string trace_of(const Fabric& fabric, FabricSystem::Options options, const Case& place, unsigned seed)
{
    options.switches.allocator = place.allocator;
    options.switches.iterations = place.iterations;
    options.switches.queues = place.queues;
    return in_child([&] {
        FabricSystem system(fabric, options);
        system.issue_random(150, seed);
        run_all(system);
        system.expect_clean();
        for (const auto& other : system.others) {
            if (other == nullptr) continue;
            EXPECT_EQ(other->problems(), std::vector<std::string>());
        }
        return system.trace();
    });
}

class ClockedSwitchTest : public ::testing::TestWithParam<Case> {};
class ClockedSwitchRtl : public RtlTest, public ::testing::WithParamInterface<Case> {};

std::string case_name(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

}  // namespace

TEST_P(ClockedSwitchTest, ReferenceIsTheCrossbarToThePicosecond)
{
    const Fabric fabrics[] = {star(4, slow), star(9, slow), two_tiers(3, 2, 2, slow)};
    for (const Fabric& fabric : fabrics)
        for (const unsigned seed : {1U, 2U, 3U}) {
            FabricSystem::Options crossbar = clocked(reference);
            crossbar.make = nullptr;
            crossbar.crossbar = true;
            const std::string expected = trace_of(fabric, crossbar, GetParam(), seed);
            EXPECT_GT(expected.size(), 1000U);
            EXPECT_EQ(trace_of(fabric, clocked(reference), GetParam(), seed), expected);
        }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ClockedSwitchTest, ::testing::ValuesIn(cases), case_name);

TEST_P(ClockedSwitchRtl, IsItsReferenceToThePicosecond)
{
    const Fabric fabric = star(4, fast);
    const std::string expected = trace_of(fabric, clocked(reference), GetParam(), 7);
    EXPECT_GT(expected.size(), 1000U);
    EXPECT_EQ(trace_of(fabric, clocked(rtl), GetParam(), 7), expected);
    // Side by side: the same, and nothing differs in any clock.
    const auto both = [](const SwitchBlockParameters& parameters, const std::string& path) {
        return std::make_unique<Lockstep<ClockedSwitch::Block>>(rtl(parameters, path), reference(parameters, path),
            SwitchOut(parameters));
    };
    EXPECT_EQ(trace_of(fabric, clocked(both), GetParam(), 7), expected);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ClockedSwitchRtl, ::testing::ValuesIn(cases), case_name);

// Clocks in which nothing can happen are left out, whatever time passes.
TEST(ClockedSwitch, IsNotClockedWhileIdle)
{
    const std::string clocks = in_child([] {
        FabricSystem system(star(4), clocked(reference));
        for (unsigned i = 0; i < 4; ++i) system.endpoints[0]->issue(i * 1'000'000'000ULL, LineOp::write, 1, 64 * i);
        run_all(system);
        system.expect_clean();
        return std::to_string(static_cast<unsigned>(system.others[0]->statistics()[2].value));
    });
    // Request and answer of each line: 40 clocks of latency and a few.
    EXPECT_GT(std::stoul(clocks), 4U * 2 * 40);
    EXPECT_LT(std::stoul(clocks), 4U * 2 * 50);
}

// What the block cannot be is refused in a line.
TEST(ClockedSwitch, RefusesWhatItIsNot)
{
    const auto refusal = [](const std::function<void(FabricSystem::Options&)>& change) {
        return in_child([&]() -> std::string {
            try {
                FabricSystem::Options options = clocked(reference);
                change(options);
                FabricSystem system(star(4), options);
                sc_core::sc_start(sc_core::SC_ZERO_TIME);
            } catch (const InputError& error) {
                return error.what();
            }
            return "";
        });
    };
    EXPECT_EQ(refusal([](auto&) {}), "");
    EXPECT_NE(refusal([](auto& o) { o.link.vc_sets = 2; }).find("vc_sets=1"), std::string::npos);
    EXPECT_NE(refusal([](auto& o) { o.link.pool_credits = 4; }).find("pool_credits=0"), std::string::npos);
    EXPECT_NE(refusal([](auto& o) { o.switches.allocator = AllocatorKind::age; }).find("islip or round_robin"),
        std::string::npos);
    EXPECT_NE(refusal([](auto& o) { o.switches.output_buffer = 2; }).find("output_buffer=0"), std::string::npos);
    EXPECT_NE(refusal([](auto& o) { o.link.request_credits = 2000; }).find("at most 1023"), std::string::npos);
}

}  // namespace clocked_switch_test
