// The profiles against published measurements: latency plateaus of a pointer chase, and the bandwidth of the caches,
// inside a simulation.
#include <gtest/gtest.h>

#include "gpu/gpu.h"
#include "platform/configuration/tables/profile.h"
#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"
#include "tlm_interconnect/kernel/random_stream.h"

namespace caches_of_parts_test {

using namespace weft;
using weft::testing::in_child;

namespace {

template <class Spec>
Spec spec_of(const Profile& profile, Block block)
{
    std::vector<std::uint64_t> values = info_of(block).defaults;
    for (const auto& [parameter, figure] : profile.of(block)) values[parameter] = figure.value;
    return spec_from<Spec>(values);
}

struct Part {
    explicit Part(const char* name)
    {
        ProfileStore store;
        const Profile& profile = *store.get(name, "", 0);
        gpu = spec_of<GpuSpec>(profile, block_of<GpuSpec>());
        l2 = spec_of<L2Spec>(profile, block_of<L2Spec>());
        side = spec_of<MemorySideSpec>(profile, block_of<MemorySideSpec>());
        hbm = spec_of<HbmSpec>(profile, block_of<HbmSpec>());
    }
    GpuSpec gpu;
    L2Spec l2;
    MemorySideSpec side;
    HbmSpec hbm;
};

// When the last of the programs, one workgroup each, has ended on a GPU of this kind.
Time run(const Part& part, const std::vector<Program>& programs, std::uint32_t wavefronts)
{
    EventQueue event_queue("event_queue");
    LinePool pool;
    Progress progress;
    Gpu::Wiring wiring;
    wiring.path = "gpu";
    wiring.routes = RouteTable(std::vector<std::vector<std::uint16_t>>(1));
    wiring.data_on = false;
    Gpu gpu("gpu", event_queue, pool, progress, part.gpu, L1Spec{}, part.l2, part.hbm, wiring, part.side);
    for (const Program& program : programs) {
        ComputeUnits::Launch launch;
        launch.program = &program;
        launch.wavefronts = wavefronts;
        launch.unroll = 4;
        gpu.units().launch(launch);
    }
    sc_core::sc_start();
    return event_queue.last();
}

// ns of a dependent load in a chase over `mib`, of which a sample is carried out that uses the same part of all sets:
// every `sample`-th row of lines, a row being one line for each slice, of the memory side too, in random order.
double chase(const char* name, std::uint64_t mib, std::uint64_t sample)
{
    const Part part(name);
    const std::uint64_t places = part.side.present() ? std::max(part.l2.slices, part.hbm.channels) : part.l2.slices;
    const std::uint64_t row = places * part.l2.line;
    std::vector<std::uint64_t> lines;
    for (std::uint64_t at = 0; at + row <= mib << 20; at += row * sample)
        for (std::uint64_t line = 0; line < row; line += part.l2.line) lines.push_back(at + line);
    RandomStream draws(1, 1);
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[draws.below(i)]);
    Program round;
    for (const std::uint64_t line : lines) round.add_move({line}, {}, 64, ElementType::u8, ReduceOp::sum);
    const auto end_of = [&](const Program& program) {
        return std::stoull(in_child([&] { return std::to_string(run(part, {program}, 1)); }));
    };
    Program twice = round;
    twice.operations.insert(twice.operations.end(), round.operations.begin(), round.operations.end());
    return static_cast<double>(end_of(twice) - end_of(round)) / static_cast<double>(round.operations.size()) / 1000;
}

// TB/s of reads by all units, once everybody has read a piece of its own, of the piece of the unit that is `shift` units
// away: what further reads take, so that beginning and end are left out. Own pieces are read again and again; others'
// once, twice as long, for then they are near.
double bandwidth(const char* name, std::uint64_t piece, std::uint64_t shift)
{
    const auto end_of = [&](std::uint64_t bytes, unsigned times) {
        return std::stoull(in_child([&] {
            Part part(name);
            part.gpu.wait_policy = WaitPolicy::waiting_atomic;
            part.l2.monitors = 4096;
            constexpr std::uint64_t groups = 4;  // workgroups of a unit
            const std::uint64_t units = part.gpu.compute_units;
            std::vector<Program> programs(units * groups);
            for (std::uint64_t i = 0; i < programs.size(); ++i) {
                const auto read = [&](std::uint64_t unit) {
                    programs[i].add_move({(unit * groups + i / units) * bytes / groups}, {}, bytes / groups,
                        ElementType::u8, ReduceOp::sum, 0, true);
                };
                read(i % units);
                // Nobody starts on the second piece before all have the first.
                programs[i].add_barrier();
                programs[i].add_signal(MemoryImage::flag_base);
                programs[i].add_wait(MemoryImage::flag_base, programs.size());
                programs[i].add_barrier();
                for (unsigned time = 0; time < times; ++time) read((i + shift) % units);
            }
            return std::to_string(run(part, programs, 16));
        }));
    };
    Time span = 0;
    if (shift == 0) {
        span = end_of(piece, 12) - end_of(piece, 4);
        piece *= 8;
    } else {
        span = end_of(2 * piece, 1) - end_of(2 * piece, 0) - (end_of(piece, 1) - end_of(piece, 0));
    }
    return static_cast<double>(Part(name).gpu.compute_units * piece) / static_cast<double>(span);
}

void expect_within(double measured, double published, double share)
{
    ::testing::Test::RecordProperty("measured", std::to_string(measured));
    EXPECT_NEAR(measured, published, published * share);
}

}  // namespace

