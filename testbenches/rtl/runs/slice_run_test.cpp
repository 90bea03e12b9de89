// Eight GPUs of a DGX H100, L2 slices as RTL or reference models: results in memory, times to the picosecond.
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "rtl/cache/reference_slice.h"
#include "rtl/modules/clocked_slice.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace slice_run_test {

using namespace weft;
using namespace weft::testing;

namespace {

// 16 slices of 64 sets and 512 ps a GPU; `models` are of --set.
RunSetup dgx(const std::string& algorithm, const std::vector<std::string>& models, const std::string& bytes = "16 KiB")
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = "profile: h100\n" + collective_lines("all_reduce", algorithm, bytes);
    setup.sets = {"engine.channels=4", "l2.partitions=1", "l2.line=64", "l2.slices=16", "l2.bandwidth=2 TB/s",
        "l2.size=1 MiB", "l2.outstanding_misses=32"};
    setup.sets.insert(setup.sets.end(), models.begin(), models.end());
    return setup;
}

std::string all(const std::string& model) { return "l2.model=" + model; }
std::string first(const std::string& model) { return "dgx.0.xpu.0.l2.model=" + model; }

// All but what names the models.
Json without_models(Json result)
{
    for (const char* key : {"parameters", "wall_s", "elaborate_s", "cpu_s", "peak_rss_bytes"}) result.erase(key);
    for (Json& module : result["modules"]) module.erase("model");
    return result;
}

// -1: there is none of that name.
double l2_statistic(const Json& result, const std::string& gpu, const std::string& name)
{
    for (const Json& module : result["modules"])
        if (module["name"] == gpu + ".l2")
            return module["stats"].contains(name) ? module["stats"][name]["value"].get<double>() : -1;
    return -1;
}

// A reference model whose outputs are tampered with.
class Tampered : public ClockedSlice::Block {
public:
    using Change = std::function<void(LlcOut&)>;

    Tampered(const LlcParameters& parameters, const Change& change) : reference_(parameters), change_(change) {}
    void reset() override { reference_.reset(); }
    void cycle(const LlcIn& in, LlcOut& out) override
    {
        reference_.cycle(in, out);
        change_(out);
    }
    bool idle() const override { return reference_.idle(); }

private:
    ReferenceSlice reference_;
    const Change& change_;
};

// How a ring ends, and what is said of it, where the first GPU has such slices.
std::string ending(const Tampered::Change& change)
{
    return in_timed_child(
        [&] {
            ModelRegistry registry;
            registry.add_gpu("broken", "one with slices that are",
                [&](const RunContext& context, const GpuRequest& request) {
                    Gpu::Wiring wiring = request.wiring;
                    wiring.make_slice = [&](EventQueue& event_queue, const SliceRequest& slice) {
                        return std::make_unique<ClockedSlice>(slice.module_name.c_str(), event_queue, slice,
                            [&](const LlcParameters& parameters, const std::string&, Time) {
                                return std::make_unique<Tampered>(parameters, change);
                            });
                    };
                    return std::make_unique<Gpu>(request.module_name.c_str(), context.event_queue, context.pool,
                        context.progress, request.parameters, wiring);
                });
            RunSetup setup =
                dgx("ring", {"dgx.0.xpu.0.l2.model=reference_slice"});  // what its slices are to be taken for
            setup.lines += "bind: [{nodes: \"*.xpu.0\", model: broken}]\n";
            setup.options.progress = false;
            const RunResult result = run_system(resolve_setup(setup), registry, setup.options);
            std::string out = std::string(name_of(result.stop)) + " " + std::to_string(result.exit_code()) + " " +
                result.verified + "\n";
            for (const std::string& line : result.problems) out += line + "\n";
            for (const std::string& line : result.blocked) out += line + "\n";
            return out;
        },
        100);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class SliceRtlRun : public RtlTest {};

}  // namespace

TEST(ReferenceSliceRun, CollectivesAreVerifiedAndRepeat)
{
    for (const char* const algorithm : {"ring", "tree", "nvls"}) {
        const Json one = weft::testing::run(dgx(algorithm, {all("reference_slice")}));
        EXPECT_EQ(one.value("verified", ""), "passed") << algorithm << one.dump();
        EXPECT_EQ(one.value("exit_code", -1), 0) << algorithm;
        EXPECT_EQ(one, weft::testing::run(dgx(algorithm, {all("reference_slice")})));
    }
}

