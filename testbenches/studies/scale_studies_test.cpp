// What the studies of large systems say, on small versions of them, at flow fidelity.
#include <algorithm>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/process.h"
#include "testbenches/support/scratch_folder.h"

namespace scale_studies_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

// A folder in which commands of a study's shell functions have been carried out.
class StudyFolder {
public:
    StudyFolder(const std::string& file, const std::string& commands)
    {
        const std::string script = "cd " + folder_.path() +
            " && weft=" WEFT_PROGRAM " && . " WEFT_SOURCE_DIR "/examples/" + file + " && " + commands;
        EXPECT_EQ(std::system(("bash -c '" + script + "'").c_str()), 0);
    }

    // Times in ps by the values of the keys, joined by blanks. `systems`: files of this folder.
    std::map<std::string, double> times(const std::vector<std::string>& systems,
        const std::vector<std::string>& more) const
    {
        std::string over = "system=";
        for (const std::string& system : systems) over += (over.back() == '=' ? "" : ",") + folder_.file(system);
        std::vector<std::string> arguments{"sweep", "--over", over, "--json", "-"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        std::map<std::string, double> out;
        const json table = json::parse(outcome.out, nullptr, false);
        if (!table.is_object()) return out;
        for (const json& point : table["points"]) {
            std::string name;
            for (const json& key : table["keys"]) {
                const auto value = point["parameters"][key.get<std::string>()].get<std::string>();
                name += (name.empty() ? "" : " ") + value.substr(value.rfind('/') + 1);
            }
            out[name] = point["time_ps"].get<double>();
        }
        return out;
    }

private:
    weft::test::ScratchFolder folder_;
};

}  // namespace

TEST(StudyScaleUp, AnAllToAllGainsWithTheDomainThatHoldsAllOfIt)
{
    const StudyFolder folder("study_scale_up/domains.sh", "domains 32 8 8 && domains 32 16 16 && domains 32 32 32");
    const auto times = folder.times({"8", "16", "32"},
        {"--fidelity", "flow", "--collective", "all_to_all", "--algorithm", "direct", "--over", "bytes=64MiB"});
    // Bytes that leave the domain over the rate outside: a bound, and what decides.
    const auto bound = [](double domain) { return (32 - domain) / 32 * (64 << 20) / 50e9 * 1e12; };
    EXPECT_GT(times.at("8 64MiB"), bound(8));
    EXPECT_LT(times.at("8 64MiB"), 1.2 * bound(8));
    EXPECT_GT(times.at("16 64MiB"), bound(16));
    EXPECT_LT(times.at("16 64MiB"), times.at("8 64MiB"));
    EXPECT_LT(times.at("32 64MiB"), 0.3 * times.at("16 64MiB"));
}

TEST(StudyScaleUp, AnAllReduceGainsLittleBeyondAFewAccelerators)
{
    const StudyFolder folder("study_scale_up/domains.sh", "domains 64 8 8 && domains 64 32 32 && domains 64 64 64");
    const auto times = folder.times({"8", "32", "64"}, {"--fidelity", "flow", "--over", "bytes=256MiB"});
    EXPECT_GT(times.at("8 256MiB"), 1.2 * times.at("32 256MiB"));
    EXPECT_LT(times.at("32 256MiB"), 1.2 * times.at("64 256MiB"));
}

TEST(StudyTopologies, LatencyDecidesForSmallMessagesAndBisectionForLargeOnes)
{
    const StudyFolder folder("study_topologies/networks.sh", "networks 16 4");
    const auto times = folder.times({"full", "ring", "torus", "switch", "fat_tree", "dragonfly"},
        {"--fidelity", "flow", "--collective", "all_reduce", "--algorithm", "direct", "--over", "bytes=16KiB,16MiB"});
    const std::vector<std::string> by_latency{"full", "switch", "dragonfly", "fat_tree", "ring"};
    for (std::size_t i = 1; i < by_latency.size(); ++i)
        EXPECT_GT(times.at(by_latency[i] + " 16KiB"), 1.1 * times.at(by_latency[i - 1] + " 16KiB")) << by_latency[i];
    for (const std::string name : {"fat_tree", "dragonfly"})
        EXPECT_NEAR(times.at(name + " 16MiB") / times.at("switch 16MiB"), 1, 0.02) << name;
    EXPECT_LT(times.at("full 16MiB"), 0.6 * times.at("switch 16MiB"));
    // Full buffers: 542.8 us by lines.
    EXPECT_NEAR(times.at("ring 16MiB"), 542.8e6, 0.05 * 542.8e6);
}

TEST(StudyWafer, AnOrderForEachChunkUsesAllDimensions)
{
    const StudyFolder folder("study_scale_up/domains.sh",
        "$weft network \"Ring(4)_FullyConnected(4)_Switch(4)\" --bandwidth 200GB/s,100GB/s,50GB/s -o net");
    const auto times = folder.times({"net"},
        {"--fidelity", "flow", "--profile", "generic", "--set", "routing.cycles=allow", "--collective", "all_reduce",
            "--algorithm", "multi_dim", "--dimensions", "a=4,b=4:direct,c=4:recursive", "--bytes", "256MiB", "--set",
            "engine.dimension_streams=4", "--set", "engine.dimension_chunks=16", "--over",
            "engine.dimension_order=fixed,offline_greedy"});
    // The loads of the dimensions predict a half; the latencies of more steps in a row are not among them.
    EXPECT_LT(times.at("net offline_greedy"), 2.0 / 3 * times.at("net fixed"));
    // In the fixed order the first dimension carries 3/2 of the message.
    EXPECT_GT(times.at("net fixed"), 1.5 * (256 << 20) / 200e9 * 1e12);
}

}  // namespace scale_studies_test
