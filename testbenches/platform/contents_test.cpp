// Caches and DRAM that hold bytes of their own, in whole systems: the same times, results that are right, and wrong results
// where what moves bytes is broken. And transport_dbg over fabrics.
#include <cstring>

#include <gtest/gtest.h>

#include "gpu/gpu.h"
#include "platform/assembly/model_registry.h"
#include "testbenches/platform/runs.h"
#include "testbenches/platform/switch_board.h"
#include "testbenches/support/thorough.h"

namespace contents_test {

using namespace weft;
using namespace weft::testing;

namespace {

// A GPU's caches are far smaller than what it works on: lines come and go, and are written back.
RunSetup system_with(const std::string& document, const std::string& profile, const std::string& algorithm,
    const std::vector<std::string>& sets, const std::string& op = "all_reduce", const std::string& bytes = "128 KiB")
{
    RunSetup setup;
    setup.document = example(document);
    setup.lines = "profile: " + profile + "\n" + collective_lines(op, algorithm, bytes);
    setup.sets = {"engine.channels=4"};
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    return setup;
}
const std::vector<std::string> small_h100{"l2.size=160 KiB"};  // one set for each slice
const std::vector<std::string> one_partition{"l2.partitions=1", "l2.size=160 KiB"};
const std::vector<std::string> small_mi300x{"l2.ways=4", "l2.size=64 KiB", "memory_side.ways=2",
    "memory_side.size=64 KiB"};
const std::vector<std::string> behind_one_l2{"l2.partitions=1", "l2.slices=16", "hbm.channels=16", "l2.size=64 KiB",
    "memory_side.size=128 KiB"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

double statistic(const Json& result, const std::string& kind, const std::string& name)
{
    double sum = 0;
    for (const Json& module : result["modules"])
        if (module["kind"] == kind && module["stats"].contains(name))
            sum += module["stats"][name]["value"].get<double>();
    return sum;
}

// One image and caches that hold contents: the same result, times and all.
void expect_the_same(const RunSetup& setup, bool evicts = true)
{
    Json flat = run(setup.with("l2.contents=flat"));
    Json cached = run(setup.with("l2.contents=cached"));
    EXPECT_EQ(flat.value("verified", flat.dump()), "passed");
    EXPECT_EQ(cached.value("verified", cached.dump()), "passed") << cached.value("mismatches", Json()).dump();
    if (evicts) {
        EXPECT_GT(statistic(cached, "l2", "write_backs") + statistic(cached, "memory_side", "write_backs"), 500);
    }
    for (Json* result : {&flat, &cached})
        for (const char* key : {"parameters", "wall_s", "elaborate_s", "cpu_s", "peak_rss_bytes"}) result->erase(key);
    EXPECT_TRUE(flat == cached) << Json::diff(flat, cached).dump().substr(0, 1000);
}

using Plant = std::function<std::unique_ptr<CacheContents>(std::uint64_t places, unsigned sectors)>;

// "verified" of a run in which the L2 slices of rank 1 have these contents.
std::string verified_with(const RunSetup& setup, const Plant& plant)
{
    return in_timed_child(
        [&] {
            ModelRegistry registry;
            registry.add_gpu(ModelDeclaration("planted", "one with slices that hold their contents in another way"),
                [&](const RunContext& context, const GpuRequest& request) {
                    Gpu::Wiring wiring = request.wiring;
                    wiring.make_slice = [&](EventQueue& event_queue, const SliceRequest& slice) {
                        SliceRequest with = slice;
                        with.make_contents = plant;
                        return std::make_unique<L2Slice>(event_queue, with);
                    };
                    return std::make_unique<Gpu>(request.module_name.c_str(), context.event_queue, context.pool,
                        context.progress, request.parameters, wiring);
                });
            RunSetup planted = setup.with("l2.contents=cached");
            planted.lines += "bind: [{nodes: \"*.xpu.1\", model: planted}]\n";
            planted.options.progress = false;
            const RunResult result = run_system(resolve_setup(planted), registry, planted.options);
            EXPECT_EQ(result.exit_code(), result.verified == "passed" ? 0 : 1);
            return result.verified;
        },
        100);
}

template <class Contents>
std::string verified_with(const RunSetup& setup)
{
    return verified_with(setup,
        [](std::uint64_t places, unsigned sectors) { return std::make_unique<Contents>(places, sectors); });
}

// The sector keeps what it had.
struct LostFill : CacheContents {
    using CacheContents::CacheContents;
    void fill(std::uint8_t*, const std::uint8_t*) override {}
};
// The last byte of a fill is that of the former one.
struct ShortFill : CacheContents {
    using CacheContents::CacheContents;
    void fill(std::uint8_t* sector, const std::uint8_t* bytes) override { std::memcpy(sector, bytes, line_bytes - 1); }
};
// The line goes to memory without its bytes.
struct EmptyWriteBack : CacheContents {
    using CacheContents::CacheContents;
    void write_back(std::uint8_t* bytes, const std::uint8_t*) override { std::memset(bytes, 0, line_bytes); }
};
// What is displaced is taken for clean.
struct DirtIsForgotten : CacheContents {
    using CacheContents::CacheContents;
    std::uint32_t to_be_written(const TagArray&, std::uint32_t) override { return 0; }
};
// A line that takes its place with one sector has the other one, too.
struct BothSectorsValid : CacheContents {
    using CacheContents::CacheContents;
    std::uint32_t valid(std::uint32_t states) override
    {
        for (unsigned sector = 0; sector < 2; ++sector)
            if (TagArray::state(states, sector) == TagArray::absent)
                TagArray::set_state(states, sector, TagArray::clean);
        return states;
    }
};

// By default all of them in one kind of caches, and those of evictions in the others.
void expect_defects_to_be_seen(const RunSetup& setup, bool all = weft::test::thorough())
{
    if (all) {
        EXPECT_EQ(verified_with<CacheContents>(setup), "passed");
        EXPECT_EQ(verified_with<LostFill>(setup), "failed");
        EXPECT_EQ(verified_with<ShortFill>(setup), "failed");
    }
    EXPECT_EQ(verified_with<EmptyWriteBack>(setup), "failed");
    EXPECT_EQ(verified_with<DirtIsForgotten>(setup), "failed");
    EXPECT_EQ(verified_with<BothSectorsValid>(setup), "failed");
}

struct Nobody : WorkgroupListener {
    void on_workgroup_done(std::uint64_t) override {}
};

std::uint64_t word_seen(LineInitiatorSocket& from, LinePool& pool, std::uint64_t address)
{
    Line& line = pool.take();
    line.begin(LineOp::read, address, 8);
    EXPECT_EQ(from.debug(line), 8u);
    const std::uint64_t word = line.operand();
    pool.give(line);
    return word;
}

// The last GPU stores words to its own memory, more than its caches hold; the first one looks at them over the fabric, and
// changes them.
void expect_to_see_over_the_fabric(RunSetup setup)
{
    const std::string text = in_timed_child(
        [&] {
            constexpr unsigned words = 6000;
            SwitchBoard board(setup.with("l2.contents=cached"));
            const std::vector<Gpu*> gpus = board.system.gpus();
            const auto last = static_cast<std::uint32_t>(gpus.size() - 1);
            const auto address = [&](std::uint64_t word) { return global_address(last, word * line_bytes + 8); };
            Program program;
            for (unsigned i = 0; i < words; ++i) program.add_store(address(i), 3 * i + 1);
            program.add_fence(Scope::system);
            Nobody nobody;
            ComputeUnits::Launch launch;
            launch.program = &program;
            launch.listener = &nobody;
            gpus[last]->units().launch(launch);
            board.run();
            LineInitiatorSocket& from = gpus[0]->units().memory;
            unsigned in_memory = 0;
            for (unsigned i = 0; i < words; ++i) {
                EXPECT_EQ(word_seen(from, board.system.pool(), address(i)), 3 * i + 1) << i;
                std::uint64_t stored = 0;
                gpus[last]->image().stored_read(local_of(address(i)), reinterpret_cast<std::uint8_t*>(&stored), 8);
                in_memory += stored == 3 * i + 1 ? 1 : 0;
            }
            // Some were displaced and some are dirty, and both are seen.
            EXPECT_GT(in_memory, 500u);
            EXPECT_LT(in_memory, words - 500);
            for (unsigned i = 0; i < words; i += 7) {
                Line& line = board.system.pool().take();
                line.begin(LineOp::write, address(i), 8);
                line.set_operand(i);
                EXPECT_EQ(from.debug(line), 8u);
                board.system.pool().give(line);
            }
            for (unsigned i = 0; i < words; ++i) {
                const std::uint64_t expected = i % 7 == 0 ? i : 3 * i + 1;
                EXPECT_EQ(word_seen(from, board.system.pool(), address(i)), expected) << i;
                std::uint64_t own = 0;
                gpus[last]->image().read(local_of(address(i)), reinterpret_cast<std::uint8_t*>(&own), 8);
                EXPECT_EQ(own, expected) << i;
            }
            const std::uint64_t flag = global_address(last, MemoryImage::flag_base + 64);
            gpus[last]->image().flag(local_of(flag)) = 11;
            EXPECT_EQ(word_seen(from, board.system.pool(), flag), 11u);
            EXPECT_EQ(board.system.pool().live(), 0u);
            return std::string("done");
        },
        100);
    EXPECT_EQ(text, "done");
}

}  // namespace

TEST(Contents, OfMirroredPartitions)
{
    for (const std::string algorithm : {"nvls", "two_shot_get", "ring", "tree"}) {
        if (!weft::test::thorough() && algorithm == "ring") break;  // other tests have rings
        expect_the_same(system_with("dgx_h100", "h100", algorithm, small_h100));
    }
    expect_the_same(system_with("dgx_h100", "h100", "direct", small_h100, "all_to_all"));
}
// Its smallest size is that of both partitions of a GPU together.
TEST(Contents, OfOneCache)
{
    const auto in_one = [](const char* algorithm, const std::vector<std::string>& more = {}) {
        expect_the_same(system_with("dgx_h100", "h100", algorithm, one_partition + more, "all_reduce", "256 KiB"));
    };
    in_one("ring");
    in_one("ring", {"l2.line=64", "l2.merges=2", "l2.outstanding_misses=4"});
    in_one("nvls");
}
TEST(Contents, OfPrivatePartitionsAndTheirMemorySideCache)
{
    for (const std::string algorithm : {"tree", "ring", "two_shot_get"}) {
        if (!weft::test::thorough() && algorithm == "ring") break;  // other tests have rings
        expect_the_same(system_with("mesh_mi300x", "mi300x", algorithm, small_mi300x));
    }
    expect_the_same(system_with("mesh_mi300x", "mi300x", "direct", small_mi300x, "all_to_all"));
}
TEST(Contents, OfAMemorySideCacheBehindOneL2)
{
    for (const char* const algorithm : {"ring", "tree"})
        expect_the_same(system_with("mesh_mi300x", "mi300x", algorithm, behind_one_l2));
}
TEST(Contents, WhoeverMovesTheData)
{
    for (const char* const set : {"engine.protocol=ll", "engine.protocol=ll128", "gpu.wait_policy=monitor",
             "engine.mover=copy_engine", "engine.mover=bulk"}) {
        // By default each of them once; packets of 128 bytes have a test of their own on the mesh.
        const std::string name = set;
        const bool on_mesh = name == "engine.protocol=ll" || name == "engine.mover=bulk";
        if (!weft::test::thorough() && name == "engine.protocol=ll128") continue;
        if (weft::test::thorough() || !on_mesh)
            expect_the_same(system_with("dgx_h100", "h100", "ring", small_h100).with(set));
        if (!weft::test::thorough() && !on_mesh) continue;
        expect_the_same(system_with("mesh_mi300x", "mi300x", "ring", small_mi300x, "all_reduce", "64 KiB").with(set),
            false);
    }
}
// A packet is there from the turn of its store on, also for a partition that holds its line while the store waits for room.
TEST(Contents, PacketsOfStoresThatWaitAreSeenInOtherPartitions)
{
    expect_the_same(system_with("mesh_mi300x", "mi300x", "ring", small_mi300x).with("engine.protocol=ll128"));
}
TEST(Contents, OfCachesThatHoldEverything)
{
    expect_the_same(system_with("dgx_h100", "h100", "ring", {}), false);
    expect_the_same(system_with("mesh_mi300x", "mi300x", "ring", {}), false);
}

TEST(BrokenContents, AreSeenInOneCache)
{
    expect_defects_to_be_seen(system_with("dgx_h100", "h100", "ring", one_partition, "all_reduce", "256 KiB"), true);
}
TEST(BrokenContents, AreSeenInMirroredPartitions)
{
    expect_defects_to_be_seen(system_with("dgx_h100", "h100", "ring", small_h100));
}
TEST(BrokenContents, AreSeenInPrivatePartitions)
{
    expect_defects_to_be_seen(system_with("mesh_mi300x", "mi300x", "ring", small_mi300x));
}
// What one image could not show: the slices' contents do not matter there.
TEST(BrokenContents, AreNotSeenWithOneImage)
{
    RunSetup setup = system_with("dgx_h100", "h100", "ring", one_partition, "all_reduce", "256 KiB");
    setup.sets.push_back("l2.contents=flat");
    EXPECT_EQ(run(setup).value("verified", ""), "passed");
}

TEST(Debug, SeesDirtyAndDisplacedLinesAcrossSwitches)
{
    for (const char* const model : {"switch", "crossbar", "reference_switch"}) {
        RunSetup setup = system_with("dgx_h100", "h100", "ring", small_h100);
        setup.lines += std::string("bind: [{nodes: {component: nvsw}, model: ") + model + "}]\n";
        expect_to_see_over_the_fabric(setup);
    }
}
TEST(Debug, SeesThemOverLinksAndPrivatePartitions)
{
    expect_to_see_over_the_fabric(system_with("mesh_mi300x", "mi300x", "ring", small_mi300x));
    expect_to_see_over_the_fabric(system_with("dgx_h100", "h100", "ring", one_partition));
}
TEST(Debug, SeesThemAcrossTiersOfSwitchesAndNetworkCards)
{
    expect_to_see_over_the_fabric(system_with("clos_8", "h100", "ring", small_h100));
    RunSetup hosts = system_with("two_hosts", "h100", "ring", small_h100);
    hosts.lines += "bind: [{nodes: {component: nic}, kind: nic}]\nlinks: {ic: {protocol: ic}}\n";
    expect_to_see_over_the_fabric(hosts);
}

}  // namespace contents_test
