// Whole runs with wide transactions (engine.grain): right results, the same bytes, and a clear line where there can be none.
#include <tuple>

#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace grain_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup box(const std::string& op, const std::string& algorithm, const std::string& bytes)
{
    RunSetup setup{star_document(4), collective_lines(op, algorithm, bytes),
        {"link.merge=none", "link.max_payload=256 B"}, {}, {}, {}};
    setup.options.progress = false;
    setup.options.check_protocol = true;
    return setup;
}

std::uint64_t payload_of(const Json& result)
{
    std::uint64_t sum = 0;
    for (const Json& link : result.at("links"))
        sum += link.at("payload_bytes").get<std::uint64_t>() - link.at("flag_bytes").get<std::uint64_t>();
    return sum;
}

std::string refused(const RunSetup& setup)
{
    const Json result = run(setup);
    return result.contains("refused") ? result.at("refused").get<std::string>() : "not refused";
}

}  // namespace

TEST(Grain, EveryGrainIsVerifiedAndMovesTheSameBytes)
{
    for (const char* algorithm : {"ring", "direct", "tree"}) {
        // 1000 B a rank: transactions that begin and end within lines.
        for (const char* bytes : {"262144", "100000"}) {
            // By default whole lines in a ring alone.
            if (!weft::test::thorough() && bytes == std::string("262144") && algorithm != std::string("ring")) continue;
            const RunSetup setup = box("all_reduce", algorithm, bytes);
            const Json lines = run(setup);
            EXPECT_EQ(lines.at("grain"), 64);
            for (const char* grain : {"128 B", "256 B", "512 B"}) {
                const Json wide = run(setup.with(std::string("engine.grain=") + grain));
                EXPECT_EQ(wide.at("verified"), "passed") << algorithm << grain;
                EXPECT_EQ(wide.at("stop"), "finished");
                EXPECT_EQ(std::to_string(wide.at("grain").get<int>()) + " B", grain);
                EXPECT_EQ(wide.at("protocol").at("violations"), 0);
                EXPECT_NE(wide.at("simulated_ps"), lines.at("simulated_ps")) << algorithm << grain;
            }
        }
    }
}

TEST(Grain, EveryMoverMovesWideTransactions)
{
    for (const char* mover : {"units", "copy_engine", "bulk"}) {
        const RunSetup setup = box("all_gather", "direct", "262144").with(std::string("engine.mover=") + mover);
        const Json lines = run(setup);
        const Json wide = run(setup.with("engine.grain=512 B"));
        EXPECT_EQ(wide.at("verified"), "passed") << mover;
        EXPECT_EQ(wide.at("protocol").at("violations"), 0);
        // Flags apart: how often they are polled follows the times.
        EXPECT_EQ(payload_of(wide) / 4096, payload_of(lines) / 4096) << mover;
    }
}

TEST(Grain, OtherPartsOfAGpuWorkWithIt)
{
    for (const char* set : {"l2.contents=cached", "network.kind=mesh", "l2.line=128 B", "l2.merges=2",
             "gpu.outstanding=24", "l2.outstanding_misses=4", "link.merge=adjacent", "link.merge=none",
             "network.header=8 B", "link.credit_bytes=16 B", "routing.path_selection=round_robin", "link.vcs=shared",
             "l1.size=64 KiB", "engine.protocol=ll128", "hbm.model=hbm"}) {
        const std::string bytes = weft::test::thorough() ? "131072" : "65536";
        const Json wide = run(box("all_reduce", "ring", bytes).with("engine.grain=512 B").with(set));
        ASSERT_FALSE(wide.contains("refused")) << wide.at("refused");
        EXPECT_EQ(wide.at("verified"), "passed") << set;
        EXPECT_EQ(wide.at("protocol").at("violations"), 0) << set;
    }
}

TEST(Grain, ARunTwiceGivesTheSameBytes)
{
    const RunSetup setup = box("all_to_all", "direct", "65536").with("engine.grain=256 B");
    EXPECT_EQ(run(setup).dump(), run(setup).dump());
}

