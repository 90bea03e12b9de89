// A mesh of tiles: distances add up, links have their rate, and the loaded ones are where theory says.
#include "testbenches/gpu/network_bench.h"

namespace mesh_test {

using namespace weft;
using weft::testing::add_each;
using weft::testing::far_gpu;
using weft::testing::gpu_of;
using weft::testing::lines_of;
using weft::testing::NetworkBench;
using weft::testing::one_slice_only;
using weft::testing::value_of;

namespace {

const L2Spec l2;
const LinkSpec link_spec;

NetworkSpec mesh(std::uint64_t columns, std::uint64_t rows, std::uint64_t link_rate = 0)
{
    NetworkSpec spec;
    spec.kind = NetworkKind::mesh;
    spec.columns = columns;
    spec.rows = rows;
    spec.hop_latency = 3000;
    spec.link_rate = link_rate;
    return spec;
}
// A unit on every tile.
NetworkBench bench_of(const NetworkSpec& network) { return {gpu_of(network.columns * network.rows), network, l2, {}}; }
Time hit_at(unsigned hops, const GpuSpec& g, const NetworkSpec& network)
{
    return g.unit_to_l2 + l2.latency + g.l2_to_unit + 2 * hops * network.hop_latency;
}
// Unit `unit` alone has something to do.
std::vector<Program> only(unsigned unit, const std::vector<std::uint64_t>& addresses, bool write,
    std::uint64_t bytes = 64)
{
    std::vector<Program> programs(unit + 1);
    add_each(programs[unit], addresses, write, bytes);
    return programs;
}
Time wire(std::uint32_t bytes) { return bytes * 1'000'000'000'000 / link_spec.bandwidth + link_spec.latency; }

}  // namespace

TEST(Mesh, AHitTakesItsHopsThereAndBack)
{
    const NetworkSpec network = mesh(4, 2, 1'000'000'000);
    const NetworkBench bench = bench_of(network);
    // Tiles row by row, a unit and four of the 32 slices on each.
    const struct {
        unsigned unit, slice, hops;
    } cases[] = {{0, 0, 0}, {0, 3, 0}, {0, 4, 1}, {0, 15, 3}, {0, 16, 1}, {0, 31, 4}, {7, 0, 4}, {5, 10, 2},
        {3, 16, 4}};
    for (const auto& one : cases)
        for (const bool write : {false, true})
            EXPECT_EQ(bench.time(only(one.unit, lines_of(one.slice, 1), write)), hit_at(one.hops, bench.gpu, network))
                << one.unit << " to " << one.slice;
}

TEST(Mesh, HopsHaveTheirLatencyAndACrossbarHasNone)
{
    NetworkSpec network = mesh(4, 2);
    const std::vector<Program> programs = only(0, lines_of(31, 1), false);
    network.hop_latency = 5000;
    EXPECT_EQ(bench_of(network).time(programs), hit_at(4, gpu_of(8), network));
    network.hop_latency = 0;
    EXPECT_EQ(bench_of(network).time(programs), hit_at(0, gpu_of(8), network));
    NetworkBench crossbar = bench_of(network);
    crossbar.network.kind = NetworkKind::crossbar;
    crossbar.network.hop_latency = 5000;
    EXPECT_EQ(crossbar.time(programs), hit_at(0, gpu_of(8), network));
}

TEST(Mesh, TheShapeMovesWhatIsFar)
{
    const std::vector<Program> programs = only(0, lines_of(31, 1), false);
    EXPECT_EQ(bench_of(mesh(8, 1)).time(programs), hit_at(7, gpu_of(8), mesh(8, 1)));
    EXPECT_EQ(bench_of(mesh(1, 8)).time(programs), hit_at(7, gpu_of(8), mesh(1, 8)));
    EXPECT_EQ(bench_of(mesh(2, 4)).time(programs), hit_at(4, gpu_of(8), mesh(2, 4)));
}

TEST(Mesh, APeerIsAsFarAsTheTilesOfThePorts)
{
    const NetworkSpec network = mesh(4, 2);
    const NetworkBench bench = bench_of(network);
    const GpuSpec& g = bench.gpu;
    const Time without =
        g.unit_to_port + wire(16) + g.port_to_l2 + l2.latency + g.l2_to_port + wire(80) + g.port_to_unit;
    // Unit 3 is in the corner of the first row, the one port in the other corner, with slices 16 to 19.
    std::vector<std::uint64_t> line = lines_of(16, 1);
    line[0] += far_gpu;
    EXPECT_EQ(bench.time(only(3, line, false)), without + 2 * 4 * network.hop_latency);
    line[0] = far_gpu + lines_of(15, 1)[0];
    EXPECT_EQ(bench.time(only(4, line, false)), without + 2 * 4 * network.hop_latency);
}

TEST(Mesh, ALinkHasItsRate)
{
    // Two tiles: all that unit 1 wants lies on the other one.
    for (const std::uint64_t ns : {2, 4}) {
        NetworkBench bench = bench_of(mesh(2, 1, 64'000'000'000 / ns));
        bench.l2 = one_slice_only();
        for (const bool write : {false, true})
            EXPECT_EQ(bench.time(only(1, {0}, write, 128 * 64)), hit_at(1, bench.gpu, bench.network) + 127 * ns * 1000);
    }
}

TEST(Mesh, RequestsAndAnswersHaveLinksOfTheirOwn)
{
    // Unit 0 reads from the other tile, unit 1 stores to its own GPU's first: both go west, one in answers.
    const NetworkSpec network = mesh(2, 1, 4'000'000'000);
    std::vector<Program> programs(2);
    std::vector<std::uint64_t> there;
    std::vector<std::uint64_t> here;
    for (unsigned slice = 0; slice < 16; ++slice) {
        for (const std::uint64_t line : lines_of(slice, 8)) here.push_back(line);
        for (const std::uint64_t line : lines_of(slice + 16, 8)) there.push_back(line);
    }
    std::sort(here.begin(), here.end());
    std::sort(there.begin(), there.end());
    add_each(programs[0], there, false);
    add_each(programs[1], here, true);
    EXPECT_EQ(bench_of(network).time(programs), hit_at(1, gpu_of(2), network) + 127 * 16'000);
}

// Uniform traffic over k x k tiles: of the data of a row's k/2 columns half goes to the other half of the columns, over
// one link: k/4 times what a tile gives.
TEST(Mesh, TheBisectionBoundsUniformTraffic)
{
    const NetworkSpec network = mesh(4, 4, 16'000'000'000);
    const NetworkBench bench = bench_of(network);
    constexpr std::uint64_t bytes = 128 << 10;
    std::vector<Program> programs(16);
    NetworkBench all = bench;
    all.warm = 16 * bytes;
    for (unsigned unit = 0; unit < 16; ++unit) add_each(programs[unit], {unit * bytes}, false, bytes);
    std::vector<Statistic> statistics;
    const std::vector<Time> times = all.times(programs, &statistics);
    EXPECT_EQ(value_of(statistics, "link_answer_busiest_bytes"), bytes);  // k/4 = 1
    const Time bound = bytes / 64 * 4000;
    const Time last = *std::max_element(times.begin(), times.end());
    EXPECT_GT(last, bound);
    EXPECT_LT(last, bound * 11 / 10);
}

TEST(Mesh, AHotSliceLoadsTheLinksOfItsTile)
{
    NetworkSpec network = mesh(4, 4, 16'000'000'000);
    NetworkBench bench = bench_of(network);
    std::vector<Program> programs(16);
    const std::vector<std::uint64_t> lines = lines_of(11, 16);  // tile 5: column 1, row 1
    for (Program& program : programs) add_each(program, lines, false);
    std::vector<Statistic> statistics;
    bench.times(programs, &statistics);
    // Eight units lie in the two columns east of it, more than in any other direction.
    EXPECT_EQ(value_of(statistics, "link_answer_busiest_from"), 5);
    EXPECT_EQ(value_of(statistics, "link_answer_busiest_to"), 0);
    EXPECT_EQ(value_of(statistics, "link_answer_busiest_bytes"), 8 * 16 * 64);
}

TEST(Mesh, ASliceGivesDataAtItsRate)
{
    NetworkSpec network = mesh(2, 2);
    network.slice_rate = 32'000'000'000;
    NetworkBench bench = bench_of(network);
    bench.l2 = one_slice_only();
    EXPECT_EQ(bench.time(only(0, {0}, false, 64 * 64)), hit_at(0, bench.gpu, network) + 63 * 2000);
}

}  // namespace mesh_test