// Data with flags, copy engines, bulk copies: whatever brings lines to a slice.
TEST(ReferenceSliceRun, EveryWayOfMovingDataIsVerified)
{
    for (const char* const set : {"engine.protocol=ll", "engine.protocol=ll128", "gpu.wait_policy=monitor",
             "engine.mover=copy_engine", "engine.mover=bulk"}) {
        const Json result = weft::testing::run(dgx("ring", {all("reference_slice"), set}));
        EXPECT_EQ(result.value("verified", ""), "passed") << set << result.dump();
        EXPECT_EQ(result.value("exit_code", -1), 0) << set;
    }
}

TEST(ReferenceSliceRun, DataChangeNoTime)
{
    RunSetup setup = dgx("ring", {all("reference_slice")});
    const Json with = weft::testing::run(setup);
    setup.options.data_on = false;
    EXPECT_EQ(weft::testing::run(setup)["simulated_ps"], with["simulated_ps"]);
}

TEST(ReferenceSliceRun, ProtocolCheckersAreContent)
{
    for (const char* const algorithm : {"ring", "nvls"}) {
        RunSetup setup = dgx(algorithm, {all("reference_slice")});
        setup.options.check_protocol = true;
        EXPECT_EQ(weft::testing::run(setup).value("exit_code", -1), 0) << algorithm;
    }
}

TEST(ReferenceSliceRun, ParametersMoveTheTime)
{
    const auto time = [](const std::string& set) {
        return weft::testing::run(dgx("ring", {all("reference_slice"), set}))["simulated_ps"].get<std::uint64_t>();
    };
    const std::uint64_t base = time("l2.latency=60 ns");
    EXPECT_GT(time("l2.latency=90 ns"), base);
    EXPECT_GT(time("l2.clock=5 ns"), base);
    EXPECT_GT(time("l2.outstanding_misses=1"), base);
}

// Where the L2 is not what limits: the edges and the clock of a miss that the general model lacks. docs/rtl/cache.md has more cases.
TEST(ReferenceSliceRun, TheGeneralModelIsALittleShorter)
{
    const auto error = [](const char* algorithm) {
        const auto time = [&](const std::string& model) {
            return weft::testing::run(dgx(algorithm, {all(model)}))["simulated_ps"].get<double>();
        };
        return time("slice") / time("reference_slice") - 1;
    };
    EXPECT_NEAR(error("ring"), 0, 0.01);
    EXPECT_NEAR(error("nvls"), 0, 0.01);
    EXPECT_NEAR(error("tree"), 0, 0.001);
}

// Victims: a cache of 2 sets a slice does not hold what the ring uses.
TEST(ReferenceSliceRun, WriteBacksComeBackFromMemory)
{
    const Json result =
        weft::testing::run(dgx("ring", {all("reference_slice"), "l2.ways=4", "l2.size=8 KiB"}, "256 KiB"));
    EXPECT_EQ(result.value("verified", ""), "passed") << result.dump();
    EXPECT_GT(l2_statistic(result, "dgx.0.xpu.0", "write_backs"), 1000);
}

// Collectives of a trace use the memory of those before them: their inputs come past the slices.
TEST(ReferenceSliceRun, MemoryThatATraceUsesAgainIsNew)
{
    using namespace weft::chakra::testing;
    std::vector<std::vector<std::string>> ranks(4);
    for (auto& nodes : ranks)
        for (std::uint64_t i = 1; i <= 5; ++i) {
            NodeText node = collective(i, 0, 16384);
            nodes.push_back(i == 1 ? node : node.data({i - 1}));
        }
    const Folder folder;
    RunSetup setup;
    setup.document = mesh_document(4);
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks));
    setup.sets = {"engine.channels=4", all("reference_slice")};
    const Json with = weft::testing::run(setup);
    EXPECT_EQ(with.value("verified", ""), "passed") << with.dump().substr(0, 2000);
    EXPECT_EQ(with["collectives"].size(), 5U);
    setup.options.data_on = false;
    EXPECT_EQ(weft::testing::run(setup)["simulated_ps"], with["simulated_ps"]);
}

TEST(BrokenSliceRun, AWholeOneIsVerified)
{
    EXPECT_EQ(ending([](LlcOut&) {}), "finished 0 passed\n");
}

TEST(BrokenSliceRun, WrongDataEndTheRunAsWrong)
{
    const std::string text = ending([count = 0](LlcOut& out) mutable {
        if (out.resp_valid && out.resp.op() == 0 && ++count == 50) out.resp.data()[3] ^= 1;
    });
    EXPECT_TRUE(has(text, "wrong 1 ")) << text;
    EXPECT_TRUE(has(text, "dgx.0.xpu.0.l2.")) << text;
    EXPECT_TRUE(has(text, "resp: data byte 3: expected")) << text;
}

