// Blocks behind pins in runs that are cut: each is in one part with its neighbours. Models that need the kernel are refused.
#include <filesystem>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <systemc>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "platform/result/report.h"
#include "sc_models/memory/hbm.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/parallel/launcher.h"
#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/same_bytes.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/pools_document.h"
#include "testbenches/support/scratch_folder.h"
#include "tlm_interconnect/card/network_card.h"

namespace blocks_parts_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Pods of two GPUs behind a switch; blocks are in the pods.
RunSetup pods(const std::string& algorithm, const std::string& bind = "")
{
    RunSetup setup;
    setup.document = pods_document(3, 2, 1, 50, 300);
    setup.lines = collective_lines("all_reduce", algorithm, "16384") + (bind.empty() ? "" : "bind:\n" + bind);
    setup.sets = {"switch.clock=500ps", "switch.multicast_groups=0", "link.request_credits=8",
        "link.response_credits=8"};
    return setup;
}

std::string switch_of(unsigned pod, const std::string& model)
{
    return "- {nodes: \"p." + std::to_string(pod) + ".sw.0\", model: " + model + "}\n";
}

RunSetup slices(const std::string& gpus, const std::string& model)
{
    return pods("direct")
        .with("l2.partitions=1")
        .with("l2.line=64")
        .with("l2.size=16MiB")
        .with(gpus + ".l2.model=" + model);
}

using BlocksProcesses = OverProcesses;

struct RtlProcesses : ShortRtlTest {
    void SetUp() override
    {
        ShortRtlTest::SetUp();
        if (const std::string missing = missing_launcher(); !IsSkipped() && !missing.empty()) GTEST_SKIP() << missing;
    }
};

// A switch with a process of the kernel inside.
struct Clockwork : sc_core::sc_module {
    SC_HAS_PROCESS(Clockwork);
    explicit Clockwork(sc_core::sc_module_name name) : sc_module(name) { SC_METHOD(tick); }
    void tick() {}
};

// A part of a switch that ends the run after 1 us.
struct Failing final : TimedComponent {
    enum class By { exception, error, fatal };
    Failing(EventQueue& queue, const std::string& path, By by) : TimedComponent(queue, path), by_(by)
    {
        queue.schedule(item_, *this, 1'000'000);
    }
    void run(ScheduledItem&) override
    {
        if (by_ == By::error) SC_REPORT_ERROR("switch of a test", "it fails");
        if (by_ == By::fatal) SC_REPORT_FATAL("switch of a test", "it fails");
        throw std::runtime_error("it fails");
    }

    By by_;
    ScheduledItem item_;
};

ModelRegistry registry_with(const std::string& name, bool declares, bool process)
{
    ModelRegistry registry;
    ModelDeclaration declaration(name, "a switch of a test");
    if (declares) declaration.without_kernel();
    registry.add_switch(declaration, [process](const RunContext& context, const SwitchRequest& request) {
        if (process) new Clockwork("clockwork");  // stays to the end of the process
        return make_switch(request.module_name.c_str(), context.event_queue, request.path,
            request.parameters.get<SwitchSpec>(), request.ports, request.routes);
    });
    return registry;
}

// The result, or why the run is refused.
std::string outcome_of(const RunSetup& setup, const ModelRegistry& registry, std::uint32_t parts)
{
    KnownNames known;
    known.models = registry.names_by_kind();
    known.blocks = registry.blocks();
    const ResolvedSystem system = resolve_setup(setup, known);
    RunOptions options;
    options.partitions = parts;
    options.progress = false;
    try {
        return result_json(run_system(system, registry, options), false);
    } catch (const InputError& error) {
        return std::string("refused: ") + error.what();
    }
}

std::string outcome_of_own(bool declares, bool process, std::uint32_t parts)
{
    return in_timed_child(
        [=] { return outcome_of(pods("ring", switch_of(1, "own")), registry_with("own", declares, process), parts); },
        100);
}

std::string problems_of(Failing::By by, std::uint32_t parts)
{
    return in_timed_child(
        [=] {
            // That of the tests takes each report as a failure of theirs.
            sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler);
            ModelRegistry registry;
            registry.add_switch(ModelDeclaration("own", "a switch of a test").without_kernel(),
                [by](const RunContext& context, const SwitchRequest& request) {
                    new Failing(context.event_queue, request.path + ".failing", by);  // stays to the end of the process
                    return make_switch(request.module_name.c_str(), context.event_queue, request.path,
                        request.parameters.get<SwitchSpec>(), request.ports, request.routes);
                });
            const std::string result = outcome_of(pods("ring", switch_of(1, "own")), registry, parts);
            if (result.substr(0, 1) != "{") return result;
            const auto json = nlohmann::json::parse(result);
            return json["stop"].get<std::string>() + " " + json["problems"].dump();
        },
        100);
}

// A memory node whose DRAM is a model of a test.
std::string outcome_of_pool(bool declares, std::uint32_t parts)
{
    return in_timed_child(
        [=] {
            const chakra::testing::Folder folder;
            const std::string read = chakra::testing::NodeText(1, 2, "m").integer("tensor_size", 4096);
            RunSetup setup;
            setup.document = pools_document(1);
            setup.lines = "profile: generic\n" + trace_lines(folder.write_set({{read}, {read}}));
            setup.sets = {"engine.memory_nodes=remote", "box.0.pool.0.hbm.model=own"};
            ModelRegistry registry;
            ModelDeclaration declaration("own", "a memory of a test");
            if (declares) declaration.without_kernel();
            registry.add_memory(declaration, [](const RunContext& context, const MemoryRequest& request) {
                return std::make_unique<Hbm>(context.event_queue, request);
            });
            return outcome_of(setup, registry, parts);
        },
        100);
}

}  // namespace