TEST(CachesOfParts, PlateausOfV100)
{
    expect_within(chase("v100", 4, 4), 153.7, 0.03);
    expect_within(chase("v100", 24, 4), 311.5, 0.03);
}

TEST(CachesOfParts, PlateausOfA100)
{
    expect_within(chase("a100", 16, 16), 146, 0.03);
    expect_within(chase("a100", 34, 16), 283, 0.03);
    expect_within(chase("a100", 80, 16), 375, 0.03);
}

TEST(CachesOfParts, PlateausOfH100)
{
    expect_within(chase("h100", 20, 16), 141.6, 0.03);
    expect_within(chase("h100", 44, 16), 250, 0.03);
    expect_within(chase("h100", 100, 16), 330, 0.03);
}

TEST(CachesOfParts, PlateausOfH200)
{
    expect_within(chase("h200", 20, 16), 141.6, 0.03);
    expect_within(chase("h200", 44, 16), 250, 0.03);
    expect_within(chase("h200", 100, 16), 330, 0.03);
}

TEST(CachesOfParts, PlateausOfB200)
{
    expect_within(chase("b200", 48, 12), 154, 0.03);
    expect_within(chase("b200", 96, 12), 273, 0.03);  // 235 to 311
    expect_within(chase("b200", 250, 12), 388, 0.03);
}

TEST(CachesOfParts, PlateausOfMI300X)
{
    expect_within(chase("mi300x", 3, 4), 102, 0.03);
    expect_within(chase("mi300x", 48, 16), 217, 0.03);
    expect_within(chase("mi300x", 480, 16), 415, 0.03);
}

TEST(CachesOfParts, TheFootprintDecidesWhichPlateau)
{
    // Near and far halves of an H100's 50 MiB, with steps between them.
    EXPECT_LT(chase("h100", 24, 16), 150);
    EXPECT_GT(chase("h100", 27, 16), 240);
    EXPECT_LT(chase("h100", 48, 16), 260);
    EXPECT_GT(chase("h100", 53, 16), 320);
}

// TB/s.
TEST(CachesOfParts, BandwidthOfTheL2)
{
    expect_within(bandwidth("v100", 16 << 10, 0), 2.4, 0.07);
    expect_within(bandwidth("a100", 16 << 10, 0), 5.34, 0.07);
    expect_within(bandwidth("h200", 16 << 10, 0), 10.2, 0.07);
    expect_within(bandwidth("b200", 16 << 10, 0), 21, 0.07);
    expect_within(bandwidth("mi300x", 16 << 10, 0), 27, 0.07);
}

TEST(CachesOfParts, BandwidthOfTheOtherPartition)
{
    expect_within(bandwidth("a100", 16 << 10, 54), 4.6, 0.07);
    expect_within(bandwidth("h200", 16 << 10, 66), 7.5, 0.07);
    if (!weft::test::thorough()) return;  // the last one takes longer than both
    expect_within(bandwidth("b200", 64 << 10, 74), 16.8, 0.07);
}

TEST(CachesOfParts, BandwidthOfTheMemorySideCache) { expect_within(bandwidth("mi300x", 16 << 10, 38), 11.9, 0.07); }

}  // namespace caches_of_parts_test