// Others spin on flags for ever then: the slice itself ends the run.
TEST(BrokenSliceRun, AReadThatIsNeverMadeIsWrong)
{
    const std::string text = ending([count = 0](LlcOut& out) mutable {
        if (out.mem_read_valid && ++count > 50) out.mem_read_valid = false;
    });
    EXPECT_TRUE(has(text, "wrong 1 ")) << text;
    EXPECT_TRUE(has(text, "the block makes no progress and waits for no response of the memory")) << text;
}

// Results were right; what the block has not written back is told in the end.
TEST(BrokenSliceRun, ALineThatIsLostInTheFlushIsWrong)
{
    const std::string text = ending([count = 0](LlcOut& out) mutable {
        if (out.mem_write_valid && ++count == 9) out.mem_write_valid = false;
    });
    EXPECT_TRUE(has(text, "wrong 1 passed")) << text;
    EXPECT_TRUE(has(text, "memory after the flush: data byte ")) << text;
}

// The waveform of a slice by its path, with what is on its pins in words.
TEST_F(SliceRtlRun, AWaveformOfOneSlice)
{
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("slice_wave_" + std::to_string(::getpid()) + ".fst");
    const std::string text = in_timed_child(
        [&] {
            const RunSetup setup = dgx("ring", {first("rtl_slice")});
            ModelRegistry registry;
            registry.waves.entries.push_back({"dgx.0.xpu.0.l2.3", file.string()});
            const RunResult result = run_system(resolve_setup(setup), registry, setup.options);
            return result.verified + (registry.waves.entries[0].taken ? " taken" : "");
        },
        400);
    EXPECT_EQ(text, "passed taken");
    EXPECT_GT(std::filesystem::file_size(file), 1000U);
    std::filesystem::remove(file);
}

TEST(ReferenceSliceRun, WhatNoBlockIsIsRefused)
{
    const auto refusal = [](const std::string& set) {
        return weft::testing::run(dgx("ring", {all("reference_slice"), set})).value("refused", "");
    };
    EXPECT_TRUE(has(refusal("l2.partitions=2"), "2 partitions"));
    EXPECT_TRUE(has(refusal("l2.partitions=2"), "l2.partitions=1"));
    EXPECT_TRUE(has(refusal("l2.line=128"), "l2.line=64"));
    EXPECT_TRUE(has(refusal("l2.size=1280 KiB"), "l2.size=1 MiB, a power of two of sets"));
    EXPECT_TRUE(has(refusal("l2.model=rtl"), "slice_lockstep"));
}

TEST_F(SliceRtlRun, EverySliceAsRtlIsTheReferenceToThePicosecond)
{
    for (const std::string algorithm : {"ring", "tree"}) {
        if (algorithm == "ring" && !test::thorough()) continue;  // one GPU of eight has it
        const Json reference = weft::testing::run(dgx(algorithm, {all("reference_slice")}));
        const Json rtl = weft::testing::run(dgx(algorithm, {all("rtl_slice")}), 400);
        EXPECT_EQ(rtl.value("verified", ""), "passed") << rtl.dump();
        EXPECT_EQ(without_models(rtl), without_models(reference)) << algorithm;
    }
}

TEST_F(SliceRtlRun, OneGpuOfEightIsEnough)
{
    for (const char* const algorithm : {"ring", "nvls"}) {
        const Json reference = weft::testing::run(dgx(algorithm, {first("reference_slice")}));
        const Json rtl = weft::testing::run(dgx(algorithm, {first("rtl_slice")}), 400);
        EXPECT_EQ(rtl.value("verified", ""), "passed") << rtl.dump();
        EXPECT_EQ(without_models(rtl), without_models(reference)) << algorithm;
        EXPECT_GT(l2_statistic(rtl, "dgx.0.xpu.0", "clocks"), 0);
        EXPECT_EQ(l2_statistic(rtl, "dgx.0.xpu.1", "clocks"), -1);
    }
}

TEST_F(SliceRtlRun, LockstepFindsNothing)
{
    const Json result = weft::testing::run(dgx("ring", {first("slice_lockstep")}), 400);
    EXPECT_EQ(result.value("exit_code", -1), 0) << result.dump();
    EXPECT_EQ(result.value("verified", ""), "passed");
}

}  // namespace slice_run_test
