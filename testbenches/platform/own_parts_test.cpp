// What Weft says and does around slices and memories that somebody registers and that read none of l2.* and hbm.*.
#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "platform/assembly/model_registry.h"
#include "platform/configuration/explain.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/result/report.h"
#include "platform/result/run_energy.h"
#include "sc_models/l2/l2_slice.h"
#include "sc_models/memory/hbm.h"
#include "sc_models/memory/memory_statistics.h"
#include "testbenches/platform/runs.h"

namespace own_parts_test {

using namespace weft;
using namespace weft::testing;

namespace {

const std::string ring = collective_lines("all_reduce", "ring", "65536");

// How the parts differ from Weft's, which are in them.
struct Own {
    std::string reads = "reads";  // name and unit of a statistic
    std::string hits = "hits";
    std::string unit = "lines";
    bool one_socket = false;
    unsigned partitions = 1;
};

void rename(std::vector<Statistic>& statistics, const std::string& from, const std::string& to, const std::string& unit)
{
    for (Statistic& statistic : statistics)
        if (statistic.name == from) statistic = {to, statistic.value, unit, statistic.text};
}

class OwnMemory final : public MemoryModel {
public:
    OwnMemory(EventQueue& event_queue, const MemoryRequest& request, Own own)
        : hbm_(event_queue, request), own_(std::move(own))
    {
    }
    LineTargetSocket& target(unsigned slice) override { return hbm_.target(own_.one_socket ? 0 : slice); }
    std::uint64_t responses(unsigned slice) const override { return hbm_.responses(slice); }
    void hold_contents(MemoryImage& image) override { hbm_.hold_contents(image); }
    std::vector<Statistic> statistics() const override
    {
        std::vector<Statistic> out = hbm_.statistics();
        rename(out, "reads", own_.reads, own_.unit);
        return out;
    }
    void reset_statistics() override { hbm_.reset_statistics(); }

private:
    Hbm hbm_;
    Own own_;
};

class OwnSlice final : public SliceModel {
public:
    OwnSlice(EventQueue& event_queue, const SliceRequest& request, Own own)
        : slice_(event_queue, request), own_(std::move(own))
    {
    }
    LineTargetSocket& target_of(unsigned partition) override { return slice_.target_of(partition); }
    LineInitiatorSocket& memory_of(unsigned partition) override { return slice_.memory_of(partition); }
    unsigned partitions() const override { return own_.partitions; }
    void set_input_rate(std::uint64_t rate, std::uint32_t header) override { slice_.set_input_rate(rate, header); }
    RateServers& inputs() override { return slice_.inputs(); }
    std::uint64_t hops() const override { return slice_.hops(); }
    FlagCounts flag_counts() const override { return slice_.flag_counts(); }
    std::vector<Statistic> statistics() const override
    {
        std::vector<Statistic> out = slice_.statistics();
        rename(out, "hits", own_.hits, own_.unit);
        return out;
    }
    void reset_statistics() override { slice_.reset_statistics(); }

private:
    L2Slice slice_;
    Own own_;
};

ModelRegistry registry_with(const Own& own)
{
    ModelRegistry registry;
    registry.add_memory(ModelDeclaration("own_memory", "a memory that declares to read nothing").with_reads({}),
        [own](const RunContext& context, const MemoryRequest& request) {
            return std::make_unique<OwnMemory>(context.event_queue, request, own);
        });
    registry.add_slice(ModelDeclaration("own_slice", "a slice that declares to read nothing").with_reads({}),
        [own](const RunContext& context, const SliceRequest& request) {
            return std::make_unique<OwnSlice>(context.event_queue, request, own);
        });
    return registry;
}

// A result, with its energy by a table of 1 pJ for each event of these names; or {"refused": text}.
Json run_own(const std::vector<std::string>& sets, const Own& own = {}, const std::string& algorithm = "ring")
{
    return Json::parse(in_timed_child(
        [&] {
            const ModelRegistry registry = registry_with(own);
            RunOptions options;
            options.progress = false;
            try {
                const ResolvedSystem system =
                    star_of_four(registry, sets, collective_lines("all_reduce", algorithm, "65536"));
                RunResult result = run_system(system, registry, options);
                EnergyTable table;
                for (const char* of : {"generic", "own_memory"})
                    table.read("t.yaml", std::string("hbm:\n  ") + of + ": {low: 1, high: 1}\n");
                for (const char* of : {"generic", "own_slice"})
                    table.read("t.yaml", std::string("l2:\n  ") + of + ": {low: 1, high: 1}\n");
                result.energy = energy_of_run(result, system, table);
                return result_json(result, false);
            } catch (const InputError& error) {
                return Json{{"refused", error.what()}}.dump();
            }
        },
        100));
}

bool has_notice(const ResolvedSystem& system, const std::string& part)
{
    for (const std::string& notice : system.notices)
        if (notice.find(part) != std::string::npos) return true;
    return false;
}

const Json* energy_part(const Json& result, const std::string& of, const std::string& kind)
{
    for (const Json& part : result.at("energy").at("parts"))
        if (part.at("of") == of && part.at("kind") == kind) return &part;
    return nullptr;
}

bool is_unknown(const Json& result, const std::string& text)
{
    const Json& unknown = result.at("energy").at("unknown");
    return std::find(unknown.begin(), unknown.end(), Json(text)) != unknown.end();
}

double counted(const Json& result, const std::string& kind, const std::vector<std::string>& names)
{
    double sum = 0;
    for (const Json& module : result.at("modules"))
        if (module.at("kind") == kind)
            for (const std::string& name : names) sum += module.at("stats").at(name).at("value").get<double>();
    return sum;
}

const std::vector<std::string> own_memory{"hbm.model=own_memory", "l2.size=64 KiB", "l2.slices=8", "l2.ways=4"};

std::vector<std::string> with(std::vector<std::string> sets, const std::string& more)
{
    sets.push_back(more);
    return sets;
}

}  // namespace

// Accesses of 64 B are what such a memory is promised.
TEST(OwnParts, WideTransactionsAreRefused)
{
    EXPECT_EQ(run_own(own_memory).at("verified"), "passed");
    for (const char* sets : {"hbm.model", "l2.model"}) {
        const std::string model = sets == std::string("hbm.model") ? "own_memory" : "own_slice";
        const Json result = run_own({std::string("*.xpu.2.") + sets + "=" + model, "engine.grain=128 B"});
        ASSERT_TRUE(result.contains("refused")) << sets;
        EXPECT_NE(result.at("refused").get<std::string>().find("engine.grain = 128 B with " + std::string(sets) + " " +
                      model + " of b.0.xpu.2, which has transactions of 64 B; expected a grain of 64 B"),
            std::string::npos)
            << result;
    }
}

// Figures of a profile are of its own parts: those of others have rows by the name of their model.
TEST(OwnParts, EnergyIsByModelAndFromStatisticsInLinesAlone)
{
    const Json memory = run_own(own_memory);
    EXPECT_EQ(energy_part(memory, "hbm", "generic"), nullptr);
    const Json* const part = energy_part(memory, "hbm", "own_memory");
    ASSERT_NE(part, nullptr) << memory.at("energy");
    EXPECT_GT(part->at("events").get<double>(), 0);
    EXPECT_EQ(part->at("events").get<double>(), 512 * counted(memory, "hbm", {"reads", "writes"}));
    EXPECT_NE(energy_part(memory, "l2", "generic"), nullptr);

    const Json slice = run_own({"l2.model=own_slice"});
    const Json* const cache = energy_part(slice, "l2", "own_slice");
    ASSERT_NE(cache, nullptr) << slice.at("energy");
    EXPECT_EQ(cache->at("events").get<double>(), 64 * counted(slice, "l2", {"hits", "misses", "far_hits", "merged"}));
    EXPECT_EQ(energy_part(slice, "l2", "generic"), nullptr);

    // Of one accelerator of four.
    const Json mixed = run_own(with({"*.xpu.1.hbm.model=own_memory"}, "l2.size=64 KiB"));
    EXPECT_NE(energy_part(mixed, "hbm", "generic"), nullptr);
    EXPECT_NE(energy_part(mixed, "hbm", "own_memory"), nullptr);
}

TEST(OwnParts, WhatTheyDoNotCountInLinesIsUnknown)
{
    Own in_bytes;
    in_bytes.unit = "B";
    Own elsewhere;
    elsewhere.reads = elsewhere.hits = "accesses";
    for (const auto& [own, of_memory, of_slice] :
        {std::tuple{in_bytes, "the model's statistic 'reads' is in B, not in lines",
             "the model's statistic 'hits' is in B, not in lines"},
            std::tuple{elsewhere, "the model has no statistic 'reads'", "the model has no statistic 'hits'"}}) {
        const Json memory = run_own(own_memory, own);
        EXPECT_EQ(energy_part(memory, "hbm", "own_memory"), nullptr);
        EXPECT_TRUE(is_unknown(memory, std::string("hbm own_memory: ") + of_memory)) << memory.at("energy");
        const Json slice = run_own({"l2.model=own_slice"}, own);
        EXPECT_EQ(energy_part(slice, "l2", "own_slice"), nullptr);
        EXPECT_TRUE(is_unknown(slice, std::string("l2 own_slice: ") + of_slice)) << slice.at("energy");
    }
}

// What Weft reads around a slice or a memory counts, and explain lists it.
TEST(OwnParts, ValuesThatWeftReadsAroundThemAreNotSaidToChangeNothing)
{
    const ModelRegistry registry = registry_with({});
    const std::vector<std::string> slice{"l2.model=own_slice"};
    const std::vector<std::string> memory{"hbm.model=own_memory"};
    const std::vector<std::string> behind = with(memory, "memory_side.size=4 MiB");
    struct Case {
        std::vector<std::string> sets;
        std::string parameter;
        std::string value;
        bool counts;
    };
    for (const Case& one : std::vector<Case>{{slice, "l2.slices", "8", true}, {slice, "l2.line", "128 B", true},
             {slice, "l2.partitions", "1", true}, {slice, "l2.latency", "61 ns", true},
             {slice, "l2.partition_policy", "private", false}, {slice, "l2.far_latency", "9 ns", false},
             {with(slice, "l2.partitions=2"), "l2.far_latency", "9 ns", true}, {slice, "l2.bandwidth", "5 TB/s", false},
             {slice, "l2.outstanding_misses", "8", false}, {memory, "hbm.capacity", "1 GiB", true},
             {memory, "hbm.channels", "16", false}, {behind, "hbm.channels", "16", true},
             {memory, "hbm.t_rcd", "20 ns", false}, {memory, "hbm.bandwidth", "1 TB/s", false}}) {
        const ResolvedSystem system = star_of_four(registry, with(one.sets, one.parameter + "=" + one.value), ring);
        EXPECT_EQ(has_notice(system, one.parameter + " is set and changes nothing"), !one.counts) << one.parameter;
        EXPECT_EQ(explain(system).find("    " + one.parameter + " ") != std::string::npos, one.counts) << one.parameter;
    }
    const ResolvedSystem chosen =
        star_of_four(registry, with(memory, "hbm.t_rcd=20 ns"), collective_lines("all_reduce", "auto", "65536"));
    EXPECT_FALSE(has_notice(chosen, "hbm.t_rcd")) << "the estimate of a cold read has it";
}

// A slice of ours whose server is no faster makes the port in front of it superfluous; nobody knows that of another.
TEST(OwnParts, TheNetworksRateOfASliceHoldsInFrontOfThem)
{
    const auto account = [](const std::vector<std::string>& sets) {
        const Json result = run_own(sets);
        for (const Json& module : result.at("modules"))
            if (module.at("kind") == "network") return module.at("stats").dump();
        return std::string();
    };
    const std::vector<std::string> sets{"l2.bandwidth=640 GB/s", "network.slice_rate=64 GB/s"};
    EXPECT_NE(account(with(sets, "l2.model=own_slice")), account(sets));
}

// Nor is l2.bandwidth a bound of theirs.
TEST(OwnParts, ARunIsNotBoundByAParameterThatTheyDoNotRead)
{
    const std::vector<std::string> slow{"l2.bandwidth=32 GB/s"};
    EXPECT_EQ(run_own(slow).at("bound_by").at("parameter"), "l2.bandwidth");
    EXPECT_FALSE(run_own(with(slow, "l2.model=own_slice")).contains("bound_by"));
}

TEST(OwnParts, SocketsThatDoNotFitAreToldInOneLine)
{
    EXPECT_EQ(run_own({"l2.model=own_slice", "l2.partitions=2"}).at("refused"),
        "b.0.xpu.0: l2.model own_slice has slices of 1 partition, and l2.partitions = 2, which are mirrored in "
        "each slice; expected l2.partitions = 1, or SliceModel::partitions() of 2");
    Own two;
    two.partitions = 2;
    EXPECT_EQ(run_own({"l2.model=own_slice", "l2.partitions=2"}, two).at("verified"), "passed");
    const std::string refused = run_own({"l2.model=own_slice"}, two).at("refused");
    EXPECT_NE(refused.find("l2.model own_slice has slices of 2 partitions, and l2 has no mirrored ones; expected "
                           "l2.partitions = 2, or SliceModel::partitions() of 1"),
        std::string::npos)
        << refused;
    Own one;
    one.one_socket = true;
    const std::string shared = run_own({"hbm.model=own_memory"}, one).at("refused");
    EXPECT_NE(shared.find("b.0.xpu.0: hbm.model own_memory has the same socket for slices 0 and 1, of 32 in front of "
                          "it; expected a target(s) of its own for each slice"),
        std::string::npos)
        << shared;
}

// Alpha-beta and estimates are of Weft's models.
TEST(OwnParts, FiguresThatKnowNothingOfThemSaySo)
{
    const std::string slices = "L2 slices of model 'own_slice' (l2.latency stands for theirs)";
    const std::string memories = "memory model 'own_memory' (hbm.* stands for it)";
    const auto told = [](const Json& result, const std::string& text) {
        return std::count(result.at("notices").begin(), result.at("notices").end(), Json(text)) == 1;
    };
    const Json formula = run_own({"l2.model=own_slice", "l2.latency=20 us"});
    EXPECT_TRUE(told(formula, "alpha-beta knows nothing of " + slices)) << formula.at("notices");
    EXPECT_FALSE(told(run_own(own_memory), "alpha-beta knows nothing of " + memories));
    const Json chosen = run_own({"l2.model=own_slice", "hbm.model=own_memory"}, {}, "auto");
    EXPECT_TRUE(told(chosen, "the estimates of algorithms know nothing of " + slices + " and " + memories))
        << chosen.at("notices");
    EXPECT_EQ(run_own({}).at("notices").dump().find("knows nothing"), std::string::npos);
    // A figure that is far off has no other reason to give.
    const Json apart = run_own({"l2.model=own_slice", "hbm.model=own_memory", "hbm.request_latency=50 us"});
    ASSERT_FALSE(apart.at("disagreements").empty());
    EXPECT_NE(apart.at("disagreements")[0].get<std::string>().find(": alpha-beta knows nothing of " + slices),
        std::string::npos)
        << apart.at("disagreements");
}

}  // namespace own_parts_test