TEST(Grain, WhatHasOnlyLinesIsRefusedByName)
{
    const RunSetup setup = box("all_reduce", "ring", "65536").with("engine.grain=256 B");
    for (const auto& [set, part] : std::vector<std::pair<std::string, std::string>>{
             {"link.retry=go_back_n", "link.retry of"}, {"link.pool_credits=8", "link.pool_credits of"},
             {"link.bundle=2", "link.bundle = 2 of"}, {"link.request_credits=3", "3 request credits"},
             {"l2.model=reference_slice", "l2.model reference_slice of"},
             {"memory_side.size=1 MiB", "the memory-side cache of"}})
        EXPECT_NE(refused(setup.with(set)).find("engine.grain = 256 B with " + part), std::string::npos)
            << set << ": " << refused(setup.with(set));
    const RunSetup clocked = setup.with("link.model=reference_link").with("link.flit=16 B");
    EXPECT_NE(refused(clocked).find("engine.grain = 256 B with model reference_link of"), std::string::npos)
        << refused(clocked);
    // At the place of the last word on it.
    EXPECT_EQ(refused(setup.with("memory_side.size=1 MiB")).find("--set: engine.grain = 256 B with the memory-side"),
        0u)
        << refused(setup.with("memory_side.size=1 MiB"));
    RunSetup watched = setup;
    watched.options.watch = true;
    EXPECT_NE(refused(watched).find("engine.grain = 256 B with --watch"), std::string::npos) << refused(watched);
    watched = setup;
    watched.options.record = true;
    EXPECT_NE(refused(watched).find("engine.grain = 256 B with --record"), std::string::npos) << refused(watched);
    EXPECT_NE(refused(setup.with("engine.grain=192 B")).find("not a power of 2"), std::string::npos);
}

// Fills that carry contents go line by line: other accesses of DRAM than those of tags alone.
TEST(Grain, ContentsInCachesAreToldToChangeTimes)
{
    const RunSetup flat = box("all_gather", "direct", "65536").with("l2.contents=flat");
    const RunSetup cached = box("all_gather", "direct", "65536").with("l2.contents=cached");
    EXPECT_EQ(run(flat).at("simulated_ps"), run(cached).at("simulated_ps"));
    const auto told = [](const Json& result) {
        return result.at("notices").dump().find("not those of l2.contents = flat") != std::string::npos;
    };
    const Json wide_flat = run(flat.with("engine.grain=512 B"));
    const Json wide_cached = run(cached.with("engine.grain=512 B"));
    EXPECT_NE(wide_flat.at("simulated_ps"), wide_cached.at("simulated_ps"));
    EXPECT_FALSE(told(wide_flat));
    EXPECT_TRUE(told(wide_cached)) << wide_cached.at("notices");
}

// A transaction that takes more than there is would be let through, and the limit would be another one than at 64 B.
TEST(Grain, ALimitThatATransactionExceedsIsRefusedByName)
{
    const RunSetup setup = box("all_gather", "direct", "65536").with("engine.grain=256 B");
    const RunSetup copies = setup.with("engine.mover=copy_engine");
    const RunSetup bulk = setup.with("engine.mover=bulk");
    const RunSetup ports = setup.with("engine.channel=port");
    for (const auto& [run_of, set, named] : std::vector<std::tuple<RunSetup, std::string, std::string>>{
             {setup, "gpu.outstanding=3", "gpu.outstanding = 3"}, {copies, "copy.in_flight=3", "copy.in_flight = 3"},
             {ports, "copy.in_flight=1", "copy.in_flight = 1"}, {bulk, "bulk.in_flight=2", "bulk.in_flight = 2"}}) {
        const std::string text = refused(run_of.with(set));
        EXPECT_NE(text.find("engine.grain = 256 B with " + named + " of "), std::string::npos) << set << ": " << text;
        EXPECT_NE(text.find(", where a transaction takes 4"), std::string::npos) << text;
    }
    // Sums are the units', whoever copies.
    EXPECT_NE(refused(box("all_reduce", "direct", "65536")
                          .with("engine.grain=256 B")
                          .with("engine.mover=copy_engine")
                          .with("gpu.outstanding=3"))
                  .find("gpu.outstanding = 3 of "),
        std::string::npos);
    // As many as a transaction has, and limits of what moves nothing.
    for (const RunSetup& allowed : {setup.with("gpu.outstanding=4").with("copy.in_flight=1").with("bulk.in_flight=1"),
             copies.with("copy.in_flight=4").with("bulk.in_flight=1"), ports.with("copy.in_flight=4"),
             bulk.with("bulk.in_flight=4").with("copy.in_flight=1"), copies.with("gpu.outstanding=1"),
             bulk.with("gpu.outstanding=1")})
        EXPECT_EQ(run(allowed).at("verified"), "passed");
}

}  // namespace grain_test
