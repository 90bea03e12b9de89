// A TLM-2.0 memory of somebody else, in a shared library, as the DRAM of the GPUs.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/plugin/built_examples.h"

using namespace weft::plugin_test;

namespace {

nlohmann::json run_with(const std::vector<std::string>& sets)
{
    std::vector<std::string> arguments{"run", "examples/clos_8/system.yaml", "--collective", "all_reduce", "--bytes",
        "32KiB", "--plugin", built_examples().lt_memory, "--set", "hbm.capacity=4MiB", "--check-protocol", "--json",
        "-"};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    const auto outcome = weft::plugin_test::weft(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    nlohmann::json result = nlohmann::json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(result.is_discarded()) << outcome.out << outcome.err;
    return result;
}

// The L2 keeps few lines: results go to memory and come back.
const std::vector<std::string> small_cached{"l2.contents=cached", "l2.size=64KiB", "l2.slices=8", "l2.ways=4"};

std::vector<std::string> with(std::vector<std::string> more)
{
    more.insert(more.end(), small_cached.begin(), small_cached.end());
    return more;
}

}  // namespace

// Its bytes are what the run verifies.
TEST(PluginMemory, HoldsTheBytesOfACollective)
{
    for (const std::string model : {"lt_memory", "lt_memory_calls", "lt_memory_dmi"}) {
        const nlohmann::json result = run_with(with({"hbm.model=" + model}));
        EXPECT_EQ(result["verified"], "passed") << model;
        double accesses = 0;
        for (const nlohmann::json& module : result["modules"])
            if (module["kind"] == "hbm") {
                EXPECT_EQ(module["model"], model);
                const auto value = [&](const char* name) { return module["stats"][name]["value"].get<double>(); };
                accesses += value("reads") + value("writes");
                // 64 threads make some wait.
                if (model == "lt_memory")
                    EXPECT_GT(value("mean_latency"), 100'000.0);
                else
                    EXPECT_EQ(value("mean_latency"), 100'000.0);
            }
        EXPECT_GT(accesses, 0.0) << model;
    }
}

TEST(PluginMemory, ItsLatencyMovesTheTime)
{
    const auto time = [](const std::string& read, const std::string& model) {
        return run_with(with({"hbm.model=" + model, "lt_memory.read=" + read}))["simulated_ps"].get<std::uint64_t>();
    };
    const std::uint64_t slow = time("400ns", "lt_memory_calls");
    EXPECT_LT(time("100ns", "lt_memory_calls"), slow);
    EXPECT_EQ(time("400ns", "lt_memory_dmi"), slow);
}

// The example reads hbm.capacity alone.
TEST(PluginMemory, ExplainListsWhatItReadsAndANoticeNamesTheRest)
{
    const auto explained = weft::plugin_test::weft({"explain", "examples/clos_8/system.yaml", "--plugin",
        built_examples().lt_memory, "--set", "hbm.model=lt_memory_dmi", "--set", "hbm.t_rcd=20ns"});
    EXPECT_EQ(explained.code, 0) << explained.err;
    for (const std::string part : {"    hbm.capacity ", "    hbm.model ", "    lt_memory.read "})
        EXPECT_NE(explained.out.find(part), std::string::npos) << part << explained.out;
    EXPECT_EQ(explained.out.find("    hbm.t_rcd "), std::string::npos) << explained.out;
    EXPECT_NE(explained.out.find("hbm.t_rcd is set and changes nothing: no model of the memories that it was set for "
                                 "reads it"),
        std::string::npos)
        << explained.out;
    // Ours reads it.
    const auto ours = weft::plugin_test::weft({"explain", "examples/clos_8/system.yaml", "--set", "hbm.t_rcd=20ns"});
    EXPECT_NE(ours.out.find("    hbm.t_rcd "), std::string::npos);
    EXPECT_EQ(ours.out.find("changes nothing"), std::string::npos) << ours.out;
}

TEST(PluginMemory, IsListedAndRefusedLikeAnyModel)
{
    const auto models = weft::plugin_test::weft({"models", "memory", "--plugin", built_examples().lt_memory});
    EXPECT_EQ(models.code, 0) << models.err;
    for (const std::string part : {"\n  model hbm ", "\n  model lt_memory_dmi ", "\n  lt_memory: a memory with fixed",
             "statistics of NODE.hbm of model lt_memory"})
        EXPECT_NE(models.out.find(part), std::string::npos) << part << "\n" << models.out;
    const auto wrong = weft::plugin_test::weft({"run", "examples/clos_8/system.yaml", "--plugin",
        built_examples().lt_memory, "--set", "hbm.model=lt_memory_dma"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.err.find("'lt_memory_dma' is not a value of hbm.model; expected one of hbm, lt_memory, "
                             "lt_memory_calls, lt_memory_dmi (did you mean 'lt_memory_dmi'?)"),
        std::string::npos)
        << wrong.err;
    const auto flow = weft::plugin_test::weft({"run", "examples/clos_8/system.yaml", "--fidelity", "flow", "--plugin",
        built_examples().lt_memory, "--set", "hbm.model=lt_memory_dmi"});
    EXPECT_EQ(flow.code, 2);
    EXPECT_NE(flow.err.find("memory model 'lt_memory_dmi'"), std::string::npos) << flow.err;
}
