// The DRAM of the built-in profiles against published measurements (docs/models/hbm.md has the table).
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"
#include "testbenches/sc_models/hbm_bench.h"
#include "testbenches/support/thorough.h"

namespace hbm_profiles_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Part {
    HbmSpec hbm;
    L2Spec l2;
};

Part part(const std::string& profile)
{
    RunSetup setup;
    setup.document = star_document(2);
    setup.lines = "profile: " + profile + "\n";
    const ResolvedSystem system = resolve_setup(setup);
    const NodeId node = system.endpoints()[0];
    return {system.hbm(node), system.l2(node)};
}

// Everything in order with as many lines in flight as the L2 allows, eight refresh intervals of it; TB/s.
double sustained(const Part& part, const std::function<HbmAccess(std::uint64_t)>& next)
{
    HbmLoad load;
    load.in_flight = static_cast<unsigned>(part.l2.slices * part.l2.outstanding_misses);
    load.count = static_cast<std::uint64_t>(
        static_cast<double>(part.hbm.bandwidth) * 8e-12 * static_cast<double>(part.hbm.t_refi) / 64);
    load.next = next;
    load.by_slice = true;
    return load_hbm(part.hbm, static_cast<unsigned>(part.l2.slices), load).bytes_per_second / 1e12;
}

double streaming_read(const Part& part)
{
    return sustained(part, [](std::uint64_t i) { return stream(i); });
}

// Lines are read and as many written elsewhere; both count, as in measurements.
double copy(const Part& part)
{
    const std::uint64_t slices = part.l2.slices;
    return sustained(part, [slices](std::uint64_t i) {
        const std::uint64_t turn = i / slices;
        return turn % 2 == 0 ? stream(turn / 2 * slices)
                             : stream(turn / 2 * slices + (std::uint64_t{1} << 24), LineOp::write);
    });
}

// Dependent loads all over the memory; ns from the slice and back.
double chase(const Part& part)
{
    const HbmLoad load{60'000, 1, [](std::uint64_t i) { return random_line(i); }};
    return load_hbm(part.hbm, static_cast<unsigned>(part.l2.slices), load).latency / 1000;
}

// At least what was measured through a whole GPU, whose order is worse, less 7 %; at most the pins.
void expect_sustained(const char* profile, double measured)
{
    const Part which = part(profile);
    const double read = streaming_read(which);
    ::testing::Test::RecordProperty(profile, std::to_string(read) + " TB/s");
    EXPECT_GT(read, measured * 0.93) << profile;
    EXPECT_LE(read * 1e12, static_cast<double>(which.hbm.bandwidth) * 1.0001) << profile;
}

// Within 3 % of the plateau, which is `l2_hit` more.
void expect_latency(const char* profile, double l2_hit, double plateau)
{
    const double latency = l2_hit + chase(part(profile));
    ::testing::Test::RecordProperty(profile, std::to_string(latency) + " ns");
    EXPECT_NEAR(latency / plateau, 1.0, 0.03) << profile;
}

}  // namespace

TEST(HbmProfiles, AStreamInOrderLiesBetweenWhatAGpuSustainsAndThePins)
{
    expect_sustained("v100", 0.867);
    expect_sustained("a100", 1.776);
    if (!weft::test::thorough()) return;  // the faster, the longer
    expect_sustained("h200", 3.888);
    expect_sustained("b200", 6.98);
    expect_sustained("mi300x", 4.0);
}

TEST(HbmProfiles, SoDoCopies)
{
    EXPECT_GT(copy(part("v100")), 0.809 * 0.93);
    EXPECT_GT(copy(part("a100")), 1.737 * 0.93);
    EXPECT_GT(copy(part("mi300x")), 4.0 * 0.93);
    EXPECT_GT(copy(part("h100")), 3.35 * (3.174 / 4) * 0.93);  // GH200: the same die, other memory
    for (const char* profile : {"v100", "a100", "h100", "h200", "mi300x"})
        EXPECT_LT(copy(part(profile)), streaming_read(part(profile))) << profile;
}

TEST(HbmProfiles, AnH100LiesBetweenTheMeasurementsOfItsDieWithOtherMemory)
{
    // GH200: 2.775 read and 3.941 written of 4 TB/s.
    const double read = streaming_read(part("h100")) / 3.35;
    EXPECT_GT(read, 2.775 / 4);
    EXPECT_LT(read, 3.941 / 4);
}

TEST(HbmProfiles, ChasesAreWithinThreePercentOfThePlateaus)
{
    expect_latency("v100", 154, 312);
    expect_latency("a100", 146, 375);
    expect_latency("h100", 142, 330);
    expect_latency("h200", 142, 330);
    expect_latency("b200", 154, 388);
    expect_latency("mi300x", 217, 415);
}

}  // namespace hbm_profiles_test
