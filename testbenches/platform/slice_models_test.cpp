// A model of a slice of an L2 that somebody registers: l2.model chooses it, its own parameters and statistics are those
// of any model.
#include <gtest/gtest.h>

#include "platform/assembly/model_registry.h"
#include "platform/configuration/explain.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/result/report.h"
#include "sc_models/l2/l2_slice.h"
#include "sc_models/memory/memory_statistics.h"
#include "testbenches/platform/runs.h"

namespace slice_models_test {

using namespace weft;
using namespace weft::testing;

namespace {

const std::string ring = collective_lines("all_reduce", "ring", "65536");

struct LateSpec {
    std::uint64_t extra = 0;  // ps

    static const ParameterTable<LateSpec>& parameters()
    {
        static const ParameterTable<LateSpec> table({"late", BlockOwner::endpoint, "a slice that answers later"},
            {{{"extra", Unit::time, 0, 1'000'000, "added to l2.latency", {}}, &LateSpec::extra}});
        return table;
    }
};

// A slice of ours whose latency is that of the L2 and more.
void add_late(ModelRegistry& registry, const StatisticTable& statistics)
{
    registry.add_slice(
        ModelDeclaration("late_slice", "answers later").with_parameters<LateSpec>().with_statistics(statistics),
        [](const RunContext& context, const SliceRequest& request) {
            L2Spec spec = request.parameters.get<L2Spec>();
            spec.latency += request.parameters.value("late.extra");
            return std::make_unique<L2Slice>(request.module_name.c_str(), context.event_queue, request.path, spec,
                request.index, request.image, request.pool, request.endpoint);
        });
}

Json run_with(const std::vector<std::string>& sets, const StatisticTable& statistics = l2_slice_statistics())
{
    return Json::parse(in_timed_child(
        [&] {
            ModelRegistry registry;
            add_late(registry, statistics);
            RunOptions options;
            options.progress = false;
            try {
                return result_json(run_system(star_of_four(registry, sets, ring), registry, options), false);
            } catch (const std::exception& error) {
                return Json{{"error", error.what()}}.dump();
            }
        },
        100));
}

std::uint64_t time_of(const std::vector<std::string>& sets) { return run_with(sets).at("simulated_ps"); }

std::string refusal(const std::vector<std::string>& sets)
{
    ModelRegistry registry;
    add_late(registry, l2_slice_statistics());
    try {
        star_of_four(registry, sets, ring);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(SliceModels, AModelOfTheRegistryTakesThePlaceOfOurs)
{
    const std::uint64_t ours = time_of({});
    EXPECT_EQ(time_of({"l2.model=late_slice"}), ours);
    const std::uint64_t late = time_of({"l2.model=late_slice", "late.extra=40ns"});
    EXPECT_GT(late, ours);
    EXPECT_EQ(late, time_of({"l2.latency=100ns"}));  // 60 ns and 40 ns
    // One GPU of the four.
    const std::uint64_t one = time_of({"*.xpu.0.l2.model=late_slice", "late.extra=40ns"});
    EXPECT_GT(one, ours);
    EXPECT_LT(one, late);
}

TEST(SliceModels, ResultsAndPartitionsNameTheModel)
{
    const Json result = run_with({"l2.model=late_slice", "l2.partitions=2", "*.xpu.1.l2.model=slice"});
    ASSERT_TRUE(result.contains("modules")) << result;
    unsigned of_late = 0;
    unsigned of_gpu = 0;
    for (const Json& module : result["modules"]) {
        if (module["kind"] != "l2") continue;
        of_late += module["model"] == "late_slice" ? 1 : 0;
        of_gpu += module["model"] == "gpu" ? 1 : 0;
    }
    EXPECT_EQ(of_late, 3U);
    EXPECT_EQ(of_gpu, 1U);
}

TEST(SliceModels, StatisticsThatAreNotDeclaredEndTheRun)
{
    StatisticTable fewer = l2_slice_statistics();
    fewer.pop_back();
    const Json result = run_with({"l2.model=late_slice"}, fewer);
    EXPECT_NE(result.dump().find("l2 model late_slice"), std::string::npos) << result;
}

TEST(SliceModels, ExplainAndMessagesKnowThem)
{
    ModelRegistry registry;
    add_late(registry, l2_slice_statistics());
    const std::string some = explain(star_of_four(registry, {"*.xpu.2.l2.model=late_slice", "late.extra=40ns"}, ring));
    EXPECT_NE(some.find("late_slice"), std::string::npos);
    const std::size_t at = some.find("late.extra");
    ASSERT_NE(at, std::string::npos) << some;
    EXPECT_EQ(some.find("late.extra", at + 1), std::string::npos) << some;

    const ResolvedSystem idle = star_of_four(registry, {"late.extra=40ns"}, ring);
    ASSERT_FALSE(idle.notices.empty());
    EXPECT_EQ(idle.notices.back(),
        "late.extra is set and changes nothing: it belongs to model late_slice, but none of the slices for which it is "
        "set has that model");

    EXPECT_EQ(refusal({"l2.model=late_slic"}),
        "--set: 'late_slic' is not a value of l2.model; expected one of slice, reference_slice, rtl_slice, "
        "slice_lockstep, "
        "late_slice (did you mean 'late_slice'?)");
    EXPECT_EQ(refusal({"l2.model=crossbar"}),
        "--set: 'crossbar' is not a value of l2.model; expected --model 'GLOB=crossbar', since it is a switch; a slice "
        "is one of slice, reference_slice, rtl_slice, slice_lockstep, late_slice");
}

}  // namespace slice_models_test