TEST(BlocksParts, Switches)
{
    expect_same(pods("ring", switch_of(1, "reference_switch")), {2, 3}, "a switch");
    expect_same(pods("direct", switch_of(0, "reference_switch") + switch_of(2, "reference_switch")), {2, 3},
        "switches");
}

TEST_F(BlocksProcesses, Switches)
{
    expect_same_over({2, 3}, pods("direct", switch_of(0, "reference_switch") + switch_of(2, "reference_switch")),
        "switches");
}

TEST(BlocksParts, Links)
{
    const std::string link = "p.1.xpu.0~p.1.sw.0.link.";
    expect_same(pods("direct").with("link.flit=16").with(link + "model=reference_link"), {2, 3}, "a link");
}

TEST_F(BlocksProcesses, Links)
{
    const std::string link = "p.2.xpu.0~p.2.sw.0.link.";
    expect_same_over({2}, pods("direct").with("link.flit=16").with(link + "model=reference_link"), "a link");
}

TEST(BlocksParts, Slices)
{
    expect_same(slices("p.1.xpu.1", "reference_slice"), {2, 3}, "slices of a GPU");
    expect_same(slices("*", "reference_slice"), {3}, "all slices");
}

TEST_F(BlocksProcesses, Slices) { expect_same_over({2}, slices("*", "reference_slice"), "all slices"); }

// A block that all GPUs have a link to keeps all of them together.
TEST(BlocksParts, AreNotCutFromTheirNeighbours)
{
    RunSetup setup = pods("ring", "- {nodes: b.0.sw.0, model: reference_switch}\n");
    setup.document = star_document(4);
    const std::string refused = refusal_of(setup, 2);
    EXPECT_NE(refused.find("cannot be cut: model reference_switch of b.0.sw.0"), std::string::npos) << refused;
}

TEST_F(RtlProcesses, RtlInOneProcess)
{
    expect_same_over({2}, pods("ring", switch_of(1, "switch_lockstep")), "RTL in the last process");
}

// A fault of a block in another process is told by process 0, which writes the waveform.
TEST_F(RtlProcesses, AFaultIsTold)
{
    const test::ScratchFolder folder;
    std::filesystem::copy(WEFT_SOURCE_DIR "/rtl", folder.file("rtl"), std::filesystem::copy_options::recursive);
    const std::string file = folder.file("rtl/switch/weft_switch.sv");
    std::string text = read_text_file(file);
    const std::string right = "sent_data[o] = read_data[i];";
    const std::size_t at = text.find(right);
    ASSERT_NE(at, std::string::npos);
    write_text_file(file,
        text.replace(at, right.size(),
            "sent_data[o] = read_data[i] ^ (WIDTH'(read_data[i][126:103] == 24'd7) << 200);"));
    ::setenv("WEFT_RTL_DIR", folder.file("rtl").c_str(), 1);
    const commands_test::Fixtures files;
    const std::string wave = folder.file("fault.fst");
    const Written out = written_by(2, pods("ring", switch_of(2, "switch_lockstep")), files, {"--fault-wave", wave});
    ::unsetenv("WEFT_RTL_DIR");
    EXPECT_EQ(out.code, 1) << out.text << out.err;
    EXPECT_NE(out.text.find("p.2.sw.0: clock "), std::string::npos) << out.text;
    EXPECT_TRUE(std::filesystem::exists(wave));
}

TEST(BlocksParts, ModelsSayThatTheyNeedNoKernel)
{
    const std::string whole = outcome_of_own(true, false, 1);
    EXPECT_EQ(difference(whole, outcome_of_own(true, false, 3)), "");
    const std::string refused = outcome_of_own(false, false, 3);
    EXPECT_NE(
        refused.find("a run in parts with model own of p.1.sw.0; expected a model that declares without_kernel()"),
        std::string::npos)
        << refused;
}

TEST(BlocksParts, ModelsOfMemoryNodesSayThatTheyNeedNoKernel)
{
    const std::string whole = outcome_of_pool(true, 1);
    EXPECT_EQ(whole.substr(0, 1), "{") << whole;
    EXPECT_EQ(difference(whole, outcome_of_pool(true, 2)), "");
    EXPECT_EQ(outcome_of_pool(false, 1).substr(0, 1), "{");
    const std::string refused = outcome_of_pool(false, 2);
    EXPECT_NE(refused.find("a run in parts with model own of box.0.pool.0.hbm; expected a model that declares "
                           "without_kernel()"),
        std::string::npos)
        << refused;
}

// As a whole the kernel makes a report of all that is thrown; in parts exceptions were "internal error", without a result, and errors
// had the time of the end of the window.
TEST(BlocksParts, WhatModelsThrowEndsTheRunAsItDoesTheWhole)
{
    for (const Failing::By by : {Failing::By::exception, Failing::By::error, Failing::By::fatal})
        for (const std::uint32_t parts : {1U, 2U, 3U})
            EXPECT_EQ(problems_of(by, parts), "wrong [\"it fails, at 1000000 ps\"]")
                << static_cast<int>(by) << " in " << parts;
}

TEST(BlocksParts, AProcessOfTheKernelIsFound)
{
    EXPECT_EQ(outcome_of_own(true, true, 1).substr(0, 1), "{");
    const std::string refused = outcome_of_own(true, true, 3);
    EXPECT_NE(refused.find("clockwork.tick is a process of the SystemC kernel"), std::string::npos) << refused;
}

}  // namespace blocks_parts_test
